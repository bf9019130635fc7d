import json

import pytest
from tests.weeks import WEEKS, standings


def test_a_contest_is_shown_in_order(command, league):
    headline, _, header, *rows = command("contest", league, "week-3").stdout.splitlines()
    assert headline == "week-3, 2026-01-19, 5 players."
    assert header.split() == ["rank", "player", "expected", "performance", "rating", "change"]
    assert [row.split()[1] for row in rows] == list(WEEKS["week-3"])
    first = command("contest", league, "week-3", "--top", 2)
    assert first.stdout.splitlines()[2:] == [header, *rows[:2]]
    assert "The first 2 of 5 players" in first.stderr


def test_what_a_contest_shows_is_what_its_players_tell(command, league):
    document = json.loads(command("contest", league, "week-3", "--json").stdout)
    assert (document["contest"], document["players"]) == ("week-3", 5)
    for row in document["standings"]:
        told = json.loads(command("player", row["player"], league, "--json").stdout)["history"]
        third = next(each for each in told if each["contest"] == "week-3")
        for key in ("rank", "performance", "rating_before", "rating", "change"):
            assert row[key] == third[key]


def test_the_expected_rank_stands_beside_the_rank(command, league):
    document = json.loads(command("contest", league, "week-3", "--json").stdout)
    rows = command("contest", league, "week-3").stdout.splitlines()[3:]
    for row, shown in zip(document["standings"], rows, strict=True):
        assert shown.split()[2] == f"{row['expected_rank']:.1f}"
    assert sum(row["expected_rank"] for row in document["standings"]) == pytest.approx(15.0)


def test_those_who_are_not_rated_are_marked(command, league, tmp_path):
    path = tmp_path / "division-2.csv"
    path.write_text(standings("division-2", "2026-02-02", ["eve", "dan", "ann"]))
    command("record", league, path, "--ceiling", 1450)
    rows = command("contest", league, "division-2").stdout.splitlines()[3:]
    assert [row.endswith("unrated") for row in rows] == [False, False, True]


def test_an_unknown_contest_gets_a_suggestion(command, league):
    assert "'week-33' (did you mean 'week-3'?)" in command("contest", league, "week-33").complaint


def test_all_contests_are_listed_in_order(command, league):
    header, *rows = command("contests", league).stdout.splitlines()
    assert header.split() == ["date", "contest", "players", "weight", "rated"]
    assert [row.split()[:3] for row in rows] == [
        ["2026-01-05", "week-1", "5"],
        ["2026-01-12", "week-2", "4"],
        ["2026-01-19", "week-3", "5"],
        ["2026-01-26", "week-4", "5"],
    ]
    last = command("contests", league, "--last", 1)
    assert last.stdout.splitlines() == [header, rows[-1]]
    assert "The last 1 of 4 contests." in last.stderr
    documents = json.loads(command("contests", league, "--json").stdout)
    assert [row["contest"] for row in documents] == list(WEEKS)


def test_names_and_unrated_contests_are_shown(command, league):
    command("amend", league, "week-3", "--name", "the third", "--unrated")
    header, *rows = command("contests", league).stdout.splitlines()
    assert header.split() == ["date", "contest", "name", "players", "weight", "rated"]
    assert "the third" in rows[2]
    assert rows[2].endswith("no")
    command("amend", league, "week-3", "--weight", 0.5)
    headline, _, _, *rows = command("contest", league, "week-3").stdout.splitlines()
    assert headline == "week-3, the third, 2026-01-19, 5 players, weight 0.5, unrated."
    assert all(row.endswith("unrated") for row in rows)


def test_a_league_without_contests_is_no_mistake(command, tmp_path):
    command("init", tmp_path / "new.db")
    for name in ("contests", "leaderboard", "log", "verify", "revisions"):
        assert command(name, tmp_path / "new.db").code == 0


def test_for_whom_a_contest_is(command, league, tmp_path):
    file = tmp_path / "division.csv"
    file.write_text(standings("division", "2026-02-02", ["eve", "dan", "ann"]))
    assert "for ratings" not in command("contests", league).stdout
    command("record", league, file, "--floor", 900, "--ceiling", 1500.5)
    first = command("contest", league, "division").stdout.splitlines()[0]
    assert first == "division, 2026-02-02, 3 players, for ratings from 900, below 1500.5."
    header, *_, row = command("contests", league).stdout.splitlines()
    assert header.endswith("for ratings")
    assert row.endswith("from 900, below 1500.5")
