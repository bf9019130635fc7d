"""A contest of 10,000 predicted, and one player of it at every rank, by every system; CPU time.

Data: codeforces.parquet. What is asked about is the last contest of at least 10,000 players, cut to
its best 10,000, after the 40 contests before it; the player is the one in the middle. A fold is
`System.update_many` on a copy of the beliefs, `podium.predict` has everybody's expected rank too,
and `podium.curve` is the player's rating at 200 ranks, or more if goals are looked for. Teams are
two players who stand next to each other. The least of several runs counts, with the time of all
threads; everything has run before.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import podium
from benchmarks.report import Figure, cpu_seconds, data_file
from podium.ratings.fold import ready_to_fold
from podium.systems import PerformanceModel
from podium.systems.base import EVENTS

PLAYERS = 10_000
BEFORE = 40
RUNS = 5
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("elo-mmr", {}),
    ("elo-mmr", {"performance": "gaussian"}),
    ("elo-mmr", {"performance": "sech"}),
    ("elo-mmx", {}),
    ("elo-r", {}),
    ("elo-r-draft", {}),
    ("elo", {}),
    ("glicko", {}),
    ("glicko2", {}),
    ("codeforces", {}),
    ("topcoder", {}),
    ("atcoder", {}),
    ("trueskill", {}),
    *(("weng-lin", {"model": model}) for model in podium.systems.WengLin.kernel.MODELS),
)
TEAMS = ("elo-mmx", "trueskill", "weng-lin")


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    number = int(np.flatnonzero(contests.sizes >= PLAYERS)[-1])
    asked = contests[number : number + 1].frame().head(PLAYERS)
    before = contests[number - BEFORE : number]
    return [figure for each in _questions(before, asked) for figure in _figures(*each)]


def _questions(
    before: podium.Contests, asked: pl.DataFrame
) -> Iterator[tuple[str, podium.Beliefs, podium.Contests]]:
    alone = podium.Contests.from_frame(asked)
    pairs = pl.int_range(pl.len()) // 2
    teams = podium.Contests.from_frame(
        asked.with_columns(team=pairs.cast(pl.String), rank=pairs + 1)
    )
    for name, said in SETTINGS:
        parameters = {**said, "performance": _sech()} if "sech" in said.values() else said
        beliefs = podium.rate(before, name, history=False, **parameters).beliefs
        yield " ".join((name, *said.values())), beliefs, alone
        if name in TEAMS and not said.get("model", "").startswith("t"):
            yield " ".join((name, *said.values(), "in teams")), beliefs, teams


def _figures(what: str, beliefs: podium.Beliefs, contest: podium.Contests) -> Iterator[Figure]:
    alone = contest.with_own_players()
    player = alone.players[int(alone.columns.player[alone.rows // 2])]
    fold = folding(beliefs, alone)
    predicted = _least(lambda: podium.predict(beliefs, contest))
    imagined = _least(lambda: podium.curve(beliefs, contest, player))
    yield Figure(f"{what}: folded", 1000.0 * fold, "ms")
    yield Figure(f"{what}: predicted", 1000.0 * predicted, "ms")
    yield Figure(f"{what}: at every rank", imagined / predicted, "predictions", goal="≤ 2")


def folding(beliefs: podium.Beliefs, contest: podium.Contests) -> float:
    """Seconds that it takes to fold a contest, the least of some runs."""
    names = [name for name in contest.players if name in beliefs.index]
    part = beliefs.part(np.array([beliefs.index[name] for name in names]))
    state, columns = ready_to_fold(contest, None, part, {})
    update = partial(state.system.update_many, columns=columns)
    room = np.empty((len(EVENTS), contest.rows))
    return min(cpu_seconds(partial(update, state.copy(), events=room)) for _ in range(RUNS + 1))


def _least(question: Callable[[], Any]) -> float:
    question()
    return min(cpu_seconds(question) for _ in range(RUNS))


def _sech() -> PerformanceModel:
    """Hyperbolic secant performances, as a model of one's own."""
    half = math.pi / 2

    def draw(z: float) -> float:
        return -half * math.tanh(half * z)

    def victory(z: float) -> float:
        return half / (2 * math.cosh(half * z) * math.atan(math.exp(half * z)))

    def loss(z: float) -> float:
        return -half / (2 * math.cosh(half * z) * math.atan(math.exp(-half * z)))

    return PerformanceModel("sech", loss, draw, victory)
