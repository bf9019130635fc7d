"""The script of the charts, in a real browser and under the policy of the site."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.ratings.careers import Career
from podium.web import charts
from podium.web.charts.lettering import day, number, percent, signed
from podium.wording import change_of
from tests.web.browsing import PHONE, Tab
from tests.web.conftest import TITLES

pytestmark = pytest.mark.slow

STATIC = Path(charts.__file__).parent.parent / "static"
SITE = "http://charts.test"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
PLAYER = "player-0004"

Show = Callable[..., Any]


@pytest.fixture(scope="module")
def season() -> Any:
    return podium.simulate(players=60, rounds=60, seed=3)


@pytest.fixture(scope="module")
def career(season: Any) -> dict[str, Any]:
    return Career.of(podium.rate(season, "elo-mmr"), PLAYER).document()


@pytest.fixture
def show(browser: Any) -> Iterator[Show]:
    """Opens a page with a chart; in the end nothing may have gone wrong on it."""
    tabs: list[Tab] = []

    def open_(*content: str, **options: Any) -> Any:
        tab = Tab(browser, **options)
        tabs.append(tab)
        head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>x'
        head += '</title><link rel="stylesheet" href="/charts.css">'
        head += '<link rel="stylesheet" href="/page.css">'
        head += '<script src="/chart.js" defer></script>'
        body = f'<!doctype html><html lang="en">{head}<main><h1>x</h1>{"".join(content)}</main>'

        def answer(route: Any) -> None:
            name = route.request.url.removeprefix(SITE).lstrip("/")
            if name in ("charts.css", "chart.js"):
                route.fulfill(path=STATIC / name)
            elif name == "page.css":
                colours = ":root{color-scheme:light dark}"
                colours += "body{background:var(--chart-ground);color:var(--chart-ink)}"
                route.fulfill(body=colours, content_type="text/css")
            elif name.startswith("contest/"):
                route.fulfill(
                    body="<!doctype html><title>a contest</title>", content_type="text/html"
                )
            else:
                policy = {"content-security-policy": POLICY}
                route.fulfill(body=body, content_type="text/html; charset=utf-8", headers=policy)

        tab.context.route("**/*", answer)
        return tab.open(f"{SITE}/")

    yield open_
    for tab in tabs:
        tab.close()
        assert tab.wrong == []


def address(contest: str) -> str:
    return f"/contest/{contest}"


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.getAttribute('aria-label')"))


def dates(page: Any) -> list[str]:
    return list(page.locator(".foot text").all_text_contents())


def test_pointing_at_a_career_tells_the_nearest_contest(show, career):
    page = show(charts.career(career, titles=TITLES, href=address))
    tip, picture = page.locator(".chart-tip"), page.locator(".chart-svg")
    assert not tip.is_visible()
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 100)
    assert tip.is_visible()
    last = career["history"][-1]
    assert tip.locator("strong").inner_text() == "round-60"
    assert f"rank {last['rank']} of 60" in tip.inner_text()
    assert page.locator(".crosshair").get_attribute("visibility") == "visible"
    page.mouse.move(box["x"], box["y"] + box["height"] + 200)
    assert not tip.is_visible()


def test_arrow_keys_lead_along_all_contests(show, career):
    page = show(charts.career(career, titles=TITLES, href=address))
    page.get_by_role("button", name="Zoom in").focus()
    page.keyboard.press("Tab")
    assert focused(page).startswith("round-60, ")
    for key, contest in (("ArrowLeft", "59"), ("Home", "01"), ("ArrowLeft", "01"), ("End", "60")):
        page.keyboard.press(key)
        assert focused(page).startswith(f"round-{contest}, ")
        assert page.locator(".chart-tip").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".chart-tip").is_visible()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{SITE}/contest/round-59")


def test_the_chart_is_one_stop_of_the_tab_key(show, career):
    page = show(charts.career(career, href=address), '<a href="/contest/x" aria-label="next">x</a>')
    page.get_by_role("button", name="Zoom in").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert focused(page) == "next"


def test_dragging_zooms_and_a_double_click_shows_all(show, career):
    page = show(charts.career(career, titles=TITLES, href=address))
    picture, whole = page.locator(".chart-svg"), dates(page)
    box = picture.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 250)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 250)
    assert page.locator(".selection").count() == 1
    page.mouse.move(box["x"] + 200, box["y"] + 250)
    page.mouse.up()
    assert page.locator(".selection").count() == 0
    assert dates(page) != whole
    assert 3 <= page.locator(".points a").count() <= 15
    assert page.url == f"{SITE}/"
    picture.dblclick(position={"x": 30, "y": 280})
    assert dates(page) == whole


def test_buttons_zoom_by_keyboard_and_moving_on_moves_the_view(show, career):
    page = show(charts.career(career, titles=TITLES, href=address))
    month = page.get_by_role("button", name="1 month")
    month.press("Enter")
    assert month.get_attribute("aria-pressed") == "true"
    assert page.locator(".points a").count() == 5
    assert dates(page)[-1].endswith(("Feb", "Feb 2027"))
    page.get_by_role("button", name="Zoom in").press("Tab")
    page.keyboard.press("Home")
    assert focused(page).startswith("round-01, ")
    assert "Jan 2026" in " ".join(dates(page))
    page.get_by_role("button", name="All contests").press("Space")
    assert page.locator(".points a").count() == 60


def test_an_empty_figure_is_drawn_from_data_alone(show, career):
    drawn = charts.career(career, titles=TITLES, href=address)
    page = show(drawn, '<figure id="empty"></figure>')
    data = charts.career_data(career, titles=TITLES, href=address)
    page.evaluate("data => podiumCharts.career(document.getElementById('empty'), data)", data)
    parts = ".line", ".spread", ".performances", ".band", ".key", ".best", ".points a", ".foot text"
    for part in parts:
        first, second = (
            [each.evaluate("node => node.outerHTML") for each in figure.locator(part).all()]
            for figure in page.locator("figure").all()
        )
        assert first
        assert first == second


def test_the_script_draws_what_the_server_drew(show, career):
    seasons = [
        {"name": name, "start": career["history"][number]["time"]}
        for name, number in (("spring", 12), ("<b>autumn", 35))
    ]
    drawn = charts.career({**career, "seasons": seasons}, titles=TITLES, href=address)
    without = show(drawn, java_script_enabled=False)
    with_ = show(drawn)
    places = "nodes => nodes.map(node => node.getBoundingClientRect()).map(r => [r.x, r.width])"
    for part in (".line", ".best circle", ".points circle", ".grid text", ".seasons line"):
        before, after = (each.locator(part).evaluate_all(places) for each in (without, with_))
        assert before == [pytest.approx(each, abs=1.0) for each in after]
    for part in (".grid text", ".seasons text"):
        assert without.locator(part).all_text_contents() == (
            with_.locator(part).all_text_contents()
        )
    assert with_.locator(".seasons text").all_text_contents() == ["spring", "<b>autumn"]


def test_by_touch_the_tip_has_the_link(show, career):
    page = show(charts.career(career, href=address), viewport=PHONE, has_touch=True, is_mobile=True)
    box = page.locator(".chart-svg").bounding_box()
    page.touchscreen.tap(box["x"] + 4, box["y"] + 40)
    link = page.locator(".chart-tip a")
    assert page.locator(".chart-tip strong").inner_text() == "round-01"
    link.tap()
    page.wait_for_url(f"{SITE}/contest/round-01")


def test_arrow_keys_lead_from_curve_to_curve(show, season):
    rated = podium.rate(season, "elo-mmr")
    names = ["player-0001", "player-0002", "player-0003"]
    page = show(charts.compare([Career.of(rated, each).document() for each in names], href=address))
    page.get_by_role("button", name="Zoom in").press("Tab")
    for key, name in (("ArrowDown", names[1]), ("ArrowDown", names[2]), ("ArrowDown", names[0])):
        page.keyboard.press(key)
        assert focused(page).startswith(f"{name}, round-60, ")


def test_the_slider_tells_the_rating_of_every_rank(show, season):
    curve = podium.curve(podium.rate(season[:59]).beliefs, season[59:], PLAYER).document()
    page = show(f"<section>{charts.what_if(curve)}</section>")
    slider, output = page.get_by_role("slider", name="Final rank"), page.locator("output")
    assert output.inner_text().startswith(f"rank {curve['rank']}: {curve['rating']:,.0f} (")
    slider.press("Home")
    before, best = round(curve["rating_before"]), round(curve["best"])
    assert output.inner_text() == f"rank 1: {best:,} ({best - before:+,})".replace("(-", "(−")
    assert slider.get_attribute("aria-valuetext") == output.inner_text()
    mark = page.locator(".moved circle").bounding_box()
    line = page.locator(".stretch .line").bounding_box()
    assert mark["x"] + mark["width"] / 2 == pytest.approx(line["x"], abs=1.5)


def test_a_slider_of_the_page_is_used_if_there_is_one(show, season):
    curve = podium.curve(podium.rate(season[:59]).beliefs, season[59:], PLAYER).document()
    slider = '<label>Rank <input type="range" class="what-if-slider" min="1" max="60"></label>'
    page = show(f"<section><p>{slider}</p><output></output>{charts.what_if(curve)}</section>")
    assert page.locator("input").count() == 1


def test_marks_of_other_charts_tell_by_mouse_and_by_keyboard(show, season):
    found = podium.explain_result(season, "round-60", PLAYER, "elo-mmr")
    page = show(charts.pulls(found.document(), found.opponents.to_dicts()))
    mark = page.locator(".mark").last
    box = mark.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    assert "rank" in page.locator(".chart-tip").inner_text()
    page.mouse.move(0, 0)
    page.locator(".chart-svg").first.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".chart-tip").is_visible()
    assert page.locator("[role=status]").inner_text().startswith("player-")
    hint = page.locator(f"#{page.locator('.chart-svg').get_attribute('aria-describedby')}")
    assert hint.text_content() == "Arrow keys move from mark to mark, Escape closes."
    page.keyboard.press("Escape")
    assert not page.locator(".chart-tip").is_visible()


def test_every_chart_that_takes_arrow_keys_says_so(show, season, career):
    document = podium.explain_result(season, "round-60", PLAYER, "elo-mmr").document()
    page = show(
        charts.career(career),
        charts.career(career, href=address),
        charts.weights(document, href=address),
        charts.change(document),
    )
    said = page.locator(".chart-svg").evaluate_all(
        "all => all.map(each => document.getElementById(each.getAttribute('aria-describedby')))"
        ".map(each => each.textContent)"
    )
    assert len(said) == 4
    assert all(each.startswith("Arrow keys move ") for each in said)
    assert [" opens " in each for each in said] == [False, True, True, False]


NUMBERS = (0.0, -0.0, 0.2, 0.5, 1.5, 2.5, -0.5, -1.5, 0.005, 0.125, 0.375, 1.005, 999.5, 1000.5)
NUMBERS += (-0.004, -0.006, 1234.5678, 12345678.9, 1599.6, -2499.995, 1e-9, 28.0, -37.25, 0.05)
SHARES = (0.0, 1e-9, 0.0005, 0.001, 0.00100001, 0.0217, 0.0949, 0.0995, 0.09951, 0.1, 0.125, 0.413)
SHARES += (
    0.005,
    0.5,
    0.9,
    0.9005,
    0.90051,
    0.978,
    0.97849999,
    0.99,
    0.999,
    0.9990001,
    0.99999,
    1.0,
)


def test_numbers_are_written_as_the_server_writes_them(show):
    page = show()
    pairs = [(value, digits) for value in (None, *NUMBERS) for digits in (0, 1, 2)]
    for function in (number, signed):
        call = f"all => all.map(each => podiumCharts.{function.__name__}(...each))"
        assert page.evaluate(call, pairs) == [function(*each) for each in pairs]
    call = "all => all.map(each => podiumCharts.percent(each))"
    assert page.evaluate(call, [None, *SHARES]) == [percent(each) for each in (None, *SHARES)]
    times = [0, 1778544000, 951782400, -62_000_000_000]
    call = "all => all.map(each => podiumCharts.day(each))"
    assert page.evaluate(call, times) == [day(each) for each in times]


def test_changes_are_the_differences_of_what_is_shown(show):
    page = show()
    steps = [
        (before, after, digits) for before in NUMBERS for after in NUMBERS for digits in (0, 2)
    ]
    found = page.evaluate("all => all.map(each => podiumCharts.changeOf(...each))", steps)
    assert found == [change_of(*each) for each in steps]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_fit_a_phone_and_axe_finds_nothing(show, season, career, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    found = podium.explain_result(season, "round-60", PLAYER, "elo-mmr")
    document = found.document()
    page = show(
        charts.career(career, titles=TITLES, href=address),
        charts.compare([career, {**career, "player": "n" * 300}], href=address),
        charts.pulls(document, found.opponents.to_dicts()),
        charts.weights(document, href=address),
        charts.change(document),
        charts.limits(document),
        viewport=PHONE,
        color_scheme=scheme,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert axe.Axe().run(page).response["violations"] == []
