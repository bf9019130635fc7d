"""Moments of truncated normal variables without branches, for loops in vector registers.

What `podium.numerics.truncated` computes for any arguments, for all matches of a contest at once.
Both functions return the mean of a standard normal variable that is known to lie beyond a point
or in a narrow interval, and by how much its variance is below one. With ``t`` the expected
difference of two performances whose joint standard deviation is 1, and ``e`` the draw margin:

    V(t, e), W(t, e)    = beyond(e - t)           for a win
    V~(t, e), W~(t, e)  = within_narrow(-t, e)    for a draw
"""

import numpy as np

from podium.numerics.normal import C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, inlined, tail

NARROW, SLOPE = 0.15, 0.5
"""Intervals of `within_narrow`."""
_POINT, _WEIGHT = np.polynomial.legendre.leggauss(5)
_INNER, _OUTER = float(_POINT[3]), float(_POINT[4])
_AT_CENTRE, _AT_INNER, _AT_OUTER = (float(_WEIGHT[k]) for k in (2, 3, 4))


@inlined
def beyond(z):
    """The mean of a standard normal variable above `z`, and 1 - its variance."""
    mean, _, less, _ = tail(z)
    return mean, less


@inlined
def _narrow_pair(a, b):
    """Sum and difference of ``exp(-a - b)`` and ``exp(a - b)``, for |a| <= 1/2 and b <= 1/80."""
    q = a * a
    cosh = 1.0 + q * (C2 + q * (C4 + q * (C6 + q * (C8 + q * C10))))
    sinh = a * (1.0 + q * (C3 + q * (C5 + q * (C7 + q * (C9 + q * C11)))))
    fall = 2.0 * (1.0 - b * (1.0 - b * (C2 - b * (C3 - b * (C4 - b * C5)))))
    return fall * cosh, -fall * sinh


@inlined
def narrow(slope, width):
    """Mean and variance of the density ``exp(-slope u - width u^2 / 2)`` on -1 to 1.

    For ``abs(slope) <= SLOPE`` and ``width <= NARROW^2``, as most draws are; by five points and
    short Taylor series.
    """
    bend = 0.5 * width
    even1, odd1 = _narrow_pair(slope * _INNER, bend * _INNER * _INNER)
    even2, odd2 = _narrow_pair(slope * _OUTER, bend * _OUTER * _OUTER)
    inverse = 1.0 / (_AT_CENTRE + _AT_INNER * even1 + _AT_OUTER * even2)
    mean = (_AT_INNER * _INNER * odd1 + _AT_OUTER * _OUTER * odd2) * inverse
    second = (_AT_INNER * _INNER * _INNER * even1 + _AT_OUTER * _OUTER * _OUTER * even2) * inverse
    return mean, second - mean * mean


@inlined
def within_narrow(centre, reach):
    """In ``centre +- reach``, if ``reach <= NARROW`` and ``abs(centre) * reach <= SLOPE``."""
    mean, variance = narrow(centre * reach, reach * reach)
    return centre + reach * mean, 1.0 - reach * reach * variance
