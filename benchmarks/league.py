"""A league of all Codeforces contests: recording, correcting and asking; wall time.

Recorded in one go beside ``podium rate --out`` with its history in Parquet, both as commands, from
starting to the end, one after the other. The league is then closed and opened again; what is asked
of it is asked once, with nothing in memory but what the system keeps of files.
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
from benchmarks.report import Figure, data_file


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
    sizes = contests.sizes.tolist()
    last = max(number for number, size in enumerate(sizes) if size >= 10_000)
    one = contests[last : last + 1]
    league.remove(one[0].id)
    late = contests[len(contests) - 20]
    running = one.frame().with_columns(contest=pl.lit("running"))
    imagined = podium.Contests.from_frame(running)
    league.predict(imagined)
    figures = []
    for what, goal, question in (
        (f"one more contest of {len(one[0]):,}", "< 1 s", lambda: league.record(one)),
        (
            "disqualified in the 20th last, dry run",
            "",
            lambda: league.disqualify(late.id, late.players[0], dry_run=True),
        ),
        (
            "disqualified in the 20th last",
            "< 5 s",
            lambda: league.disqualify(late.id, late.players[0]),
        ),
        (f"predicted a contest of {len(one[0]):,}", "< 0.2 s", lambda: league.predict(imagined)),
        ("leaderboard, the first page", "milliseconds", lambda: league.leaderboard(20)),
        ("one player", "", lambda: league.player(late.players[0])),
        ("explained", "", lambda: league.explain(late.id, late.players[1])),
        ("verified", "", league.verify),
    ):
        figures.append(Figure(what, _seconds(question), "s", goal=goal))
    return figures


def _seconds(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _seconds_of(*arguments: object) -> float:
    """Run a command in a process of its own, where kernels are compiled already."""
    command = [sys.executable, "-m", "podium", *map(str, arguments)]
    return _seconds(lambda: subprocess.run(command, check=True, capture_output=True))
