"""Performances of a whole contest under the logistic model, exact and in linear time.

With ``F_j`` the logistic cdf of player j, of scale ``s_j``, the performance of a tie group is
the zero of ``Q(p) = W - G(p) - T(p)``: ``G = sum F_j / s_j`` over all players, ``T`` the same
over the group alone, ``W = sum 1 / s_j`` over the group and all who finished behind it.
(With split ties ``T`` vanishes and the group counts half in ``W``.)

G is one function for the whole contest, analytic in a strip of half-width ``pi * min(s)``. It
is tabulated on panels of width ``4 * min(s)``; a root is then found on the polynomial of its
panel. On a panel, G is split into the constant ``C = sum 1 / s_j`` over players rated
below its centre and a rest whose terms are small at the ends of the standings, so that the
few terms that matter there are not rounded away.

Rows are sorted by rank, best first. Group g is the rows ``starts[g] .. starts[g + 1]``.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.chebyshev import NODES, POINTS, decreasing_root
from podium.numerics.compiled import kernel
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]

PANEL_IN_SCALES = 4.0
BLOCK_ROWS = 1024
"""Rows whose terms are added up together. Blocks are added in order, whoever computed them."""

_GROUPS_PER_TASK = 512
MOST_PANELS = 256
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
def panel_grid(mu, s):
    """Left end, panel width and number of panels that hold every performance.

    At ``max(mu) + max(s) * t`` even a winner's own term, at least ``1 / (4 max(s))``, outweighs
    ``exp(-t) / min(s)`` from each opponent; likewise at the other end.
    """
    lowest, highest, s_min, s_max = extremes(mu, s)
    margin = s_max * (1.0 + math.log(4.0 * mu.shape[0] * s_max / s_min))
    width = PANEL_IN_SCALES * s_min
    panels = int(math.ceil((highest - lowest + 2.0 * margin) / width))
    left = 0.5 * (lowest + highest - panels * width)
    return left, width, panels


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
    f0 = np.empty(NODES)
    f1 = np.empty(NODES)
    for row in range(first, last, 2):
        mu0, w0 = mu[row], 1.0 / s[row]
        mu1, w1 = (mu[row + 1], 1.0 / s[row + 1]) if row + 1 < last else (mu0, 0.0)
        falling(0.5 * width * w0, f0)
        falling(0.5 * width * w1, f1)
        step0, step1 = math.exp(width * w0), math.exp(width * w1)
        E0, E1 = 1.0, 1.0
        for k in range(table.shape[0]):
            centre = panel_centre(left, width, first_panel + k)
            z0, z1 = (centre - mu0) * w0, (centre - mu1) * w1
            if k % _RESTART == 0:
                E0 = math.exp(min(max(z0, -_FAR), _FAR))
                E1 = math.exp(min(max(z1, -_FAR), _FAR))
            else:
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
def weights_below(mu, s, left, width, panels):
    """C of every panel, as a sum and what rounding took from it.

    W and C are large and nearly equal where the standings end or ratings have gaps, and their
    difference decides; hence sums that lose nothing (Kahan and Babuska).
    """
    below = np.zeros((panels, 2))
    for row in range(mu.shape[0]):
        k = int((mu[row] - left) / width)
        while k > 0 and panel_centre(left, width, k - 1) >= mu[row]:
            k -= 1
        while k < panels and panel_centre(left, width, k) < mu[row]:
            k += 1
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


@kernel
def _balance(mu, s, first, last, split_ties, x):
    """Q at `x` of the group of rows `first` to `last`, term by term.

    Whole weights and small parts are added up apart, like W - C and the table.
    """
    whole = np.zeros(2)
    small = 0.0
    tie = 0.5 if split_ties else 1.0
    for row in range(mu.shape[0]):
        weight = 1.0 / s[row]
        odds = math.exp(-abs(x - mu[row]) * weight)
        part = weight * odds / (1.0 + odds)
        rated_below = mu[row] <= x
        small += (part if rated_below else -part) * (2.0 * tie if first <= row < last else 1.0)
        if first <= row < last:
            _add(whole, -tie * weight if rated_below else tie * weight)
        elif row < first and rated_below:
            _add(whole, -weight)
        elif row >= last and not rated_below:
            _add(whole, weight)
    return whole[0] + (whole[1] + small)


@kernel
def _group_at(mu, s, first, last, x):
    """T at `x`."""
    total = 0.0
    for row in range(first, last):
        total += 1.0 / (1.0 + math.exp(min((mu[row] - x) / s[row], 700.0))) / s[row]
    return total


@kernel
def solve_groups(
    mu, s, starts, behind, below, split_ties, left, width, table, ready, first, last, out
):
    """Performances of the tie groups `first` to `last`, from best to worst.

    Panels that are not `ready` are tabulated when a root turns out to lie in them.
    """
    panel = ready.shape[0] - 1
    own = np.empty((1, NODES))
    own_below = np.empty(2)
    for g in range(first, last):
        top, end = starts[g], starts[g + 1]
        low, high = 0, panel
        while low < high:
            k = (low + high + 1) // 2 if high < panel or g == first else high
            edge = left + k * width
            if ready[k]:
                balance = (behind[g, 0] - below[k, 0]) + (behind[g, 1] - below[k, 1]) - table[k, 0]
                if not split_ties:
                    balance -= _group_at(mu, s, top, end, edge)
            else:
                balance = _balance(mu, s, top, end, split_ties, edge)
            if balance > 0.0:
                low = k
            else:
                high = k - 1
        panel = low
        if not ready[panel]:
            tabulate(mu, s, np.int64(0), mu.shape[0], left, width, panel, table[panel : panel + 1])
            ready[panel] = True
        own[:] = 0.0
        own_below[:] = 0.0
        centre = panel_centre(left, width, panel)
        if not split_ties:
            tabulate(mu, s, top, end, left, width, panel, own)
            for row in range(top, end):
                if mu[row] <= centre:
                    _add(own_below, 1.0 / s[row])
        constant = behind[g, 0] - below[panel, 0] - own_below[0]
        constant += behind[g, 1] - below[panel, 1] - own_below[1]
        for n in range(NODES):
            own[0, n] = constant - table[panel, n] - own[0, n]
        performance = centre + 0.5 * width * decreasing_root(own[0])
        for row in range(top, end):
            out[row] = performance


@kernel
def performances(mu, s, ranks, split_ties, out):
    """The performance of every row, in one thread. See the module's docstring."""
    starts = tie_groups(ranks)
    groups = starts.shape[0] - 1
    left, width, panels = panel_grid(mu, s)
    behind = weights_behind(s, starts, split_ties)
    below = weights_below(mu, s, left, width, panels)
    table = np.zeros((panels, NODES))
    ready = np.zeros(panels, np.bool_)
    if groups >= panels:
        tabulate(mu, s, np.int64(0), mu.shape[0], left, width, np.int64(0), table)
        ready[:] = True
    solve_groups(
        mu,
        s,
        starts,
        behind,
        below,
        split_ties,
        left,
        width,
        table,
        ready,
        np.int64(0),
        groups,
        out,
    )


def performances_in_threads(
    mu: Floats, s: Floats, ranks: NDArray[np.int32], split_ties: bool, out: Floats, threads: int
) -> None:
    """`performances` with the rows, then the tie groups, shared among threads."""
    left, width, panels = panel_grid(mu, s)
    if panels > MOST_PANELS:
        performances(mu, s, ranks, split_ties, out)
        return
    starts = tie_groups(ranks)
    behind = weights_behind(s, starts, split_ties)
    below = weights_below(mu, s, left, width, panels)
    table = tabulated_in_threads(mu, s, left, width, panels, threads)
    ready = np.ones(panels, np.bool_)
    groups = len(starts) - 1

    def solve(first: int) -> None:
        last = min(first + _GROUPS_PER_TASK, groups)
        solve_groups(
            mu, s, starts, behind, below, split_ties, left, width, table, ready, first, last, out
        )

    for_each(solve, range(0, groups, _GROUPS_PER_TASK), threads)


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
