"""The most that a contest could have changed, whatever its result.

Theorem 5.7 of the Elo-MMR paper: a performance pulls a rating with a force of at most
``pi / (beta sqrt 3)``, whatever it is, and the belief before pulls back with at least w0 for every
point. The theorem's bound is their quotient. The exact limit is where the two forces balance.
"""

import math
from dataclasses import dataclass

from podium.ratings.explanations.averages import Forces, forces
from podium.ratings.explanations.replay import Replay
from podium.systems.elo import Elo
from podium.systems.elo_mmr import EloMMR
from podium.systems.topcoder import Topcoder


@dataclass(frozen=True, slots=True)
class Limits:
    """Where mu would be after the worst and the best performance that can be thought of."""

    lowest: float
    """Minus infinity if there is no limit."""
    highest: float
    theorem: float | None = None
    """In Elo-MMR: the simpler bound of Theorem 5.7 on the change, in either direction."""


def limits(replay: Replay) -> Limits | None:
    """The limits for this player in this contest; None where podium knows none."""
    if not replay.is_contested:
        return None
    system, mu = replay.system, float(replay.before.table["mu"][replay.player])
    if isinstance(system, Topcoder):
        cap = 150.0 + 1500.0 / (int(replay.before.table["contests"][replay.player]) + 2)
        return Limits(mu - cap, mu + cap)
    if isinstance(system, Elo):
        most = _elo_limit(replay, system)
        return None if most is None else Limits(mu - most, mu + most)
    held = forces(replay)
    if held is None or not len(held.p):
        return None
    theorem = float(held.c[-1]) / held.w0 if isinstance(system, EloMMR) else None
    return Limits(_extreme(held, -math.inf), _extreme(held, _ceiling(replay)), theorem)


def _ceiling(replay: Replay) -> float:
    return float(replay.columns.perf_ceiling[0])


def _extreme(held: Forces, performance: float) -> float:
    """The rating if the performance of this contest were another."""
    rest, force, steepness = held.without_last(), float(held.c[-1]), float(held.a[-1])

    def balance(x: float) -> float:
        return rest.at(x) + force * math.tanh(steepness * (x - performance))

    backing = math.inf if held.a0 == 0.0 else held.w0 / held.a0 + float(rest.c.sum())
    if math.isinf(performance) and backing <= force:
        return performance
    low = high = held.p0
    stride = 1.0 / steepness
    while balance(low) > 0.0:
        low, stride = low - stride, 2.0 * stride
    stride = 1.0 / steepness
    while balance(high) < 0.0:
        high, stride = high + stride, 2.0 * stride
    while True:
        x = 0.5 * (low + high)
        if not low < x < high:
            return x
        if balance(x) > 0.0:
            high = x
        else:
            low = x


def _elo_limit(replay: Replay, system: Elo) -> float | None:
    """K, times what the contest counts; None if K grows with a margin of victory."""
    opponents = len(replay.heads) - 1
    if system.margin != "none" and replay.columns.margin is not None and opponents == 1:
        return None
    record = replay.before.table[replay.player]
    k = system.k
    if system.k_new is not None and record["contests"] < system.contests_new:
        k = system.k_new
    elif system.k_top is not None and record["reached_top"]:
        k = system.k_top
    return k * replay.weight * (opponents if system.contest == "sum" else 1.0)
