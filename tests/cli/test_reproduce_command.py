import dataclasses
import json
import struct

import polars as pl
import pytest

import podium
from podium import papers

QUICK = ["elo-mmr-figure-1", "luck-figure-3.1"]
"""Targets that take no time."""

NAMES = [
    "elo-mmr-table-1",
    "elo-mmr-figure-1",
    "elo-mmr-figure-2",
    "elo-mmr-section-5.1",
    "elo-mmr-table-2",
    "elo-mmr-table-3",
    "elo-r-step",
    "luck-figure-3.1",
    "luck-figure-3.2",
    "luck-figure-5.1",
    "luck-beta",
    "luck-football",
]


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """Matches of two in a file."""
    path = tmp_path_factory.mktemp("matches") / "league.parquet"
    podium.simulate_matches(8, 800, draws=0.2, side_advantage=0.4, seed=6).write(path)
    return path


def width(path):
    """The width of a PNG, in pixels."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">I", data[16:20])[0]


def test_all_targets_are_listed_with_what_they_show(command):
    assert papers.names() == NAMES
    lines = command("reproduce").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:]] == NAMES
    assert all(target.title in command("reproduce").stdout for target in papers.TARGETS)
    listed = json.loads(command("reproduce", "--json").stdout)
    assert [each["target"] for each in listed] == NAMES


def test_a_target_writes_its_picture_and_numbers_and_prints_a_table(command, tmp_path):
    shown = command("reproduce", "luck-figure-3.1", "--out", tmp_path / "new")
    title, empty, header, *_ = shown.stdout.split("\n")
    assert shown.code == 0
    assert width(tmp_path / "new" / "luck-figure-3.1.png") == 1200
    numbers = pl.read_csv(tmp_path / "new" / "luck-figure-3.1.csv")
    assert numbers.columns == ["beta", "sigma", "m", "gain"]
    assert (title, empty) == (papers.by_name("luck-figure-3.1").title, "")
    assert header.startswith("beta  sigma  highest gain")
    assert "94.61" in shown.stdout
    assert "luck-figure-3.1.png" in shown.stderr
    remarks = papers.by_name("luck-figure-3.1").function({}, lambda *_: None).remarks
    page = (tmp_path / "new" / "luck-figure-3.1.md").read_text(encoding="utf-8")
    assert all(remark in shown.stdout and remark in page for remark in remarks)


def test_json_has_the_findings_unrounded(command, tmp_path):
    shown = json.loads(command("reproduce", "luck-figure-3.1", "--out", tmp_path, "--json").stdout)
    assert shown["target"] == "luck-figure-3.1"
    assert len(shown["findings"]) == 12
    assert shown["findings"][3]["highest_gain"] == pytest.approx(94.6, abs=0.05)
    assert shown["files"] == [
        str(tmp_path / f"luck-figure-3.1.{end}") for end in ("md", "png", "csv")
    ]
    assert shown["remarks"][0].startswith("Nothing differs")


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("luck-figure-3.2", ["luck-figure-3.2.csv", "luck-figure-3.2.md", "luck-figure-3.2.png"]),
        (
            "luck-figure-5.1",
            [
                "luck-figure-5.1-density.csv",
                "luck-figure-5.1-losses.csv",
                "luck-figure-5.1.md",
                "luck-figure-5.1.png",
            ],
        ),
    ],
)
def test_results_of_ones_own_take_the_place_of_simulated_ones(
    command, league, tmp_path, name, files
):
    assert command("reproduce", name, "--data", league, "--out", tmp_path).code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    assert width(tmp_path / f"{name}.png") == 1200


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("luck-figure-31",),
            "there is no target 'luck-figure-31' (did you mean 'luck-figure-3.1'?)",
        ),
        (("chess",), "there is no target 'chess'; there are elo-mmr-table-1, "),
        (("all", "chess"), "there is no target 'chess'; there are elo-mmr-table-1, "),
        (
            ("luck-football",),
            "luck-football needs matches of two with sides, as those of international football; "
            "give them with --data football=PATH.",
        ),
        (("elo-r-step", "luck-football"), "luck-football needs matches of two with sides"),
        (
            ("elo-r-step", "luck-beta", "--data", "results.csv"),
            "--data results.csv: say which data set it is, as in --data NAME=results.csv.",
        ),
        (
            ("elo-mmr-table-1", "--data", "results.csv"),
            "--data results.csv: elo-mmr-table-1 takes --data codeforces=PATH, "
            "--data topcoder=PATH, --data reddit=PATH.",
        ),
        (
            ("elo-mmr-table-1", "--data", "topcoders=results.csv"),
            "there is no data set 'topcoders' (did you mean 'topcoder'?); there are codeforces, ",
        ),
        (
            ("elo-mmr-table-1", "--data", "football=results.csv"),
            "--data football=results.csv: elo-mmr-table-1 takes --data codeforces=PATH, ",
        ),
        (
            ("elo-r-step", "luck-beta", "--data", "football=results.csv"),
            "--data football=results.csv: these targets use no results, so --data does not apply.",
        ),
        (
            ("elo-mmr-table-1", "--data", "reddit="),
            "--data reddit=: write it as --data reddit=PATH.",
        ),
        (
            ("elo-mmr-table-1", "--data", "reddit=a.csv", "--data", "reddit=b.csv"),
            "--data reddit=b.csv: 'reddit' is given twice.",
        ),
        (
            ("luck-football", "--data", "a.csv", "--data", "football=b.csv"),
            "--data football=b.csv: 'football' is given twice.",
        ),
        (
            ("luck-beta", "--data", "results.csv"),
            "luck-beta uses no results, so --data does not apply.",
        ),
        (("luck-football", "--data", "nothing.csv"), "nothing.csv"),
        (("luck-figure-3.1", "--columns", "time=date"), "options for reading results need --data"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(command, tmp_path, arguments, sentence):
    assert sentence in command("reproduce", *arguments, "--out", tmp_path).complaint
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_folder_is_found_out_first(command, league):
    complaint = command("reproduce", "luck-figure-3.1", "--out", league).complaint
    assert complaint == f"{league}: cannot be a folder, because a file has that name."


def test_columns_of_other_names_are_mapped(command, league, tmp_path):
    renamed = tmp_path / "renamed.csv"
    podium.read(league).frame().rename({"player": "handle"}).write_csv(renamed)
    shown = command(
        "reproduce",
        "luck-figure-3.2",
        "--data",
        renamed,
        "--columns",
        "player=handle",
        "--out",
        tmp_path / "out",
    )
    assert shown.code == 0


def test_several_targets_are_done_one_after_the_other(command, tmp_path):
    shown = command("reproduce", *QUICK, QUICK[0], "--out", tmp_path)
    assert shown.code == 0
    titles = [papers.by_name(name).title for name in QUICK]
    assert [line for line in shown.stdout.split("\n") if line in titles] == titles
    for name in QUICK:
        assert width(tmp_path / f"{name}.png") == 1200
        assert (tmp_path / f"{name}.md").is_file()
    listed = json.loads(command("reproduce", *QUICK, "--out", tmp_path, "--json").stdout)
    assert [each["target"] for each in listed] == QUICK


@pytest.fixture
def only(monkeypatch):
    """Say which targets there are."""

    def keep(*names):
        monkeypatch.setattr(papers, "TARGETS", tuple(map(papers.by_name, names)))

    return keep


def test_all_skips_what_needs_data_with_a_note(command, tmp_path, only):
    only("luck-football", *QUICK)
    shown = command("reproduce", "all", "--out", tmp_path)
    assert shown.code == 0
    assert shown.stderr.startswith(
        "luck-football: skipped, because it needs matches of two with sides, as those of "
        "international football: --data football=PATH.\n"
    )
    assert {path.stem for path in tmp_path.glob("*.md")} == set(QUICK)
    listed = json.loads(command("reproduce", "all", "--out", tmp_path, "--json").stdout)
    assert ["skipped" in each for each in listed] == [True, False, False]


def test_data_sets_of_all_go_to_those_that_take_them(command, tmp_path, league, only):
    only("elo-mmr-table-1", "luck-figure-3.2")
    shown = command(
        "reproduce", "all", "--out", tmp_path, "--json",
        "--data", f"reddit={league}", "--data", f"matches={league}",
    )  # fmt: skip
    table, figure = json.loads(shown.stdout)
    counted = {row["data_set"]: row["contests"] for row in table["findings"]}
    assert (counted["reddit"], counted["codeforces"]) == (800, None)
    assert all(row["matches"] < 800 for row in figure["findings"])
    page = (tmp_path / "luck-figure-3.2.md").read_text(encoding="utf-8")
    assert "\n    podium reproduce luck-figure-3.2 --data matches=PATH\n" in page


def test_resuming_skips_what_is_there(command, tmp_path):
    command("reproduce", "elo-mmr-figure-1", "--out", tmp_path)
    (tmp_path / "elo-mmr-figure-1.csv").unlink()
    shown = command("reproduce", *QUICK, "--out", tmp_path, "--resume")
    page = tmp_path / "elo-mmr-figure-1.md"
    assert f"elo-mmr-figure-1: skipped, because {page} is there already.\n" in shown.stderr
    assert not (tmp_path / "elo-mmr-figure-1.csv").exists()
    assert (tmp_path / "luck-figure-3.1.md").is_file()
    again = command("reproduce", QUICK[0], "--out", tmp_path, "--resume", "--json")
    assert json.loads(again.stdout)["skipped"] == f"{page} is there already"


def test_results_of_targets_that_are_skipped_are_not_read(command, tmp_path, league):
    out, copy = tmp_path / "out", tmp_path / "league.parquet"
    copy.write_bytes(league.read_bytes())
    arguments = ("reproduce", "luck-figure-3.2", "--out", out, "--data", copy)
    assert command(*arguments).code == 0
    copy.unlink()
    assert "is there already" in command(*arguments, "--resume").stderr
    assert "league.parquet" in command(*arguments).complaint


def test_resuming_with_another_data_set_computes_anew(command, tmp_path, league):
    with_reddit = ("--data", f"reddit={league}")
    command("reproduce", "elo-mmr-table-1", "--out", tmp_path)
    for given, skipped in ((with_reddit, False), (with_reddit, True), ((), False)):
        shown = command("reproduce", "elo-mmr-table-1", "--out", tmp_path, "--resume", *given)
        assert ("skipped" in shown.stderr) == skipped


def test_an_interrupt_keeps_what_is_finished(command, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    first, second = map(papers.by_name, QUICK)
    broken = dataclasses.replace(second, function=interrupted)
    monkeypatch.setattr(papers, "TARGETS", (first, broken))
    shown = command("reproduce", *QUICK, "--out", tmp_path)
    assert shown.code == 130
    assert shown.stderr.endswith("podium: interrupted.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "elo-mmr-figure-1.csv", "elo-mmr-figure-1.md", "elo-mmr-figure-1.png",
    ]  # fmt: skip


def test_a_path_with_an_equals_sign_is_taken_for_what_it_is(command, tmp_path, league, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a=b.parquet", "football=b.parquet"):
        (tmp_path / name).write_bytes(league.read_bytes())
    for given in ("a=b.parquet", "./football=b.parquet", "matches=football=b.parquet"):
        assert command("reproduce", "luck-figure-3.2", "--data", given).code == 0
    complaint = command("reproduce", "luck-figure-3.2", "--data", "football=b.parquet").complaint
    assert complaint == ("--data football=b.parquet: luck-figure-3.2 takes --data matches=PATH.")


def test_contest_files_of_topcoder_and_reddit_appear_in_the_table(command, tmp_path):
    season = podium.simulate(players=12, rounds=4, participation=0.5, ties=0.3, start="2019-01-01")
    season.write(tmp_path / "topcoder")
    season[:3].write(tmp_path / "reddit.zip")
    shown = command(
        "reproduce", "elo-mmr-table-1", "--out", tmp_path / "out",
        "--data", f"topcoder={tmp_path / 'topcoder'}",
        "--data", f"reddit={tmp_path / 'reddit.zip'}",
    )  # fmt: skip
    lines = {line.split()[0]: line.split() for line in shown.stdout.splitlines() if line}
    assert lines["topcoder"][1:3] == ["2,023", "4"]
    assert lines["reddit"][1:3] == ["1,000", "3"]
    assert lines["reddit"][-1] == "2019"


def test_a_table_of_numbers_alone_fits_a_narrow_terminal_as_it_is(command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    shown = command("reproduce", "luck-figure-3.1", "--out", tmp_path)
    assert "beta  sigma  highest gain" in shown.stdout
    assert "94.61" in shown.stdout
