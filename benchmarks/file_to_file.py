"""From a file of all Codeforces contests to a folder of ratings, history and beliefs."""

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import Figure, best_of, data_file, in_fresh_process

_ALONE = """
import sys, time, podium
contests = podium.read(sys.argv[1])
podium.rate(contests[:50], "elo-mmr", threads=1)
times = []
for _ in range(3):
    start = time.perf_counter()
    podium.rate(contests, "elo-mmr", threads=1)
    times.append(time.perf_counter() - start)
print(min(times))
"""
_COMMAND = """
import re, sys
from podium.cli.app import run
run(["rate", sys.argv[1], "--out", sys.argv[2]])
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(int(peak[1]) / 1024)
"""


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "ratings"
        command = [sys.executable, "-m", "podium", "rate", str(path), "--out", str(out)]
        whole = best_of(4, lambda: subprocess.run(command, check=True, capture_output=True))
        peak = float(in_fresh_process(_COMMAND, path, out))
    alone = float(in_fresh_process(_ALONE, path))
    return [
        Figure("podium rate --out", whole, "s", "rating alone, one thread", alone, "<= 1.3 × it"),
        Figure("peak of it", peak, "MB", goal="<= 550 MB"),
    ]
