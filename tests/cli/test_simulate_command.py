import inspect
import re
import subprocess
import sys

import polars as pl
import pytest

import podium


@pytest.mark.parametrize("extension", ["csv", "parquet", "jsonl"])
def test_the_file_holds_what_the_library_simulates(command, tmp_path, extension):
    path = tmp_path / f"season.{extension}"
    options = ("--players", 30, "--rounds", 5, "--participation", 0.5, "--ties", 0.3, "--seed", 9)
    shown = command("simulate", path, *options)
    assert shown.code == 0
    assert shown.stdout.startswith("5 contests, ")
    expected = podium.simulate(30, 5, participation=0.5, ties=0.3, seed=9)
    assert podium.read(path) == expected


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--players", 1), "players must be a whole number of at least 2, not 1."),
        (("--participation", 1.5), "participation must be a number from 0 to 1, not 1.5."),
        (("--start", "soon"), "'soon' is not a time"),
        (("--players", "many"), "see 'podium simulate --help'"),
        (("--performances", "uniform"), "performances must be one of normal, logistic, gumbel,"),
        (("--divisions", 0), "divisions must be a whole number of at least 1, not 0."),
        (("--matches", 0), "matches must be a whole number of at least 1, not 0."),
        (("--matches", 5, "--beta", 2), "beta must be a number from 0 to 1, not 2.0."),
        (
            ("--matches", 5, "--losses-on-purpose", 0.5),
            "--losses-on-purpose is for rounds of many players, so it cannot go with --matches.",
        ),
        (
            ("--matches", 5, "--luck", 0.1),
            "--luck is for rounds of many players, so it cannot go with --matches.",
        ),
        (
            ("--side-advantage", 0),
            "--side-advantage is for matches of two, so it needs --matches N.",
        ),
        (("--skills", "truth.json"), "truth.json: skills are written as .csv or .parquet."),
    ],
)
def test_a_wrong_option_is_one_sentence(command, tmp_path, options, sentence):
    assert sentence in command("simulate", tmp_path / "season.csv", *options).complaint
    assert not (tmp_path / "season.csv").exists()


def test_a_format_of_ones_own_goes_before_the_name(command, tmp_path):
    path = tmp_path / "season.txt"
    options = ("--players", 5, "--rounds", 3, "--format", "csv")
    assert command("simulate", path, *options).code == 0
    assert podium.read(path, format="csv") == podium.simulate(5, 3)


def test_an_unknown_format_is_refused(command, tmp_path):
    assert command("simulate", tmp_path / "season.docx").complaint


ROUNDS = {
    "participation": 0.6,
    "skill_mean": 100.0,
    "skill_sd": 30.0,
    "performances": "logistic",
    "performance_sd": 20.0,
    "luck": 0.2,
    "drift_sd": 2.0,
    "drift_per_day": 0.5,
    "ties": 0.3,
    "newcomers": 0.4,
    "leavers": 0.3,
    "divisions": 2,
    "sandbaggers": 0.1,
    "losses_on_purpose": 0.7,
    "start": "2020-02-29",
    "days_between": 3.0,
    "calendar": "random",
    "seed": 8,
}
MATCHES = {
    "beta": 0.9,
    "skill_sd": 2.0,
    "draws": 0.3,
    "side_advantage": 0.4,
    "drift_sd": 0.1,
    "neighbours": 0.5,
    "start": "2020-02-29",
    "days_between": 0.5,
    "seed": 8,
}


def flags(options):
    """Options of the library as those of the command."""
    return [
        part
        for name, value in options.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]


@pytest.mark.parametrize(
    ("function", "options"),
    [
        (podium.simulate, {"players": 40, "rounds": 9, **ROUNDS}),
        (podium.simulate_matches, {"players": 40, "matches": 90, **MATCHES}),
    ],
)
def test_every_option_of_the_library_is_one_of_the_command(command, tmp_path, function, options):
    not_on_the_command_line = {"luck"} if function is podium.simulate_matches else set()
    assert set(options) == set(inspect.signature(function).parameters) - not_on_the_command_line
    path, truth = tmp_path / "season.parquet", tmp_path / "truth.parquet"
    shown = command("simulate", path, "--skills", truth, *flags(options))
    assert shown.code == 0
    assert shown.stdout.endswith(f": in {path}, true skills in {truth}.\n")
    expected = function(**options)
    assert podium.read(path) == expected
    assert pl.read_parquet(truth).equals(expected.skill_table())


def test_the_defaults_that_help_tells_are_those_of_the_library(command):
    rounds, matches = (
        inspect.signature(function).parameters
        for function in (podium.simulate, podium.simulate_matches)
    )
    shown = command("simulate", "--help").stdout
    text = " ".join(shown.replace("│", " ").split())
    told = re.findall(r"--([a-z-]+) [A-Z]+ (?:(?!--)[^\[])*\[default: \(([^)]*)\)\]", text)
    assert len(told) == 24
    for option, default in told:
        name = option.replace("-", "_")
        values = [
            f"{found[name].default:g}"
            if isinstance(found[name].default, float)
            else str(found[name].default)
            for found in (rounds, matches)
            if name in found and not (name == "luck" and found is matches)
        ]
        assert default == "; of matches, ".join(dict.fromkeys(values)), option


def test_results_and_skills_are_written_both_or_neither(command, tmp_path):
    truth = tmp_path / "truth.csv"
    assert command("simulate", tmp_path / "season.docx", "--skills", truth).complaint
    assert command("simulate", truth, "--skills", truth).complaint
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_neither(tmp_path):
    run = f"exec {sys.executable} -m podium simulate {tmp_path}/season.csv --rounds 5"
    for name in ("truth.csv", "truth.parquet"):
        limited = f"ulimit -f 1; {run} --skills {tmp_path}/{name}"
        done = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=False)
        assert done.returncode == 6
        assert done.stderr.startswith(f"podium: {tmp_path}/{name}: cannot be written (")
        assert done.stderr.count("\n") == 1
        assert list(tmp_path.iterdir()) == []


def test_a_season_that_ends_in_years_says_how_it_is_read(command, tmp_path):
    path = tmp_path / "season.csv"
    shown = command("simulate", path, "--players", 4, "--rounds", 300)
    assert "want --future" in shown.stderr
    assert command("leaderboard", path, "--system", "elo").code == 2
    assert command("leaderboard", path, "--system", "elo", "--future").code == 0
