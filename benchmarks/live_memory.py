"""A million matches through a feed: what memory it takes as they go by.

Players come and go: of 200,000, each match is of two, so that more play than the feed knows without
asking (64 MB). ``podium`` is the resident memory of the process after so many matches.
"""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import podium
from benchmarks.live import in_threads
from benchmarks.report import Figure

MATCHES = 1_000_000
PLAYERS = 200_000
MEMORY = 64 * 2**20
THREADS = 32
STEPS = 10


def resident() -> float:
    """MB of this process that are in memory now."""
    with contextlib.suppress(OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * 4096 / 2**20
    return float("nan")


def run() -> list[Figure]:
    return list(_figures())


def _figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "league.db"
        with podium.League.create(path, "glicko2") as league:
            with league.feed(memory=MEMORY) as feed:
                for step in range(STEPS):
                    moment = time.perf_counter()
                    in_threads(feed, THREADS, MATCHES // STEPS, PLAYERS, f"step {step}")
                    rate = MATCHES / STEPS / (time.perf_counter() - moment)
                    done = feed.statistics["matches"]
                    yield Figure(f"after {done:,} matches, {rate:,.0f} a second", resident(), "MB")
                known = feed.statistics
                yield Figure("players known without asking", known["players"], "")
            yield Figure("the league's file", path.stat().st_size / 2**20, "MB")
