"""One result of a Codeforces league explained, in terms of folding its contest alone; CPU time.

Data: codeforces.parquet, 280,701 players in 1,071 contests, recorded in SQLite by elo-mmr. Of the
contests of 8,000 to 14,000 players the first, one in the middle and the last are taken, and in each
the player in the middle of its standings. A fold is `System.update_many` on what was believed of
the participants just before. The view is open, and everything has run before; the least of nine
runs counts, with the time of all threads.
"""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import podium
from benchmarks.report import Figure, cpu_seconds, data_file
from podium.league.views import View
from podium.ratings.fold import ready_to_fold
from podium.systems.base import EVENTS

SIZES = (8_000, 14_000)
RUNS = 9


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    sizes = contests.sizes
    large = np.flatnonzero((sizes >= SIZES[0]) & (sizes <= SIZES[1])).tolist()
    chosen = {"early": large[0], "middle": large[len(large) // 2], "last": large[-1]}
    with (
        tempfile.TemporaryDirectory() as folder,
        podium.League.create(Path(folder) / "league.db") as league,
    ):
        league.record(contests)
        with league.snapshot() as view:
            return [
                figure
                for when, number in chosen.items()
                for figure in _figures(view, when, contests[number].id)
            ]


def _figures(view: View, when: str, contest: str) -> list[Figure]:
    beliefs, alone = view.before(contest)
    name = view.contest(contest)["player"][alone.rows // 2]
    fold = _folding(beliefs, alone)
    explained = _least(lambda: view.explain(contest, name))
    imagined = _least(lambda: view.what_if(contest, name))
    return [
        Figure(f"{when}: a contest of {alone.rows:,} folded", 1000.0 * fold, "ms"),
        Figure(f"{when}: one result explained", explained / fold, "folds", goal="≤ 12"),
        Figure(f"{when}: the rating at every rank", imagined / fold, "folds", goal="≤ 25"),
    ]


def _folding(beliefs: podium.Beliefs, contest: podium.Contests) -> float:
    """On copies of the beliefs that are made before."""
    state, columns = ready_to_fold(contest.with_own_players(), None, beliefs, {})
    update = partial(state.system.update_many, columns=columns)
    room = np.empty((len(EVENTS), contest.rows))
    return min(cpu_seconds(partial(update, state.copy(), events=room)) for _ in range(RUNS + 1))


def _least(question: Callable[[], Any]) -> float:
    question()
    return min(cpu_seconds(question) for _ in range(RUNS))
