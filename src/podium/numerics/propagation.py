"""Expectation propagation along a chain of competitors; see `podium.numerics.trueskill`.

All factors are renewed at once, in vector registers, from the marginals that the last passes along
the chain gave. Then both passes are made again, in one loop, as each waits only for divisions of
its own. Some twenty rounds do for any number of competitors, because each solves the
whole Gaussian chain.
"""

import math

import numpy as np

from podium.numerics import truncated
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.truncated import exceeding, tilts
from podium.numerics.vector_panels import LANES

FIELDS = 23
(
    M, S2, S, SIZE, RANK,  # a competitor
    GAP, MARGIN, TIED, A, T, B,  # the factor between it and the next one
    F, P,  # its marginal, given the factors before
    G, Q,  # and given those behind; in the column before its own, beside F and P of its neighbour
    SHIFT,  # how far the performance moves in the end, in terms of S2
    KEPT,  # the part of S2 that remains
    OLD_A, OLD_T, OLD_B,  # the factor before, while they move half way
    MEAN, REACH, SCALE,  # t, e and 1 / deviation of the difference without its factor
) = range(FIELDS)  # fmt: skip
"""Rows of a chain, which has a column for every competitor."""
OF_A_COMPETITOR = M, S2, S, SIZE, RANK
"""Those that do not depend on who is next."""

BLOCK = 8 * LANES
"""Densities of ties whose moments are computed side by side."""
TOLERANCE = 1e-11
"""Of contests that are folded: when nothing counts as moving."""
_MOST_ROUNDS = 400
_FULL_STEPS = 64
"""After so many rounds, factors move half way only: ties among hundreds whose ratings are hundreds
of deviations apart may otherwise go round in circles. The fixed point is the same."""


@kernel
def workspace(sides):
    """For chains of up to so many competitors: places of ties, and their densities."""
    ties = (sides + BLOCK - 1) // BLOCK * BLOCK
    return np.empty((3, ties), np.int64), np.zeros((2, 5 * ties))


@kernel
def new_chain(sides):
    """A chain of so many competitors, and columns that fill the last vector register up."""
    columns = (sides + LANES - 1) // LANES * LANES
    chain = np.empty((FIELDS, columns))
    for k in range(sides - 1, columns):
        chain[GAP, k] = chain[MARGIN, k] = chain[TIED, k] = 0.0
        chain[S2, k] = 1.0
    return chain


@fused_kernel
def propagate(chain, sides, places, densities, tolerance):
    """The performances of all competitors after the contest."""
    links, columns = sides - 1, chain.shape[1]
    for k in range(columns):
        chain[F, k] = chain[G, k] = 0.0
        chain[P, k] = chain[S2, k]
        chain[Q, k] = chain[S2, min(k + 1, columns - 1)]
    tied = ties_of(chain, links, places)
    for done in range(_MOST_ROUNDS):
        damped = done >= _FULL_STEPS
        if damped:
            for k in range(links):
                chain[OLD_A, k], chain[OLD_T, k] = chain[A, k], chain[T, k]
                chain[OLD_B, k] = chain[B, k]
        renew(chain)
        if tied > 0:
            renew_ties(chain, tied, places, densities)
        if damped:
            for k in range(links):
                _go_half_way(chain, k)
        if not pass_along(chain, links, tolerance) or links == 1:
            break
    conclude(chain, links)


@fused_kernel
def ties_of(chain, links, places):
    """How many factors are those of ties; the first row of `places` has which."""
    tied = np.int64(0)
    for k in range(links):
        if chain[TIED, k] != 0.0:
            places[0, tied] = k
            tied += 1
    return tied


@fused_kernel
def renew(chain):
    """The Gaussian factors between neighbours that do what the outcome does, given the rest.

    For all that one bound decides: victories, and ties of competitors far apart.
    """
    for k in range(chain.shape[1]):
        scale = 1.0 / math.sqrt(chain[P, k] + chain[Q, k])
        chain[SCALE, k] = scale
        chain[MEAN, k] = (chain[GAP, k] + chain[F, k] - chain[G, k]) * scale
        chain[REACH, k] = chain[MARGIN, k] * scale
    for k in range(chain.shape[1]):
        t, e, scale = chain[MEAN, k], chain[REACH, k], chain[SCALE, k]
        far = chain[TIED, k] * abs(t) * e >= truncated.ONE_SIDED
        _, w, rest, site = exceeding(-abs(t) if far else t, -e if far else e)
        chain[A, k] = w * scale * scale
        chain[T, k] = site * (-scale if far and t >= 0.0 else scale)
        chain[B, k] = rest


@fused_kernel
def renew_ties(chain, ties, places, densities):
    """The factors of the other ties: by few points of quadrature, by many, or one by one."""
    few, many = np.int64(0), np.int64(0)
    gentle, steep = np.int64(0), np.int64(1)
    for i in range(ties):
        k = places[0, i]
        t, e = abs(chain[MEAN, k]), chain[REACH, k]
        if t * e >= truncated.ONE_SIDED:
            continue
        if e == 0.0 or e > truncated.NARROW:
            _, w, rest, site = truncated.within(chain[MEAN, k], e)
            _set(chain, k, w, rest, site)
        elif t * e <= truncated.GENTLE_TILT and e <= truncated.GENTLE_WIDTH:
            _line_up(places, densities, gentle, few, k, t * e, e * e)
            few += 1
        else:
            _line_up(places, densities, steep, many, k, t * e, e * e)
            many += 1
    _renew_tilted(chain, places, densities, gentle, few, truncated.FEW)
    _renew_tilted(chain, places, densities, steep, many, truncated.MANY)


@fused_kernel
def _line_up(places, densities, kind, place, k, kappa, lam):
    """Put a density into its block."""
    column = place // BLOCK * 5 * BLOCK + place % BLOCK
    places[1 + kind, place] = k
    densities[kind, column], densities[kind, column + BLOCK] = kappa, lam


@fused_kernel
def _renew_tilted(chain, places, densities, kind, ties, rule):
    """By quadrature of densities as in `truncated`.

    A block has kappa of its densities, their lambda, and three moments. These are so far apart, in
    one array, that compilers know that loops over them may run in vector registers.
    """
    for start in range(0, ties, BLOCK):
        block = densities[kind, 5 * start : 5 * (start + BLOCK)]
        count = min(BLOCK, ties - start)
        whole = (count + LANES - 1) // LANES * LANES
        for i in range(whole):
            block[2 * BLOCK + i] = 0.0
            block[3 * BLOCK + i] = 0.0
            block[4 * BLOCK + i] = 0.0
        for n in range(rule.shape[1]):
            x, weight = rule[0, n], rule[1, n]
            for i in range(whole):
                right, left = tilts(block[i], block[BLOCK + i], x)
                block[2 * BLOCK + i] += weight * (right + left)
                block[3 * BLOCK + i] += weight * x * (right - left)
                block[4 * BLOCK + i] += weight * x * x * (right + left)
        for i in range(count):
            k = places[1 + kind, start + i]
            t, e = chain[MEAN, k], chain[REACH, k]
            inverse = 1.0 / block[2 * BLOCK + i]
            mean = block[3 * BLOCK + i] * inverse
            rest = e * e * (block[4 * BLOCK + i] * inverse - mean * mean)
            site = e * mean - rest * abs(t)
            _set(chain, k, 1.0 - rest, rest, site if t >= 0.0 else -site)


@fused_kernel
def _set(chain, k, w, rest, site):
    scale = chain[SCALE, k]
    chain[A, k], chain[T, k], chain[B, k] = w * scale * scale, site * scale, rest


@fused_kernel
def _go_half_way(chain, k):
    """From the old factor to the new one, in natural parameters."""
    old, new = chain[OLD_B, k], chain[B, k]
    if old > 0.0 and new > 0.0:
        chain[A, k] = 0.5 * (chain[OLD_A, k] / old + chain[A, k] / new)
        chain[T, k] = 0.5 * (chain[OLD_T, k] / old + chain[T, k] / new)
        chain[B, k] = 1.0


@fused_kernel
def pass_along(chain, links, tolerance):
    """F and P from the best on, G and Q from the worst on; whether anything moved.

    The tolerance is in standard deviations of a performance, or of how far it moved if that is
    more.
    """
    moved = False
    f, p = 0.0, chain[S2, 0]
    g, q = 0.0, chain[S2, links]
    for k in range(links):
        s2, s = chain[S2, k + 1], chain[S, k + 1]
        outside = chain[B, k] + chain[A, k] * p
        weight = s2 / (chain[B, k] + chain[A, k] * (p + s2))
        f = weight * (chain[A, k] * (f + chain[GAP, k]) - chain[T, k])
        p = weight * outside
        moved |= abs(f - chain[F, k + 1]) > tolerance * (s + abs(f))
        moved |= abs(p - chain[P, k + 1]) > tolerance * s2
        chain[F, k + 1], chain[P, k + 1] = f, p

        j = links - 1 - k
        s2, s = chain[S2, j], chain[S, j]
        outside = chain[B, j] + chain[A, j] * q
        weight = s2 / (chain[B, j] + chain[A, j] * (q + s2))
        g, q = weight * (chain[A, j] * (g - chain[GAP, j]) + chain[T, j]), weight * outside
        if j > 0:
            moved |= abs(g - chain[G, j - 1]) > tolerance * (s + abs(g))
            moved |= abs(q - chain[Q, j - 1]) > tolerance * s2
            chain[G, j - 1], chain[Q, j - 1] = g, q
    return moved


@fused_kernel
def conclude(chain, links):
    """What the performances are in the end."""
    for k in range(links):
        outside = chain[B, k] + chain[A, k] * chain[Q, k]
        total = outside + chain[A, k] * chain[P, k]
        move = chain[A, k] * (chain[G, k] - chain[GAP, k] - chain[F, k]) + chain[T, k]
        chain[SHIFT, k] = (chain[F, k] + chain[P, k] * move / total) / chain[S2, k]
        chain[KEPT, k] = chain[P, k] / chain[S2, k] * (outside / total)
    chain[SHIFT, links] = chain[F, links] / chain[S2, links]
    chain[KEPT, links] = chain[P, links] / chain[S2, links]
