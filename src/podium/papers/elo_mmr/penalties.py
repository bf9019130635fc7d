"""Figure 1: L2 and L_R penalties (left), and the densities that they come from (right).

A factor of a belief costs ``L((s - p)/beta)``, minus the logarithm of its density: ``x^2/2`` if
performances are Gaussian, ``2 ln cosh(pi x / sqrt(12))`` if they are logistic (section 3.2).
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

REACH = 6.0
"""How far from the rating the curves go, in standard deviations of a performance."""

_STEEPEST = math.pi / math.sqrt(3.0)
_SCALE = math.sqrt(3.0) / math.pi
"""Of a logistic distribution whose variance is 1."""


def squared(x: Floats) -> Floats:
    """The penalty L2 of a Gaussian factor."""
    return 0.5 * x * x


def robust(x: Floats) -> Floats:
    """The penalty L_R of a logistic factor, for x however large.

    Example:
        >>> robust(np.array([0.0, 1.0, 1000.0])).round(2).tolist()
        [0.0, 0.73, 1812.41]
    """
    z = 0.5 * _STEEPEST * np.abs(x)
    # ln cosh z, without the cosh that would overflow.
    penalty: Floats = 2.0 * (z + np.log1p(np.exp(-2.0 * z)) - math.log(2.0))
    return penalty


def pull(x: Floats) -> Floats:
    """The slope of L_R: how hard a performance draws the rating. That of L2 is x."""
    slope: Floats = _STEEPEST * np.tanh(0.5 * _STEEPEST * x)
    return slope


def gaussian(x: Floats) -> Floats:
    """The normal density of variance 1."""
    density: Floats = np.exp(-squared(x)) / math.sqrt(2.0 * math.pi)
    return density


def logistic(x: Floats) -> Floats:
    """The logistic density of variance 1."""
    density: Floats = np.exp(-robust(x)) / (4.0 * _SCALE)
    return density


def figure_1(_: Data = NO_DATA, progress: Report = unseen) -> Reproduction:
    """Both panels, and where their curves cross."""
    x = np.linspace(-REACH, REACH, 1201)
    numbers = pl.DataFrame(
        {
            "x": x,
            "L_2": squared(x),
            "L_R": robust(x),
            "gaussian": gaussian(x),
            "logistic": logistic(x),
        }
    )
    progress(1, 1)
    return Reproduction(_findings(), _drawn(numbers), {"": numbers}, _REMARKS)


_REMARKS = (
    "Nothing differs: the curves are formulas of sections 3.1 and 3.2. What the paper's text says "
    "of them in numbers is in the table.",
    "Up to a constant, each penalty is minus the logarithm of the density of the same colour: the "
    "tail of the logistic falls by the same factor with every step, so an outlier pulls no harder "
    "for being further away.",
)


def _findings() -> pl.DataFrame:
    zero, far, near = np.zeros(1), np.array([10.0]), np.array([1e-4])
    same_pull = _crossing(lambda x: x - pull(x), 1.0, 3.0)
    same_penalty = _crossing(lambda x: squared(x) - robust(x), 1.0, 4.0)
    inner, outer = (
        _crossing(lambda x: logistic(x) - gaussian(x), low, high)
        for low, high in ((0.1, 1.5), (1.5, 4.0))
    )
    beyond = 2.0 / (1.0 + math.exp(3.0 / _SCALE))
    rows: list[tuple[str, str | None, float]] = [
        ("weight of a performance at the rating, times β²", "π²/6", float((pull(near) / near)[0])),
        ("the same 10 β away", "vanishes", float((pull(far) / far)[0])),
        ("distance at which it is 1, as of a Gaussian factor (β)", None, same_pull),
        ("distance at which L_R = L_2 (β)", None, same_penalty),
        ("steepest slope of L_R, times β", "π/√3", _STEEPEST),
        ("density at the mean, Gaussian", None, float(gaussian(zero)[0])),
        ("density at the mean, logistic", None, float(logistic(zero)[0])),
        ("distance at which the densities cross first", None, inner),
        ("distance at which they cross again", None, outer),
        ("share beyond 3 standard deviations, Gaussian", None, math.erfc(3.0 / math.sqrt(2.0))),
        ("share beyond 3 standard deviations, logistic", None, beyond),
    ]
    return pl.DataFrame(rows, schema=["quantity", "paper", "here"], orient="row")


def _crossing(difference: Callable[[Floats], Floats], low: float, high: float) -> float:
    """Where the difference changes its sign, by bisection."""
    rises = difference(np.array([high]))[0] > 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (difference(np.array([middle]))[0] > 0.0) == rises:
            high = middle
        else:
            low = middle
    return low


def _drawn(numbers: pl.DataFrame) -> "Figure":
    figure = pictures.new_figure(6.0)
    left, right = figure.subplots(1, 2)
    blue, orange = pictures.COLOURS[:2]
    x = numbers["x"].to_numpy()
    pictures.dress(left, "Penalties", "x = (s − p)/β: skill minus performance", "penalty")
    pictures.dress(right, "Densities of variance 1", "performance minus skill", "density")
    left.plot(x, numbers["L_2"], color=orange, lw=2.4, label="$L_2$ = x²/2")
    left.plot(x, numbers["L_R"], color=blue, lw=2.4, label="$L_R$ = 2 ln cosh(πx/√12)")
    asymptote = _STEEPEST * np.abs(x) - 2.0 * math.log(2.0)
    left.plot(x, asymptote, color="0.5", lw=1.2, ls=":", label="π|x|/√3 − 2 ln 2", zorder=1)
    left.set_xlim(-REACH, REACH)
    left.set_ylim(0.0, 12.0)
    left.legend(frameon=False, fontsize=12, loc="upper center")
    _draw_densities(right, numbers, orange, blue)
    right.set_xlim(-REACH, REACH)
    right.set_ylim(0.0, 0.5)
    right.legend(frameon=False, fontsize=12, loc="upper left")
    tail = right.inset_axes((0.70, 0.52, 0.27, 0.42))
    _draw_densities(tail, numbers, orange, blue)
    tail.set_yscale("log")
    tail.set_xlim(2.0, REACH)
    tail.set_ylim(1e-6, 0.1)
    tail.set_title("the tail, on a log scale", fontsize=10)
    tail.tick_params(labelsize=9)
    tail.minorticks_off()
    tail.grid(True, color="0.9", lw=0.8)
    return figure


def _draw_densities(axes: "Axes", numbers: pl.DataFrame, orange: str, blue: str) -> None:
    for name, colour in (("gaussian", orange), ("logistic", blue)):
        label = "Gaussian" if name == "gaussian" else name
        axes.plot(numbers["x"], numbers[name], color=colour, lw=2.4, label=label)
