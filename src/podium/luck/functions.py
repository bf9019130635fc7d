"""Luck functions: the chance that a performance of one strength beats one of another.

A luck function is symmetric, ``chance(x, y) = 1 - chance(y, x)``, and says how much luck there
is in a game.
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

import ast
import dataclasses
import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.errors import InputError, PodiumError

Floats = NDArray[np.float64]

_NATS_OF_FIDES_CAP = math.log(10.0)
RATING_OF_ZERO = 1500.0
"""The rating of strength 0."""
POINTS_PER_STRENGTH = 400.0 / math.log(10.0)
"""Rating points to one unit of strength."""

_SYMMETRIC_TO = 1e-12
_SUM_TO = 1e-9
_ROUNDING = 1e-9
_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def rating_of(strength: Floats) -> Floats:
    """Strengths on the scale of Elo's ratings."""
    return RATING_OF_ZERO + POINTS_PER_STRENGTH * strength


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


def _positive(kind: str, name: str, value: float) -> float:
    if not (isinstance(value, numbers.Real) and math.isfinite(value) and value > 0.0):
        raise InputError(f"{kind}: {name} must be a number above 0, not {value!r}.")
    return float(value)


@dataclasses.dataclass(frozen=True)
class _OfPositives(OfDifference):
    """One whose parameters are numbers above 0, which become floats."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = _positive(type(self).__name__, field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)


def take_mixture(what: object, weights: Any, name: str, scales: Any) -> None:
    """Give it weights that sum to 1, and as many positive scales, which are called `name`."""
    kind = type(what).__name__
    given_weights = _as_tuple(kind, "weights", weights)
    given_scales = _as_tuple(kind, name, scales)
    if not given_weights or len(given_weights) != len(given_scales):
        raise InputError(
            f"{kind}: as many weights as {name} are needed, and at least one, "
            f"not {len(given_weights)} and {len(given_scales)}."
        )
    shares = all(0.0 <= weight <= 1.0 + _SUM_TO for weight in given_weights)
    if not shares or abs(math.fsum(given_weights) - 1.0) > _SUM_TO:
        raise InputError(f"{kind}: weights must be at least 0 and sum to 1, not {given_weights}.")
    for scale in given_scales:
        _positive(kind, f"each of the {name}", scale)
    total = math.fsum(given_weights)
    object.__setattr__(what, "weights", tuple(weight / total for weight in given_weights))
    object.__setattr__(what, name, given_scales)


def _as_tuple(kind: str, name: str, values: Any) -> tuple[float, ...]:
    """One number or several, as a tuple."""
    try:
        return tuple(float(value) for value in np.atleast_1d(values))
    except (TypeError, ValueError):
        raise InputError(f"{kind}: {name} must be numbers, not {values!r}.") from None


@dataclasses.dataclass(frozen=True)
class Logistic(_OfPositives):
    """Bradley and Terry's model, as in Elo and Glicko."""

    scale: float = 1.0

    def of_difference(self, difference: ArrayLike) -> Floats:
        """A logistic curve."""
        z = np.divide(difference, self.scale, dtype=np.float64)
        with np.errstate(over="ignore"):
            curve: Floats = 1.0 / (1.0 + np.exp(-z))
        return curve


@dataclasses.dataclass(frozen=True)
class Normal(_OfPositives):
    """Thurstone and Mosteller's model; `sd` is that of the difference of two performances."""

    sd: float = 1.0

    def of_difference(self, difference: ArrayLike) -> Floats:
        """The cdf of a normal distribution."""
        z = np.divide(difference, self.sd, dtype=np.float64)
        return 0.5 * np.asarray(_erfc(-z / math.sqrt(2.0)))


@dataclasses.dataclass(frozen=True, init=False)
class Laplace(OfDifference):
    """The cdf of a Laplace distribution, or a mixture of several; computed in linear time."""

    weights: tuple[float, ...]
    scales: tuple[float, ...]

    def __init__(
        self, scales: float | tuple[float, ...] = 1.0, weights: tuple[float, ...] = (1.0,)
    ) -> None:
        take_mixture(self, weights, "scales", scales)

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
class DrawMargin(_OfPositives):
    """No luck, but performances no further apart than `margin` draw, as in TrueSkill.

    Whether a difference is the margin is decided up to rounding: 0.3 - 0.2 is a margin of 0.1.
    """

    margin: float

    def of_difference(self, difference: ArrayLike) -> Floats:
        """0, ½ or 1."""
        d = np.asarray(difference, np.float64)
        drawn = np.abs(d) <= self.margin * (1.0 + _ROUNDING)
        return np.where(drawn, 0.5, np.heaviside(d, 0.5))


@dataclasses.dataclass(frozen=True)
class CappedLogistic(_OfPositives):
    """FIDE's rule: a difference beyond `cap`, by default 400 points, counts as the cap."""

    scale: float = 1.0
    cap: float = _NATS_OF_FIDES_CAP

    def of_difference(self, difference: ArrayLike) -> Floats:
        """A logistic curve up to the cap, and flat beyond."""
        d = np.clip(np.asarray(difference, np.float64), -self.cap, self.cap)
        return Logistic(self.scale).of_difference(d)


@dataclasses.dataclass(frozen=True)
class BradleyTerry(LuckFunction):
    """The same model as `Logistic` for strengths that are odds: x / (x + y), both above 0."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Odds of x to y."""
        odds = np.asarray(x, np.float64), np.asarray(y, np.float64)
        for strengths in odds:
            if not (strengths > 0.0).all():
                raise InputError(
                    f"BradleyTerry: strengths are odds above 0, not {strengths.min():g}; "
                    f"Logistic takes their logarithms."
                )
        share: Floats = odds[0] / (odds[0] + odds[1])
        return share


@dataclasses.dataclass(frozen=True)
class CoinToss(LuckFunction):
    """A game that is played with probability `beta` and decided by a coin otherwise."""

    game: LuckFunction
    beta: float

    def __post_init__(self) -> None:
        refuse_other_than_luck_functions(self.game)
        if not (isinstance(self.beta, numbers.Real) and 0.0 <= self.beta <= 1.0):
            raise InputError(f"CoinToss: beta must be a number from 0 to 1, not {self.beta!r}.")
        object.__setattr__(self, "beta", float(self.beta))

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
class Shifted(LuckFunction):
    """A game in which the first has an advantage (home, white, the first move); not symmetric."""

    game: LuckFunction
    advantage: float

    def __post_init__(self) -> None:
        refuse_other_than_luck_functions(self.game)
        if not (isinstance(self.advantage, numbers.Real) and math.isfinite(self.advantage)):
            raise InputError(f"Shifted: advantage must be a finite number, not {self.advantage!r}.")

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """As if the first were stronger."""
        return self.game(np.add(x, self.advantage, dtype=np.float64), y)

    @property
    def curve(self) -> Callable[[Floats], Floats] | None:
        """The same as a function of x - y, if the game has one."""
        curve = self.game.curve
        return None if curve is None else lambda difference: curve(difference + self.advantage)


@dataclasses.dataclass(frozen=True)
class Custom(LuckFunction):
    """Any function of two arrays of strengths; that it is symmetric is checked where it is used."""

    function: Callable[[Any, Any], Any] = dataclasses.field(repr=False)
    name: str = "custom"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(
                f"Custom: a function of two strengths is needed, not {self.function!r}."
            )

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """What the function says."""
        return table_of(self, self.function, x, y)


def written_out(text: str, kinds: Iterable[type]) -> Any:
    """The object that was written as ``Name(key=value, …)``, if it is of these kinds, or None.

    Example:
        >>> written_out("Laplace(scales=(1.0, 2.0), weights=(0.5, 0.5))", [Laplace])
        Laplace(weights=(0.5, 0.5), scales=(1.0, 2.0))
        >>> written_out("Custom(name='mine')", [Laplace])
    """
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            return None
        values = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        found = {kind.__name__: kind for kind in kinds}.get(call.func.id)
        return None if found is None else found(**values)
    except (SyntaxError, ValueError, TypeError):
        return None


def table_of(
    what: object, function: Callable[[Any, Any], Any], x: ArrayLike, y: ArrayLike
) -> Floats:
    """What a function of one's own says of arrays, if it takes them and gives as many numbers."""
    try:
        values = np.asarray(function(x, y), np.float64)
    except (TypeError, ValueError) as error:
        raise _of_numbers_only(what) from error
    if values.shape != np.broadcast_shapes(np.shape(x), np.shape(y)):
        raise _of_numbers_only(what)
    return values


def _of_numbers_only(what: object) -> PodiumError:
    return InputError(
        f"{what!r}: the function must take arrays of strengths and give as many numbers; "
        f"np.vectorize makes that of a function of two numbers."
    )


def checked(luck: LuckFunction, points: Floats, *, symmetric: bool = True) -> Floats:
    """The chances of all pairs of these strengths, if they are chances, and symmetric."""
    return checked_chances(luck, points, points, symmetric=symmetric)[0]


def checked_chances(
    luck: LuckFunction, x: Floats, y: Floats, *, symmetric: bool = True
) -> tuple[Floats, Floats]:
    """The chances of each x (in rows) to beat each y (in columns), and of y to beat x."""
    wins, losses = luck(x[:, None], y[None, :]), luck(y[None, :], x[:, None])
    wrong = ~((wins >= 0.0) & (wins <= 1.0))
    if wrong.any():
        i, j = np.unravel_index(np.argmax(wrong), wrong.shape)
        raise InputError(
            f"the luck function {luck!r} gives {wins[i, j]:g} for the strengths {x[i]:g} and "
            f"{y[j]:g}, which is not a chance from 0 to 1."
        )
    unequal = ~(np.abs(wins + losses - 1.0) <= _SYMMETRIC_TO)
    if symmetric and unequal.any():
        i, j = np.unravel_index(np.argmax(unequal), unequal.shape)
        raise InputError(
            f"the luck function {luck!r} is not symmetric: strength {x[i]:g} beats {y[j]:g} with "
            f"{wins[i, j]:g}, and {y[j]:g} beats {x[i]:g} with {losses[i, j]:g}; "
            f"the two must sum to 1."
        )
    return wins, losses


def refuse_other_than_luck_functions(luck: object) -> None:
    """Raise if this is no luck function."""
    if not isinstance(luck, LuckFunction):
        raise InputError(
            f"a luck function is needed, such as Logistic() or Custom(function), not {luck!r}."
        )
