"""The page of simulated rules as people see it: wide and narrow, light and dark, by keyboard."""

from pathlib import Path

import pytest

from podium.matchmaking import Rules
from podium.matchmaking.reporting import write_report
from podium.matchmaking.simulating import Population, simulate
from tests.web.browsing import DESKTOP, PHONE

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    rules = {"strict & <narrow>": Rules(one_sided=0.55), "any": Rules(), "other": Rules(patience=9)}
    found = simulate(rules, Population(players=60, hours=3, sessions=10, seed=2), repeats=2)
    path: Path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(found, path, title="Rules", command="podium match simulate a.toml")
    return path.as_uri()


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing_and_nothing_is_wider_than_the_window(tab, address, viewport, colours):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe").Axe()
    opened = tab(viewport=viewport, color_scheme=colours)
    page = opened.open(address)
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    assert not opened.overflows()


def test_tables_that_are_wider_than_a_phone_are_moved_by_keyboard(tab, address):
    page = tab(viewport=PHONE).open(address)
    page.keyboard.press("Tab")
    focused = "document.activeElement"
    assert page.evaluate(f"{focused}.getAttribute('role')") == "region"
    assert page.evaluate(f"{focused}.getAttribute('aria-label')")
    assert page.evaluate(f"{focused}.scrollWidth > {focused}.clientWidth")
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"() => {focused}.scrollLeft > 0")


def test_an_interval_stays_in_one_line(tab, address):
    page = tab(viewport=PHONE).open(address)
    assert "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" in page.locator("td").first.inner_text()
