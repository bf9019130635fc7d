import os
import subprocess
import sys
from pathlib import Path

import pytest

import podium

COMMANDS = [
    "rate",
    "check",
    "leaderboard",
    "player",
    "predict",
    "explain",
    "evaluate",
    "learned",
    "rank",
    "look-back",
    "tune",
    "attack",
    "simulate",
    "systems",
    "reproduce",
    "fetch",
    "init",
    "record",
    "contests",
    "contest",
    "log",
    "amend",
    "add",
    "disqualify",
    "reinstate",
    "remove",
    "rename",
    "merge",
    "season",
    "seasons",
    "start",
    "starts",
    "undo",
    "redo",
    "rules",
    "revise",
    "revisions",
    "rollback",
    "export",
    "token",
    "access",
    "verify",
    "migrate",
]
HEAVY = {
    "numba",
    "scipy",
    "polars",
    "matplotlib",
    "numpy",
    "urllib3",
    "optuna",
    "joblib",
    "sqlalchemy",
    "alembic",
}


def test_the_version_is_that_of_the_package(command, process):
    assert command("--version").stdout == f"podium {podium.__version__}\n"
    assert process("--version").stdout == f"podium {podium.__version__}\n"


def test_help_lists_the_commands(command):
    shown = command("--help")
    assert shown.code == 0
    assert all(name in shown.stdout for name in COMMANDS)
    assert command().stdout.split() == shown.stdout.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_teaches_with_examples(command, name):
    shown = command(name, "--help")
    assert shown.code == 0
    assert "Examples" in shown.stdout
    assert f"$ podium {name} " in shown.stdout


LIGHT = [
    ["--help"],
    ["--version"],
    ["rate", "--help"],
    ["simulate", "--help"],
    ["reproduce", "--help"],
    ["fetch", "--help"],
    ["fetch", "codeforces", "--help"],
    ["attack", "--help"],
    ["attack", "search", "--help"],
    ["tune", "--help"],
    ["init", "--help"],
    ["record", "--help"],
    ["rules", "--help"],
]


def test_help_loads_nothing_heavy():
    script = f"""
import sys
from podium.cli.app import run
for arguments in {LIGHT!r}:
    code = run(arguments)
    print("after", arguments, code, *({HEAVY!r} & set(sys.modules)))
"""
    after = [line for line in _python(script).splitlines() if line.startswith("after ")]
    assert after == [f"after {arguments} 0" for arguments in LIGHT]


def test_importing_podium_loads_nothing_heavy():
    assert _python(f"import podium, sys; print({HEAVY!r} & set(sys.modules))") == "set()\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("rate x --tpo 3", "option '--tpo' (did you mean '--top'?); see 'podium rate --help'"),
        ("rate x --JSON", "option '--JSON' (did you mean '--json'?); see 'podium rate --help'"),
        ("rate x --colmns=a", "option '--colmns' (did you mean '--columns'?); see 'podium rate"),
        ("amend x y --unratd", "option '--unratd' (did you mean '--unrated'?); see 'podium amend"),
        ("attack search --sed 1", "option '--sed' (did you mean '--seed'?); see 'podium attack se"),
        ("rate x --ignore", "option '--ignore' (did you mean '--ignore-teams' or '--ignore-ladde"),
        ("--versoin", "option '--versoin' (did you mean '--version'?); see 'podium --help'."),
        ("rate x --qqqqqqqq", "option '--qqqqqqqq'; see 'podium rate --help'."),
        ("leaderboard x --as-of-", "option '--as-of-'; see 'podium leaderboard --help'."),
        ("rate x -z", "option '-z'; see 'podium rate --help'."),
        (
            "leaderbord x",
            "command 'leaderbord' (did you mean 'leaderboard'?); see 'podium --help'.",
        ),
        (
            "attack farmin",
            "command 'farmin' (did you mean 'farming'?); see 'podium attack --help'.",
        ),
        ("xyzzy", "command 'xyzzy'; see 'podium --help'."),
    ],
)
def test_what_is_misspelt_gets_the_nearest_word(command, arguments, sentence):
    complaint = command(*arguments.split()).complaint
    assert complaint.startswith(f"no such {sentence}")
    assert complaint.endswith("--help'.")


def test_a_missing_argument_is_named(command):
    assert command("rate").complaint == "missing argument 'PATH…'; see 'podium rate --help'."


def test_a_mistake_is_one_line_in_a_process_too(process, tmp_path):
    assert "nothing.csv" in process("rate", tmp_path / "nothing.csv").complaint


def test_a_closed_pipe_is_silent(ratings):
    for flags in (["--top", "0"], ["--top", "0", "--json"]):
        done = _shell(f"-m podium leaderboard {ratings} {' '.join(flags)} | true")
        assert done.stderr.replace("60 of 60 players, rated by elo-mmr.", "").strip() == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_output_that_cannot_be_written_is_one_line(ratings):
    for flags in ("", "--json"):
        done = _shell(f"-m podium leaderboard {ratings} {flags} > /dev/full")
        assert done.returncode == 6
        assert done.stderr.splitlines()[-1] == "podium: the output: no space left on device."


def test_a_full_disk_leaves_nothing_half_written(season, tmp_path):
    limited = f"ulimit -f 1; exec {sys.executable} -m podium rate {season} --out {tmp_path}/ratings"
    done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False)
    assert done.returncode == 6
    assert done.stderr.startswith(f"podium: {tmp_path}/ratings: cannot be written (")
    assert "file too large" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_colours_are_for_terminals(process, ratings):
    assert "\x1b" not in process("leaderboard", ratings).stdout
    assert "\x1b" not in process("player", ratings, "player-0001").stdout


def test_a_narrow_encoding_is_no_obstacle(process, ratings):
    shown = process("player", ratings, "player-0001", PYTHONIOENCODING="ascii")
    assert shown.code == 0
    assert "┤" not in shown.stdout
    assert shown.stdout.startswith("player-0001: place")


def _python(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout


def _shell(command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        f"{sys.executable} {command}",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )
