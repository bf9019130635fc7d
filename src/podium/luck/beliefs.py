"""What is believed about one player's strength: a probability for each of finitely many points.

Example:
    >>> from podium.luck import Belief, Logistic
    >>> ann, bob = Belief.normal(0.5, 0.7), Belief.normal(0.0, 0.3)
    >>> ann
    <Belief: 0.500 ± 0.700 on 1,001 points>
    >>> round(ann.stronger_than(bob), 3), round(ann.win_probability(bob, Logistic()), 3)
    (0.744, 0.609)
"""

import dataclasses
import math
import numbers
from typing import Any, Self, overload

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from podium.errors import InputError
from podium.luck import likelihoods
from podium.luck.functions import (
    Heaviside,
    LuckFunction,
    rating_of,
    refuse_other_than_luck_functions,
)
from podium.wording import counted

Floats = NDArray[np.float64]

_SUM_TO = 1e-9
_ROUNDING = 1e-12


@dataclasses.dataclass(frozen=True, init=False, eq=False, repr=False)
class Belief:
    """Strengths in ascending order, and their probabilities, which sum to 1.

    Strengths are natural logarithms of odds, as in `podium.luck.functions`. Points may come in
    any order, each once; `normalise` scales weights so that they sum to 1.

    Example:
        >>> from podium.luck import Belief
        >>> belief = Belief([5.0, 2.0, 13.0], [3, 9, 8], normalise=True)
        >>> belief.points.tolist(), belief.probabilities.tolist()
        ([2.0, 5.0, 13.0], [0.45, 0.15, 0.4])
    """

    points: Floats
    probabilities: Floats

    def __init__(
        self, points: ArrayLike, probabilities: ArrayLike, *, normalise: bool = False
    ) -> None:
        x, p = as_floats("points", points), as_floats("probabilities", probabilities)
        if not 0 < len(x) == len(p):
            raise InputError(
                f"a belief needs as many points as probabilities, and at least one, "
                f"not {len(x)} and {len(p)}."
            )
        order = np.argsort(x, kind="stable")
        x, p = x[order], p[order]
        twice = np.flatnonzero(x[1:] == x[:-1])
        if len(twice):
            raise InputError(f"a belief needs each point once, and {x[twice[0]]:g} is there twice.")
        p = _checked_probabilities(p, normalise)
        for name, values in (("points", x), ("probabilities", p)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @staticmethod
    def grid(reach: float = 7.0, count: int = 1001) -> Floats:
        """So many evenly spaced points from -reach to reach; the paper's are the default."""
        whole = isinstance(count, numbers.Integral)
        if not (_is_finite(reach) and reach > 0.0 and whole and count >= 2):
            raise InputError(
                f"a grid needs a reach above 0 and at least 2 points, not {reach!r} and {count!r}."
            )
        return np.linspace(-reach, reach, count)

    @classmethod
    def normal(cls, mean: float, sd: float, points: ArrayLike | None = None) -> Self:
        """A normal distribution as its density at the points, by default `grid`; eq. (5)."""
        if not (_is_finite(mean) and _is_finite(sd) and sd > 0.0):
            raise InputError(
                f"a normal belief needs a finite mean and an sd above 0, not {mean!r} and {sd!r}."
            )
        x = cls.grid() if points is None else as_floats("points", points)
        away = np.abs(x - mean)
        nearest = away.min(initial=math.inf)
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = -0.5 * ((away - nearest) / sd) * ((away + nearest) / sd)
        return cls(x, np.exp(np.where(away == nearest, 0.0, exponents)), normalise=True)

    @classmethod
    def certain(cls, strength: float) -> Self:
        """One strength and no other."""
        return cls([strength], [1.0])

    @property
    def mean(self) -> float:
        """The expected strength."""
        return float((self.probabilities * self.points).sum() / self.probabilities.sum())

    @property
    def sd(self) -> float:
        """The standard deviation of the strength."""
        squares = (self.points - self.mean) ** 2
        return math.sqrt((self.probabilities * squares).sum() / self.probabilities.sum())

    @overload
    def quantile(self, q: float) -> float: ...
    @overload
    def quantile(self, q: Floats | list[float] | tuple[float, ...]) -> Floats: ...
    def quantile(self, q: Any) -> Any:
        """The smallest possible strength whose cumulative probability reaches q.

        It is one of the points, also between two of them: nothing is interpolated.

        Example:
            >>> from podium.luck import Belief
            >>> Belief([1.0, 2.0, 3.0], [0.25, 0.5, 0.25]).quantile([0.25, 0.3, 0.9]).tolist()
            [1.0, 2.0, 3.0]
        """
        asked = as_floats("q", np.atleast_1d(q))
        if not ((asked >= 0.0) & (asked <= 1.0)).all():
            raise InputError(f"a quantile is asked for with numbers from 0 to 1, not {q!r}.")
        possible = self.probabilities > 0.0
        cumulative = np.cumsum(self.probabilities[possible])
        reached = np.searchsorted(cumulative, asked * (1.0 - _ROUNDING) * cumulative[-1])
        found = self.points[possible][reached]
        return float(found[0]) if np.ndim(q) == 0 else found

    def stronger_than(self, other: "Belief") -> float:
        """The probability of being the stronger one; equal strengths count half.

        It is not the probability of winning: by luck, the weaker one wins too.
        """
        return self.win_probability(other, Heaviside())

    def win_probability(self, other: "Belief", luck: LuckFunction) -> float:
        """Model 2.1: the expected score of a match, which is the probability of winning.

        Example:
            >>> from podium.luck import Belief, CoinToss, Logistic
            >>> ann, bob = Belief.certain(9.0), Belief.certain(0.0)
            >>> ann.stronger_than(bob)
            1.0
            >>> round(ann.win_probability(bob, CoinToss(Logistic(), beta=0.8)), 4)
            0.8999
        """
        refuse_other_than_beliefs(other)
        refuse_other_than_luck_functions(luck)
        for algorithm in (likelihoods.auto, likelihoods.naive):
            likelihood = algorithm(self.points, other.points, other.probabilities, luck, 1.0)
            chance = float((self.probabilities * likelihood.values).sum())
            if likelihood.error <= likelihoods.CLOSE_ENOUGH * chance:
                break
        return min(chance, 1.0)

    def frame(self) -> pl.DataFrame:
        """A table of strength, rating on the scale of Elo, probability, cumulative probability."""
        return pl.DataFrame(
            {
                "strength": self.points,
                "rating": rating_of(self.points),
                "probability": self.probabilities,
                "cumulative": np.cumsum(self.probabilities),
            }
        )

    def __repr__(self) -> str:
        points = counted(len(self.points), "point")
        return f"<Belief: {self.mean:.3f} ± {self.sd:.3f} on {points}>"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Belief)
            and np.array_equal(self.points, other.points)
            and np.array_equal(self.probabilities, other.probabilities)
        )

    def __hash__(self) -> int:
        return hash((self.points.tobytes(), self.probabilities.tobytes()))


def _is_finite(value: object) -> bool:
    return isinstance(value, numbers.Real) and math.isfinite(value)


def as_floats(name: str, values: ArrayLike) -> Floats:
    """A copy of a list of finite numbers, without negative zeros."""
    try:
        array = np.asarray(values, np.float64) + 0.0
    except (TypeError, ValueError):
        array = np.empty((0, 0))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"{name} must be a list of finite numbers.")
    return array


def _checked_probabilities(p: Floats, normalise: bool) -> Floats:
    if p.min() < 0.0:
        raise InputError(f"a belief needs probabilities of at least 0, not {p.min():g}.")
    total = p.sum()
    if normalise and 0.0 < total < math.inf:
        scaled: Floats = p / total
        return scaled
    if normalise:
        raise InputError(f"a belief needs weights with a sum above 0, not {total:g}.")
    if abs(total - 1.0) > _SUM_TO:
        raise InputError(
            f"the probabilities of a belief sum to {total:.12g} instead of 1; "
            f"normalise=True scales them."
        )
    return p


def refuse_other_than_beliefs(other: object) -> None:
    """Raise if this is no belief."""
    if not isinstance(other, Belief):
        raise InputError(f"a Belief is needed, such as Belief.normal(0.0, 0.7), not {other!r}.")
