"""Figure 3.2: how a rating changes with each match, by the difference to the opponent's."""

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from podium import pictures, systems
from podium.errors import InputError
from podium.evaluation.matches import of_two, scores
from podium.evaluation.populations import simulate_matches
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.ratings.fold import rate
from podium.results.contests import Contests
from podium.systems.base import System

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXCLUDED = 100
"""First matches of a player that are not shown."""
_COLOURS = ("#c0392b", "#1f5fa8")
"""The first in red, the second in blue, as in the paper."""


def changes(contests: Contests, system: System, progress: Report = unseen) -> pl.DataFrame:
    """All matches of the two players with most of them, but for their first.

    Columns: player, match (which one of the player), difference (own rating minus the
    opponent's, before), change (of the own rating), sigma (before) and score.
    """
    match = of_two(contests.columns)
    first = contests.columns.offsets[:-1][match]
    rows = np.stack([first, first + 1], axis=1)
    score = scores(contests.columns)[match]
    history = rate(contests, system, progress=progress).history
    own, other = history[rows.ravel()], history[rows[:, ::-1].ravel()]
    played = own.select(
        "player",
        match=pl.int_range(1, pl.len() + 1).over("player"),
        difference=pl.col("mu_before") - other["mu_before"],
        change=pl.col("mu") - pl.col("mu_before"),
        sigma="sigma_before",
        score=np.stack([score, 1.0 - score], axis=1).ravel(),
    )
    busiest = (
        played.group_by("player")
        .agg(matches=pl.len())
        .sort("matches", "player", descending=[True, False])
        .head(2)
    )
    if busiest.height < 2 or busiest["matches"][1] <= EXCLUDED:
        raise InputError(
            f"two players with more than {EXCLUDED} matches each are needed, "
            f"and these results do not have them."
        )
    shown = played.filter(pl.col("match") > EXCLUDED)
    return busiest.select("player").join(shown, on="player", maintain_order="left_right")


def figure_3_2(
    data: Data = NO_DATA,
    progress: Report = unseen,
    *,
    system: System | None = None,
    players: int = 100,
    matches: int = 60_000,
) -> Reproduction:
    """Changes of two players; without results, in so many simulated matches with a few draws."""
    contests = data.get("matches")
    of_whom = "simulated matches" if contests is None else "matches"
    if contests is None:
        contests = simulate_matches(players, matches, beta=0.8, draws=0.01, drift_sd=0.03)
    numbers = changes(contests, system or systems.build("luck"), progress)
    won, lost = (
        pl.col("change").filter(which) for which in (pl.col("score") > 0.5, pl.col("score") < 0.5)
    )
    findings = numbers.group_by("player", maintain_order=True).agg(
        matches=pl.len(),
        won=won.len(),
        drawn=pl.col("score").filter(score=0.5).len(),
        lost=lost.len(),
        mean_gain=won.mean(),
        highest_gain=won.max(),
        mean_loss=lost.mean(),
        highest_loss=lost.min(),
        lowest_sigma=pl.col("sigma").min(),
        highest_sigma=pl.col("sigma").max(),
    )
    return Reproduction(findings, _drawn(numbers, of_whom), {"": numbers}, _remarks(of_whom))


def _remarks(matches: str) -> tuple[str, ...]:
    return (
        f"The paper's matches of Duelyst II are not public; these are {matches}. Its two busiest "
        f"players had 2,162 and 2,142 matches, an uncertainty from 48 to 52 and from 52 to 62 "
        f"points, and 10 draws.",
        f"Counted are matches after each player's first {EXCLUDED}, as in the paper's figure.",
    )


def _drawn(numbers: pl.DataFrame, matches: str) -> "Figure":
    figure = pictures.new_figure()
    axes = figure.add_subplot()
    pictures.dress(
        axes,
        f"Changes in {matches}",
        f"own rating minus the opponent's before the match, after the first {EXCLUDED} (points)",
        "change of the own rating (points)",
    )
    by_player = numbers.partition_by("player", maintain_order=True)
    for one, colour in zip(by_player, _COLOURS, strict=True):
        label = f"{one['player'][0]}: {one.height:,}"
        axes.plot(
            one["difference"], one["change"], ".", color=colour, ms=5, alpha=0.6, mew=0, label=label
        )
    axes.axhline(0.0, color="0.6", lw=1.0)
    pictures.legend_above(axes, small_marks=True)
    return figure
