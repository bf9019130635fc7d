"""Moments of a normal variable that is known to exceed a margin, or to stay within it.

For a normal variable of mean t and variance 1, truncated to x > e or to -e <= x <= e, the mean
becomes ``t + v`` and the variance ``1 - w`` (the functions v and w of the TrueSkill paper). Both
are functions of distances in standard deviations, which may be anything from 0 to millions,
and of each there is a formula that subtracts nothing large:

- one bound: the hazard and what goes with it;
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

from podium.numerics import truncated_loops
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.normal import exp_falling, inlined, tail

ONE_SIDED = 20.0
"""From this kappa on, the farther bound holds less than exp(-40) of the nearer one's density."""
NARROW = 3.0
GENTLE_TILT = 2.5
GENTLE_WIDTH = 1.0
"""Up to them, few points of quadrature are exact."""


def _half_rule(points):
    """The positive nodes of a Gauss-Legendre rule of so many points, and their weights."""
    return np.stack(np.polynomial.legendre.leggauss(points))[:, points // 2 :].copy()


FEW = _half_rule(10)
MANY = _half_rule(24)


@inlined
def exceeding(t, e):
    """When x > e is known; without branches."""
    z = e - t
    v, excess, w, rest = tail(z)
    return v, w, rest, e + excess - rest * t if z >= 0.0 else v + w * t


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
    if kappa >= ONE_SIDED:
        v, w, rest, site = exceeding(-t, -e)
        return -v, w, rest, -site
    if e > NARROW:
        return _within_wide(t, e)
    if kappa <= truncated_loops.SLOPE and e <= truncated_loops.NARROW:
        mean, variance = truncated_loops.narrow(-kappa, e * e)
    else:
        gentle = kappa <= GENTLE_TILT and e <= GENTLE_WIDTH
        mean, variance = _tilted(kappa, e * e, FEW if gentle else MANY)
    rest = e * e * variance
    return e * mean - t, 1.0 - rest, rest, e * mean - rest * t


@inlined
def tilts(kappa, lam, x):
    """The density ``exp(kappa (u - 1) - lam u^2 / 2)`` at x and at -x."""
    bell = -0.5 * lam * x * x
    return exp_falling(bell - kappa * (1.0 - x)), exp_falling(bell - kappa * (1.0 + x))


@fused_kernel
def _tilted(kappa, lam, rule):
    """Mean and variance of the density ``exp(kappa u - lam u^2 / 2)`` on -1 to 1."""
    total = 0.0
    first = 0.0
    second = 0.0
    for n in range(rule.shape[1]):
        x, weight = rule[0, n], rule[1, n]
        right, left = tilts(kappa, lam, x)
        total += weight * (right + left)
        first += weight * x * (right - left)
        second += weight * x * x * (right + left)
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
