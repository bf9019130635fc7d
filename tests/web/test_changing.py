"""The API for changes: one route for each, once only, within limits, in the name of a token."""

import gzip
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import podium
from podium.results import isolation
from podium.web import answers, create_app
from podium.web.api.describing import identifier
from podium.web.operations import OPERATIONS
from tests.web.small import FILE, MATCHED, OWN, POSTED, SENT, changing_league, steady
from tests.web.test_api import nearly

API = "/api/v1"
CLUB = f"{API}/leagues/club"
SECRET = b"a secret that only tests know, of enough letters"
EXAMPLES = Path(podium.__file__).parent / "web" / "api" / "sent.json"
NAMES = {identifier(each): each.name for each in OPERATIONS.values()}


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return changing_league(tmp_path_factory.mktemp("ready") / "club.db")


class Site:
    """A site that may write, whoever asks it by their token."""

    def __init__(self, client: TestClient, league: podium.League) -> None:
        self.client, self.league = client, league
        self.tokens = {
            role: league.create_token(role, role) for role in ("read", "record", "organise", "own")
        }

    def send(self, path: str, body: Any = None, role: str | None = "organise", **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[role]}"} if role else {}
        headers |= more.pop("headers", {})
        if body is not None:
            more["json"] = body
        return self.client.post(f"{CLUB}/{path}", headers=headers, **more)

    def done(self, path: str, body: Any = None, role: str = "organise", **more: Any) -> Any:
        answer = self.send(path, body, role, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def refused(self, path: str, body: Any, status: int, **more: Any) -> str:
        answer = self.send(path, body, **more)
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        detail = str(answer.json()["detail"])
        assert detail.endswith(".")
        return detail


@contextmanager
def site_of(path: Path) -> Iterator[Site]:
    app = create_app(path, writable=True, secret=SECRET)
    with TestClient(app) as client, podium.League(path) as league:
        yield Site(client, league)


@pytest.fixture
def site(ready: Path, tmp_path: Path) -> Iterator[Site]:
    with site_of(Path(shutil.copy(ready, tmp_path / "club.db"))) as found:
        yield found


# What describes it.


def test_the_examples_are_what_a_small_league_answers(ready, tmp_path):
    made: dict[str, Any] = {}
    for name, body in SENT.items():
        with site_of(Path(shutil.copy(ready, tmp_path / "club.db"))) as site:
            answer = site.done(NAMES[name], body)
            TypeAdapter(answers.Made).validate_python(answer, extra="forbid")
            made[name] = {"sent": body, "answer": steady(answer)}
            if name == "record":
                headers = {"Content-Type": "text/csv"}
                found = site.done("check?name=round-3.csv", content=FILE, headers=headers)
                TypeAdapter(answers.Check).validate_python(found, extra="forbid")
                made["check"] = {"type": "text/csv", "sent": FILE.decode(), "answer": steady(found)}
                organiser = {"Authorization": f"Bearer {site.tokens['organise']}"}
                for asked, path in OWN.items():
                    own = site.client.get(f"{CLUB}/{path}", headers=organiser)
                    made[asked] = {"answer": steady(own.json())}
                matched = site.done("match", MATCHED, role="read")
                made["match"] = {"sent": MATCHED, "answer": steady(matched)}
                posted = site.done("matches", POSTED, role="record")
                made["matches"] = {"sent": POSTED, "answer": steady(posted)}
    if os.environ.get("PODIUM_WRITE_EXAMPLES"):
        EXAMPLES.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert nearly(json.loads(EXAMPLES.read_text("utf-8"))) == nearly(made)


def test_every_change_is_described_with_its_role_its_body_and_an_example(site):
    described = site.client.get(f"{API}/openapi.json").json()
    assert described["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert set(SENT) == set(NAMES)
    for path in OWN.values():
        found = described["paths"][f"{API}/leagues/{{key}}/{path.partition('?')[0]}"]["get"]
        assert found["x-role"] == "organise"
        assert "example" in found["responses"]["200"]["content"]["application/json"]
    for operation in OPERATIONS.values():
        path = f"{API}/leagues/{{key}}/{operation.name}"
        found = described["paths"][path]["post"]
        assert found["x-role"] == operation.role
        assert found["security"] == [{"bearer": []}]
        body = found["requestBody"]["content"]["application/json"]
        wanted = {*operation.model_fields, "why", "dry_run", "expecting", "top"}
        assert set(body["schema"]["properties"]) == wanted
        assert all(each.get("description") for each in body["schema"]["properties"].values())
        assert body["example"] == SENT[identifier(operation)]
        assert ("text/csv" in found["requestBody"]["content"]) == (operation.takes is not None)
        assert "example" in found["responses"]["200"]["content"]["application/json"]


def test_the_page_about_the_api_shows_how_changes_are_sent(site):
    page = site.client.get(f"{API}/").text
    for operation in OPERATIONS.values():
        assert f"POST {API}/leagues/{{key}}/{operation.name}" in page
    assert "lets one <strong>organise</strong>" in page


# Who may, and in whose name.


ROWS = SENT["record"]["results"]


def test_changes_are_made_in_the_name_of_the_token(site):
    made = site.done("record", {"results": ROWS, "why": "the third"}, "record")
    last = site.league.log(1).row(0, named=True)
    assert (last["number"], last["who"], last["why"]) == (made["entry"], "record", "the third")
    assert made["state"] == site.league.state


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda each: each.name)
def test_nobody_without_the_role_changes_anything(site, operation):
    body = SENT[identifier(operation)]
    state = site.league.state
    roles = ("read", "record", "organise", "own")
    for role in (None, *roles[: roles.index(operation.role)]):
        site.refused(operation.name, body, 401 if role is None else 403, role=role)
    refused = site.send(operation.name, body, None, headers={"Authorization": "Bearer podium_1_x"})
    assert refused.status_code == 401
    assert site.league.state == state
    if operation.name not in ("rules", "attributes"):  # which can be asked for, too
        asked = site.client.get(f"{CLUB}/{operation.name}")
        assert (asked.status_code, asked.headers["allow"]) == (405, "POST")
    site.done(operation.name, {**body, "dry_run": True}, operation.role)
    assert site.league.state == state


def test_a_token_that_is_revoked_while_a_change_waits_changes_nothing(site, monkeypatch):
    from podium.web.api import changing

    def revoked(*given: Any) -> Any:
        site.league.revoke_token(3)
        return made(*given)

    made = changing._made
    monkeypatch.setattr(changing, "_made", revoked)
    assert "was revoked" in site.refused("record", {"results": ROWS}, 401)
    assert "round-3" not in site.league.contests()["contest"]


def test_who_may_not_see_hidden_players_is_not_told_of_them(site):
    site.league.show("dan", who="ann")
    site.league.hide("eva", who="ann")
    rows = [
        {"contest": "early", "time": "2026-05-01", "player": name, "rank": 1}
        for name in ("x", "ann")
    ]
    body = {"results": rows, "near": False, "top": None}
    for more in ({"dry_run": True}, {}):
        told = site.done("record", {**body, **more}, "record")
        names = {move["player"] for move in told["moves"]}
        assert "eva" not in names
        assert told["moved"] == len(names)
        if more:
            all_of_them = site.done("record", {**body, **more}, "organise")
            assert "eva" in {move["player"] for move in all_of_them["moves"]}
    for path in ("leaderboard?n=100", "players?n=100"):
        shown = site.client.get(f"{CLUB}/{path}").text
        assert "eva" not in shown
        address = f"{CLUB}/{path}&hidden=true"
        organiser = {"Authorization": f"Bearer {site.tokens['organise']}"}
        own = site.client.get(address, headers=organiser)
        assert own.headers["cache-control"].endswith("no-store")
        assert site.client.get(address).status_code == 401
    assert "eva" in site.client.get(f"{CLUB}/leaderboard?hidden=true", headers=organiser).text


# Once only.


def keyed(key: str) -> dict[str, Any]:
    return {"headers": {"Idempotency-Key": key}}


def test_the_same_request_with_the_same_key_is_done_once(site):
    body = {"contest": "round-2", "player": "bob", "expecting": site.league.state}
    first = site.send("disqualify", body, **keyed("k"))
    again = site.send("disqualify", body, **keyed("k"))
    assert first.content == again.content
    assert first.status_code == again.status_code == 200
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert site.league.log()["action"].to_list().count("disqualify") == 2
    assert "did not take part" in site.refused("disqualify", {**body, "expecting": None}, 404)


def test_a_key_stands_for_one_request_of_one_token(site):
    site.done("guest", {"player": "cat"}, **keyed("k"))
    assert "another request" in site.refused("guest", {"player": "bob"}, 422, **keyed("k"))
    assert "another request" in site.refused("hide", {"player": "cat"}, 422, **keyed("k"))
    site.done("guest", {"player": "bob"}, "own", **keyed("k"))
    assert site.league.player("bob").guest


def test_what_was_only_tried_or_failed_is_not_remembered(site):
    site.done("guest", {"player": "cat", "dry_run": True}, **keyed("k"))
    site.refused("guest", {"player": "nobody"}, 404, **keyed("k"))
    site.done("guest", {"player": "cat"}, **keyed("k"))
    assert site.league.player("cat").guest


def test_answers_are_remembered_for_a_day(site, monkeypatch):
    import podium.league.access as access

    site.done("undo", {}, **keyed("k"))
    later = access.now() + 25 * 3600 * 10**6
    monkeypatch.setattr(access, "now", lambda: later)
    site.done("undo", {}, **keyed("k"))
    assert site.league.log()["action"].to_list().count("undo") == 3


def test_of_two_at_once_with_one_key_one_is_done_and_both_have_its_answer(site):
    with ThreadPoolExecutor(8) as pool:
        body = {"contest": "round-2", "player": "bob"}
        sent = [pool.submit(site.send, "disqualify", body, **keyed("k")) for _ in range(8)]
        answers = [each.result() for each in sent]
    assert {each.status_code for each in answers} == {200}
    assert len({each.content for each in answers}) == 1
    assert sum("idempotent-replayed" not in each.headers for each in answers) == 1


def test_a_contest_that_is_recorded_again_is_known(site):
    site.done("record", {"results": ROWS})
    again = site.done("record", {"results": ROWS})
    assert (again["known"], again["applied"], again["entry"]) == (["round-3"], False, None)
    other = [{**ROWS[0], "rank": 2}, {**ROWS[1], "rank": 1}, ROWS[2]]
    assert "round-3" in site.refused("record", {"results": other}, 409)


def test_what_was_decided_in_another_state_is_not_done(site):
    seen = site.done("disqualify", {"contest": "round-2", "player": "bob", "dry_run": True})
    site.done("guest", {"player": "cat"})
    body = {"contest": "round-2", "player": "bob", "expecting": seen["state"]}
    assert "has changed since" in site.refused("disqualify", body, 409)


# Limits, and what is wrong.


def test_who_does_much_in_a_short_time_waits(site, monkeypatch):
    monkeypatch.setattr("podium.web.gates.BURST", 3)
    monkeypatch.setattr("podium.web.gates.EVERY", 60.0)
    site.done("guest", {"player": "cat"})
    site.done("guest", {"player": "cat", "dry_run": True})
    site.refused("guest", {"player": "nobody"}, 404)
    state = site.league.state
    for body in ({"player": "ann"}, {"player": "ann", "dry_run": True}, {"player": "nobody"}):
        refused = site.send("guest", body)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 30
    assert site.league.state == state
    site.done("guest", {"player": "ann"}, "own")


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("record", {}, "results is missing"),
        ("record", {"results": 5}, "results must be a list, not 5"),
        ("record", {"results": [ROWS[0], 5]}, "results, value 2, must be an object, not 5"),
        ("record", {"results": []}, "there are no results"),
        ("record", {"results": [{"a": 1}]}, "there is no column 'player'"),
        ("record", {"results": [{"a": {"b": [1]}}]}, "."),
        ("record", {"results": ROWS, "resluts": 1}, "did you mean 'results'?"),
        ("record", {"results": ROWS, "floor": "x"}, "floor must be a number, not 'x'"),
        ("record", {"results": ROWS, "rated": 7}, "rated must be true or false, not 7"),
        ("record", {"results": ROWS, "guests": [""]}, "guests, value 1, must have at least 1"),
        ("record", {"results": ROWS, "guests": ["a\0b"]}, "the character 0"),
        ("record", {"results": ROWS, "top": -1}, "top must be at least 0"),
        ("merge", {"player": "a", "into": "b", "keep": 5}, "keep must be a text or an object"),
        ("undo", {"entry": 0}, "entry must be at least 1"),
        ("undo", {"entry": 1.5}, "entry must be a whole number, not 1.5"),
        ("rules", {"display": "best"}, "display must be 'system', 'mean' or 'conservative'"),
        ("disqualify", {"contest": "round-2"}, "player is missing"),
        ("describe", {"player": "ann", "values": {"size": []}}, "values must be"),
    ],
)
def test_what_is_wrong_with_a_body_is_a_sentence_that_names_the_field(site, path, body, words):
    assert words in site.refused(path, body, 422)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"{", "is no JSON"),
        (b"[]", "an object of JSON"),
        (b'{"player": NaN}', "is no JSON"),
        (b'{"player": "\\ud800"}', "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"\xff", "is no JSON"),
    ],
)
def test_a_body_that_is_no_object_of_json_is_a_sentence(site, data, words):
    assert words in site.refused("guest", None, 422, content=data)


# Files.


def sent_file(data: bytes, kind: str = "application/octet-stream") -> dict[str, Any]:
    return {"content": data, "headers": {"Content-Type": kind}}


def test_files_are_recorded_as_the_command_records_them(site, tmp_path):
    made = site.done("record?name=round-3.csv&same=Dan%3Ddan&why=a+file", **sent_file(FILE))
    assert made["recorded"] == ["round-3"]
    assert site.league.contest("round-3")["player"].to_list() == ["ann", "hidden player"]
    assert site.league.log(1)["why"].to_list() == ["a file"]
    late = site.done(
        "add?name=l.csv&contest=round-3&tied=false", **sent_file(b"player,rank\nzoe,1\n")
    )
    assert late["applied"]
    rows = b"player,rating\nhal,1234\n"
    assert site.done("start?time=2026-01-01", **sent_file(rows, "text/csv"))["newcomers"] == ["hal"]
    rows = b"player,country\nbob,DK\n"
    assert site.done("describe-players", **sent_file(rows, "text/csv"))["applied"]
    path = tmp_path / "round-4.parquet"
    podium.read(_written(tmp_path, FILE.replace(b"round-3", b"round-4"))).frame().write_parquet(
        path
    )
    kind = "application/vnd.apache.parquet"
    assert site.done("record", **sent_file(path.read_bytes(), kind))["recorded"] == ["round-4"]


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "results.csv"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("path", "data", "words"),
    [
        ("record?name=x.csv", b"", "the file is empty"),
        ("record?name=x.csv", b"a,b\n1,2\n", "x.csv: there is no column 'player'"),
        ("record?name=x.parquet", b"PAR1 damaged PAR1", "x.parquet: "),
        ("record?name=../../x.csv", b"a,b\n1,2\n", "x.csv: there is no column 'player'"),
        ("record?name=x.csv&tmie=1", FILE, "did you mean 'time'?"),
        ("record?name=x.csv&unlimited=true", FILE, "there is no parameter 'unlimited'"),
        ("record?name=x.csv&dates=abc", FILE, "dates must be 'dmy', 'mdy', 'ymd', 'excel' or"),
        ("record?name=x.csv&rated=x", FILE, "rated must be true or false"),
        ("record?name=x.csv&columns=x", FILE, "columns is a pair such as player=handle"),
        ("record?name=x.csv&why=a&why=b", FILE, "why is given twice"),
        ("undo?name=x.csv", FILE, "undo takes JSON"),
    ],
)
def test_what_is_wrong_with_a_file_is_a_sentence(site, path, data, words):
    said = site.refused(path, None, 422, **sent_file(data))
    assert words in said
    assert "/tmp" not in said


def test_a_file_that_unpacks_to_much_is_refused(site, monkeypatch):
    monkeypatch.setattr("podium.web.uploads.LIMITS", isolation.Limits(patience=60.0, most=100))
    assert "when it is unpacked" in site.refused("record?name=x.csv", None, 422, **sent_file(FILE))
    bomb = gzip.compress(b"\0" * 2**24)
    for _ in range(2):
        bomb = gzip.compress(bomb)
    assert site.send("record?name=x.csv.gz", **sent_file(bomb)).status_code == 422


def test_a_body_that_is_too_large_is_not_read(site):
    from podium.web import security

    refused = site.send("record?name=x.csv", **sent_file(b"x" * (security.LARGEST + 1)))
    assert refused.status_code == 413
