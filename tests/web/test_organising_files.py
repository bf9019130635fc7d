"""Files of organisers: what was understood, whose they are, and what hostile ones do."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest

import podium
from podium.league import drafts
from tests.web.conftest import HOSTILE
from tests.web.filling import WEEK_3, Sign, Visitor, csv_of, last_entry, upload


def test_a_file_goes_by_what_was_understood_and_a_preview_to_the_log(
    sign: Sign, desk_file: Path
) -> None:
    page = upload(sign("record"), csv_of(*WEEK_3))
    assert "1 contest, 2 results, 2 players" in page.text
    preview = page.send("chose", step="preview")
    assert "Recorded 1 contest." in preview.text
    assert "2 players moved, 1 contest rated." in preview.text
    with podium.League(desk_file) as league:
        assert "week-3" not in league.contests()["contest"].to_list()
    done = preview.send("expecting", step="confirm", why="as every week")
    assert "Recording of contest 'week-3'" in done.text
    entry = last_entry(desk_file)
    assert (entry["action"], entry["who"], entry["why"]) == ("record", "rick", "as every week")


def test_what_an_error_asks_for_is_offered_and_then_the_file_is_read(olga: Visitor) -> None:
    page = upload(olga, csv_of("Place,Name", "1,ann", "2,bob", name="night.csv"))
    assert "It cannot be read yet" in page.text
    assert "there is no column" in page.text
    assert "What it needs to know" in page.text
    assert "Place" in page.text
    assert "It begins so" in page.text
    asked = page.source.split("</fieldset>")[0]
    assert 'name="read-contest"' in asked
    assert 'name="read-time"' in asked
    read = page.send("read-contest", step="read", read__contest="night", read__time="2026-05-04")
    assert "1 contest, 2 results, 2 players" in read.text
    assert read.send("chose", step="preview").text.count("night") > 0


def test_a_column_can_be_called_anything(olga: Visitor) -> None:
    page = upload(olga, csv_of("contest,time,who,rank", "w,2026-05-03,ann,1", "w,2026-05-03,bob,2"))
    assert 'name="read-column-player"' in page.source.split("</fieldset>")[0]
    read = page.send("read-contest", step="read", read__column__player="who")
    assert "2 players" in read.text


def test_pasted_text_is_read_as_a_file_is(olga: Visitor, desk_file: Path) -> None:
    text = "\n".join(WEEK_3).replace(",", "\t")
    page = olga.open("record").send("pasted", pasted=text)
    done = page.send("chose", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text
    assert last_entry(desk_file)["contest"] == "week-3"


def test_a_contest_that_is_typed_may_have_ties(olga: Visitor, desk_file: Path) -> None:
    ranks, players = ["1", "1", "", ""], ["ann", "bob", "cat", ""]
    page = olga.open("record").send(
        "row-player",
        row__rank=ranks,
        row__player=players,
        contest="cup/1",
        name="The cup",
        time="2026-05-06",
    )
    done = page.send("chose", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text, done.text
    with podium.League(desk_file) as league:
        found = league.result("cup/1")
        assert found.standings["rank"].to_list() == [1, 1, 3]
        assert found.name == "The cup"


def test_a_match_that_is_typed_is_recorded(olga: Visitor, desk_file: Path) -> None:
    page = olga.open("record").send(
        "player_a", player_a="ann", player_b="bob", outcome="0.5", match_time="2026-05-07"
    )
    done = page.send("chose", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text, done.text
    with podium.League(desk_file) as league:
        contest = last_entry(desk_file)["contest"]
        assert league.contest(contest)["rank"].to_list() == [1, 1]


def test_whoever_is_almost_known_is_asked_about_and_taken_for_who_it_is(
    olga: Visitor, desk_file: Path
) -> None:
    with podium.League(desk_file) as league:
        league.rename("cat", "Zoë Adams")
    rows = ("contest,time,player,rank", "w,2026-05-03,ann,1", "w,2026-05-03,zoe adams,2")
    page = upload(olga, csv_of(*rows))
    assert "Who is zoe adams ?" in page.text
    preview = page.send("chose", step="preview", same__0="Zoë Adams")
    assert "zoe adams is Zoë Adams." in preview.text
    assert "newcomer" not in preview.text
    preview.send("expecting", step="confirm")
    with podium.League(desk_file) as league:
        assert league.contest("w")["player"].to_list() == ["ann", "Zoë Adams"]


def test_who_is_rated_is_chosen_and_said_in_the_preview(olga: Visitor, desk_file: Path) -> None:
    page = upload(olga, csv_of(*WEEK_3, "week-3,2026-05-03,gus,3"))
    preview = page.send("chose", step="preview", guests="gus", ceiling="9000")
    assert "Guests, who are not rated: gus." in preview.text
    assert "below 9000 are rated" in preview.text
    preview.send("expecting", step="confirm")
    with podium.League(desk_file) as league:
        found = dict(league.contest("week-3").select("player", "eligible").iter_rows())
    assert found == {"ann": True, "bob": True, "gus": False}


def test_contests_that_are_known_are_said_to_be(olga: Visitor, desk_file: Path) -> None:
    with podium.League(desk_file) as league, league.snapshot(with_hidden=True) as view:
        rows = view.results("round-1").frame().write_csv()
    page = upload(olga, {"files": ("r.csv", rows.encode(), "text/csv")})
    assert "There already, with the same results: round-1" in page.text
    other = ("contest,time,player,rank", "round-1,2026-05-01,bob,1", "round-1,2026-05-01,ann,2")
    page = upload(olga, csv_of(*other))
    assert "There already, with other results: round-1" in page.text
    assert "other results" in page.send("chose", step="preview").text


def test_several_files_are_recorded_as_one_change(olga: Visitor, desk_file: Path) -> None:
    files = [
        (
            "files",
            (
                "w.csv",
                f"contest,time,player,rank\n{name},2026-05-0{day},ann,1\n"
                f"{name},2026-05-0{day},bob,2\n".encode(),
                "text/csv",
            ),
        )
        for name, day in (("a", 3), ("b", 4))
    ]
    page = upload(olga, files)
    assert "w.csv" in page.text
    assert "2-w.csv" in page.text
    page.send("chose", step="preview").send("expecting", step="confirm")
    assert json.loads(last_entry(desk_file)["details"])["contests"] == 2


def test_two_who_record_at_once_are_told_apart_and_no_file_is_recorded_twice(
    sign: Sign, desk_file: Path
) -> None:
    first, second = sign("record"), sign("record")
    one = upload(first, csv_of(*WEEK_3)).send("chose", step="preview")
    other = upload(second, csv_of(*WEEK_3)).send("chose", step="preview")
    assert "Done." in one.send("expecting", step="confirm").text
    again = other.send("expecting", step="confirm")
    assert "The league has changed" in again.text
    nothing = again.send("expecting", step="confirm")
    assert "no new contests" in nothing.text.lower() or "known already" in nothing.text, (
        nothing.text
    )
    assert one.send("expecting", step="confirm").status == 404
    with podium.League(desk_file) as league:
        assert league.contests()["contest"].to_list().count("week-3") == 1


def test_a_contest_is_amended_by_a_file_and_late_results_come_by_one(
    olga: Visitor, desk_file: Path
) -> None:
    rows = [
        "contest,time,player,rank",
        *(
            f"round-1,2026-05-01,{name},{rank}"
            for rank, name in enumerate(("eva", "dan", "cat", "bob", "ann"), 1)
        ),
    ]
    page = olga.open("amend", contest="round-1").send("pasted", csv_of(*rows))
    assert "Put a contest right" in page.text
    done = page.send("read-sheet", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text, done.text
    page = olga.open("add", contest="round-1").send(
        "pasted", csv_of("player,rank", "gus,6", "hal,7")
    )
    done = page.send("read-sheet", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text, done.text
    with podium.League(desk_file) as league:
        names = league.result("round-1").standings["player"].to_list()
    assert names[0] == "eva"
    assert names[-2:] == ["gus", "hal"]


def test_a_draft_of_somebody_else_is_not_found(sign: Sign) -> None:
    page = upload(sign("record"), csv_of(*WEEK_3))
    other = sign("own")
    assert other.client.get(page.path).status_code == 404
    form = page.form("chose")
    stolen = {"csrf": other.open("record").form("pasted").values("csrf")[0], "step": "confirm"}
    assert other.send(form, form.filled(stolen)).status == 404


def test_a_draft_that_is_discarded_is_gone(olga: Visitor) -> None:
    page = upload(olga, csv_of(*WEEK_3))
    assert "discarded" in page.send("chose", step="discard").text
    assert olga.client.get(page.path).status_code == 404


def test_drafts_that_wait_are_listed_and_the_oldest_makes_room(
    olga: Visitor, desk_file: Path
) -> None:
    first = upload(olga, csv_of(*WEEK_3, name="first.csv"))
    assert "first.csv" in olga.open("record").text
    with podium.League(desk_file) as league, league.noting() as connection:
        for number in range(drafts.MOST):
            about = {"operation": "record", "files": [{"name": f"{number}.csv", "size": 1}]}
            drafts.keep(connection, 3, {**about, "values": {}}, b"x")
        assert len(drafts.waiting(connection, 3)) == drafts.MOST
    assert olga.client.get(first.path).status_code == 404


NAMES = ("../../../etc/passwd", "<script>alert(1)</script>.csv", "*?[x].csv", "x" * 3000 + ".csv")


def test_hostile_names_of_files_do_no_harm(olga: Visitor) -> None:
    days = enumerate(NAMES, 10)
    files = [
        ("files", (name, "\n".join(WEEK_3).replace("-3,2026-05-03", f"-{day},2026-05-{day}")))
        for day, name in days
    ]
    page = upload(olga, files)
    assert page.status == 200
    assert "<script>alert" not in page.source
    assert "/tmp" not in page.text
    assert "podium-" not in page.text
    assert "passwd" in page.text
    assert "../" not in page.text
    assert page.text.count("1 contest, 2 results") == 4


def test_hostile_names_of_players_do_no_harm_on_the_way(olga: Visitor) -> None:
    names = [name for name in HOSTILE if "\\" not in name]
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["contest", "time", "player", "rank"])
    for rank, name in enumerate(names, 1):
        writer.writerow(["<b>cup</b>", "2026-05-08", name, rank])
    page = upload(olga, {"files": ("cup.csv", text.getvalue().encode(), "text/csv")})
    preview = page.send("chose", step="preview")
    done = preview.send("expecting", step="confirm", why="<i>why</i>")
    assert "Done." in done.text
    contest = olga.open("contest", id="<b>cup</b>")
    for shown in (page, preview, done, contest, olga.open("players"), olga.open("log")):
        assert "<script>alert" not in shown.source
        assert "<img src=x" not in shown.source
        assert "<b>cup" not in shown.source
        assert "<i>why" not in shown.source
    for name in names:
        assert olga.open("player", name=name).status == 200
        hidden = olga.open("hide", player=name).send("player", step="preview")
        assert "What would change" in hidden.text, name


def bomb(size: int) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("results.csv", b"0" * size)
    return packed.getvalue()


HARMFUL = {
    "bomb.csv.gz": b"\x1f\x8b\x08\x00garbage",
    "broken.parquet": b"PAR1" + b"\xff" * 200 + b"PAR1",
    "broken.xlsx": b"PK\x03\x04" + b"\0" * 100,
    "deep.json": b"[" * 100_000,
    "zeros.csv": b"\0" * 10_000,
    "one line.csv": b"a" * 2_000_000,
    "league.db": b"SQLite format 3\0" + b"\0" * 4000,
}


@pytest.mark.parametrize("name", HARMFUL)
def test_a_harmful_file_gets_a_sentence_and_the_site_goes_on(name: str, olga: Visitor) -> None:
    page = upload(olga, {"files": (name, HARMFUL[name])})
    assert page.status == 200
    assert "It cannot be read yet" in page.text
    assert name in page.text
    assert "/tmp" not in page.text
    assert olga.open().status == 200


@pytest.mark.slow
def test_a_file_that_unpacks_to_too_much_is_refused(olga: Visitor) -> None:
    page = upload(olga, {"files": ("bomb.zip", bomb(1100 * 2**20))})
    assert "It cannot be read yet" in page.text
    assert "unpacks to more than" in page.text


def test_a_file_that_is_empty_or_too_large_is_refused(olga: Visitor) -> None:
    assert "is empty" in upload(olga, {"files": ("empty.csv", b"")}).text
    assert upload(olga, {"files": ("large.csv", b"x" * (33 * 2**20))}).status == 413
    assert "there are no results yet" in upload(olga, None).text.lower()


def test_the_table_of_players_goes_out_and_comes_back(olga: Visitor, desk_file: Path) -> None:
    table = olga.client.get("/club/organise/players.csv").text
    assert table.splitlines()[0] == "player,display,hidden,country,birth_year,phone"
    changed = table.replace(",SE,", ",DK,")
    page = olga.open("describe-players").send("pasted", {"files": ("p.csv", changed.encode())})
    done = page.send("read-sheet", step="preview").send("expecting", step="confirm")
    assert "Done." in done.text, done.text
    with podium.League(desk_file) as league:
        assert league.people(matching="bob")["country"].item() == "DK"
