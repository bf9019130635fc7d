"""Figure 3.1: what a win over an opponent of known strength is worth.

A is believed to be normal around m, B is known to be at 2000. The mean of A after a win is
an integral over a normal density, which the trapezoidal rule takes on the whole line: with steps of
σ/8 it is accurate to 1e-9 points for every σ up to 500, by the width of the strip around the real
line in which the logistic function is analytic.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures
from podium.luck.functions import POINTS_PER_STRENGTH
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

BETAS = (0.8, 0.99, 1.0)
SIGMAS = (50.0, 100.0, 150.0, 200.0)
OPPONENT = 2000.0
LOWEST, HIGHEST = 0.0, 4000.0

_STEP = 5.0
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_NODES = np.arange(-96, 97) / 8.0
_WEIGHTS = np.exp(-0.5 * _NODES * _NODES) / (8.0 * math.sqrt(2.0 * math.pi))


def gain_of_a_win(m: Floats, sigma: float, beta: float) -> Floats:
    """How much the mean of A rises by a win over B: m' - m of equation (4)."""
    z = (m[:, None] + sigma * _NODES - OPPONENT) / POINTS_PER_STRENGTH
    chance = _WEIGHTS / (1.0 + np.exp(-z))
    constant = 0.5 * (1.0 - beta)
    # The constant's part of the numerator is m itself: it has no part in the difference.
    rise = sigma * beta * np.sum(_NODES * chance, axis=1)
    gain: Floats = rise / (constant + beta * np.sum(chance, axis=1))
    return gain


def highest_gain(sigma: float, beta: float) -> tuple[float, float]:
    """The m with the highest gain in the range that is shown, and that gain."""
    m = np.arange(LOWEST, HIGHEST + _STEP, _STEP)
    near = float(m[np.argmax(gain_of_a_win(m, sigma, beta))])

    def minus_gain(at: float) -> float:
        return -float(gain_of_a_win(np.array([at]), sigma, beta)[0])

    inside = golden_section(
        minus_gain, max(near - _STEP, LOWEST), min(near + _STEP, HIGHEST), tolerance=1e-4
    )
    best = min((LOWEST, inside, HIGHEST), key=minus_gain)
    return best, -minus_gain(best)


def golden_section(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """Where a function with one minimum between `low` and `high` is lowest.

    Example:
        >>> round(golden_section(lambda x: (x - 0.3) ** 2, 0.0, 1.0, 1e-4), 3)
        0.3
    """
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    values = [function(x) for x in inner]
    while high - low > tolerance:
        if values[0] <= values[1]:
            high = inner[1]
            inner = [high - _GOLDEN * (high - low), inner[0]]
            values = [function(inner[0]), values[0]]
        else:
            low = inner[0]
            inner = [inner[1], low + _GOLDEN * (high - low)]
            values = [values[1], function(inner[1])]
    return 0.5 * (low + high)


def figure_3_1(_: Data = NO_DATA, progress: Report = unseen) -> Reproduction:
    """The three panels, and the maxima."""
    m = np.arange(LOWEST, HIGHEST + _STEP, _STEP)
    curves, maxima = [], []
    for done, (beta, sigma) in enumerate((beta, sigma) for beta in BETAS for sigma in SIGMAS):
        gain = gain_of_a_win(m, sigma, beta)
        curves.append(pl.DataFrame({"m": m, "gain": gain}).with_columns(beta=beta, sigma=sigma))
        at, highest = highest_gain(sigma, beta)
        far_below = sigma**2 / POINTS_PER_STRENGTH if beta == 1.0 else 0.0
        maxima.append((beta, sigma, highest, at, float(gain[0]), far_below))
        progress(done + 1, len(BETAS) * len(SIGMAS))
    findings = pl.DataFrame(
        maxima,
        schema=["beta", "sigma", "highest_gain", "at_m", f"gain_at_{LOWEST:g}", "limit_far_below"],
        orient="row",
    )
    numbers = pl.concat(curves).select("beta", "sigma", "m", "gain")
    return Reproduction(findings, _drawn(numbers, findings), {"": numbers}, _REMARKS)


_REMARKS = (
    "Nothing differs: equation (4) is computed as printed. Of its values, the paper's text states "
    "the limit far below, σ² ln 10 / 400 for β = 1.",
)


def _drawn(numbers: pl.DataFrame, findings: pl.DataFrame) -> "Figure":
    figure = pictures.new_figure(6.0)
    panels = figure.subplots(1, len(BETAS), sharey=True)
    for beta, axes in zip(BETAS, panels, strict=True):
        pictures.dress(axes, f"β = {beta:g}", "", "")
        for sigma, colour in zip(SIGMAS, pictures.COLOURS, strict=False):
            same = (pl.col("beta") == beta) & (pl.col("sigma") == sigma)
            curve = numbers.filter(same)
            axes.plot(curve["m"], curve["gain"], color=colour, lw=2.0, label=f"{sigma:g}")
            at, gain = findings.filter(same).select("at_m", "highest_gain").row(0)
            axes.plot(at, gain, "o", color=colour, ms=8, clip_on=False)
            axes.annotate(
                f"{gain:.1f}",
                (at, gain),
                xytext=(6 if at == LOWEST else 0, 8),
                textcoords="offset points",
                ha="left" if at == LOWEST else "center",
                color=colour,
                fontsize=12,
            )
        axes.axvline(OPPONENT, color="0.6", lw=1.0, ls=":")
        axes.set_xlim(LOWEST, HIGHEST)
    panels[0].set_ylim(0.0, 1.1 * numbers["gain"].to_numpy().max())
    panels[-1].legend(frameon=False, fontsize=12, loc="upper right", title="σ of A (points)")
    figure.supylabel("m′ − m: what A gains by a win (points)", fontsize=12)
    figure.supxlabel(
        f"m: A's rating before a win over B, who is known to be at {OPPONENT:g} (points)",
        fontsize=12,
    )
    return figure
