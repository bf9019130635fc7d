"""Logistic performances when a tie is half a win and half a loss, exact and in linear time.

The rule of Elo-R: one's opponents count as they finished, a tied one as half a win and half a
loss, and the prior adds two clones of oneself, one beaten and one not. With the symbols of
`podium.numerics.logistic`, the performance of row i is the zero of

    Q_i(p) = W_i - G(p) - F_i(p) / s_i

where ``W_i = 1/s_i + sum 1/s_j`` over those behind and ``+ 1/2 sum 1/s_j`` over those tied with i.
Unlike there, the tied have performances of their own, a little higher for the higher rated.

Contests with more rows than panels are solved on the same table of G as there, others term
by term, which is then no more work.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics import logistic
from podium.numerics.chebyshev import NODES, decreasing_root, interpolate
from podium.numerics.compiled import kernel
from podium.numerics.logistic import Floats, panel_centre
from podium.numerics.newton import stepped
from podium.numerics.threads import for_each

FEW = 8
"""Up to so many rows are always solved term by term."""

_GROUPS_PER_TASK = 64
_LAST_STEP = 1e-6
"""In the smallest scale of the contest. Newton's error is squared by the step that follows."""
_LAST_STEP_ON_PANEL = 2e-6
"""In half panels."""


@kernel
def performances(mu, s, ranks, out):
    """The performance of every row, in one thread. See the module's docstring."""
    starts = logistic.tie_groups(ranks)
    rows = mu.shape[0]
    left, width, panels = logistic.panel_grid(mu, s)
    if rows <= max(panels, FEW):
        _term_by_term(mu, s, starts, out)
        return
    behind = logistic.weights_behind(s, starts, True)
    below = logistic.weights_below(mu, s, left, width, panels)
    table = np.zeros((panels, NODES))
    logistic.tabulate(mu, s, np.int64(0), rows, left, width, np.int64(0), table)
    groups = starts.shape[0] - 1
    solve_groups(mu, s, starts, behind, below, left, width, table, np.int64(0), groups, out)


def performances_in_threads(
    mu: Floats, s: Floats, ranks: NDArray[np.int32], out: Floats, threads: int
) -> None:
    """`performances` with the rows shared among threads."""
    rows = len(mu)
    left, width, panels = logistic.panel_grid(mu, s)
    if panels > logistic.MOST_PANELS or rows <= panels:
        performances(mu, s, ranks, out)
        return
    starts = logistic.tie_groups(ranks)
    behind = logistic.weights_behind(s, starts, True)
    below = logistic.weights_below(mu, s, left, width, panels)
    table = logistic.tabulated_in_threads(mu, s, left, width, panels, threads)
    groups = len(starts) - 1

    def solve(first: int) -> None:
        last = min(first + _GROUPS_PER_TASK, groups)
        solve_groups(mu, s, starts, behind, below, left, width, table, first, last, out)

    for_each(solve, range(0, groups, _GROUPS_PER_TASK), threads)


@kernel
def solve_groups(mu, s, starts, behind, below, left, width, table, first, last, out):
    """Performances of the tie groups `first` to `last`, from the table of all panels.

    First the zero of what the tied have in common, ``W - G`` with oneself as one of the tied,
    then for each of them Newton's method from there. The few whose zero lies in another panel
    are looked for again, from the start.
    """
    values = np.empty((2, NODES))
    reciprocals = np.empty(NODES)
    panel = table.shape[0] // 2
    for g in range(first, last):
        panel = _panel_of(0.0, 0.0, behind[g], below, left, width, table, panel)
        centre = panel_centre(left, width, panel)
        constant = (behind[g, 0] - below[panel, 0]) + (behind[g, 1] - below[panel, 1])
        for n in range(NODES):
            values[0, n] = constant - table[panel, n]
        start = decreasing_root(values[0])
        slope = interpolate(values[0], start, reciprocals)[1]
        for row in range(starts[g], starts[g + 1]):
            if row > starts[g] and mu[row] == mu[row - 1] and s[row] == s[row - 1]:
                out[row] = out[row - 1]
                continue
            z, step = (centre - mu[row]) / s[row], 0.5 * width / s[row]
            t = _from_common(values[0], start, slope, z, step, s[row], reciprocals)
            if -1.0 <= t <= 1.0:
                out[row] = centre + 0.5 * width * t
            else:
                out[row] = _from_scratch(
                    mu, s, row, behind[g], below, left, width, table, panel, values[1:]
                )


@kernel
def _from_common(values, start, slope, z, reach, s, reciprocals):
    """The zero of the common `values` and one's own term, near their zero `start`; or NaN.

    At t of the panel, one's own term is ``-tanh((z + reach * t) / 2) / 2s``.
    """
    t, value = start, 0.0
    for _ in range(8):
        own = math.tanh(0.5 * (z + reach * t))
        step = (value - 0.5 * own / s) / (slope - 0.25 * (1.0 - own * own) * reach / s)
        t -= step
        if not (-1.0 <= t <= 1.0):
            break
        if abs(step) < _LAST_STEP_ON_PANEL:
            return t
        value, slope = interpolate(values, t, reciprocals)
    return np.nan


@kernel
def _from_scratch(mu, s, row, behind, below, left, width, table, guess, values):
    """The performance of a row from its panel on, which may be any."""
    panel = _panel_of(mu[row], s[row], behind, below, left, width, table, guess)
    centre = panel_centre(left, width, panel)
    for n in range(NODES):
        values[0, n] = 0.0
    logistic.tabulate(mu, s, row, row + 1, left, width, panel, values)
    constant = behind[0] - below[panel, 0] + (0.5 if mu[row] > centre else -0.5) / s[row]
    constant += behind[1] - below[panel, 1]
    for n in range(NODES):
        values[0, n] = constant - table[panel, n] - values[0, n]
    return centre + 0.5 * width * decreasing_root(values[0])


@kernel
def _panel_of(mu, s, behind, below, left, width, table, guess):
    """The panel in which ``W - G`` and one's own term change their sign, from `guess` on.

    `s` is 0 for what the tied have in common. Whole terms are subtracted first: they may cancel.
    """
    low, high = 0, table.shape[0] - 1
    k, steps = guess, 0
    while low < high:
        k = min(max(k, low + 1), high)
        balance = behind[0] - below[k, 0]
        small = (behind[1] - below[k, 1]) - table[k, 0]
        if s > 0.0:
            z = (left + k * width - mu) / s
            odds = math.exp(-abs(z))
            balance -= math.copysign(0.5 / s, z)
            small += math.copysign(odds / (1.0 + odds) / s, z)
        balance += small
        steps += 1
        if balance > 0.0:
            low = k
            k = k + 1 if steps < 3 else (low + high + 1) // 2
        else:
            high = k - 1
            k = high if steps < 3 else (low + high + 1) // 2
    return low


@kernel
def _term_by_term(mu, s, starts, out):
    """Performances by safeguarded Newton on Q itself, from the middle of all ratings."""
    lowest, highest, smallest, _ = logistic.extremes(mu, s)
    for group in range(starts.shape[0] - 1):
        top, end = starts[group], starts[group + 1]
        for row in range(top, end):
            if row > top and mu[row] == mu[row - 1] and s[row] == s[row - 1]:
                out[row] = out[row - 1]
            else:
                start = 0.5 * (lowest + highest)
                out[row] = _zero(mu, s, top, end, row, start, smallest)


@kernel
def _zero(mu, s, top, end, own, start, stride):
    """The zero of Q of the row `own`, of the group of rows `top` to `end`."""
    last_step = _LAST_STEP * stride
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope = _balance(mu, s, top, end, own, x)
        step = -value / slope
        x, stride, low, high, ended = stepped(x, -value, step, stride, last_step, low, high)
        if ended:
            break
    return x


@kernel
def _balance(mu, s, top, end, own, x):
    """Q and -Q' at `x` of the row `own`, of the group of rows `top` to `end`.

    Terms that are nearly ±1/s or ±1/2s are split into what is whole and a small part, and added
    up apart: the whole ones, in a sum that loses nothing, may cancel, and the small ones decide.
    """
    whole = 0.0
    lost = 0.0
    small = 0.0
    slope = 0.0
    for row in range(mu.shape[0]):
        weight = 1.0 / s[row]
        z = (x - mu[row]) * weight
        odds = math.exp(-abs(z))
        part = weight * odds / (1.0 + odds)
        if row == own:
            part *= 2.0
            term = math.copysign(weight, -z)
        elif row < top:
            term = -weight if z >= 0.0 else 0.0
        elif row >= end:
            term = weight if z < 0.0 else 0.0
        else:
            term = math.copysign(0.5 * weight, -z)
        small += math.copysign(part, z)
        slope += part * weight / (1.0 + odds)
        total = whole + term
        lost += (whole - total) + term if abs(whole) >= abs(term) else (term - total) + whole
        whole = total
    return whole + (lost + small), slope
