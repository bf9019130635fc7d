"""The site as people see it: in a real browser, wide and narrow, light and dark, by keyboard."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

import podium
from tests.web.browsing import PHONE, Tab
from tests.web.conftest import HOSTILE, Serving

pytestmark = pytest.mark.slow

OPEN = Callable[..., Tab]


@pytest.fixture(scope="module")
def best(league_file: Any) -> str:
    with podium.League(league_file) as league:
        return str(league.leaderboard(1)["player"].item())


@pytest.fixture(scope="module")
def addresses(league_file: Any, best: str) -> dict[str, str]:
    """One address for every kind of page."""
    with podium.League(league_file) as league:
        two = league.leaderboard(2)["player"].to_list()
        last = league.history_of(best)["contest"][-1]
    player = quote(best)
    return {
        "leaderboard": "/club/",
        "ties": "/club/?ties=1",
        "player": f"/club/player/{player}",
        "look back": f"/club/look-back/{player}",
        "contests": "/club/contests",
        "contest": f"/club/contest/{last}",
        "why": f"/club/why/{last}/{player}",
        "compare": f"/club/compare?player={two[0]}&player={two[1]}",
        "empty compare": "/club/compare",
        "predict": f"/club/predict?player={two[0]}&player={two[1]}&player=nobody",
        "empty predict": "/club/predict",
        "about": "/club/about",
        "changes": "/club/changes",
        "as of": "/club/?at=2026-01-20",
    }


PAGES = (
    "leaderboard",
    "ties",
    "player",
    "look back",
    "contests",
    "contest",
    "why",
    "compare",
    "empty compare",
    "predict",
    "empty predict",
    "about",
    "changes",
    "as of",
)


@pytest.mark.parametrize("which", PAGES)
def test_axe_finds_nothing_on_any_page_in_light_and_dark_wide_and_narrow(
    which: str, tab: OPEN, site: str, addresses: dict[str, str]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for options in ({}, {"color_scheme": "dark", "viewport": PHONE}):
        opened = tab(**options)
        page = opened.open(site + addresses[which])
        found = axe.run(page)
        assert found.violations_count == 0, f"{options}: {found.generate_report()}"
        assert not opened.overflows(), f"{which} is wider than the window with {options}"


@pytest.mark.parametrize("which", PAGES)
def test_pages_say_the_same_without_javascript(
    which: str, tab: OPEN, site: str, addresses: dict[str, str]
) -> None:
    page = tab(java_script_enabled=False).open(site + addresses[which])
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()
    if which in ("player", "look back", "contest", "why", "compare"):
        assert page.locator("main svg").count() >= 1


def test_search_suggests_as_one_types_and_leads_to_the_player(
    tab: OPEN, site: str, best: str
) -> None:
    page = tab().open(f"{site}/club/")
    page.fill("#q", "")
    page.locator("#q").press_sequentially(best[-3:])
    options = page.locator("[role=option]")
    options.first.wait_for()
    names = options.all_inner_texts()
    assert best in names
    for _ in range(names.index(best) + 1):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/player*")
    assert page.locator("h1").inner_text() == best


def test_search_without_javascript_is_a_form(tab: OPEN, site: str, best: str) -> None:
    page = tab(java_script_enabled=False).open(f"{site}/club/")
    page.fill("#q", best)
    page.locator(".filters button").click()
    assert page.locator("tbody th").all_inner_texts() == [best]


def test_the_slider_tells_the_rating_of_every_rank(
    tab: OPEN, site: str, addresses: dict[str, str], league_file: Any, best: str
) -> None:
    page = tab().open(site + addresses["why"])
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    said = page.locator("output").inner_text()
    with podium.League(league_file) as league:
        contest = league.history_of(best)["contest"][-1]
        first = league.what_if(contest, best).table["rating"][0]
    assert f"{first:,.0f}" in said


def test_a_curve_is_zoomed_and_shows_all_again(
    tab: OPEN, site: str, addresses: dict[str, str]
) -> None:
    page = tab().open(site + addresses["player"])
    figure = page.locator("figure[data-chart=career]")
    picture = figure.locator(".chart-svg")
    before = picture.inner_html()
    figure.locator(".chart-tools button", has_text="1 month").click()
    assert picture.inner_html() != before
    figure.locator(".chart-tools button", has_text="all").click()
    assert picture.inner_html() == before


def test_points_of_a_curve_tell_and_link_by_keyboard(
    tab: OPEN, site: str, addresses: dict[str, str]
) -> None:
    page = tab().open(site + addresses["player"])
    page.locator("figure[data-chart=career] svg a").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**/contest/**")


def test_everything_is_reached_by_keyboard_alone(tab: OPEN, site: str) -> None:
    page = tab().open(f"{site}/club/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    for _ in range(40):
        page.keyboard.press("Tab")
        if "player/" in (page.evaluate("document.activeElement.getAttribute('href')") or ""):
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/player/**")


def test_an_earlier_date_is_kept_from_page_to_page(tab: OPEN, site: str) -> None:
    page = tab().open(f"{site}/club/")
    page.fill("#at", "2026-01-20")
    page.locator(".as-of-form button").click()
    assert "as of 2026-01-20" in page.locator("[role=status]").inner_text()
    page.locator("tbody th a").first.click()
    page.wait_for_url("**/player/**")
    assert "at=2026-01-20" in page.url
    dates = page.locator("tbody time").evaluate_all("all => all.map(each => each.dateTime)")
    assert dates
    assert max(dates) < "2026-01-21"
    page.get_by_role("link", name="Back to today").click()
    assert "at=" not in page.url


def test_light_and_dark_can_be_chosen_and_stay(tab: OPEN, site: str) -> None:
    page = tab().open(f"{site}/club/")
    page.get_by_role("button", name="Use dark colours").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    page.goto(f"{site}/club/about")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_hostile_names_do_no_harm_on_any_page(
    tab: OPEN, serving: Serving, hostile_file: Any
) -> None:
    from podium.web import create_app

    with serving(create_app(hostile_file)) as site, podium.League(hostile_file) as league:
        contest = str(league.contests()["contest"][0])
        opened = tab(viewport=PHONE)
        opened.page.on("dialog", lambda _: opened.wrong.append("a script ran"))
        for name in HOSTILE:
            page = opened.open(f"{site}/club/player?name={quote(name, safe='')}")
            assert page.locator("h1").inner_text().strip()
            assert not opened.overflows()
            both = f"contest={quote(contest, safe='')}&player={quote(name, safe='')}"
            opened.open(f"{site}/club/why?{both}")
            assert not opened.overflows()
        for path in ("", "contests", f"contest?id={quote(contest, safe='')}", "changes", "about"):
            opened.open(f"{site}/club/{path}")
            assert not opened.overflows(), path
        names = "&".join(f"player={quote(name, safe='')}" for name in HOSTILE[:5])
        for path in (f"compare?{names}", f"predict?{names}"):
            opened.open(f"{site}/club/{path}")
            assert not opened.overflows(), path


def test_a_name_to_show_stays_in_its_sentence_on_a_phone(
    tab: OPEN, serving: Serving, tmp_path: Any
) -> None:
    from podium.web import create_app

    with podium.League.create(tmp_path / "club.db") as league:
        league.record(["bob", "ann", "cat"], id="week-1", time="2026-01-05")
        league.record(["cat", "ann", "bob"], id="week-2", time="2026-01-12")
        league.describe("cat", {"display": "Catherine"})
    with serving(create_app(tmp_path / "club.db")) as site:
        page = tab(viewport=PHONE).open(f"{site}/club/contest/week-2")
        said = page.locator("#surprises + ul li").filter(has_text="Catherine")
        assert "Catherine cat: rank 1" in said.inner_text()
        row = page.locator("table th").filter(has_text="Catherine")
        assert row.inner_text().split("\n") == ["Catherine", "cat"]
