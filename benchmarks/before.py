"""Podium beside another version of itself: the same work in processes of both, in turn.

`PODIUM_BEFORE` names the folder `src` of another checkout. Every figure is the least of several
runs; kernels of both are compiled before.
"""

import os
import sys
import tempfile
from pathlib import Path

import podium
from benchmarks.report import Figure, data_file, in_fresh_process

RUNS = 3
FIRST_USED = ("elo-mmr", "elo-mmx", "elo-r", "trueskill", "glicko2", "elo", "codeforces")
_TIMED = """
import json, sys, time
def timed(function, clock, runs=3):
    times = []
    for _ in range(runs):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)
"""
_FOLD = """
import podium
contests = podium.read(sys.argv[1])
system, threads = sys.argv[2], int(sys.argv[3])
podium.rate(contests[:300], system, threads=threads)
clock = time.process_time if threads == 1 else time.perf_counter
print(json.dumps(timed(lambda: podium.rate(contests, system, threads=threads), clock)))
"""
_MATCHES = """
import podium
from benchmarks.matches import season
matches, system = season(), sys.argv[1]
podium.rate(matches[:100], system, threads=1, history=False)
rate = lambda: podium.rate(matches, system, threads=1, history=False)
print(json.dumps(timed(rate, time.process_time, 7)))
"""
_LUCK = """
from benchmarks.luck import PLAYERS, replayed, season
replayed(season(10, 20), 20)
columns = season(200_000, PLAYERS)
print(json.dumps(timed(lambda: replayed(columns, PLAYERS), time.process_time)))
"""
_PREDICT = """
import numpy as np, podium
contests = podium.read(sys.argv[1])
number = int(np.flatnonzero(contests.sizes >= 10_000)[-1])
asked = podium.Contests.from_frame(contests[number : number + 1].frame().head(10_000))
beliefs = podium.rate(contests[number - 40 : number], "elo-mmr", history=False).beliefs
podium.predict(beliefs, asked)
print(json.dumps(timed(lambda: podium.predict(beliefs, asked), time.process_time, 7)))
"""
_FIRST = """
import resource, subprocess
command = [sys.executable, "-m", "podium", "rate", sys.argv[1], "--system", sys.argv[2]]
spent = [0.0]
for _ in range(2):
    subprocess.run(command, check=True, capture_output=True)
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent.append(usage.ru_utime + usage.ru_stime)
print(json.dumps(spent[1] - (spent[2] - spent[1])))
"""
_SMALL = "contest,time,player,rank\n" + "\n".join(
    f"{contest},{contest},{player},{rank}"
    for contest in range(2)
    for rank, player in enumerate(("Ada", "Grace", "Linus"), 1)
)


def run() -> list[Figure]:
    before = os.environ.get("PODIUM_BEFORE", "")
    if not (Path(before) / "podium" / "__init__.py").is_file():
        sys.exit("this benchmark needs PODIUM_BEFORE, the folder src of another checkout.")
    here = str(Path(podium.__file__).parents[1])
    data = data_file("codeforces.parquet")
    figures = []

    def compare(what: str, unit: str, goal: str, code: str, *arguments: object) -> None:
        times = {here: [], before: []}
        for _ in range(RUNS):
            for tree, mine in times.items():
                path = f"{tree}:{Path(__file__).parents[1]}"
                mine.append(float(in_fresh_process(_TIMED + code, *arguments, PYTHONPATH=path)))
        now, then = (min(times[tree]) for tree in (here, before))
        figures.append(Figure(what, now, unit, "before", then, goal))

    for system in ("elo-mmr", "elo-mmx", "elo-r", "trueskill"):
        compare(f"{system}, Codeforces, one thread", "CPU s", "", _FOLD, data, system, 1)
    compare("elo-mmr, Codeforces, two threads", "s", "", _FOLD, data, "elo-mmr", 2)
    for system in ("elo", "glicko2", "trueskill"):
        compare(f"{system}, a million matches", "CPU s", "", _MATCHES, system)
    compare("luck, 200,000 matches", "CPU s", "", _LUCK)
    compare("elo-mmr, 10,000 predicted", "CPU s", "≥ 2.5", _PREDICT, data)
    with tempfile.TemporaryDirectory() as folder:
        figures += _from_file_to_file(Path(folder), data, here, before)
        figures += _first_uses(Path(folder), here, before)
    return figures


def _first_uses(folder: Path, here: str, before: str) -> list[Figure]:
    """CPU time of the first `podium rate` with no compiled kernels, less that of the second."""
    small, figures = folder / "small.csv", []
    small.write_text(_SMALL)
    for system in FIRST_USED:
        times = {here: [], before: []}
        for _ in range(RUNS):
            for tree, mine in times.items():
                with tempfile.TemporaryDirectory(dir=folder) as kept:
                    alone = {"PYTHONPATH": tree, "NUMBA_CACHE_DIR": kept}
                    took = in_fresh_process(_TIMED + _FIRST, small, system, **alone)
                mine.append(float(took))
        now, then = (min(times[tree]) for tree in (here, before))
        what = f"{system}, what its first use compiles"
        figures.append(Figure(what, now, "CPU s", "before", then, "≥ 2"))
    return figures


def _from_file_to_file(folder: Path, data: Path, here: str, before: str) -> list[Figure]:
    """Wall time of `podium rate --out` beside that of rating alone, by the other version."""
    alone = float(in_fresh_process(_TIMED + _FOLD, data, "elo-mmr", 1, PYTHONPATH=before))
    code = f"""
def command():
    subprocess.run([sys.executable, "-m", "podium", "rate", {str(data)!r}, "--out",
        {str(folder / "out")!r}], check=True, capture_output=True)
import subprocess
print(json.dumps(timed(command, time.perf_counter)))
"""
    now, then = (float(in_fresh_process(_TIMED + code, PYTHONPATH=tree)) for tree in (here, before))
    return [
        Figure("podium rate --out", now, "s", "before", then),
        Figure("podium rate --out", now, "s", "rating alone, before", alone, "≥ 1 / 1.3"),
    ]
