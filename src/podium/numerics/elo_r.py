"""Algorithms 1 and 2 of the Elo-R paper on arrays.

A belief is a product of one Gaussian and any number of logistic factors. All scales are the
paper's barred ones, in which a logistic factor pulls a rating r by ``tanh((r - mu_k)/tau_k)/tau_k``
and counts ``1/tau_k^2`` towards the certainty ``1/sigma^2``. The Gaussian factor stands in the
record of the player (`FIELDS`) as ``p0 = mu_0`` and ``w0 = 1/tau_0^2``; the others stand in a block
of the pool (see `podium.numerics.factors`), ``1/tau_k`` divided by ``scale`` in its first row
and mu_k in its second.

A contest is folded in three steps, as in `podium.numerics.elo_mmr`: `prepare`, the performances
of `podium.numerics.roots`, and `conclude`.
"""

import math

import numpy as np

from podium.numerics import factors, interface, roots
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.lanes import (
    WIDTH,
    fetch,
    fused,
    load,
    load_until,
    splat,
    sqrt,
    store,
    tanh,
    total,
    where_less,
)
from podium.numerics.robust_mean import OF_EIGHT, P0, W0, X, padded, robust_means

FIELDS = [
    ("p0", "f8"),
    ("w0", "f8"),
    ("scale", "f8"),
    ("block", "i8"),
    ("room", "i4"),
    ("first", "i4"),
    ("count", "i4"),
]

SETTINGS = interface.settings("sig_limit share drift_per_day reach", "history freeze_in")

NEGLIGIBLE = 1e-11
"""A factor joins the Gaussian one when its share of the certainty, times how far it bends over
the ratings within `reach` of both ends, is less than this. It could move no rating by 1e-8."""

_WANTED, _W0, _AT_ZERO, _CERTAINTY, _SLOPE, _BEND, _MOVES, _Q, _STEP = range(9)
_OF_EIGHT = 9
"""What `freeze_in` has of each of eight players."""

_TINY_SCALE = 1e-100
_TINY = 1e-100
_LAST_STEP = 3e-6
"""Of the weight reduction. Newton's error is squared by the step that follows."""

# Hunt (1979), Direct Solution of Wave Dispersion Equation: x tanh x = y has the solution
# x^2 = y^2 + y / (1 + H1 y + H2 y^2 + ...), to two parts in 1,000.
H1, H2, H3, H4, H5, H6 = (
    0.6666666667,
    0.3555555556,
    0.1608465608,
    0.0632098765,
    0.0217540484,
    0.0065407983,
)


@kernel
def prepare(table, pool, settings, players, time, weight, first, last, prior, events):
    """Add noise to the rows `first` to `last` and fill ``prior``: r', scale of performance, gamma.

    With a contest's share ``a``, the noise of a performance is ``gamma^2 = (1 + 1/a) sig_limit^2``
    and that of skill ``eta^2 = a sig_limit^2``, which is the paper's fixpoint for any a.
    A contest of one player says nothing of skill: only the time that has passed counts.
    """
    s = settings[0]
    limit = s.sig_limit * s.sig_limit
    a = s.share * weight
    gamma2 = (1.0 + 1.0 / a) * limit
    frozen = s.freeze_in != 0
    scratch = scratch_for(table, players, first, last if frozen else first)
    eight, waiting, some = np.zeros((_OF_EIGHT, WIDTH)), 0, np.empty(WIDTH, players.dtype)
    for row in range(first, last):
        if row + 2 * factors.AHEAD < last:
            fetch(table, players[row + 2 * factors.AHEAD])
        if row + factors.AHEAD < last:
            factors.fetch_factors(table[players[row + factors.AHEAD]], pool, 1)
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        days = (time - record.last_time) / MICROSECONDS_PER_DAY if record.contests > 0 else 0.0
        noise = s.drift_per_day * days
        if players.shape[0] > 1:
            noise += a * limit
        if noise > 0.0:
            if frozen:
                eight[_WANTED, waiting] = 1.0 / (record.sigma * record.sigma + noise)
                some[waiting] = players[row]
                waiting += 1
            else:
                widen(record, pool, noise)
        if waiting == WIDTH or (row + 1 == last and waiting > 0):
            freeze_in(table, pool, some[:waiting], scratch, eight)
            waiting = 0
        record.last_time = time
        record.contests += 1
    for row in range(first, last):
        record = table[players[row]]
        prior[0, row] = record.mu
        prior[1, row] = 0.5 * math.sqrt(record.sigma * record.sigma + gamma2)
        prior[2, row] = math.sqrt(gamma2)


@kernel
def widen(record, pool, noise):
    """The simple procedure: multiply the variance of every factor by ``1 + noise/sigma^2``.

    The rating stays what it is, although the mode of the belief may have moved a little.
    """
    old = record.sigma * record.sigma
    new = old + noise
    record.w0 *= old / new
    record.scale *= math.sqrt(old / new)
    record.sigma = math.sqrt(new)
    if record.scale < _TINY_SCALE:
        for k in range(record.block + record.first, record.block + record.first + record.count):
            pool[k] *= record.scale
        record.scale = 1.0


@kernel
def scratch_for(table, players, first, last):
    """Room for the factors of eight of the rows `first` to `last`, one more, and empty ones."""
    longest = 0
    for row in range(first, last):
        longest = max(longest, table[players[row]].count)
    return np.empty((WIDTH, 5, padded(longest + 1)))


@kernel
def load_factors(record, pool, scratch):
    """Copy mu_k and 1/tau_k to the first two rows of `scratch`; how many with the empty ones."""
    start, count, scale = record.block + record.first, np.int64(record.count), record.scale
    others = start + np.int64(record.room)
    for k in range(0, count, WIDTH):
        store(scratch[0], k, load_until(pool, others + k, others + count, 0.0))
        store(scratch[1], k, load_until(pool, start + k, start + count, 0.0) * scale)
    return padded(count)


@kernel
def freeze_in(table, pool, players, scratch, eight):
    """Reduce the pull of every factor on the rating by one factor ``q = 1/kappa^2``.

    With ``u = |r - mu_k|/tau_k``, a factor that pulls q times as much has ``v`` in place of u with
    ``v tanh v = q u tanh u``, and counts ``(v/u)^2/tau_k^2`` towards the certainty. The certainty
    left is an increasing, convex function of q: Newton finds where it is the wanted one, which
    stands in ``eight``, of up to eight players.
    """
    count = players.shape[0]
    for k in range(count):
        record = table[players[k]]
        n = load_factors(record, pool, scratch[k])
        sums = _pulls(record.mu, scratch[k, 0, :n], scratch[k, 1, :n], scratch[k, 2, :n])
        eight[_W0, k], eight[_MOVES, k] = record.w0, 1.0
        eight[_AT_ZERO, k], eight[_CERTAINTY, k] = record.w0 + sums[0], record.w0 + sums[1]
        eight[_SLOPE, k], eight[_BEND, k] = record.w0 + sums[2], sums[3]
    for k in range(count, WIDTH):
        for each in range(_MOVES):
            eight[each, k] = eight[each, 0]
        eight[_MOVES, k] = 0.0
    wanted, w0 = load(eight[_WANTED], 0), load(eight[_W0], 0)
    q = _quartic_guess(
        load(eight[_AT_ZERO], 0), load(eight[_CERTAINTY], 0), load(eight[_SLOPE], 0),
        load(eight[_BEND], 0), wanted,
    )  # fmt: skip
    last, moves = splat(0.0), load(eight[_MOVES], 0)
    for _ in range(100):
        store(eight[_Q], 0, q)
        for k in range(count):
            if eight[_MOVES, k] != 0.0:
                n = padded(table[players[k]].count)
                eight[_CERTAINTY, k], eight[_SLOPE, k] = _reduced(
                    eight[_Q, k], scratch[k, 1, :n], scratch[k, 2, :n], scratch[k, 3, :n],
                    scratch[k, 4, :n],
                )  # fmt: skip
        slope = load(eight[_SLOPE], 0) + w0
        step = (wanted - q * w0 - load(eight[_CERTAINTY], 0)) / slope
        last = where_less(0.0, moves, step, last)
        q = where_less(0.0, moves, q + step, q)
        moves = where_less(_LAST_STEP * q, _size(step), moves, 0.0)
        store(eight[_MOVES], 0, moves)
        if total(moves) == 0.0:
            break
    store(eight[_Q], 0, q)
    store(eight[_STEP], 0, last)
    for k in range(count):
        record, step = table[players[k]], eight[_STEP, k]
        start, inverse = record.block + record.first, scratch[k, 1]
        v, dv = scratch[k, 3], scratch[k, 4]
        kept = pool[start : start + record.count]
        for n in range(kept.shape[0]):
            kept[n] = inverse[n] * (v[n] + dv[n] * step)
        record.scale = 1.0
        record.w0 *= eight[_Q, k]
        record.sigma = math.sqrt(1.0 / eight[_WANTED, k])


@kernel
def move(table, pool, settings, players, mu, sigma):
    """Let the beliefs about players have other modes and deviations, none of them smaller.

    A belief is translated as it is, and gains the noise that it lacks.
    """
    frozen = settings[0].freeze_in != 0
    scratch = scratch_for(table, players, np.int64(0), players.shape[0] if frozen else 0)
    eight = np.zeros((_OF_EIGHT, WIDTH))
    for index in range(players.shape[0]):
        record, new = table[players[index]], mu[index]
        old, start = record.mu, record.block + record.first
        factors.translate(pool, start + record.room, record.count, old, new)
        record.p0 = new + (record.p0 - old)
        record.mu = new
        noise = sigma[index] * sigma[index] - record.sigma * record.sigma
        if noise > 0.0 and frozen:
            eight[_WANTED, 0] = 1.0 / (sigma[index] * sigma[index])
            freeze_in(table, pool, players[index : index + 1], scratch, eight)
        elif noise > 0.0:
            widen(record, pool, noise)
        record.sigma = sigma[index]


@kernel
def _size(x):
    """Without the sign."""
    return where_less(x, 0.0, 0.0 - x, x)


@kernel
def _quartic_guess(at_zero, end, slope, bend, wanted):
    """Where the certainty left is about the `wanted` one, by quartic polynomials of eight players.

    Each has the value 0 and the slope `at_zero` at 0, and this value and these derivatives at 1.
    """
    x, y, z = end - at_zero, slope - at_zero, 0.5 * bend
    c4 = 3.0 * x - 2.0 * y + z
    c3 = y - 2.0 * x - 2.0 * c4
    c2 = x - c3 - c4
    straight = wanted / end
    q, moves = straight, splat(1.0)
    for _ in range(8):
        value = q * (at_zero + q * (c2 + q * (c3 + q * c4)))
        step = (wanted - value) / (at_zero + q * (2.0 * c2 + q * (3.0 * c3 + q * 4.0 * c4)))
        q = where_less(0.0, moves, q + step, q)
        moves = where_less(1e-4, _size(step), moves, 0.0)
        if total(moves) == 0.0:
            break
    known = where_less(q, np.inf, 1.0, 0.0)
    known = known * where_less(q * end, wanted, 0.0, 1.0) * where_less(end, q * end, 0.0, 1.0)
    return where_less(0.0, known, q, straight)


@kernel
def _pulls(r, p, inverse, g):
    """``g = u tanh u`` of every factor; 1/tau, in `inverse`, becomes 1/(tau u).

    Also the slope at ``q = 0`` of the certainty left, its value at 1 and two derivatives there.
    """
    at_zero, certainty, slope, bend = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for k in range(0, p.shape[0], WIDTH):
        per_tau, away = load(inverse, k), r - load(p, k)
        u = where_less(away, 0.0, 0.0 - away, away) * per_tau
        u = where_less(u, _TINY, _TINY, u)
        t = tanh(u)
        rest = 1.0 - t * t
        inverse_u = 1.0 / u
        inverse_first = 1.0 / fused(u, rest, t)
        second = 2.0 * rest * (1.0 - u * t)
        precision = per_tau * per_tau
        dv = t * inverse_first
        at_zero = fused(precision, t * inverse_u, at_zero)
        certainty = certainty + precision
        slope = fused(2.0 * precision, dv, slope)
        bend = fused(2.0 * precision * dv * dv, 1.0 - u * second * inverse_first, bend)
        store(g, k, u * t)
        store(inverse, k, per_tau * inverse_u)
    return total(at_zero), total(certainty), total(slope), total(bend)


@kernel
def _reduced(q, inverse, g, v, dv):
    """Every factor's v and dv/dq, and the certainty left with its derivative.

    Hunt's approximation, and one step of the fourth order from there: with the derivatives h1,
    h2 and h3 of ``x tanh x``, and n Newton's step, that is
    ``n - h2/(2 h1) n^2 + (h2^2/(2 h1^2) - h3/(6 h1)) n^3``.
    """
    certainty, slope = splat(0.0), splat(0.0)
    for k in range(0, inverse.shape[0], WIDTH):
        pull = load(g, k)
        y = q * pull
        nearly = fused(fused(fused(H6, y, H5), y, H4), y, H3)
        nearly = y * fused(fused(nearly, y, H2), y, H1)
        x = sqrt(fused(y, y, y / (1.0 + nearly)))
        t = tanh(x)
        rest = 1.0 - t * t
        inverse_first = 1.0 / fused(x, rest, t)
        bend = 2.0 * rest * (1.0 - x * t) * inverse_first
        third = -2.0 * rest * (3.0 * t - 2.0 * x * t * t + x * rest) * inverse_first
        newton = (y - x * t) * inverse_first
        cubic = 0.5 * bend - newton * (0.5 * bend * bend - third / 6.0)
        x = fused(newton, 1.0 - newton * cubic, x)
        change = pull * inverse_first * (1.0 - bend * newton)
        store(v, k, x)
        store(dv, k, change)
        precision = load(inverse, k) * load(inverse, k)
        certainty = fused(precision * x, x, certainty)
        slope = fused(2.0 * precision * x, change, slope)
    return total(certainty), total(slope)


@kernel
def merge(record, pool, most, reach):
    """Let the oldest factors join the Gaussian one, if negligible or more than `most`.

    With the weight that a factor has at the rating, which does not move by this.
    """
    while record.count > 0:
        oldest = record.block + record.first
        inverse = pool[oldest] * record.scale
        p = pool[oldest + record.room]
        precision = inverse * inverse
        distance = abs(record.mu - p)
        bend = (distance + reach) * inverse
        share = precision * record.sigma * record.sigma
        if record.count <= most and share * bend * bend >= NEGLIGIBLE:
            break
        x = max(distance * inverse, _TINY)
        weight = precision * math.tanh(x) / x
        record.p0 = (record.w0 * record.p0 + weight * p) / (record.w0 + weight)
        record.w0 += weight
        record.sigma /= math.sqrt(1.0 - share * (1.0 - math.tanh(x) / x))
        record.first += 1
        record.count -= 1


@kernel
def conclude(table, pool, settings, players, ceiling, first, last, prior, performance, events):
    """Phase two for the rows `first` to `last`: condition each belief on the performance."""
    s = settings[0]
    scratch = scratch_for(table, players, first, last)
    eight, counts = np.zeros((OF_EIGHT, WIDTH)), np.empty(WIDTH, np.int64)
    for start in range(first, last, WIDTH):
        end = min(start + WIDTH, last)
        for row in range(start, end if players.shape[0] > 1 else start):
            if row + factors.AHEAD < last:
                factors.fetch_factors(table[players[row + factors.AHEAD]], pool, 1)
            record, k = table[players[row]], row - start
            merge(record, pool, s.history - 1, s.reach)
            _push(record, pool, min(performance[row], ceiling), prior[2, row])
            counts[k] = load_factors(record, pool, scratch[k])
            eight[X, k], eight[P0, k], eight[W0, k] = record.mu, record.p0, record.w0
        if players.shape[0] > 1:
            inverse = scratch[:, 1]
            robust_means(counts[: end - start], scratch[:, 0], inverse, inverse, s.sig_limit, eight)
        for row in range(start, end):
            record, p = table[players[row]], np.nan
            if players.shape[0] > 1:
                record.mu, p = eight[X, row - start], min(performance[row], ceiling)
            interface.note_after(p, record.mu, record.sigma, row, events)


@kernel
def _push(record, pool, p, gamma):
    """Append a logistic factor. There must be room for it."""
    end = record.block + record.first + record.count
    pool[end] = 1.0 / (gamma * record.scale)
    pool[end + record.room] = p
    record.count += 1
    record.sigma /= math.sqrt(1.0 + record.sigma * record.sigma / (gamma * gamma))


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
            if step == roots.PREPARE and not factors.reserve_noted(
                table, pool, arena, player[start:end], work.starts, roots.ROWS_PER_PIECE
            ):
                return c
            for number in shares(crew, step, roots.pieces(work, step, ranks, roots.HALVES)):
                _piece(
                    step, number, table, pool, settings, offsets, player, rank, time, weight,
                    ceiling, events, room,
                )  # fmt: skip
    return last
