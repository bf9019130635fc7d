"""Figure 5.1: the log loss of matches, by the difference of the ratings before them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures, systems
from podium.errors import InputError
from podium.evaluation.matches import measures, predictions, well_known
from podium.evaluation.populations import simulate_matches
from podium.luck.functions import Normal
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.systems.base import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SIGMA_BELOW = 70.0
"""Only matches of players who are known as well as this count."""
BANDWIDTH = 5.0
"""The standard deviation of the kernel, in rating points."""

PRINTED = {
    "Glicko-2": (557_973, 0.6625),
    "β = 0.8": (566_213, 0.6613),
    "β = 0.9": (653_660, 0.6559),
}
"""Matches that counted, and their mean log loss, in section 5."""

_REACH = 8.0
"""In bandwidths: what is further away adds less than 1e-13 of the whole."""


def compared() -> dict[str, System]:
    """The three systems of the paper."""
    return {
        "Glicko-2": systems.build("glicko2", tau=0.5, sigma_new=200.0, volatility_new=0.06),
        "β = 0.8": systems.build("luck", beta=0.8),
        "β = 0.9": systems.build("luck", beta=0.9),
    }


def contributions(difference: Floats, loss: Floats, step: float = 1.0) -> tuple[Floats, Floats]:
    """Where the log loss comes from: differences of ratings, and the loss per point of them.

    A sum of Gaussian kernels around the differences, each as high as the loss of its match, over
    the mass of a kernel on the differences that there are, those from 0 on. It
    integrates to the mean of the losses.
    """
    order = np.argsort(difference, kind="stable")
    difference, loss = difference[order], loss[order]
    x = np.arange(0.0, difference[-1] + _REACH * BANDWIDTH + step, step)
    starts = np.searchsorted(difference, x - _REACH * BANDWIDTH)
    ends = np.searchsorted(difference, x + _REACH * BANDWIDTH)
    density = np.empty(len(x))
    for i, (at, start, end) in enumerate(zip(x, starts, ends, strict=True)):
        z = (at - difference[start:end]) / BANDWIDTH
        density[i] = np.sum(loss[start:end] * np.exp(-0.5 * z * z))
    density /= Normal(BANDWIDTH).of_difference(x)
    return x, density * (float(loss.mean()) / float(np.trapezoid(density, x)))


def figure_5_1(
    data: Data = NO_DATA,
    progress: Report = unseen,
    *,
    compare: Mapping[str, System] | None = None,
    players: int = 2000,
    matches: int = 100_000,
) -> Reproduction:
    """Losses of each system; without results, in so many simulated matches with some draws."""
    contests = data.get("matches")
    of_whom = "simulated match" if contests is None else "match"
    if contests is None:
        contests = simulate_matches(players, matches, beta=0.85, draws=0.01, drift_sd=0.02)
    compare = compare or compared()
    findings, losses, densities = [], [], []
    for done, (name, system) in enumerate(compare.items()):
        predicted = predictions(contests, system).filter(well_known(SIGMA_BELOW))
        if predicted.is_empty():
            raise InputError(
                f"by {name} there is no match of two players with an uncertainty below "
                f"{SIGMA_BELOW:g}; the figure needs more matches of the same players."
            )
        in_paper = PRINTED.get(name, (None, None))
        findings.append(
            {
                "system": name,
                "matches_in_paper": in_paper[0],
                "log_loss_in_paper": in_paper[1],
                **measures(predicted)._asdict(),
            }
        )
        difference, loss = (predicted["mu_a"] - predicted["mu_b"]).abs(), predicted["log_loss"]
        losses.append(pl.DataFrame({"system": name, "difference": difference, "log_loss": loss}))
        x, density = contributions(difference.to_numpy(), loss.to_numpy())
        densities.append(pl.DataFrame({"system": name, "difference": x, "density": density}))
        progress(done + 1, len(compare))
    return Reproduction(
        pl.DataFrame(findings),
        _drawn(losses, densities, of_whom),
        {"losses": pl.concat(losses), "density": pl.concat(densities)},
        _remarks(f"{of_whom}es"),
    )


def _remarks(matches: str) -> tuple[str, ...]:
    return (
        f"The paper's 1,126,592 matches of Duelyst II are not public; these are {matches}. So "
        f"losses can be compared between systems, not with the paper's.",
        "Each system counts the matches of those whom it knows well itself, as in the paper, so "
        "the three means are not over the same matches.",
    )


def _drawn(losses: list[pl.DataFrame], densities: list[pl.DataFrame], match: str) -> "Figure":
    figure = pictures.new_figure(6.2)
    left, right = figure.subplots(1, 2)
    x = "difference of the ratings before the match (points)"
    pictures.dress(left, f"Log loss of each {match}", x, "log loss (nats)")
    pictures.dress(right, "Where it comes from", x, "share of the mean log loss (nats per point)")
    for matches, density, colour in zip(losses, densities, pictures.COLOURS, strict=False):
        name = matches["system"][0]
        left.plot(
            matches["difference"], matches["log_loss"], ".", color=colour, ms=2.5, alpha=0.35, mew=0
        )
        right.plot(density["difference"], density["density"], color=colour, lw=2.0, label=name)
    for axes in (left, right):
        axes.set_xlim(left=0.0)
        axes.set_ylim(bottom=0.0)
    right.legend(frameon=False, fontsize=12, loc="upper right")
    return figure
