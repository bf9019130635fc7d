import os
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

import podium

ON_A_TERMINAL = pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
INTERRUPTED_WHILE_WRITING = """
import os, signal, sys
from podium.ratings.beliefs import Beliefs
from podium.cli import main

def save(self, path):
    path.write_bytes(b"half of it")
    os.kill(os.getpid(), signal.SIGINT)

Beliefs.save = save
sys.argv = ["podium", *sys.argv[1:]]
main()
"""


@pytest.mark.slow
@ON_A_TERMINAL
@pytest.mark.parametrize(
    "where", [[], ["--jobs", "2"], ["--jobs", "2", "--backend", "dask"]], ids=" ".join
)
def test_an_interrupt_while_rating_leaves_nothing(tmp_path, where):
    if "dask" in where:
        pytest.importorskip("distributed", reason="needs podium[dask]")
    podium.rate(podium.simulate(players=5, rounds=2), "elo-mmr", opponents=250)  # compiles
    # Rating against so many sampled opponents takes about a minute; the bar shows that it is on.
    results = podium.simulate(players=300, rounds=400).frame()
    if where:
        second = pl.col("contest").str.tail(1).is_in(list("13579"))
        results = results.with_columns(
            ladder=pl.when(second).then(pl.lit("b")).otherwise(pl.lit("a"))
        )
    results.write_parquet(tmp_path / "large.parquet")
    out = tmp_path / "out" / "ratings"
    arguments = ["rate", tmp_path / "large.parquet", "--set", "opponents=250", "--out", out, *where]
    terminal, its_end = os.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "podium", *arguments], stderr=its_end, start_new_session=True
    )
    os.close(its_end)
    seen = _read_until(terminal, b"Rating", 120.0)
    time.sleep(5.0 if where else 0.0)  # until the processes are at work
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    seen += _read_until(terminal, b"podium: interrupted.", 60.0)
    assert running.wait(60.0) == 130
    assert b"Traceback" not in seen
    assert not out.parent.exists()
    _wait_for_the_end_of(running.pid)


def test_an_interrupt_while_writing_leaves_nothing(season, tmp_path):
    done = _interrupted_while_writing("rate", season, "--out", tmp_path / "ratings")
    assert done.returncode == 130
    assert done.stderr == "podium: interrupted.\n"
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_while_writing_leaves_earlier_ratings_as_they_were(season, tmp_path):
    podium.rate(podium.simulate(players=5, rounds=2)).save(tmp_path / "ratings")
    before = {file: file.read_bytes() for file in (tmp_path / "ratings").iterdir()}
    done = _interrupted_while_writing("rate", season, "--out", tmp_path / "ratings")
    assert done.returncode == 130
    assert {file: file.read_bytes() for file in (tmp_path / "ratings").iterdir()} == before


def _interrupted_while_writing(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_WRITING, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def _read_until(terminal: int, text: bytes, seconds: float) -> bytes:
    seen = b""
    deadline = time.monotonic() + seconds
    while text not in seen:
        assert time.monotonic() < deadline, seen
        seen += os.read(terminal, 4096)
    return seen


def _wait_for_the_end_of(group: int) -> None:
    deadline = time.monotonic() + 60.0
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)
