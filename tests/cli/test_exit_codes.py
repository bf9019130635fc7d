"""Exit codes tell programs what kind of thing went wrong."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium.cli import INTERRUPTED
from podium.cli.app import BROKEN_PIPE
from podium.cli.verify import NOT_SOUND

DOCUMENTED = Path(__file__).parents[2] / "docs" / "input.md"

OTHER = "contest,time,player,rank\none,2026-01-01,bob,1\none,2026-01-01,ann,2\n"
RESULTS = "contest,time,player,rank\none,2026-01-01,ann,1\none,2026-01-01,bob,2\n"


@pytest.fixture
def folder(tmp_path):
    """A file of results, one that contradicts it, a damaged file and a league."""
    (tmp_path / "results.csv").write_text(RESULTS)
    (tmp_path / "other.csv").write_text(OTHER)
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 and nothing else")
    with podium.League.create(tmp_path / "league.db") as league:
        league.record(podium.read(tmp_path / "results.csv"))
    return tmp_path


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (2, ["rate", "results.csv", "--set", "rho=often"]),
        (2, ["rate", "results.csv", "--tpo"]),
        (2, ["contests", "results.csv"]),
        (3, ["rate", "missing.csv"]),
        (3, ["rate", "results.csv", "--system", "elo-mmrr"]),
        (3, ["player", "nobody", "league.db"]),
        (3, ["contest", "league.db", "two"]),
        (3, ["contests", "missing.db"]),
        (4, ["record", "league.db", "other.csv"]),
        (4, ["rename", "league.db", "ann", "bob"]),
        (4, ["init", "league.db"]),
        (6, ["rate", "damaged.parquet"]),
    ],
)
def test_the_exit_code_says_what_kind_of_thing_is_wrong(
    command, folder, monkeypatch, code, arguments
):
    monkeypatch.chdir(folder)
    outcome = command(*arguments)
    assert outcome.complaint
    assert outcome.code == code


def test_a_league_that_somebody_else_is_changing_is_busy(folder):
    other = sqlite3.connect(folder / "league.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with (
        podium.League(folder / "league.db", wait=0.25) as league,
        pytest.raises(podium.BusyError, match=r"in vain, for 0\.25 s; nothing was changed"),
    ):
        league.remove("one")
    other.close()


def test_all_kinds_are_errors_of_podium_and_wrong_values():
    kinds = podium.PodiumError.__subclasses__()
    assert {each.exit_code for each in kinds} == {2, 3, 4, 5, 6, 7}
    assert all(issubclass(each, ValueError) for each in kinds)


def test_the_documented_codes_are_those_of_the_errors(command):
    rows = re.findall(r"^\| (\d+) \| (?:`(\w+)`)? ?\|", DOCUMENTED.read_text(), re.MULTILINE)
    kinds = {each.__name__: each.exit_code for each in podium.PodiumError.__subclasses__()}
    signals = {"KeyboardInterrupt": INTERRUPTED, "BrokenPipeError": BROKEN_PIPE}
    documented = {name: int(code) for code, name in rows if name}
    assert documented == kinds | signals
    assert [int(code) for code, name in rows if not name] == [0, NOT_SOUND]
    help = " ".join(command("--help").stdout.split())
    line = re.search(r"Exit codes: ([^;]*);", help)[1]
    assert [int(code) for code in re.findall(r"\d", line)] == [
        0,
        NOT_SOUND,
        *sorted(kinds.values()),
    ]


def test_a_file_called_like_a_league_is_answered_for_as_one(command, tmp_path):
    (tmp_path / "club.db").write_text("no league")
    assert "is not a league" in command("leaderboard", tmp_path / "club.db").complaint
    missing = command("leaderboard", tmp_path / "missing.db")
    assert "there is no such league" in missing.complaint
    assert missing.code == 3


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["check", "results.csv"], ["contests", "league.db"]]
)
def test_nobody_listens(folder, arguments):
    listening, telling = os.pipe()
    os.close(listening)
    done = subprocess.run(
        [sys.executable, "-m", "podium", *arguments],
        stdout=telling,
        stderr=subprocess.PIPE,
        cwd=folder,
        check=False,
    )
    os.close(telling)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        ("check results.csv >&-", 0, ""),
        ("check - <&-", 2, "podium: standard input: is empty.\n"),
        ("check missing.csv 2>&-", 3, ""),
    ],
)
def test_closed_streams_are_no_obstacle(folder, closed, code, said):
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m podium {closed}"],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, said)
