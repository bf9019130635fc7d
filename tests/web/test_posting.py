"""Matches posted as they end: answered with new ratings, once, in order, and none lost."""

import asyncio
import json
import random
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import podium
from podium.league import League, schema
from podium.web import create_app, feeding, schemas
from tests.league.conftest import Server, postgresql
from tests.web.conftest import served
from tests.web.test_events import Listener
from tests.web.test_server_killed import Killed

__all__ = ["postgresql"]

SECRET = b"a secret of tests, which is long enough"
PATH = "/api/v1/leagues/club/matches"


class Site:
    """A site that takes matches, and its league."""

    def __init__(self, client: TestClient, league: League) -> None:
        self.client, self.league = client, league
        self.tokens = {role: league.create_token(f"a {role}", role) for role in podium_roles()}

    def post(self, body: Any, status: int = 200, role: str = "record") -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"}
        answer = self.client.post(PATH, json=body, headers=headers)
        assert answer.status_code == status, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        return answer.json()


def podium_roles() -> tuple[str, ...]:
    from podium.league.access import ROLES

    return ROLES


@contextmanager
def site_of(where: str, system: str = "glicko2") -> Iterator[Site]:
    with (
        League.create(where, system) as league,
        TestClient(create_app({"club": where}, writable=True, secret=SECRET)) as client,
    ):
        yield Site(client, league)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with site_of(str(tmp_path / "club.db")) as site:
        yield site


@pytest.fixture(params=["sqlite", "postgresql"])
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    """On a file, and on a server."""
    where = str(tmp_path / "club.db")
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgresql")
        where = server.new_database()
    with site_of(where) as site:
        yield site


def test_one_match_is_answered_with_what_the_league_then_says(either):
    told = either.post({"standings": ["ann", "bob"], "id": "m1", "time": "2026-05-01"})
    TypeAdapter(schemas.Recorded).validate_python(told, extra="forbid")
    for row in told["ratings"]:
        player = either.league.player(row["player"])
        assert (row["rating"], row["contests"]) == (player.rating, 1)
    assert (told["id"], told["time"]) == ("m1", "2026-05-01T00:00:00Z")
    assert either.league.verify().sound


def test_many_matches_are_answered_in_their_order(either):
    games = [("ann", "bob"), ("bob", "cat"), ("cat", "ann"), ("dan", "ann")]
    many = [{"standings": list(pair), "id": f"m{n}"} for n, pair in enumerate(games)]
    told = either.post({"matches": many})
    TypeAdapter(schemas.RecordedMatches).validate_python(told, extra="forbid")
    assert [each["id"] for each in told["matches"]] == ["m0", "m1", "m2", "m3"]
    assert [[row["player"] for row in each["ratings"]] for each in told["matches"]] == [
        list(pair) for pair in games
    ]
    assert either.league.contests()["contest"].to_list() == ["m0", "m1", "m2", "m3"]


def test_the_same_again_is_answered_the_same_and_kept_once(either):
    match = {"standings": ["ann", "bob"], "id": "m1"}
    first = either.post(match)
    either.post({"standings": ["ann", "bob"], "id": "m2"})
    again = either.post(match)
    assert again == {**first, "known": True}
    assert len(either.league.contests()) == 2


def test_another_result_under_the_same_id_is_a_conflict(either):
    either.post({"standings": ["ann", "bob"], "id": "m1"})
    problem = either.post({"standings": ["bob", "ann"], "id": "m1"}, 409)
    assert "'m1'" in problem["detail"]
    assert problem["type"].endswith("conflict")


def test_of_many_each_is_kept_or_refused_by_itself(site):
    site.post({"standings": ["ann", "bob"], "id": "m1"})
    many = [
        {"standings": ["ann", "cat"], "id": "m2"},
        {"standings": ["bob", "ann"], "id": "m1"},
        {"standings": ["ann", "ann"]},
        {"standing": ["ann", "bob"]},
        "m3",
        {"standings": ["cat", "bob"], "id": "m4"},
    ]
    problem = site.post({"matches": many}, 422)
    TypeAdapter(schemas.Problem).validate_python(problem, extra="forbid")
    assert problem["detail"].startswith("4 of 6 came to nothing")
    told = problem["matches"]
    assert [each.get("status", 200) for each in told] == [200, 409, 422, 422, 422, 200]
    assert "did you mean 'standings'" in told[3]["detail"]
    assert site.league.contests()["contest"].to_list() == ["m1", "m2", "m4"]


def test_ties_and_teams_are_told_apart(tmp_path):
    with site_of(str(tmp_path / "club.db"), "trueskill") as site:
        ladder = podium.Ladder("trueskill")
        teams, tie = [["ann", "bob"], ["cat", "dan"]], ["eva", {"tie": ["ann", ["bob", "cat"]]}]
        first = site.post({"standings": teams, "time": "2026-05-01"})
        second = site.post({"standings": tie, "time": "2026-05-02", "weight": 0.5})
        ladder.record(teams, time="2026-05-01")
        assert _mus(first) == {name: ladder[name].mu for name in ("ann", "bob", "cat", "dan")}
        ladder.record(["eva", ("ann", ["bob", "cat"])], time="2026-05-02", weight=0.5)
        assert _mus(second) == {name: ladder[name].mu for name in ("ann", "bob", "cat", "eva")}


def _mus(told: dict[str, Any]) -> dict[str, float]:
    return {row["player"]: row["mu"] for row in told["ratings"]}


def test_a_late_match_is_rated_where_it_belongs_or_waits(site):
    site.post({"standings": ["ann", "bob"], "id": "m2", "time": "2026-05-02"})
    at_once = site.post({"standings": ["ann", "cat"], "id": "m1", "time": "2026-05-01"})
    assert at_once["ratings"]
    waits = {"standings": ["cat", "bob"], "id": "m0", "time": "2026-04-30", "late": "defer"}
    told = site.post(waits)
    assert (told["late"], told["ratings"]) == (True, [])
    site.client.app.state.feeding.feed(_hosted(site)).settle()
    assert site.league.contests()["contest"].to_list() == ["m0", "m1", "m2"]
    assert site.league.verify().sound


def _hosted(site: Site) -> Any:
    return site.client.app.state.catalogue["club"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "standings is missing"),
        ([], "the body is an object of JSON"),
        ({"standings": "ab"}, "standings must be a list"),
        ({"standings": []}, "standings must have at least 1 values"),
        ({"standings": [["ann", "bob"], ["cat", "dan"]]}, "rates players, not teams"),
        ({"standings": ["ann", "bob"], "weight": 0}, "weight must be a number"),
        ({"standings": ["ann", "bob"], "weight": "a lot"}, "weight must be a number"),
        ({"standings": ["ann", "bob"], "time": "never"}, "'never'"),
        ({"standings": ["ann", "bob"], "late": "later"}, "late must be 'now' or 'defer'"),
        ({"standings": ["a\0b", "bob"]}, "the character 0"),
        ({"standings": ["ann", {"ties": ["bob"]}]}, "standings, value 2,"),
        ({"matches": []}, "matches must be a list"),
        ({"matches": [], "id": "m1"}, "there is no field beside matches 'id'"),
    ],
)
def test_what_is_wrong_is_said(site, body, said):
    assert said in site.post(body, 422)["detail"]
    assert len(site.league.contests()) == 0


def test_no_more_matches_are_taken_at_once_than_the_description_says(site):
    many = [{"standings": ["ann", "bob"]}] * 1001
    assert "at most 1,000" in site.post({"matches": many}, 413)["detail"]


def test_it_needs_a_token_that_records_and_a_site_that_writes(site, tmp_path):
    match = {"standings": ["ann", "bob"]}
    assert site.client.post(PATH, json=match).status_code == 401
    assert "to record is needed" in site.post(match, 403, "read")["detail"]
    nowhere = PATH.replace("club", "nowhere")
    assert site.client.post(nowhere, json=match).status_code == 404
    site.league.revoke_token(2)
    assert "was revoked" in site.post(match, 401)["detail"]
    with TestClient(create_app({"club": str(tmp_path / "club.db")})) as reading:
        assert reading.post(PATH, json=match).status_code == 405


def test_a_private_league_takes_matches_of_who_may_record(site):
    site.league.set_access("private")
    assert site.client.post(PATH, json={}).status_code == 401
    assert site.post({"standings": ["ann", "bob"]})["ratings"]


def test_hidden_players_are_told_to_organisers_alone(site):
    site.post({"standings": ["ann", "bob"]})
    site.league.hide("bob")
    for role, names in (("record", ["ann"]), ("organise", ["ann", "bob"])):
        told = site.post({"standings": ["ann", "bob"]}, role=role)
        assert [row["player"] for row in told["ratings"]] == names


def test_who_posts_is_asked_for_again_when_somebody_else_has_changed_the_league(site, monkeypatch):
    asked, identified = [], League.identified
    monkeypatch.setattr(
        League, "identified", lambda league, text: asked.append(text) or identified(league, text)
    )
    match = {"standings": ["ann", "bob"]}
    for _ in range(5):
        assert len(site.post(match)["ratings"]) == 2
    assert len(asked) <= 2  # before the feed is open, and once more
    before = len(asked)
    site.league.hide("bob")
    assert [row["player"] for row in site.post(match)["ratings"]] == ["ann"]
    assert len(asked) == before + 1
    site.post(match)
    site.league.show("bob")
    assert len(site.post(match)["ratings"]) == 2
    site.post(match)
    site.league.revoke_token(2)
    for _ in range(2):
        assert "was revoked" in site.post(match, 401)["detail"]
    site.post(match, role="own")
    assert "was revoked" in site.post(match, 401)["detail"]


def test_the_log_names_who_posted(site):
    site.post({"standings": ["ann", "bob"]})
    site.post({"standings": ["ann", "bob"]}, role="own")
    assert site.league.log(2)["who"].to_list() == ["a own", "a record"]


@pytest.fixture
def league(tmp_path: Path) -> Iterator[League]:
    with League.create(tmp_path / "club.db", "glicko2") as league:
        yield league


@contextmanager
def real_server(league: League) -> Iterator[tuple[Any, str, str]]:
    """An application, where it is served, and a token to post there."""
    app = create_app({"club": league.where}, writable=True, secret=SECRET)
    with served(app) as address:
        yield app, address, league.create_token("a game", "record")


def test_posts_that_come_together_share_a_transaction(league):
    with real_server(league) as (app, address, token):
        _post_at_once(address, token, clients=16, each=8)
        counts = app.state.feeding.feed(app.state.catalogue["club"]).statistics
    assert counts["matches"] == 128
    assert counts["commits"] < 128
    assert len(league.contests()) == 128
    assert league.verify().sound


def _post_at_once(address: str, token: str, clients: int, each: int) -> None:
    wrong = []

    def post(number: int) -> None:
        pool = urllib3.PoolManager()
        for turn in range(each):
            match = {"standings": random.Random(turn).sample("abcdef", 2), "id": f"{number}-{turn}"}
            answer = pool.request(
                "POST",
                address + PATH,
                json=match,
                headers={"Authorization": f"Bearer {token}"},
            )
            if answer.status != 200:
                wrong.append(answer.data)

    threads = [threading.Thread(target=post, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_where_the_line_is_full_who_comes_is_told_when_to_come_again(site, monkeypatch):
    monkeypatch.setattr(feeding, "MOST_WAITING", 2)
    hosted, token = _hosted(site), site.league.identified(site.tokens["record"])

    async def crowd() -> list[Any]:
        own = feeding.Feeding()
        posts = [own.record(hosted, token, [{"standings": ["ann", "bob"]}]) for _ in range(8)]
        found = await asyncio.gather(*posts, return_exceptions=True)
        await own.close()
        return found

    found = asyncio.run(crowd())
    full = [each for each in found if isinstance(each, podium.BusyError)]
    assert full
    assert len(site.league.contests()) == 8 - len(full)

    async def refuse(*_: Any) -> None:
        raise full[0]

    monkeypatch.setattr(feeding.Feeding, "record", refuse)
    headers = {"Authorization": f"Bearer {site.tokens['record']}"}
    answer = site.client.post(PATH, json={"standings": ["ann", "bob"]}, headers=headers)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")


def test_where_another_process_feeds_matches_are_recorded_one_by_one(site):
    match = {"standings": ["ann", {"tie": ["bob", "cat"]}], "id": "m1"}
    with site.league.feed() as feed:
        feed.record(["ann", "bob"], id="m0")
        first = site.post(match)
        assert site.post(match) == {**first, "known": True}
        site.post({"standings": ["bob", "ann"], "id": "m1"}, 409)
        many = [{"standings": ["ann", "bob"]}, {"standings": ["ann", "ann"]}]
        told = site.post({"matches": many}, 422)["matches"]
        assert [row["player"] for row in told[0]["ratings"]] == ["ann", "bob"]
        feed.record(["bob", "cat"], id="m9")
    assert len(site.league.contests()) == 4
    assert site.league.log(3)["who"].to_list()[1:] == ["a record", "a record"]
    assert site.league.verify().sound


def test_the_same_match_told_of_here_and_there_at_once_is_one(site):
    hosted, token = _hosted(site), site.league.identified(site.tokens["record"])
    match = {"standings": ["ann", "bob"]}
    with site.league.feed() as feed, ThreadPoolExecutor(3) as pool:
        for number in range(10):
            one = {**match, "id": str(number)}
            there = pool.submit(feed.record, **one)
            here = [pool.submit(feeding.one_by_one, hosted, token, [one]) for _ in range(2)]
            for (answer,) in (each.result(60) for each in here):
                assert list(answer) == list(there.result(60)) == ["ann", "bob"]
    assert len(site.league.contests()) == 10


def test_matches_without_a_time_follow_all_others_wherever_they_are_recorded(site):
    hosted, token = _hosted(site), site.league.identified(site.tokens["record"])
    with site.league.feed() as feed:
        future = feed.record(["ann", "bob"], time="2100-01-01", future=True)
        answers = feeding.one_by_one(hosted, token, [{"standings": ["bob", "ann"]}] * 2)
        assert future.time < answers[0].time < answers[1].time
        assert answers[1].time < feed.record(["ann", "bob"]).time
    assert site.league.verify().sound


def test_a_feed_that_nobody_uses_is_let_go(site):
    hosted, token = _hosted(site), site.league.identified(site.tokens["record"])

    async def used() -> None:
        own = feeding.Feeding(idle=0.0)
        await own.record(hosted, token, [{"standings": ["ann", "bob"]}])
        while own.feed(hosted) is not None:
            await asyncio.sleep(0)
        await own.close()

    asyncio.run(used())
    with site.league.feed() as feed:
        assert feed.rates


def test_a_league_that_was_replaced_is_fed_anew(site, tmp_path):
    with League.create(tmp_path / "other.db", "elo") as other:
        text = other.create_token("another", "record")
    site.post({"standings": ["ann", "bob"]})
    site.league.close()
    for suffix in ("-wal", "-shm"):
        Path(f"{tmp_path}/club.db{suffix}").unlink(missing_ok=True)
    shutil.move(tmp_path / "other.db", tmp_path / "club.db")
    site.tokens["record"] = text
    told = site.post({"standings": ["cat", "dan"]})
    assert [row["rating"] for row in told["ratings"]] == [1516.0, 1484.0]
    with League(tmp_path / "club.db") as league:
        assert len(league.contests()) == 1
        assert league.verify().sound


def test_who_listens_hears_of_every_match_in_order(league):
    league.record(["a", "b"], id="before", time="2026-05-01")
    with (
        real_server(league) as (_, address, token),
        closing(Listener(urlsplit(address).netloc)) as listener,
    ):
        _post_at_once(address, token, clients=8, each=8)
        heard: list[str] = []
        moves: dict[str, float] = {}
        kind = ""
        while len(heard) < 64 or kind != "rating.changed":
            _, kind, told = listener.hear()
            if kind == "contest.rated":
                heard += [each["contest"] for each in told["data"]["contests"]]
            else:
                moves |= {each["player"]: each["after"] for each in told["data"]["moves"]}
    assert heard == league.contests()["contest"].to_list()[1:]
    assert {name: league.player(name).rating for name in moves} == moves


def test_who_listens_too_slowly_is_told_what_was_missed(league, monkeypatch):
    monkeypatch.setattr("podium.web.api.events._TOGETHER", 4)
    for number in range(1, 7):
        league.record(["a", "b"], id=f"m{number}", time=f"2026-05-{number:02}")
    with real_server(league) as (app, address, _):
        app.state.told.found = lambda _, read: (forget(league), read())[1]
        with closing(Listener(urlsplit(address).netloc, Last_Event_ID="0")) as listener:
            heard = [listener.hear() for _ in range(5)]
    assert [number for number, *_ in heard] == [8, 9, 10, 11, 12]
    assert heard[0][1:] == ("missed", {"first": 1, "last": 8})


def forget(league: League) -> None:
    """Let only the last notices be kept."""
    with league._database.noting() as connection:
        connection.execute(schema.notices.delete().where(schema.notices.c.id <= 8))


class Poster(threading.Thread):
    """Somebody who posts, and repeats what was not acknowledged until it is."""

    def __init__(self, number: int, killed: Killed, token: str, made: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        self._number, self._killed, self._made = number, killed, made
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._pool = urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(60.0))
        self.ending = threading.Event()
        self.acknowledged: list[str] = []
        self.wrong: list[bytes] = []

    def run(self) -> None:
        while not self.ending.is_set():
            id = f"{self._number}-{len(self.acknowledged)}"
            match = {"standings": random.Random(id).sample("abcdef", 2), "id": id}
            try:
                answer = self._pool.request(
                    "POST",
                    f"{self._killed.address}/matches",
                    body=json.dumps(match).encode(),
                    headers=self._headers,
                )
            except urllib3.exceptions.HTTPError:
                self.ending.wait(0.02)
                continue
            if answer.status in (429, 503):
                self.ending.wait(0.02)
                continue
            if answer.status != 200:
                self.wrong.append(answer.data)
                return
            self.acknowledged.append(answer.json()["id"])
            self._made.release()


def kill_and_look(where: str, folder: Path, kills: int, workers: int) -> None:
    """Kill a server so often while matches pour in; all that was acknowledged must be there."""
    with League.create(where, "glicko2") as league:
        token = league.create_token("a game", "record")
    killed, made = Killed(where, folder, workers), threading.Semaphore(0)
    posters = [Poster(number, killed, token, made) for number in range(4)]
    killed.start()
    for each in posters:
        each.start()
    for turn in range(kills):
        for _ in range(40 + 7 * turn):
            assert made.acquire(timeout=120)
        killed.kill()
        killed.start()
    for _ in range(40):
        assert made.acquire(timeout=120)
    killed.kill()
    for each in posters:
        each.ending.set()
    for each in posters:
        each.join()
    assert [one for each in posters for one in each.wrong] == []
    with League(where) as league:
        there = league.contests()["contest"].to_list()
        assert len(there) == len(set(there))
        assert {one for each in posters for one in each.acknowledged} <= set(there)
        assert league.verify().sound


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_server_that_is_killed_loses_no_match_that_it_acknowledged(tmp_path, workers):
    kill_and_look(str(tmp_path / "club.db"), tmp_path, kills=3, workers=workers)


@pytest.mark.slow
def test_the_same_holds_for_two_workers_on_postgresql(tmp_path, postgresql):
    kill_and_look(postgresql.new_database(), tmp_path, kills=3, workers=2)


def test_the_description_knows_it(site):
    described = site.client.get("/api/v1/openapi.json").json()
    found = described["paths"]["/api/v1/leagues/{key}/matches"]["post"]
    assert found["x-role"] == "record"
    assert '{"tie"' in json.dumps(found["requestBody"]).replace("\\", "")
