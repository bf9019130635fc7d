"""A contest that runs, as people see it: in windows that bring themselves up to date."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.web import create_app
from tests.web.browsing import PHONE, Tab
from tests.web.conftest import Serving

pytestmark = pytest.mark.slow

OPEN = Callable[..., Tab]
ORDER = [f"player-{number:04}" for number in range(1, 61)]
FOLLOWED = ORDER[6]


@pytest.fixture
def league(club_file: Path) -> Iterator[podium.League]:
    with podium.League(club_file) as opened:
        opened.post_live("now", [*ORDER, "a newcomer"], name="The seventh round")
        yield opened


@pytest.fixture
def site(league: podium.League, club_file: Path, serving: Serving) -> Iterator[str]:
    assert league.has_live()
    with serving(create_app(club_file)) as address:
        yield address


def first(page: Any) -> str:
    return str(page.locator("#standings tbody th").first.inner_text())


def listening(tab: Tab, address: str) -> Any:
    page = tab.open(address)
    page.wait_for_selector("#live[data-listening]")
    return page


def shows_first(page: Any, name: str) -> None:
    page.wait_for_function(
        "name => document.querySelector('#standings tbody th').innerText === name", arg=name
    )


def test_two_windows_bring_themselves_up_to_date_and_then_to_the_contest(
    tab: OPEN, site: str, league: podium.League
) -> None:
    one = listening(tab(), f"{site}/club/live/now")
    other = listening(tab(viewport=PHONE), f"{site}/club/live/now")
    assert first(one) == first(other) == ORDER[0]
    league.post_live("now", ORDER[::-1])
    for page in (one, other):
        shows_first(page, ORDER[-1])
        assert "61 players" not in page.locator("[data-part=about]").inner_text()
        assert page.locator("[data-age]").inner_text() in (
            "(just now)",
            *(f"({n} s ago)" for n in range(90)),
        )
    league.record(ORDER[::-1], id="now", time="2026-10-01")
    for page in (one, other):
        page.wait_for_url("**/club/contest/now")
        assert page.locator("h1").inner_text() == "now"


def test_what_one_reads_types_and_has_found_stays_where_it_is(
    tab: OPEN, site: str, league: podium.League
) -> None:
    page = listening(tab(viewport={"width": 900, "height": 500}), f"{site}/club/live/now")
    page.locator("#q").press_sequentially("player-00")
    page.wait_for_function("() => location.search.includes('q=player-00')")
    page.wait_for_function("() => document.querySelectorAll('#standings tbody tr').length === 60")
    page.locator("#q").press("End")
    page.evaluate("window.scrollTo(0, 900)")
    before = page.evaluate("window.scrollY")
    league.post_live("now", ORDER[::-1])
    shows_first(page, ORDER[-1])
    assert page.evaluate("window.scrollY") == before
    assert page.locator("#q").input_value() == "player-00"
    assert page.evaluate("document.activeElement.id") == "q"
    link = page.get_by_role("link", name=ORDER[29], exact=True).last
    link.focus()
    before = page.evaluate("window.scrollY")
    league.post_live("now", ORDER)
    shows_first(page, ORDER[0])
    assert page.evaluate("document.activeElement.innerText") == ORDER[29]
    assert page.evaluate("window.scrollY") == before


def test_a_player_is_followed_by_keyboard_and_remembered(
    tab: OPEN, site: str, league: podium.League
) -> None:
    opened = tab(viewport=PHONE)
    page = listening(opened, f"{site}/club/live/now")
    panel = page.locator("[data-part=followed]")
    assert panel.is_hidden()
    assert page.locator("#unfollow").is_hidden()
    page.focus("#player")
    page.keyboard.type(FOLLOWED)
    page.keyboard.press("Enter")
    panel.get_by_text("Rating, if it ended now").wait_for()
    assert "7" in panel.locator("dd").first.inner_text()
    assert page.locator("tr.mine").count() == 1
    page = listening(opened, f"{site}/club/live/now")
    page.locator(f"[data-player={FOLLOWED}]").wait_for()
    league.post_live("now", [FOLLOWED, *(each for each in ORDER if each != FOLLOWED)])
    shows_first(page, FOLLOWED)
    said = page.locator("#live-said")
    page.wait_for_function(
        "() => document.getElementById('live-said').textContent.includes('rank 1')"
    )
    assert FOLLOWED in str(said.text_content())
    assert len(str(said.text_content())) < 200
    page.get_by_role("link", name="What each rank would give").click()
    page.wait_for_selector("[data-part=followed] figure.chart-live")
    page.get_by_role("button", name="Stop following").click()
    page.wait_for_function("() => document.querySelector('[data-part=followed]').hidden")
    page = listening(opened, f"{site}/club/live/now")
    assert page.locator("[data-part=followed]").is_hidden()


def test_the_end_of_a_contest_and_of_the_server_are_said(
    tab: OPEN, league: podium.League, club_file: Path, serving: Serving
) -> None:
    opened = tab()
    with serving(create_app(club_file)) as address:
        page = listening(opened, f"{address}/club/live/now")
        other = listening(tab(), f"{address}/club/live/now")
        league.post_live("then", ORDER)
        league.end_live("now")
        page.get_by_text("It is live no more.").wait_for()
        other.get_by_text("It is live no more.").wait_for()
        page = listening(opened, f"{address}/club/live/then")
    page.get_by_text("The connection is lost").wait_for()
    opened.wrong.clear()  # the browser says so, too


def test_the_first_standings_appear_by_themselves(
    tab: OPEN, league: podium.League, site: str
) -> None:
    league.poll_live("later", "https://example.org/later.csv")
    page = listening(tab(), f"{site}/club/live/later")
    page.get_by_text("There are no standings yet").wait_for()
    league.post_live("later", ORDER)
    page.wait_for_selector("#standings")
    assert first(page) == ORDER[0]


@pytest.mark.parametrize(
    "path", ["/club/live", "/club/live/now", f"/club/live/now?player={FOLLOWED}&curve=1"]
)
def test_axe_finds_nothing_in_light_and_dark_wide_and_narrow(
    path: str, tab: OPEN, site: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for options in ({}, {"color_scheme": "dark", "viewport": PHONE}):
        opened = tab(**options)
        page = opened.open(f"{site}{path}")
        found = axe.run(page)
        assert found.violations_count == 0, f"{options}: {found.generate_report()}"
        assert not opened.overflows(), f"{path} is wider than the window with {options}"


def test_the_page_says_the_same_without_javascript(tab: OPEN, site: str) -> None:
    opened = tab(java_script_enabled=False)
    page = opened.open(f"{site}/club/live/now?player={FOLLOWED}&q=00")
    assert "A prediction, if it ended now" in page.locator("main").inner_text()
    assert page.locator("#standings tbody tr").count() == 60
    assert page.locator(".followed").count() == 1
