"""A league of all Codeforces contests: recording, correcting and asking; wall time.

Recorded in one go beside ``podium rate --out`` with its history in Parquet, both as commands, from
starting to the end, one after the other. Questions are asked
five times, and the shortest time counts; changes are made once, in the order of the table.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import podium
from benchmarks.report import Figure, best_of, data_file


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    contests = podium.read(path)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rated = _seconds_of("rate", path, "--out", folder / "ratings")
        _seconds_of("init", folder / "league.db")
        recorded = _seconds_of("record", folder / "league.db", path)
        size = (folder / "league.db").stat().st_size / 1e6
        with podium.League(folder / "league.db") as league:
            figures = [
                Figure("all contests recorded", recorded, "s", "podium rate", rated, "≥ 1/4"),
                Figure("size of the file", size, "MB"),
                *_in_use(league, contests),
            ]
    return figures


def _in_use(league: podium.League, contests: podium.Contests) -> list[Figure]:
    late = contests[len(contests) - 20]
    one, running = (_of_ten_thousand(contests, name) for name in ("one more", "running"))
    figures = [
        Figure(what, 1000.0 * best_of(5, question), "ms", goal=goal)
        for what, goal, question in (
            ("predicted a contest of 10,000", "< 200", lambda: league.predict(running)),
            ("leaderboard, the first page", "milliseconds", lambda: league.leaderboard(20)),
            ("the page of one player", "", lambda: league.history_of(late.players[1])),
            ("one result explained", "", lambda: league.explain(late.id, late.players[1])),
        )
    ]
    for what, goal, change in (
        ("one more contest of 10,000", "< 1", lambda: league.record(one)),
        (
            "disqualified in the 20th last",
            "< 5",
            lambda: league.disqualify(late.id, late.players[0]),
        ),
        ("everything verified", "", league.verify),
    ):
        figures.append(Figure(what, _seconds(change), "s", goal=goal))
    return figures


def _of_ten_thousand(contests: podium.Contests, name: str) -> podium.Contests:
    """A contest after all others, of the first 10,000 of the last large one."""
    last = max(number for number, size in enumerate(contests.sizes) if size >= 10_000)
    standings = contests[last : last + 1].frame().head(10_000)
    return podium.Contests.from_frame(
        standings.with_columns(contest=pl.lit(name), time=pl.lit("2020-09-01"))
    )


def _seconds(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _seconds_of(*arguments: object) -> float:
    """Run a command in a process of its own, where kernels are compiled already."""
    command = [sys.executable, "-m", "podium", *map(str, arguments)]
    return _seconds(lambda: subprocess.run(command, check=True, capture_output=True))
