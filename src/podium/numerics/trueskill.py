"""TrueSkill on arrays: expectation propagation along the standings of a contest.

Competitors stand in order of rank. The performance t_k of competitor k is normal with mean ``m``
and variance ``s2``, from the beliefs about its members and their noise. What a contest tells is
one factor for every two neighbours: the difference ``d_k = t_k - t_{k+1}`` exceeds a margin, or
stays within it if they are tied. The factors form a chain. So for given Gaussian approximations
of all of them, one pass forwards and one backwards give exact marginals, in terms of which
competitor k has

- ``F, P``: mean (as distance from m) and variance of t_k, given its prior and the factors before;
- ``G, Q``: the same, given its prior and the factors behind.

Without its own factor, d_k has the mean ``gap + F_k - G_{k+1}`` and the variance
``P_k + Q_{k+1}``: nothing is divided out of a belief, and no variance can become negative.
Truncation to what happened gives v and w; the Gaussian factor of that effect has the precision
``A / B`` and the precision times mean ``T / B``, where ``A = w / variance``, ``B = 1 - w`` and
``T = (v + w t) / deviation``. Kept apart like this, no information (A = 0) and complete
information (B = 0: a tie without margin) are ordinary numbers.

`podium.numerics.propagation` repeats renewing factors and passing along the chain until nothing
moves.
"""

import math

import numpy as np

from podium.numerics import duels, propagation
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.propagation import (
    GAP,
    KEPT,
    MARGIN,
    RANK,
    S2,
    SHIFT,
    SIZE,
    TIED,
    TOLERANCE,
    M,
    S,
)  # fmt: skip

SETTINGS = np.dtype(
    [("beta2", "f8"), ("tau2", "f8"), ("margin", "f8"), ("drift_per_day", "f8")], align=True
)
"""Two competitors draw within ``margin * sqrt(members of both)``."""

_SMALLEST_SHARE = 1e-9


@kernel
def fold_contests(
    table, settings, offsets, player, rank, time, weight, competitor, share, first, last, events
):
    """Fold the contests `first` to `last`, which is returned.

    `competitor` and `share` are those of the rows from contest `first` on; they are empty if all
    play on their own, or from start to end. `events` has a column per row, or is empty if
    nobody wants to know.
    """
    largest = np.int64(0)
    for c in range(first, last):
        largest = max(largest, offsets[c + 1] - offsets[c])
    places, densities = propagation.workspace(largest)
    space = duels.workspace()
    base = offsets[first]
    c = first
    while c < last:
        start, end = offsets[c], offsets[c + 1]
        matches = c
        while matches < last and is_duel(offsets, competitor, share, base, matches):
            matches += 1
        if matches > c:
            duels.fold_matches(
                table, settings, start, player, rank, time, weight, c, matches, events, space
            )
            c = matches
            continue
        players, ranks = player[start:end], rank[start:end]
        side = competitor[start - base : end - base] if competitor.shape[0] > 0 else competitor
        part = share[start - base : end - base] if share.shape[0] > 0 else share
        seen = events[:, start:end] if events.shape[1] > 0 else events
        sides = end - start if side.shape[0] == 0 else np.int64(0)
        for row in range(side.shape[0]):
            sides = max(sides, np.int64(side[row]) + 1)
        diffuse(table, settings, players, time[c], weight[c], sides, seen)
        if sides > 1:
            chain = propagation.new_chain(sides)
            line_up(table, settings, players, ranks, side, part, sides, chain)
            propagation.propagate(chain, sides, places, densities, TOLERANCE)
            conclude(table, settings, players, side, part, weight[c], chain, seen)
        conclude_events(table, players, seen)
        c += 1
    return last


@kernel
def is_duel(offsets, competitor, share, base, contest):
    """Whether two players meet on their own, from start to end."""
    start = offsets[contest] - base
    if offsets[contest + 1] - base - start != 2:
        return False
    if competitor.shape[0] > 0 and competitor[start] == competitor[start + 1]:
        return False
    return share.shape[0] == 0 or (share[start] == 1.0 and share[start + 1] == 1.0)


@kernel
def diffuse(table, settings, players, time, weight, sides, events):
    """Add the uncertainty that has come with time and, if there are opponents, with the contest."""
    s = settings[0]
    for row in range(players.shape[0]):
        record = table[players[row]]
        if events.shape[1] > 0:
            events[0, row] = np.nan
            events[1, row] = record.mu
            events[2, row] = record.sigma
        gamma2 = weight * s.tau2 if sides > 1 else 0.0
        if record.contests > 0:
            gamma2 += s.drift_per_day * (time - record.last_time) / MICROSECONDS_PER_DAY
        record.sigma = math.sqrt(record.sigma * record.sigma + gamma2)
        record.last_time = time
        record.contests += 1


@kernel
def conclude_events(table, players, events):
    """Note what is believed after the contest."""
    if events.shape[1] > 0:
        for row in range(players.shape[0]):
            events[3, row] = table[players[row]].mu
            events[4, row] = table[players[row]].sigma


@kernel
def learn(record, shift, lost, kept, weight):
    """Move a skill by `shift` and leave the part ``kept = 1 - lost`` of its variance.

    That is for a contest of weight 1. Evidence to the power of a weight has so many times its
    precision, about the same mean.
    """
    divisor = 1.0 + (weight - 1.0) * lost
    record.mu += weight * shift / divisor
    record.sigma *= math.sqrt(min(kept / divisor, 1.0))


@kernel
def line_up(table, settings, players, ranks, side, part, sides, chain):
    """Performances of all competitors before the contest, and the factors between them."""
    s = settings[0]
    for k in range(sides):
        chain[M, k] = chain[S2, k] = chain[SIZE, k] = 0.0
    for row in range(players.shape[0]):
        record = table[players[row]]
        own = np.int64(side[row]) if side.shape[0] > 0 else row
        a = max(part[row], _SMALLEST_SHARE) if part.shape[0] > 0 else 1.0
        chain[M, own] += a * record.mu
        chain[S2, own] += a * a * (record.sigma * record.sigma + s.beta2)
        chain[SIZE, own] += 1.0
        chain[RANK, own] = ranks[row]
    for k in range(sides):
        chain[S, k] = math.sqrt(chain[S2, k])
    link(settings, chain, sides)


@kernel
def link(settings, chain, sides):
    """The factors between competitors of whom everything else is there."""
    s = settings[0]
    for k in range(sides - 1):
        chain[GAP, k] = chain[M, k] - chain[M, k + 1]
        chain[MARGIN, k] = s.margin * math.sqrt(chain[SIZE, k] + chain[SIZE, k + 1])
        chain[TIED, k] = chain[RANK, k] == chain[RANK, k + 1]


@kernel
def conclude(table, settings, players, side, part, weight, chain, events):
    """What the performance of a competitor tells of each of its members."""
    s = settings[0]
    for row in range(players.shape[0]):
        record = table[players[row]]
        k = np.int64(side[row]) if side.shape[0] > 0 else row
        s2, shift, kept = chain[S2, k], chain[SHIFT, k], chain[KEPT, k]
        a = max(part[row], _SMALLEST_SHARE) if part.shape[0] > 0 else 1.0
        variance = record.sigma * record.sigma
        if events.shape[1] > 0:
            events[0, row] = record.mu + a * (variance + s.beta2) * shift
        others = a * a * s.beta2
        if chain[SIZE, k] > 1.0:
            others = max(others, s2 - a * a * variance)
        skill = a * a * variance / s2
        lost = skill * (1.0 - kept)
        learn(record, a * variance * shift, lost, others / s2 + skill * kept, weight)


@kernel
def quality(mu, variance, noise):
    """The match quality of any number of competitors, as in section 5 of the paper.

    The probability, relative to that of equals known for sure, that all performances agree. With
    D the variances of performances, the matrices of the general formula are
    ``C diag(D) C'``, where C takes differences of neighbours; so its determinants are
    ``prod D * sum 1/D``, and its quadratic form is the weighted sum of squares about the mean.
    """
    logs = 0.0
    precision = 0.0
    precision_known = 0.0
    mean = 0.0
    for k in range(mu.shape[0]):
        total = variance[k] + noise[k]
        logs += math.log(noise[k] / total)
        precision_known += 1.0 / noise[k]
        precision += 1.0 / total
        mean += (mu[k] - mu[0]) / total
    mean = mu[0] + mean / precision
    squares = 0.0
    for k in range(mu.shape[0]):
        squares += (mu[k] - mean) * (mu[k] - mean) / (variance[k] + noise[k])
    return math.exp(0.5 * (logs + math.log(precision_known / precision) - squares))
