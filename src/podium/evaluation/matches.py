"""How well a system predicts matches: each from what was believed before it.

Example:
    >>> import podium
    >>> from podium.evaluation.matches import measures, predictions
    >>> matches = podium.simulate_matches(players=50, matches=2000, seed=1)
    >>> measures(predictions(matches, "elo", k=16), skip=200).matches
    1800
"""

import math
import os
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.arguments import check_number, check_whole
from podium.evaluation.measures import accuracy, brier, log_loss
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_fold
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.results.times import as_column
from podium.systems.base import EVENTS, System

Floats = NDArray[np.float64]


class Measures(NamedTuple):
    """Means over matches; NaN if there are none."""

    matches: int
    log_loss: float
    """In nats; ln 2 for who always expects one half. An impossible result makes it infinite."""
    brier: float
    """The mean squared error; one quarter for who always expects one half of wins and losses."""
    accuracy: float
    """The share of matches that the favourite won; a draw, or a match without one, counts half."""


def predictions(
    contests: Contests,
    system: str | System = "elo",
    *,
    beliefs: Beliefs | str | os.PathLike[str] | None = None,
    **parameters: Any,
) -> pl.DataFrame:
    """What a system expected of every match of two, and how that went.

    All contests are rated, in order, but those that are not of two competitors give no row.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned.
        system: A name, with `parameters` of that system as keyword arguments, or a system.
        beliefs: Go on from an earlier run, as in `podium.rate`; they are not changed.
        **parameters: Parameters of the system.

    Returns:
        One row for each match: contest, time, player_a and player_b (a is the winner, or of
        those who drew the first by name), score (of a: 1, ½ for a draw, or as it was given),
        expected (the score of a), mu_a, sigma_a, mu_b and sigma_b before the match, log_loss,
        brier and right: whether the favourite won, ½ for a draw or if there was none.
    """
    state, columns = ready_to_fold(contests, system, beliefs, parameters)
    events = np.empty((len(EVENTS), contests.rows))
    expected = state.system.backtest(state, columns, events)
    match = np.flatnonzero(of_two(columns))
    a = columns.offsets[match]
    score, expected = scores(columns)[match], expected[match]
    happened = dict(zip(EVENTS, events, strict=True))
    return pl.DataFrame(
        {
            "contest": contests.ids.gather(match),
            "time": as_column(columns.time[match]),
            "player_a": contests.players.gather(contests.columns.player[a]),
            "player_b": contests.players.gather(contests.columns.player[a + 1]),
            "score": score,
            "expected": expected,
            "mu_a": happened["mu_before"][a],
            "sigma_a": happened["sigma_before"][a],
            "mu_b": happened["mu_before"][a + 1],
            "sigma_b": happened["sigma_before"][a + 1],
            **judged(score, expected),
        },
        nan_to_null=True,
    )


def judged(score: Floats, expected: Floats) -> dict[str, Floats]:
    """For every match: log_loss, brier, and whether it was called right."""
    return {
        "log_loss": log_loss(score, expected),
        "brier": brier(score, expected),
        "right": accuracy(score, expected),
    }


def measures(
    predictions: pl.DataFrame, *, sigma_below: float | None = None, skip: int = 0
) -> Measures:
    """Means over the matches that count.

    Args:
        predictions: The table that `predictions` returned, or the columns of `judged` alone.
        sigma_below: Only matches before which both uncertainties were below this; those of
            systems without uncertainty all count.
        skip: Leave out so many matches at the start, e.g. those that a system was tuned on.
    """
    check_whole(0, skip=skip)
    counted = predictions.slice(skip)
    if sigma_below is not None:
        counted = counted.filter(well_known(sigma_below))
    values = (counted[name].to_numpy() for name in ("log_loss", "brier", "right"))
    means = (float(value.mean()) if len(value) else math.nan for value in values)
    return Measures(counted.height, *means)


def well_known(sigma_below: float) -> pl.Expr:
    """Whether both uncertainties before a match were below this, or there is none."""
    check_number(0.0, sigma_below=sigma_below)
    sure = pl.max_horizontal("sigma_a", "sigma_b") < sigma_below
    return sure.fill_null(True)


def of_two(columns: Columns) -> NDArray[np.bool_]:
    """Which contests have two competitors: not two members of one team."""
    two: NDArray[np.bool_] = np.diff(columns.offsets) == 2
    if columns.team is not None:
        first = columns.offsets[:-1][two]
        team = columns.team[first]
        two[two] = (team < 0) | (team != columns.team[first + 1])
    return two


def scores(columns: Columns) -> Floats:
    """What the first row of every contest of two scored, NaN for other contests."""
    found = np.full(len(columns.time), np.nan)
    two = np.diff(columns.offsets) == 2
    row = columns.offsets[:-1][two]
    found[two] = np.where(columns.rank[row] == columns.rank[row + 1], 0.5, 1.0)
    if columns.score is not None:
        found = np.where(np.isnan(columns.score), found, columns.score)
    return found
