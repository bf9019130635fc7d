"""Moments of a normal variable that is known to exceed a margin, or to stay within it.

For a normal variable of mean t and variance 1, truncated to x > e or to -e <= x <= e, the mean
becomes ``t + v`` and the variance ``1 - w`` (the functions v and w of the TrueSkill paper). Both
are functions of distances in standard deviations, which may be anything from 0 to millions,
and of each there is a formula that subtracts nothing large:

- one bound: the hazard, or its continued fraction where the truncation cuts deep;
- two narrow bounds: Gauss-Legendre quadrature between them, because the density there is a
  smooth tilt ``exp(kappa u - lambda u^2 / 2)``, u from -1 to 1, kappa = t e, lambda = e^2;
- two bounds of which only one matters (kappa large): one bound;
- two wide bounds: differences of the normal cdf.

Every function returns ``v, w, 1 - w, v + w t``, each computed without cancellation. The last is
the natural mean of the Gaussian factor that would have the same effect (see
`podium.numerics.trueskill`).
"""

import math

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.normal import hazard

_DEEP = 4.0
_TERMS = 40
"""From `_DEEP` standard deviations on, so many terms of the continued fraction are exact."""

_ONE_SIDED = 20.0
"""From this kappa on, the farther bound holds less than exp(-40) of the nearer one's density."""
_NARROW = 3.0
_GENTLE_TILT = 1.0
_GENTLE_WIDTH = 0.5


def _half_rule(points):
    """The positive nodes of a Gauss-Legendre rule of so many points, and their weights."""
    x, weight = np.polynomial.legendre.leggauss(points)
    return x[points // 2 :].copy(), weight[points // 2 :].copy()


_X8, _W8 = _half_rule(8)
_X24, _W24 = _half_rule(24)


@kernel
def exceeding(t, e):
    """When x > e is known."""
    z = e - t
    if z < _DEEP:
        v = hazard(z)
        w = v * (v - z)
        return v, w, 1.0 - w, v + w * t
    # With r = 2 / (z + 3 / (z + ...)), the mean exceeds the bound by g = 1 / (z + r), and
    # 1 - w = 1 - (z + g) g = (r - g) g.
    tail = z
    for k in range(_TERMS, 2, -1):
        tail = z + k / tail
    r = 2.0 / tail
    g = 1.0 / (z + r)
    rest = (r - g) * g
    return z + g, 1.0 - rest, rest, e + g - rest * t


@kernel
def within(t, e):
    """When -e <= x <= e is known, which for e = 0 is x = 0."""
    side = -1.0 if t < 0.0 else 1.0
    v, w, rest, site = _within(abs(t), e)
    return side * v, w, rest, side * site


@kernel
def _within(t, e):
    """For a mean on the right, or in the middle."""
    if e == 0.0:
        return -t, 1.0, 0.0, 0.0
    kappa = t * e
    if kappa >= _ONE_SIDED:
        v, w, rest, site = exceeding(-t, -e)
        return -v, w, rest, -site
    if e > _NARROW:
        return _within_wide(t, e)
    if kappa <= _GENTLE_TILT and e <= _GENTLE_WIDTH:
        mean, variance = _tilted(kappa, e * e, _X8, _W8)
    else:
        mean, variance = _tilted(kappa, e * e, _X24, _W24)
    rest = e * e * variance
    return e * mean - t, 1.0 - rest, rest, e * mean - rest * t


@kernel
def _tilted(kappa, lam, x, weight):
    """Mean and variance of the density ``exp(kappa u - lam u^2 / 2)`` on -1 to 1."""
    total = 0.0
    first = 0.0
    second = 0.0
    for n in range(x.shape[0]):
        bell = -0.5 * lam * x[n] * x[n]
        right = weight[n] * math.exp(bell - kappa * (1.0 - x[n]))
        left = weight[n] * math.exp(bell - kappa * (1.0 + x[n]))
        total += right + left
        first += (right - left) * x[n]
        second += (right + left) * x[n] * x[n]
    mean = first / total
    return mean, second / total - mean * mean


@kernel
def _within_wide(t, e):
    near, far = e - t, e + t
    density_near = math.exp(-0.5 * near * near) / math.sqrt(2.0 * math.pi)
    density_far = math.exp(-0.5 * far * far) / math.sqrt(2.0 * math.pi)
    inside = 0.5 * (math.erf(near / math.sqrt(2.0)) + math.erf(far / math.sqrt(2.0)))
    v = (density_far - density_near) / inside
    w = v * v + (near * density_near + far * density_far) / inside
    return v, w, 1.0 - w, v + w * t
