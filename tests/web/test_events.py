"""The stream of events: what programs hear that listen."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from sqlalchemy import update

from podium.league import League, notices, schema
from podium.league.database import now
from podium.web import create_app
from tests.web.conftest import served

SECRET = b"a secret of at least 32 characters"
PATH = "/api/v1/leagues/club/events"


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with League.create(tmp_path / "club.db", "elo-mmr") as league:
        yield league


@contextmanager
def site(league: League) -> Iterator[str]:
    app = create_app({"club": league.where}, writable=True, secret=SECRET)
    with served(app) as address:
        yield urlsplit(address).netloc


class Listener:
    """Somebody who listens."""

    def __init__(self, host: str, path: str = PATH, **headers: str) -> None:
        self._connection = http.client.HTTPConnection(host, timeout=30)
        said = {key.replace("_", "-"): value for key, value in headers.items()}
        self._connection.request("GET", path, headers={"Accept-Encoding": "gzip", **said})
        self.answer = self._connection.getresponse()
        if self.answer.status == 200:
            assert self._lines() == ["retry: 3000"]

    def _lines(self) -> list[str]:
        lines: list[str] = []
        while (line := self.answer.readline().decode().rstrip("\n")) or not lines:
            if not line:
                return ["the end"]
            lines.append(line)
        return lines

    def hear(self) -> tuple[int, str, Any]:
        """The next event: number, kind and data."""
        lines = self._lines()
        while lines[0].startswith(":"):
            lines = self._lines()
        said = dict(line.split(": ", 1) for line in lines)
        return int(said["id"]), said["event"], json.loads(said["data"])

    def is_over(self) -> bool:
        """Whether the stream has ended, once all that was on its way has come."""
        lines = self._lines()
        while lines[0].startswith(":"):
            lines = self._lines()
        return lines == ["the end"]

    def close(self) -> None:
        self._connection.close()


def play(league: League, number: int) -> None:
    league.record(["ann", "bob"], id=f"round-{number}", time=f"2026-05-{number:02}")


def test_who_listens_hears_of_changes_as_they_happen(league: League) -> None:
    play(league, 1)
    with site(league) as host, closing(Listener(host)) as listener:
        assert listener.answer.getheader("Content-Type", "").startswith("text/event-stream")
        assert listener.answer.getheader("Content-Encoding") is None
        play(league, 2)
        number, kind, data = listener.hear()
        assert (number, kind) == (3, "contest.rated")
        assert data["league"] == {"key": "club", "title": "Club"}
        assert data["data"]["contests"][0]["contest"] == "round-2"
        assert listener.hear()[:2] == (4, "rating.changed")
        play(league, 3)
        assert listener.hear()[:2] == (5, "contest.rated")


def test_what_is_heard_is_what_webhooks_are_told(league: League) -> None:
    for number in (1, 2):
        play(league, number)
    league.disqualify("round-1", "bob", why="late")
    told = [{**each, "league": {"key": "club", "title": "Club"}} for each in league.notices()]
    with site(league) as host, closing(Listener(host, Last_Event_ID="0")) as listener:
        heard = [listener.hear() for _ in told]
    assert [data for *_, data in heard] == told
    assert [number for number, *_ in heard] == [each["number"] for each in told]


def test_who_comes_again_hears_what_was_missed(league: League) -> None:
    for number in (1, 2):
        play(league, number)
    with site(league) as host:
        for headers, path in (({"Last_Event_ID": "2"}, PATH), ({}, f"{PATH}?after=2")):
            with closing(Listener(host, path, **headers)) as listener:
                assert [listener.hear()[0] for _ in range(2)] == [3, 4]


def test_many_notices_are_read_in_pieces(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.web.api.events._TOGETHER", 3)
    for number in range(1, 8):
        play(league, number)
    with site(league) as host, closing(Listener(host, Last_Event_ID="0")) as listener:
        assert [listener.hear()[0] for _ in range(14)] == list(range(1, 15))


def refused(host: str, last: str) -> tuple[int, str]:
    said = {"Last_Event_ID": last, "Accept_Encoding": "identity"}
    with closing(Listener(host, **said)) as listener:
        return listener.answer.status, json.loads(listener.answer.read())["detail"]


def test_what_is_not_kept_any_more_is_said_to_be_so(league: League) -> None:
    for number in (1, 2):
        play(league, number)
    with league.noting() as connection:
        n = schema.notices
        old = now() - notices.KEPT_FOR - 1
        connection.execute(update(n).where(n.c.id <= 2).values(time=old))
        notices.forget(connection)
    with site(league) as host:
        status, said = refused(host, "1")
        assert status == 409
        assert "is not kept any more, which begins with 3" in said
        status, said = refused(host, "99")
        assert (status, said) == (409, "there is no notice 99 yet; the last is 4.")
        assert Listener(host, Last_Event_ID="x").answer.status == 422
        with closing(Listener(host, Last_Event_ID="2")) as listener:
            assert listener.hear()[0] == 3


def test_a_notice_that_waits_for_a_webhook_hides_no_gap(league: League) -> None:
    """One that is kept because it is on its way is not where all are kept from."""
    league.add_webhook("https://example.org/hook", ["contest.rated"])
    for number in (1, 2):
        play(league, number)
    with league.noting() as connection:
        old = now() - notices.KEPT_FOR - 1
        connection.execute(update(schema.notices).values(time=old))
        notices.forget(connection)
        assert notices.range_of(connection) == (3, 4)
    assert [each["number"] for each in league.notices()] == [1, 3, 4]


def test_hidden_players_are_not_heard_of(league: League) -> None:
    league.start({"eve": 1900.0})
    play(league, 1)
    league.hide("eve")
    league.hide("bob")
    with site(league) as host, closing(Listener(host, Last_Event_ID="0")) as listener:
        assert listener.hear()[1] == "contest.rated"
        _, kind, data = listener.hear()
        assert kind == "rating.changed"
        assert [each["player"] for each in data["data"]["moves"]] == ["ann"]


def test_a_private_league_is_heard_by_who_has_a_token_and_no_longer(league: League) -> None:
    league.set_access("private")
    token = league.create_token("ann", "read")
    with site(league) as host:
        with closing(Listener(host)) as stranger:
            assert stranger.answer.status == 401
        with closing(Listener(host, Authorization=f"Bearer {token}")) as listener:
            play(league, 1)
            assert listener.hear()[0] == 1
            assert listener.hear()[0] == 2
            league.revoke_token(1)
            assert listener.is_over()


def test_a_league_that_becomes_private_is_heard_by_strangers_no_more(league: League) -> None:
    with site(league) as host, closing(Listener(host)) as listener:
        play(league, 1)
        assert [listener.hear()[0] for _ in range(2)] == [1, 2]
        league.set_access("private")
        assert listener.is_over()


def test_a_hundred_listeners_read_each_notice_once(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads = []
    read = notices.after

    def counted(*asked: Any) -> Any:
        reads.append(asked[1:])
        return read(*asked)

    monkeypatch.setattr(notices, "after", counted)
    with site(league) as host:
        listeners = [Listener(host) for _ in range(100)]
        play(league, 1)
        for each in listeners:
            assert [each.hear()[0] for _ in range(2)] == [1, 2]
            each.close()
    assert len(reads) == len(set(reads))
