"""The Topcoder system on arrays.

A contest is folded in three steps: `prepare` reads ratings and volatilities, `expected_ranks` of
`podium.numerics.normal_sums` compares everybody with everybody, `conclude` updates. Larger
contests than `LARGE` rows are taken step by step by the caller, who may use threads.
"""

import math

import numpy as np

from podium.numerics import interface
from podium.numerics.compiled import kernel
from podium.numerics.normal import normal_quantile
from podium.numerics.normal_sums import expected_ranks
from podium.numerics.threads import LARGE

LEAST_VOLATILITY = 1e-6
"""In points. Volatility shrinks by a tenth with every contest that goes as expected, and it is
divided by: after thousands of them it must not be zero."""


@kernel
def prepare(table, players, mu, variance):
    """Ratings and squared volatilities of the rows; the competition factor."""
    rows = players.shape[0]
    total, squares = 0.0, 0.0
    for row in range(rows):
        record = table[players[row]]
        mu[row] = record.mu
        variance[row] = record.sigma * record.sigma
        total += record.mu
        squares += variance[row]
    mean = total / rows
    spread = 0.0
    for row in range(rows):
        spread += (mu[row] - mean) ** 2
    return math.sqrt(squares / rows + spread / max(rows - 1, 1))


@kernel
def performances(ranks, mu, factor, expected, first, last, out):
    """PerfAs of the rows `first` to `last`: rating plus factor times (actual - expected).

    Both are quantiles of a rank less one half, the actual one averaged over ties.
    """
    rows = mu.shape[0]
    actual = 0.0
    end = first
    for row in range(first, last):
        if row == end:
            start = row
            while start > 0 and ranks[start - 1] == ranks[row]:
                start -= 1
            while end < rows and ranks[end] == ranks[row]:
                end += 1
            actual = 0.5 * (start + end)
            actual = -normal_quantile(actual / rows, (rows - actual) / rows)
        e = expected[row]
        out[row] = mu[row] + factor * (actual + normal_quantile(e / rows, (rows - e) / rows))


@kernel
def against_past(record, weight, papers):
    """The weight of a contest against all earlier ones.

    In the `papers`, a rating of 2500 itself is in the upper band.
    """
    w = weight * (1.0 / (1.0 - (0.42 / (record.contests + 1) + 0.18)) - 1.0)
    if record.mu > 2500.0 or (papers and record.mu == 2500.0):
        return w * 0.8
    return w * 0.9 if record.mu >= 2000.0 else w


@kernel
def most(record):
    """The most that a contest changes a rating by."""
    return 150.0 + 1500.0 / (record.contests + 2)


@kernel
def conclude(table, players, papers, time, weight, ceiling, performance, first, last, events):
    """Update the records of the rows `first` to `last`.

    In the `papers`, volatility grows by the change before the cap.
    """
    alone = players.shape[0] == 1
    for row in range(first, last):
        record, p = table[players[row]], np.nan
        interface.note_before(record.mu, record.sigma, row, events)
        if not alone:
            p = min(performance[row], ceiling)
            w = against_past(record, weight, papers)
            cap = most(record)
            wanted = w / (1.0 + w) * (p - record.mu)
            change = min(max(wanted, -cap), cap)
            record.mu += change
            if papers:
                change = wanted
            variance = change * change / w + record.sigma * record.sigma / (1.0 + w)
            record.sigma = max(math.sqrt(variance), LEAST_VOLATILITY)
        record.last_time = time
        record.contests += 1
        interface.note_after(p, record.mu, record.sigma, row, events)


@kernel
def fold_contests(table, papers, offsets, player, rank, time, weight, ceiling, first, last, events):
    """Fold the contests `first` to `last`; the number of one larger than `LARGE`, or the end."""
    mu, variance = np.empty(LARGE), np.empty(LARGE)
    expected, performance = np.empty(LARGE), np.empty(LARGE)
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        if rows > LARGE:
            return c
        players, ranks = player[start:end], rank[start:end]
        seen = interface.events_of(events, start, end)
        if rows > 1:
            factor = prepare(table, players, mu, variance)
            expected_ranks(mu[:rows], variance[:rows], expected)
            performances(ranks, mu[:rows], factor, expected, np.int64(0), rows, performance)
        conclude(
            table, players, papers, time[c], weight[c], ceiling[c], performance, np.int64(0), rows,
            seen,
        )  # fmt: skip
    return last
