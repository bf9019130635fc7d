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

Sweeps are repeated until nothing moves. Five to ten do for any number of competitors, because
each one solves the whole Gaussian chain.
"""

import math

import numpy as np

from podium.numerics import truncated
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel

SETTINGS = np.dtype(
    [("beta2", "f8"), ("tau2", "f8"), ("margin", "f8"), ("drift_per_day", "f8")], align=True
)
"""Two competitors draw within ``margin * sqrt(members of both)``."""

_CHAIN = np.dtype(
    [
        *((name, "f8") for name in ("m", "s2", "s", "size")),
        *((name, "f8") for name in ("gap", "margin", "A", "T", "B")),
        *((name, "f8") for name in ("F", "P", "G", "Q")),
        *((name, "f8") for name in ("shift", "kept")),
        ("rank", "i8"),
        ("tied", "i8"),
    ],
    align=True,
)
"""A competitor, and the factor between it and the next one (second line, and `tied`).

`shift` is how far the performance has moved in the end, in terms of s2, and `kept` the part of s2
that remains.
"""

_TOLERANCE = 1e-9
"""In standard deviations of a performance, or of how far it moved if that is more."""
_MOST_SWEEPS = 100
_FULL_STEPS = 16
"""After so many sweeps, factors move half way only: ties among hundreds whose ratings are hundreds
of deviations apart may otherwise go round in circles. The fixed point is the same."""

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
    largest = 0
    for c in range(first, last):
        largest = max(largest, offsets[c + 1] - offsets[c])
    chain = np.empty(largest, _CHAIN)
    base = offsets[first]
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        players, ranks = player[start:end], rank[start:end]
        side = competitor[start - base : end - base] if competitor.shape[0] > 0 else competitor
        part = share[start - base : end - base] if share.shape[0] > 0 else share
        seen = events[:, start:end] if events.shape[1] > 0 else events
        sides = end - start
        if side.shape[0] > 0:
            sides = np.int64(side.max()) + 1
        diffuse(table, settings, players, time[c], weight[c], sides, seen)
        whole = part.shape[0] == 0 or (end - start == 2 and part[0] == 1.0 and part[1] == 1.0)
        if sides == 2 and end - start == 2 and whole:
            rate_two(table, settings, players, ranks, weight[c], seen)
        elif sides > 1:
            line_up(table, settings, players, ranks, side, part, chain[:sides])
            propagate(chain[:sides])
            conclude(table, settings, players, side, part, weight[c], chain[:sides], seen)
        conclude_events(table, players, seen)
    return last


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
def rate_two(table, settings, players, ranks, weight, events):
    """The closed form for two players (section 3.3)."""
    s = settings[0]
    a, b = table[players[0]], table[players[1]]
    a2, b2 = a.sigma * a.sigma, b.sigma * b.sigma
    c2 = a2 + b2 + 2.0 * s.beta2
    c = math.sqrt(c2)
    t = (a.mu - b.mu) / c
    margin = s.margin * math.sqrt(2.0) / c
    if ranks[0] == ranks[1]:
        v, w, rest, _ = truncated.within(t, margin)
    else:
        v, w, rest, _ = truncated.exceeding(t, margin)
    if events.shape[1] > 0:
        events[0, 0] = a.mu + (a2 + s.beta2) / c * v
        events[0, 1] = b.mu - (b2 + s.beta2) / c * v
    learn(a, a2 / c * v, a2 / c2 * w, (b2 + 2.0 * s.beta2 + a2 * rest) / c2, weight)
    learn(b, -b2 / c * v, b2 / c2 * w, (a2 + 2.0 * s.beta2 + b2 * rest) / c2, weight)


@kernel
def line_up(table, settings, players, ranks, side, part, chain):
    """Performances of all competitors before the contest, and the factors between them."""
    s = settings[0]
    for k in range(chain.shape[0]):
        own = chain[k]
        own.m = own.s2 = own.size = 0.0
        own.A = own.T = 0.0
        own.B = 1.0
    for row in range(players.shape[0]):
        record = table[players[row]]
        own = chain[side[row]] if side.shape[0] > 0 else chain[row]
        a = max(part[row], _SMALLEST_SHARE) if part.shape[0] > 0 else 1.0
        own.m += a * record.mu
        own.s2 += a * a * (record.sigma * record.sigma + s.beta2)
        own.size += 1.0
        own.rank = ranks[row]
    for k in range(chain.shape[0]):
        own = chain[k]
        own.s = math.sqrt(own.s2)
        own.F = own.G = 0.0
        own.P = own.Q = own.s2
        if k + 1 < chain.shape[0]:
            behind = chain[k + 1]
            own.gap = own.m - behind.m
            own.margin = s.margin * math.sqrt(own.size + behind.size)
            own.tied = own.rank == behind.rank


@kernel
def propagate(chain):
    """Expectation propagation: the performances of all competitors after the contest."""
    last = chain.shape[0] - 1
    forward(chain, 1.0)
    moved = last > 1
    sweeps = 1
    while moved and sweeps < _MOST_SWEEPS:
        step = 1.0 if sweeps < _FULL_STEPS else 0.5
        moved = backward(chain, step)
        moved |= forward(chain, step)
        sweeps += 1
    for k in range(last):
        own, behind = chain[k], chain[k + 1]
        outside = own.B + own.A * behind.Q
        total = outside + own.A * own.P
        move = own.P * (own.A * (behind.G - own.gap - own.F) + own.T) / total
        own.shift = (own.F + move) / own.s2
        own.kept = own.P / own.s2 * (outside / total)
    own = chain[last]
    own.shift = own.F / own.s2
    own.kept = own.P / own.s2


@kernel
def forward(chain, step):
    """Renew every factor and F, P behind it, best first; whether anything moved."""
    moved = False
    for k in range(chain.shape[0] - 1):
        own, behind = chain[k], chain[k + 1]
        renew(own, behind, step)
        outside = own.B + own.A * own.P
        weight = behind.s2 / (outside + own.A * behind.s2)
        mean = weight * (own.A * (own.F + own.gap) - own.T)
        variance = weight * outside
        moved |= abs(mean - behind.F) > _TOLERANCE * (behind.s + abs(mean))
        moved |= abs(variance - behind.P) > _TOLERANCE * behind.s2
        behind.F = mean
        behind.P = variance
    return moved


@kernel
def backward(chain, step):
    """Renew every factor and G, Q before it, worst first; whether anything moved."""
    moved = False
    for k in range(chain.shape[0] - 2, -1, -1):
        own, behind = chain[k], chain[k + 1]
        renew(own, behind, step)
        outside = own.B + own.A * behind.Q
        weight = own.s2 / (outside + own.A * own.s2)
        mean = weight * (own.A * (behind.G - own.gap) + own.T)
        variance = weight * outside
        moved |= abs(mean - own.G) > _TOLERANCE * (own.s + abs(mean))
        moved |= abs(variance - own.Q) > _TOLERANCE * own.s2
        own.G = mean
        own.Q = variance
    return moved


@kernel
def renew(own, behind, step):
    """The Gaussian factor between two neighbours that does what the outcome does, given the rest.

    A step below 1 goes that part of the way from the earlier factor, in natural parameters.
    """
    scale = 1.0 / math.sqrt(own.P + behind.Q)
    t = (own.gap + own.F - behind.G) * scale
    if own.tied:
        _, w, rest, site = truncated.within(t, own.margin * scale)
    else:
        _, w, rest, site = truncated.exceeding(t, own.margin * scale)
    A, T, B = w * scale * scale, site * scale, rest
    if step < 1.0 and own.B > 0.0 and B > 0.0:
        A = (1.0 - step) * own.A / own.B + step * A / B
        T = (1.0 - step) * own.T / own.B + step * T / B
        B = 1.0
    own.A, own.T, own.B = A, T, B


@kernel
def conclude(table, settings, players, side, part, weight, chain, events):
    """What the performance of a competitor tells of each of its members."""
    s = settings[0]
    for row in range(players.shape[0]):
        record = table[players[row]]
        own = chain[side[row]] if side.shape[0] > 0 else chain[row]
        a = max(part[row], _SMALLEST_SHARE) if part.shape[0] > 0 else 1.0
        variance = record.sigma * record.sigma
        if events.shape[1] > 0:
            events[0, row] = record.mu + a * (variance + s.beta2) * own.shift
        others = a * a * s.beta2
        if own.size > 1.0:
            others = max(others, own.s2 - a * a * variance)
        skill = a * a * variance / own.s2
        kept = others / own.s2 + skill * own.kept
        learn(record, a * variance * own.shift, skill * (1.0 - own.kept), kept, weight)


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
