import sqlite3

import pytest
from tests.league.transactions import transactions

from podium.cli.leagues import is_league

READING = [
    ("contests",),
    ("log",),
    ("rules",),
    ("revisions",),
    ("verify",),
    ("contest", "week-1"),
    ("seasons",),
    ("starts",),
]
CHANGING = [
    ("remove", "week-1"),
    ("disqualify", "week-1", "ann"),
    ("amend", "week-1", "--unrated"),
    ("rename", "ann", "anna"),
    ("merge", "fay", "eve"),
    ("season", "two", "--from", "2026-01-10", "--pull", "0.5"),
    ("undo",),
    ("revise", "--set", "rho=2"),
    ("rollback",),
]


ALSO_READING = [
    ("leaderboard",),
    ("leaderboard", "--top", "2", "--page", "2", "--active-since", "2026-01-06"),
    ("leaderboard", "--at", "2026-01-06"),
    ("leaderboard", "--at", "2027-01-06"),
    ("player", "ann"),
    ("player", "ann", "--at", "2026-01-06"),
    ("predict", "ann", "bob"),
    ("explain", "week-1", "ann"),
    ("revisions", "--compare", "first", "first"),
    ("log", "--player", "ann"),
]


def on(league, arguments):
    """The arguments of a command, on this league."""
    return arguments[0], league, *arguments[1:]


def test_a_league_is_known_by_its_address_or_its_first_bytes(tmp_path, season):
    path = tmp_path / "x.csv"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE a (b)")
    connection.close()
    assert is_league(str(path))
    assert is_league("postgresql://host/league")
    assert is_league("sqlite:///league.db")
    assert not is_league(str(season))
    assert not is_league(str(tmp_path))
    assert not is_league(str(tmp_path / "nothing.db"))


@pytest.mark.parametrize("arguments", READING + CHANGING, ids=lambda each: each[0])
def test_there_must_be_a_league(command, tmp_path, arguments):
    path = tmp_path / "league.db"
    complaint = command(*on(path, arguments)).complaint
    assert complaint == f"{path}: there is no such league; podium init {path} makes one."
    assert not path.exists()


@pytest.mark.parametrize("arguments", READING + CHANGING, ids=lambda each: each[0])
def test_results_are_no_league(command, season, arguments):
    complaint = command(*on(season, arguments)).complaint
    assert complaint.startswith(f"{season}: is not a league; podium init league.db makes one")


def test_a_folder_is_no_league(command, tmp_path):
    assert "is a folder, not a league" in command("contests", tmp_path).complaint


def test_a_database_of_something_else_is_no_league(command, tmp_path):
    path = tmp_path / "music.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name)")
    connection.close()
    assert str(path) in command("contests", path).complaint


@pytest.mark.parametrize(
    "arguments", [("contests",), ("record", "x.csv"), ("contests", "too", "many")]
)
def test_errors_do_not_tell_the_password(command, arguments):
    url = "postgresql://ann:secret@localhost:1/league"
    complaint = command(*on(url, arguments)).complaint
    assert "secret" not in complaint


@pytest.mark.parametrize("arguments", CHANGING[:-1], ids=lambda each: each[0])
def test_a_dry_run_changes_nothing(command, league, arguments):
    before = [command(*on(league, each)).stdout for each in READING]
    tried = command(*on(league, arguments), "--dry-run")
    assert tried.code == 0
    assert "Nothing was changed" in tried.stderr
    assert [command(*on(league, each)).stdout for each in READING] == before
    done = command(*on(league, arguments))
    what, table = tried.stdout.removeprefix("Dry run: ").split("\n", 1)
    assert done.stdout == f"{what[0].upper()}{what[1:]}\n{table}"
    assert "Nothing was changed" not in done.stderr
    assert [command(*on(league, each)).stdout for each in READING] != before


@pytest.mark.parametrize("arguments", READING + CHANGING[:-1], ids=lambda each: each[0])
def test_a_league_can_be_given_by_url(command, league, arguments):
    dry = ("--dry-run",) if arguments in CHANGING else ()
    by_url = command(*on(f"sqlite:///{league}", arguments), *dry)
    assert by_url.code == 0
    shown = by_url.stdout.replace(f"sqlite:///{league}", str(league))
    assert shown == command(*on(league, arguments), *dry).stdout


@pytest.mark.parametrize("more", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("arguments", READING + ALSO_READING, ids=" ".join)
def test_all_that_a_command_shows_is_of_one_transaction(command, league, arguments, more):
    with transactions() as count:
        assert command(*on(league, arguments), *more).code == 0
    assert count == [1]


def test_standings_are_predicted_and_leagues_exported_in_one_transaction(command, league, tmp_path):
    standings = tmp_path / "now.csv"
    standings.write_text("player,rank\nann,1\nsomebody new,2\n")
    for arguments in (
        ("predict", league, standings, "--player", "ann"),
        ("export", league, tmp_path / "archive"),
    ):
        with transactions() as count:
            assert command(*arguments).code == 0
        assert count == [1]
