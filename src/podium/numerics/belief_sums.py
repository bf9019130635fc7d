"""Sums over a belief at many strengths at once, in linear time.

A belief is a `density` on ascending `points`; the sums are wanted at the ascending strengths
`at`, which may be the same points, some of them, or others. Sweeps upwards and downwards keep the
sum so far and let it decay from one strength to the next, so that no exponential can overflow.
All terms have one sign, and so the sums are accurate relative to their own size, however small.

Reference: Alex Cowan, *Paired comparisons for games of chance*, 2023, sections 4.2 and 4.3.
"""

import math

from podium.numerics.compiled import kernel


@kernel
def heaviside_sums(density, out):
    """Algorithm 4.3: how much density lies below every point, its own counting half."""
    total = 0.0
    for k in range(density.shape[0]):
        half = 0.5 * density[k]
        out[k] = total + half
        total += density[k]


@kernel
def heaviside_sums_at(points, density, at, out):
    """The same at other strengths."""
    below = 0.0
    k = 0
    for i in range(at.shape[0]):
        while k < points.shape[0] and points[k] < at[i]:
            below += density[k]
            k += 1
        own = density[k] if k < points.shape[0] and points[k] == at[i] else 0.0
        out[i] = below + 0.5 * own


@kernel
def _decayed(total, distance, scale):
    return total * math.exp(-distance / scale) if distance > 0.0 else total


@kernel
def _add_from_above(points, density, scale, at, factor, out):
    """Add ``factor * sum of density * exp(-distance / scale)`` over the points above each `at`."""
    total = 0.0
    k = points.shape[0] - 1
    place = 0.0
    for i in range(at.shape[0] - 1, -1, -1):
        while k >= 0 and points[k] > at[i]:
            total = _decayed(total, place - points[k], scale) + density[k]
            place = points[k]
            k -= 1
        total = _decayed(total, place - at[i], scale)
        place = at[i]
        out[i] += factor * total


@kernel
def _set_from_below(points, density, scale, at, whole_factor, factor, out):
    """The terms of all points up to each place: their density and what has decayed of it."""
    whole, total, place, k = 0.0, 0.0, 0.0, 0
    for i in range(at.shape[0]):
        while k < points.shape[0] and points[k] <= at[i]:
            total = _decayed(total, points[k] - place, scale) + density[k]
            whole += density[k]
            place = points[k]
            k += 1
        total = _decayed(total, at[i] - place, scale)
        place = at[i]
        out[i] = whole_factor * whole + factor * total


@kernel
def laplace_density_sums(points, density, scale, at, out):
    """Algorithm 4.5: ``sum_k density[k] f(at - points[k])``, f the density of a Laplace."""
    factor = 0.5 / scale
    _set_from_below(points, density, scale, at, 0.0, factor, out)
    _add_from_above(points, density, scale, at, factor, out)


@kernel
def laplace_cdf_sums(points, density, scale, at, out):
    """Algorithm 4.6: ``sum_k density[k] F(at - points[k])``, F the cdf of a Laplace.

    The points below add their density less at most half of it: nothing cancels.
    """
    _set_from_below(points, density, scale, at, 1.0, -0.5, out)
    _add_from_above(points, density, scale, at, 0.5, out)
