"""A mean that a far outlier cannot move far: the mode of a product of logistic densities.

It is the zero of the increasing function

    L'(x) = w0 (x - p0) + sum_k c_k tanh(a_k (x - p_k))

with a Gaussian term that may be missing (``w0 = 0``). Near p_k a term acts like that of a mean,
far from it like that of a median.
"""

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.lanes import WIDTH, fused, load_until, splat, tanh, total
from podium.numerics.newton import householder_stepped

_LAST_STEP = 1e-3
"""In strides. A step takes the error to its fourth power."""


@kernel
def padded(count):
    """How many terms to sum, some of them empty (``p = a = c = 0``), so that none is left over."""
    return (count + WIDTH - 1) // WIDTH * WIDTH


@kernel
def _sums(x, p, a, c):
    """Sums of c_k t_k and of its first three derivatives by x, ``t_k = tanh(a_k (x - p_k))``."""
    value, slope, bend, third = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    count = p.shape[0]
    for k in range(0, count, WIDTH):
        steep, size = load_until(a, k, count, 0.0), load_until(c, k, count, 0.0)
        t = tanh((x - load_until(p, k, count, 0.0)) * steep)
        square = t * t
        first = size * steep * (1.0 - square)
        second = first * steep
        value = fused(size, t, value)
        slope = slope + first
        bend = fused(second, t, bend)
        third = fused(second * steep, 1.0 - 3.0 * square, third)
    return total(value), total(slope), -2.0 * total(bend), -2.0 * total(third)


@kernel
def robust_mean(p0, w0, p, a, c, start, stride):
    """The zero of L', by safeguarded steps from `start`, with none above `stride` at first."""
    last_step = _LAST_STEP * stride
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope, bend, third = _sums(x, p, a, c)
        value += w0 * (x - p0)
        slope += w0
        x, stride, low, high, ended = householder_stepped(
            x, value, slope, bend, third, stride, last_step, low, high
        )
        if ended:
            break
    return x
