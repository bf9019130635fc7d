"""The luck system on arrays: beliefs on a grid of strengths, updated match by match.

A belief is a row of probabilities over the points of a grid. With ``M(x, y)`` the chance of what
happened between strengths x and y, the two players of a match see the likelihoods

    L_a(x) = sum_y M(x, y) b(y),        L_b(y) = sum_x M(x, y) a(x),

each multiplies its belief, and both beliefs drift: they are convolved with a kernel. There are
several ways to the sums:

- CHEBYSHEV, for smooth M. The grid is cut into panels, and M is interpolated in both variables
  between the Chebyshev points of the panels. A belief is first summed up at these points (the
  transpose of interpolation), then M is applied between points, then the result is interpolated:
  linear in the number of grid points, and as accurate as the interpolation, which is
  to rounding if panels are as narrow as M is smooth.
- LAPLACE, for mixtures of Laplace distributions: the sweeps of `podium.numerics.belief_sums`.
- DIRECT, for any M: every pair of points.
- By Fourier transforms, outside of these kernels, in `podium.luck.fourier`: hence `begin` and
  `finish`.

Nothing is lost by a sum that is nearly zero: where the evidence for a result is so small that
rounding errors of a quick sum would matter in it, the match is done DIRECTly.

Most of a belief is zero to all purposes. A record has the range of points that are not, and
nothing else is looked at.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import lanes
from podium.numerics.belief_sums import heaviside_sums_at, laplace_cdf_sums, laplace_density_sums
from podium.numerics.chebyshev import NODES
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.lanes import WIDTH, fused, load_until, splat, store, store_until
from podium.numerics.sums import total

Floats = NDArray[np.float64]

CHEBYSHEV = 0
LAPLACE = 1
DIRECT = 2

FIELDS = [
    ("lo", "i4"),
    ("hi", "i4"),
    ("start_lo", "i4"),
    ("start_hi", "i4"),
    ("period", "i8"),
    ("aged", "i8"),
]
"""The range of points at which a player's belief is not zero, empty while it is the prior; the same
for the belief at the start of the current rating period; which period that is; and the time, in
microseconds, up to which absence has spread the belief."""

SETTINGS = np.dtype(
    [
        ("points", "i8"),
        ("step", "f8"),
        ("way", "i8"),
        ("panel", "i8"),
        ("row_step", "i8"),
        ("column_step", "i8"),
        ("origin", "i8"),
        ("negligible", "f8"),
        ("prior_lo", "i8"),
        ("prior_hi", "i8"),
        ("drift_reach", "i8"),
        ("drift_per_day", "f8"),
        ("period", "i8"),
        ("centre", "f8"),
        ("scale", "f8"),
    ],
    align=True,
)
"""`panel`: points to a panel. The chance of the points i and j stands in a table at ``origin + i *
row_step + j * column_step``. `negligible`: probabilities at the ends of a belief that are dropped.
`drift_reach`: how many points a smooth drift leads away at most.
`period`: in microseconds, 0 if there are no rating periods. Ratings are ``centre + scale * x``."""


class Model(NamedTuple):
    """Everything that beliefs are updated with.

    The first index of a table of chances is the side of the first player plus 1, or 0 if sides
    do not matter.
    """

    settings: NDArray[Any]
    grid: Floats
    """The strengths."""
    prior: Floats
    """What is believed of a newcomer."""
    win: Floats
    """The chance of a win of every pair of points, in a row."""
    draw: Floats
    """What stands for a draw: the geometric mean of the chances of a win and of a loss."""
    lose: Floats
    """The chance of a loss."""
    nodes: Floats
    """For every point of a panel, its weights at the Chebyshev points."""
    nodes_across: Floats
    """The same, transposed."""
    block: NDArray[np.int64]
    """For two panels, the number of the block with the chances between their Chebyshev points."""
    blocks: Floats
    """These chances: (side, win or draw or loss, block, point of the first, of the second)."""
    blocks_across: Floats
    """The same with the last two exchanged."""
    weights: Floats
    scales: Floats
    """Of the Laplace mixture that a win is; 0 is the scale of a step, infinity of a coin."""
    shift: Floats
    """What the first player's side adds to the difference of strengths, in that mixture."""
    taps: Floats
    """The drift by distance in points, one side of it; empty if it is of another kind."""
    drift_nodes: Floats
    drift_nodes_across: Floats
    drift_block: NDArray[np.int64]
    drift_blocks: Floats
    """A drift by distance that is smooth and wide, as blocks between Chebyshev points."""
    drift_weights: Floats
    drift_scales: Floats
    """Of a drift that is a Laplace mixture; empty otherwise."""
    drift_matrix: Floats
    """From point to point, if the drift is of no other kind; otherwise empty."""


class Matches(NamedTuple):
    """Contests of at most two, as `podium.results.columns.Columns` has them.

    `side` and `score` are empty if nothing is known; `events` and `expected`, the score
    that was expected of the first row of every match, if nobody wants to know.
    """

    offsets: NDArray[np.int64]
    player: NDArray[np.int32]
    rank: NDArray[np.int32]
    side: NDArray[np.int8]
    score: Floats
    time: NDArray[np.int64]
    weight: Floats
    events: Floats
    expected: Floats


NEGLIGIBLE = 1e-18
"""Probabilities at the ends of a belief that are less are dropped."""
SMALL_EVIDENCE = 1e-3
"""Below, errors of 1e-15 in a sum are more than 1e-12 in a belief."""
_ROUNDING = 1e-12
_LEAST_TOTAL = 1e-280
"""Evidence is none if it leaves less, the smallest numbers being inexact."""
_WIDE = 2.0
"""From this variance on, in squares of the step, a normal distribution loses none on a grid."""
_REACH = 9.0
"""Standard deviations of a normal drift beyond which nothing is left: 3e-18 of its peak."""

_WIN, _DRAW, _LOSS = range(3)
A, B, LIKELIHOOD_A, LIKELIHOOD_B, _AFTER, _COARSE_A, _COARSE_B, _COARSE, _SPREAD = range(9)


@kernel
def new_room(model):
    """Room for the kernels to work in: belief and likelihood of both players, and so on."""
    return np.empty((_SPREAD + 3, max(model.prior.shape[0], model.block.shape[0] * NODES)))


@kernel
def _spread_room(room):
    """A row with room at both sides, for `convolved`: the last three in one."""
    return room[_SPREAD:].reshape(-1)


@kernel
def _trimmed(values, lo, hi, limit):
    """The range without what is no more than the limit at its ends, but never without anything."""
    while values[lo] <= limit and lo < hi - 1:
        lo += 1
    while values[hi - 1] <= limit and lo < hi - 1:
        hi -= 1
    return lo, hi


@fused_kernel
def convolved(taps, values, lo, hi, points, out):
    """Convolve the values in a range with a symmetric kernel; the range of the result.

    `values` has as much room on both sides of its `points` numbers as there are points.
    """
    reach = min(taps.shape[0] - 1, points - 1)
    low, high = max(lo - reach, 0), min(hi + reach, points)
    values[points + low - reach : points + lo] = 0.0
    values[points + hi : points + high + reach] = 0.0
    # Slices, because loops from 0 on need no thought of negative indices, and fit into registers.
    result = out[low:high]
    here = values[points + low : points + high]
    for i in range(result.shape[0]):
        result[i] = taps[0] * here[i]
    m = 1
    while m + 5 <= reach:
        t0, t1, t2, t3, t4, t5 = (
            taps[m], taps[m + 1], taps[m + 2], taps[m + 3], taps[m + 4], taps[m + 5]
        )  # fmt: skip
        left = values[points + low - m - 5 : points + high - m]
        right = values[points + low + m : points + high + m + 5]
        for i in range(result.shape[0]):
            near = t0 * (left[i + 5] + right[i]) + t1 * (left[i + 4] + right[i + 1])
            middle = t2 * (left[i + 3] + right[i + 2]) + t3 * (left[i + 2] + right[i + 3])
            far = t4 * (left[i + 1] + right[i + 4]) + t5 * (left[i] + right[i + 5])
            result[i] += near + (middle + far)
        m += 6
    while m <= reach:
        left = values[points + low - m : points + high - m]
        right = values[points + low + m : points + high + m]
        for i in range(result.shape[0]):
            result[i] += taps[m] * (left[i] + right[i])
        m += 1
    return low, high


@kernel
def to_nodes(nodes, panel, values, lo, hi, out):
    """Sum up the values in a range at the Chebyshev points of its panels.

    The even points of a panel and the odd ones apart, so that sums need not wait for each other.
    """
    flat, none = nodes.reshape(-1), splat(0.0)
    for p in range(lo // panel, (hi - 1) // panel + 1):
        start = p * panel
        first, end = max(lo, start), min(hi, start + panel)
        mine = values[first:end]
        sums, odd = (none, none, none), (none, none, none)
        row = (first - start) * NODES
        for i in range(0, mine.shape[0] - 1, 2):
            sums = _with_row(flat, row, mine[i], sums)
            odd = _with_row(flat, row + NODES, mine[i + 1], odd)
            row += 2 * NODES
        if mine.shape[0] % 2 == 1:
            sums = _with_row(flat, row, mine[mine.shape[0] - 1], sums)
        _set_row(out, p * NODES, sums, odd)


@kernel
def _with_row(flat, row, times, sums):
    """Add a multiple of a row of `NODES` numbers to sums of such rows."""
    one, two, three = sums
    one = fused(times, lanes.load(flat, row), one)
    two = fused(times, lanes.load(flat, row + WIDTH), two)
    rest = load_until(flat, row + 2 * WIDTH, row + NODES, 0.0)
    return one, two, fused(times, rest, three)


@kernel
def _set_row(out, row, sums, more):
    """Let a row of `NODES` numbers be the sum of two."""
    store(out, row, sums[0] + more[0])
    store(out, row + WIDTH, sums[1] + more[1])
    store_until(out, row + 2 * WIDTH, row + NODES, sums[2] + more[2])


@kernel
def from_nodes(nodes_across, panel, values, lo, hi, out):
    """Interpolate between the Chebyshev points of the panels of a range."""
    flat = nodes_across.reshape(-1)
    for p in range(lo // panel, (hi - 1) // panel + 1):
        start = p * panel
        first, end = max(lo, start), min(hi, start + panel)
        at = values[p * NODES : (p + 1) * NODES]
        for i in range(first, end, 4 * WIDTH):
            a, b, c, d = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
            place, last = i - start, end - start
            for k in range(NODES):
                a = fused(at[k], load_until(flat, place, last, 0.0), a)
                b = fused(at[k], load_until(flat, place + WIDTH, last, 0.0), b)
                c = fused(at[k], load_until(flat, place + 2 * WIDTH, last, 0.0), c)
                d = fused(at[k], load_until(flat, place + 3 * WIDTH, last, 0.0), d)
                place, last = place + panel, last + panel
            store_until(out, i, end, a)
            store_until(out, i + WIDTH, end, b)
            store_until(out, i + 2 * WIDTH, end, c)
            store_until(out, i + 3 * WIDTH, end, d)


@kernel
def _between_nodes(block, blocks, across, values, lo, hi, low, high, panel, reach, out):
    """Apply blocks from the Chebyshev points of the panels of one range to those of another.

    The values are of the first variable of the blocks, or with `across` of the second. Panels that
    are more than `reach` apart have nothing to do with each other.
    """
    first, last = lo // panel, (hi - 1) // panel
    flat, none = blocks.reshape(-1), splat(0.0)
    for q in range(low // panel, (high - 1) // panel + 1):
        sums, odd = (none, none, none), (none, none, none)
        for p in range(max(first, q - reach), min(last, q + reach) + 1):
            row = (block[q, p] if across else block[p, q]) * NODES * NODES
            at = values[p * NODES : (p + 1) * NODES]
            for i in range(0, NODES, 2):
                sums = _with_row(flat, row, at[i], sums)
                odd = _with_row(flat, row + NODES, at[i + 1], odd)
                row += 2 * NODES
        _set_row(out, q * NODES, sums, odd)


@kernel
def _powers(win, lose, theta):
    """What stands for a score of `theta`."""
    out = np.empty(win.shape[0])
    for i in range(win.shape[0]):
        out[i] = win[i] ** theta * lose[i] ** (1.0 - theta)
    return out


@kernel
def _by_interpolation(model, side, theta, room, ranges):
    """The likelihoods of both players, from chances that are smooth."""
    panel, reach = model.settings[0].panel, model.block.shape[0]
    lo, hi, low, high = ranges
    if theta == 1.0 or theta == 0.5:
        which = _WIN if theta == 1.0 else _DRAW
        blocks, across = model.blocks[side, which], model.blocks_across[side, which]
    else:
        shape = model.blocks.shape[2:]
        win, lose = model.blocks[side, _WIN], model.blocks[side, _LOSS]
        blocks = _powers(win.reshape(-1), lose.reshape(-1), theta).reshape(shape)
        win, lose = model.blocks_across[side, _WIN], model.blocks_across[side, _LOSS]
        across = _powers(win.reshape(-1), lose.reshape(-1), theta).reshape(shape)
    to_nodes(model.nodes, panel, room[A], lo, hi, room[_COARSE_A])
    to_nodes(model.nodes, panel, room[B], low, high, room[_COARSE_B])
    _between_nodes(
        model.block, across, True, room[_COARSE_B], low, high, lo, hi, panel, reach, room[_COARSE]
    )
    from_nodes(model.nodes_across, panel, room[_COARSE], lo, hi, room[LIKELIHOOD_A])
    _between_nodes(
        model.block, blocks, False, room[_COARSE_A], lo, hi, low, high, panel, reach, room[_COARSE]
    )
    from_nodes(model.nodes_across, panel, room[_COARSE], low, high, room[LIKELIHOOD_B])


@kernel
def _by_sweeps(model, side, room, ranges):
    """The likelihoods of both players after a win, from a mixture of Laplace distributions.

    For the loser everything is mirrored, so that small chances are sums of small numbers.
    """
    lo, hi, low, high = ranges
    _mixture(model, model.shift[side], room[A], lo, hi, low, high, room[LIKELIHOOD_B], True)
    _mixture(model, model.shift[side], room[B], low, high, lo, hi, room[LIKELIHOOD_A], False)


@kernel
def _mixture(model, shift, values, lo, hi, low, high, out, mirrored):
    """Sum up a mixture over the values in one range, at all points of another."""
    n, m = hi - lo, high - low
    points, density, at, sums = np.empty(n), np.empty(n), np.empty(m), np.empty(m)
    for i in range(n):
        k = hi - 1 - i if mirrored else lo + i
        points[i] = -(model.grid[k] + shift) if mirrored else model.grid[k]
        density[i] = values[k]
    for i in range(m):
        at[i] = -model.grid[high - 1 - i] if mirrored else model.grid[low + i] + shift
        out[low + i] = 0.0
    for j in range(model.weights.shape[0]):
        scale = model.scales[j]
        if scale == np.inf:
            sums[:] = 0.5 * total(density)
        elif scale == 0.0:
            heaviside_sums_at(points, density, at, sums)
        else:
            laplace_cdf_sums(points, density, scale, at, sums)
        for i in range(m):
            out[high - 1 - i if mirrored else low + i] += model.weights[j] * sums[i]


@fused_kernel
def evidence(room, lo, hi):
    """How likely the result was, summed up in four parts."""
    belief, likelihood = room[A, lo:hi], room[LIKELIHOOD_A, lo:hi]
    a = b = c = d = 0.0
    fours = belief.shape[0] // 4
    for four in range(fours):
        i = 4 * four
        a += belief[i] * max(likelihood[i], 0.0)
        b += belief[i + 1] * max(likelihood[i + 1], 0.0)
        c += belief[i + 2] * max(likelihood[i + 2], 0.0)
        d += belief[i + 3] * max(likelihood[i + 3], 0.0)
    for i in range(4 * fours, belief.shape[0]):
        a += belief[i] * max(likelihood[i], 0.0)
    return (a + b) + (c + d)


@kernel
def directly(model, side, theta, room, ranges):
    """Fill in the likelihoods of both players, pair by pair; how likely the result was."""
    s = model.settings[0]
    lo, hi, low, high = ranges
    if theta == 1.0 or theta == 0.5:
        chances = model.win[side] if theta == 1.0 else model.draw[side]
    else:
        chances = _powers(model.win[side], model.lose[side], theta)
    a, b = room[A, lo:hi], room[B, low:high]
    out_a, out_b = room[LIKELIHOOD_A, lo:hi], room[LIKELIHOOD_B, low:high]
    out_a[:] = 0.0
    out_b[:] = 0.0
    if s.row_step == 1:
        for j in range(high - low):
            start = s.origin + lo + (low + j) * s.column_step
            row = chances[start : start + hi - lo]
            r = b[j]
            for i in range(row.shape[0]):
                out_a[i] += r * row[i]
        for i in range(hi - lo):
            # A step back for every point of the other player: from the last of them.
            start = s.origin + (lo + i) + (high - 1) * s.column_step
            row = chances[start : start + high - low]
            r = a[i]
            for j in range(row.shape[0]):
                out_b[high - low - 1 - j] += r * row[j]
        return evidence(room, lo, hi)
    for i in range(hi - lo):
        start = s.origin + (lo + i) * s.row_step + low
        row = chances[start : start + high - low]
        r, seen = a[i], 0.0
        for j in range(row.shape[0]):
            seen += row[j] * b[j]
            out_b[j] += r * row[j]
        out_a[i] = seen
    return evidence(room, lo, hi)


@kernel
def _least(values, lo, hi):
    least = np.inf
    for i in range(lo, hi):
        least = min(least, values[i])
    return least


@kernel
def least_seen(found, weight, room, ranges):
    """How likely the result was or, if it weighs less than 1, how likely it was at its worst.

    A power below 1 makes much of what is next to nothing.
    """
    lo, hi, low, high = ranges
    if weight >= 1.0:
        return found
    worst = min(_least(room[LIKELIHOOD_A], lo, hi), _least(room[LIKELIHOOD_B], low, high))
    return min(found, worst)


@kernel
def likelihoods(model, side, theta, weight, room, ranges):
    """Fill in the likelihoods of both players; how likely the result was."""
    way = model.settings[0].way
    if way == CHEBYSHEV:
        _by_interpolation(model, side, theta, room, ranges)
    elif way == LAPLACE and theta == 1.0:
        _by_sweeps(model, side, room, ranges)
    else:
        way = DIRECT
    if way != DIRECT:
        found = evidence(room, ranges[0], ranges[1])
        if least_seen(found, weight, room, ranges) >= SMALL_EVIDENCE:
            return found
    return directly(model, side, theta, room, ranges)


@fused_kernel
def _moments(model, values, lo, hi):
    """The mean and the standard deviation, as ratings, of values that sum to 1."""
    s = model.settings[0]
    middle = (lo + hi) // 2
    mine = values[lo:hi]
    p = q = r = t = 0.0
    pp = qq = rr = tt = 0.0
    d = float(lo - middle)
    fours = mine.shape[0] // 4
    for four in range(fours):
        i = 4 * four
        a, b = mine[i] * d, mine[i + 1] * (d + 1.0)
        c, e = mine[i + 2] * (d + 2.0), mine[i + 3] * (d + 3.0)
        p += a
        q += b
        r += c
        t += e
        pp += a * d
        qq += b * (d + 1.0)
        rr += c * (d + 2.0)
        tt += e * (d + 3.0)
        d += 4.0
    for i in range(4 * fours, mine.shape[0]):
        p += mine[i] * d
        pp += mine[i] * d * d
        d += 1.0
    first, second = (p + q) + (r + t), (pp + qq) + (rr + tt)
    mu = s.centre + s.scale * (model.grid[middle] + s.step * first)
    return mu, s.scale * s.step * math.sqrt(max(second - first * first, 0.0))


@kernel
def _normalised(values, lo, hi, negligible):
    """Make values sum to 1, and drop what is negligible at their ends; the new range."""
    whole = total(values[lo:hi])
    lo, hi = _trimmed(values, lo, hi, negligible * whole)
    mine = values[lo:hi]
    factor = 1.0 / whole  # what is dropped is less than what rounding errors make of the rest
    for i in range(mine.shape[0]):
        mine[i] *= factor
    return lo, hi


@kernel
def _store(pool, start, values, lo, hi, old_lo, old_hi):
    """Write values to the pool, with zeros where there was something before."""
    for i in range(old_lo, min(lo, old_hi)):
        pool[start + i] = 0.0
    for i in range(max(hi, old_lo), old_hi):
        pool[start + i] = 0.0
    kept, mine = pool[start + lo : start + hi], values[lo:hi]
    for i in range(kept.shape[0]):
        kept[i] = mine[i]


@kernel
def _by_smooth_drift(model, values, lo, hi, out):
    """Interpolate a drift as likelihoods are; the new range."""
    s = model.settings[0]
    panel = model.drift_nodes.shape[0]
    panels = model.drift_block.shape[0]
    low, high = max(lo - s.drift_reach, 0), min(hi + s.drift_reach, s.points)
    sums, moved = np.empty(panels * NODES), np.empty(panels * NODES)
    to_nodes(model.drift_nodes, panel, values, lo, hi, sums)
    reach = s.drift_reach // panel + 1
    _between_nodes(
        model.drift_block, model.drift_blocks, False, sums, lo, hi, low, high, panel, reach, moved
    )
    from_nodes(model.drift_nodes_across, panel, moved, low, high, out)
    for i in range(low, high):
        out[i] = max(out[i], 0.0)
    return low, high


@kernel
def _drifted(model, values, lo, hi, out):
    """Let the values drift as after a match; `values` has room at both sides. The new range."""
    s = model.settings[0]
    n = s.points
    here = values[n : 2 * n]
    if model.drift_nodes.shape[0] > 0:
        lo, hi = _by_smooth_drift(model, here, lo, hi, out)
    elif model.taps.shape[0] > 0:
        lo, hi = convolved(model.taps, values, lo, hi, n, out)
    elif model.drift_scales.shape[0] > 0:
        points, sums = model.grid, np.empty(n)
        for i in range(n):
            out[i] = 0.0
        for j in range(model.drift_scales.shape[0]):
            laplace_density_sums(points[lo:hi], here[lo:hi], model.drift_scales[j], points, sums)
            for i in range(n):
                out[i] += model.drift_weights[j] * sums[i]
        lo, hi = 0, n
    elif model.drift_matrix.shape[0] > 0:
        for i in range(n):
            come = 0.0
            for j in range(lo, hi):
                come += model.drift_matrix[i, j] * here[j]
            out[i] = come
        lo, hi = 0, n
    else:
        for i in range(lo, hi):
            out[i] = here[i]
    return _normalised(out, lo, hi, s.negligible)


@kernel
def _narrow_taps(v):
    """Steps to the points beside, with the variance `v` in all, which is below `_WIDE`."""
    steps = int(2.0 * v) + 1
    p = 0.5 * v / steps
    taps = np.zeros(steps + 1)
    taps[0] = 1.0
    for step in range(steps):
        before = taps.copy()
        for m in range(step + 2):
            above = before[m + 1] if m < steps else 0.0
            taps[m] = (1.0 - 2.0 * p) * before[m] + p * (before[abs(m - 1)] + above)
    return taps


@kernel
def _spread(settings, variance, values, lo, hi, out):
    """Let the values drift by a normal distribution; `values` has room at both sides.

    One that is narrower than the grid would be lost in it; then as much as the variance asks for
    moves to the points beside, in a few steps, so that many short absences count as a long one.
    """
    s = settings[0]
    v = variance / (s.step * s.step)
    if v < _WIDE:
        taps = _narrow_taps(v)
    else:
        taps = np.empty(1 + int(min(_REACH * math.sqrt(v), s.points - 1.0)))
        for m in range(taps.shape[0]):
            taps[m] = math.exp(-0.5 * m * m / v)
    lo, hi = convolved(taps, values, lo, hi, s.points, out)
    return _normalised(out, lo, hi, s.negligible)


@kernel
def load(model, table, pool, player, time, values, spread):
    """A player's belief as of a time, in `values`; its range, and whether time has changed it."""
    s = model.settings[0]
    record = table[player]
    if record.hi == 0:
        for i in range(s.prior_lo, s.prior_hi):
            values[i] = model.prior[i]
        return s.prior_lo, s.prior_hi, True
    lo, hi = np.int64(record.lo), np.int64(record.hi)
    days = (time - record.aged) / MICROSECONDS_PER_DAY if record.contests > 0 else 0.0
    start = player * _stride(s)
    if s.drift_per_day > 0.0 and days > 0.0:
        _read(pool, start, lo, hi, spread[s.points :])
        lo, hi = _spread(model.settings, s.drift_per_day * days, spread, lo, hi, values)
        return lo, hi, True
    _read(pool, start, lo, hi, values)
    return lo, hi, False


@kernel
def _read(pool, start, lo, hi, values):
    """Read probabilities from the pool; in single precision they may not quite sum to 1."""
    kept, mine = pool[start + lo : start + hi], values[lo:hi]
    for i in range(kept.shape[0]):
        mine[i] = kept[i]
    whole = total(mine)
    if abs(whole - 1.0) > _ROUNDING:
        for i in range(kept.shape[0]):
            mine[i] /= whole


@kernel
def _stride(s):
    """Numbers that a player has in the pool: the belief, and that at the start of the period."""
    return s.points if s.period == 0 else 2 * s.points


@kernel
def moments_at(model, table, pool, players, time):
    """Mean and standard deviation of these players as of a time."""
    room = new_room(model)
    out = np.empty((2, players.shape[0]))
    for i in range(players.shape[0]):
        lo, hi, _ = load(model, table, pool, players[i], time, room[A], _spread_room(room))
        out[0, i], out[1, i] = _moments(model, room[A], lo, hi)
    return out


@kernel
def expected_score(model, table, pool, first, second, time, side, room):
    """What the first of two players is expected to score at a time; a draw counts half."""
    lo, hi, _ = load(model, table, pool, first, time, room[A], _spread_room(room))
    low, high, _ = load(model, table, pool, second, time, room[B], _spread_room(room))
    return min(likelihoods(model, side, 1.0, 1.0, room, (lo, hi, low, high)), 1.0)


@kernel
def expected_scores(model, table, pool, first, second, time, side, room):
    """The same of many pairs."""
    out = np.empty(first.shape[0])
    for pair in range(first.shape[0]):
        out[pair] = expected_score(model, table, pool, first[pair], second[pair], time, side, room)
    return out


@kernel
def enter(model, table, pool, player, time, room, row):
    """What opponents of a player see in a match at `time`, in a row of the room; its range.

    That is the belief as of then or, with rating periods, as of the start of the period.
    """
    s = model.settings[0]
    record = table[player]
    values, spread = room[row], _spread_room(room)
    start = player * _stride(s)
    if s.period > 0:
        period = time // s.period
        played = record.hi > 0 and record.contests > 0  # or else not even one period has passed
        if played and record.period == period:
            lo, hi = np.int64(record.start_lo), np.int64(record.start_hi)
            _read(pool, start + s.points, lo, hi, values)
            return lo, hi
        lo, hi, _ = load(model, table, pool, player, time, values, spread)
        if played:
            for i in range(lo, hi):
                spread[s.points + i] = values[i]
            lo, hi = _drifted(model, spread, lo, hi, values)
        half = start + s.points
        _store(pool, half, values, lo, hi, record.start_lo, record.start_hi)
        record.start_lo, record.start_hi, record.period = lo, hi, period
        changed = True
    else:
        lo, hi, changed = load(model, table, pool, player, time, values, spread)
    record.aged = time
    if changed:
        _store(pool, start, values, lo, hi, record.lo, record.hi)
        record.lo, record.hi = lo, hi
        record.mu, record.sigma = _moments(model, values, lo, hi)
    return lo, hi


@kernel
def conclude(model, table, pool, player, weight, room, row, likelihood):
    """Multiply a belief by the likelihood of a result, and let it drift."""
    s = model.settings[0]
    record = table[player]
    lo, hi = np.int64(record.lo), np.int64(record.hi)
    start = player * _stride(s)
    belief = room[row]
    if s.period > 0:
        belief = room[_AFTER]
        _read(pool, start, lo, hi, belief)
    posterior = _spread_room(room)[s.points :]
    _multiplied(belief[lo:hi], likelihood[lo:hi], weight, posterior[lo:hi])
    low, high = lo, hi
    result = posterior
    if s.period == 0:
        result = room[_AFTER]
        low, high = _drifted(model, _spread_room(room), lo, hi, result)
    else:
        low, high = _normalised(posterior, lo, hi, s.negligible)
    _store(pool, start, result, low, high, lo, hi)
    record.lo, record.hi = low, high
    record.mu, record.sigma = _moments(model, result, low, high)


@kernel
def _multiplied(belief, likelihood, weight, out):
    """The belief after evidence of a weight, up to a factor.

    Where the model calls what happened impossible, nothing can be learnt.
    """
    n = belief.shape[0]
    if weight == 1.0:
        for i in range(n):
            out[i] = belief[i] * max(likelihood[i], 0.0)
    else:
        peak = 0.0
        for i in range(n):
            peak = max(peak, likelihood[i])
        for i in range(n):
            out[i] = belief[i] * (max(likelihood[i], 0.0) / peak) ** weight if peak > 0.0 else 0.0
    if total(out) < _LEAST_TOTAL:
        for i in range(n):
            out[i] = belief[i]


@kernel
def result(model, matches, c):
    """The score of the first player of a match, and the table of chances that it is played by."""
    start = matches.offsets[c]
    if matches.offsets[c + 1] - start == 1:
        return 1.0, 0
    theta = 0.5 if matches.rank[start] == matches.rank[start + 1] else 1.0
    if matches.score.shape[0] > 0 and not math.isnan(matches.score[c]):
        theta = matches.score[c]
    if model.win.shape[0] == 1:
        return theta, 0
    if matches.side.shape[0] == 0:
        return theta, 1
    return theta, 1 + int(np.sign(matches.side[start] - matches.side[start + 1]))


@kernel
def begin(model, table, pool, matches, c, room):
    """Bring both players of a match to its time; their ranges."""
    start, end = matches.offsets[c], matches.offsets[c + 1]
    for row in range(start, end):
        if matches.events.shape[1] > 0:
            record = table[matches.player[row]]
            matches.events[0, row] = np.nan
            matches.events[1, row] = record.mu
            matches.events[2, row] = record.sigma
    lo, hi = enter(model, table, pool, matches.player[start], matches.time[c], room, A)
    if end - start == 1:
        return lo, hi, lo, hi
    low, high = enter(model, table, pool, matches.player[start + 1], matches.time[c], room, B)
    return lo, hi, low, high


@kernel
def foresee(model, table, pool, matches, c, side, room):
    """What is expected of the first player of a match, from all that is known before it."""
    one, other = matches.player[matches.offsets[c]], matches.player[matches.offsets[c] + 1]
    return expected_score(model, table, pool, one, other, matches.time[c], side, room)


@kernel
def finish(model, table, pool, matches, c, room):
    """Learn from the likelihoods of a match, if there were two players."""
    start, end = matches.offsets[c], matches.offsets[c + 1]
    if end - start == 2:
        one, other = matches.player[start], matches.player[start + 1]
        conclude(model, table, pool, one, matches.weight[c], room, A, room[LIKELIHOOD_A])
        conclude(model, table, pool, other, matches.weight[c], room, B, room[LIKELIHOOD_B])
    for row in range(start, end):
        record = table[matches.player[row]]
        record.last_time = matches.time[c]
        record.contests += 1
        if matches.events.shape[1] > 0:
            matches.events[3, row] = record.mu
            matches.events[4, row] = record.sigma


@kernel
def fold_contests(model, table, pool, matches, first, last):
    """Fold the matches `first` to `last`, or contests of one."""
    room = new_room(model)
    foreseen, periods = matches.expected.shape[0] > 0, model.settings[0].period > 0
    for c in range(first, last):
        theta, side = result(model, matches, c)
        two = matches.offsets[c + 1] - matches.offsets[c] == 2
        expected = np.nan
        if foreseen and two and (periods or theta != 1.0):
            expected = foresee(model, table, pool, matches, c, side, room)
        ranges = begin(model, table, pool, matches, c, room)
        if two:
            found = likelihoods(model, side, theta, matches.weight[c], room, ranges)
            if not periods and theta == 1.0:
                expected = min(found, 1.0)
        if foreseen:
            matches.expected[c] = expected
        finish(model, table, pool, matches, c, room)


@kernel
def move(model, table, pool, players, mu, sigma):
    """Let the beliefs about players have other means and deviations, none of them smaller.

    A belief is translated, and spread as by absence; both as far as the grid allows.
    """
    s, room = model.settings[0], new_room(model)
    values, spread = room[A], _spread_room(room)
    for index in range(players.shape[0]):
        record = table[players[index]]
        lo, hi, _ = load(model, table, pool, players[index], record.aged, values, spread)
        mean, _ = _moments(model, values, lo, hi)
        by = (mu[index] - mean) / (s.scale * s.step)
        here = spread[s.points : 2 * s.points]
        lo, hi = _shifted(values, lo, hi, by, s.points, here)
        lo, hi = _normalised(here, lo, hi, s.negligible)
        _, deviation = _moments(model, here, lo, hi)
        lacking = (sigma[index] * sigma[index] - deviation * deviation) / (s.scale * s.scale)
        if lacking > 0.0:
            lo, hi = _spread(model.settings, lacking, spread, lo, hi, values)
            _replace(model, table, pool, players[index], values, lo, hi)
        else:
            _replace(model, table, pool, players[index], here, lo, hi)
        record.mu, record.sigma = mu[index], sigma[index]


@kernel
def _shifted(values, lo, hi, by, points, out):
    """Move values in a range by so many points, split between two; the range of the result.

    What would leave the grid is dropped. Something stays, as long as the mean does.
    """
    whole = int(math.floor(by))
    part = by - whole
    low, high = max(lo + whole, 0), min(hi + whole + 1, points)
    for i in range(low, high):
        k = i - whole
        here = values[k] if k < hi else 0.0
        below = values[k - 1] if k > lo else 0.0
        out[i] = (1.0 - part) * here + part * below
    return low, high


@kernel
def _replace(model, table, pool, player, values, lo, hi):
    """Believe something else of a player, from the start of the rating period on."""
    s = model.settings[0]
    record, start = table[player], player * _stride(s)
    _store(pool, start, values, lo, hi, record.lo, record.hi)
    record.lo, record.hi = lo, hi
    if s.period > 0:
        _store(pool, start + s.points, values, lo, hi, record.start_lo, record.start_hi)
        record.start_lo, record.start_hi = lo, hi


@kernel
def begin_at(model, table, pool, players, mean, deviation):
    """Believe of players that their strengths are normal, with these means and deviations."""
    s, values = model.settings[0], np.empty(model.prior.shape[0])
    for index in range(players.shape[0]):
        nearest = np.inf
        for i in range(s.points):
            values[i] = (model.grid[i] - mean[index]) / deviation[index]
            nearest = min(nearest, values[i] * values[i])
        for i in range(s.points):
            values[i] = math.exp(-0.5 * (values[i] * values[i] - nearest))
        lo, hi = _normalised(values, np.int64(0), np.int64(s.points), s.negligible)
        _replace(model, table, pool, players[index], values, lo, hi)


@kernel
def belief(model, table, pool, player, time):
    """The probabilities of all points for a player, as of a time."""
    room = new_room(model)
    lo, hi, _ = load(model, table, pool, player, time, room[A], _spread_room(room))
    out = np.zeros(model.prior.shape[0])
    out[lo:hi] = room[A, lo:hi] / total(room[A, lo:hi])
    return out
