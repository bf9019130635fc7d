"""The hyperbolic tangent as arithmetic, so that loops over it run in vector registers.

A call of `math.tanh` keeps a loop out of them. Here ``m = exp(-2|z|) - 1`` comes from a Taylor
polynomial, after a multiple of log 2 is taken from the exponent, and ``tanh |z| = -m / (2 + m)``.
Nothing cancels: the relative error is a few units in the last place for the smallest z too.
"""

import math
from functools import partial

import numpy as np

from podium.numerics.compiled import kernel

_ONE = 20.0
"""Where tanh is 1."""

_LOG2E = 1.0 / math.log(2.0)
_LOG2_HIGH = 0.693147180369123816490
_LOG2_LOW = 1.90821492927058770002e-10
"""log 2 in two parts; products of the first with whole numbers are exact."""

_ROUNDING = 1.5 * 2.0**52
"""Added to a number, rounds it to a whole one, which then stands in the lowest bits."""

# The coefficients of the Taylor series of exp.
(C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13) = (
    1.0 / math.factorial(k) for k in range(2, 14)
)


@partial(kernel, fastmath={"contract"})
def tanh(z):
    """The hyperbolic tangent of z."""
    y = -2.0 * min(abs(z), _ONE)
    shifted = y * _LOG2E + _ROUNDING
    n = shifted - _ROUNDING
    r = (y - n * _LOG2_HIGH) - n * _LOG2_LOW
    high = C8 + r * (C9 + r * (C10 + r * (C11 + r * (C12 + r * C13))))
    m = r + r * r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * (C7 + r * high))))))
    exponent = np.int64((np.float64(shifted).view(np.int64) + 1023) << 52)
    power = exponent.view(np.float64)
    m = power * m + (power - 1.0)
    t = m / (2.0 + m)
    return -t if z > 0.0 else t
