"""Sums over all pairs of points of a grid by Fourier transforms, as in section 4.2 of the paper.

With ``g(x - y)`` the chance of what happened between strengths x and y, the likelihoods are
convolutions. g tends to different limits on both sides; so a step from one to the other is
taken off and added up by Algorithm 4.3, and the rest, which vanishes at both ends, is transformed.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.numerics import luck as kernel
from podium.numerics.belief_sums import heaviside_sums

Floats = NDArray[np.float64]


class Convolution:
    """Sums of ``g(x - y) density(y)`` over y, for a fixed g and any density on the same grid."""

    def __init__(self, table: Floats) -> None:
        """`table` has g at all differences of two points, in ascending order: 2n - 1 of them."""
        self._points = (len(table) + 1) // 2
        self._low, self._high = float(table[0]), float(table[-1])
        step = np.concatenate((np.zeros(self._points - 1), [0.5], np.ones(self._points - 1)))
        rest = table - self._low - (self._high - self._low) * step
        self._size = 1 << (len(table) - 1).bit_length()
        self._transform = np.fft.rfft(rest, self._size)

    def __call__(self, density: Floats) -> Floats:
        """The sums at all points."""
        n = self._points
        product = np.fft.rfft(density, self._size) * self._transform
        sums = np.fft.irfft(product, self._size)[n - 1 : 2 * n - 1]
        below = np.empty(n)
        heaviside_sums(density, below)
        result: Floats = sums + self._low * density.sum() + (self._high - self._low) * below
        return result


def fold_contests(
    model: kernel.Model,
    table: NDArray[Any],
    pool: NDArray[Any],
    matches: kernel.Matches,
    first: int,
    last: int,
) -> None:
    """Fold the matches `first` to `last`, as `podium.numerics.luck.fold_contests` does."""
    room = kernel.new_room(model)
    sums = cache(lambda side, theta: _both_ways(model, side, theta))
    foreseen = len(matches.expected) > 0
    for c in range(first, last):
        ranges, theta, side = kernel.begin(model, table, pool, matches, c, room)
        if matches.offsets[c + 1] - matches.offsets[c] == 2:
            if foreseen:
                matches.expected[c] = _likelihoods(model, sums, side, 1.0, room, ranges)
            _likelihoods(model, sums, side, theta, room, ranges)
        kernel.finish(model, table, pool, matches, c, room)


def _both_ways(model: kernel.Model, side: int, theta: float) -> tuple[Convolution, Convolution]:
    """The sums for the first player and for the second."""
    if theta == 1.0:
        table = model.win[side]
    elif theta == 0.5:
        table = model.draw[side]
    else:
        table = model.win[side] ** theta * model.lose[side] ** (1.0 - theta)
    return Convolution(table), Convolution(table[::-1])


def _likelihoods(
    model: kernel.Model,
    sums: Callable[[int, float], tuple[Convolution, Convolution]],
    side: int,
    theta: float,
    room: Floats,
    ranges: tuple[int, int, int, int],
) -> float:
    """Fill in the likelihoods of both players; how likely the result was."""
    n = len(model.prior)
    lo, hi, low, high = ranges
    for belief, end in ((kernel.A, (lo, hi)), (kernel.B, (low, high))):
        room[belief, : end[0]] = 0.0
        room[belief, end[1] : n] = 0.0
    of_first, of_second = sums(side, theta)
    room[kernel.LIKELIHOOD_A, :n] = of_first(room[kernel.B, :n])
    room[kernel.LIKELIHOOD_B, :n] = of_second(room[kernel.A, :n])
    found: float = kernel.evidence(room, lo, hi)
    if found < kernel.SMALL_EVIDENCE:
        found = kernel.directly(model, side, theta, room, ranges)
    return found
