"""Sums over all opponents at once: ``S(x) = sum_j F((x - mu_j) / s_j) / s_j``, F the logistic cdf.

Every comparison of all pairs by a logistic curve needs S at the players' own ratings, or the x
at which S has some value: expected scores of Elo, Glicko's sums, the seeds of Codeforces.
Small fields are summed term by term. In large ones S is tabulated on panels, as
`podium.numerics.logistic` does for performances, and read from there: linear in the players.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics import logistic
from podium.numerics.chebyshev import NODES, decreasing_root, polynomial, powers
from podium.numerics.compiled import kernel
from podium.numerics.logistic import BLOCK_ROWS, PANEL_IN_SCALES, tabulate, weights_below
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]

DIRECT = 150
"""Fields of up to so many players are summed term by term."""
_MOST_PANELS = 4096
_REACH = 40.0
"""So many scales away F is 0 or 1 to the last bit."""


@kernel
def direct(mu, s, x):
    """S(x) and its derivative, term by term."""
    value = 0.0
    slope = 0.0
    for j in range(mu.shape[0]):
        odds = math.exp(-abs(x - mu[j]) / s[j])
        part = odds / (1.0 + odds)
        value += (part if x < mu[j] else 1.0 - part) / s[j]
        slope += part * (1.0 - part) / (s[j] * s[j])
    return value, slope


@kernel
def panels_over(low, high, s):
    """Left end, width and number of panels that cover `low` to `high`; 0 panels if too many."""
    smallest = s[0]
    for i in range(1, s.shape[0]):
        smallest = min(smallest, s[i])
    width = PANEL_IN_SCALES * smallest
    if not (high - low) / width < _MOST_PANELS:
        return low, width, 0
    panels = int(math.ceil((high - low) / width)) + 1
    return 0.5 * (low + high - panels * width), width, panels


@kernel
def tabulated(mu, s, left, width, panels):
    """S on the panels, in one thread.

    As two parts: the whole weights of players below a panel's centre, and the rest at its nodes.
    """
    table = np.zeros((panels, NODES))
    tabulate(mu, s, np.int64(0), mu.shape[0], left, width, np.int64(0), table)
    return weights_below(mu, s, left, width, panels), table


def tabulated_in_threads(
    mu: Floats, s: Floats, left: float, width: float, panels: int, threads: int
) -> tuple[Floats, Floats]:
    """The same with blocks of rows shared among threads, and added up in their order."""
    table = logistic.tabulated_in_threads(mu, s, left, width, panels, threads)
    return weights_below(mu, s, left, width, panels), table


@kernel
def inverse(value, left, width, below, table):
    """The x at which S is `value`: on the last panel at whose left end it is less."""
    low, high = 0, table.shape[0]
    while high - low > 1:
        panel = (low + high) // 2
        if below[panel, 0] - value + table[panel, 0] < 0.0:
            low = panel
        else:
            high = panel
    t = decreasing_root((value - below[low, 0]) - table[low])
    return left + (low + 0.5 + 0.5 * t) * width


@kernel
def inverses(values, left, width, below, table):
    """The same for many values."""
    x = np.empty(values.shape[0])
    for k in range(values.shape[0]):
        x[k] = inverse(values[k], left, width, below, table)
    return x


@kernel
def _worth_a_table(rows, panels):
    return rows > DIRECT and 0 < panels * NODES < rows


@kernel
def _own_from_table(mu, left, width, below, table, first, last, value, slope):
    """For the rows `first` to `last`."""
    coefficients = powers(table)
    for i in range(first, last):
        panel = min(max(int((mu[i] - left) / width), 0), table.shape[0] - 1)
        t = (mu[i] - left) / (0.5 * width) - (2 * panel + 1)
        small, rise = polynomial(coefficients[panel], min(max(t, -1.0), 1.0))
        value[i] = below[panel, 0] + (below[panel, 1] + small)
        slope[i] = rise / (0.5 * width)


@kernel
def _weights_before(s):
    """The sums of 1/s over all earlier rows, and what rounding took from them."""
    before = np.zeros((s.shape[0] + 1, 2))
    for row in range(s.shape[0]):
        old, weight = before[row, 0], 1.0 / s[row]
        before[row + 1, 0] = old + weight
        before[row + 1, 1] = before[row, 1] + ((old - before[row + 1, 0]) + weight)
    return before


@kernel
def _ascending(values):
    """The order of values, equal ones as they stand, by merging ever longer runs.

    Compiled in a tenth of the time that NumPy's takes.
    """
    count, run = values.shape[0], 1
    order, merged = np.empty(count, np.int64), np.empty(count, np.int64)
    for i in range(count):
        order[i] = i
    while run < count:
        for start in range(0, count, 2 * run):
            middle, end = min(start + run, count), min(start + 2 * run, count)
            left, right = start, middle
            for i in range(start, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    merged[i] = order[left]
                    left += 1
                else:
                    merged[i] = order[right]
                    right += 1
        order, merged = merged, order
        run *= 2
    return order


@kernel
def _own_scattered(mu, s, value, slope):
    """Where ratings are so far apart that most panels would be empty.

    In the order of ratings, only panels with players in them are looked at, and only players near
    enough to matter there; those further below count whole. Linear but for sorting.
    """
    rows = mu.shape[0]
    order = _ascending(mu)
    unsorted_mu, unsorted_s = mu, s
    mu, s = np.empty(rows), np.empty(rows)
    for i in range(rows):
        mu[i], s[i] = unsorted_mu[order[i]], unsorted_s[order[i]]
    _, _, smallest, largest = logistic.extremes(mu, s)
    near, width = _REACH * largest, PANEL_IN_SCALES * smallest
    before = _weights_before(s)
    own = np.empty((2, rows))
    table = np.empty((1, NODES))
    low, high, first = 0, 0, 0
    while first < rows:
        left, last = mu[first], first + 1
        while last < rows and mu[last] - left < width:
            last += 1
        while left - mu[low] > near:
            low += 1
        high = max(high, last)
        while high < rows and mu[high] - left < width + near:
            high += 1
        if last - first < NODES:
            for i in range(first, last):
                part, own[1, i] = direct(mu[low:high], s[low:high], mu[i])
                own[0, i] = before[low, 0] + (before[low, 1] + part)
        else:
            for n in range(NODES):
                table[0, n] = 0.0
            shifted = mu[low:high] - left
            tabulate(shifted, s[low:high], np.int64(0), high - low, 0.0, width, np.int64(0), table)
            middle = low
            while middle < high and shifted[middle - low] <= 0.5 * width:
                middle += 1
            below = before[middle : middle + 1]
            _own_from_table(
                shifted, 0.0, width, below, table, first - low, last - low,
                own[0, low:high], own[1, low:high],
            )  # fmt: skip
        first = last
    for i in range(rows):
        value[order[i]], slope[order[i]] = own[0, i], own[1, i]


@kernel
def at_own_ratings(mu, s, value, slope):
    """S and its derivative at every player's own rating, in one thread."""
    rows = mu.shape[0]
    lowest, highest, _, _ = logistic.extremes(mu, s)
    left, width, panels = panels_over(lowest, highest, s)
    if _worth_a_table(rows, panels):
        below, table = tabulated(mu, s, left, width, panels)
        _own_from_table(mu, left, width, below, table, np.int64(0), rows, value, slope)
    elif rows > DIRECT:
        _own_scattered(mu, s, value, slope)
    else:
        for i in range(rows):
            value[i], slope[i] = direct(mu, s, mu[i])


def at_own_ratings_in_threads(
    mu: Floats, s: Floats, value: Floats, slope: Floats, threads: int
) -> None:
    """`at_own_ratings` with the rows shared among threads."""
    rows = len(mu)
    left, width, panels = panels_over(mu.min(), mu.max(), s)
    if not _worth_a_table(rows, panels):
        at_own_ratings(mu, s, value, slope)
        return
    below, table = tabulated_in_threads(mu, s, left, width, panels, threads)

    def read(first: int) -> None:
        last = min(first + BLOCK_ROWS, rows)
        _own_from_table(mu, left, width, below, table, first, last, value, slope)

    for_each(read, range(0, rows, BLOCK_ROWS), threads)
