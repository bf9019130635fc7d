"""A league's address works wherever a league is read: the same is printed as of its file."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

import podium

pytest.importorskip("fastapi", reason="needs podium[web]")

from tests.web.conftest import HOSTILE, TITLES, served

from podium.cli.remote import RemoteView
from podium.web import create_app, problems


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A league with ties, titles, an unrated contest, a correction and a second revision."""
    path = tmp_path_factory.mktemp("remote") / "club.db"
    season = podium.simulate(players=40, rounds=9, participation=0.7, ties=0.2, seed=5)
    with podium.League.create(path, "elo-mmr", rules=podium.Rules(titles=TITLES)) as league:
        league.record(season, who="ann", why="the season")
        league.amend("round-03", name="The third", why="it has a name")
        league.record(["player-0001", "a newcomer"], id="fun", time="2026-06-01", rated=False)
        league.record([*HOSTILE[:6], "player-0001"], id="odd", time="2026-06-02", floor=0)
        league.season("one", "2026-01-01")
        league.season("two", "2026-01-30", pull=0.5)
        league.start({"given": 1700.0})
        league.revise("elo-mmr", rho=0.5, name="second")
    return str(path)


@pytest.fixture(scope="module")
def address(file: str) -> Iterator[str]:
    with served(create_app(file)) as site:
        yield f"{site}/club"


@pytest.mark.parametrize(
    "asked",
    [
        "leaderboard {}",
        "leaderboard {} --top 5 --page 3 --json",
        "leaderboard {} --top 0 --csv",
        "leaderboard {} --at 2026-06-01 --min-contests 3 --json",
        "leaderboard {} --title expert --matching player-00 --csv",
        "leaderboard {} --active-since 2025-01-01 --markdown",
        "leaderboard {} --season one --json",
        "leaderboard {} --season two",
        "seasons {}",
        "seasons {} --json",
        "player {} player-0001",
        "player {} player-0001 --season one --json",
        "player {} player-0001 --json",
        "player {} given",
        "player {} given --json",
        "player {} player-0001 --last 3 --json",
        "player {} player-0002 --csv",
        "player {} player-0002 --at 2026-06-01 --json",
        "contest {} round-03",
        "contest {} round-03 --json",
        "contest {} fun --csv",
        "contest {} odd --top 2 --json",
        "contests {}",
        "contests {} --last 2 --json",
        "contests {} --csv",
        "explain {} round-03 {player}",
        "explain {} round-03 {player} --json",
        "predict {} player-0001 player-0002",
        "predict {} player-0001 player-0002 --json",
        "predict {} player-0001 player-0002 player-0003 --top 2 --json",
        "predict {} player-0001 player-0002 --at 2027-01-01 --json",
        "predict {} player-0001 player-0002 --calibrated",
        "predict {} player-0001 player-0002 player-0003 --calibrated --json",
        "revisions {}",
        "revisions {} --json",
        "rules {}",
        "rules {} --json",
    ],
)
def test_the_same_is_printed(command, file, address, asked):
    with podium.League(file) as league:
        player = league.contest("round-03")["player"][0]
    printed = [
        command(*asked.replace("{player}", player).replace("{}", where).split())
        for where in (file, address)
    ]
    assert printed[0].code == 0, printed[0].stderr
    there, here = (each.stdout.replace("club.db", "club") for each in printed)
    assert here == there
    assert printed[1].stderr == printed[0].stderr


def test_the_log_is_what_the_public_may_see(command, file, address):
    own, public = (json.loads(command("log", where, "--json").stdout) for where in (file, address))
    shared = ("number", "time", "action", "contest", "player", "why")
    for each in own:  # of whom it was that was given a rating, nothing is told
        each["player"] = None if each["action"] == "start" else each["player"]
    assert [[each[key] for key in shared] for each in public] == [
        [each[key] for key in shared] for each in own
    ]
    assert {each["who"] for each in public} == {None}
    assert {each["before"] for each in public} == {None}
    assert command("log", address, "--last", "2").code == 0
    only = json.loads(command("log", address, "--contest", "round-03", "--json").stdout)
    assert {each["contest"] for each in only} == {"round-03"}


def test_hostile_names_are_asked_for_as_they_are(command, file, address):
    for name in HOSTILE[:6]:
        for where in (file, address):
            found = command("player", where, name, "--json")
            assert json.loads(found.stdout)["player"] == name


@pytest.mark.parametrize(
    ("asked", "code", "words"),
    [
        (("player", "{}", "nobody"), 3, "there is no player 'nobody'"),
        (("contest", "{}", "none"), 3, "there is no contest 'none'"),
        (("leaderboard", "{}", "--title", "king"), 3, "there is no title 'king'"),
        (("leaderboard", "{}", "--page", "99"), 3, "there is no page 99"),
        (("predict", "{}", "player-0001", "nobody"), 3, "there is no player 'nobody'"),
        (("verify", "{}"), 2, "ask the league where it is kept"),
        (("contest", "{}", "odd", "--out", "odd.csv"), 2, "ask the league where it is kept"),
        (("revisions", "{}", "--compare", "first", "second"), 2, "where it is kept"),
        (("disqualify", "{}", "odd", "player-0001"), 2, "by a site that may write"),
        (("rename", "{}", "player-0001", "x"), 2, "by a site that may write"),
        (("undo", "{}"), 2, "by a site that may write"),
        (("rules", "{}", "--hidden-until", "3"), 2, "by a site that may write"),
        (("backup", "{}", "copy.db"), 3, "this site only shows leagues"),
        (("leaderboard", "{}/x/y"), 2, "is not the address of a league"),
        (("leaderboard", "{}x"), 3, "there is no league 'clubx'"),
    ],
)
def test_what_a_site_does_not_answer_is_a_sentence(command, address, asked, code, words):
    found = command(*(each.replace("{}", address) for each in asked))
    assert found.code == code
    assert words in found.complaint


def test_late_results_are_added_where_a_league_is_kept(command, address, tmp_path):
    late = tmp_path / "late.csv"
    late.write_text("player,rank\nsomebody,1\n")
    found = command("add", address, "odd", late)
    assert found.code == 2
    assert "by a site that may write" in found.complaint


def test_the_address_of_a_site_with_one_league_is_enough(command, address):
    site = address.removesuffix("/club")
    assert command("leaderboard", site).stdout == command("leaderboard", address).stdout
    assert command("leaderboard", f"{address}/").code == 0
    assert command("leaderboard", f"{site}/api/v1/leagues/club").code == 0


def test_who_does_not_answer_and_who_is_no_podium_are_sentences(command):
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route

    assert "no connection" in command("leaderboard", "http://127.0.0.1:9/club").complaint

    async def hello(_: object) -> PlainTextResponse:
        return PlainTextResponse("hello")

    with served(Starlette(routes=[Route("/{path:path}", hello)])) as site:
        found = command("leaderboard", f"{site}/club")
    assert "is not the address of a league that podium serves" in found.complaint


PROXY = "<html>a page of a proxy</html>"


def answering(status: int, body: str) -> Any:
    """A site that has one answer to everything."""
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route

    async def answer(_: object) -> Response:
        return Response(body, status)

    return Starlette(routes=[Route("/{path:path}", answer)])


@pytest.mark.parametrize("status", [429, 502, 503, 504])
@pytest.mark.parametrize("body", [PROXY, "", "Service Unavailable", '{"type": "about:blank"}'])
def test_a_site_that_is_busy_is_said_to_be_busy(command, status, body):
    with served(answering(status, body)) as site:
        found = command("leaderboard", f"{site}/club")
    assert f"is busy ({status})" in found.complaint
    assert found.code == 5


@pytest.mark.parametrize("status", [500, 501, 507, 530])
def test_a_site_that_failed_is_said_to_have_failed(command, status):
    with served(answering(status, PROXY)) as site:
        found = command("leaderboard", f"{site}/club")
    assert f"failed to answer ({status})" in found.complaint


@pytest.mark.parametrize("status", [200, 302, 400, 403, 404, 410])
def test_other_answers_of_others_are_of_no_league(command, status):
    with served(answering(status, PROXY)) as site:
        found = command("leaderboard", f"{site}/club")
    assert "is not the address of a league that podium serves" in found.complaint


@pytest.mark.parametrize("prefix", ["", "/ratings"])
@pytest.mark.parametrize("kind", problems.KINDS, ids=lambda kind: kind.name)
def test_every_problem_of_a_site_is_raised_as_what_it_is(kind, prefix):
    document = {"type": kind.type(prefix), "title": kind.title, "detail": "it is so."}
    with (
        served(answering(kind.status, json.dumps({**document, "status": kind.status}))) as site,
        pytest.raises(podium.PodiumError) as raised,
    ):
        RemoteView(f"{site}/club")
    if kind is problems.NO_ADDRESS:
        assert "is not the address of a league" in str(raised.value)
    else:
        assert type(raised.value) is kind.error
        assert str(raised.value).endswith("it is so.")


def test_many_pages_are_one_table(command, tmp_path, monkeypatch):
    path = str(tmp_path / "club.db")
    with podium.League.create(path, "elo") as league:
        league.record(podium.simulate(players=30, rounds=12, seed=2))
    monkeypatch.setattr("podium.cli.remote.client.MOST", 7)
    with served(create_app(path)) as site:
        for asked in ("leaderboard {} --top 0 --csv", "contests {} --csv"):
            here, there = (
                command(*asked.replace("{}", where).split()) for where in (path, f"{site}/club")
            )
            assert here.stdout == there.stdout
