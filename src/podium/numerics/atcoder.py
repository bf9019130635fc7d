"""AtCoder's rating on arrays.

A performance is the x at which as many are expected ahead as were: the sum over all players,
oneself included, of ``1 / (1 + exp(x - z_j))`` is the middle rank less one half, z being averages
of past performances in units of the logistic's scale. In small fields the sum is taken term by
term, in large ones from a table for the whole contest (see `podium.numerics.pair_sums`).

Sums are split into how many players are below x, a whole number, and what else there is. So the
difference that decides is not rounded away where ratings have gaps.
"""

import math

import numpy as np

from podium.numerics.codeforces import grid
from podium.numerics.compiled import kernel
from podium.numerics.pair_sums import inverse, tabulated
from podium.numerics.threads import LARGE

FIELDS = [("average", "f8"), ("total", "f8"), ("squares", "f8")]
"""The weighted mean of past performances, the sum of their weights, and that of their squares."""
SETTINGS = np.dtype(
    [("points", "f8"), ("decay", "f8"), ("first", "f8"), ("mu_new", "f8"), ("deviation", "f8")]
)
"""`points` is one scale of the logistic in rating points, `deviation` that of a performance."""

DOUBLING = 800.0
"""So many points more double what a performance counts in the rating."""
_LAST_STEP = 1e-11
"""In scales."""


@kernel
def averages(table, players, points, out):
    """What is expected of these players, in scales."""
    for row in range(players.shape[0]):
        out[row] = table[players[row]].average / points


@kernel
def performances(z, ranks, left, width, below, values, first, last, out):
    """The x of the rows `first` to `last`, in scales; term by term if the table is empty."""
    rows = z.shape[0]
    end = first
    for row in range(first, last):
        if row < end:
            out[row] = out[row - 1]
            continue
        start = row
        while start > 0 and ranks[start - 1] == ranks[row]:
            start -= 1
        while end < rows and ranks[end] == ranks[row]:
            end += 1
        behind = rows - 0.5 * (start + end)
        if values.shape[0] > 0:
            out[row] = inverse(behind, left, width, below, values)
        else:
            out[row] = _term_by_term(z, behind)


@kernel
def _term_by_term(z, behind):
    """The same without a table: Newton, and bisection where its steps do not halve."""
    margin = math.log(2.0 * z.shape[0])
    low, high = z.min() - margin, z.max() + margin
    x, step, before = 0.5 * (low + high), high - low, high - low
    for _ in range(200):
        count, rest, slope = 0.0, 0.0, 0.0
        for j in range(z.shape[0]):
            odds = math.exp(-abs(x - z[j]))
            part = odds / (1.0 + odds)
            slope += part * (1.0 - part)
            count += 1.0 if x >= z[j] else 0.0
            rest += -part if x >= z[j] else part
        excess = (count - behind) + rest
        if excess == 0.0:
            break
        low, high = (x, high) if excess < 0.0 else (low, x)
        before, step = step, -excess / slope if slope > 0.0 else np.inf
        if not (low < x + step < high and abs(step) < 0.5 * abs(before)):
            step = 0.5 * (low + high) - x
        x += step
        if abs(step) < _LAST_STEP:
            break
    return x


@kernel
def mean(one, weight, other, other_weight):
    """The mean of two ratings, in which one that is higher by `DOUBLING` counts twice as much."""
    if other_weight == 0.0:
        return one
    top = max(one, other)
    sum_of_powers = weight * 2.0 ** ((one - top) / DOUBLING)
    sum_of_powers += other_weight * 2.0 ** ((other - top) / DOUBLING)
    return top + DOUBLING * math.log2(sum_of_powers / (weight + other_weight))


@kernel
def conclude(table, settings, players, time, weight, ceiling, x, first, last, events):
    """Take the performances of the rows `first` to `last` into their means."""
    s = settings[0]
    for row in range(first, last):
        record = table[players[row]]
        events[0, row] = np.nan
        events[1, row] = record.mu
        events[2, row] = record.sigma
        if players.shape[0] > 1:
            performance = s.points * x[row]
            if record.total == 0.0:
                performance = s.mu_new + s.first * (performance - s.mu_new)
            performance = min(performance, ceiling)
            total = weight + record.total
            record.mu = mean(performance, weight, record.mu, record.total)
            record.average += weight / total * (performance - record.average)
            record.total = s.decay * total
            record.squares = s.decay * s.decay * (weight * weight + record.squares)
            record.sigma = s.deviation * math.sqrt(record.squares) / record.total
            events[0, row] = performance
        record.last_time = time
        record.contests += 1
        events[3, row] = record.mu
        events[4, row] = record.sigma


@kernel
def fold_contests(
    table, settings, offsets, player, rank, time, weight, ceiling, first, last, events
):
    """Fold the contests `first` to `last`; the number of one larger than `LARGE`, or the end."""
    z, x = np.empty(LARGE), np.empty(LARGE)
    unheard = np.empty((5, LARGE + 1))
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        if rows > LARGE:
            return c
        players = player[start:end]
        seen = events[:, start:end] if events.shape[1] > 0 else unheard[:, :rows]
        if rows > 1:
            averages(table, players, settings[0].points, z)
            left, width, panels = grid(z[:rows])
            below, values = tabulated(z[:rows], np.ones(rows), left, width, panels)
            performances(
                z[:rows], rank[start:end], left, width, below, values, np.int64(0), rows, x
            )
        conclude(
            table, settings, players, time[c], weight[c], ceiling[c], x, np.int64(0), rows, seen
        )
    return last
