"""What is not installed is one sentence, and everything else works without it.

Nothing is uninstalled for that: a child process is told that some packages are not there.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import podium
from podium import extras

ALL = sorted(extras._FEATURES)

CORE = """
from concurrent.futures import ThreadPoolExecutor

contests.write("results.parquet")
rated = podium.rate(podium.read("results.parquet"), "elo-mmr")
rated.save("ratings")
assert podium.Rated.load("ratings").ratings.equals(rated.ratings)
ladder = podium.Ladder("elo-mmr")
ladder.record(["ann", "bob", "cat"], time="2026-01-01")
ladder.save("ladder.npz")
assert podium.Ladder.load("ladder.npz").win_probability("ann", "cat") > 0.5
assert player in podium.explain(before, contests[7:], player).text()
assert podium.curve(before, contests[7:], player).table.height
here = podium.rate_ladders(ladders, "elo-mmr")
with ThreadPoolExecutor(2) as executor:
    there = podium.rate_ladders(ladders, "elo-mmr", executor=executor)
assert all(there[name].ratings.equals(here[name].ratings) for name in here)
assert podium.evaluate(contests, ["elo-mmr"], resamples=2).systems.height
assert podium.tune(contests, "elo-mmr", search=search, grid=True, split=1.0).finished
"""
SETTING = """
import podium
from podium.systems import OneOf

contests = podium.read("results.csv")
player = contests[7].players[0]
before = podium.rate(contests[:7]).beliefs
frame = contests.frame()
ladders = podium.Contests.from_frame(frame.with_columns(ladder=frame["contest"].str.tail(1)))
search = {"rho": OneOf((0.5, 1.0))}
"""
FEATURES = {
    "sqlalchemy": "podium.League.create('league.db')",
    "joblib": "podium.rate_ladders(ladders, jobs=2)",
    "distributed": "podium.rate_ladders(ladders, backend='dask')",
    "ray": "podium.rate_ladders(ladders, backend='ray')",
    "optuna": "podium.tune(contests, split=1.0)",
    "matplotlib": "podium.explain(before, contests[7:], player).picture('a.png')",
    "urllib3": "__import__('podium.results.fetching.codeforces')",
    "fastapi": "__import__('podium.web')",
}
MORE = {
    "alembic": FEATURES["sqlalchemy"],
    "cloudpickle": FEATURES["joblib"],
    "psycopg": "podium.League.create('postgresql://localhost/league')",
    "matplotlib": "report(podium.evaluate(contests, ['elo-mmr'], resamples=2), title='A report')",
}
TRY = """
from podium.evaluation.report import report

for call in calls:
    try:
        eval(call)
    except podium.InputError as error:
        print(error)
"""
COMMANDS = {
    "matplotlib": [
        "player {player} results.csv --png a.png",
        "evaluate results.csv --html a.html",
        "attack farming results.csv --player {player} --png a.png",
        "reproduce elo-r-step",
    ],
    "optuna": ["tune results.csv --jobs 1 --split 1"],
    "rapidfuzz": ["check results.csv"],
    "rich": ["--help"],
    "sqlalchemy": ["init league.db", "leaderboard league.db"],
    "fastapi": ["serve", "publish league.db site"],
    "typer": ["--help", "rate results.csv"],
    "urllib3": ["fetch codeforces --out rounds"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results, in which podium has compiled what it needs."""
    folder = tmp_path_factory.mktemp("extras")
    contests = podium.simulate(players=12, rounds=8, seed=1)
    contests.write(folder / "results.csv")
    podium.rate(contests)
    return folder


def child(folder: Path, hidden: list[str], *script: str) -> "subprocess.CompletedProcess[str]":
    """Run this where some packages are hidden."""
    hide = f"import sys; sys.modules.update(dict.fromkeys({hidden}))"
    return subprocess.run(
        [sys.executable, "-c", "\n".join([hide, *script])],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def sentence(package: str) -> str:
    return str(extras.missing(package))


def test_the_core_needs_no_extra(folder):
    done = child(folder, ALL, SETTING, CORE)
    assert done.stderr == ""
    assert (done.returncode, done.stdout) == (0, "")


def test_every_package_of_an_extra_has_its_sentence():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    named = {re.match(r"[a-z0-9]+", each)[0] for each in project["dependencies"]}
    assert named == {"numba", "numpy", "polars"}
    for extra, packages in project["optional-dependencies"].items():
        named = {re.match(r"[a-z0-9-]+", each)[0].replace("-", "_") for each in packages}
        for package in named - {"podium"}:
            if extra not in ("dev", "bench"):
                assert sentence(package).endswith(f"; pip install 'podium[{extra}]' brings it.")


@pytest.mark.parametrize(
    ("hidden", "features"),
    [(ALL, FEATURES), *(([package], {package: call}) for package, call in MORE.items())],
    ids=["all", *MORE],
)
def test_a_feature_says_what_it_needs(folder, hidden, features):
    done = child(folder, hidden, SETTING, f"calls = {list(features.values())}", TRY)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [sentence(package) for package in features]


@pytest.mark.parametrize(
    ("package", "words"), [(package, each) for package in COMMANDS for each in COMMANDS[package]]
)
def test_a_command_says_it_in_one_line(folder, package, words):
    player = podium.read(folder / "results.csv")[-1].players[0]
    if "league.db" in words and words.startswith("leaderboard"):
        podium.League.create(folder / "league.db").close()
    arguments = ["podium", *words.format(player=player).split()]
    script = f"from podium.cli import main\nsys.argv = {arguments}\nmain()"
    done = child(folder, [package], script)
    said = done.stderr.replace("Compiling for this machine, once; this takes some seconds …\n", "")
    assert (done.returncode, done.stdout, said) == (2, "", f"podium: {sentence(package)}\n")
