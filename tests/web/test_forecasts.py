"""Pages, answers and published sites show what is expected of players beside their ratings."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal
from pydantic import TypeAdapter
from starlette.testclient import TestClient

import podium
from podium.league import snapshot
from podium.progress import unseen
from podium.web import create_app, schemas
from podium.web.publishing import publish
from podium.web.publishing.everything import Everything
from tests.web.browsing import DESKTOP, PHONE

EXPECTED = "Expected in the next contest"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of podium's own system with teams, an unrated contest and a correction."""
    path = tmp_path_factory.mktemp("forecasts") / "club.db"
    season = podium.simulate(players=40, rounds=14, participation=0.6, ties=0.2, seed=3)
    rules = podium.Rules(titles=[(1400, "expert"), (1700, "master")])
    with podium.League.create(path, "podium", rules=rules) as league:
        league.record(season)
        league.record(["player-0001", "player-0002"], id="fun", time="2026-06-01", rated=False)
        league.record(
            [["player-0001", "player-0002"], ["player-0003", "player-0004"]],
            id="teams",
            time="2026-06-02",
        )
        league.record(["player-0005", "player-0006"], id="match", time="2026-06-03")
        league.disqualify("round-05", league.contest("round-05")["player"][2])
    return path


@pytest.fixture(scope="module")
def client(file: Path) -> Iterator[TestClient]:
    with TestClient(create_app(file)) as client:
        yield client


@pytest.fixture(scope="module")
def best(file: Path) -> dict[str, Any]:
    with podium.League(file) as league:
        return league.leaderboard(1).row(0, named=True)


def said(client: TestClient, address: str) -> str:
    """The text of a page, without its marks."""
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", "", answer.text).split())


def shown(player: dict[str, Any]) -> str:
    return f"{player['forecast']:,.0f} ± {player['spread']:,.0f}"


@pytest.mark.parametrize("at", ["", "?at=2026-03-01", "?at=2027-03-01"])
def test_the_page_of_a_player_says_what_is_expected_next(client, file, best, at):
    with podium.League(file) as league:
        moment = f"{at[4:]}T23:59:59.999999" if at else None
        player = league.player(best["player"], at=moment).document()
    page = said(client, f"/club/player/{best['player']}{at}")
    assert f"{EXPECTED}{shown(player)}" in page
    assert f"Rating{player['rating']:,.0f} ± {player['sigma']:,.0f}" in page


def test_leaderboard_comparison_and_reasons_say_it_too(client, file, best):
    other = "player-0001"
    assert shown(best) in said(client, "/club/")
    assert "places go by the rating" in said(client, "/club/")
    assert shown(best) in said(client, f"/club/compare?player={best['player']}&player={other}")
    with podium.League(file) as league:
        contest = league.history_of(best["player"])["contest"][-1]
    why = said(client, f"/club/why/{contest}/{best['player']}")
    assert "What was expected Forecast: " in why
    about = said(client, "/club/about")
    assert f"{EXPECTED} is where the player would probably perform" in about


def test_other_systems_have_no_such_words(league_file):
    with TestClient(create_app(league_file)) as client:
        name = client.get("/api/v1/leagues/club/leaderboard?n=1").json()["leaderboard"][0]
        assert not {"forecast", "spread"} & name.keys()
        for path in ("", f"player/{name['player']}", "about"):
            assert "Expected next" not in said(client, f"/club/{path}")
            assert EXPECTED not in said(client, f"/club/{path}")


def test_answers_have_both_numbers_as_they_are_described(client, file, best):
    api = "/api/v1/leagues/club"
    contest = "round-05"
    with podium.League(file) as league:
        player = league.contest(contest)["player"][0]
    for model, address in (
        (schemas.Leaderboard, "/leaderboard"),
        (list[schemas.Placed], "/players?q=player"),
        (schemas.Player, f"/player?name={best['player']}"),
        (schemas.Result, f"/contest?id={contest}"),
        (schemas.Explanation, f"/explanation?contest={contest}&player={player}"),
    ):
        answer = client.get(f"{api}{address}")
        assert answer.status_code == 200
        TypeAdapter(model).validate_json(answer.content, strict=False, extra="forbid")
    first = client.get(f"{api}/leaderboard").json()["leaderboard"][0]
    alone = client.get(f"{api}/player?name={best['player']}").json()
    found = client.get(f"{api}/players?q={best['player']}").json()[0]
    for each in (first, alone, found):
        assert (each["forecast"], each["spread"]) == (best["forecast"], best["spread"])
    told = client.get(f"{api}/explanation?contest={contest}&player={player}").json()
    assert told["forecast"]["text"].startswith("Forecast: ")


def test_pages_of_contests_expect_what_the_league_does(file):
    with snapshot(file) as view:
        everything = Everything.of(view, unseen)
        for number, contest in enumerate(view.contests()["contest"].to_list()):
            wanted = view.result(contest).standings
            assert wanted["expected_rank"].is_not_null().any() == (contest != "fun")
            table = everything.result(number).standings.select(wanted.columns)
            assert_frame_equal(table, wanted.fill_nan(None), check_exact=True)


def test_published_pages_say_it(file, best, tmp_path):
    with snapshot(file) as view:
        publish(view, tmp_path / "site", title="The club")
    page = (tmp_path / "site" / "player" / f"{best['player']}.html").read_text("utf-8")
    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert f"{EXPECTED}{shown(best)}" in text
    for form in ("csv", "json"):
        table = (tmp_path / "site" / f"leaderboard.{form}").read_text("utf-8")
        assert str(best["forecast"]) in table
        assert str(best["spread"]) in table


@pytest.mark.slow
def test_a_page_that_all_share_says_what_that_of_a_server_does(tab, serving, file, tmp_path):
    with snapshot(file) as view:
        publish(view, tmp_path / "site", title="The club", player_pages=0, explanations=0)
        names = view.leaderboard(None)["player"].to_list()
    with serving(create_app(file)) as server:
        ours, theirs = tab(), tab()
        for name in (names[0], names[-1]):
            page = ours.open(f"{(tmp_path / 'site' / 'player.html').as_uri()}?name={name}")
            page.locator("figure.chart-career svg").first.wait_for()
            wanted = theirs.open(f"{server}/club/player/{name}")
            found = [each.locator("dl.numbers").inner_text() for each in (page, wanted)]
            assert EXPECTED in found[0]
            assert found[0] == found[1]


@pytest.mark.slow
@pytest.mark.parametrize("viewport", [DESKTOP, PHONE])
def test_it_fits_on_screens_of_both_sizes(tab, serving, file, best, viewport):
    with serving(create_app(file)) as server:
        page = tab(viewport=viewport)
        for path in ("", f"player/{best['player']}", "about"):
            opened = page.open(f"{server}/club/{path}")
            width = opened.evaluate("document.documentElement.scrollWidth")
            assert width <= viewport["width"]
        shown = page.open(f"{server}/club/player/{best['player']}")
        assert shown.get_by_text(EXPECTED).is_visible()
