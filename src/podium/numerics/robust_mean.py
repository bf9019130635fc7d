"""A mean that a far outlier cannot move far: the mode of a product of logistic densities.

It is the zero of the increasing function

    L'(x) = w0 (x - p0) + sum_k c_k tanh(a_k (x - p_k))

with a Gaussian term that may be missing (``w0 = 0``). Near p_k a term acts like that of a mean,
far from it like that of a median.
"""

from functools import partial

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.newton import stepped
from podium.numerics.tanh import tanh

_LAST_STEP = 5e-5
"""In strides. Halley's method cubes the error."""

_LANES = 8
"""Terms that a loop takes at once; the few that are left over would cost as much as these."""


@kernel
def padded(count):
    """How many terms to sum, some of them empty (``p = a = c = 0``), so that none is left over."""
    return (count + _LANES - 1) // _LANES * _LANES


@partial(kernel, fastmath={"reassoc", "nsz"})
def _sums(x, p, a, c):
    """Sums of c_k t_k and of its first two derivatives by x, ``t_k = tanh(a_k (x - p_k))``."""
    value = 0.0
    slope = 0.0
    bend = 0.0
    for k in range(p.shape[0]):
        t = tanh((x - p[k]) * a[k])
        first = c[k] * a[k] * (1.0 - t * t)
        value += c[k] * t
        slope += first
        bend -= 2.0 * first * a[k] * t
    return value, slope, bend


@kernel
def robust_mean(p0, w0, p, a, c, start, stride):
    """The zero of L', by safeguarded steps from `start`, with none above `stride` at first."""
    last_step = _LAST_STEP * stride
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope, bend = _sums(x, p, a, c)
        value += w0 * (x - p0)
        slope += w0
        step = value / slope
        step /= min(max(1.0 - 0.5 * step * bend / slope, 0.5), 2.0)
        x, stride, low, high, ended = stepped(x, value, step, stride, last_step, low, high)
        if ended:
            break
    return x
