"""Tables in every form: what a reader of the form gets back is what was shown."""

import csv
import io
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib import resources

import polars as pl
import pytest
from markdown_it import MarkdownIt

import podium
from podium.cli.console import Column
from podium.cli.tables import Table, as_csv, as_latex, as_markdown, as_page
from podium.texts import visible

HOSTILE = [
    "plain ann",
    "a|b\\|c",
    "\\input{/etc/passwd}",
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "=HYPERLINK(1)",
    "+1",
    "-2",
    "@sum",
    "\t=1",
    "[link](javascript:1) ![x](y)",
    "[5pt]",
    "*star* _under_ `code` ~~gone~~ $x$",
    "two\nlines\r\nthree",
    "\u202eevil\u2066\x1b[2J",
    "100% & #1 {x} ^^41 ~",
    "%",
    "---''\"<>|",
    '"quoted", with a comma',
    "&lt;b&gt; &amp;",
    "https://evil.example www.evil.example",
    "\\",
    "Zoë 李雷 علي",
]
FORMS = ("--csv", "--markdown", "--html", "--latex")


def table_of(names):
    columns = Column("place", right=True), Column("player|\\<b>", names=True)
    places = [str(place) for place in range(len(names))]
    frame = pl.DataFrame({"place": range(len(names)), "player": names})
    return Table("T<b>", columns, (places, names), frame, ["a fact <b>"], "a caption\n| <b>")


@pytest.fixture
def table():
    return table_of(HOSTILE)


class Cells(HTMLParser):
    """The texts of the cells of a page, by row, and all elements."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.tags, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.rows[-1][-1] += data


def test_markdown_gives_every_text_back_and_nothing_else(table):
    rendered = (
        MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(as_markdown(table))
    )
    found = Cells(rendered)
    assert [row[1] for row in found.rows[1:]] == [visible(each).strip() for each in HOSTILE]
    assert {tag for tag, _ in found.tags} == {"p", "table", "thead", "tbody", "tr", "th", "td"}
    assert found.rows[0] == ["place", "player|\\<b>"]


def test_columns_of_markdown_stand_below_each_other_and_numbers_to_the_right(table):
    lines = [line for line in as_markdown(table).splitlines() if line.startswith("|")]
    assert len({len(line) for line in lines}) == 1
    assert re.fullmatch(r"\| -+: \| -+ \|", lines[1])


def test_html_gives_every_text_back_and_nothing_else(table):
    page = as_page([table])
    found = Cells(page)
    assert [row[1] for row in found.rows[1:]] == [visible(each) for each in HOSTILE]
    assert not {"img", "a", "b", "link"} & {tag for tag, _ in found.tags}
    assert sum(tag == "script" for tag, _ in found.tags) == 1
    assert all(not name.startswith("on") for _, given in found.tags for name in given)
    assert "http" not in re.sub(r"https://evil\S*|http-equiv", "", page)


def test_html_is_for_those_who_do_not_see_it_too(table):
    tags = Cells(as_page([table])).tags
    assert ("html", {"lang": "en"}) in tags
    assert any(tag == "caption" for tag, _ in tags)
    assert {given.get("scope") for tag, given in tags if tag == "th"} == {"col", "row"}
    region = next(given for tag, given in tags if given.get("role") == "region")
    assert region["aria-label"] == visible(table.caption)


def test_latex_has_no_command_of_a_stranger(table):
    text = as_latex(table)
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    rows = body.splitlines()
    assert len(rows) == len(HOSTILE)
    own = r"text(backslash|asciicircum|asciitilde|less|greater|bar)\{\}|symbol\{\d+\}"
    for row in rows:
        cells, end = row[:-3], row[-3:]
        assert end == " \\\\"
        left = re.sub(rf"\\({own}|[{{}}$&%#_])", "", cells)
        assert not re.search(r"[\\%#^~$_]", left), row
        assert left.count("&") == 1
        assert "--" not in left
        assert not re.match(r"\s*[\[*]", cells)
    assert all(line.startswith("%") for line in text.partition("\\begin")[0].splitlines())


def test_csv_gives_every_text_back_and_no_spreadsheet_computes_one(table):
    rows = list(csv.reader(io.StringIO(as_csv(table.values))))
    assert rows[0] == ["place", "player"]
    assert [row[1].removeprefix("'") for row in rows[1:]] == [visible(each) for each in HOSTILE]
    assert not any(re.match(r"[=+\-@\t\r]", row[1]) for row in rows)


def test_csv_has_whole_numbers_and_iso_times():
    times = pl.Series(["2026-05-01T18:30:00", "2026-05-01T18:30:00.25"]).str.to_datetime()
    frame = pl.DataFrame({"time": times, "rating": [1 / 3, None], "rated": [True, False]})
    assert as_csv(frame).splitlines() == [
        "time,rating,rated",
        "2026-05-01T18:30:00Z,0.3333333333333333,true",
        "2026-05-01T18:30:00.250000Z,,false",
    ]


@pytest.mark.parametrize("form", [as_markdown, as_latex, lambda table: as_page([table])])
def test_a_table_without_rows_has_its_header(form):
    assert "place" in form(table_of([]))


def asked(league):
    return {
        "leaderboard": ("leaderboard", league),
        "contest": ("contest", league, "week-1"),
        "player": ("player", league, "ann"),
        "contests": ("contests", league),
        "log": ("log", league),
    }


ROWS = {"leaderboard": "leaderboard", "contest": "standings", "player": "history"}


@pytest.mark.parametrize("name", asked(""))
def test_csv_has_the_fields_and_numbers_of_the_document(command, league, name):
    arguments = asked(league)[name]
    document = json.loads(command(*arguments, "--json").stdout)
    rows = document[ROWS[name]] if name in ROWS else document
    found = list(csv.DictReader(io.StringIO(command(*arguments, "--csv").stdout)))
    assert len(found) == len(rows) > 0
    for line, row in zip(found, rows, strict=True):
        row |= row.pop("attributes", {})  # each of which is a column
        assert list(line) == list(row)
        for field, value in row.items():
            if isinstance(value, dict):
                assert json.loads(line[field]) == value
            elif isinstance(value, bool) or value is None:
                assert line[field] == ("" if value is None else str(value).lower())
            else:
                assert line[field].lstrip("'") == str(value) or float(line[field]) == value


@pytest.mark.parametrize("name", asked(""))
def test_every_form_shows_what_the_terminal_shows(command, league, name):
    arguments = asked(league)[name]
    shown = command(*arguments).stdout
    rows = Cells(command(*arguments, "--html").stdout).rows
    rendered = (
        MarkdownIt("commonmark").enable("table").render(command(*arguments, "--markdown").stdout)
    )
    assert rows == Cells(rendered).rows
    for row in rows:
        assert any(all(cell in line for cell in row) for line in shown.splitlines()), row
    latex = command(*arguments, "--latex").stdout
    assert latex.count(" \\\\\n") == len(rows)


@pytest.mark.parametrize("name", asked(""))
def test_two_forms_at_once_are_refused(command, league, name):
    complaint = command(*asked(league)[name], "--csv", "--html").complaint
    assert complaint == "--csv and --html are two forms of one answer; give one of them."


@pytest.mark.parametrize("form", FORMS)
def test_notes_stay_beside_the_table(command, league, form):
    shown = command("leaderboard", league, "--top", 2, form)
    assert "2 of 6 players" in shown.stderr
    assert ("2 of 6 players" in shown.stdout) == (form != "--csv")


def test_a_page_says_what_was_asked(command, league):
    conditions = "--min-contests", 1, "--active-since", "2020-01-01"
    asked = command("leaderboard", league, *conditions, "--html").stdout
    assert "active since 2020-01-01; with at least 1 contest." in asked


def test_forms_other_than_the_terminals_have_all_contests_of_a_player(command, tmp_path):
    results = tmp_path / "results.csv"
    podium.simulate(players=5, rounds=20, seed=1).write(results)
    assert command("player", results, "player-0001", "--csv").stdout.count("\n") == 21
    assert command("player", results, "player-0001", "--last", 3, "--csv").stdout.count("\n") == 4


_PAGE = """
const text = (cells) => ({ cells: cells.map((textContent) => ({ textContent })) });
const rows = ["1518 → 1729", "1600 → 1500", "1400 → 1,602"].map((each) => text([each]));
const head = {
  className: "number", textContent: "rating", getAttribute: () => null, setAttribute() {},
  removeAttribute() {}, replaceChildren(button) { this.button = button; },
};
const body = { rows, append(...sorted) { this.rows = sorted; } };
const table = { tHead: { rows: [{ cells: [head] }] }, tBodies: [body] };
globalThis.document = { querySelectorAll: () => [table], createElement: () => ({}) };
SCRIPT
head.button.onclick();
console.log(body.rows.map((row) => row.cells[0].textContent).join());
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
def test_a_click_sorts_by_the_rating_after_a_contest():
    script = resources.files("podium.cli").joinpath("table.js").read_text("utf-8")
    done = subprocess.run(
        ["node", "-e", _PAGE.replace("SCRIPT", script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1600 → 1500,1400 → 1,602,1518 → 1729"


def test_a_long_name_leaves_room_for_other_columns():
    style = resources.files("podium.cli").joinpath("table.css").read_text("utf-8")
    assert "max-width: min(28rem, 60vw)" in style
