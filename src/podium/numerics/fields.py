"""How a contest may end when performances are independent: first place, best few, expected rank.

With f_i the density of the performance of i and F_j the cdf of that of j, the probability that i
comes first is the integral of ``f_i * prod F_j`` over j other than i; the place among the best
`top` replaces the product by the probability that fewer than `top` others exceed x.
All integrals are taken on one grid by the trapezoidal rule, which converges geometrically for
analytic functions on the whole line. At each point of it, the number of others above x is
counted from both ends of the list and put together in the middle, so that nothing is subtracted.

Expected ranks alone are sums over pairs. Those of normal performances are in
`podium.numerics.normal_sums`. Others are analytic in locations and in logarithms of scales: so
everybody is spread over Chebyshev points of both, those points meet each other on the grid, and
everybody's rank is interpolated between theirs. The cost of a row does not depend on the grid.
Its steps divide a panel of points, so that distributions are looked at for one panel only.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics import normal_sums
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.normal import normal_cdf

Floats = NDArray[np.float64]

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
_LEFT = np.array([9.0, 28.0, 5.0, REACH])
_RIGHT = np.array([9.0, 28.0, 28.0, REACH])
"""Scales to either side of a location beyond which nothing matters."""

_POINTS = 16
_NODES = -np.cos(np.pi * np.arange(_POINTS) / (_POINTS - 1))
_SIGNS = np.where(np.arange(_POINTS) % 2 == 0, 1.0, -1.0)
_SIGNS[[0, -1]] *= 0.5
"""Chebyshev points of the second kind on every panel of locations, and what they weigh in the
barycentric formula."""
_PANEL = {LOGISTIC: 2.0, GUMBEL: 1.0}
"""The width of a panel in the smallest scale."""
_STEPS = 5
"""Of the grid in a panel."""
_STRIP = {LOGISTIC: 1.4}
"""How far distributions are analytic, and of the order of one, in the logarithm of their scale."""
_DIGITS = 24.0
"""The error of levels of scales is about exp(-24), 4e-11."""
_LEAST, _TINY = 1e-9, 1e-100
"""Scales below so small a part of the largest, or so small at all, count as that."""
_SAME = 1e-11
"""Logarithms of scales that differ by less count as one."""
_FEW = 256
"""So few competitors are not worth another kernel that would have to be compiled."""
_WORTH = 4
"""So many points are less work than one competitor on the whole grid."""


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
    location: Floats,
    scale: Floats,
    table: Floats,
    top: int,
) -> tuple[Floats, Floats, Floats]:
    """For every competitor: probability of the first place, of the best `top`, expected rank."""
    n = len(location)
    low, high = _reach(family, location, scale)
    scale = np.maximum(scale, (high - low) / (_STEP * (_MOST_POINTS - 2)))
    low, high = _reach(family, location, scale)
    grid = np.linspace(low, high, 2 + int((high - low) / (_STEP * float(scale.min()))))
    sums = _integrate(family, location, scale, table, min(top, n), grid)
    first = sums[0] / sums[0].sum()
    best = np.clip(sums[1] / sums[1].sum() * min(top, n), 0.0, 1.0)
    return first, best, 1.0 + sums[2] / sums[3]


def _reach(family: int, location: Floats, scale: Floats) -> tuple[float, float]:
    """Where all performances are."""
    low, high = location - _LEFT[family] * scale, location + _RIGHT[family] * scale
    return float(low.min()), float(high.max())


def expected_ranks(family: int, location: Floats, scale: Floats, table: Floats) -> Floats:
    """The expected rank of every competitor, which of many costs far less than all chances.

    Which way it is found depends on how many there are, and how far apart they are.
    """
    if len(location) <= _FEW:
        return rank_probabilities(family, location, scale, table, 1)[2]
    scale, ranks = np.maximum(scale, max(_LEAST * scale.max(), _TINY)), np.empty(len(location))
    if family == NORMAL:
        normal_sums.expected_ranks(location, scale * scale, ranks)
        return 0.5 + ranks
    plan = _panels(family, location, scale)
    if plan is None:
        return rank_probabilities(family, location, scale, table, 1)[2]
    left, step, panels, before, after, levels = plan
    points = np.zeros((panels, levels.shape[1] * _POINTS))
    where = location, scale, left, 0.5 * _STEPS * step, levels, points, ranks
    _meet_points(True, *where)
    length = before + _STEPS + after + 1
    _meet_on_grid(*_seen_from_points(family, table, step, levels, before, length), points)
    _meet_points(False, *where)
    return ranks


def _panels(
    family: int, location: Floats, scale: Floats
) -> tuple[float, float, int, int, int, Floats] | None:
    """How to lay panels and grid; None if that is not worth it.

    Left end and step, the number of panels, steps of the grid before the first one and after the
    last, and rows of levels of scales: their logarithms, and weights of the barycentric formula.
    """
    least, most = float(scale.min()), float(scale.max())
    low, high = float(location.min()), float(location.max())
    count, half = 1, 0.5 * math.log(most / least)
    if family not in (_PANEL if half < _SAME else _STRIP):
        return None
    if half >= _SAME:
        count += math.ceil(_DIGITS / math.asinh(_STRIP[family] / half))
    width = _PANEL[family] * least
    if (high - low) * _POINTS * count >= _WORTH * width * len(location):
        return None
    panels, step = max(1, math.ceil((high - low) / width)), width / _STEPS
    before, after = (math.ceil(reach * most / step) for reach in (_LEFT[family], _RIGHT[family]))
    levels = np.ones((2, count))
    levels[0] = math.log(least) + half * (1.0 - np.cos(np.pi * np.linspace(0.0, 1.0, count)))
    levels[1, 1::2] = -1.0
    levels[1, [0, -1]] *= 0.5
    return low, step, panels, before, after, levels


@fused_kernel
def _meet_on_grid(above, density, points):
    """From how many competitors there are at the points of every panel to ranks expected there."""
    panels = points.shape[0]
    length = above.shape[1]
    counted = np.zeros(length + (panels - 1) * _STEPS)
    for k in range(panels):
        for point in range(above.shape[0]):
            weight = points[k, point]
            for x in range(length):
                counted[k * _STEPS + x] += weight * above[point, x]
            for x in range(k * _STEPS):
                counted[x] += weight
    total = np.zeros(density.shape[1])
    for x in range(length):
        for point in range(total.shape[0]):
            total[point] += density[x, point]
    for k in range(panels):
        for point in range(total.shape[0]):
            points[k, point] = 0.0
        for x in range(length):
            others = counted[k * _STEPS + x]
            for point in range(total.shape[0]):
                points[k, point] += others * density[x, point]
        for point in range(total.shape[0]):
            points[k, point] /= total[point]


@fused_kernel
def _meet_points(spreads, location, scale, left, half, levels, points, out):
    """Spread everybody over the points, or find everybody's rank between those of the points.

    A point of a level of scales is ``level * _POINTS + point``.
    """
    along, lanes = np.empty(_POINTS), np.empty(_POINTS)
    count = levels.shape[1]
    across = np.empty(count)
    for i in range(location.shape[0]):
        position = (location[i] - left) / half
        k = min(int(0.5 * position), points.shape[0] - 1)
        part = 1.0 / _weigh(_NODES, _SIGNS, position - (2 * k + 1), along)
        part /= _weigh(levels[0], levels[1], math.log(scale[i]), across)
        here = points[k]
        for n in range(_POINTS):
            along[n] *= part
        if spreads:
            for level in range(count):
                for n in range(_POINTS):
                    here[level * _POINTS + n] += across[level] * along[n]
            continue
        rank = 0.5  # oneself is among those counted, at one half
        for n in range(_POINTS):
            lanes[n] = 0.0
        for level in range(count):
            for n in range(_POINTS):
                lanes[n] += across[level] * here[level * _POINTS + n]
        for n in range(_POINTS):
            rank += along[n] * lanes[n]
        out[i] = rank


@kernel
def _weigh(nodes, signs, x, weights):
    """What values at these nodes count at x, but for a factor; returned is the sum of weights.

    In four chains, which do not wait for each other.
    """
    for n in range(nodes.shape[0]):
        gap = x - nodes[n]
        weights[n] = signs[n] / (gap if gap != 0.0 else 1e-15)
    whole = nodes.shape[0] // 4 * 4
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for n in range(0, whole, 4):
        a += weights[n]
        b += weights[n + 1]
        c += weights[n + 2]
        d += weights[n + 3]
    for n in range(whole, nodes.shape[0]):
        a += weights[n]
    return (a + b) + (c + d)


@kernel
def _seen_from_points(family, table, step, levels, before, length):
    """The chance to be above places of the grid, by point, and the density there, by place."""
    above = np.empty((levels.shape[1] * _POINTS, length))
    density = np.empty((length, above.shape[0]))
    for point in range(above.shape[0]):
        inverse = math.exp(-levels[0, point // _POINTS])
        location = before * step + 0.5 * _STEPS * step * (1.0 + _NODES[point % _POINTS])
        for x in range(length):
            z = (x * step - location) * inverse
            if family == LOGISTIC:  # as below, by one tanh
                t = math.tanh(0.5 * z)
                above[point, x] = 1.0 - 0.5 * (1.0 + t)
                density[x, point] = 0.25 * (1.0 - t * t)
                continue
            above[point, x] = 1.0 - _cdf(family, z, table)
            density[x, point] = _density(family, z, table)
    return above, density


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
