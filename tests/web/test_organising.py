"""Organisers' pages: from the form by the preview to the log, for every change there is."""

from pathlib import Path
from typing import Any

import pytest

import podium
from podium.web.operations import OPERATIONS
from tests.web.filling import Page, Sign, Visitor, last_entry

ASKED: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "amend": ({"contest": "round-1"}, "called", {"called": "Spring", "weight": "2"}),
    "add": (
        {"contest": "round-1"},
        "row-player",
        {"row__rank": ["6"], "row__player": ["gus"], "row__score": [""]},
    ),
    "disqualify": ({}, "contest", {"contest": "round-1", "player": "bob"}),
    "reinstate": ({"contest": "round-2", "player": "eva"}, "contest", {}),
    "remove": ({"contest": "round-2"}, "contest", {}),
    "rename": ({"player": "ann"}, "to", {"to": "anna"}),
    "merge": ({"player": "gus"}, "into", {"into": "ann"}),
    "guest": ({"player": "cat"}, "player", {}),
    "describe": ({"player": "ann"}, "value-country", {"value__country": "DK"}),
    "describe-players": ({}, "pasted", {"pasted": "player,country\ncat,FI\n"}),
    "attributes": ({}, "kind", {"name": "club", "kind": "text", "public": "on"}),
    "remove-attributes": ({"attributes": "phone"}, "attributes", {}),
    "hide": ({"player": "cat"}, "player", {}),
    "show": ({"player": "dan"}, "player", {}),
    "season": ({}, "start", {"season": "2027", "start": "2026-05-02", "pull": "0.5"}),
    "remove-season": ({"season": "2026"}, "season", {}),
    "start": (
        {},
        "row-rating",
        {"row__player": ["gus"], "row__rating": ["1700"], "row__sigma": [""], "row__time": [""]},
    ),
    "remove-start": ({"player": "fay"}, "player", {}),
    "undo": ({}, "entry", {"entry": "12"}),
    "redo": ({}, "entry", {"entry": "12"}),
    "rules": ({}, "row-title", {"row__title": ["pupil", "grand master", "", "", ""]}),
    "revise": ({"system": "glicko2"}, "revision", {"revision": "by glicko"}),
    "rollback": ({}, "revision", {"revision": "first"}),
}
"""How each change is asked for: what the address says, a field of its form, what is typed."""
LOGGED = {"describe-players": "describe", "remove-attributes": "attributes"}
LOGGED |= {"remove-season": "season", "remove-start": "start"}


def test_there_is_a_form_for_every_change() -> None:
    assert {*ASKED, "record"} == set(OPERATIONS)


@pytest.mark.parametrize("name", ASKED)
def test_a_change_goes_from_its_form_by_a_preview_to_the_log(
    name: str, olga: Visitor, desk_file: Path
) -> None:
    prepared(name, desk_file)
    before = last_entry(desk_file)
    asked, field, values = ASKED[name]
    page = looked_at(olga.open(name, **asked), field, values)
    assert "What would change" in page.text, page.text
    assert last_entry(desk_file) == before
    done = page.send("expecting", step="confirm", why="it was wrong")
    assert "Done." in done.text, done.text
    entry = last_entry(desk_file)
    logged = LOGGED.get(name, name)
    assert (entry["action"], entry["who"], entry["why"]) == (logged, "olga", "it was wrong")
    assert entry["number"] == before["number"] + 1
    with podium.League(desk_file) as league:
        assert league.verify().sound


def prepared(name: str, desk_file: Path) -> None:
    """What has to be there before."""
    with podium.League(desk_file) as league:
        if name == "rollback":
            league.revise("glicko2")
        if name == "redo":
            league.undo(12)
        if name == "merge":
            league.record(["gus", "hal"], id="friendly", time="2026-05-05")


def looked_at(page: Page, field: str, values: dict[str, Any]) -> Page:
    """The preview of what is asked for."""
    shown = page.send(field, step="preview", **values)
    if "/describe-players/" in shown.path:  # what was understood of the table comes first
        shown = shown.send("read-sheet", step="preview")
    return shown


def test_the_second_organiser_sees_that_the_league_has_changed(sign: Sign, desk_file: Path) -> None:
    first, second = sign("organise"), sign("own")
    asked = {"contest": "round-1", "player": "bob"}
    one = first.open("disqualify", **asked).send("contest", step="preview")
    other = second.open("remove", contest="round-2").send("contest", step="preview")
    assert "Done." in one.send("expecting", step="confirm").text
    again = other.send("expecting", step="confirm", why="a mistake")
    assert "The league has changed since you looked at this" in again.text
    assert again.form("expecting").values("why") == ["a mistake"]
    with podium.League(desk_file) as league:
        assert "round-2" in league.contests()["contest"].to_list()
    assert "Done." in again.send("expecting", step="confirm").text
    assert last_entry(desk_file)["who"] == "omar"


def test_nothing_that_was_typed_is_lost_when_something_is_wrong(olga: Visitor) -> None:
    page = olga.open("disqualify").send("contest", step="preview", contest="round-9", player="bob")
    assert 'role="alert"' in page.source
    assert "round-9" in page.source
    assert page.form("contest").values("player") == ["bob"]
    page = olga.open("season").send("start", step="preview", season="2028", start="soon", pull="x")
    assert "must be a number" in page.text
    assert 'aria-invalid="true"' in page.source
    assert page.form("start").values("start") == ["soon"]


def test_a_preview_leads_back_to_the_form_as_it_was(olga: Visitor) -> None:
    preview = olga.open("rename", player="ann").send("to", step="preview", to="anna", keep_old=None)
    form = preview.send("expecting", step="edit").form("to")
    assert (form.values("player"), form.values("to")) == (["ann"], ["anna"])
    assert form.values("keep_old") == []


def test_merging_asks_whose_details_stay(olga: Visitor, desk_file: Path) -> None:
    with podium.League(desk_file) as league:
        league.record(["gus", "hal"], id="friendly", time="2026-05-05")
        league.describe("gus", {"country": "FI"})
    page = olga.open("merge", player="gus").send("into", step="preview", into="ann")
    assert "Country: which stays?" in page.text
    preview = page.send("keep-country", step="preview", keep__country="first")
    preview.send("expecting", step="confirm")
    with podium.League(desk_file) as league:
        people = league.people(matching="ann")
    assert people.filter(player="ann")["country"].item() == "FI"


def test_standings_are_edited_as_a_table(olga: Visitor, desk_file: Path) -> None:
    page = olga.open("amend", contest="round-1")
    form = page.form("row-player")
    players, ranks = form.values("row-player"), form.values("row-rank")
    assert players[:5] == ["ann", "bob", "cat", "dan", "eva"]
    players[0], players[1] = players[1], players[0]
    preview = page.send("row-player", step="preview", row__player=players, row__rank=ranks)
    assert "Done." in preview.send("expecting", step="confirm").text
    with podium.League(desk_file) as league:
        assert league.result("round-1").standings["player"].to_list()[:2] == ["bob", "ann"]


def test_removing_many_results_has_to_be_meant(olga: Visitor, desk_file: Path) -> None:
    page = olga.open("amend", contest="round-1")
    form = page.form("row-player")
    players = [name if name in ("ann", "bob") else "" for name in form.values("row-player")]
    ranks = ["1", "2", *[""] * (len(players) - 2)]
    preview = page.send("row-player", step="preview", row__player=players, row__rank=ranks)
    assert "results of the contest are removed by this" in preview.text
    refused = preview.send("expecting", step="confirm")
    assert "Done." not in refused.text
    assert "Done." in refused.send("expecting", step="confirm", removing="on").text
    with podium.League(desk_file) as league:
        assert league.contest("round-1").height == 2


def test_an_entry_that_cannot_be_taken_back_says_why(olga: Visitor) -> None:
    page = olga.open("log/3")
    assert "cannot be taken back" in page.text
    assert "is in the way" in olga.open("undo", entry=3).text
    assert "Undo" in olga.open("log/12").text
    assert "Undo" not in olga.open("log/1").text


def test_undo_stands_beside_the_last_changes_and_redo_beside_what_was_taken_back(
    olga: Visitor,
) -> None:
    page = olga.open("undo", entry=12)
    assert "took back entry 12" in page.text.lower()
    page.send("expecting", step="confirm")
    overview = olga.open()
    assert "/club/organise/redo?entry=12" in overview.source
    assert "taken back by 17" in overview.text


def test_a_new_player_is_added_with_what_is_known(olga: Visitor, desk_file: Path) -> None:
    page = olga.open("describe", new="on").send("player", player="gus")
    preview = page.send("value-country", step="preview", value__country="FI")
    assert "Done." in preview.send("expecting", step="confirm").text
    with podium.League(desk_file) as league:
        assert league.people(matching="gus")["country"].item() == "FI"


def test_revisions_are_compared(olga: Visitor, desk_file: Path) -> None:
    with podium.League(desk_file) as league:
        league.revise("glicko2", name="by glicko")
    page = olga.open("revisions", one="first", other="by glicko")
    assert "moved from first to by glicko" in page.text
    assert "no revision" in olga.open("revisions", one="first", other="nope").text


def test_a_preview_says_what_is_to_become_of_rules_players_and_contests(olga: Visitor) -> None:
    titles = ["pupil", "grand master", "", "", ""]
    page = olga.open("rules").send("row-title", step="preview", row__title=titles, keep_titles="on")
    assert "Titles are kept once they are reached: yes." in page.text
    assert "Titles: pupil from 1200 (green), grand master from 1500." in page.text
    page = olga.open("describe", player="ann").send(
        "value-country", step="preview", value__country="DK", value__phone=""
    )
    assert "Country: DK." in page.text
    assert "Phone: none." in page.text
    page = olga.open("amend", contest="round-1").send("called", step="preview", weight="2")
    assert "Weight: 2." in page.text
