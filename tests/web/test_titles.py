"""Colours of titles, provisional ratings, guests and absence, as readers see them."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

import podium
from podium.league import snapshot
from podium.web import charts, create_app
from podium.web.charts.tones import DARK, LIGHT, shade
from podium.web.publishing import publish
from tests.web.test_charts import contrast, mixed

RULES = podium.Rules(
    titles=[(1000, "pupil", "#ffff00"), (1250, "<b>", "teal"), (1500, "star")],
    keep_titles=True,
    provisional_until=4,
)
GUEST = "player-0002"


@pytest.fixture(scope="module")
def titled_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league with titles of all kinds, players who stay away, and a guest."""
    path = tmp_path_factory.mktemp("titled") / "club.db"
    season = podium.simulate(
        players=30, rounds=9, participation=0.5, leavers=0.3, drift_sd=150.0, seed=6
    )
    with podium.League.create(path, "elo-mmr", rules=RULES, drift_per_day=60.0) as league:
        league.record(season[:8])
        league.set_guest(GUEST)
        league.record(season[8:], guests=[season[8:].with_own_players().players[0]])
    return path


@pytest.fixture(scope="module")
def titled(titled_file: Path) -> Iterator[TestClient]:
    with TestClient(create_app(titled_file)) as client:
        yield client


@pytest.fixture(scope="module")
def view(titled_file: Path) -> Iterator[podium.league.View]:
    with snapshot(titled_file) as view:
        yield view


@given(st.integers(0, 2**24 - 1))
def test_any_colour_can_be_read_on_every_background(number):
    tone = charts.tone_for(f"#{number:06x}")
    for palette, grounds in (
        (LIGHT, ("#ffffff", "#f6f7f9")),
        (DARK, ("#14171c", "#1c2027")),
    ):
        colour = shade(tone, palette)
        for ground in grounds:
            assert contrast(colour, ground) >= 4.5
            assert contrast(colour, mixed(colour, ground, 0.08)) >= 4.5
    assert contrast("#ffffff", shade(tone, LIGHT)) >= 4.5


def test_a_colour_that_can_be_read_is_left_as_it_is():
    assert shade("tone-8b0000", LIGHT) == "#8b0000"
    assert shade("tone-ffd700", DARK) == "#ffd700"


def test_colours_of_a_league_are_in_a_style_sheet_of_its_own(titled):
    sheet = titled.get("/club/titles.css")
    assert sheet.headers["content-type"].startswith("text/css")
    assert re.fullmatch(
        r"\.tone-ffff00 \{ --tone: light-dark\(#[0-9a-f]{6}, #ffff00\); \}\n", sheet.text
    )
    for address in ("/club/", "/club/about", "/club/contests", "/club/changes"):
        page = titled.get(address)
        assert '<link rel="stylesheet" href="/club/titles.css">' in page.text
        assert "style=" not in page.text
    assert (
        titled.get("/club/titles.css", headers={"If-None-Match": sheet.headers["etag"]}).status_code
        == 304
    )


def test_a_league_without_such_colours_needs_no_style_sheet(client):
    assert "titles.css" not in client.get("/club/").text
    assert client.get("/club/titles.css").text == ""


def test_the_leaderboard_shows_titles_marks_and_best_ratings(titled, view):
    page = titled.get("/club/").text
    board = view.board().table
    assert 'class="title tone-ffff00"' in page or 'class="title tone-3"' in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    shown = re.findall(r'<td class="n rating">([\d,]+)(<abbr title="provisional">\?</abbr>)?', page)
    wanted = view.board(podium.Filters(50)).table
    assert [bool(mark) for _, mark in shown] == wanted["provisional"].to_list()
    assert any(mark for _, mark in shown)
    assert "too little is known for a title" in page
    assert f"{round(board['best_rating'][0]):,}" in page
    assert re.search(r'<abbr title="after [\d,]+ days away">→ \d+</abbr>', page)


def test_a_player_sees_what_absence_does(titled, view):
    away = view.board(podium.Filters(None)).table.sort("away")["player"][-1]
    page = titled.get(f"/club/player/{away}").text
    decay = view.career(away).decay()
    assert decay
    assert decay[0][1:] in page
    guest = titled.get(f"/club/player/{GUEST}").text
    assert "guest: new results are not rated" in guest
    assert f"{GUEST} is a guest from now on" in titled.get("/club/changes").text


def test_a_contest_says_who_was_a_guest(titled, view):
    contest = view.contests()["contest"][-1]
    rows = view.contest(contest)
    page = titled.get(f"/club/contest/{contest}").text
    assert page.count('<span class="faint">guest</span>') == (~rows["eligible"]).sum() > 0
    assert page.count("not rated") == 0
    answer = titled.get(f"/api/v1/leagues/club/contest?id={contest}").json()
    marks = [row["provisional"] for row in answer["standings"]]
    assert marks == rows["provisional"].to_list()
    assert None in marks


def test_the_rules_are_explained(titled):
    page = titled.get("/club/about").text
    assert "until the player has 4 contests" in page
    assert "A title that was reached is kept." in page
    found = titled.get("/api/v1/leagues/club/rules").json()
    assert found == RULES.document()


def test_pictures_bring_the_colours_of_titles(titled, view):
    board = view.board(podium.Filters(None)).table
    title = dict(board.select("title", "player").drop_nulls().rows())
    badge = titled.get(f"/club/badge/{title['pupil']}.svg").text
    assert shade("tone-ffff00", LIGHT) in badge
    curve = titled.get(f"/club/curve/{title['pupil']}.svg").text
    assert "--tone-ffff00:" in curve
    provisional = board.filter(board["provisional"])["player"][0]
    rating = round(view.player(provisional).rating)
    assert f"{rating:,}?" in titled.get(f"/club/badge/{provisional}.svg").text


def _data(folder: Path, key: str) -> dict:
    text = (folder / "data" / f"{key}.js").read_text()
    return json.loads(text.removeprefix(f'podiumData("{key}",').removesuffix(");\n"))


@pytest.mark.parametrize("pages", [1000, 0])
def test_a_published_site_has_them_too(titled_file, view, tmp_path, pages):
    with snapshot(titled_file) as open_view:
        publish(open_view, tmp_path / "site", title="Club", player_pages=pages)
    site = tmp_path / "site"
    assert ".tone-ffff00" in (site / "titles.css").read_text()
    assert '<link rel="stylesheet" href="titles.css">' in (site / "index.html").read_text()
    settings = _data(site, "site")
    assert settings["kept"] is True
    assert settings["titles"][:2] == [[1000.0, "pupil", "tone-ffff00"], [1250.0, "<b>", "tone-3"]]
    board = view.board(podium.Filters(None)).table
    if pages:
        page = (site / "player" / f"{GUEST}.html").read_text()
        assert 'href="../titles.css"' in page
        return
    data = _data(site, "players/0")
    marked = {data["player"][each] for each in data["provisional_now"]}
    assert marked == set(board.filter(board["provisional"])["player"])
    ends = list(itertools.accumulate(data["count"]))
    for name, first, last in zip(data["player"], [0, *ends], ends, strict=False):
        story = view.history_of(name)
        assert [bool(each) for each in data["provisional"][first:last]] == story[
            "provisional"
        ].to_list()


def test_a_player_of_a_shared_page_has_the_title_that_was_kept(titled_file, view, tmp_path, tab):
    with snapshot(titled_file) as open_view:
        publish(open_view, tmp_path / "site", title="Club", player_pages=0)
    board = view.board(podium.Filters(None)).table
    lost = [
        row["player"]
        for row in board.rows(named=True)
        if row["title"] not in (None, RULES.title(row["rating"])) and not row["provisional"]
    ]
    chosen = {lost[0], board.filter(board["provisional"])["player"][0]}
    for name in chosen:
        page = tab().open((tmp_path / "site" / "player.html").as_uri() + f"?name={name}")
        page.wait_for_selector("#published-player dl")
        shown = page.inner_text("#published-player .title-row")
        row = board.row(by_predicate=pl.col("player") == name, named=True)
        assert shown.split() == [
            name,
            *([row["title"]] if row["title"] else []),
            *(["provisional"] if row["provisional"] else []),
        ]
