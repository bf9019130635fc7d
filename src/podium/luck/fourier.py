"""The fold by Fourier transforms, as in section 4.2 of the paper: one match after the other."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.luck.likelihoods import CLOSE_ENOUGH, StepAndRest, scored
from podium.numerics import luck as kernel

Floats = NDArray[np.float64]
Both = tuple[StepAndRest, StepAndRest]
"""The sums for the first player of a match, and for the second."""

_KEPT = 64
"""Sums that are kept for the next match with the same score and side."""


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
    sums = lru_cache(_KEPT)(lambda side, theta: _both_ways(model, side, theta))
    foreseen, periods = len(matches.expected) > 0, model.settings["period"][0] > 0
    for c in range(first, last):
        theta, side = kernel.result(model, matches, c)
        two = matches.offsets[c + 1] - matches.offsets[c] == 2
        expected = np.nan
        if foreseen and two and periods:
            expected = kernel.foresee(model, table, pool, matches, c, side, room)
        ranges = kernel.begin(model, table, pool, matches, c, room)
        if foreseen and two and not periods:
            expected = min(_likelihoods(model, sums, side, 1.0, 1.0, room, ranges), 1.0)
        if two:
            _likelihoods(model, sums, side, theta, matches.weight[c], room, ranges)
        if foreseen:
            matches.expected[c] = expected
        kernel.finish(model, table, pool, matches, c, room)


def _both_ways(model: kernel.Model, side: int, theta: float) -> Both:
    table = scored(model.win[side], model.lose[side], theta)
    return StepAndRest(table), StepAndRest(table[::-1])


def _likelihoods(
    model: kernel.Model,
    sums: Callable[[int, float], Both],
    side: int,
    theta: float,
    weight: float,
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
    first, second = of_first(room[kernel.B, :n]), of_second(room[kernel.A, :n])
    room[kernel.LIKELIHOOD_A, :n] = first.values
    room[kernel.LIKELIHOOD_B, :n] = second.values
    found = float(kernel.evidence(room, lo, hi))
    error = max(first.error, second.error)
    if error > CLOSE_ENOUGH * kernel.least_seen(found, weight, room, ranges):
        found = float(kernel.directly(model, side, theta, room, ranges))
    return found
