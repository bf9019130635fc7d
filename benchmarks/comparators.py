"""The other contest systems on Codeforces: beside elo-mmr, and beside the Rust reference."""

import numpy as np
import polars as pl

import podium
from benchmarks.codeforces import PEER
from benchmarks.report import Figure, cpu_seconds, data_file, in_fresh_process

FIRST = 200
"""Contests that the quadratic peers rate."""
IN_ONE_MATCH = {"weng-lin": {"contest": "mean"}, "glicko": {"contest": "mean"}}
"""The authors' form, in which a contest counts as one match."""
PEERS = {"topcoder": "tcsys", "weng-lin": "bar", "glicko": "glicko"}
SIZES = (5_000, 20_000)


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    contests = podium.read(path)
    figures = []
    seconds = {name: _cpu(contests, name) for name in ("elo-mmr", "codeforces", "trueskill")}
    for name, limit in (("codeforces", 3), ("trueskill", 10)):
        what = f"{name}: {len(contests):,} contests"
        goal = f"≥ 1/{limit}"
        figures.append(
            Figure(what, seconds[name], "CPU s", "elo-mmr here", seconds["elo-mmr"], goal)
        )
    for name, peer in PEERS.items():
        ours = _cpu(contests[:FIRST], name)
        theirs = in_fresh_process(PEER, path, peer, FIRST, RAYON_NUM_THREADS="1")
        what = f"{name}: the first {FIRST} contests"
        figures.append(
            Figure(what, ours, "CPU s", f"elo-mmr-py {peer}", float(theirs), "≥ 10 times")
        )
    for name in ("codeforces", "trueskill", *PEERS):
        small, large = (_microseconds_a_row(size, name) for size in SIZES)
        what = f"{name}: {SIZES[1]:,} players, a row, beside {SIZES[0]:,}"
        figures.append(Figure(what, large, "µs", f"{SIZES[0]:,} players", small))
    return figures


def _cpu(contests: podium.Contests, name: str) -> float:
    options = IN_ONE_MATCH.get(name, {})
    podium.rate(contests[:3], name, threads=1, **options)
    return min(
        cpu_seconds(lambda: podium.rate(contests, name, threads=1, **options)) for _ in range(2)
    )


def _microseconds_a_row(size: int, name: str) -> float:
    """Of the third of three contests of the same players, none of whom are tied."""
    rng = np.random.default_rng(size)
    players = [f"p{number}" for number in range(size)]
    frames = [
        pl.DataFrame(
            {"contest": day, "time": day, "player": players, "rank": rng.permutation(size) + 1}
        )
        for day in range(3)
    ]
    season = podium.Contests.from_frame(pl.concat(frames))
    options = IN_ONE_MATCH.get(name, {})
    before = podium.rate(season[:2], name, threads=1, **options).beliefs
    seconds = min(
        cpu_seconds(lambda: podium.rate(season[2:], beliefs=before, threads=1)) for _ in range(2)
    )
    return seconds / size * 1e6
