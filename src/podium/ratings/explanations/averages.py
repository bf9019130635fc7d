"""What a new rating is an average of: past performances, each with the weight that it has now."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from podium.systems.explained import Mean


@dataclass(frozen=True, eq=False)
class Average:
    """The new rating, as a mean of what was believed before and of performances.

    ``base * base_share + sum(performance * share) + correction`` is the new mu; all
    shares add up to one.
    """

    base: float
    """What was believed before, or where older performances are kept, their summary."""
    base_share: float
    performances: pl.DataFrame
    """The latest last: contest (null if not known), ago (0 is this contest, 1 the player's one
    before), performance, share, and plain_share: what it would be by age alone."""
    correction: float = 0.0
    """What else has been added: a shift of all ratings, a cap on changes, or rounding."""
    keeps_past: bool = False
    """Whether the system keeps performances of earlier contests."""


def average(mean: Mean, earlier: Sequence[str]) -> Average:
    """The mean of a system, with the identifiers of the earlier contests."""
    ago = np.arange(len(mean.performance) - 1, -1, -1)
    names = [earlier[-k] if 0 < k <= len(earlier) else None for k in ago.tolist()]
    frame = pl.DataFrame(
        {
            "contest": pl.Series(names, dtype=pl.String),
            "ago": ago,
            "performance": mean.performance,
            "share": mean.share,
            "plain_share": mean.plain_share,
        }
    )
    return Average(mean.base, mean.base_share, frame, mean.correction, mean.keeps_past)
