"""How soon one can work: imports, help, and the first run on a new machine."""

import subprocess
import sys
import tempfile

from benchmarks.report import Figure, best_of, in_fresh_process

_RATE = """
import time
start = time.perf_counter()
import podium
contests = podium.Contests.from_records(
    {"contest": "c", "time": 0, "player": f"p{n}", "rank": n + 1} for n in range(5000)
)
podium.rate(contests, "elo-mmr")
ladder = podium.Ladder("elo-mmr")
ladder.record(["ann", "bob"])
print(time.perf_counter() - start)
"""


def run() -> list[Figure]:
    def python(*arguments: str) -> None:
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as cache:
        first = float(in_fresh_process(_RATE, NUMBA_CACHE_DIR=cache))
        later = float(in_fresh_process(_RATE, NUMBA_CACHE_DIR=cache))
    bare = best_of(5, lambda: python("-c", "pass"))
    return [
        Figure(
            "import podium", (best_of(5, lambda: python("-c", "import podium")) - bare) * 1e3, "ms"
        ),
        Figure("podium --help", best_of(5, lambda: python("-m", "podium", "--help")) * 1e3, "ms"),
        Figure("first contests on a new machine", first, "s", goal="< 20 s"),
        Figure("the same from the cache", later, "s"),
    ]
