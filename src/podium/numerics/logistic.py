"""Sums of logistic cdfs over all players of a contest, tabulated in linear time.

With ``F_j`` the logistic cdf of player j, of scale ``s_j``, ``G = sum F_j / s_j`` is one function
for the whole contest, analytic in a strip of half-width ``pi * min(s)``. It is tabulated on panels
of width ``4 * min(s)``. On a panel, G is split into the constant ``C = sum 1 / s_j`` over
players rated below its centre and a rest whose terms are small at the ends of the standings, so
that the few terms that matter there are not rounded away.

Rows are sorted by rank, best first. Group g is the rows ``starts[g] .. starts[g + 1]``.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.chebyshev import NODES, POINTS
from podium.numerics.compiled import kernel
from podium.numerics.lanes import WIDTH, between, exp, load_until, store
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]

PANEL_IN_SCALES = 4.0
BLOCK_ROWS = 1024
"""Rows whose terms are added up together. Blocks are added in order, whoever computed them."""

_FAR = 290.0
_RESTART = 16
"""Beyond `_FAR` scales F is 0 or 1. Products that start there and run over fewer than `_RESTART`
panels, of at most four scales each, neither overflow nor come near a value that matters."""

# The coefficients of the Taylor series of exp.
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11 = (1.0 / math.factorial(k) for k in range(2, 12))


@kernel
def tie_groups(ranks):
    """The first row of every tie group, and the number of rows at the end."""
    starts = np.empty(ranks.shape[0] + 1, np.int64)
    groups = 0
    for row in range(ranks.shape[0]):
        if row == 0 or ranks[row] != ranks[row - 1]:
            starts[groups] = row
            groups += 1
    starts[groups] = ranks.shape[0]
    return starts[: groups + 1]


@kernel
def extremes(mu, s):
    """The least and the largest of either."""
    lowest, highest, s_min, s_max = mu[0], mu[0], s[0], s[0]
    for row in range(1, mu.shape[0]):
        lowest = min(lowest, mu[row])
        highest = max(highest, mu[row])
        s_min = min(s_min, s[row])
        s_max = max(s_max, s[row])
    return lowest, highest, s_min, s_max


@kernel
def panel_centre(left, width, panel):
    """The middle of a panel."""
    return left + (panel + 0.5) * width


@kernel
def tabulate(mu, s, first, last, left, width, first_panel, table):
    """Add the rows `first` to `last` to ``table[k] = G - C`` at the nodes of the panels.

    At the node t of a panel with centre c, ``F = E / (E + f)`` with ``E = exp((c - mu) / s)``
    and ``f = exp(-t * width / 2s)``: E moves from panel to panel by one product, f is shared
    by all panels. Rows are taken in pairs, for one division instead of two.
    """
    f0, f1 = np.empty(NODES), np.empty(NODES)
    scratch = np.empty((3, WIDTH))
    start = panel_centre(left, width, first_panel)
    for eight in range(first, last, WIDTH):
        inverse = 1.0 / load_until(s, eight, last, np.inf)
        z = (start - load_until(mu, eight, last, 0.0)) * inverse
        store(scratch[0], 0, inverse)
        store(scratch[1], 0, exp(width * inverse))
        store(scratch[2], 0, exp(between(z, -_FAR, _FAR)))
        for place in range(0, min(WIDTH, last - eight), 2):
            row = eight + place
            mu0, w0, step0, E0 = mu[row], scratch[0, place], scratch[1, place], scratch[2, place]
            other = min(row + 1, last - 1)
            mu1, w1 = mu[other], scratch[0, place + 1]
            step1, E1 = scratch[1, place + 1], scratch[2, place + 1]
            falling(0.5 * width * w0, f0)
            falling(0.5 * width * w1, f1)
            for k in range(table.shape[0]):
                centre = panel_centre(left, width, first_panel + k)
                z0, z1 = (centre - mu0) * w0, (centre - mu1) * w1
                if k > 0 and k % _RESTART == 0:
                    E0 = math.exp(min(max(z0, -_FAR), _FAR))
                    E1 = math.exp(min(max(z1, -_FAR), _FAR))
                elif k > 0:
                    E0 *= step0
                    E1 *= step1
                above0, below0 = (w0 * E0, 0.0) if z0 < 0.0 else (0.0, w0)
                above1, below1 = (w1 * E1, 0.0) if z1 < 0.0 else (0.0, w1)
                sums = table[k]
                for n in range(NODES):
                    d0, d1 = E0 + f0[n], E1 + f1[n]
                    numerator = (above0 - below0 * f0[n]) * d1 + (above1 - below1 * f1[n]) * d0
                    sums[n] += numerator / (d0 * d1)


@kernel
def falling(reach, out):
    """``exp(-reach * t)`` at the nodes, for ``0 <= reach <= 2``.

    The eighth part by its Taylor polynomial, odd and even terms apart so that t and -t share
    them, then squared three times. Unlike a call of exp, the loop runs in vector registers.
    """
    for n in range(NODES // 2):
        y = 0.125 * reach * POINTS[n]
        q = y * y
        even = 1.0 + q * (C2 + q * (C4 + q * (C6 + q * (C8 + q * C10))))
        odd = 1.0 + q * (C3 + q * (C5 + q * (C7 + q * (C9 + q * C11))))
        up, down = even - y * odd, even + y * odd
        up *= up
        up *= up
        down *= down
        down *= down
        out[n] = up * up
        out[NODES - 1 - n] = down * down


@kernel
def panel_above(x, left, width, panels):
    """The first panel whose centre is not below x, or the number of panels."""
    k = min(max(int((x - left) / width), 0), panels)
    while k > 0 and panel_centre(left, width, k - 1) >= x:
        k -= 1
    while k < panels and panel_centre(left, width, k) < x:
        k += 1
    return k


@kernel
def weights_below(mu, s, left, width, panels):
    """C of every panel, as a sum and what rounding took from it.

    W and C are large and nearly equal where the standings end or ratings have gaps, and their
    difference decides; hence sums that lose nothing (Kahan and Babuska).
    """
    below = np.zeros((panels, 2))
    for row in range(mu.shape[0]):
        k = panel_above(mu[row], left, width, panels)
        if k < panels:
            _add(below[k], 1.0 / s[row])
    for k in range(1, panels):
        _add(below[k], below[k - 1, 0])
        below[k, 1] += below[k - 1, 1]
    return below


@kernel
def _add(total, value):
    """Add `value` to total[0], and what rounding takes from the sum to total[1]."""
    old = total[0]
    total[0] = old + value
    if abs(old) >= abs(value):
        total[1] += (old - total[0]) + value
    else:
        total[1] += (value - total[0]) + old


@kernel
def weights_behind(s, starts, split_ties):
    """W of every tie group, as a sum and what rounding took from it."""
    groups = starts.shape[0] - 1
    behind = np.empty((groups, 2))
    total = np.zeros(2)
    share = 0.5 if split_ties else 1.0
    for g in range(groups - 1, -1, -1):
        behind[g, 0], behind[g, 1] = total[0], total[1]
        for row in range(starts[g], starts[g + 1]):
            _add(behind[g], share / s[row])
            _add(total, 1.0 / s[row])
    return behind


def tabulated_in_threads(
    mu: Floats, s: Floats, left: float, width: float, panels: int, threads: int
) -> Floats:
    """The table of all rows on all panels, blocks of rows shared among threads."""
    blocks = range(0, len(mu), BLOCK_ROWS)
    tables = np.zeros((len(blocks), panels, NODES))

    def tabulate_block(first: int) -> None:
        last = min(first + BLOCK_ROWS, len(mu))
        part = tables[first // BLOCK_ROWS]
        tabulate(mu, s, first, last, left, width, 0, part)

    for_each(tabulate_block, blocks, threads)
    table = tables[0]
    for part in tables[1:]:
        table += part
    return table
