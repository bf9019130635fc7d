"""The normal distribution: hazard without overflow for any argument, cdf, and quantiles.

``hazard(z) = phi(z) / Phi(-z)`` is the reciprocal of Mills' ratio. It grows like z on the
right and vanishes like phi on the left. Between -`_EDGE` and `_EDGE` it is read from a table
of Taylor polynomials, whose coefficients follow from ``hazard' = hazard (hazard - z)``;
beyond, the continued fraction on the right, and zero on the left.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel

_EDGE = 10.0
_CELLS_PER_UNIT = 8
_DEGREE = 9


def _taylor_table() -> NDArray[np.float64]:
    """Row i: the Taylor coefficients of the hazard around the middle of cell i."""
    cells = int(2 * _EDGE * _CELLS_PER_UNIT)
    centres = -_EDGE + (np.arange(cells) + 0.5) / _CELLS_PER_UNIT
    table = np.empty((cells, _DEGREE + 1))
    for row, z in zip(table, centres.tolist(), strict=True):
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        row[0] = density / (0.5 * math.erfc(z / math.sqrt(2.0)))
        for k in range(_DEGREE):
            square = sum(row[i] * row[k - i] for i in range(k + 1))
            row[k + 1] = (square - z * row[k] - (row[k - 1] if k else 0.0)) / (k + 1)
    return table


_TABLE = _taylor_table()


@kernel
def hazard(z):
    """phi(z) / Phi(-z), to about 1e-14 relative where it exceeds 1e-22."""
    if z < -_EDGE:
        return 0.0
    if z >= _EDGE:
        tail = z
        for k in range(20, 0, -1):
            tail = z + k / tail
        return tail
    position = (z + _EDGE) * _CELLS_PER_UNIT
    cell = min(int(position), _TABLE.shape[0] - 1)
    offset = (position - cell - 0.5) / _CELLS_PER_UNIT
    value = _TABLE[cell, _DEGREE]
    for k in range(_DEGREE - 1, -1, -1):
        value = value * offset + _TABLE[cell, k]
    return value


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
