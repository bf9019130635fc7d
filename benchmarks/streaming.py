"""100 million matches of a million players, streamed, beside 10 million of them in memory."""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.report import Figure, in_fresh_process

_PLAYERS = 1_000_000
_PER_FILE = 10_000_000
_FILES = 10
_CODE = """
import json, re, sys, time, podium
start = time.process_time()
given = podium.read(sys.argv[1:]) if len(sys.argv) == 2 else podium.scan(sys.argv[1:])
rated = podium.rate(given, "elo", history=False)
rated.ratings
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps({"cpu": time.process_time() - start, "peak": int(peak[1]) / 1e6}))
"""


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="podium-") as folder:
        paths = [Path(folder, f"{number}.parquet") for number in range(_FILES)]
        for number, path in enumerate(paths):
            _matches(number).write_parquet(path)
        in_fresh_process(_CODE, paths[0])  # compiled from now on
        whole = in_fresh_process(_CODE, paths[0])
        streamed = in_fresh_process(_CODE, *paths)
    matches = _FILES * _PER_FILE / 1e6
    return [
        Figure(
            f"{matches:.0f} million matches, streamed, CPU time a million",
            streamed["cpu"] / matches,
            "s",
            "10 million in memory",
            whole["cpu"] / (_PER_FILE / 1e6),
            "≤ 1.3 times the peer",
        ),
        Figure("peak of these", streamed["peak"], "GB", goal="≤ 4 GB"),
    ]


def _matches(number: int) -> pl.DataFrame:
    """Those of one file, in order of time."""
    rng = np.random.default_rng(number)
    first = rng.integers(_PLAYERS, size=_PER_FILE)
    second = (first + rng.integers(1, _PLAYERS, size=_PER_FILE)) % _PLAYERS
    seconds = np.sort(rng.integers(_PER_FILE // 4, size=_PER_FILE)) + number * (_PER_FILE // 4)
    frame = pl.DataFrame({"a": first, "b": second, "outcome": rng.integers(3, size=_PER_FILE) / 2})
    return frame.select(
        pl.Series(seconds * 1_000_000).cast(pl.Datetime("us")).alias("time"),
        pl.format("player-{}", "a").alias("player_a"),
        pl.format("player-{}", "b").alias("player_b"),
        "outcome",
    )
