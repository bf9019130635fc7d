"""Interpolation on one panel: Chebyshev points, the barycentric formula, and roots.

A function that is analytic in a strip around the real line is approximated on a panel
``[centre - half, centre + half]`` by the polynomial through its values at `NODES`
Chebyshev points of the second kind, which include both ends. Evaluation uses the second
barycentric formula (Berrut and Trefethen, 2004), which is stable for these points.
"""

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel


def panel_of(
    nodes: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Of so many nodes, an even number: the nodes on [-1, 1], ascending and symmetric to the bit.

    Also two matrices. The first leads from values at the nodes to coefficients of Chebyshev's
    polynomials, one row for each node; the second from those to coefficients of powers, one row
    for each polynomial.
    """
    angles = np.pi * np.arange(nodes) / (nodes - 1)
    points = np.where(np.arange(nodes) < nodes // 2, -np.cos(angles), np.cos(angles[::-1]))
    to_series = np.cos(np.outer(np.arccos(points), np.arange(nodes))) * (2.0 / (nodes - 1))
    to_series[:, [0, -1]] *= 0.5
    to_series[[0, -1]] *= 0.5
    to_powers = np.zeros((nodes, nodes))
    to_powers[0, 0] = to_powers[1, 1] = 1.0
    for k in range(2, nodes):
        to_powers[k, 1:] = 2.0 * to_powers[k - 1, :-1]
        to_powers[k] -= to_powers[k - 2]
    return points, to_series, to_powers


NODES = 20
POINTS, _to_series, _to_powers = panel_of(NODES)
_TO_SERIES, _TO_POWERS = _to_series.T.copy(), _to_powers.T.copy()

_BARYCENTRIC = np.where(np.arange(NODES) % 2 == 0, 1.0, -1.0)
_BARYCENTRIC[[0, -1]] *= 0.5

_LAST_STEP = 2e-7
"""In half panels. Newton's error is squared by the step that follows, hence far below 1e-10."""


@kernel
def interpolate(values, t, reciprocals):
    """The interpolant of `values` and its derivative at `t` in [-1, 1].

    `reciprocals` is room for `NODES` numbers. At a node itself the derivative is taken
    beside it, which is good enough for the only use that it has, a Newton step.
    """
    for n in range(NODES):
        gap = t - POINTS[n]
        reciprocals[n] = 1.0 / (gap if gap != 0.0 else 1e-15)
    numerator = 0.0
    denominator = 0.0
    for n in range(NODES):
        weight = _BARYCENTRIC[n] * reciprocals[n]
        numerator += weight * values[n]
        denominator += weight
    value = numerator / denominator
    slope = 0.0
    for n in range(NODES):
        slope += _BARYCENTRIC[n] * reciprocals[n] * ((value - values[n]) * reciprocals[n])
    return value, slope / denominator


def weights_at(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the values at the nodes count in the interpolant at every t: one row for each."""
    gaps = t[:, None] - POINTS
    hit = gaps == 0.0
    weights = _BARYCENTRIC / np.where(hit, 1.0, gaps)
    weights /= weights.sum(axis=1, keepdims=True)
    rows: NDArray[np.float64] = np.where(hit.any(axis=1, keepdims=True), hit, weights)
    return rows


@kernel
def powers(values):
    """For every row of values at the nodes, the coefficients of 1, t, t², … of its interpolant.

    Evaluating it by them is several times faster than `interpolate`. It is as accurate if the
    function is analytic well beyond the unit circle around the panel, as here; in two steps,
    because rounding errors of the values must not meet the large coefficients of high powers.
    """
    panels = values.shape[0]
    out = np.zeros((panels, NODES))
    series = np.empty(NODES)
    for k in range(panels):
        for row in range(NODES):
            total = 0.0
            for n in range(NODES):
                total += _TO_SERIES[row, n] * values[k, n]
            series[row] = total
        for row in range(NODES):
            for n in range(row, NODES, 2):
                out[k, row] += _TO_POWERS[row, n] * series[n]
    return out


@kernel
def polynomial(c, t):
    """The polynomial with these coefficients of powers, and its derivative, at `t`.

    Even and odd powers apart: two chains of half the length.
    """
    u = t * t
    even, odd = c[NODES - 2], c[NODES - 1]
    even_slope, odd_slope = 0.0, 0.0
    for k in range(NODES - 4, -1, -2):
        even_slope = even_slope * u + even
        odd_slope = odd_slope * u + odd
        even = even * u + c[k]
        odd = odd * u + c[k + 1]
    return even + t * odd, odd + 2.0 * t * (even_slope + t * odd_slope)


@kernel
def decreasing_root(values):
    """The zero in [-1, 1] of the decreasing function with these `values` at the nodes.

    Safeguarded Newton: a step that leaves the bracket is replaced by a bisection, and only
    a Newton step may be the last, because a small bisection step says nothing.
    A function without a change of sign gives the end that is nearer to its zero.
    """
    if values[0] <= 0.0:
        return -1.0
    if values[NODES - 1] >= 0.0:
        return 1.0
    right = 1
    while values[right] > 0.0:
        right += 1
    low, high = POINTS[right - 1], POINTS[right]
    above, below = values[right - 1], values[right]
    reciprocals = np.empty(NODES)
    t = low + (high - low) * above / (above - below)
    for _ in range(60):
        value, slope = interpolate(values, t, reciprocals)
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
