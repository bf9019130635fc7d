"""Luck at 1,001 points: matches a second beside the paper's way, accuracy, growth, memory.

The peer follows section 3.4 of the paper in NumPy and SciPy: two Fourier convolutions for the
likelihoods of a match, two for the drifts. The paper itself reports 170 matches a second
and core. CPU time, one thread.
"""

import time

import numpy as np
from scipy.signal import fftconvolve

import podium
from benchmarks.report import Figure, cpu_seconds, in_fresh_process
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.results.columns import Columns

MATCHES = 200_000
PLAYERS = 5_000
SLOW = 2_000
"""How many of the matches the peer plays; its speed does not depend on the match."""
GRIDS = (501, 1001, 2001, 4001, 8001, 16_001)
_MEMORY = """
import json, re, sys
import numpy as np
import podium
from benchmarks.luck import season
players = int(sys.argv[1])
system = podium.system("luck", storage=sys.argv[2])
columns = season(players // 2, players, every=True)
beliefs = podium.Beliefs(system)
beliefs.enrol([f"player-{number}" for number in range(players)])
system.update_many(beliefs, columns)
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps(int(peak[1]) / 1024 / 1024))
"""


def season(matches: int, players: int, *, every: bool = False) -> Columns:
    """Random pairs whose strengths decide, four times of five; `every`: each player once."""
    rng = np.random.default_rng(1)
    strength = rng.normal(0.0, 0.7, players)
    if every:
        a, b = rng.permutation(players).reshape(2, -1)
    else:
        a = rng.integers(0, players, matches)
        b = (a + rng.integers(1, players, matches)) % players
    chance = 0.1 + 0.8 / (1.0 + np.exp(strength[b] - strength[a]))
    won = rng.random(matches) < chance
    pairs = np.stack((np.where(won, a, b), np.where(won, b, a)), axis=1)
    return Columns(
        offsets=2 * np.arange(matches + 1),
        player=pairs.astype(np.int32).ravel(),
        rank=np.tile(np.array((1, 2), np.int32), matches),
        time=np.arange(matches) * int(MICROSECONDS_PER_DAY),
        weight=np.ones(matches),
        perf_ceiling=np.full(matches, np.inf),
    )


def replayed(columns: Columns, players: int, **parameters: object) -> podium.Beliefs:
    system = podium.system("luck", **parameters)
    beliefs = podium.Beliefs(system)
    beliefs.enrol([str(number) for number in range(players)])
    system.update_many(beliefs, columns)
    return beliefs


def run() -> list[Figure]:
    columns = season(MATCHES, PLAYERS)
    replayed(season(10, 20), 20)
    seconds = min(cpu_seconds(lambda: replayed(columns, PLAYERS)) for _ in range(3))
    quick = replayed(columns, PLAYERS)
    naive = replayed(columns, PLAYERS, algorithm="naive")
    apart = float(np.abs(quick.column("mu") - naive.column("mu")).max())
    figures = [
        Figure(
            f"{MATCHES:,} matches of {PLAYERS:,}",
            seconds / MATCHES * 1e6,
            "µs",
            "by the paper, SciPy",
            _by_the_paper(columns) * 1e6,
            "≤ 20 µs",
        ),
        Figure("means, most apart from naive", apart * 1e9, "1e-9 points", goal="< 173.7"),
    ]
    figures += [
        Figure(f"a match at {points:,} points", _per_match(points) * 1e6, "µs", goal="linear")
        for points in GRIDS
    ]
    for storage in ("double", "single"):
        gigabytes = float(in_fresh_process(_MEMORY, 1_000_000, storage))  # type: ignore[arg-type]
        figures.append(Figure(f"peak, 1,000,000 players, {storage}", gigabytes, "GB"))
    return figures


def _per_match(points: int) -> float:
    columns = season(20_000, 500)
    replayed(season(10, 20), 20, points=points)
    return (
        min(cpu_seconds(lambda: replayed(columns, 500, points=points)) for _ in range(3)) / 20_000
    )


def _by_the_paper(columns: Columns) -> float:
    """Seconds for a match."""
    x = np.linspace(-7.0, 7.0, 1001)
    prior = np.exp(-0.5 * (x / 0.7) ** 2)
    beliefs = np.tile(prior / prior.sum(), (PLAYERS, 1))
    differences = np.linspace(-14.0, 14.0, 2001)
    rest = 1.0 / (1.0 + np.exp(-differences)) - np.heaviside(differences, 0.5)
    drift = np.exp(-0.5 * (differences / 0.03) ** 2)
    start = time.process_time()
    for a, b in columns.player[: 2 * SLOW].reshape(-1, 2).tolist():
        after = []
        for own, other, sign in ((beliefs[a], beliefs[b], 1.0), (beliefs[b], beliefs[a], -1.0)):
            below = np.cumsum(other) - 0.5 * other
            curve = fftconvolve(other, rest, mode="valid") + below
            likelihood = 0.5 + sign * 0.8 * (curve - 0.5)
            moved = fftconvolve(own * likelihood, drift, mode="valid")
            moved = np.maximum(moved, 0.0)
            after.append(moved / moved.sum())
        beliefs[a], beliefs[b] = after
    return (time.process_time() - start) / SLOW
