"""Measures of predictions: what was believed before a contest against how it ended.

Measures of order take columns: contest c has the rows ``offsets[c] .. offsets[c + 1]``, best first;
`rank` says who is ahead of whom in it, equal ranks being ties; `rating` is what was believed
before. Each takes O(n log n) for a contest of n. A contest of one, or in which all are tied, is
not measured: its values are NaN. Measures of pairs take scores (1, ½ for a draw, 0) and what was
expected of them.

Example:
    >>> offsets, rank = np.array([0, 4]), np.array([1, 2, 2, 4])
    >>> rating = np.array([1900.0, 1500.0, 2000.0, 1400.0])
    >>> pair_inversion(offsets, rank, rating).round(3).tolist()
    [0.667, 1.0, 0.667, 1.0]
    >>> rank_deviation(offsets, rank, rating).round(3).tolist()
    [0.333, 0.0, 0.333, 0.0]
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import measures as kernel
from podium.wording import suggestion

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]

BINS = 20
"""Of the expected scores of favourites, from ½ to 1."""


class Measure(NamedTuple):
    """What is measured, and which values are good."""

    name: str
    title: str
    best: Literal["highest", "lowest"]
    percent: bool
    """Whether people read it in hundredths."""
    kind: Literal["order", "pairs", "calibrated", "top"]
    """What it is of: whole standings, predicted results of pairs, the same after a temperature that
    was learned from earlier contests, or the highest rated few."""


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("pair-inversion", "pairs called right or tied", "highest", True, "order"),
        Measure("rank-deviation", "places off, of all places", "lowest", True, "order"),
        Measure("spearman", "rank correlation, Spearman's rho", "highest", False, "order"),
        Measure("kendall", "rank correlation, Kendall's tau-b", "highest", False, "order"),
        Measure("accuracy", "pairs that the favourite won, draws half", "highest", True, "pairs"),
        Measure("log-loss", "surprise at results of pairs, in nats", "lowest", False, "pairs"),
        Measure("brier", "squared error of expected scores", "lowest", False, "pairs"),
        Measure("calibration-error", "expected scores off on average", "lowest", True, "pairs"),
        Measure("calibrated-log-loss", "the same, calibrated", "lowest", False, "calibrated"),
        Measure("calibrated-brier", "the same, calibrated", "lowest", False, "calibrated"),
        Measure(
            "calibrated-calibration-error", "the same, calibrated", "lowest", True, "calibrated"
        ),
        Measure("top-hits", "of the best few, those predicted", "highest", True, "top"),
        Measure("top-pair-inversion", "the same among the highest rated", "highest", True, "top"),
        Measure("top-rank-deviation", "the same among the highest rated", "lowest", True, "top"),
    )
}


def by_name(name: str) -> Measure:
    """The measure with this name."""
    if not isinstance(name, str) or name not in MEASURES:
        raise InputError(
            f"there is no measure {name!r}{suggestion(name, MEASURES)}; "
            f"there are {', '.join(MEASURES)}."
        )
    return MEASURES[name]


def pair_inversion(offsets: Integers, rank: Integers, rating: Floats) -> Floats:
    """For every row: the share of opponents against whom the ratings called the result right.

    Right means that the higher rated came out ahead, or that the two tied. Of the others with an
    equal rating, half count. In spite of the paper's name, higher is better.
    """
    share: Floats = kernel.pairs_called_right(offsets, rank, rating)
    return share


def rank_deviation(offsets: Integers, rank: Integers, rating: Floats) -> Floats:
    """For every row: how far the place is from that by rating, as a share of the farthest.

    Of the places that tied rows share, the one nearest to the expected place counts; equal ratings
    expect the middle of their places.
    """
    deviation: Floats = kernel.rank_deviations(offsets, rank, rating)
    return deviation


def spearman(offsets: Integers, rank: Integers, rating: Floats) -> Floats:
    """For every contest: Spearman's correlation; 0 if all ratings are equal."""
    correlation: Floats = kernel.spearman(offsets, rank, rating)
    return correlation


def kendall(offsets: Integers, rank: Integers, rating: Floats) -> Floats:
    """For every contest: Kendall's tau-b; 0 if all ratings are equal."""
    correlation: Floats = kernel.kendall(offsets, rank, rating)
    return correlation


def top_hits(offsets: Integers, rank: Integers, rating: Floats, k: int) -> Floats:
    """For every contest of more than k: the share of its best k who were the k highest rated.

    Those who share the last of these places, or their ratings, are counted by a part.

    Example:
        >>> top_hits(np.array([0, 3]), np.array([1, 2, 3]), np.array([5.0, 1.0, 3.0]), 2).item()
        0.5
    """
    share: Floats = kernel.top_hits(offsets, rank, rating, k)
    return share


def accuracy(score: Floats, expected: Floats) -> Floats:
    """For every pair: 1 if the favourite won, 0 if not, ½ for a draw or without a favourite."""
    ahead = expected - 0.5
    lead = np.where(np.abs(ahead) <= kernel.EVEN, 0.0, np.sign(ahead))
    right: Floats = 0.5 + 0.5 * lead * np.sign(score - 0.5)
    return right


def brier(score: Floats, expected: Floats) -> Floats:
    """For every pair: the square by which the expected score was off."""
    square: Floats = (score - expected) ** 2
    return square


def log_loss(score: Floats, expected: Floats) -> Floats:
    """-θ ln p - (1 - θ) ln(1 - p), infinite where what was impossible has happened.

    Example:
        >>> log_loss(np.array([1.0, 0.5, 0.0]), np.array([1.0, 0.5, 1.0])).round(4).tolist()
        [0.0, 0.6931, inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        won = np.where(score > 0.0, -score * np.log(expected), 0.0)
        lost = np.where(score < 1.0, (score - 1.0) * np.log1p(-expected), 0.0)
    return won + lost


class Reliability(NamedTuple):
    """What favourites were expected to score and did: sums in `BINS` bins from ½ to 1."""

    pairs: Floats
    """How many, or what they weigh."""
    expected: Floats
    scored: Floats
