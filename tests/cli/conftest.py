"""A small season of results, and ways to run commands on it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.weeks import WEEKS, standings
from typer.testing import CliRunner

import podium
from podium.cli.app import app
from podium.errors import PodiumError

Run = Callable[..., "Outcome"]


COMPILING = "Compiling for this machine, once; this takes some seconds …\n"


KINDS = {each.exit_code for each in (PodiumError, *PodiumError.__subclasses__())}


class Outcome:
    """What a command printed and returned, but for the note that kernels are not compiled yet."""

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.whole_stderr = stderr
        self.stderr = stderr.replace(COMPILING, "")

    @property
    def complaint(self) -> str:
        """The one line of a command that failed; tests/cli/test_exit_codes.py has the codes."""
        assert self.code in KINDS, self.stdout + self.stderr
        assert self.stdout == ""
        assert self.stderr.startswith("podium: "), self.stderr
        assert self.stderr.count("\n") == 1, self.stderr
        return self.stderr.removeprefix("podium: ").rstrip("\n")


@pytest.fixture(autouse=True)
def _no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run in parallel have a terminal width in their environment; users do not."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def _compiled() -> None:
    """Kernels that are in the cache, so that no command has to say that it waits for them."""
    contests = podium.simulate(players=3, rounds=2)
    podium.rate(podium.Contests.from_frame(contests.frame()))


@pytest.fixture(scope="session")
def command(_compiled: None) -> Run:
    """Run a command in this process."""

    def run(*arguments: object) -> Outcome:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="session")
def process(_compiled: None) -> Run:
    """Run a command in a process of its own."""

    def run(*arguments: object, **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-m", "podium", *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def contests() -> podium.Contests:
    return podium.simulate(players=60, rounds=12, participation=0.6, ties=0.2, seed=3)


@pytest.fixture(scope="session")
def season(contests: podium.Contests, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results as a CSV file."""
    path = tmp_path_factory.mktemp("results") / "season.csv"
    contests.frame().write_csv(path)
    return path


@pytest.fixture(scope="session")
def ratings(contests: podium.Contests, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of ratings of the same season."""
    folder = tmp_path_factory.mktemp("rated") / "ratings"
    podium.rate(contests).save(folder)
    return folder


@pytest.fixture(scope="session")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The results of every week, each in a file."""
    folder = tmp_path_factory.mktemp("weeks")
    files = {}
    for number, (contest, players) in enumerate(WEEKS.items()):
        files[contest] = folder / f"{contest}.csv"
        files[contest].write_text(standings(contest, f"2026-01-{5 + 7 * number:02}", players))
    return files


@pytest.fixture(scope="session")
def _league_of_weeks(
    weeks: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, _compiled: None
) -> Path:
    path = tmp_path_factory.mktemp("league") / "league.db"
    with podium.League.create(path, "elo-mmr") as league:
        for file in weeks.values():
            league.record(podium.read(file), who="ann", why="it is over")
    return path


@pytest.fixture
def league(_league_of_weeks: Path, tmp_path: Path) -> Path:
    """A league of those weeks, to change at will."""
    return Path(shutil.copy(_league_of_weeks, tmp_path / "league.db"))
