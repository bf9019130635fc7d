"""Whether differences can be chance: Student's distribution, and Holm's correction.

S. Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of
Statistics 6 (1979), 65-70.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_CLOSE = 1e-15
_LEAST = 1e-300
_NO_SPREAD = 1e-9
"""Of a difference: a standard error below is what rounding leaves of none."""


def paired_p(difference: float, influences: Floats) -> float:
    """How likely chance alone makes such a difference between two means over the same contests.

    The paired t-test. `influences` are what each contest adds to the difference, those of contests
    that say nothing left out: of plain means, its own difference less the mean one, divided by
    how many there are. NaN of fewer than two contests, and of those that all say the same, which
    have no spread to judge by.

    Example:
        >>> own = np.array([0.3, 0.1, 0.4, 0.2])
        >>> round(paired_p(0.25, (own - 0.25) / 4), 6)
        0.030466
    """
    count = len(influences)
    if count < 2 or not math.isfinite(difference):
        return math.nan
    error = math.sqrt(count / (count - 1) * float(influences @ influences))
    if error <= _NO_SPREAD * abs(difference):
        return 1.0 if difference == 0.0 else math.nan
    return student_tails(difference / error, count - 1)


def student_tails(t: float, freedom: int) -> float:
    """How likely Student's t is as far from zero as this, on either side.

    Example:
        >>> round(student_tails(2.228139, 10), 6)
        0.05
    """
    return _incomplete_beta(0.5 * freedom, 0.5, freedom / (freedom + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    log_front = a * math.log(x) + b * math.log1p(-x) - math.log(a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + log_front)
    above, below = 1.0, _away(1.0 - (a + b) * x / (a + 1.0))
    found = below = 1.0 / below
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            below, above = 1.0 / _away(1.0 + term * below), _away(1.0 + term / above)
            found *= above * below
        if abs(above * below - 1.0) < _CLOSE:
            break
    return front * found


def _away(value: float) -> float:
    return value if abs(value) > _LEAST else _LEAST


def holm(p: Floats) -> Floats:
    """The p-values corrected for how many there are, step by step; NaN stays and does not count.

    Whoever calls significant what is below a level then is wrong about anything at all with at
    most that probability, however the tests depend on each other.

    Example:
        >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).round(3).tolist()
        [0.03, 0.06, 0.06, nan]
    """
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    adjusted = np.full(len(p), np.nan)
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted
