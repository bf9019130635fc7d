import os
import subprocess
import sys

import pytest

ASK = """
from podium.numerics.compiled import is_kept
from podium.numerics.elo_mmr import fold_contests
print(is_kept(fold_contests))
"""
NOTE = "Compiling for this machine, once; this takes some seconds …\n"


def test_an_empty_cache_is_noticed(tmp_path):
    assert _python(ASK, tmp_path) == "False\n"


@pytest.mark.slow
def test_the_note_comes_once(season, process, tmp_path):
    first = process("leaderboard", season, NUMBA_CACHE_DIR=str(tmp_path))
    second = process("leaderboard", season, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.whole_stderr.startswith(NOTE)
    assert NOTE not in second.whole_stderr
    assert first.stdout == second.stdout
    assert _python(ASK, tmp_path) == "True\n"


def _python(script: str, cache: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
