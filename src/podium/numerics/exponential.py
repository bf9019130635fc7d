"""The exponential function as arithmetic, for loops that go from match to match.

A call of `math.exp` keeps a loop out of vector registers, and even where none are to be had it
spills those that are in use. A multiple of log 2 is taken from the exponent and the rest goes into
a Taylor polynomial, whose terms are paired so that they need not wait for each other. The
relative error is a unit or two in the last place.
"""

import math

import numpy as np

from podium.numerics.compiled import fused_kernel
from podium.numerics.compiler.known import bits_of

_MOST = 708.0
"""Beyond, and below its negative, exp is not a normal number."""

_LOG2E = 1.0 / math.log(2.0)
_LOG2_HIGH = 0.693147180369123816490
_LOG2_LOW = 1.90821492927058770002e-10
"""log 2 in two parts; products of the first with whole numbers are exact."""

_ROUNDING = 1.5 * 2.0**52
"""Added to a number, rounds it to a whole one, which then stands in the lowest bits."""

# The coefficients of the Taylor series.
(C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13) = (
    1.0 / math.factorial(k) for k in range(2, 14)
)


@fused_kernel
def exp(x):
    """The exponential of x; 0 below -708, and infinite above 708."""
    given = x
    x = min(max(x, -_MOST), _MOST)
    shifted = x * _LOG2E + _ROUNDING
    n = shifted - _ROUNDING
    r = (x - n * _LOG2_HIGH) - n * _LOG2_LOW
    q = r * r
    low = (1.0 + r) + q * (C2 + r * C3)
    middle = (C4 + r * C5) + q * (C6 + r * C7)
    high = (C8 + r * C9) + q * ((C10 + r * C11) + q * (C12 + r * C13))
    exponent = (bits_of(shifted) + 1023) << 52
    value = (low + q * q * (middle + q * q * high)) * bits_of(exponent)
    value = value if given >= -_MOST else 0.0
    return value if given <= _MOST else np.inf
