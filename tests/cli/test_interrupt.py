import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest

import podium
from podium.extras import is_installed

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


STARTED = """
import os

with open(os.environ["PODIUM_EVENTS"], "w") as events:
    events.write("started.")
"""
"""What every Python process does first, as its sitecustomize."""
WORKING = """
import os
from podium.ratings import ladders

rated = ladders._rated

def marked(*arguments):
    with open(os.environ["PODIUM_EVENTS"], "w") as events:
        events.write("working.")
    return rated(*arguments)

if __name__ == "__main__":
    import working
    from podium.cli import main

    ladders._rated = working.marked
    main()
"""
"""A podium whose workers say when they are at work."""


@pytest.mark.slow
@ON_A_TERMINAL
def test_an_interrupt_while_rating_leaves_nothing(tmp_path):
    command = _rating(tmp_path, [sys.executable, "-m", "podium"])
    _assert_interrupted(tmp_path, command, "terminal", b"Rating")


@pytest.mark.slow
@ON_A_TERMINAL
@pytest.mark.parametrize("event", [b"working.", b"started." * 3])
@pytest.mark.parametrize("backend", ["local", "dask", "ray"])
def test_an_interrupt_while_processes_rate_or_start_leaves_nothing(tmp_path, backend, event):
    if not is_installed({"local": "joblib", "dask": "distributed", "ray": "ray"}[backend]):
        pytest.skip(f"needs podium[{backend}]")
    (tmp_path / "sitecustomize.py").write_text(STARTED)
    (tmp_path / "working.py").write_text(WORKING)
    where = ("--jobs", "2", "--backend", backend)
    command = _rating(tmp_path, [sys.executable, tmp_path / "working.py"], *where)
    _assert_interrupted(tmp_path, command, "events", event)


def _rating(folder: Path, podium_command: list[object], *where: str) -> list[object]:
    """A command that rates for about a minute, against so many sampled opponents."""
    podium.rate(podium.simulate(players=5, rounds=2), "elo-mmr", opponents=250)  # compiles
    results = podium.simulate(players=300, rounds=400).frame()
    if where:
        second = pl.col("contest").str.tail(1).is_in(list("13579"))
        results = results.with_columns(
            ladder=pl.when(second).then(pl.lit("b")).otherwise(pl.lit("a"))
        )
    results.write_parquet(folder / "large.parquet")
    out = folder / "out" / "ratings"
    options = ["--set", "opponents=250", "--future", "--out", out, *where]
    return [*podium_command, "rate", folder / "large.parquet", *options]


def _assert_interrupted(folder: Path, command: list[object], source: str, text: bytes) -> None:
    """Interrupt the command once this text has come from its terminal, or as an event."""
    os.mkfifo(folder / "events")
    terminal, its_end = os.openpty()
    sources = {"terminal": terminal, "events": os.open(folder / "events", os.O_RDWR)}
    path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
    environment = {"PODIUM_EVENTS": str(folder / "events"), "PYTHONPATH": path}
    running = subprocess.Popen(
        command,
        stdout=its_end,
        stderr=its_end,
        start_new_session=True,
        env={**os.environ, **environment},
    )
    os.close(its_end)
    heard = dict.fromkeys(sources.values(), b"")
    _hear(heard, sources[source], text)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    _hear(heard, terminal, b"podium: interrupted.")
    assert running.wait(300.0) == 130
    _wait_for_the_end_of(running.pid)
    with suppress(OSError):  # which is the end of a terminal
        while more := os.read(terminal, 4096):
            heard[terminal] += more
    said = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]|(Reading|Rating) [^\r\n]*|\s+", b"", heard[terminal])
    assert said == b"podium:interrupted."
    assert not (folder / "out").exists()
    for descriptor in heard:
        os.close(descriptor)


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


def _hear(heard: dict[int, bytes], source: int, text: bytes) -> None:
    """Listen to all sources until one has said this."""
    while text not in heard[source]:
        ready, _, _ = select.select(list(heard), [], [], 300.0)
        assert ready, heard
        for each in ready:
            heard[each] += os.read(each, 4096)


def _wait_for_the_end_of(group: int) -> None:
    deadline = time.monotonic() + 300.0
    while True:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        assert time.monotonic() < deadline
        time.sleep(0.05)
