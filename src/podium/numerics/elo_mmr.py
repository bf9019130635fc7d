"""Algorithms 1 to 3 of the Elo-MMR paper on arrays.

A contest is folded in three steps: `prepare` diffuses the beliefs of its rows and states
their performance priors, an engine finds the performances, `conclude` updates the beliefs.
`fold_contests` does all of it under the logistic model, in steps that a crew of threads shares;
`fold_gaussian` under the other, for contests of up to `LARGE` rows: larger ones are taken step by
step by the caller, who may use threads. Which way is taken depends on the contest alone.
"""

import math

import numpy as np

from podium.numerics import factors, interface, logconcave, roots
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.lanes import WIDTH, fetch
from podium.numerics.threads import LARGE

LOGISTIC = 0
GAUSSIAN = 1
CUSTOM = 2

SETTINGS = interface.settings(
    "weight_limit sig_limit drift_per_day rho origin", "history model split_ties"
)

_BUCKET = 2.0
_OF_EIGHT = factors.OF_EIGHT


@kernel
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
        if row + factors.AHEAD < last:
            fetch(table, players[row + factors.AHEAD])
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        a = s.weight_limit * weight
        if record.contests < delays.shape[0]:
            a *= delays[record.contests]
        days = (time - record.last_time) / MICROSECONDS_PER_DAY if record.contests > 0 else 0.0
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


@kernel
def certainty(sigma, beta):
    """What a performance adds to the certainty of a skill, and what that becomes."""
    precision = 1.0 / (beta * beta)
    return precision, 1.0 / (sigma * sigma) + precision


@kernel
def conclude(table, pool, settings, players, ceiling, first, last, prior, performance, events):
    """Phase two for the rows `first` to `last`: condition each belief on the performance.

    Under a custom model the factor is added here; `logconcave.condition` then finds the mode.
    """
    s = settings[0]
    eight = np.zeros((_OF_EIGHT, WIDTH))
    for row in range(first, last):
        if s.model == LOGISTIC and row + factors.AHEAD < last:
            factors.fetch_factors(table[players[row + factors.AHEAD]], pool, 2)
        record, p = table[players[row]], np.nan
        if players.shape[0] > 1:
            p = min(performance[row], ceiling)
            beta = prior[2, row]
            precision, total = certainty(record.sigma, beta)
            if s.model == GAUSSIAN:
                record.mu += (p - record.mu) * precision / total
                record.p0 = record.mu
                record.w0 = total
            else:
                factors.push(record, pool, s.origin, p, precision, factors.SCALE * beta)
            record.sigma = math.sqrt(1.0 / total)
            if s.model == LOGISTIC:
                factors.fold(record, pool, s.history)
                start = row - (row - first) % WIDTH
                if row + 1 == min(start + WIDTH, last):
                    some, strides = players[start : row + 1], prior[2, start : row + 1]
                    factors.set_modes(table, pool, some, s.origin, strides, eight)
                    for k in range(start, min(row, events.shape[1])):
                        events[3, k] = table[players[k]].mu
        interface.note_after(p, record.mu, record.sigma, row, events)


@kernel
def sampled(mu, scale, ranks, split_ties, model, opponents, out):
    """Phase one against the `opponents` buckets of participants nearest in rating.

    The paper's shortcut (section 5.3), for comparison: it is neither exact nor monotonic, and
    slower than the exact engines. A bucket holds those whose rating and uncertainty agree
    to `_BUCKET` points; all of them count, at their mean.
    """
    rows = mu.shape[0]
    order = _by_bucket(mu, scale)
    starts = np.empty(rows + 1, np.int64)
    buckets = 0
    for place in range(rows):
        if place == 0 or not _same_bucket(mu, scale, order[place - 1], order[place]):
            starts[buckets] = place
            buckets += 1
    starts[buckets] = rows
    bucket_mu = np.empty(buckets)
    bucket_scale = np.empty(buckets)
    for k in range(buckets):
        members = order[starts[k] : starts[k + 1]]
        bucket_mu[k] = mu[members].mean()
        bucket_scale[k] = scale[members].mean()
    size = min(opponents, buckets)
    counts = np.empty((3, size))
    for own in range(buckets):
        first = min(max(own - size // 2, 0), buckets - size)
        near_mu, near_scale = bucket_mu[first : first + size], bucket_scale[first : first + size]
        for place in range(starts[own], starts[own + 1]):
            row = order[place]
            for k in range(size):
                members = ranks[order[starts[first + k] : starts[first + k + 1]]]
                counts[0, k] = np.searchsorted(members, ranks[row], side="left")
                counts[1, k] = np.searchsorted(members, ranks[row], side="right") - counts[0, k]
                counts[2, k] = members.shape[0] - counts[0, k] - counts[1, k]
            out[row] = _sampled_root(near_mu, near_scale, counts, split_ties, model, mu[row])


@kernel
def _by_bucket(mu, scale):
    """Rows by bucket, and by rank within a bucket, because they come in that order."""
    inner = np.argsort(np.floor(scale / _BUCKET), kind="mergesort")
    return inner[np.argsort(np.floor(mu[inner] / _BUCKET), kind="mergesort")]


@kernel
def _same_bucket(mu, scale, a, b):
    same_mu = math.floor(mu[a] / _BUCKET) == math.floor(mu[b] / _BUCKET)
    return same_mu and math.floor(scale[a] / _BUCKET) == math.floor(scale[b] / _BUCKET)


@kernel
def _sampled_root(mu, scale, counts, split_ties, model, start):
    """The zero of Q over weighted buckets, by bisection after steps that double."""
    low, high = -np.inf, np.inf
    reach = scale[0]
    x = start
    for _ in range(200):
        total = 0.0
        for k in range(mu.shape[0]):
            loss, draw, victory = _terms(model, (x - mu[k]) / scale[k])
            if split_ties:
                draw = 0.5 * (loss + victory)
            terms = counts[0, k] * loss + counts[1, k] * draw + counts[2, k] * victory
            total += terms / scale[k]
        if total > 0.0:
            low = x
        else:
            high = x
        if low == -np.inf or high == np.inf:
            x += math.copysign(reach, total)
            reach *= 2.0
        elif high - low < 1e-9:
            break
        else:
            x = 0.5 * (low + high)
    return x


@kernel
def _terms(model, z):
    if model == LOGISTIC:
        cdf = 0.5 * (1.0 + math.tanh(0.5 * z))
        return -cdf, 1.0 - 2.0 * cdf, 1.0 - cdf
    return logconcave.loss(z), logconcave.draw(z), logconcave.victory(z)


@kernel
def _piece(
    step, number, table, pool, settings, delays, offsets, player, rank, time, weight, ceiling,
    events, room,
):  # fmt: skip
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
        prepare(
            table, pool, settings, delays, players, time[c], weight[c], first, last, prior, seen
        )
    elif step == roots.CONCLUDE:
        found = roots.performances(work)
        conclude(table, pool, settings, players, ceiling[c], first, last, prior, found, seen)
    else:
        roots.piece(work, rank[start:end], step, number)


@kernel
def fold_contests(
    table, pool, arena, settings, delays, offsets, player, rank, time, weight, ceiling,
    first, last, events, room, crew, role,
):  # fmt: skip
    """Fold the contests `first` to `last`; the number of one for which the pool is too small."""
    if role == SERVES:
        for step, number in served(crew):
            _piece(
                step, number, table, pool, settings, delays, offsets, player, rank, time, weight,
                ceiling, events, room,
            )  # fmt: skip
        return last
    mode = roots.SPLIT if settings[0].split_ties != 0 else roots.TIED
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        work, ranks = roots.laid_out(room, end - start), rank[start:end]
        work.state[roots.CONTEST] = c
        for step in range(roots.STEPS):
            if step == roots.PREPARE and not factors.reserve_noted(
                table, pool, arena, player[start:end], work.starts, roots.ROWS_PER_PIECE
            ):
                return c
            for number in shares(crew, step, roots.pieces(work, step, ranks, mode)):
                _piece(
                    step, number, table, pool, settings, delays, offsets, player, rank, time,
                    weight, ceiling, events, room,
                )  # fmt: skip
    return last


@kernel
def fold_gaussian(
    table, pool, settings, delays, offsets, player, rank, time, weight, ceiling, strip,
    first, last, events,
):  # fmt: skip
    """The same under the Gaussian model; a contest larger than `LARGE` is left to the caller.

    `events` has a column per row, or is empty if nobody wants to know.
    """
    split_ties = settings[0].split_ties != 0
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        players, ranks = player[start:end], rank[start:end]
        if rows > LARGE:
            return c
        prior = np.empty((3, rows))
        performance = np.empty(rows)
        seen = interface.events_of(events, start, end)
        none = np.int64(0)
        prepare(table, pool, settings, delays, players, time[c], weight[c], none, rows, prior, seen)
        if rows > 1:
            logconcave.performances(prior[0], prior[1], ranks, split_ties, strip, performance)
        conclude(table, pool, settings, players, ceiling[c], none, rows, prior, performance, seen)
    return last


@kernel
def fold_team_contests(
    table, pool, settings, delays, offsets, player, rank, time, weight, ceiling, numbers, share,
    mean, strip, first, last, events,
):  # fmt: skip
    """Fold the contests `first` to `last` of teams, in the Gaussian model.

    `numbers` says which competitor of its contest each row belongs to. A team performs as the
    sum of its members' skills, weighted by their `share` (or their weighted mean), plus noise.
    """
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        players, number, part = player[start:end], numbers[start:end], share[start:end]
        rows, teams = end - start, number.max() + 1
        prior = np.empty((3, rows + 1))[:, :rows]
        seen = interface.events_of(events, start, end)
        step = rows if teams > 1 else 1  # a team alone is like a player alone: only time passes
        for row in range(0, rows, step):
            prepare(
                table, pool, settings, delays, players[row : row + step], time[c], weight[c],
                np.int64(0), np.int64(step), prior[:, row : row + step], seen[:, row : row + step],
            )  # fmt: skip
        weights = np.empty(rows)
        mu, variance = np.zeros(teams), np.zeros(teams)
        performance = np.empty(teams)
        if teams > 1:
            ranks = np.empty(teams, rank.dtype)
            for row in range(rows - 1, -1, -1):
                ranks[number[row]] = rank[start + row]
            team_priors(table, players, number, part, mean, prior, weights, mu, variance)
            split_ties = settings[0].split_ties != 0
            logconcave.performances(mu, np.sqrt(variance), ranks, split_ties, strip, performance)
        for row in range(rows):
            record, p = table[players[row]], np.nan
            if teams > 1:
                k = number[row]
                p = min(performance[k], ceiling[c])
                own = record.sigma * record.sigma
                gain = weights[row] * own / variance[k]
                record.mu += gain * (p - mu[k])
                record.sigma = math.sqrt(own * (1.0 - weights[row] * gain))
                record.p0 = record.mu
                record.w0 = 1.0 / (record.sigma * record.sigma)
            interface.note_after(p, record.mu, record.sigma, row, seen)


@kernel
def team_priors(table, players, number, share, mean, prior, weights, mu, variance):
    """Mean and variance of every team's performance, and the weight of each member in it.

    The noise of a team is the members' (which differ only under noob_delay), averaged.
    """
    total = np.zeros(mu.shape[0])
    for row in range(players.shape[0]):
        total[number[row]] += share[row]
    for row in range(players.shape[0]):
        k = number[row]
        beta, sigma = prior[2, row], table[players[row]].sigma
        weights[row] = share[row] / total[k] if mean else share[row]
        mu[k] += weights[row] * prior[0, row]
        variance[k] += weights[row] * weights[row] * sigma * sigma
        variance[k] += share[row] / total[k] * beta * beta
