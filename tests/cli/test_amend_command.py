import json
from types import SimpleNamespace

import pytest
from tests.weeks import WEEKS, of_any_source, standings

import podium


@pytest.fixture
def corrected(tmp_path):
    """Week 2 as it should be: cat before dan."""
    path = tmp_path / "corrected.csv"
    path.write_text(standings("week-2", "2026-01-12", ["bob", "ann", "cat", "dan"]))
    return path


def test_a_league_that_was_put_right_is_as_if_it_had_always_been(
    command, league, weeks, corrected, tmp_path
):
    assert command("amend", league, "week-2", corrected).code == 0
    files = {**weeks, "week-2": corrected}
    right = podium.Contests.concat([podium.read(file) for file in files.values()])
    right.write(tmp_path / "right.csv")
    assert of_any_source(command("leaderboard", league).stdout) == of_any_source(
        command("leaderboard", tmp_path / "right.csv").stdout
    )


def test_the_table_says_who_moves(command, league, corrected):
    document = json.loads(command("amend", league, "week-2", corrected, "--json").stdout)
    assert document["replayed"] >= 3
    moves = {move["player"]: move["change"] for move in document["moves"]}
    assert moves["cat"] > 0 > moves["dan"]


def test_of_several_contests_in_a_file_the_one_that_is_meant_counts(
    command, league, corrected, tmp_path
):
    both = tmp_path / "both.csv"
    other = standings("week-4", "2026-01-26", WEEKS["week-4"][::-1]).partition("\n")[2]
    both.write_text(corrected.read_text() + other)
    expected = command("amend", league, "week-2", corrected, "--dry-run").stdout
    assert command("amend", league, "week-2", both, "--dry-run").stdout == expected
    complaint = command("amend", league, "week-3", both).complaint
    assert "there is no contest 'week-3' (did you mean" in complaint


def test_an_unrated_contest_can_be_rated_again(command, league):
    before = command("leaderboard", league).stdout
    assert command("amend", league, "week-3", "--unrated").code == 0
    assert command("leaderboard", league).stdout != before
    assert command("amend", league, "week-3", "--rated").code == 0
    assert command("leaderboard", league).stdout == before


def test_time_weight_and_name_can_be_put_right(command, league):
    how = ("--time", "2026-01-20", "--weight", 0.5, "--name", "the third")
    assert command("amend", league, "week-3", *how).code == 0
    contests = json.loads(command("contests", league, "--json").stdout)
    third = next(row for row in contests if row["contest"] == "week-3")
    assert third["time"] == "2026-01-20T00:00:00Z"
    assert (third["weight"], third["name"]) == (0.5, "the third")


def test_there_must_be_something_to_put_right(command, league):
    assert "there is nothing to put right" in command("amend", league, "week-2").complaint
    complaint = command("amend", league, "week-2", "--unrated", "--rerank").complaint
    assert complaint == "options for reading results need a file of results."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("week-22", "--unrated"), "'week-22'"),
        (("week-2", "--time", "soon"), "'soon' is not a time"),
        (("week-2", "--weight", "-1"), "weight"),
        (("week-2", "nothing.csv"), "nothing.csv"),
    ],
)
def test_what_cannot_be_is_refused(command, league, arguments, said):
    before = command("contests", league).stdout
    assert said in command("amend", league, *arguments).complaint
    assert command("contests", league).stdout == before


@pytest.fixture
def late(tmp_path):
    """One late row of week 2."""
    path = tmp_path / "late.csv"
    path.write_text(standings("week-2", "2026-01-12", ["zoe"]))
    return path


def standings_of(command, league):
    return json.loads(command("contest", league, "week-2", "--json").stdout)["standings"]


def test_a_file_of_one_late_row_does_not_replace_a_contest_unasked(command, league, late):
    before = league.read_bytes()
    everybody = len(WEEKS["week-2"])
    complaint = command("amend", league, "week-2", late).complaint
    assert f"would lose {everybody} of its" in complaint
    assert "--yes" in complaint
    tried = command("amend", league, "week-2", late, "--dry-run").stdout
    assert f"{everybody} → 1 players, {everybody} removed" in tried
    assert league.read_bytes() == before
    assert command("amend", league, "week-2", late, "--yes").code == 0
    assert [row["player"] for row in standings_of(command, league)] == ["zoe"]


@pytest.mark.parametrize("agreed", [True, False])
def test_on_a_terminal_it_is_asked(command, league, late, monkeypatch, agreed):
    from podium.cli import amend

    asked = []
    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(amend, "sys", terminal)
    monkeypatch.setattr(amend.typer, "confirm", lambda text, **_: asked.append(text) or agreed)
    done = command("amend", league, "week-2", late)
    assert len(asked) == 1
    assert asked[0].startswith("Contest 'week-2' would lose")
    assert done.code == (0 if agreed else 4)
    assert len(standings_of(command, league)) == (1 if agreed else len(WEEKS["week-2"]))


def test_what_record_refuses_leads_to_late_results_and_to_amendments(command, league, late):
    complaint = command("record", league, late).complaint
    assert "podium add LEAGUE week-2 FILE" in complaint
    assert "podium amend LEAGUE week-2 FILE" in complaint


def test_a_whole_contest_is_written_put_right_and_amended(command, league, tmp_path):
    whole = tmp_path / "whole.csv"
    assert command("contest", league, "week-2", "--out", whole).code == 0
    rows = len(WEEKS["week-2"])
    with whole.open("a") as file:
        file.write(f"week-2,2026-01-12,zoe,{rows + 1}\n")
    assert command("amend", league, "week-2", whole).code == 0
    assert len(standings_of(command, league)) == rows + 1


def test_what_an_amendment_replaced_comes_back_from_the_log(command, league, late, tmp_path):
    before = command("leaderboard", league).stdout
    assert command("amend", league, "week-2", late, "--yes").code == 0
    number = json.loads(command("log", league, "--json").stdout)[0]["number"]
    was = tmp_path / "was.csv"
    assert command("log", league, "--before", number, "--out", was).code == 0
    assert command("amend", league, "week-2", was, "--yes").code == 0
    assert command("leaderboard", league).stdout == before
    assert "say both" in command("log", league, "--before", number).complaint
