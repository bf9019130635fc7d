"""The first draft of Elo-R on arrays: fixed uncertainties, three ways to update a rating.

sigma1 is the scale of the logistic belief about a skill, sigma2 that of a performance about the
skill. A contest is folded in three steps, as in `podium.numerics.elo_r`. If performances are
remembered, they stand in a block of the pool (see `podium.numerics.factors`): the performance
in its first row, the rating before it in the second, its sigma2 in the third.
"""

import math

import numpy as np

from podium.numerics import factors, interface, roots
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.robust_mean import padded, robust_mean

FIELDS = [("block", "i8"), ("room", "i4"), ("first", "i4"), ("count", "i4")]

SETTINGS = interface.settings("sigma1 sigma2 decay", "memory proportional")
"""decay: 0 if it follows from sigma1 and sigma2."""


@kernel
def prepare(table, pool, settings, players, time, weight, first, last, prior, events):  # noqa: ARG001
    """Fill ``prior`` for the rows `first` to `last`: r, sigma3 and sigma2.

    A contest of weight w is as informative as w contests: sigma2^2 is divided by w.
    """
    s = settings[0]
    sigma2 = s.sigma2 / math.sqrt(weight)
    for row in range(first, last):
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        prior[0, row] = record.mu
        prior[1, row] = math.sqrt(s.sigma1 * s.sigma1 + sigma2 * sigma2)
        prior[2, row] = sigma2
        record.last_time = time
        record.contests += 1


@kernel
def room(memory):
    """For the terms of so many performances and the belief before them."""
    return np.empty((3, padded(memory + 1)))


@kernel
def part(sigma1, sigma2):
    """Of the way to a performance, by Equation 14."""
    return sigma1 * sigma1 / (sigma1 * sigma1 + sigma2 * sigma2)


@kernel
def conclude(table, pool, settings, players, ceiling, first, last, prior, performance, events):
    """The new ratings of the rows `first` to `last`."""
    s = settings[0]
    terms = room(s.memory)
    for row in range(first, last):
        record, p = table[players[row]], np.nan
        if players.shape[0] > 1:
            p = min(performance[row], ceiling)
            sigma2 = prior[2, row]
            if s.proportional != 0:
                record.mu += part(s.sigma1, sigma2) * (p - record.mu)
            elif s.memory == 1:
                set_term(terms, np.int64(0), p, 1.0, sigma2)
                record.mu = mode(terms, np.int64(1), record.mu, 1.0, s.sigma1)
            else:
                remember(record, pool, p, sigma2, s.memory)
                record.mu = remembered_mode(record, pool, s.sigma1, s.decay, terms)
        interface.note_after(p, record.mu, record.sigma, row, events)


@kernel
def set_term(terms, k, p, weight, sigma):
    """Set the term ``weight / sigma * tanh((x - p) / 2 sigma)``."""
    terms[0, k] = p
    terms[1, k] = 0.5 / sigma
    terms[2, k] = weight / sigma


@kernel
def mode(terms, count, r, weight, sigma1):
    """The mode of the first `count` terms and the prior belief (Equation 18).

    Looked for from where it would be if all were Gaussian.
    """
    set_term(terms, count, r, weight, sigma1)
    total = padded(count + 1)
    mean = 0.0
    certainty = 0.0
    steepest = 0.0
    for k in range(count + 1):
        mean += terms[1, k] * terms[2, k] * (terms[0, k] - r)
        certainty += terms[1, k] * terms[2, k]
        steepest = max(steepest, terms[1, k])
    for k in range(count + 1, total):
        terms[0, k] = 0.0
        terms[1, k] = 0.0
        terms[2, k] = 0.0
    start = r + mean / certainty
    p, a, c = terms[0, :total], terms[1, :total], terms[2, :total]
    return robust_mean(0.0, 0.0, p, a, c, start, 0.5 / steepest)


@kernel
def remember(record, pool, p, sigma2, memory):
    """Append a performance and forget those before the last `memory`. There must be room."""
    end = record.block + record.first + record.count
    pool[end] = p
    pool[end + record.room] = record.mu
    pool[end + 2 * record.room] = sigma2
    record.count += 1
    while record.count > memory:
        record.first += 1
        record.count -= 1


@kernel
def move(table, pool, players, mu):
    """Let players have other ratings; what is remembered of them moves as far."""
    for index in range(players.shape[0]):
        record = table[players[index]]
        start = record.block + record.first
        factors.translate(pool, start, record.count, record.mu, mu[index])
        factors.translate(pool, start + record.room, record.count, record.mu, mu[index])
        record.mu = mu[index]


@kernel
def remembered_mode(record, pool, sigma1, decay, terms):
    """The mode of all remembered performances and of the belief before the oldest of them.

    What was known before a contest is less certain after it, as the skill changes: by the factor
    that keeps sigma1 what it is, or by `decay`. So the belief before the oldest
    performance fades with it.
    """
    oldest = record.block + record.first
    weight = 1.0
    for k in range(record.count - 1, -1, -1):
        sigma2 = pool[oldest + 2 * record.room + k]
        if k < record.count - 1:
            kept = sigma2 * sigma2 / (sigma1 * sigma1 + sigma2 * sigma2)
            weight *= decay if decay > 0.0 else kept
        set_term(terms, k, pool[oldest + k], weight, sigma2)
    return mode(terms, np.int64(record.count), pool[oldest + record.room], weight, sigma1)


@kernel
def _piece(
    step, number, table, pool, settings, offsets, player, rank, time, weight, ceiling, events, room
):
    """One of a step of the contest that is laid out in the room."""
    c = int(room[roots.CONTEST])
    start, end = offsets[c], offsets[c + 1]
    players = player[start:end]
    work, seen = roots.laid_out(room, end - start), interface.events_of(events, start, end)
    first, last = roots.rows_of(number, end - start)
    prior = work.rows
    if step == roots.LOOK:
        factors.note_full(table, pool, players, first, last, work.starts)
    elif step == roots.PREPARE:
        prepare(table, pool, settings, players, time[c], weight[c], first, last, prior, seen)
    elif step == roots.CONCLUDE:
        found = roots.performances(work)
        conclude(table, pool, settings, players, ceiling[c], first, last, prior, found, seen)
    else:
        roots.piece(work, rank[start:end], step, number)


@kernel
def fold_contests(
    table, pool, arena, settings, offsets, player, rank, time, weight, ceiling,
    first, last, events, room, crew, role,
):  # fmt: skip
    """As in `podium.numerics.elo_mmr`."""
    if role == SERVES:
        for step, number in served(crew):
            _piece(
                step, number, table, pool, settings, offsets, player, rank, time, weight, ceiling,
                events, room,
            )  # fmt: skip
        return last
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        work, ranks = roots.laid_out(room, end - start), rank[start:end]
        work.state[roots.CONTEST] = c
        for step in range(roots.STEPS):
            if (
                step == roots.PREPARE
                and settings[0].memory > 1
                and not factors.reserve_noted(
                    table, pool, arena, player[start:end], work.starts, roots.ROWS_PER_PIECE
                )
            ):
                return c
            for number in shares(crew, step, roots.pieces(work, step, ranks, roots.HALVES)):
                _piece(
                    step, number, table, pool, settings, offsets, player, rank, time, weight,
                    ceiling, events, room,
                )  # fmt: skip
    return last
