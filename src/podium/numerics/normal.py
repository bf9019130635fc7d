"""The normal distribution: hazard without overflow for any argument, cdf, and quantiles.

``hazard(z) = phi(z) / Phi(-z)`` is the reciprocal of Mills' ratio. It grows like z on the
right and vanishes like phi on the left. For x >= 0 its continued fraction is

    hazard(x) = x + 1 / (x + r(x)),    r(x) = 2 / (x + 3 / (x + 4 / (x + ...)))

and r is one rational function, `_R` by `_Q`, to 6e-15 for all x >= 0. On the left,
``Phi(x) = 1 - phi(x) / hazard(x)`` gives ``hazard(-x) = phi(x) / Phi(x)``. All of it is arithmetic
without branches, so that loops over it run in vector registers.
"""

import math
from functools import partial

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.compiler.known import bits_of

inlined = partial(kernel, forceinline=True, fastmath={"contract"})

# Interpolates r at the Chebyshev points of (x - 4.5) / (x + 4.5); highest powers first.
_R = np.array([
    1.9999999999999978, 56.89805177117713, 820.0845861163535, 7690.275138352425,
    51207.1726592914, 250171.03094276, 897619.1148940613, 2294106.9457553183,
    3836888.060221777, 3285101.863222396,
])  # fmt: skip
_Q = np.array([
    1.0, 28.449025885584803, 413.04229306025763, 3930.4846463998683, 26821.713254494214,
    136279.53701869663, 520807.92476616625, 1479237.585183331, 3000649.8910352755,
    3959013.482295128, 2621132.0573298773,
])  # fmt: skip
_FAR = 1e12
"""Beyond it the hazard is x to the last bit, and powers of x might overflow."""

_DENSITY = 1.0 / math.sqrt(2.0 * math.pi)
_NOTHING = 37.0
"""phi(37) is 1e-298, and as good as nothing."""
_LOG2E = 1.0 / math.log(2.0)
_LOG2_HIGH = 0.693147180369123816490
_LOG2_LOW = 1.90821492927058770002e-10
"""log 2 in two parts; products of the first with whole numbers are exact."""
_ROUNDING = 1.5 * 2.0**52
"""Added to a number, rounds it to a whole one, which then stands in the lowest bits."""

# The coefficients of the Taylor series of exp.
C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12 = (1.0 / math.factorial(k) for k in range(2, 13))


@inlined
def exp_falling(y):
    """exp(y) for -708 <= y <= 0, as arithmetic; see `podium.numerics.tanh`."""
    shifted = y * _LOG2E + _ROUNDING
    n = shifted - _ROUNDING
    r = (y - n * _LOG2_HIGH) - n * _LOG2_LOW
    high = C7 + r * (C8 + r * (C9 + r * (C10 + r * (C11 + r * C12))))
    value = 1.0 + r * (1.0 + r * (C2 + r * (C3 + r * (C4 + r * (C5 + r * (C6 + r * high))))))
    exponent = (bits_of(shifted) + 1023) << 52
    return value * bits_of(exponent)


@inlined
def density(x):
    """phi(x)."""
    near = min(abs(x), _NOTHING)
    value = _DENSITY * exp_falling(-0.5 * near * near)
    return value if near < _NOTHING else 0.0


@inlined
def mills(x):
    """Numerator and denominator of r(x), for 0 <= x <= `_FAR`."""
    r = _R[0]
    for k in range(1, 10):
        r = r * x + _R[k]
    q = x + _Q[1]
    for k in range(2, 11):
        q = q * x + _Q[k]
    return r, q


@inlined
def hazard(z):
    """phi(z) / Phi(-z), to about 1e-14 relative where it exceeds 1e-298."""
    x = abs(z)
    near = min(x, _FAR)
    r, q = mills(near)
    below = near * q + r
    above = near * below + q
    phi = density(x)
    numerator = above if z >= 0.0 else phi * above
    denominator = below if z >= 0.0 else above - phi * below
    value = numerator / denominator
    if z >= 0.0:
        value += x - near
    return value


@inlined
def tail(z):
    """Of a standard normal variable above z: mean, mean - z, 1 - variance, and variance.

    Each without cancellation, but that beyond `_FAR` the variance is 0.
    The mean is ``hazard(z)``. With g = 1 / (x + r) its excess over x = z >= 0, the variance is
    ``1 - (x + g) g = (r - g) g``.
    """
    x = abs(z)
    near = min(x, _FAR)
    r, q = mills(near)
    below = near * q + r
    above = near * below + q
    phi = density(x)
    inverse = 1.0 / (below if z >= 0.0 else above - phi * below)
    left = phi * above * inverse
    excess = q * inverse if z >= 0.0 else left + x
    mean = x + excess if z >= 0.0 else left
    remains = (r * below - q * q) * inverse * inverse if x < _FAR else 0.0
    less = 1.0 - remains if z >= 0.0 else left * excess
    variance = remains if z >= 0.0 else 1.0 - less
    return mean, excess, less, variance


@kernel
def normal_cdf(z):
    """Phi(z)."""
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


@kernel
def normal_quantile(below, above):
    """The z with Phi(z) = `below` and Phi(-z) = `above`, to about 1e-15 relative.

    Both sides are given, and the smaller one is used, so that neither tail is lost to rounding.
    A rational first guess (Abramowitz and Stegun, 26.2.23) is good to 5e-4; each of Halley's
    steps triples the digits.
    """
    p = min(below, above)
    if below == above:
        return 0.0
    if p <= 0.0:
        return -np.inf if below < above else np.inf
    t = math.sqrt(-2.0 * math.log(p))
    numerator = 2.515517 + t * (0.802853 + t * 0.010328)
    z = numerator / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t
    for _ in range(2):
        u = (normal_cdf(z) / p - 1.0) * p * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)
        z -= u / (1.0 + 0.5 * z * u)
    return z if below < above else -z
