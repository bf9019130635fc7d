"""What is published: the wheel and the sdist, in an environment that has nothing else."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="the package that builds podium's is not installed")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


def run(*command: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command outside the project, with nothing of this environment but the path."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    there = {key: value for key, value in os.environ.items() if key not in hidden}
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=there, capture_output=True, text=True
    )


def built(source: Path, folder: Path, kind: str) -> Path:
    done = run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", folder, cwd=source)
    assert done.returncode == 0, done.stderr
    (package,) = folder.iterdir()
    return package


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    return built(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory) -> Path:
    """Built from the sdist, as an installer would."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return built(source, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The programs of a new environment with podium, its command line and leagues."""
    folder = tmp_path_factory.mktemp("environment")
    assert run(sys.executable, "-m", "venv", folder).returncode == 0
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    done = run(programs / "python", "-m", "pip", "install", f"{wheel}[cli,league]")
    if "No matching distribution" in done.stderr or "Connection" in done.stderr:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    return programs


def sources(root: Path) -> dict[str, str]:
    """Every file of the package by name, with its digest."""
    package = root / "src"
    return {
        path.relative_to(package).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {
            name: hashlib.sha256(archive.read(name)).hexdigest()
            for name in archive.namelist()
            if ".dist-info/" not in name
        }
    assert held == sources(ROOT)
    assert "podium/py.typed" in held


def test_the_sdist_has_no_real_results_and_no_leftovers(sdist):
    with tarfile.open(sdist) as archive:
        tops = {name.split("/")[1] for name in archive.getnames() if "/" in name}
    assert tops <= {
        *("src", "tests", "docs", "deploy", "benchmarks", ".ci", ".gitignore", "PKG-INFO"),
        ".dockerignore",
        *("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml"),
    }
    assert "src" in tops


def test_a_new_environment_rates_keeps_and_says_what_it_lacks(installed, tmp_path):
    def podium(*words: object) -> str:
        done = run(installed / "podium", *words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run(installed / "python", "-m", "pip", "check").returncode == 0
    podium("simulate", "season.csv", "--players", "30", "--rounds", "5", "--seed", "1")
    best = podium("leaderboard", "season.csv", "--system", "elo", "--top", "3", "--json")
    podium("init", "club.db", "--system", "elo")
    podium("record", "club.db", "season.csv")
    kept = podium("leaderboard", "club.db", "--top", "3", "--json")
    assert json.loads(kept)["players"] == json.loads(best)["players"]
    podium("verify", "club.db")
    lacking = run(installed / "podium", "tune", "season.csv", "--system", "elo", cwd=tmp_path)
    assert lacking.returncode == 2
    assert "podium[tune]" in lacking.stderr
