"""How performances scatter around skill: the part of Elo-MMR that can be exchanged.

Section 3.1 of the paper needs a log-concave density f with cdf F, through three functions:
``loss = -f / (1 - F)``, ``draw = f' / f``, ``victory = f / F``. Lemma 3.1: all three decrease, and
``loss < draw < victory``.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import fields, logconcave, one_player
from podium.numerics.vector_panels import NODES, POINTS, interpolate

Function = Callable[[float], float]

_TABLE_POINTS = 4001


@dataclass(frozen=True)
class PerformanceModel:
    """A log-concave density of variance one, by its three functions of ``z``.

    The functions are compiled by Numba, so they are written with `math`, for one number. They
    must be analytic in the strip of half-width `strip` around the real line: the distance to
    the nearest complex zero or pole of f, F or 1 - F. A model that breaks Lemma 3.1, or
    that is not as smooth as its strip claims, is refused when it is made.

    Example: hyperbolic secant performances.
        >>> import math, podium
        >>> def draw(z):
        ...     return -math.pi / 2 * math.tanh(math.pi / 2 * z)
        >>> def victory(z):
        ...     density = 1 / (2 * math.cosh(math.pi / 2 * z))
        ...     return density / (2 / math.pi * math.atan(math.exp(math.pi / 2 * z)))
        >>> def loss(z):
        ...     density = 1 / (2 * math.cosh(math.pi / 2 * z))
        ...     return -density / (2 / math.pi * math.atan(math.exp(-math.pi / 2 * z)))
        >>> sech = podium.systems.PerformanceModel("sech", loss, draw, victory, strip=1.0)
        >>> podium.systems.EloMMR(performance=sech).performance.name
        'sech'
    """

    name: str
    loss: Function = field(repr=False)
    draw: Function = field(repr=False)
    victory: Function = field(repr=False)
    strip: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.strip < 100.0:
            raise InputError(
                f"performance model {self.name!r}: strip must be above 0, not {self.strip!r}."
            )
        _check_shape(self)
        _check_smoothness(self)

    @cached_property
    def engine(self) -> dict[str, Any]:
        """The compiled functions of `podium.numerics.logconcave` for this model."""
        return logconcave.specialise(self.loss, self.draw, self.victory)

    @cached_property
    def balances(self) -> Any:
        """The same of `podium.numerics.one_player`."""
        return one_player.specialise(self.engine)

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """F and f, as `podium.numerics.fields` takes them.

        They follow from ``loss = -f / (1 - F)`` and ``victory = f / F``.
        """
        z = np.linspace(-fields.REACH, fields.REACH, _TABLE_POINTS)
        with np.errstate(all="ignore"):
            loss = np.array([_or_nan(self.loss, x) for x in z.tolist()])
            victory = np.array([_or_nan(self.victory, x) for x in z.tolist()])
            cdf = loss / (loss - victory)
            density = victory * cdf
        known = np.isfinite(density)
        return np.stack((np.where(known, cdf, z > 0.0), np.where(known, density, 0.0)))


def _or_nan(function: Function, z: float) -> float:
    """Far out, where a model may fail, nothing is left of its density."""
    try:
        return function(z)
    except (ArithmeticError, ValueError):
        return math.nan


def _check_shape(model: PerformanceModel) -> None:
    z = np.linspace(-8.0, 8.0, 161)
    functions = {"loss": model.loss, "draw": model.draw, "victory": model.victory}
    values = {name: np.array([f(x) for x in z.tolist()]) for name, f in functions.items()}
    for name, f in values.items():
        _refuse(model, z, ~np.isfinite(f), f"{name} is not finite")
    ordered = (values["loss"] < values["draw"]) & (values["draw"] < values["victory"])
    _refuse(model, z, ~ordered, "loss < draw < victory does not hold")
    near = np.abs(z) < 2.0
    for name, f in values.items():
        step = np.diff(f, append=-np.inf)
        wrong = (step > 1e-9) | (near & (step >= 0.0))
        _refuse(model, z, wrong, f"{name} does not fall, so f is not log-concave")


def _refuse(
    model: PerformanceModel, z: NDArray[np.float64], wrong: NDArray[np.bool_], what: str
) -> None:
    if wrong.any():
        where = z[np.argmax(wrong)]
        raise InputError(f"performance model {model.name!r}: {what} at z = {where:g}.")


def _check_smoothness(model: PerformanceModel) -> None:
    """Interpolate as the engine does, and compare between the nodes."""
    half = 0.5 * logconcave.PANEL_IN_STRIPS * model.strip
    between = 0.5 * (POINTS[1:] + POINTS[:-1])
    room = np.empty((3, NODES))
    for function in (model.loss, model.draw, model.victory):
        for centre in np.arange(-6.0, 6.0, half).tolist():
            values = np.array([function(centre + half * t) for t in POINTS.tolist()])
            for t in between.tolist():
                exact = function(centre + half * t)
                if abs(interpolate(values, t, room)[0] - exact) > 1e-8 * (1.0 + abs(exact)):
                    raise InputError(
                        f"performance model {model.name!r} is less smooth than a strip of "
                        f"{model.strip:g} claims, near z = {centre + half * t:.2f}; "
                        f"give a smaller strip."
                    )


BUILT_IN = ("logistic", "gaussian")
"""These have engines of their own and are given by name."""
