"""A league of all Codeforces contests: recording, correcting and asking; wall time.

Recorded in one go beside ``podium rate --out`` with its history in Parquet, both as commands, from
starting to the end, one after the other. Questions are asked
five times, and the shortest time counts; changes are made once, in the order of the table. Two of
them are made again on copies, beside bare ``sqlite3``: see `benchmarks.changes`.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

import podium
from benchmarks import changes
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
        figures = [
            Figure("all contests recorded", recorded, "s", "podium rate", rated, "≥ 1/4"),
            Figure("size of the file", size, "MB"),
        ]
        for what, change in _changes(contests).items():
            figures += changes.figures(folder, folder / "league.db", what, change)
        with podium.League(folder / "league.db") as league:
            figures += _in_use(league, contests)
    return figures


def _changes(contests: podium.Contests) -> dict[str, changes.Act]:
    """What is done to a league now and then."""
    late, one = contests[len(contests) - 20], _of_ten_thousand(contests, "one more")
    return {
        "one more contest of 10,000": lambda league: league.record(one),
        "disqualified in the 20th last": lambda league: league.disqualify(late.id, late.players[0]),
    }


def _in_use(league: podium.League, contests: podium.Contests) -> list[Figure]:
    late = contests[len(contests) - 20]
    running = _of_ten_thousand(contests, "running")
    figures = [
        Figure(what, 1000.0 * best_of(5, question), "ms", goal=goal)
        for what, goal, question in (
            ("predicted a contest of 10,000", "< 200", lambda: league.predict(running)),
            ("leaderboard, the first page", "milliseconds", lambda: league.leaderboard(20)),
            ("the page of one player", "", lambda: league.history_of(late.players[1])),
            ("one result explained", "", lambda: league.explain(late.id, late.players[1])),
        )
    ]
    for (what, change), goal in zip(_changes(contests).items(), ("< 1", "< 5"), strict=True):
        seconds = _seconds(partial(change, league))
        figures.append(Figure(f"{what}, in a league that stays open", seconds, "s", goal=goal))
    figures.append(Figure("everything verified", _seconds(league.verify), "s"))
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
