"""Workbooks, made here as Excel and LibreOffice write them."""

import datetime
import zipfile

import pytest
import xlsxwriter

import podium
from podium import PodiumError
from podium.results.formats import limits

DAY = datetime.date(2026, 3, 1)
PLAIN = [["Name", "Rank", "Event", "Date"], ["ann", 1, "cup", DAY], ["bob", 2, "cup", DAY]]


@pytest.fixture
def workbook(tmp_path):
    def made(name="book.xlsx", at=0, **sheets):
        path = tmp_path / name
        with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as book:
            clock = book.add_format({"num_format": "[h]:mm:ss"})
            for title, rows in sheets.items():
                sheet = book.add_worksheet(title.replace("_", " "))
                for number, row in enumerate(rows):
                    for place, value in enumerate(row):
                        if isinstance(value, datetime.timedelta):
                            days = value / datetime.timedelta(days=1)
                            sheet.write_number(number + at, place + at, days, clock)
                        elif value is not None:
                            sheet.write(number + at, place + at, value)
        return path

    return made


def opendocument(path, rows):
    cells = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="time" office:time-value="{value}"/>'
            if value.startswith("PT")
            else f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>'
            f"</table:table-cell>"
            for value in map(str, row)
        )
        + "</table:table-row>"
        for row in rows
    )
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for name in ("office", "table", "text")
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml",
            '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
            "/>",
        )
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="S">{cells}</table:table>'
            f"</office:spreadsheet></office:body></office:document-content>",
        )
    return path


def refusal(path, **options):
    with pytest.raises(PodiumError) as refused:
        podium.read(path, **options)
    return str(refused.value).replace(str(path), "FILE")


@pytest.mark.parametrize("at", [0, 3])
def test_a_sheet_is_read_wherever_its_table_begins(workbook, at):
    (contest,) = podium.read(workbook(at=at, Results=PLAIN))
    assert contest.standings == [(1, "ann"), (2, "bob")]
    assert (contest.id, contest.time.date()) == ("cup", DAY)


def test_titles_and_blank_rows_are_no_results_and_messages_name_sheet_and_row(workbook):
    rows = [["Spring cup"], [], PLAIN[0], PLAIN[1], [], ["bob", 3, "cup", DAY]]
    assert refusal(workbook(Week_1=rows)).startswith("FILE, sheet 'Week 1', row 6: rank 3 of ")


def test_whole_numbers_are_names_without_a_point(workbook):
    (contest,) = podium.read(workbook(S=[PLAIN[0], [7.0, 1.0, 1.0, DAY]]))
    assert (contest.id, contest.players) == ("1", ["7"])


def test_the_only_sheet_with_a_table_is_taken(workbook):
    path = workbook(Notes=[["nothing to see"]], Empty=[], Results=PLAIN)
    assert len(podium.read(path)) == 1


def test_several_tables_are_named_with_the_option(workbook):
    rows = [["Name", "Rank"], ["ann", 1], ["bob", 2]]
    path = workbook(Week_1=rows, Week_2=[["Place", "Player"], [1, "bob"], [2, "cat"]])
    assert refusal(path) == (
        "FILE: has tables on the sheets 'Week 1', 'Week 2'; say sheet='Week 1' or "
        "--sheet 'Week 1', or '*' for all."
    )
    assert refusal(path, sheet="Week 3") == (
        "FILE: there is no sheet 'Week 3' with anything on it; there are 'Week 1', 'Week 2'."
    )
    (contest,) = podium.read(path, sheet="week 2", contest="x", time=DAY)
    assert contest.standings == [(1, "bob"), (2, "cat")]
    every = podium.read(path, sheet="*", time=DAY)
    assert [(each.id, each.players) for each in every] == [
        ("Week 1", ["ann", "bob"]),
        ("Week 2", ["bob", "cat"]),
    ]
    assert "there is no column 'time'" in refusal(path, sheet="*")


def test_names_of_sheets_may_have_dates(workbook):
    rows = [["Name", "Rank"], ["ann", 1]]
    path = workbook(**{"A 2026-03-01": rows, "B 2026-03-08": rows})
    found = podium.read(path, sheet="*", from_name=True)
    assert [(each.id, each.time.day) for each in found] == [("A", 1), ("B", 8)]


def test_sheets_with_a_column_for_the_contest_are_parts_of_one_table(workbook):
    more = [PLAIN[0], ["cat", 3, "cup", DAY]]
    (contest,) = podium.read(workbook(One=PLAIN, Two=more), sheet="*")
    assert contest.players == ["ann", "bob", "cat"]


def test_dates_may_be_headers_of_a_wide_sheet(workbook):
    later = DAY + datetime.timedelta(days=7)
    path = workbook(S=[["Name", DAY, later], ["ann", 10, 3], ["bob", 7, None]])
    found = podium.read(path, wide=True)
    assert [(each.time.date(), each.players) for each in found] == [
        (DAY, ["ann", "bob"]),
        (later, ["ann"]),
    ]


def test_durations_of_excel_are_scores_of_a_race(workbook):
    hour = datetime.timedelta(hours=1)
    path = workbook("race 2026-03-01.xlsx", S=[["Name", "Time"], ["ann", 30 * hour], ["bob", hour]])
    (contest,) = podium.read(path, from_name=True)
    assert (contest.id, contest.players) == ("race", ["bob", "ann"])


def test_an_opendocument_sheet_is_read(tmp_path):
    rows = [["Name", "Rank", "Event", "Date"], ["ann", 1, "cup", DAY], ["bob", 2, "cup", DAY]]
    (contest,) = podium.read(opendocument(tmp_path / "book.ods", rows))
    assert contest.standings == [(1, "ann"), (2, "bob")]


def test_a_workbook_is_known_by_its_contents(workbook):
    assert len(podium.read(workbook("book.csv", S=PLAIN))) == 1


def test_a_header_that_stands_twice_is_refused(workbook):
    assert refusal(workbook(S=[["Name", "Rank", "Rank"], ["ann", 1, 1]])) == (
        "FILE, sheet 'S': the header has 'Rank' twice; every column needs its own name."
    )


@pytest.mark.parametrize("name", ["a.xlsx", "a.xls", "a.ods", "a.xlsb"])
def test_what_is_no_workbook_is_a_sentence(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 nonsense")
    assert refusal(path).startswith("FILE: is damaged, protected or no workbook of Excel or Open")
    path.write_bytes(b"")
    assert refusal(path) == "FILE: is empty."


def test_an_empty_workbook_is_a_sentence(workbook):
    assert refusal(workbook(S=[])) == "FILE: is empty."


def test_a_workbook_that_unpacks_to_too_much_is_refused(workbook, monkeypatch):
    path = workbook(S=PLAIN)
    monkeypatch.setattr(limits, "ALWAYS", 100)
    monkeypatch.setattr(limits, "TIMES", 1)
    assert "unpacks to more than" in refusal(path)
    assert len(podium.read(path, unlimited=True)) == 1


def test_a_missing_reader_is_a_sentence(workbook, monkeypatch):
    monkeypatch.setattr("podium.extras.is_installed", lambda package: package != "fastexcel")
    assert refusal(workbook(S=PLAIN)) == (
        "FILE: reading Excel and OpenDocument sheets needs fastexcel; "
        "pip install 'podium[sheets]' brings it."
    )


def hours(number):
    return datetime.timedelta(hours=number)


@pytest.mark.parametrize("other", ["DNF", 17, True])
def test_durations_among_other_cells_are_durations(workbook, other):
    rows = [["Name", "Rank", "Lap"], ["ann", 1, hours(1.5)], ["bob", 2, other], ["cat", 3, None]]
    path = workbook("cup 2026-03-01.xlsx", S=rows)
    assert podium.read(path, from_name=True)[0].players == ["ann", "bob", "cat"]
    (found,) = podium.check(path, from_name=True, columns={"status": "Lap"}).files
    assert found.contests.frame(given=True)["status"][0] == "01:30:00"


def test_those_who_did_not_finish_stand_beside_durations(workbook):
    rows = [["Name", "Zeit"], ["ann", hours(3.5)], ["bob", hours(26.25)], ["cat", "DNF"]]
    path = workbook("race 2026-03-01.xlsx", S=rows)
    for said in ({}, {"sheet": "S"}):
        (contest,) = podium.read(path, from_name=True, unfinished="last", **said)
        assert contest.standings == [(1, "ann"), (2, "bob"), (3, "cat")]


@pytest.mark.parametrize("last", [[], [["cat", "DNF"]]])
def test_clocks_go_on_after_a_day(last, tmp_path):
    path = tmp_path / "race 2026-03-01.xlsx"
    with xlsxwriter.Workbook(path) as book:
        clock = book.add_format({"num_format": "hh:mm:ss"})
        sheet = book.add_worksheet("S")
        rows = [["Name", "Zeit"], ["ann", 3.5 / 24], ["bob", 26.25 / 24], *last]
        for number, row in enumerate(rows):
            sheet.write(number, 0, row[0])
            sheet.write(number, 1, row[1], clock)
    (contest,) = podium.read(path, from_name=True, unfinished="last")
    assert contest.standings[:2] == [(1, "ann"), (2, "bob")]


def test_durations_of_opendocument_go_on_after_a_day(tmp_path):
    path = opendocument(
        tmp_path / "race 2026-03-01.ods",
        [["Name", "Zeit"], ["ann", "PT00H34M00S"], ["bob", "PT30H00M00.500S"], ["cat", "DNF"]],
    )
    (contest,) = podium.read(path, from_name=True, unfinished="last")
    assert contest.standings == [(1, "ann"), (2, "bob"), (3, "cat")]


@pytest.mark.parametrize("name", ["Sheet1", "Tabelle1", "Feuil1", "Hoja1", "Blatt"])
def test_a_sheet_without_a_name_of_its_own_is_called_as_its_file(workbook, name):
    sheets = {name: [row[:2] for row in PLAIN], "Sheet2": [], "Sheet3": []}
    (contest,) = podium.read(workbook("Spring Cup 2026-01-05.xlsx", **sheets), from_name=True)
    assert (contest.id, str(contest.time)[:10]) == ("Spring Cup", "2026-01-05")


def test_of_several_sheets_only_those_without_a_name_are_called_as_their_file(workbook):
    table, notes = [row[:2] for row in PLAIN], [["Thanks to everybody"]]
    path = workbook("Cup 2026-01-05.xlsx", Sheet1=table, Notes=notes)
    assert podium.read(path, from_name=True)[0].id == "Cup"
    path = workbook("Cup 2026-01-05.xlsx", Finals=table, Notes=notes)
    assert "'time'" in refusal(path, from_name=True)


def test_every_sheet_has_the_date_of_its_name_or_all_are_refused(workbook):
    table = [row[:2] for row in PLAIN]
    weeks = {"5.1.2026": table, "12.1.2026": table}
    contests = podium.read(workbook(**weeks), sheet="*", from_name=True)
    assert [str(each.time)[:10] for each in contests] == ["2026-01-05", "2026-01-12"]
    assert refusal(workbook(**weeks, Gesamt=table), sheet="*", from_name=True) == (
        "FILE: there is no date in the name of the sheet 'Gesamt', but in those of others; give "
        "it one, or read the others one by one, with sheet=NAME or --sheet NAME."
    )


def test_matches_of_every_sheet_have_its_date(workbook):
    table = [["White", "Black", "Result"], ["ann", "bob", "1-0"]]
    path = workbook(**{"5.1.2026": table, "12.1.2026": table})
    contests = podium.read(path, sheet="*", from_name=True)
    assert [str(each.time)[:10] for each in contests] == ["2026-01-05", "2026-01-12"]
