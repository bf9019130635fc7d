"""How a system explains a result: what it is told about it, and what it can answer.

`System` answers for every system: the rating goes a part of the way to the performance, nobody
pulls, and no limit is known. A system that knows more says so in its own file, with these types.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium.numerics.logistic import Floats
from podium.numerics.robust_mean import robust_mean
from podium.numerics.teams import competitors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_SMALL_STEP = 1e-5


@dataclass(frozen=True, eq=False)
class Result:
    """A contest with what is believed of its players before and after it, for one of them."""

    columns: "Columns"
    """The contest alone."""
    row: int
    """The player's row."""
    before: "Beliefs"
    """Of those who take part, newcomers included."""
    after: "Beliefs"
    events: Floats
    """What happened in each row; see `podium.systems.base.EVENTS`."""

    @property
    def player(self) -> int:
        """The player's id."""
        return int(self.columns.player[self.row])

    @property
    def time(self) -> int:
        """When it took place, in microseconds."""
        return int(self.columns.time[0])

    @property
    def weight(self) -> float:
        """How much it counts."""
        return float(self.columns.weight[0])

    @property
    def ceiling(self) -> float:
        """The highest performance that it can show, or infinity."""
        return float(self.columns.perf_ceiling[0])

    @property
    def performance(self) -> float:
        """The player's; NaN if there is none."""
        return float(self.events[0, self.row])

    @property
    def mu(self) -> tuple[float, float]:
        """The player's before and after."""
        before, after = (each.table["mu"][self.player] for each in (self.before, self.after))
        return float(before), float(after)

    @cached_property
    def competitor(self) -> NDArray[np.int32]:
        """For every row, the number of who competes: a player, or a team if the system rates teams.

        In the order of the standings.
        """
        team = self.columns.team
        if team is None or not self.before.system.takes_teams:
            return np.arange(len(self.columns.player), dtype=np.int32)
        numbers: NDArray[np.int32] = competitors(self.columns.offsets, team)
        return numbers

    @cached_property
    def heads(self) -> NDArray[np.int64]:
        """For every competitor, the first row."""
        return np.unique(self.competitor, return_index=True)[1]

    @property
    def own(self) -> int:
        """The number of the player, or of the player's team, among the competitors."""
        return int(self.competitor[self.row])

    @property
    def ranks(self) -> NDArray[np.int32]:
        """The ranks of the competitors."""
        return self.columns.rank[self.heads]

    @cached_property
    def standings(self) -> Floats:
        """For every competitor, 1 if the player was better, ½ if they tied, and 0 if not."""
        ranks = self.ranks
        scores: Floats = 0.5 * (1.0 + np.sign(ranks - ranks[self.own]))
        return scores


class Mean(NamedTuple):
    """The new mu as a mean of what was believed before and of performances, the latest last."""

    base: float
    """What was believed before, or where older performances are kept, their summary."""
    base_share: float
    performance: Floats
    share: Floats
    plain_share: Floats
    """What the shares would be by age alone."""
    correction: float = 0.0
    """What else has been added: a shift of all ratings, a cap on changes, or rounding."""
    keeps_past: bool = False
    """Whether the system keeps performances of earlier contests."""

    @classmethod
    def step(cls, mu: tuple[float, float], part: float, performance: float) -> Self:
        """A part of the way from the old mu to the performance; what is left is a correction."""
        share, old = np.full(1, part), mu[0]
        correction = mu[1] - (old + part * (performance - old))
        return cls(old, 1.0 - part, np.full(1, performance), share, share, correction)

    @classmethod
    def weighted(
        cls, p0: float, w0: float, p: Floats, w: Floats, plain0: float, plain: Floats
    ) -> Self:
        """By weights of any size."""
        total, plain_total = w0 + float(w.sum()), plain0 + float(plain.sum())
        return cls(p0, w0 / total, p, w / total, plain / plain_total, keeps_past=True)


@dataclass(frozen=True, slots=True)
class Limits:
    """Where mu would be after the worst and the best performance that can be thought of."""

    lowest: float
    """Minus infinity if there is no limit."""
    highest: float
    theorem: float | None = None
    """In Elo-MMR: the simpler bound of Theorem 5.7 on the change, in either direction."""


class Phrases(NamedTuple):
    """What explanations say; ``{system}`` is its name, and ``{skill}`` what its mu is called."""

    performance: str = "what the results against opponents of about the same strength come to"
    """What a performance is, where it is not a balance of pulls."""
    sigma: str = "uncertainty"
    correction: str = "a correction for all"
    """What else moves a rating: see `Mean.correction`."""
    no_mean: str = (
        "{system} keeps none. All that it knows of the past is in the {skill} of just before."
    )
    """Why the new mu is no mean of past performances."""
    no_limits: str = "{system} says nothing about how far one contest can move a {skill}."
    """Why no limits are known."""


LESS_CERTAIN = (
    "{system} has no fixed limit; the less certain a {skill} is, the more one contest can move it."
)
"""No limits, in systems whose step follows from an uncertainty."""


def unlimited(because: str, other: str = "elo-mmr") -> str:
    """No limits, in systems that follow every performance."""
    return (
        f"{{system}} has none, because {because}. One fluke, or one day when nothing works, can "
        f"move a {{skill}} by any amount; {other} has a limit."
    )


class Forces(NamedTuple):
    """What holds a rating where it is: a sum whose zero it is, with a term for each performance.

        L'(x) = w0 (x - p0) + sum_k c_k tanh(a_k (x - p_k))

    See `podium.numerics.robust_mean`. There, x is a mean of p0 and of all p_k in which a
    performance has the weight ``c_k tanh(a_k (x - p_k)) / (x - p_k)``: Equation 7 of the Elo-MMR
    paper. It is less the farther away a performance is. The last one is that of this contest.
    """

    p0: float
    w0: float
    p: Floats
    a: Floats
    c: Floats
    plain: Floats
    """The weights of the performances by their age alone, as beside `w0`."""
    a0: float = 0.0
    """Unless zero, the belief of before is no Gaussian but a term too, with ``c0 = w0 / a0``."""

    def mean(self, x: float) -> Mean:
        """What x is a mean of."""
        base = self.w0 * float(_flattening(np.float64(self.a0 * (x - self.p0))))
        weights = self.a * self.c * _flattening(self.a * (x - self.p))
        return Mean.weighted(self.p0, base, self.p, weights, self.w0, self.plain)

    def limits(self, ceiling: float) -> Limits | None:
        """Theorem 5.7 of the Elo-MMR paper: a term pulls with a force of at most c.

        The limits are where that and all other forces balance.
        """
        if not len(self.p):
            return None
        return Limits(self._if_performed(-math.inf), self._if_performed(ceiling))

    def _if_performed(self, performance: float) -> float:
        """The rating if the performance of this contest were another."""
        w0, p, a, c = self.w0, self.p, self.a, self.c
        if self.a0 > 0.0:
            first = (self.p0, self.a0, self.w0 / self.a0)
            p, a, c = (np.append(x, y) for x, y in zip(first, (p, a, c), strict=True))
            w0 = 0.0
        if math.isinf(performance) and w0 == 0.0 and float(c[:-1].sum()) <= c[-1]:
            return performance
        p = np.append(p[:-1], performance)
        return float(robust_mean(self.p0, w0, p, a, c, self.p0, 1.0 / a[-1]))


def _flattening(y: "Floats | np.float64") -> Floats:
    """tanh(y) / y."""
    safe = np.where(np.abs(y) < 1e-8, 1.0, y)
    return np.where(np.abs(y) < 1e-8, 1.0, np.tanh(safe) / safe)


class Terms(NamedTuple):
    """The terms of a performance for who was better, for the tied and for who was worse."""

    loss: Floats
    draw: Floats
    victory: Floats

    def of(self, score: Floats) -> Floats:
        """The one of them that counts."""
        return np.where(score == 0.0, self.loss, np.where(score == 1.0, self.victory, self.draw))

    def halved(self, whole: NDArray[np.bool_] | None) -> "Terms":
        """A tie as half a win and half a loss; of those who are `whole`, both."""
        both = self.loss + self.victory
        return self._replace(
            draw=0.5 * both if whole is None else np.where(whole, both, 0.5 * both)
        )


def logistic_terms(z: Floats) -> Terms:
    """Those of the logistic model of scale one."""
    odds = np.exp(-np.abs(z))
    less, more = odds / (1.0 + odds), 1.0 / (1.0 + odds)
    loss, victory = -np.where(z >= 0.0, more, less), np.where(z >= 0.0, less, more)
    return Terms(loss, loss + victory, victory)


def balanced(
    result: Result,
    performance: float,
    location: Floats,
    scale: Floats,
    terms: Callable[[Floats], Terms],
    *,
    split: bool,
    own_whole: bool = False,
) -> Floats:
    """Every competitor's pull at a performance that is the zero of a sum with a term for each.

    So in Theorem 3.2 of the Elo-MMR paper and Algorithm 1 of Elo-R. A term, divided by the slope
    of the sum, is a pull in rating points: by about so much would the performance be lower without
    that competitor. The pulls add up to nothing.
    """
    z, score = (performance - location) / scale, result.standings
    here, low, high = (terms(z + step) for step in (0.0, -_SMALL_STEP, _SMALL_STEP))
    loss, draw, victory = here
    slope = Terms(  # of -f / (1 - F) and f / F, which draw = f' / f gives
        loss * (draw - loss),
        (high.draw - low.draw) / (2.0 * _SMALL_STEP),
        victory * (draw - victory),
    )
    if split:
        whole = np.arange(len(z)) == result.own if own_whole else None
        here, slope = here.halved(whole), slope.halved(whole)
    total = float(np.sum(slope.of(score) / scale**2))
    pulls: Floats = -(here.of(score) / scale) / total
    return pulls
