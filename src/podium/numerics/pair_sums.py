"""Sums over all opponents at once: ``S(x) = sum_j F((x - mu_j) / s_j) / s_j``, F the logistic cdf.

Every comparison of all pairs by a logistic curve needs S at the players' own ratings, or the x
at which S has some value: expected scores of Elo, Glicko's sums, the seeds of Codeforces.
Small fields are summed term by term. In large ones S is tabulated on panels, as
`podium.numerics.logistic` does for performances, and read from there: linear in the players.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.chebyshev import NODES, interpolate
from podium.numerics.compiled import kernel
from podium.numerics.logistic import BLOCK_ROWS, PANEL_IN_SCALES, tabulate, weights_below
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]

DIRECT = 150
"""Fields of up to so many players are summed term by term."""
_MOST_PANELS = 4096


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
    width = PANEL_IN_SCALES * s.min()
    panels = int(math.ceil((high - low) / width)) + 1
    if panels > _MOST_PANELS:
        return low, width, 0
    return 0.5 * (low + high - panels * width), width, panels


@kernel
def at(left, width, below, table, room, x):
    """S(x) and its derivative from the table; `room` is for `NODES` numbers."""
    panel = min(max(int((x - left) / width), 0), table.shape[0] - 1)
    t = (x - left) / (0.5 * width) - (2 * panel + 1)
    value, slope = interpolate(table[panel], min(max(t, -1.0), 1.0), room)
    return below[panel, 0] + (below[panel, 1] + value), slope / (0.5 * width)


@kernel
def tabulated(mu, s, left, width, panels):
    """``below`` and ``table`` for `at`, in one thread."""
    table = np.zeros((panels, NODES))
    tabulate(mu, s, np.int64(0), mu.shape[0], left, width, np.int64(0), table)
    return weights_below(mu, s, left, width, panels), table


def tabulated_in_threads(
    mu: Floats, s: Floats, left: float, width: float, panels: int, threads: int
) -> tuple[Floats, Floats]:
    """The same with blocks of rows shared among threads, and added up in their order."""
    blocks = range(0, len(mu), BLOCK_ROWS)
    tables = np.zeros((len(blocks), panels, NODES))

    def tabulate_block(first: int) -> None:
        last = min(first + BLOCK_ROWS, len(mu))
        tabulate(mu, s, first, last, left, width, 0, tables[first // BLOCK_ROWS])

    for_each(tabulate_block, blocks, threads)
    for part in tables[1:]:
        tables[0] += part
    return weights_below(mu, s, left, width, panels), tables[0]


@kernel
def at_own_ratings(mu, s, value, slope):
    """S and its derivative at every player's own rating, in one thread."""
    rows = mu.shape[0]
    left, width, panels = panels_over(mu.min(), mu.max(), s)
    if rows <= DIRECT or panels == 0 or panels * NODES >= rows:
        for i in range(rows):
            value[i], slope[i] = direct(mu, s, mu[i])
        return
    below, table = tabulated(mu, s, left, width, panels)
    room = np.empty(NODES)
    for i in range(rows):
        value[i], slope[i] = at(left, width, below, table, room, mu[i])
