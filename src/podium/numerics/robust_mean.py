"""A mean that a far outlier cannot move far: the mode of a product of logistic densities.

It is the zero of the increasing function

    L'(x) = w0 (x - p0) + sum_k c_k tanh(a_k (x - p_k))

with a Gaussian term that may be missing (``w0 = 0``). Near p_k a term acts like that of a mean,
far from it like that of a median.
"""

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.lanes import (
    WIDTH,
    fused,
    load,
    load_until,
    splat,
    store,
    tanh,
    total,
    where_less,
)
from podium.numerics.newton import householder, householder_stepped

_LAST_STEP = 1e-3
"""In strides. A step takes the error to its fourth power."""
_STEPS_OF_EIGHT = 6

X, P0, W0, _MOVES, _SUMS = range(5)
OF_EIGHT = _SUMS + 4
_FOUND = 2.0
"""In the place of `_MOVES`; 1 is on the way, 0 has to be looked for alone."""


@kernel
def padded(count):
    """How many terms to sum, some of them empty (``p = a = c = 0``), so that none is left over."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@kernel
def _sums(x, p, a, c):
    """Sums of c_k t_k and of its first three derivatives by x, ``t_k = tanh(a_k (x - p_k))``."""
    value, slope, bend, third = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    count = p.shape[0]
    for k in range(0, count, WIDTH):
        steep, size = load_until(a, k, count, 0.0), load_until(c, k, count, 0.0)
        t = tanh((x - load_until(p, k, count, 0.0)) * steep)
        square = t * t
        first = size * steep * (1.0 - square)
        second = first * steep
        value = fused(size, t, value)
        slope = slope + first
        bend = fused(second, t, bend)
        third = fused(second * steep, 1.0 - 3.0 * square, third)
    return total(value), total(slope), -2.0 * total(bend), -2.0 * total(third)


@kernel
def robust_mean(p0, w0, p, a, c, start, stride):
    """The zero of L', by safeguarded steps from `start`, with none above `stride` at first."""
    last_step = _LAST_STEP * stride
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope, bend, third = _sums(x, p, a, c)
        value += w0 * (x - p0)
        slope += w0
        x, stride, low, high, ended = householder_stepped(
            x, value, slope, bend, third, stride, last_step, low, high
        )
        if ended:
            break
    return x


@kernel
def robust_means(counts, p, a, c, stride, eight):
    """The same of some players, up to eight, whose x, p0 and w0 stand in ``eight``; x moves.

    Their terms, as many as `counts` says, are summed player by player; the rest is done for all of
    them together. Whoever strays begins again alone.
    """
    count = counts.shape[0]
    for k in range(WIDTH):
        eight[_MOVES, k] = 1.0 if k < count else 0.0
        for each in range(_MOVES if k >= count else 0):
            eight[each, k] = eight[each, 0]
    start, p0, w0 = load(eight[X], 0), load(eight[P0], 0), load(eight[W0], 0)
    x, moves, shortest = start, load(eight[_MOVES], 0), _LAST_STEP * stride
    low, high = splat(-np.inf), splat(np.inf)
    for _ in range(_STEPS_OF_EIGHT):
        store(eight[X], 0, x)
        for k in range(count):
            if eight[_MOVES, k] == 1.0:
                n = counts[k]
                sums = _sums(eight[X, k], p[k, :n], a[k, :n], c[k, :n])
                eight[_SUMS, k], eight[_SUMS + 1, k] = sums[0], sums[1]
                eight[_SUMS + 2, k], eight[_SUMS + 3, k] = sums[2], sums[3]
        value = load(eight[_SUMS], 0) + w0 * (x - p0)
        slope = load(eight[_SUMS + 1], 0) + w0
        step = householder(value, slope, load(eight[_SUMS + 2], 0), load(eight[_SUMS + 3], 0))
        high, low = where_less(0.0, value, x, high), where_less(value, 0.0, x, low)
        reach, after = where_less(step, 0.0, 0.0 - step, step), x - step
        safe = where_less(reach, stride, where_less(low, after, 1.0, 0.0), 0.0)
        safe = safe * where_less(after, high, 1.0, 0.0)
        safe = safe * where_less(reach, shortest, _FOUND, 1.0)
        on = where_less(moves, 1.0, 0.0, where_less(1.0, moves, 0.0, 1.0))
        x = where_less(0.0, on, after, x)
        moves = where_less(0.0, on, safe, moves)
        store(eight[_MOVES], 0, moves)
        if total(where_less(moves, 1.0, 0.0, where_less(1.0, moves, 0.0, 1.0))) == 0.0:
            break
    store(eight[X], 0, x)
    store(eight[_SUMS], 0, start)
    for k in range(count):
        if eight[_MOVES, k] != _FOUND:
            n = counts[k]
            eight[X, k] = robust_mean(
                eight[P0, k], eight[W0, k], p[k, :n], a[k, :n], c[k, :n], eight[_SUMS, k], stride
            )
