"""How sure predictions should be: what the results of pairs say about one temperature.

Differences between ratings are multiplied by a temperature, whose logarithm is learned. Of a pair,
its slope is how fast the log-odds of a win move with that logarithm, found from the chances at two
temperatures, one a little above and one a little below. It is the same for all systems, because it
needs nothing but chances.
"""

import math

import numpy as np

from podium.numerics.compiled import kernel

LEAST = 1e-15
"""What a system takes for impossible counts as this likely, so that one surprise is not all."""
_SURE = 34.0
"""Log-odds beyond which chances say nothing of how sure they are: those of `LEAST` are 34.5."""


@kernel
def partners(offsets, key, number):
    """Pairs of rows, one for each row: a, b, and how many pairs the contests have up to each.

    The rows of a contest stand in a ring by their keys, and each meets the one at a stride, which
    is another in the next contest; `number` is that of the first. Two meet once, in their order.
    """
    contests = offsets.shape[0] - 1
    ends = np.empty(contests, np.int64)
    a = np.empty(key.shape[0], np.int64)
    b = np.empty(key.shape[0], np.int64)
    used = 0
    for contest in range(contests):
        start, n = offsets[contest], offsets[contest + 1] - offsets[contest]
        if n == 2:
            a[used], b[used] = start, start + 1
            used += 1
        elif n > 2:
            ring = np.argsort(key[start : start + n]) + start
            stride = 1 + (number + contest) % ((n - 1) // 2)
            for i in range(n):
                other = i + stride
                a[used], b[used] = ring[i], ring[other - n if other >= n else other]
                used += 1
        ends[contest] = used
    return a[:used], b[:used], ends


@kernel
def _log_odds(chance):
    p = min(max(chance, LEAST), 1.0 - LEAST)
    return math.log(p) - math.log1p(-p)


@kernel
def add_up_evidence(score, above, below, step, sums):
    """Add to sums what pairs say of the logarithm of the temperature, in this order.

    `above` and `below` are the scores expected at temperatures whose logarithms are a step more and
    less. Sums: the slope of the log-likelihood, its expected curvature, and how many pairs are
    beyond what chances can say. Of these, the slope is what it would be for logistic performances.
    """
    for pair in range(score.shape[0]):
        high, low = above[pair], below[pair]
        if high != high or low != low:  # what is not known says nothing
            continue
        high, low = _log_odds(high), _log_odds(low)
        odds, slope = 0.5 * (high + low), (high - low) / (2.0 * step)
        if abs(odds) > _SURE:
            slope = odds
            sums[2] += 1.0
        p = 1.0 / (1.0 + math.exp(-odds))
        sums[0] += (score[pair] - p) * slope
        sums[1] += p * (1.0 - p) * slope * slope


@kernel
def tempered(chance, temperature):
    """Chances whose log-odds are multiplied by temperatures, one for each."""
    found = np.empty(chance.shape[0])
    for pair in range(chance.shape[0]):
        p = chance[pair]
        found[pair] = p if p != p else 1.0 / (1.0 + math.exp(-temperature[pair] * _log_odds(p)))
    return found
