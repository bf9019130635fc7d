"""How a contest may end when performances are independent: first place, best few, expected rank.

With f_i the density of the performance of i and F_j the cdf of that of j, the probability that i
comes first is the integral of ``f_i * prod F_j`` over j other than i; the place among the best
`top` replaces the product by the probability that fewer than `top` others exceed x.
All integrals are taken on one grid by the trapezoidal rule, which converges geometrically for
analytic functions on the whole line. At each point of it, the number of others above x is
counted from both ends of the list and put together in the middle, so that nothing is subtracted.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.normal import normal_cdf

NORMAL = 0
LOGISTIC = 1
GUMBEL = 2
TABULATED = 3
"""Scale: the standard deviation, the scale of the logistic, the scale of the Gumbel distribution
(the one for which the best of a field follows Luce's rule), one unit of the table."""

NO_TABLE = np.zeros((2, 2))
"""A table has cdf and density at equally spaced points from -`REACH` to `REACH`."""
REACH = 16.0

_STEP = 0.4
"""In the smallest scale: the error of the rule is below 1e-10 for every family."""
_MOST_POINTS = 20_000
"""Scales too small for a grid of so many points count as the smallest that is not."""
_LEFT = np.array([9.0, 32.0, 5.0, REACH])
_RIGHT = np.array([9.0, 32.0, 32.0, REACH])
"""Scales to either side of a location beyond which nothing matters."""


@kernel
def _cdf(family, z, table):
    if family == NORMAL:
        return normal_cdf(z)
    if family == LOGISTIC:
        return 0.5 * (1.0 + math.tanh(0.5 * z))
    if family == GUMBEL:
        return math.exp(-math.exp(-max(z, -7.0)))
    return _from_table(table[0], z)


@kernel
def _density(family, z, table):
    if family == NORMAL:
        return math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    if family == LOGISTIC:
        t = math.tanh(0.5 * z)
        return 0.25 * (1.0 - t * t)
    if family == GUMBEL:
        z = max(z, -7.0)
        return math.exp(-z - math.exp(-z))
    return _from_table(table[1], z)


@kernel
def _from_table(values, z):
    position = (min(max(z, -REACH), REACH) + REACH) / (2.0 * REACH) * (values.shape[0] - 1)
    cell = min(int(position), values.shape[0] - 2)
    part = position - cell
    return (1.0 - part) * values[cell] + part * values[cell + 1]


@kernel
def exceeding(family, location, scale, table):
    """The probability that the first of two performances exceeds the second.

    Exact for normal performances, and for Gumbel performances of one scale. The difference of two
    logistic performances, or of two Gumbel ones of different scales, is taken to be logistic, that
    of two of one's own model to be of that model's form (made symmetric).
    """
    return _exceeding(family, location[0] - location[1], scale[0], scale[1], table)


@kernel
def exceeding_pairs(family, lead, scale, other_scale, table):
    """The same for many pairs, whose locations differ by `lead`."""
    chance = np.empty(lead.shape[0])
    for pair in range(lead.shape[0]):
        chance[pair] = _exceeding(family, lead[pair], scale[pair], other_scale[pair], table)
    return chance


@kernel
def _exceeding(family, lead, scale, other_scale, table):
    squares = scale * scale + other_scale * other_scale
    if family == GUMBEL:
        return _cdf(np.int64(LOGISTIC), lead / math.sqrt(0.5 * squares), table)
    z = lead / math.sqrt(squares)
    if family == TABULATED:
        return 0.5 * (_cdf(family, z, table) + 1.0 - _cdf(family, -z, table))
    return _cdf(family, z, table)


@kernel
def exceeding_by_margin(lead, deviation, margin):
    """The expected scores of pairs whose normal performances draw within a margin.

    Half of 1 plus the chance of a win minus that of a loss.
    """
    score = np.empty(lead.shape[0])
    for pair in range(lead.shape[0]):
        win = normal_cdf((lead[pair] - margin[pair]) / deviation[pair])
        loss = normal_cdf((-lead[pair] - margin[pair]) / deviation[pair])
        score[pair] = 0.5 * (1.0 + win - loss)
    return score


def rank_probabilities(
    family: int,
    location: NDArray[np.float64],
    scale: NDArray[np.float64],
    table: NDArray[np.float64],
    top: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """For every competitor: probability of the first place, of the best `top`, expected rank."""
    n = len(location)
    low = float(np.min(location - _LEFT[family] * scale))
    high = float(np.max(location + _RIGHT[family] * scale))
    scale = np.maximum(scale, (high - low) / (_STEP * (_MOST_POINTS - 2)))
    grid = np.linspace(low, high, 2 + int((high - low) / (_STEP * float(scale.min()))))
    sums = _integrate(family, location, scale, table, min(top, n), grid)
    first = sums[0] / sums[0].sum()
    best = np.clip(sums[1] / sums[1].sum() * min(top, n), 0.0, 1.0)
    return first, best, 1.0 + sums[2] / sums[3]


@kernel
def _integrate(family, location, scale, table, top, grid):
    """Rows: first place, best `top`, expected number above, and the integral of the density."""
    n = location.shape[0]
    sums = np.zeros((4, n))
    above = np.empty(n)
    density = np.empty(n)
    before = np.empty((n, top))
    count = np.empty(top)
    for x in grid:
        expected = 0.0
        for i in range(n):
            z = (x - location[i]) / scale[i]
            above[i] = 1.0 - _cdf(family, z, table)
            density[i] = _density(family, z, table) / scale[i]
            expected += above[i]
        for i in range(n):
            sums[2, i] += density[i] * (expected - above[i])
            sums[3, i] += density[i]
        if expected > top + 1.0 + 9.0 * math.sqrt(expected) + 40.0:
            continue  # so few above x are out of the question
        _counts_before(above, top, before)
        count[:] = 0.0
        count[0] = 1.0
        for i in range(n - 1, -1, -1):
            sums[0, i] += density[i] * before[i, 0] * count[0]
            at_most = 0.0
            fewer = 0.0
            for k in range(top):
                at_most += count[k]
                fewer += before[i, top - 1 - k] * at_most
            sums[1, i] += density[i] * fewer
            _count_one_more(above[i], count)
    return sums


@kernel
def _counts_before(above, top, before):
    """Row i: the probabilities that 0, 1, … of those before i are above."""
    before[0, :] = 0.0
    before[0, 0] = 1.0
    for i in range(1, above.shape[0]):
        for k in range(top):
            before[i, k] = before[i - 1, k]
        _count_one_more(above[i - 1], before[i])


@kernel
def _count_one_more(p, count):
    for k in range(count.shape[0] - 1, 0, -1):
        count[k] = count[k] * (1.0 - p) + count[k - 1] * p
    count[0] *= 1.0 - p
