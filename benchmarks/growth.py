"""One contest of ten thousand to a million participants: time per participant."""

import time

import numpy as np

import podium
from benchmarks.report import Figure
from podium.ratings.beliefs import Beliefs
from podium.results.columns import Columns

SIZES = (10_000, 100_000, 1_000_000)


def field(system: podium.systems.System, rows: int) -> Beliefs:
    """Players of all ratings and uncertainties."""
    rng = np.random.default_rng(1)
    beliefs = Beliefs(system)
    beliefs.enrol([str(number) for number in range(rows)])
    table = beliefs.table[:rows]
    table["mu"] = table["p0"] = rng.normal(1500.0, 350.0, rows)
    table["sigma"] = rng.uniform(80.0, 350.0, rows)
    table["w0"] = table["sigma"] ** -2.0
    return beliefs


def contest(beliefs: Beliefs, scores: int | None) -> Columns:
    """Ranked by performance; rounded to so many different scores if there are to be ties."""
    rows = len(beliefs)
    rng = np.random.default_rng(2)
    performance = beliefs.table["mu"][:rows] + rng.normal(0.0, 200.0, rows)
    if scores is not None:
        performance = np.floor(performance * scores / 4000.0)
    order = np.argsort(-performance, kind="stable")
    ranked = -performance[order]
    return Columns(
        offsets=np.array([0, rows]),
        player=order.astype(np.int32),
        rank=(np.searchsorted(ranked, ranked) + 1).astype(np.int32),
        time=np.zeros(1, np.int64),
        weight=np.ones(1),
        perf_ceiling=np.full(1, np.inf),
    )


def run() -> list[Figure]:
    figures = []
    for name in ("elo-mmr", "elo-mmx"):
        system = podium.system(name)
        for label, scores in (("no ties", None), ("many ties", 2000)):
            per_row: dict[int, float] = {}
            for rows in SIZES:
                beliefs = field(system, rows)
                columns = contest(beliefs, scores)
                best = np.inf
                for _ in range(3):
                    state = beliefs.copy()
                    start = time.perf_counter()
                    system.update_many(state, columns, threads=1)
                    best = min(best, time.perf_counter() - start)
                per_row[rows] = best / rows * 1e9
                figures.append(Figure(f"{name}, {label}: {rows:,}", per_row[rows], "ns a row"))
            growth = per_row[SIZES[2]] / per_row[SIZES[1]]
            figures.append(
                Figure(f"{name}, {label}: 10⁶ against 10⁵ a row", growth, "times", goal="≤ 1.3")
            )
    return figures
