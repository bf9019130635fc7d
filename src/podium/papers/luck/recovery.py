"""Beta found again, by maximum likelihood, in matches that were simulated with a known one."""

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures, systems
from podium.evaluation.matches import predictions
from podium.evaluation.populations import simulate_matches
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.results.contests import Contests

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

BETA = 0.8
LOWEST, HIGHEST = 0.5, 1.0
SKILL_SD = 1.75
"""Wide enough that many matches have a favourite who cannot lose but by luck."""

_GRID = np.linspace(LOWEST, HIGHEST, 11)
_NEAR = 0.01
"""How far apart the betas around the lowest loss are."""


def total_loss(matches: Contests, beta: float) -> float:
    """Minus the logarithm of the likelihood of all results, each predicted before it."""
    system = systems.build("luck", beta=beta, prior_sd=SKILL_SD, drift="none")
    return float(predictions(matches, system)["log_loss"].to_numpy().sum())


def recovered_beta(
    _: Data = NO_DATA,
    progress: Report = unseen,
    *,
    players: int = 3000,
    matches: int = 200_000,
) -> Reproduction:
    """The most likely beta, and its standard error by the curvature of the likelihood.

    The loss on a grid gives the lowest point roughly, and the loss near that, precisely.
    """
    played = simulate_matches(players, matches, beta=BETA, skill_sd=SKILL_SD)
    known: dict[float, float] = {}

    def evaluated(betas: Floats) -> pl.DataFrame:
        for beta in betas.tolist():
            known[beta] = total_loss(played, beta)
            progress(len(known), len(_GRID) + 3)
        return pl.DataFrame({"beta": list(known), "loss": list(known.values())}).sort("beta")

    roughly = vertex(evaluated(_GRID))[0]
    curve = evaluated(np.clip(roughly, LOWEST + _NEAR, HIGHEST - _NEAR) + _NEAR * np.arange(-1, 2))
    best, lowest, error = vertex(curve)
    numbers = curve.with_columns(log_likelihood_ratio=lowest - pl.col("loss"))
    findings = pl.DataFrame(
        {
            "beta": [BETA],
            "recovered": [best],
            "standard_error": [error],
            "off_by": [abs(best - BETA)],
            "matches": [matches],
            "mean_log_loss": [lowest / matches],
        }
    )
    return Reproduction(findings, _drawn(numbers, best, error), {"": numbers}, _REMARKS)


_REMARKS = (
    "The paper chose β = 0.8 for Duelyst II and shows no estimate; its matches are not public, so "
    "these are simulated with that β.",
    "What is believed of different players is kept apart, as in the paper and unlike in the exact "
    "posterior, so the most likely β need not be the true one, however many matches there are.",
)


def vertex(curve: pl.DataFrame) -> tuple[float, float, float]:
    """The lowest point of the parabola through the three lowest losses, and its standard error."""
    near = curve.bottom_k(3, by="loss")
    x, y = near["beta"].to_numpy(), near["loss"].to_numpy()
    steepness, slope, _ = np.polyfit(x - x[0], y - y[0], 2)
    shift = -slope / (2.0 * steepness)
    lowest = y[0] - steepness * shift * shift
    return float(x[0] + shift), float(lowest), math.sqrt(1.0 / (2.0 * steepness))


def _drawn(numbers: pl.DataFrame, best: float, error: float) -> "Figure":
    figure = pictures.new_figure(6.2)
    left, right = figure.subplots(1, 2)
    blue, orange, green = pictures.COLOURS[:3]
    beta, ratio = (numbers[name].to_numpy() for name in ("beta", "log_likelihood_ratio"))
    x = np.linspace(best - 4.0 * error, best + 4.0 * error, 201)
    near = (beta >= x[0]) & (beta <= x[-1])
    left.plot(beta, ratio, "o-", color=blue, lw=2.0, ms=6)
    right.plot(x, -0.5 * ((x - best) / error) ** 2, color=green, lw=2.0, label="parabola")
    right.plot(beta[near], ratio[near], "o", color=blue, ms=8, label="computed")
    near_best = f"Its highest: {best:.4f} ± {error:.4f}"
    for axes, title in ((left, "Likelihood of β"), (right, near_best)):
        axes.axvline(BETA, color=orange, lw=1.6, ls="--", label=f"true: {BETA:g}")
        pictures.dress(axes, title, "β: the share of matches that no coin decides", "")
    left.set_ylabel("log likelihood, below the highest (nats)", fontsize=12)
    right.legend(frameon=False, fontsize=12, loc="lower center")
    return figure
