"""Interpolation on one panel, at as many nodes as fill vector registers.

As in `podium.numerics.chebyshev`, with `NODES` a multiple of `LANES` and sums taken lane by lane,
in an order that is written out.
"""

import numpy as np

from podium.numerics.chebyshev import panel_of
from podium.numerics.compiled import fused_kernel

LANES = 8
NODES = 3 * LANES
POINTS = panel_of(NODES)[0]
"""The nodes on [-1, 1], ascending and symmetric to the bit: ``POINTS[-1-n] == -POINTS[n]``."""

_BARYCENTRIC = np.where(np.arange(NODES) % 2 == 0, 1.0, -1.0)
_BARYCENTRIC[[0, -1]] *= 0.5

_LAST_STEP = 2e-7
"""In half panels. Newton's error is squared by the step that follows, hence far below 1e-10."""


@fused_kernel
def _total(terms):
    """The sum of `NODES` numbers; the first `LANES` of them are overwritten."""
    for k in range(LANES):
        terms[k] += terms[k + LANES] + terms[k + 2 * LANES]
    even = (terms[0] + terms[4]) + (terms[2] + terms[6])
    odd = (terms[1] + terms[5]) + (terms[3] + terms[7])
    return even + odd


@fused_kernel
def interpolate(values, t, room):
    """The interpolant of `values` and its derivative at `t` in [-1, 1].

    By the second barycentric formula. `room` is for 3 times `NODES` numbers. At a node itself the
    derivative is taken beside it, which is good enough for its only use, a Newton step.
    """
    reciprocals, numerators, denominators = room[0], room[1], room[2]
    for n in range(NODES):
        gap = t - POINTS[n]
        reciprocals[n] = 1.0 / (gap if gap != 0.0 else 1e-15)
        denominators[n] = _BARYCENTRIC[n] * reciprocals[n]
        numerators[n] = denominators[n] * values[n]
    denominator = 1.0 / _total(denominators)
    value = _total(numerators) * denominator
    for n in range(NODES):
        slope = (value - values[n]) * reciprocals[n]
        numerators[n] = _BARYCENTRIC[n] * reciprocals[n] * slope
    return value, _total(numerators) * denominator


@fused_kernel
def decreasing_root(values, start, room):
    """The zero in [-1, 1] of the decreasing function with these `values` at the nodes.

    Safeguarded Newton from `start`, which may be anywhere in [-1, 1]: a step that leaves the
    bracket is replaced by a bisection, and only a Newton step may be the last, because a small
    bisection step says nothing. A function without a change of sign gives the end that is
    nearer to its zero.
    """
    if values[0] <= 0.0:
        return -1.0
    if values[NODES - 1] >= 0.0:
        return 1.0
    low, high = -1.0, 1.0
    t = start
    for _ in range(100):
        value, slope = interpolate(values, t, room)
        if value > 0.0:
            low = t
        elif value < 0.0:
            high = t
        else:
            return t
        step = value / slope if slope < 0.0 else np.inf
        if not (low <= t - step <= high):
            t = 0.5 * (low + high)
            continue
        t -= step
        if abs(step) < _LAST_STEP:
            break
    return t
