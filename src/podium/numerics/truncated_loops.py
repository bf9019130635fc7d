"""Moments of truncated normal variables without branches, for loops in vector registers.

What `podium.numerics.truncated` computes for any arguments, for all matches of a contest at once.
Both functions return the mean of a standard normal variable that is known to lie beyond a point
or in a narrow interval, and by how much its variance is below one. With ``t`` the expected
difference of two performances whose joint standard deviation is 1, and ``e`` the draw margin:

    V(t, e), W(t, e)    = beyond(e - t)           for a win
    V~(t, e), W~(t, e)  = within_narrow(-t, e)    for a draw
"""

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.logistic import C2, C3, C4, C5, C6, C7, C8, C9, C10, C11

inlined = partial(kernel, inline="always")

NARROW, SLOPE = 0.15, 0.5
"""Intervals of `within_narrow`."""
_TURN = 3.5
_TERMS = 24
_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_LEAST = 40.0
"""exp(-40) is as good as nothing."""
_POINT, _WEIGHT = np.polynomial.legendre.leggauss(5)
_INNER, _OUTER = float(_POINT[3]), float(_POINT[4])
_AT_CENTRE, _AT_INNER, _AT_OUTER = (float(_WEIGHT[k]) for k in (2, 3, 4))


def _excess(x: float) -> float:
    """phi(x) / Phi(-x) - x for x >= 0; by the continued fraction where it converges well."""
    if x < 1.5:
        return _DENSITY * math.exp(-0.5 * x * x) / (0.5 * math.erfc(x / math.sqrt(2.0))) - x
    tail = x
    for k in range(1000, 1, -1):
        tail = x + k / tail
    return 1.0 / tail


def _excess_polynomial() -> NDArray[np.float64]:
    """``(x + _TURN) * excess`` in ``(x - _TURN) / (x + _TURN)``, highest power first.

    Its Chebyshev series, whose terms fall by a factor of four, to 1e-14 for all x >= 0.
    """
    t = np.cos(np.pi * (np.arange(_TERMS) + 0.5) / _TERMS)
    x = _TURN * (1.0 + t) / (1.0 - t)
    values = [(point + _TURN) * _excess(point) for point in x.tolist()]
    series = np.polynomial.chebyshev.chebfit(t, values, _TERMS - 1)
    return np.ascontiguousarray(np.polynomial.chebyshev.cheb2poly(series)[::-1])


_EXCESS = _excess_polynomial()


@inlined
def beyond(z):
    """The mean of a standard normal variable above `z`, and 1 - its variance.

    Without branches, so that loops around it run in vector registers. On the left,
    ``phi(-x) / Phi(x)`` follows from the right: Phi(x) = 1 - phi(x) / hazard(x).
    """
    x = abs(z)
    scale = 1.0 / (x + _TURN)
    t = (x - _TURN) * scale
    square = t * t
    even, odd = 0.0, 0.0  # two sums, of which neither waits for the other
    for k in range(0, _TERMS, 2):
        odd = odd * square + _EXCESS[k]
        even = even * square + _EXCESS[k + 1]
    excess = (odd * t + even) * scale
    right = x + excess
    half = 0.5 * x * x
    y = (half if half < _LEAST else _LEAST) * (-1.0 / 128.0)
    e = y * (C7 + y * (C8 + y * (C9 + y * (C10 + y * C11))))
    e = 1.0 + y * (1.0 + y * (C2 + y * (C3 + y * (C4 + y * (C5 + y * (C6 + e))))))
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    e *= e
    density = _DENSITY * e if half < _LEAST else 0.0
    left = density * right / (right - density)
    mean = right if z >= 0.0 else left
    return mean, mean * (excess if z >= 0.0 else left + x)


@inlined
def _narrow_pair(a, b):
    """Sum and difference of ``exp(-a - b)`` and ``exp(a - b)``, for |a| <= 1/2 and b <= 1/80."""
    q = a * a
    cosh = 1.0 + q * (C2 + q * (C4 + q * (C6 + q * (C8 + q * C10))))
    sinh = a * (1.0 + q * (C3 + q * (C5 + q * (C7 + q * (C9 + q * C11)))))
    fall = 2.0 * (1.0 - b * (1.0 - b * (C2 - b * (C3 - b * (C4 - b * C5)))))
    return fall * cosh, -fall * sinh


@inlined
def within_narrow(centre, reach):
    """In ``centre +- reach``, if ``reach <= NARROW`` and ``abs(centre) * reach <= SLOPE``.

    As most draws are. By five points and short Taylor series, without branches, like `beyond`.
    """
    slope, bend = centre * reach, 0.5 * reach * reach
    even1, odd1 = _narrow_pair(slope * _INNER, bend * _INNER * _INNER)
    even2, odd2 = _narrow_pair(slope * _OUTER, bend * _OUTER * _OUTER)
    inverse = 1.0 / (_AT_CENTRE + _AT_INNER * even1 + _AT_OUTER * even2)
    mean = (_AT_INNER * _INNER * odd1 + _AT_OUTER * _OUTER * odd2) * inverse
    second = (_AT_INNER * _INNER * _INNER * even1 + _AT_OUTER * _OUTER * _OUTER * even2) * inverse
    return centre + reach * mean, 1.0 - reach * reach * (second - mean * mean)
