"""Organisers' pages as people use them: a real browser, by mouse, by keyboard, on a phone."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.web import create_app
from tests.web.browsing import PHONE, Tab
from tests.web.conftest import Serving
from tests.web.filling import SECRET, tokens_of
from tests.web.small import small_league

pytestmark = pytest.mark.slow

OPEN = Callable[..., Tab]
NIGHT = b"Place;Name;Points\n1;Zoe Adams;12\n2;bob;11\n3;gus;9\n"
WEEK_3 = "contest\ttime\tplayer\trank\nweek-3\t2026-05-03\tann\t1\nweek-3\t2026-05-03\tbob\t2\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = small_league(tmp_path / "club.db")
    with podium.League(found) as league:
        league.rename("cat", "Zoë Adams")
        league.define_attributes("country", "birth_year:number")
        league.describe("ann", {"country": "NO", "birth_year": 2005})
        league.start({"fay": 1650})
        league.revise("glicko2", name="by glicko")
        league.post_live("now", ["ann", "bob", "zoe"], name="The cup", time="2026-05-09")
        league.poll_live("cup", "https://example.org/standings.csv")
    return found


@pytest.fixture
def tokens(path: Path) -> dict[str, str]:
    return tokens_of(path)


@pytest.fixture
def desk(path: Path, serving: Serving) -> Iterator[str]:
    """The address of the league on a site that writes."""
    with serving(create_app(path, writable=True, secret=SECRET)) as address:
        yield f"{address}/club"


def signed_in(tab: Tab, desk: str, token: str) -> Any:
    page = tab.open(f"{desk}/sign-in")
    page.fill("#token", token)
    page.keyboard.press("Enter")
    page.wait_for_url("**/organise")
    return page


def last_entry(path: Path) -> dict[str, Any]:
    with podium.League(path) as league:
        return league.log(1).to_dicts()[0]


def test_the_whole_way_from_a_file_to_its_undoing_by_mouse(
    tab: OPEN, desk: str, tokens: dict[str, str], path: Path
) -> None:
    page = signed_in(tab(), desk, tokens["organise"])
    page.click("text=Record results")
    page.set_input_files("#files", {"name": "night.csv", "mimeType": "text/csv", "buffer": NIGHT})
    assert "night.csv" in page.locator("[data-chosen]").inner_text()
    page.click("[data-continue]")
    page.wait_for_url("**/record/*")
    assert page.evaluate("document.activeElement.id") == "problem"
    page.fill("#f-read-contest", "night")
    page.fill("#f-read-time", "2026-05-04")
    page.click("text=Read it again >> visible=true")
    page.click("text=is Zoë Adams")
    page.click("text=See what would change")
    page.wait_for_url("**step=preview")
    assert page.locator(".moves tbody tr").count() == 3
    page.fill("#why", "the club night")
    page.click("text=Confirm")
    page.wait_for_url("**/log/*")
    assert page.evaluate("document.activeElement.id") == "done"
    entry = last_entry(path)
    assert (entry["who"], entry["contest"], entry["why"]) == ("olga", "night", "the club night")

    page.click("text=See the contest")
    page.click("text=For organisers")
    page.click("text=Put it right")
    page.locator("[name=row-player]").first.fill("ann")
    page.click("text=See what would change")
    page.click("#removing")
    page.click("text=Confirm")
    page.wait_for_url("**/log/*")
    with podium.League(path) as league:
        assert league.result("night").standings["player"].to_list() == ["ann", "bob", "gus"]

    for player in ("ann", "Zoë Adams"):
        page.click("text=Undo")
        page.wait_for_selector("#would")
        page.click("text=Confirm")
        page.wait_for_url("**/log/*")
        with podium.League(path) as league:
            there = "night" in league.contests()["contest"].to_list()
            first = league.result("night").standings["player"][0] if there else ""
        assert first == ("Zoë Adams" if player == "ann" else "")
        page.goto(f"{desk}/organise/log/{entry['number']}")


def pressed_to(page: Any, selector: str, most: int = 80) -> None:
    """Go to something by the key Tab alone."""
    for _ in range(most):
        if page.evaluate("(what) => document.activeElement.matches(what)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by keyboard")


def test_the_whole_way_by_keyboard_alone_on_a_phone(
    tab: OPEN, desk: str, tokens: dict[str, str], path: Path
) -> None:
    opened = tab(viewport=PHONE, color_scheme="dark")
    page = signed_in(opened, desk, tokens["organise"])
    pressed_to(page, "a.big")
    page.keyboard.press("Enter")
    page.wait_for_url("**/record")
    pressed_to(page, "details.paste summary")
    page.keyboard.press("Enter")
    pressed_to(page, "#pasted")
    page.keyboard.insert_text(WEEK_3)
    pressed_to(page, "[data-continue]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/record/*")
    assert not opened.overflows()
    pressed_to(page, "button[value=preview]")
    page.keyboard.press("Enter")
    page.wait_for_url("**step=preview")
    assert not opened.overflows()
    pressed_to(page, "#why")
    page.keyboard.type("by keyboard")
    pressed_to(page, "button[value=confirm]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/log/*")
    assert last_entry(path)["why"] == "by keyboard"

    page.goto(f"{desk}/organise/disqualify?contest=week-3")
    pressed_to(page, "#f-player")
    page.keyboard.type("bo")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.input_value("#f-player") == "bob"
    pressed_to(page, "button[value=preview]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#would")
    pressed_to(page, "button[value=confirm]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/log/*")
    assert last_entry(path)["action"] == "disqualify"
    pressed_to(page, "a[href*='/undo?']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#would")
    pressed_to(page, "button[value=confirm]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/log/*")
    assert last_entry(path)["action"] == "undo"
    assert not opened.overflows()


DROPPED = """(text) => {
  const all = new DataTransfer();
  all.items.add(new File([text], "dropped.csv", { type: "text/csv" }));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: all, bubbles: true, cancelable: true }));
  }
}"""
PASTED = """(text) => {
  const all = new DataTransfer();
  all.setData("text/plain", text);
  document.body.dispatchEvent(
    new ClipboardEvent("paste", { clipboardData: all, bubbles: true, cancelable: true }));
}"""


def test_files_are_dropped_and_tables_are_pasted_anywhere_on_the_page(
    tab: OPEN, desk: str, tokens: dict[str, str]
) -> None:
    page = signed_in(tab(), desk, tokens["record"])
    page.goto(f"{desk}/organise/record")
    page.evaluate(DROPPED, WEEK_3)
    assert "dropped.csv" in page.locator("[data-chosen]").inner_text()
    page.keyboard.press("Enter")  # the button to continue has the focus
    page.wait_for_url("**/record/*")
    assert "dropped.csv" in page.locator("main").inner_text()
    page.click("text=Discard")
    page.goto(f"{desk}/organise/record")
    page.evaluate(PASTED, WEEK_3)
    assert page.input_value("#pasted").startswith("contest\ttime")
    page.keyboard.press("Enter")
    page.wait_for_url("**/record/*")
    assert "1 contest, 2 results" in page.locator("main").inner_text()


def test_rows_are_added_without_loading_and_several_lines_are_pasted_at_once(
    tab: OPEN, desk: str, tokens: dict[str, str], path: Path
) -> None:
    page = signed_in(tab(), desk, tokens["record"])
    page.goto(f"{desk}/organise/record")
    page.click("text=Type a contest")
    rows = page.locator("[name=row-player]")
    before = rows.count()
    page.click("text=More rows >> visible=true")
    assert rows.count() == before + 5
    rows.nth(before).press_sequentially("zo")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert rows.nth(before).input_value() == "Zoë Adams"
    rows.nth(before).fill("")
    lines = "\n".join(["ann", "bob", "dan"])
    rows.first.focus()
    page.evaluate(PASTED.replace("document.body", "document.activeElement"), lines)
    assert [rows.nth(at).input_value() for at in range(4)] == ["ann", "bob", "dan", ""]
    page.fill("#contest", "typed")
    page.click("form:has(#contest) >> text=Continue")
    page.wait_for_url("**/record/*")
    page.click("text=See what would change")
    page.click("text=Confirm")
    page.wait_for_url("**/log/*")
    assert last_entry(path)["contest"] == "typed"


def test_two_organisers_in_two_windows(
    tab: OPEN, desk: str, tokens: dict[str, str], path: Path
) -> None:
    one, other = (signed_in(tab(), desk, tokens[role]) for role in ("organise", "own"))
    for page, address in ((one, "remove?contest=round-2"), (other, "hide?player=dan")):
        page.goto(f"{desk}/organise/{address}")
        page.click("text=See what would change")
        page.wait_for_selector("#would")
    one.click("text=Confirm")
    one.wait_for_url("**/log/*")
    other.fill("#why", "asked for it")
    other.click("text=Confirm")
    other.wait_for_selector("#problem")
    assert "The league has changed since you looked at this" in other.inner_text("#problem")
    assert other.input_value("#why") == "asked for it"
    other.click("text=Confirm")
    other.wait_for_url("**/log/*")
    entry = last_entry(path)
    assert (entry["who"], entry["action"], entry["why"]) == ("omar", "hide", "asked for it")


def test_the_whole_way_without_javascript(
    tab: OPEN, desk: str, tokens: dict[str, str], path: Path
) -> None:
    page = signed_in(tab(java_script_enabled=False), desk, tokens["organise"])
    page.goto(f"{desk}/organise/record")
    page.click("text=Type a contest")
    before = page.locator("[name=row-player]").count()
    page.locator("[name=row-player]").first.fill("ann")
    page.click("text=More rows >> visible=true")
    assert page.locator("[name=row-player]").count() > before
    assert page.locator("[name=row-player]").first.input_value() == "ann"
    page.locator("[name=row-player]").nth(1).fill("bob")
    page.click("form:has(#contest) >> text=Continue")
    page.click("text=See what would change")
    page.click("text=Confirm")
    assert "Done." in page.locator("main").inner_text()
    assert last_entry(path)["action"] == "record"


PAGES = (
    *(
        "",
        "record",
        "live",
        "contests",
        "contest?id=round-1",
        "players",
        "player?name=ann",
        "seasons",
    ),
    *(
        "revisions?one=first&other=by+glicko",
        "log",
        "log/3",
        "tokens",
        "webhooks",
        "amend?contest=round-1",
    ),
    *("add?contest=round-1", "disqualify", "merge", "describe?player=ann", "describe-players"),
    *("attributes", "season", "start", "rules", "revise", "rollback", "undo?entry=9"),
)


@pytest.mark.parametrize("options", [{}, {"color_scheme": "dark", "viewport": PHONE}])
def test_axe_finds_nothing_on_any_page_in_light_and_dark_wide_and_narrow(
    options: dict[str, Any], tab: OPEN, desk: str, tokens: dict[str, str]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    opened = tab(**options)
    page = opened.open(f"{desk}/sign-in")

    def check(where: str) -> None:
        found = axe.run(page)
        assert found.violations_count == 0, f"{where}: {found.generate_report()}"
        assert not opened.overflows(), f"{where} is wider than the window"

    check("sign-in")
    page.fill("#token", tokens["own"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/organise")
    for address in PAGES:
        page.goto(f"{desk}/organise/{address}".rstrip("/"))
        for summary in page.locator("main summary").all():
            if summary.is_visible():
                summary.click()
        check(address)
    page.goto(f"{desk}/organise/record")
    page.set_input_files("#files", {"name": "night.csv", "mimeType": "text/csv", "buffer": NIGHT})
    page.click("[data-continue]")
    page.wait_for_url("**/record/*")
    check("what cannot be read")
    page.fill("#f-read-contest", "night")
    page.fill("#f-read-time", "2026-05-04")
    page.click("text=Read it again >> visible=true")
    page.wait_for_selector("#in-league")
    check("what was understood")
    page.click("text=See what would change")
    page.wait_for_url("**step=preview")
    check("what would change")
    page.click("text=Confirm")
    page.wait_for_url("**/log/*")
    check("what was done")
