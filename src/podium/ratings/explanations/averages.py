"""What a new rating is an average of: past performances, each with the weight that it has now.

Elo-MMR, Elo-R and its draft find the zero of an increasing function

    L'(x) = w0 (x - p0) + sum_k c_k tanh(a_k (x - p_k)).

There, x is a mean of p0 and of all p_k in which a performance has the weight
``c_k tanh(a_k (x - p_k)) / (x - p_k)``: Equation 7 of the Elo-MMR paper. It is less the farther
away a performance is. Other systems go a part of the way from the old rating to the performance.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from podium.ratings.explanations.opponents import spread, team_priors
from podium.ratings.explanations.replay import Replay
from podium.systems.base import Floats
from podium.systems.codeforces import Codeforces
from podium.systems.elo_mmr import EloMMR, EloMMX
from podium.systems.elo_r import EloR
from podium.systems.elo_r_draft import EloRDraft
from podium.systems.performance import PerformanceModel
from podium.systems.topcoder import Topcoder
from podium.systems.trueskill import TrueSkill

_NEAR = 1e-9
"""A rating this near to the performance does not say which part of the way it has gone."""


class Forces(NamedTuple):
    """What holds a rating where it is; the last performance is that of this contest."""

    p0: float
    w0: float
    a0: float
    """Zero for a Gaussian summary; otherwise it is like a performance, with ``c0 = w0 / a0``."""
    p: Floats
    a: Floats
    c: Floats
    plain: Floats
    """The weights of the performances by their age alone, as beside `w0`."""

    def at(self, x: float) -> float:
        """L'(x)."""
        base = self.w0 * (x - self.p0)
        if self.a0 > 0.0:
            base = self.w0 / self.a0 * math.tanh(self.a0 * (x - self.p0))
        return base + float(np.sum(self.c * np.tanh(self.a * (x - self.p))))

    def weights_at(self, x: float) -> tuple[float, Floats]:
        """The weights of p0 and of every p in the mean."""
        return float(self.w0 * _flattening(self.a0 * (x - self.p0))), self.a * self.c * _flattening(
            self.a * (x - self.p)
        )

    def without_last(self) -> "Forces":
        """All but this contest."""
        shorter = {name: getattr(self, name)[:-1] for name in ("p", "a", "c", "plain")}
        return self._replace(**shorter)


def _flattening(y: "float | Floats") -> Floats:
    """tanh(y) / y."""
    safe = np.where(np.abs(y) < 1e-8, 1.0, y)
    return np.where(np.abs(y) < 1e-8, 1.0, np.tanh(safe) / safe)


@dataclass(frozen=True, eq=False)
class Average:
    """The new rating, as a mean of what was believed before and of performances.

    ``base * base_share + sum(performance * share) + correction`` is the new mu; all
    shares add up to one.
    """

    base: float
    """What was believed before, or where older performances are kept, their summary."""
    base_share: float
    performances: pl.DataFrame
    """The latest last: contest (null if not known), ago (0 is this contest, 1 the player's one
    before), performance, share, and plain_share: what it would be by age alone."""
    correction: float = 0.0
    """What else has been added: a shift of all ratings, a cap on changes, or rounding."""
    keeps_past: bool = False
    """Whether the system keeps performances of earlier contests."""


def forces(replay: Replay) -> Forces | None:
    """What holds the new rating where it is; None for systems without this."""
    system, record = replay.system, replay.after.table[replay.player]
    if not replay.is_contested:
        return None
    if isinstance(system, EloMMR) and system.performance == "logistic":
        first, p, third = _block(replay)
        weights = first * record["scale"]
        b = third if record["shared_b"] < 0.0 else np.full(len(p), float(record["shared_b"]))
        c = weights * math.pi**2 / 3.0 * b
        return Forces(float(record["p0"]), float(record["w0"]), 0.0, p, 0.5 / b, c, weights)
    if isinstance(system, EloR):
        first, p, _ = _block(replay)
        inverse = first * record["scale"]
        return Forces(
            float(record["p0"]), float(record["w0"]), 0.0, p, inverse, inverse, inverse**2
        )
    if isinstance(system, EloRDraft) and system.rule == "map":
        return _draft_forces(replay, system)
    return None


def _block(replay: Replay) -> tuple[Floats, Floats, Floats]:
    """The three rows of the player's part of the pool, oldest first."""
    record, pool = replay.after.table[replay.player], replay.after.pool
    start = int(record["block"]) + int(record["first"])
    room, count = int(record["room"]), int(record["count"])
    first, second, third = (
        pool[start + row * room : start + row * room + count].copy() for row in range(3)
    )
    return first, second, third


def _draft_forces(replay: Replay, system: EloRDraft) -> Forces:
    """The belief before the oldest performance that is remembered, and all since."""
    if system.memory == 1:
        p = replay.events[:1, replay.row].copy()
        sigma2 = np.full(1, system.performance_scale / math.sqrt(replay.weight))
        start = float(replay.before.table["mu"][replay.player])
    else:
        p, before, sigma2 = _block(replay)
        start = float(before[0])
    sigma1 = system.skill_scale
    kept = sigma2**2 / (sigma1**2 + sigma2**2) if system.decay is None else system.decay
    fading = np.broadcast_to(kept, p.shape)[:-1]
    weight = np.append(np.cumprod(fading[::-1])[::-1], 1.0)
    return Forces(
        start,
        0.5 * weight[0] / sigma1**2,
        0.5 / sigma1,
        p,
        0.5 / sigma2,
        weight / sigma2,
        0.5 * weight / sigma2**2,
    )


def average(replay: Replay, earlier: Sequence[str]) -> Average | None:
    """How the new rating comes about; None if no performances are in it."""
    if not replay.is_contested:
        return None
    system, record = replay.system, replay.after.table[replay.player]
    held = forces(replay)
    if held is not None:
        base, weights = held.weights_at(float(record["mu"]))
        remembers = not isinstance(system, EloRDraft) or system.memory > 1
        return _mean(held.p0, base, held.p, weights, held.w0, held.plain, earlier, remembers)
    if isinstance(system, EloMMR) and isinstance(system.performance, PerformanceModel):
        return _of_own_model(replay, system.performance, earlier)
    return _step(replay)


def _mean(
    p0: float,
    w0: float,
    p: Floats,
    weights: Floats,
    plain0: float,
    plain: Floats,
    earlier: Sequence[str],
    keeps_past: bool,
) -> Average:
    total, plain_total = w0 + float(weights.sum()), plain0 + float(plain.sum())
    ago = np.arange(len(p) - 1, -1, -1)
    names = [earlier[-k] if 0 < k <= len(earlier) else None for k in ago.tolist()]
    frame = pl.DataFrame(
        {
            "contest": pl.Series(names, dtype=pl.String),
            "ago": ago,
            "performance": p,
            "share": weights / total,
            "plain_share": plain / plain_total,
        }
    )
    return Average(p0, w0 / total, frame, keeps_past=keeps_past)


def _of_own_model(
    replay: Replay, model: PerformanceModel, earlier: Sequence[str]
) -> Average | None:
    """By the terms of the model; None where one of them pulls away from its performance."""
    record = replay.after.table[replay.player]
    first, p, third = _block(replay)
    x, plain = float(record["mu"]), first * record["scale"]
    b = third if record["shared_b"] <= 0.0 else np.full(len(p), float(record["shared_b"]))
    beta = b * math.pi / math.sqrt(3.0)
    pulls = [model.draw(z) for z in ((p - x) / beta).tolist()]
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = plain * beta * np.array(pulls) / (x - p)
    if not (np.isfinite(weights) & (weights > 0.0)).all():
        return None
    p0, w0 = float(record["p0"]), float(record["w0"])
    return _mean(p0, w0, p, weights, w0, plain, earlier, True)


def _step(replay: Replay) -> Average | None:
    """A part of the way from the old rating to the performance."""
    before, after = (beliefs.table[replay.player] for beliefs in (replay.before, replay.after))
    mu, p = float(before["mu"]), float(replay.events[0, replay.row])
    if math.isnan(p):
        return None
    part = _part_of_the_way(replay, mu, p)
    if part is None:
        return None
    if isinstance(replay.system, EloMMX):  # a team's performance, as it tells of one member
        p = mu + (p - float(team_priors(replay)[0][replay.own]))
    frame = pl.DataFrame(
        {
            "contest": pl.Series([None], dtype=pl.String),
            "ago": [0],
            "performance": [p],
            "share": [part],
            "plain_share": [part],
        }
    )
    correction = float(after["mu"]) - (mu + part * (p - mu))
    return Average(mu, 1.0 - part, frame, correction)


def _part_of_the_way(replay: Replay, mu: float, p: float) -> float | None:
    system, row = replay.system, replay.row
    if isinstance(system, EloMMX):
        _, variance, weight = team_priors(replay)
        return float(weight[row] * spread(replay).skill[row] / variance[replay.own])
    if isinstance(system, EloMMR):
        skill, noise = (float(each[row]) for each in spread(replay))
        return skill / (skill + noise)
    if isinstance(system, EloRDraft):
        skill, noise = system.skill_scale**2, system.performance_scale**2 / replay.weight
        return skill / (skill + noise)
    if isinstance(system, Codeforces):
        part = replay.weight * system.share
        return part / (1.0 - system.share + part)
    if isinstance(system, Topcoder):
        w = replay.weight * topcoder_weight(replay, system)
        return w / (1.0 + w)
    if isinstance(system, TrueSkill) and abs(p - mu) > _NEAR:
        return float((replay.after.table["mu"][replay.player] - mu) / (p - mu))
    return None


def topcoder_weight(replay: Replay, system: Topcoder) -> float:
    """The weight of a contest against all earlier ones."""
    record = replay.before.table[replay.player]
    w = 1.0 / (1.0 - (0.42 / (int(record["contests"]) + 1) + 0.18)) - 1.0
    mu = float(record["mu"])
    if mu > 2500.0 or (system.variant == "papers" and mu == 2500.0):
        return 0.8 * w
    return 0.9 * w if mu >= 2000.0 else w
