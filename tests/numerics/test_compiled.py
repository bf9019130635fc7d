"""Compiled kernels that come from disk are those of the sources as they are, and nobody else's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium.numerics import compiled, logconcave, normal

PACKAGE = Path(podium.__file__).parent
RATE = """
import podium
ladder = podium.Ladder("elo-mmx")
ladder.record(["ann", "bob", "cat"])
print(ladder["ann"].mu)
"""


def run(script: str, cache: Path, package: Path = PACKAGE) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(package.parent)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.slow
def test_a_change_of_one_kernel_is_noticed_by_those_that_call_it(tmp_path):
    package = tmp_path / "podium"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    before = run(RATE, tmp_path / "cache", package)
    source = package / "numerics" / "normal.py"
    source.write_text(source.read_text().replace("return value\n", "return 1.01 * value\n"))
    assert run(RATE, tmp_path / "cache", package) != before
    source.write_text(source.read_text().replace("return 1.01 * value\n", "return value\n"))
    assert run(RATE, tmp_path / "cache", package) == before


def test_code_is_listed_only_when_it_is_complete(tmp_path):
    files = compiled._KernelFiles(normal.hazard._cache)
    files._cache_path = str(tmp_path)
    files._index_path = str(tmp_path / files._index_name)
    written = []
    files._save_data = lambda name, _: written.append(name)
    files._save_index = lambda overloads: written.append(sorted(overloads.values()))
    files.save(("one signature",), b"code")
    files.save(("another",), b"code")
    first, listed, second, _ = written
    assert listed == [first]
    assert first != second


def test_a_model_of_ones_own_never_takes_the_place_of_another():
    """Their functions have the same names, and Numba links code from disk by module and name."""

    def constant(z):
        return 0.0 * z

    engines = [logconcave.specialise(constant, constant, constant) for _ in range(2)]
    modules = [engine["solve_panel"].py_func.__module__ for engine in engines]
    assert len({logconcave.__name__, *modules}) == 3
