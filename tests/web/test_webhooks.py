"""Webhooks: what arrives at a real receiver, what is tried again, and what survives."""

import base64
import hashlib
import hmac
import json
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, Self

import pytest
from sqlalchemy import select, update
from starlette.testclient import TestClient

from podium import Rules
from podium.errors import InputError, NotFoundError
from podium.league import League, schema
from podium.league.database import now
from podium.web import create_app, sending
from podium.web.catalogue import Catalogue, Hosted
from podium.web.outside import Outside
from tests.league.conftest import kind, places, postgresql, where  # noqa: F401
from tests.test_documentation import run_snippets
from tests.web.test_chores import LONG, child

SECRET = b"a secret of at least 32 characters"


def verified(secret: str, headers: dict[str, str], body: bytes) -> Any:
    """What a message says, if it is signed as Standard Webhooks want it."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    wanted = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    version, _, given = headers["webhook-signature"].partition(",")
    assert version == "v1"
    assert hmac.compare_digest(given, wanted)
    return json.loads(body)


class Receiver:
    """A server of this machine that takes messages, or misbehaves."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        """The statuses of the next answers; 0 is no answer at all. After them, 204."""
        self.held = threading.Event()
        self.held.set()
        self._came = threading.Condition()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {key.lower(): value for key, value in self.headers.items()}
                with receiver._came:
                    receiver.received.append((headers, body))
                    status = receiver.answers.pop(0) if receiver.answers else 204
                    receiver._came.notify_all()
                receiver.held.wait()
                if status:
                    self.send_response(status)
                    if 300 <= status < 400:
                        self.send_header("Location", f"{receiver.address}/elsewhere")
                    self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_port}/hook?key=4711"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.held.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_for(self, count: int) -> None:
        """Wait until so many messages have come."""
        self.wait_until(lambda: len(self.received) >= count)

    def wait_until(self, enough: Callable[[], bool]) -> None:
        """Wait until what has come is enough."""
        with self._came:
            assert self._came.wait_for(enough, LONG)

    def messages(self, secret: str) -> list[Any]:
        """What has come, all of which is signed."""
        return [verified(secret, *each) for each in self.received]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def hosted(where: str) -> Iterator[Hosted]:  # noqa: F811
    """A league on a site that may write, in both kinds of database."""
    League.create(where, "elo-mmr").close()
    with Catalogue.of({"club": where}, writable=True) as catalogue:
        yield catalogue["club"]


@pytest.fixture
def local(tmp_path: Any) -> Iterator[Hosted]:
    """The same in a file."""
    League.create(tmp_path / "club.db", "elo-mmr").close()
    with Catalogue.of({"club": tmp_path / "club.db"}, writable=True) as catalogue:
        yield catalogue["club"]


def league_of(hosted: Hosted) -> League:
    assert hosted.writer is not None
    return hosted.writer


def sent(hosted: Hosted, **outside: Any) -> float:
    """Send what is due now."""
    chores = SimpleNamespace(stopping=threading.Event())
    state = SimpleNamespace(outside=Outside(True, **outside), chores=chores)
    return sending.send_due(hosted, state)


def hurry(hosted: Hosted) -> None:
    """Let time pass until everything that waits is due."""
    d = schema.deliveries
    with league_of(hosted).noting() as connection:
        connection.execute(update(d).where(d.c.due.is_not(None)).values(due=now()))


def rows(hosted: Hosted, *columns: str) -> list[Any]:
    found = hosted.league.deliveries().sort("webhook", "notice").select(columns).rows()
    return [each[0] if len(columns) == 1 else each for each in found]


def play(hosted: Hosted, number: int = 1) -> None:
    time = f"2026-05-{number:02}"
    league_of(hosted).record(["ann", "bob"], id=f"round-{number}", time=time, who="ann")


def test_what_changes_arrives_signed_and_in_order(hosted: Hosted, receiver: Receiver) -> None:
    _, secret = league_of(hosted).add_webhook(receiver.address)
    play(hosted)
    play(hosted, 2)
    sent(hosted)
    messages = receiver.messages(secret)
    assert messages == [
        {**each, "league": {"key": "club", "title": "Club"}} for each in hosted.league.notices()
    ]
    assert [each["type"] for each in messages] == ["contest.rated", "rating.changed"] * 2
    headers = receiver.received[0][0]
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == messages[0]["id"]
    assert abs(int(headers["webhook-timestamp"]) - now() / 1e6) < 60
    assert rows(hosted, "status", "attempts", "due", "problem") == [(204, 1, None, None)] * 4
    sent(hosted)
    assert len(receiver.received) == 4, "what has arrived is not sent again"


def test_a_signature_with_another_secret_is_not_believed(local: Hosted, receiver: Receiver) -> None:
    league_of(local).add_webhook(receiver.address)
    _, other = league_of(local).add_webhook("http://127.0.0.1:9/", ["title.reached"])
    play(local)
    sent(local)
    with pytest.raises(AssertionError):
        receiver.messages(other)


@pytest.mark.parametrize("status", [500, 503, 400, 404, 429])
def test_what_is_not_taken_is_tried_again(local: Hosted, receiver: Receiver, status: int) -> None:
    _, secret = league_of(local).add_webhook(receiver.address, ["contest.rated"])
    receiver.answers = [status, status]
    play(local)
    for attempt in (1, 2):
        sent(local)
        ((attempts, found, problem, due),) = rows(local, "attempts", "status", "problem", "due")
        assert (attempts, found) == (attempt, status)
        assert f"answered HTTP {status}" in problem
        assert "4711" not in problem
        assert due is not None
        sent(local)
        assert len(receiver.received) == attempt, "not before it is due"
        hurry(local)
    sent(local)
    assert rows(local, "attempts", "status", "problem", "due") == [(3, 204, None, None)]
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1
    assert len(receiver.messages(secret)) == 3


def test_a_redirect_is_not_followed(local: Hosted, receiver: Receiver) -> None:
    league_of(local).add_webhook(receiver.address, ["contest.rated"])
    receiver.answers = [302]
    play(local)
    sent(local)
    assert len(receiver.received) == 1
    ((problem, due),) = rows(local, "problem", "due")
    assert "not followed" in problem
    assert due is not None


def test_who_does_not_answer_in_time_is_asked_again(local: Hosted, receiver: Receiver) -> None:
    league_of(local).add_webhook(receiver.address, ["contest.rated"])
    receiver.held.clear()
    play(local)
    sent(local, patience=0.05)
    ((attempts, problem),) = rows(local, "attempts", "problem")
    assert attempts == 1
    assert "takes too long" in problem
    receiver.held.set()
    hurry(local)
    sent(local)
    assert rows(local, "status") == [204]


def test_pauses_grow_to_three_days_in_all_and_are_never_the_same() -> None:
    for chance in (lambda: 0.0, lambda: 1.0):
        pauses = [sending.pause(each, chance) / 1e6 for each in range(len(sending.DELAYS))]
        assert pauses == sorted(pauses)
        assert pauses[0] < 10
        assert 2.5 < sum(pauses) / 86_400 < 4
    assert sending.pause(3, lambda: 0.0) < sending.pause(3, lambda: 1.0)


def test_after_three_days_it_is_given_up_and_can_be_sent_again(
    local: Hosted, receiver: Receiver
) -> None:
    number, _ = league_of(local).add_webhook(receiver.address, ["contest.rated"])
    tries = len(sending.DELAYS) + 1
    receiver.answers = [500] * tries
    play(local)
    for _ in range(tries):
        hurry(local)
        sent(local)
    assert rows(local, "attempts", "due", "delivered") == [(tries, None, None)]
    assert local.league.webhooks()["failed"].to_list() == [1]
    assert local.league.deliveries(failed=True).height == 1
    sent(local)
    assert len(receiver.received) == tries
    assert league_of(local).send_again(number) == 1
    sent(local)
    assert rows(local, "attempts", "status") == [(1, 204)]
    assert local.league.webhooks()["failed"].to_list() == [0]
    notice = rows(local, "notice")[0]
    assert league_of(local).send_again(number, notice) == 1
    sent(local)
    assert len(receiver.received) == tries + 2
    with pytest.raises(NotFoundError, match="has no notice 99"):
        league_of(local).send_again(number, 99)


def test_a_receiver_that_is_gone_is_asked_no_more(local: Hosted, receiver: Receiver) -> None:
    league_of(local).add_webhook(receiver.address, ["contest.rated"])
    receiver.answers = [410]
    play(local)
    sent(local)
    assert local.league.webhooks()["active"].to_list() == [False]
    assert rows(local, "due") == [None]
    play(local, 2)
    sent(local)
    assert len(receiver.received) == 1


def test_where_nobody_listens_one_attempt_counts_for_all_that_is_due(local: Hosted) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    league_of(local).add_webhook(f"http://127.0.0.1:{port}/", ["contest.rated"])
    for number in range(1, 6):
        play(local, number)
    for attempt in range(1, len(sending.DELAYS) + 2):
        hurry(local)
        sent(local)
        assert rows(local, "attempts") == [attempt] * 5
    assert rows(local, "due") == [None] * 5


def test_a_slow_receiver_holds_up_nobody_else(local: Hosted, receiver: Receiver) -> None:
    with Receiver() as slow:
        league_of(local).add_webhook(slow.address, ["contest.rated"])
        league_of(local).add_webhook(receiver.address, ["contest.rated"])
        slow.held.clear()
        play(local)
        thread = threading.Thread(target=sent, args=(local,))
        thread.start()
        slow.wait_for(1)
        receiver.wait_for(1)
        play(local, 2)
        receiver.wait_for(2)
        assert len(slow.received) == 1
        slow.held.set()
        thread.join()
        assert len(slow.received) == 2
    assert set(rows(local, "status")) == {204}


def test_who_is_hidden_by_then_is_not_sent(local: Hosted, receiver: Receiver) -> None:
    _, secret = league_of(local).add_webhook(receiver.address)
    league_of(local).start({"eve": 1900.0})
    play(local)
    league_of(local).hide("eve")
    league_of(local).hide("bob")
    sent(local)
    assert all(b"eve" not in body and b"bob" not in body for _, body in receiver.received)
    said = [each for each in receiver.messages(secret) if each["type"] == "rating.changed"]
    assert [move["player"] for each in said for move in each["data"]["moves"]] == ["ann"]
    assert rows(local, "due") == [None] * local.league.signs().notice


def test_a_webhook_that_rests_is_sent_what_waits_when_it_is_set_again(
    local: Hosted, receiver: Receiver
) -> None:
    number, _ = league_of(local).add_webhook(receiver.address, ["contest.rated"])
    play(local)
    league_of(local).set_webhook(number, False)
    play(local, 2)
    sent(local)
    assert receiver.received == []
    league_of(local).set_webhook(number, True)
    sent(local)
    assert len(receiver.received) == 1, "of what was changed meanwhile, nothing is told"


def test_a_webhook_that_is_removed_is_sent_nothing(local: Hosted, receiver: Receiver) -> None:
    number, _ = league_of(local).add_webhook(receiver.address)
    play(local)
    league_of(local).remove_webhook(number)
    sent(local)
    assert receiver.received == []
    assert rows(local, "notice") == []


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8000/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://2130706433/",
        "http://localhost:8000/",
    ],
)
def test_a_server_whose_owner_does_not_allow_it_sends_nothing_inside(
    local: Hosted, receiver: Receiver, address: str
) -> None:
    with pytest.raises(InputError, match="not open to all"):
        sending.add(local, Outside(), address, None, "ann")
    assert local.league.webhooks().height == 0
    league_of(local).add_webhook(receiver.address, ["contest.rated"])
    play(local)
    chores = SimpleNamespace(stopping=threading.Event())
    sending.send_due(local, SimpleNamespace(outside=Outside(), chores=chores))
    assert receiver.received == []
    assert "not open to all" in rows(local, "problem")[0]


def test_a_test_message_shows_whether_messages_arrive(local: Hosted, receiver: Receiver) -> None:
    number, secret = league_of(local).add_webhook(receiver.address)
    receiver.answers = [200, 500]
    assert sending.send_test(local, Outside(True), number) == (200, None, False)
    (message,) = receiver.messages(secret)
    assert message["type"] == "webhook.test"
    assert message["league"] == {"key": "club", "title": "Club"}
    failed = sending.send_test(local, Outside(True), number)
    assert failed.status == 500
    assert "answered HTTP 500" in (failed.problem or "")


@contextmanager
def site(place: Any, **more: Any) -> Iterator[TestClient]:
    """A site that may write, with its chores."""
    app = create_app({"club": place}, writable=True, secret=SECRET, allow_private=True, **more)
    with TestClient(app, base_url="http://localhost") as client:
        yield client


def test_a_site_sends_by_itself_what_others_changed_while_none_was_there(
    where: str,  # noqa: F811
    receiver: Receiver,
) -> None:
    with League.create(where) as league:
        _, secret = league.add_webhook(receiver.address, ["contest.rated"])
        league.record(["ann", "bob"], id="before", time="2026-05-01")
        with site(where):
            receiver.wait_for(1)
            league.record(["ann", "bob"], id="meanwhile", time="2026-05-02")
            receiver.wait_for(2)
    contests = [each["data"]["contests"][0]["contest"] for each in receiver.messages(secret)]
    assert contests == ["before", "meanwhile"]


_KILLED = """
import os, signal, sys, threading
from types import SimpleNamespace
from podium.web import sending
from podium.web.catalogue import Catalogue
from podium.web.outside import Outside

catalogue = Catalogue.of({"club": sys.argv[1]}, writable=True)
chores = SimpleNamespace(stopping=threading.Event())
sending.send_due(catalogue["club"], SimpleNamespace(outside=Outside(True), chores=chores))
"""


def test_a_server_that_is_killed_while_it_sends_sends_again(
    hosted: Hosted, receiver: Receiver
) -> None:
    _, secret = league_of(hosted).add_webhook(receiver.address, ["contest.rated"])
    play(hosted)
    receiver.held.clear()
    with child(_KILLED, hosted.league.where) as server:
        receiver.wait_for(1)
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    receiver.held.set()
    assert rows(hosted, "delivered") == [None]
    sent(hosted)
    assert len(receiver.messages(secret)) == 2
    assert len({headers["webhook-id"] for headers, _ in receiver.received}) == 1
    assert None not in rows(hosted, "delivered")


def test_a_notice_is_there_if_and_only_if_its_change_is(hosted: Hosted) -> None:
    """Whatever ends a change before it is kept ends its notices with it."""
    league_of(hosted).add_webhook("http://127.0.0.1:9/")

    class Refusing:
        def before(self, *_: Any) -> None:
            pass

        def after(self, *_: Any) -> None:
            raise InputError("not so.")

    with pytest.raises(InputError):
        league_of(hosted).guarded(Refusing()).record(["ann", "bob"], time="2026-05-01")
    with league_of(hosted).noting() as connection:
        for table in (schema.notices, schema.deliveries, schema.contests):
            assert connection.execute(select(table)).all() == []


class Owner:
    """Asks the API in somebody's name."""

    def __init__(self, client: TestClient, token: str) -> None:
        self._client, self._headers = client, {"Authorization": f"Bearer {token}"}

    def __call__(self, method: str, path: str, **more: Any) -> Any:
        address = f"/api/v1/leagues/club/{path}"
        return self._client.request(method, address, headers=self._headers, **more)


@pytest.fixture
def asked(local: Hosted) -> Iterator[Callable[[str], Owner]]:
    """Whoever asks the API of a site, by role."""
    with site(local.league.where) as client:

        def by(role: str) -> Owner:
            return Owner(client, league_of(local).create_token(role, role))

        yield by


def test_an_owner_arranges_webhooks_by_the_api(
    asked: Callable[[str], Owner], receiver: Receiver
) -> None:
    own = asked("own")
    made = own("POST", "webhooks", json={"address": receiver.address, "kinds": ["contest.rated"]})
    assert made.status_code == 200, made.text
    document = made.json()
    assert document["secret"].startswith("whsec_")
    assert made.headers["cache-control"] == "no-store"
    (listed,) = own("GET", "webhooks").json()
    assert listed == {key: each for key, each in document.items() if key != "secret"}
    assert listed["creator"] == "own"
    tried = own("POST", "webhooks/1/test").json()
    assert tried == {"status": 204, "problem": None}
    results = [
        {"contest": "c", "time": "2026-05-01", "player": player, "rank": rank}
        for rank, player in enumerate(("ann", "bob"), start=1)
    ]
    done = own("POST", "record", json={"results": results})
    assert done.status_code == 200, done.text
    receiver.wait_for(2)
    assert [each["type"] for each in receiver.messages(document["secret"])] == [
        "webhook.test",
        "contest.rated",
    ]
    (delivery,) = own("GET", "webhooks/deliveries?webhook=1").json()
    assert (delivery["kind"], delivery["notice"]) == ("contest.rated", 1)
    assert own("POST", "webhooks/1/send-again", json={"notice": 1}).json() == {"again": 1}
    receiver.wait_for(3)
    assert own("POST", "webhooks/1/rest").json()["active"] is False
    assert own("POST", "webhooks/1/resume").json()["active"] is True
    assert own("DELETE", "webhooks/1").status_code == 200
    assert own("GET", "webhooks").json() == []
    assert own("DELETE", "webhooks/1").status_code == 404


def test_the_api_refuses_what_is_no_webhook(asked: Callable[[str], Owner]) -> None:
    own = asked("own")
    for said, status in (
        ({}, 422),
        ({"address": "file:///etc/passwd"}, 422),
        ({"address": "https://a:b@example.org/"}, 422),
        ({"address": "http://127.0.0.1:9/", "kinds": ["everything"]}, 422),
        ({"address": "http://127.0.0.1:9/", "secret": "mine"}, 422),
    ):
        answer = own("POST", "webhooks", json=said)
        assert answer.status_code == status, answer.text
    assert own("GET", "webhooks/deliveries?webhook=3").status_code == 404
    assert own("POST", "webhooks/3/test").status_code == 404


@pytest.mark.parametrize("role", ["read", "record", "organise"])
def test_webhooks_are_the_owners_business(asked: Callable[[str], Owner], role: str) -> None:
    ask = asked(role)
    for method, path in (
        ("GET", "webhooks"),
        ("POST", "webhooks"),
        ("DELETE", "webhooks/1"),
        ("GET", "webhooks/deliveries"),
        ("POST", "webhooks/1/test"),
        ("POST", "webhooks/1/send-again"),
        ("POST", "webhooks/1/rest"),
        ("POST", "webhooks/1/resume"),
    ):
        assert ask(method, path).status_code == 403, (method, path)


def test_the_receiver_of_the_documentation_knows_what_is_ours(
    local: Hosted, receiver: Receiver
) -> None:
    names = run_snippets("docs/webhooks.md")
    _, secret = league_of(local).add_webhook(receiver.address)
    play(local)
    sent(local)
    for headers, body in receiver.received:
        assert names["verified"](secret, headers, body) == verified(secret, headers, body)
        for wrong in (
            (secret, headers, body + b" "),
            (sending.webhooks.PREFIX + "c2VjcmV0", headers, body),
            (secret, {**headers, "webhook-id": "another"}, body),
            (secret, {**headers, "webhook-timestamp": "1700000000"}, body),
        ):
            with pytest.raises(ValueError, match="the message is"):
                names["verified"](*wrong)


def test_the_server_of_the_documentation_tells_of_titles(
    local: Hosted, capsys: pytest.CaptureFixture[str]
) -> None:
    names = run_snippets("docs/webhooks.md")
    server = ThreadingHTTPServer(("127.0.0.1", 0), names["Receiver"])
    names["Receiver"].log_message = lambda *_: None
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}/"
        league_of(local).set_rules(Rules(titles=[(0, "member")]))
        _, names["Receiver"].secret = league_of(local).add_webhook(address, ["title.reached"])
        play(local)
        sent(local)
        assert set(rows(local, "status")) == {204}
        names["Receiver"].secret = "whsec_c2VjcmV0"
        play(local, 2)
        league_of(local).send_again(1, rows(local, "notice")[0])
        sent(local)
        assert 401 in rows(local, "status")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert "ann is now member!" in capsys.readouterr().out
