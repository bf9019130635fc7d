import json

import pytest
from tests.weeks import WEEKS, standings

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
    assert command("leaderboard", league).stdout == (
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
