"""How near ratings come to the true skills, which only synthetic populations know.

Example:
    >>> import podium
    >>> from podium.evaluation.truth import against_truth
    >>> crowd = podium.simulate(players=100, rounds=10, seed=1)
    >>> table = against_truth(crowd, "elo-mmx")
    >>> table["contests"].to_list()
    ['all', '1', '2', '3-5', '6-10', '11-20', '21+']
    >>> table["spearman"][0] > 0.8
    True
"""

import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.evaluation.populations import SimulatedContests
from podium.numerics.columns import appearance_numbers
from podium.ratings.fold import rate
from podium.systems.base import System

Floats = NDArray[np.float64]

_BRACKETS = {
    "all": (1, math.inf),
    "1": (1, 1),
    "2": (2, 2),
    "3-5": (3, 5),
    "6-10": (6, 10),
    "11-20": (11, 20),
    "21+": (21, math.inf),
}
"""How many contests a player has played by then."""
_WIDTH = 1.959963984540054
"""So many standard deviations around the mean hold 95 percent of a normal distribution."""


class Agreement(NamedTuple):
    """How well ratings agree with true skills; NaN for what cannot be said."""

    rows: int
    spearman: float
    """The correlation of their ranks: whether they put players in the right order."""
    pearson: float
    """Their correlation."""
    rmse: float
    """The root of the mean squared difference, in the unit of the skills."""
    coverage: float
    """The share of skills in the interval that holds 95 percent of what is believed of them."""


def against_truth(
    contests: SimulatedContests,
    system: str | System | None = None,
    *,
    fitted: bool = False,
    **parameters: Any,
) -> pl.DataFrame:
    """How well ratings agree with the true skills, after how many contests of a player.

    Contests are rated in order. Every participation is a row, which compares what is believed
    of its player after the contest (mu and sigma) with the true skill at that time.

    Args:
        contests: What `podium.simulate` or `podium.simulate_matches` returned.
        system: A name, with `parameters` of that system as keyword arguments, or a system;
            "elo-mmr" if nothing is said.
        fitted: First map ratings to skills by the straight line that fits all rows best. For
            systems whose scale is not that of the skills, `rmse` and `coverage` mean nothing
            without it; correlations are the same.
        **parameters: Parameters of the system.

    Returns:
        Columns contests (all, 1, 2, 3-5, 6-10, 11-20, 21+: how many the player has played by
        then) and those of `Agreement`. A value is null where there is none: coverage if the
        system has no uncertainty, a correlation if one side is constant.
    """
    if not isinstance(contests, SimulatedContests) or np.isnan(contests.skills).any():
        raise InputError(
            "true skills are needed, which only podium.simulate and podium.simulate_matches keep; "
            "a part of their contests has none."
        )
    if not isinstance(fitted, bool):
        raise InputError(f"fitted must be True or False, not {fitted!r}.")
    history = rate(contests, system, **parameters).history
    mu, sigma = (history[name].cast(pl.Float64).to_numpy() for name in ("mu", "sigma"))
    skill = contests.skills
    if fitted:
        mu, sigma = _fitted(mu, sigma, skill)
    player = contests.columns.player
    played = appearance_numbers(player, np.bincount(player).astype(np.int32))
    rows = []
    for name, (low, high) in _BRACKETS.items():
        among = (played >= low) & (played <= high)
        found = agreement(mu[among], sigma[among], skill[among])
        rows.append({"contests": name, **found._asdict()})
    return pl.DataFrame(rows).with_columns(pl.selectors.float().fill_nan(None))


def agreement(mu: Floats, sigma: Floats, skill: Floats) -> Agreement:
    """How well these beliefs agree with these skills; sigma is NaN where nothing is said.

    Example:
        >>> one = agreement(np.array([1.0, 2.0, 9.0]), np.full(3, 2.0), np.array([1.0, 2.0, 4.0]))
        >>> one.rows, one.spearman, round(one.rmse, 4), round(one.coverage, 4)
        (3, 1.0, 2.8868, 0.6667)
    """
    if len(skill) == 0:
        return Agreement(0, math.nan, math.nan, math.nan, math.nan)
    error = np.abs(skill - mu)
    known = ~np.isnan(sigma)
    covered = error[known] <= _WIDTH * sigma[known]
    return Agreement(
        len(skill),
        _correlation(_ranks(mu), _ranks(skill)),
        _correlation(mu, skill),
        math.sqrt(float(np.mean(error * error))),
        float(covered.mean()) if len(covered) else math.nan,
    )


def _fitted(mu: Floats, sigma: Floats, skill: Floats) -> tuple[Floats, Floats]:
    """Beliefs in the unit of the skills, by the line that predicts skills from mu best."""
    if len(skill) == 0:
        return mu, sigma
    centre, spread = mu - mu.mean(), mu.var()
    slope = float(np.mean(centre * (skill - skill.mean())) / spread) if spread > 0.0 else 0.0
    return skill.mean() + slope * centre, abs(slope) * sigma


def _ranks(values: Floats) -> Floats:
    """From 1 on; equal values share the mean of theirs."""
    return pl.Series(values).rank("average").to_numpy()


def _correlation(x: Floats, y: Floats) -> float:
    if x.min() == x.max() or y.min() == y.max():
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    return float(np.mean(x * y) / (x.std() * y.std()))
