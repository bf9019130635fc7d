"""The API: documents of one state, pages by cursors, limits, and what describes it all."""

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import podium
from podium.league import Filters, documents
from podium.ratings.chances import Chances
from podium.web import create_app, problems
from tests.web.small import ASKED, small_league, steady, with_a_live_contest, with_a_look_back

API = "/api/v1"
CLUB = f"{API}/leagues/club"
EXAMPLES = Path(podium.__file__).parent / "web" / "api" / "examples.json"
OTHER = ("export", "events", "live_stream")
"""Questions whose answers are no documents."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path = with_a_live_contest(small_league(tmp_path_factory.mktemp("small") / "club.db"))
    with TestClient(create_app(with_a_look_back(path))) as client:
        yield client


@pytest.fixture(scope="module")
def view(league_file: Path) -> Iterator[podium.league.View]:
    with podium.League(league_file) as league, league.snapshot() as view:
        yield view


def asked(client: TestClient, path: str, **parameters: Any) -> Any:
    query = urlencode({k: v for k, v in parameters.items() if v is not None}, doseq=True)
    answer = client.get(f"{CLUB}{path}?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def problem(client: TestClient, address: str) -> dict[str, Any]:
    answer = client.get(address)
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == answer.status_code
    return found


def test_documents_are_those_of_the_view(client, view):
    name = view.leaderboard(1)["player"][0]
    contest = view.contests()["contest"][3]
    player = view.result(contest).standings["player"][0]
    board = view.board(Filters(100, active_since="2020-01-01", min_contests=2))
    assert asked(client, "/leaderboard", active_since="2020-01-01", min_contests=2) == (
        board.document()
    )
    assert asked(client, "/player", name=name, last=3) == view.career(name).document(3)
    assert asked(client, "/history", name=name) == view.career(name).document()["history"]
    assert asked(client, "/contests") == documents(view.contests())[::-1]
    assert asked(client, "/contest", id=contest) == view.result(contest).document()
    assert asked(client, "/explanation", contest=contest, player=player) == (
        view.explain(contest, player).document()
    )
    assert asked(client, "/what-if", contest=contest, player=player) == (
        view.what_if(contest, player).document()
    )
    assert asked(client, "/prediction", player=[name, player, "a newcomer"], top=2) == (
        Chances.of(view, [name, player, "a newcomer"], top=2).document()
    )
    sure = Chances.of(view, [name, player], top=1, calibrated=True)
    found = asked(client, "/chances", player=[name, player], calibrated="true")
    assert found["temperature"] == sure.temperature == view.temperature()
    assert found["win_probability"] == sure.win
    assert asked(client, "/rules") == view.rules.document()
    assert asked(client, "/revisions") == documents(view.revisions())


def test_a_date_means_its_end_and_a_time_that_moment(client, view):
    last = view.contests()["time"][-1]
    day = f"{last:%Y-%m-%d}"
    end = f"{day}T23:59:59.999999"
    assert asked(client, "/leaderboard", at=day) == view.board(Filters(100, at=end)).document()
    middle = view.contests()["time"][5].isoformat()
    assert asked(client, "/leaderboard", at=middle) == (
        view.board(Filters(100, at=middle)).document()
    )
    name = view.leaderboard(1, at=middle)["player"][0]
    assert asked(client, "/player", name=name, at=middle) == (
        view.career(name, at=middle).document()
    )
    assert (
        asked(client, "/history", name=name, at=middle)
        == (view.career(name, at=middle).document()["history"])
    )


@pytest.mark.parametrize("path", ["/leaderboard", "/contests", "/changes"])
def test_pages_one_after_the_other_are_the_whole(client, path):
    whole = asked(client, path)
    whole = whole.get("leaderboard") if isinstance(whole, dict) else whole
    rows: list[Any] = []
    address, pages = f"{CLUB}{path}?n=2", 0
    while address:
        answer = client.get(address)
        page = answer.json()
        rows += page["leaderboard"] if isinstance(page, dict) else page
        pages += 1
        following = answer.links.get("next")
        address = str(answer.url.join(following["url"])) if following else ""
    assert rows == whole
    assert pages == max(1, -(-len(whole) // 2))


def test_pages_of_one_player_and_one_contest_come_by_cursors_too(client, view):
    name, contest = view.leaderboard(1)["player"][0], view.contests()["contest"][0]
    for path, parameters in (("/history", {"name": name}), ("/standings", {"contest": contest})):
        whole = asked(client, path, **parameters, n=1000)
        first = client.get(f"{CLUB}{path}?{urlencode({**parameters, 'n': 3})}")
        second = client.get(str(first.url.join(first.links["next"]["url"])))
        assert first.json() + second.json() == whole[:6]


def test_a_search_keeps_the_places_among_all_and_its_pages_end(client, view):
    answer = client.get(f"{CLUB}/leaderboard?q=PLAYER-000&n=3")
    board = answer.json()
    names = [row["player"] for row in board["leaderboard"]]
    assert all("player-000" in name for name in names)
    places = dict(view.leaderboard(None).select("player", "place").iter_rows())
    assert [row["place"] for row in board["leaderboard"]] == [places[name] for name in names]
    assert board["matching"] < board["eligible"]
    found = asked(client, "/players", q="player-000", n=100)
    rows = asked(client, "/leaderboard", q="player-000", n=100)["leaderboard"]
    assert found == [{name: row[name] for name in found[0]} for row in rows]


def test_a_cursor_of_another_state_is_a_conflict_and_a_broken_one_is_wrong(club_file):
    with TestClient(create_app(club_file)) as client, podium.League(club_file) as league:
        first = client.get(f"{CLUB}/leaderboard?n=2")
        following = str(first.url.join(first.links["next"]["url"]))
        assert client.get(following).status_code == 200
        league.record(["player-0001", "player-0002"], id="late", time="2026-06-01")
        found = problem(client, following)
    assert found["status"] == 409
    assert found["detail"] == "the league has changed since the first page; begin again."


@pytest.mark.parametrize(
    "after",
    ["abc", "é", "=", "W10", base64.b64encode(b'["x", -1]').decode(), "A" * 400, "bnVsbA"],
)
def test_a_broken_cursor_is_a_sentence(client, after):
    found = problem(client, f"{CLUB}/leaderboard?after={quote(after)}")
    assert found["status"] == 422
    assert "after" in found["detail"]


def test_every_answer_has_a_tag_by_which_it_is_not_sent_twice(client):
    about = ("", "/leaderboard", "/changes", "/system")
    for address in (*(CLUB + each for each in about), f"{API}/leagues", f"{API}/openapi.json"):
        first = client.get(address)
        again = client.get(address, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_head_is_answered_as_get_is(client):
    for path in (f"{API}/leagues", f"{CLUB}/leaderboard", f"{CLUB}/player?name=player-0001"):
        found = client.head(path)
        assert (found.status_code, found.content) == (200, b"")


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/leaderboard?n=1001", 422, "n must be at most 1,000"),
        ("/leaderboard?n=x", 422, "n must be a whole number"),
        ("/leaderboard?at=never", 422, "is not a time"),
        ("/leaderboard?at=99999-01-01", 422, "is not a time"),
        ("/leaderboard?title=king", 404, "there is no title 'king'"),
        ("/leaderboard?actve_since=2026-01-01", 422, "did you mean 'active_since'?"),
        ("/leaderboard?n=1&n=2", 422, "n is given twice"),
        ("/player", 422, "name is missing"),
        ("/player?name=", 422, "name must have at least 1"),
        ("/player?name=nobody", 404, "there is no player 'nobody'"),
        ("/player?name=%00", 422, "the character 0"),
        (f"/player?name={'x' * 1001}", 422, "name may have at most 1,000 characters"),
        ("/contest?id=none", 404, "there is no contest 'none'"),
        ("/prediction?player=a", 422, "player must be given at least 2 times"),
        ("/prediction?player=a&player=a", 422, "cannot take part twice"),
        (f"/prediction?{'&'.join(f'player={n}' for n in range(201))}", 422, "at most 200 times"),
        ("/chances?player=a&player=b&player=c", 422, "player may be given at most 2 times"),
        ("/export/everything.csv", 422, "table must be 'leaderboard'"),
        ("/nothing", 404, "there is nothing at"),
    ],
)
def test_what_cannot_be_answered_is_a_problem_in_a_sentence(client, path, status, words):
    found = problem(client, f"{CLUB}{path}")
    assert found["status"] == status
    assert words in found["detail"]
    assert found["detail"].endswith(".")


def test_a_league_that_is_not_there_is_named_with_those_that_are(client):
    found = problem(client, f"{API}/leagues/clubb/rules")
    assert found["type"] == "/api/v1/#problem-not-found"
    assert found["detail"] == (
        "there is no league 'clubb' (did you mean 'club'?) here; there is 'club'."
    )


def test_names_of_any_kind_are_asked_for_by_parameters(hostile_file):
    with TestClient(create_app(hostile_file)) as client, podium.League(hostile_file) as league:
        with league.snapshot() as view:
            names, contest = view.leaderboard(None)["player"].to_list(), view.contests()[0, 0]
        for name in names:
            assert asked(client, "/player", name=name)["player"] == name
            assert asked(client, "/explanation", contest=contest, player=name)["player"] == name
            assert asked(client, "/chances", player=[name, "x"])["players"] == [name, "x"]
        assert asked(client, "/contest", id=contest)["contest"] == contest


# What describes it.


@pytest.fixture(scope="module")
def described(small: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = small.get(f"{API}/openapi.json").json()
    return found


def operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        assert set(path) <= {"get", "post", "put", "delete"}
        if "get" in path and "x-role" not in path["get"]:
            yield path["get"]


def test_the_examples_are_what_a_small_league_answers(small):
    answers = {name: steady(small.get(f"{API}{address}").json()) for name, address in ASKED.items()}
    if os.environ.get("PODIUM_WRITE_EXAMPLES"):
        text = json.dumps(answers, indent=1, ensure_ascii=False) + "\n"
        EXAMPLES.write_text(text, encoding="utf-8")
    assert nearly(json.loads(EXAMPLES.read_text("utf-8"))) == nearly(answers)


def nearly(document: Any) -> Any:
    """The document with numbers rounded: machines of another kind may differ in the last bits."""
    if isinstance(document, dict):
        return {key: nearly(value) for key, value in document.items()}
    if isinstance(document, list):
        return [nearly(value) for value in document]
    return float(f"{document:.6g}") if isinstance(document, float) else document


def test_every_question_has_an_example_and_says_what_it_takes_and_gives(described):
    assert described["openapi"].startswith("3.1")
    found = {each["operationId"]: each for each in operations(described)}
    assert set(found) == {*ASKED, *OTHER}
    for name, operation in found.items():
        assert operation["description"].endswith((".", "types.", ")"))
        assert {str(kind.status) for kind in problems.KINDS} <= set(operation["responses"])
        assert all(each.get("description") for each in operation.get("parameters", ()))
        content = operation["responses"]["200"]["content"]
        if name not in OTHER:
            assert "example" in content["application/json"]


def test_answers_have_the_fields_that_are_described_and_no_others(small, client):
    from podium.web.api import router

    models = {
        route.name: route.response_model
        for included in router.routes
        for route in getattr(getattr(included, "original_router", None), "routes", ())
    }
    for name, address in ASKED.items():
        for asking in (small, client):
            address = address.replace("=ann", "=player-0001") if asking is client else address
            address = address.replace("=bob", "=player-0002") if asking is client else address
            address = address.replace("round-2", "round-02") if asking is client else address
            answer = asking.get(f"{API}{address}")
            if answer.status_code == 404:  # of the season, not everybody took part in that round
                continue
            TypeAdapter(models[name]).validate_json(answer.content, strict=False, extra="forbid")


def test_the_page_about_the_api_tells_of_every_question_and_every_problem(small, described):
    page = small.get(f"{API}/")
    assert page.headers["content-type"].startswith("text/html")
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in page.text
    for kind in problems.KINDS:
        assert f'id="problem-{kind.name}"' in page.text


def test_behind_a_prefix_the_description_says_so(league_file):
    with TestClient(create_app(league_file, prefix="/ratings")) as client:
        found = client.get("/ratings/api/v1/openapi.json").json()
        assert found["servers"] == [{"url": "/ratings"}]
        assert client.get("/ratings/api/v1/nothing").json()["status"] == 404
