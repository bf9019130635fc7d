"""Luck functions: the chance that a performance of one strength beats one of another.

A luck function is symmetric, ``chance(x, y) = 1 - chance(y, x)``, and says how much luck there is in
a game.
Strengths are natural logarithms of odds: by the logistic function, one that is 1 higher wins
e times as often as it loses; 1 is 400 / ln 10 = 173.7 rating points.

Example:
    >>> from podium.luck import CoinToss, Logistic
    >>> backgammon = CoinToss(Logistic(), beta=0.8)
    >>> float(backgammon(0.0, 0.0)), round(float(backgammon(100.0, 0.0)), 3)
    (0.5, 0.9)

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023,
https://arxiv.org/abs/2303.14857.
"""

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.errors import PodiumError

Floats = NDArray[np.float64]

_NATS_OF_FIDES_CAP = math.log(10.0)
_SYMMETRIC_TO = 1e-12
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


class LuckFunction(ABC):
    """The chance that strength x beats strength y, for numbers or arrays of them."""

    @abstractmethod
    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """The chance that x beats y; a draw counts half."""

    @property
    def curve(self) -> Callable[[Floats], Floats] | None:
        """The same as a function of x - y, if nothing else matters."""
        return None


class OfDifference(LuckFunction):
    """A luck function that knows only the difference of the strengths."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """The chance that x beats y; a draw counts half."""
        return self.of_difference(np.subtract(x, y, dtype=np.float64))

    @abstractmethod
    def of_difference(self, difference: ArrayLike) -> Floats:
        """The chance of who is stronger by `difference`."""

    @property
    def curve(self) -> Callable[[Floats], Floats]:
        """The same as a function of x - y."""
        return self.of_difference


def _positive(what: object, name: str, value: float) -> None:
    if not (isinstance(value, int | float) and math.isfinite(value) and value > 0.0):
        raise PodiumError(f"{type(what).__name__}: {name} must be a number above 0, not {value!r}.")


def checked_mixture(
    what: object, weights: Any, scales: Any
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Weights that sum to 1, and as many positive scales."""
    given = tuple(float(weight) for weight in weights), tuple(float(scale) for scale in scales)
    name = type(what).__name__
    if not given[0] or len(given[0]) != len(given[1]):
        raise PodiumError(
            f"{name}: as many weights as scales are needed, and at least one, "
            f"not {len(given[0])} and {len(given[1])}."
        )
    if not all(weight >= 0.0 for weight in given[0]) or abs(sum(given[0]) - 1.0) > 1e-9:
        raise PodiumError(f"{name}: weights must be at least 0 and sum to 1, not {given[0]}.")
    for scale in given[1]:
        _positive(what, "every scale", scale)
    return given


@dataclasses.dataclass(frozen=True)
class Logistic(OfDifference):
    """Bradley and Terry's model, as in Elo and Glicko."""

    scale: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "scale", self.scale)

    def of_difference(self, difference: ArrayLike) -> Floats:
        """A logistic curve."""
        z = np.divide(difference, self.scale, dtype=np.float64)
        with np.errstate(over="ignore"):
            curve: Floats = 1.0 / (1.0 + np.exp(-z))
        return curve


@dataclasses.dataclass(frozen=True)
class Normal(OfDifference):
    """Thurstone and Mosteller's model; `sd` is that of the difference of two performances."""

    sd: float = 1.0

    def __post_init__(self) -> None:
        _positive(self, "sd", self.sd)

    def of_difference(self, difference: ArrayLike) -> Floats:
        """The cdf of a normal distribution."""
        z = np.divide(difference, self.sd, dtype=np.float64)
        return 0.5 * np.asarray(_erfc(-z / math.sqrt(2.0)))


@dataclasses.dataclass(frozen=True)
class Laplace(OfDifference):
    """A mixture of cdfs of Laplace distributions, for the algorithm of linear time."""

    weights: tuple[float, ...] = (1.0,)
    scales: tuple[float, ...] = (1.0,)

    def __post_init__(self) -> None:
        weights, scales = checked_mixture(self, self.weights, self.scales)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "scales", scales)

    def of_difference(self, difference: ArrayLike) -> Floats:
        """The weighted sum of the cdfs."""
        d = np.asarray(difference, np.float64)
        total = np.zeros(d.shape)
        for weight, scale in zip(self.weights, self.scales, strict=True):
            tail = 0.5 * np.exp(-np.abs(d) / scale)
            total += weight * np.where(d < 0.0, tail, 1.0 - tail)
        return total


@dataclasses.dataclass(frozen=True)
class Heaviside(OfDifference):
    """No luck at all: the stronger performance wins."""

    def of_difference(self, difference: ArrayLike) -> Floats:
        """0, ½ or 1."""
        return np.heaviside(np.asarray(difference, np.float64), 0.5)


@dataclasses.dataclass(frozen=True)
class DrawMargin(OfDifference):
    """No luck, but performances no further apart than `margin` draw, as in TrueSkill."""

    margin: float

    def __post_init__(self) -> None:
        _positive(self, "margin", self.margin)

    def of_difference(self, difference: ArrayLike) -> Floats:
        """0, ½ or 1."""
        d = np.asarray(difference, np.float64)
        return np.where(np.abs(d) <= self.margin, 0.5, np.heaviside(d, 0.5))


@dataclasses.dataclass(frozen=True)
class CappedLogistic(OfDifference):
    """FIDE's rule: a difference beyond `cap`, by default 400 points, counts as the cap."""

    scale: float = 1.0
    cap: float = _NATS_OF_FIDES_CAP

    def __post_init__(self) -> None:
        _positive(self, "scale", self.scale)
        _positive(self, "cap", self.cap)

    def of_difference(self, difference: ArrayLike) -> Floats:
        """A logistic curve up to the cap, and flat beyond."""
        d = np.clip(np.asarray(difference, np.float64), -self.cap, self.cap)
        return Logistic(self.scale).of_difference(d)


@dataclasses.dataclass(frozen=True)
class BradleyTerry(LuckFunction):
    """The same model as `Logistic` for strengths that are odds: x / (x + y), both above 0."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Odds of x to y."""
        share: Floats = np.true_divide(x, np.add(x, y))
        return share


@dataclasses.dataclass(frozen=True)
class CoinToss(LuckFunction):
    """A game that is played with probability `beta` and decided by a coin otherwise."""

    game: LuckFunction
    beta: float

    def __post_init__(self) -> None:
        if not isinstance(self.game, LuckFunction):
            raise PodiumError(f"CoinToss: a luck function is needed, not {self.game!r}.")
        if not (isinstance(self.beta, int | float) and 0.0 <= self.beta <= 1.0):
            raise PodiumError(f"CoinToss: beta must be a number from 0 to 1, not {self.beta!r}.")

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Never more than (1 + beta) / 2."""
        return self._mixed(self.game(x, y))

    @property
    def curve(self) -> Callable[[Floats], Floats] | None:
        """The same as a function of x - y, if the game has one."""
        curve = self.game.curve
        return None if curve is None else lambda difference: self._mixed(curve(difference))

    def _mixed(self, chance: Floats) -> Floats:
        return 0.5 * (1.0 - self.beta) + self.beta * chance


@dataclasses.dataclass(frozen=True)
class Custom(LuckFunction):
    """Any function of two arrays of strengths; that it is symmetric is checked where it is used."""

    function: Callable[[Any, Any], Any]
    name: str = "custom"

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """What the function says."""
        return np.asarray(self.function(x, y), np.float64)


def checked(luck: LuckFunction, points: Floats, *, symmetric: bool = True) -> Floats:
    """The chances of all pairs of these strengths, if they are chances, and symmetric."""
    chances = luck(points[:, None], points[None, :])
    if chances.shape != (len(points), len(points)):
        raise PodiumError(
            f"the luck function {luck!r} must take arrays of strengths and give as many chances; "
            f"np.vectorize makes that of a function of two numbers."
        )
    wrong = ~((chances >= 0.0) & (chances <= 1.0))
    if wrong.any():
        i, j = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise PodiumError(
            f"the luck function {luck!r} gives {chances[i, j]:g} for the strengths {points[i]:g} "
            f"and {points[j]:g}, which is not a chance from 0 to 1."
        )
    off = np.abs(chances + chances.T - 1.0)
    if symmetric and off.max() > _SYMMETRIC_TO:
        i, j = np.unravel_index(np.argmax(off), off.shape)
        raise PodiumError(
            f"the luck function {luck!r} is not symmetric: strength {points[i]:g} beats "
            f"{points[j]:g} with {chances[i, j]:g}, and {points[j]:g} beats {points[i]:g} with "
            f"{chances[j, i]:g}; the two must sum to 1."
        )
    return chances


@dataclasses.dataclass(frozen=True)
class Shifted(LuckFunction):
    """A game in which the first has an advantage (home, white, the first move); not symmetric."""

    game: LuckFunction
    advantage: float

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """As if the first were stronger."""
        return self.game(np.add(x, self.advantage, dtype=np.float64), y)

    @property
    def curve(self) -> Callable[[Floats], Floats] | None:
        """The same as a function of x - y, if the game has one."""
        curve = self.game.curve
        return None if curve is None else lambda difference: curve(difference + self.advantage)
