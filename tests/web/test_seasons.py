"""Seasons on pages, in the API, in feeds and in published sites."""

from pathlib import Path

import pytest

import podium

pytest.importorskip("fastapi", reason="needs podium[web]")

from starlette.testclient import TestClient

from podium.web import charts, create_app, feeds
from podium.web.publishing import publish

EVIL = "<script>alert(1)</script>/26"
API = "/api/v1/leagues/club"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of two seasons, with a reset between them and somebody who has not played."""
    path = tmp_path_factory.mktemp("seasons") / "club.db"
    season = podium.simulate(players=60, rounds=16, participation=0.9, seed=2)
    times = season.frame()["time"].unique().sort()
    with podium.League.create(path, "elo-mmr") as league:
        league.record(season[:12])
        league.season("first", times[2])
        league.season(EVIL, times[8], pull=0.5, toward=1500, sigma=200, why="a new year")
        league.start({"zoe": 1800.0}, who="a secret hand")
        league.record(["newcomer", "player-0001"], id="late", time=times[10])
    return path


@pytest.fixture(scope="module")
def client(file: Path) -> TestClient:
    return TestClient(create_app(file))


def board(client: TestClient, **asked: str) -> list[str]:
    answer = client.get(f"{API}/leaderboard", params={"n": 1000, **asked})
    assert answer.status_code == 200, answer.text
    return [row["player"] for row in answer.json()["leaderboard"]]


def test_the_api_has_seasons_and_their_standings(client, file):
    found = client.get(f"{API}/seasons").json()
    assert [each["name"] for each in found] == ["first", EVIL]
    assert found[0]["end"] == found[1]["start"]
    assert "newcomer" in board(client, season=EVIL)
    assert "newcomer" not in board(client, season="first")
    with podium.League.reading(str(file)) as league:
        assert (
            board(client, season="first")
            == league.leaderboard(None, season="first")["player"].to_list()
        )


@pytest.mark.parametrize("more", [{"at": "2026-05-01"}, {"active_since": "2026-05-01"}])
def test_a_season_with_a_date_is_a_problem(client, more):
    for address in (f"{API}/leaderboard", "/club/"):
        answer = client.get(address, params={"season": "first", **more})
        assert answer.status_code == 422
        assert "is not said with it" in answer.text
    assert client.get(f"{API}/leaderboard", params={"season": "nope"}).status_code == 404


def test_the_page_of_a_season_leads_to_the_others_without_a_script(client):
    page = client.get("/club/", params={"season": EVIL}).text
    assert "<script>alert" not in page
    assert "with the ratings of now: it is under way" in page
    assert 'href="/club/?season=first"' in page
    assert '<input type="hidden" name="season" value="&lt;script' in page
    assert 'name="active_since"' not in page
    past = client.get("/club/", params={"season": "first", "page": "2"})
    assert past.status_code == 200
    assert "that they had at its end" in past.text
    assert "newcomer" not in past.text
    assert 'href="/club/leaderboard.csv?season=first"' in past.text
    rows = client.get("/club/leaderboard.csv?season=first").text.splitlines()
    assert len(rows) == 1 + len(board(client, season="first"))
    assert "Season first" not in client.get("/club/").text


def test_a_leaderboard_without_seasons_has_no_links_to_them(tmp_path):
    path = tmp_path / "plain.db"
    with podium.League.create(path) as league:
        league.record(["ann", "bob"], id="1", time="2026-01-01")
    plain = TestClient(create_app(path))
    for page in ("/plain/", "/plain/player/ann", "/plain/about"):
        assert "Season" not in plain.get(page).text


def test_a_player_has_seasons_and_the_chart_says_where_they_begin(client):
    page = client.get("/club/player/player-0001").text
    assert "<h2>Seasons</h2>" in page
    assert 'href="/club/?season=first"' in page
    assert '<g class="seasons" aria-hidden="true">' in page
    assert "<script>alert" not in page
    told = client.get(f"{API}/player", params={"name": "player-0001"}).json()
    data = charts.career_data(told)
    assert [name for _, name in data["seasons"]] == ["first", EVIL]
    assert "seasons" not in charts.career_data({**told, "seasons": []})
    assert "seasons" in charts.curve_svg(told)


def test_who_has_not_played_has_a_page_that_says_so(client):
    page = client.get("/club/player/zoe")
    assert page.status_code == 200
    assert "This comes from a starting rating; no contest was rated yet." in page.text
    assert "<h2>Contests</h2>" not in page.text
    for address in ("/club/curve/zoe.svg", "/club/badge/zoe.svg", "/club/compare?player=zoe"):
        assert client.get(address).status_code == 200
    both = client.get("/club/compare?player=zoe&player=player-0001")
    assert both.status_code == 200
    assert client.get(f"{API}/player?name=zoe").json()["history"] == []
    assert client.get(f"{API}/history?name=zoe").json() == []


def test_about_lists_the_seasons(client):
    page = client.get("/club/about").text
    assert "50 % of the way to 1,500, ± at least 200" in page


def test_the_public_log_tells_of_seasons_and_how_many_were_given_a_rating(file):
    with podium.League(file) as league:
        league.remove_season("first")
        league.undo()
        league.start({"zoe": 1750.0, "yan": 1500.0})
        league.remove_start("yan")
        with league.snapshot() as view:
            entries = feeds.public_log(view)
        for _ in range(3):
            league.undo()
    texts = [each["text"] for each in entries if each["action"] in ("season", "start", "undo")]
    assert texts[0].startswith("A starting rating was taken back: ")
    assert texts[1].startswith("2 players were given a starting rating: ")
    assert texts[2] == "Taken back: a change of season first; no rating moved."
    assert texts[3] == "Season first was taken out of the league; no rating moved."
    assert texts[4].startswith("1 player was given a starting rating: ")
    assert "begins on 2026-" in texts[5]
    given = [each for each in entries if each["action"] == "start"]
    assert {each["player"] for each in given} == {None}
    assert "secret" not in str(entries)


@pytest.mark.parametrize("own_pages", [True, False])
def test_a_published_site_has_the_standings_of_every_season(file, tmp_path, own_pages):
    with podium.League.reading(str(file)) as league, league.snapshot() as view:
        pages = 1000 if own_pages else 5
        publish(view, tmp_path / "site", title="The club", explanations=0, player_pages=pages)
        names = view.leaderboard(None, season="first")["player"].to_list()
    folder = tmp_path / "site" / "season" / "first"
    first, second = (folder / f"standings{end}.html" for end in ("", "-2"))
    assert names[0] in first.read_text("utf-8")
    assert names[-1] in second.read_text("utf-8")
    assert "newcomer" not in first.read_text("utf-8") + second.read_text("utf-8")
    assert 'href="standings' not in first.read_text("utf-8")
    assert 'href="../../season/first/standings-2.html"' in first.read_text("utf-8")
    assert 'href="../../index.html"' in first.read_text("utf-8")
    assert (folder / "standings.csv").read_text("utf-8").count("\n") == 1 + len(names)
    index = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'href="season/first/standings.html"' in index
    assert "<script>alert" not in index
    if own_pages:
        zoe = (tmp_path / "site" / "player" / "zoe.html").read_text("utf-8")
        assert "no contest was rated yet" in zoe
        return
    data = "".join(each.read_text("utf-8") for each in (tmp_path / "site/data").rglob("*.js"))
    assert '"seasons":[[' in data
    assert '"zoe"' in data
