"""Algorithms 1 to 3 of the Elo-MMR paper on arrays.

A contest is folded in three steps: `prepare` diffuses the beliefs of its rows and states
their performance priors, an engine finds the performances, `conclude` updates the beliefs.
`fold_contests` does all of it for contests of up to `LARGE` rows; larger ones are taken
step by step by the caller, who may use threads. Which way is taken depends on the contest alone.
"""

import math

import numpy as np
from numba import njit

from podium.numerics import factors, logconcave, logistic

LARGE = 4096
CHUNK = 1024
"""Rows that one thread prepares or concludes at a time."""

LOGISTIC = 0
GAUSSIAN = 1
CUSTOM = 2

SETTINGS = np.dtype(
    [
        ("weight_limit", "f8"),
        ("sig_limit", "f8"),
        ("drift_per_day", "f8"),
        ("rho", "f8"),
        ("origin", "f8"),
        ("history", "i8"),
        ("opponents", "i8"),
        ("model", "i8"),
        ("split_ties", "i8"),
    ],
    align=True,
)

_MICROSECONDS_PER_DAY = 86_400e6


@njit(cache=True, nogil=True, error_model="numpy")
def prepare(table, pool, settings, delays, players, time, weight, first, last, prior, events):
    """Diffuse the rows `first` to `last` and fill ``prior``: mu, scale of performance, beta.

    The parametrisation in practice: with ``a = weight_limit * weight`` the noise of a performance
    is ``beta^2 = (1 + 1/a) sig_limit^2 + drift_per_day / a`` and the diffusion
    ``gamma^2 = a sig_limit^2 + drift_per_day * days``. A contest of one player says
    nothing of skill: only the time that has passed counts.
    """
    s = settings[0]
    limit = s.sig_limit * s.sig_limit
    for row in range(first, last):
        record = table[players[row]]
        events[1, row] = record.mu
        events[2, row] = record.sigma
        a = s.weight_limit * weight
        if record.contests < delays.shape[0]:
            a *= delays[record.contests]
        days = (time - record.last_time) / _MICROSECONDS_PER_DAY if record.contests > 0 else 0.0
        gamma2 = s.drift_per_day * days
        if players.shape[0] > 1:
            gamma2 += a * limit
        beta2 = (1.0 + 1.0 / a) * limit + s.drift_per_day / a
        factors.diffuse(record, pool, gamma2, s.rho)
        delta = math.sqrt(record.sigma * record.sigma + beta2)
        prior[0, row] = record.mu
        prior[1, row] = delta * factors.SCALE if s.model == LOGISTIC else delta
        prior[2, row] = math.sqrt(beta2)
        record.last_time = time
        record.contests += 1


@njit(cache=True, nogil=True, error_model="numpy")
def conclude(table, pool, settings, players, ceiling, first, last, prior, performance, events):
    """Phase two for the rows `first` to `last`: condition each belief on the performance.

    Under a custom model the factor is added here; `logconcave.condition` then finds the mode.
    """
    s = settings[0]
    for row in range(first, last):
        record = table[players[row]]
        if players.shape[0] > 1:
            p = min(performance[row], ceiling)
            beta = prior[2, row]
            precision = 1.0 / (beta * beta)
            total = 1.0 / (record.sigma * record.sigma) + precision
            if s.model == GAUSSIAN:
                record.mu += (p - record.mu) * precision / total
                record.p0 = record.mu
                record.w0 = total
            else:
                factors.push(record, pool, s.origin, p, precision, factors.SCALE * beta)
            record.sigma = math.sqrt(1.0 / total)
            if s.model == LOGISTIC:
                factors.fold(record, pool, s.history)
                record.mu = factors.mode(record, pool, s.origin, record.mu, beta)
            events[0, row] = p
        else:
            events[0, row] = np.nan
        events[3, row] = record.mu
        events[4, row] = record.sigma


@njit(cache=True, nogil=True, error_model="numpy")
def sampled(mu, scale, ranks, split_ties, model, opponents, out):
    """Phase one against the `opponents` participants nearest in rating, oneself among them.

    The paper's shortcut (section 5.3), for comparison: it is neither exact nor monotonic, and
    slower than the exact engines.
    """
    rows = mu.shape[0]
    order = np.argsort(mu, kind="mergesort")
    for place in range(rows):
        row = order[place]
        first = min(max(place - opponents // 2, 0), rows - opponents)
        low, high = -np.inf, np.inf
        reach = scale[row]
        x = mu[row]
        for _ in range(200):
            total = 0.0
            for k in range(first, first + opponents):
                other = order[k]
                z = (x - mu[other]) / scale[other]
                total += _term(model, z, ranks[other], ranks[row], split_ties) / scale[other]
            if total > 0.0:
                low = x
            else:
                high = x
            if low == -np.inf or high == np.inf:
                x += math.copysign(reach, total)
                reach *= 2.0
            elif high - low < 1e-9 * max(1.0, abs(low)):
                break
            else:
                x = 0.5 * (low + high)
        out[row] = x


@njit(cache=True, nogil=True, error_model="numpy")
def _term(model, z, rank, own_rank, split_ties):
    if model == LOGISTIC:
        cdf = 0.5 * (1.0 + math.tanh(0.5 * z))
        loss, victory = -cdf, 1.0 - cdf
        draw = loss + victory
    else:
        loss, draw, victory = logconcave.loss(z), logconcave.draw(z), logconcave.victory(z)
    if rank < own_rank:
        return loss
    if rank > own_rank:
        return victory
    return 0.5 * (loss + victory) if split_ties else draw


@njit(cache=True, nogil=True, error_model="numpy")
def fold_contests(
    table, pool, arena, settings, delays, offsets, player, rank, time, weight, ceiling, strip,
    first, last, events,
):  # fmt: skip
    """Fold the contests `first` to `last`; the number of the one that the caller must look after.

    That is one larger than `LARGE`, one for which the pool is too small, or the end.
    `strip` is None for the logistic model, and only that engine is then compiled.
    `events` has a column per row, or is empty if nobody wants to know.
    """
    split_ties = settings[0].split_ties != 0
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        players, ranks = player[start:end], rank[start:end]
        if rows > LARGE:
            return c
        if strip is None and not factors.reserve(table, pool, arena, players):
            return c
        prior = np.empty((3, rows))
        performance = np.empty(rows)
        seen = events[:, start:end] if events.shape[1] > 0 else np.empty((5, rows + 1))[:, :rows]
        prepare(table, pool, settings, delays, players, time[c], weight[c], 0, rows, prior, seen)
        if rows > 1:
            if strip is None:
                logistic.performances(prior[0], prior[1], ranks, split_ties, performance)
            else:
                logconcave.performances(prior[0], prior[1], ranks, split_ties, strip, performance)
        conclude(table, pool, settings, players, ceiling[c], 0, rows, prior, performance, seen)
    return last
