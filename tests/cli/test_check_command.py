import json
import subprocess
import sys

import pytest
from tests.weeks import standings


def test_a_check_shows_columns_rows_and_what_is_odd(command, tmp_path):
    file = tmp_path / "results.csv"
    file.write_text(
        "Event,Date,Name,Place,Colour\nspring,2026-03-01,ann adams,1,red\n"
        "summer,2026-06-01,Ann Adams,1,red\nsummer,2026-06-01,cat,2,red\n"
    )
    shown = command("check", file)
    assert shown.code == 0
    assert "2 contests, 3 results, 3 players, 2026-03-01 to 2026-06-01." in shown.stdout
    for line in (
        "player   Name",
        "Not used: 'Colour'.",
        "  'Ann Adams' and 'ann adams'",
        "  'spring': 1 player",
    ):
        assert line in [each.rstrip() for each in shown.stdout.splitlines()], shown.stdout


def test_a_refused_file_is_shown_and_is_an_error(command, tmp_path):
    file = tmp_path / "club-night-2026-03-05.csv"
    file.write_text("Name,Place\nann,1\nbob,2\n")
    shown = command("check", file)
    assert shown.code == 2
    assert "It cannot be read:" in shown.stdout
    assert "--from-name would take contest 'club-night' and time '2026-03-05'" in shown.stdout
    assert shown.stderr.startswith(f"podium: {file}: there is no column 'contest' or 'time'")
    document = command("check", file, "--json")
    assert document.code == 2
    assert json.loads(document.stdout)["readable"] is False
    assert command("check", file, "--from-name").code == 0


def test_a_league_is_compared_and_left(command, league, weeks, tmp_path):
    file = tmp_path / "week-5.csv"
    file.write_text(standings("week-5", "2026-02-02", ("ann", "Bob", "zoe")))
    before = command("log", league).stdout
    shown = command("check", file, weeks["week-2"], "--league", league).stdout.splitlines()
    assert "2 newcomers." in shown
    assert "  'Bob' (did you mean 'bob'?)" in shown
    assert "There already, with the same results: 1 contest, 'week-2'." in shown
    assert command("log", league).stdout == before


def test_one_ladder_of_several_is_compared_with_a_league(command, league, tmp_path):
    file = tmp_path / "pools.csv"
    rows = [f"{ladder},one,2026-02-02,ann,1" for ladder in ("east", "west")]
    file.write_text("\n".join(("ladder,contest,time,player,rank", *rows)))
    shown = command("check", file, "--league", league)
    assert shown.code == 0
    assert "It cannot be recorded: these contests are of 2 ladders" in shown.stdout
    chosen = command("check", file, "--league", league, "--ladder", "east").stdout
    assert "1 contest, 1 result, 1 player" in chosen
    assert "cannot be recorded" not in chosen


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("contest,time,player,rank\nc,2026-01-01,ann,1\n", 0, "1 contest, 1 result, 1 player"),
        ("player,rank\nann,1\n", 2, "\n  standard input: there is no column 'contest' or 'time'"),
    ],
)
def test_standard_input_is_checked(text, code, said):
    done = subprocess.run(
        [sys.executable, "-m", "podium", "check", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout.startswith("standard input: text with commas.")
    assert said in done.stdout
    assert "from-name" not in done.stdout


def test_files_that_cannot_be_read_together_are_said(command, tmp_path):
    text = "contest,time,player,rank\nc,2026-01-01,ann,1\n"
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text(text)
    other.write_text(text)
    for form in ([], ["--json"]):
        shown = command("check", one, other, *form)
        assert shown.code == command("rate", one, other).code == 2
        assert "contest 'c' stands in both" in shown.stdout
    assert json.loads(shown.stdout)["readable"] is False
    other.write_text("contest,time,player,rank,ladder\nd,2026-01-01,ann,1,x\n")
    shown = command("check", one, other)
    assert shown.code == command("rate", one, other).code == 2
    assert "ladders are in all files, or in none" in shown.stderr
    assert command("check", other).code == 0


def test_of_a_file_that_is_refused_nothing_is_compared_with_a_league(command, league, tmp_path):
    file = tmp_path / "week.csv"
    file.write_text("player,rank\nann,1\n")
    shown = command("check", file, "--league", league)
    assert shown.code == 2
    assert "In the league" not in shown.stdout


def test_what_is_taken_from_the_name_is_not_offered_again(command, tmp_path):
    file = tmp_path / "cup-2026-03-01.csv"
    file.write_text("player,rank\nann,1\n")
    assert "--from-name would take" in command("check", file).stdout
    shown = command("check", file, "--from-name")
    assert shown.code == 0
    assert "would take" not in shown.stdout


@pytest.mark.parametrize("name", ["rate", "check", "evaluate"])
def test_a_league_is_no_file_of_results(command, league, name):
    assert command(name, league).complaint == (
        f"{league}: is a league, which has its ratings already, and no file of results; podium "
        f"leaderboard {league} shows them."
    )
