"""Whole histories: what a skill was, given all results, earlier and later.

Every participation has a message from the player's past, one from the future, and one from its own
contest, each a normal density: a precision, and that times its mean. What past and future say
together, the cavity, is what is believed of a player without this very result. A contest is
worked out from the cavities of all who take part; then the players' chains carry what it says to
their other contests. Half a sweep goes through all contests in order of time or against it.

Contests of two have a message by the predicted chance; others of fewer than `MANY` by mean and
variance of everybody's performance, so that uncertainties are right; large ones by the performance
and its curvature, as an online system has them. Sums over opponents are tabulated, but for those of
very few, so that time is linear in the participants.
"""

import math

import numpy as np

from podium.numerics import roots
from podium.numerics.compiled import kernel
from podium.numerics.factors import SCALE
from podium.numerics.lanes import (
    WIDTH,
    between,
    exp,
    fused,
    lane,
    load,
    load_until,
    splat,
    sqrt,
    store_until,
    tanh,
    total,
    where_less,
)
from podium.numerics.measures import ALL_PAIRS, strides
from podium.numerics.newton import stepped

F_PI, F_TAU, B_PI, B_TAU, W, T, STATE = range(7)
"""Columns of a participation: from the past, from the future, from the contest."""
_M, _V, _S, _WEIGHT, _U, _ALPHA, _KAPPA, _Z, _PULL, _J, _ROOM = range(11)
"""Rows of the room of a contest."""

MANY = 200
"""From so many on, everybody's opponents say where a performance is nearly without doubt."""
_MEAN_RATIO = 0.874
"""The mean of tanh(z)/z over performances."""
_LEAST_SLOPE = 1e-12
_FAR = 700.0
_NOWHERE = 1e300
"""A rating of nobody: what is missing of eight."""
_SUREST = 12.0 * math.log(10.0)
"""The logarithm of the largest odds that are believed."""
_MOST_FACTORS = 120
"""Between 1 and 2: the product of eight times as many can still be told."""
_SOME = 24
"""From so many on, sums over opponents are tabulated."""
_TAIL, _MOST_CELLS = 16.0, 1024
"""Scales beyond all ratings from which on the sums are straight, and cells of half a scale."""
_APART = 300.0
"""Scales by which nobody is ahead."""
_AT_ONCE, _MOST_TURNS = 4.0, 8.0
"""A contest of a large weight is worked out so much of it at once, in at most so many turns: all at
once, messages would go too far, and farther with every sweep."""
_MOST_STEPS = 60
_CLOSE = 1e-3
"""How well the middle of the nodes is known, in standard deviations."""
_NODES, _SHARES = np.polynomial.hermite.hermgauss(16)
_NODES = _NODES * math.sqrt(2.0)
_SHARES = _SHARES * np.exp(0.5 * _NODES**2)


@kernel
def link(player, players):
    """Of every row, the player's row before and after, or -1, and how many were before."""
    rows = player.shape[0]
    before, after = np.full(rows, -1, np.int32), np.full(rows, -1, np.int32)
    number, last = np.zeros(rows, np.int32), np.full(players, -1, np.int32)
    for row in range(rows):
        earlier = last[player[row]]
        if earlier >= 0:
            before[row], after[earlier] = earlier, row
            number[row] = number[earlier] + 1
        last[player[row]] = row
    return before, after, number


@kernel
def grow(days, before, number, q, steady, early, most, out):
    """The variance that skills gain between a participation and the one before; 0 at a debut."""
    for row in range(days.shape[0]):
        out[row] = 0.0
        if before[row] >= 0:
            pace = steady + early / (1.0 + number[row] / 20.0)
            out[row] = q * q + pace * min(days[row] - days[before[row]], most)


@kernel
def _from_past(row, before, noise, state, mu, variance):
    earlier = before[row]
    if earlier < 0:
        state[row, F_PI], state[row, F_TAU] = 1.0 / variance, mu / variance
        return
    pi, tau = state[earlier, F_PI] + state[earlier, W], state[earlier, F_TAU] + state[earlier, T]
    left = 1.0 / (1.0 + pi * noise[row])
    state[row, F_PI], state[row, F_TAU] = pi * left, tau * left


@kernel
def _from_future(row, after, noise, state):
    later = after[row]
    if later < 0:
        state[row, B_PI], state[row, B_TAU] = 0.0, 0.0
        return
    pi, tau = state[later, B_PI] + state[later, W], state[later, B_TAU] + state[later, T]
    left = 1.0 / (1.0 + pi * noise[later])
    state[row, B_PI], state[row, B_TAU] = pi * left, tau * left


@kernel
def carry(forward, before, after, noise, state, mu, variance):
    """Carry what contests say along all chains, from the past or from the future."""
    rows = before.shape[0]
    for k in range(rows):
        if forward:
            _from_past(k, before, noise, state, mu, variance)
        else:
            _from_future(rows - 1 - k, after, noise, state)


@kernel
def sweep(
    forward, offsets, rank, score, side, weight, hidden, before, after, noise, state,
    mu, variance, beta, advantage, robust, centred, step, first, last, room, deep, table, sums,
):  # fmt: skip
    """Half a sweep through the contests `first` to `last`, in order of time or against it.

    Rows that are `hidden` take part in their chains, not in their contests. What contests say goes
    from what they said before by `step` times the way to what they say now. Into `sums` goes what
    matches say of the side's advantage: the slope and minus the curvature.

    A contest of weight 3 is as if it had happened three times: each of them sees the others.
    """
    shown = np.empty(room.shape[1], np.int64)
    ranks = np.empty(room.shape[1], np.int32)
    for k in range(last - first):
        c = first + k if forward else last - 1 - k
        again = max(0.0, 1.0 - 1.0 / weight[c])
        turns = math.ceil(min(weight[c] / _AT_ONCE, _MOST_TURNS))
        for _ in range(turns):
            count = 0
            for row in range(offsets[c], offsets[c + 1]):
                if forward:
                    _from_past(row, before, noise, state, mu, variance)
                else:
                    _from_future(row, after, noise, state)
                if hidden[row]:
                    continue
                shown[count], ranks[count] = row, rank[row]
                V = 1.0 / (state[row, F_PI] + state[row, B_PI] + again * state[row, W])
                tau = state[row, F_TAU] + state[row, B_TAU] + again * state[row, T]
                room[_M, count] = tau * V
                room[_V, count] = V
                room[_S, count] = V + beta * beta
                room[_WEIGHT, count] = 1.0 / (SCALE * math.sqrt(V + beta * beta))
                count += 1
            if count < 2:
                break
            if count == 2:
                one, other = shown[0], shown[1]
                between_two = 0.5 * (side[one] - side[other])
                y = _score_of_first(score[c], ranks[0], ranks[1])
                _meet(y, advantage, between_two, weight[c] / turns, beta, room, sums)
            elif count < MANY:
                _moments(ranks[:count], room, table, centred)
            else:
                _performances(ranks[:count], beta, robust, centred, room, deep)
            for k2 in range(count):
                kappa = room[_KAPPA, k2]
                free = weight[c] / (1.0 - kappa * room[_V, k2])
                pi, tau = kappa * free, (room[_ALPHA, k2] + kappa * room[_M, k2]) * free
                if turns == 1:
                    _say(shown[k2], pi, tau, step, state)
                else:
                    _move(shown[k2], pi, tau, step / turns, state)


@kernel
def _score_of_first(given, rank, other):
    """Of a match, whose winner stands first, if none is given."""
    return given if given >= 0.0 else (0.5 if rank == other else 1.0)


@kernel
def _say(row, pi, tau, step, state):
    """Go `step` times the way to a new message, unless little would be left of its precision."""
    far = state[row, W] + step * (pi - state[row, W])
    if far < 0.5 * pi:
        far, step = pi, 1.0
    state[row, W] = far
    state[row, T] += step * (tau - state[row, T])


@kernel
def _move(row, pi, tau, share, state):
    """Go a share of the way to a new message."""
    state[row, W] += share * (pi - state[row, W])
    state[row, T] += share * (tau - state[row, T])


@kernel
def _meet(y, advantage, between_two, weight, beta, room, sums):
    """What a match says: the slope of its log likelihood, and minus the curvature."""
    s = SCALE * math.sqrt(room[_V, 0] + room[_V, 1] + 2.0 * beta * beta)
    P = 1.0 / (1.0 + math.exp(-(room[_M, 0] - room[_M, 1] + advantage * between_two) / s))
    alpha, kappa = (y - P) / s, P * (1.0 - P) / (s * s)
    room[_ALPHA, 0], room[_ALPHA, 1] = alpha, -alpha
    room[_KAPPA, 0], room[_KAPPA, 1] = kappa, kappa
    sums[0] += weight * alpha * between_two
    sums[1] += weight * kappa * between_two * between_two


@kernel
def _moments(ranks, room, table, centred):
    """What a contest of a few says: by mean and variance of everybody's performance."""
    count = ranks.shape[0]
    m, w = room[_M], room[_WEIGHT]
    behind, end = 0.0, count
    while end > 0:
        top, tied = end, 0.0
        while top > 0 and ranks[top - 1] == ranks[end - 1]:
            top -= 1
            tied += w[top]
        for i in range(top, end):
            room[_U, i] = behind + 0.5 * (tied - w[i])
        behind += tied
        end = top
    slopes, curvatures = 0.0, 0.0
    left, step, cells = _tabulated(m, w, count, table) if count >= _SOME else (0.0, 1.0, 0)
    for i in range(count):
        S = room[_S, i]
        mean, spread = _moments_of_one(m, w, count, i, room[_U, i], S, table, left, step, cells)
        room[_ALPHA, i] = (mean - m[i]) / S
        # a result makes nobody less sure, whatever sixteen nodes say of one that is far away
        room[_KAPPA, i] = min(max(1.0 - spread / S, _LEAST_SLOPE), 1.0) / S
        slopes += room[_ALPHA, i]
        curvatures += room[_KAPPA, i]
    if centred:
        for i in range(count):
            room[_ALPHA, i] -= room[_KAPPA, i] * slopes / curvatures


@kernel
def _moments_of_one(m, w, count, i, U, S, table, left, step, cells):
    """Mean and variance of the performance of i, by 16 nodes around where it is likeliest."""
    x, stride, low, high, slope = m[i], math.sqrt(S), -np.inf, np.inf, 1.0 / S
    for _ in range(_MOST_STEPS):
        if cells > 0:
            _, below, steep = _looked_up(table, left, step, cells, x)
        else:
            _, below, steep = _logs(m, w, count, x)
        own, own_steep = _slope(m[i], w[i], x)
        slope = steep - own_steep + 1.0 / S
        value = below - own - U + (x - m[i]) / S
        last = _CLOSE * math.sqrt(S)
        x, stride, low, high, ended = stepped(x, value, value / slope, stride, last, low, high)
        if ended:
            break
    width = 1.0 / math.sqrt(slope)
    highest = -np.inf
    values, factors = np.empty(16), np.empty(16)
    for k in range(16):
        at = x + width * _NODES[k]
        off = at - m[i]
        if cells > 0:
            logs = _looked_up(table, left, step, cells, at)[0]
        else:
            logs = _logs(m, w, count, at)[0]
        values[k] = U * off - logs - 0.5 * off * off / S
        factors[k] = off * w[i]
        highest = max(highest, values[k])
    whole, mean, square = splat(0.0), splat(0.0), splat(0.0)
    for k in range(0, 16, WIDTH):
        # oneself is no opponent: the own term of the logarithms is taken back as a factor
        share = exp(between(load(values, k) - highest, -_FAR, 0.0)) * load(_SHARES, k)
        share = share * (1.0 + exp(between(load(factors, k), -_FAR, _APART)))
        whole = whole + share
        mean = fused(share, load(_NODES, k), mean)
        square = fused(share * load(_NODES, k), load(_NODES, k), square)
    middle = total(mean) / total(whole)
    return x + width * middle, width * width * (total(square) / total(whole) - middle * middle)


@kernel
def _slope(m, w, x):
    z = (x - m) * w
    F = 1.0 / (1.0 + math.exp(-z))
    return w * F, w * w * F * (1.0 - F)


@kernel
def _logs(m, w, count, x):
    """``sum log(1 + exp((x - m) w))``, its slope and its curvature.

    Factors between 1 and 2 are multiplied before a logarithm is taken.
    """
    sums, product, slope, curvature = splat(0.0), splat(1.0), splat(0.0), splat(0.0)
    for k in range(0, count, WIDTH):
        weight = load_until(w, k, count, 1.0)
        z = between((x - load_until(m, k, count, _NOWHERE)) * weight, -_FAR, _FAR)
        e = exp(where_less(z, 0.0, z, 0.0 - z))
        sums = sums + where_less(z, 0.0, 0.0, z)
        product = product * (1.0 + e)
        F = where_less(z, 0.0, e, 1.0) / (1.0 + e)
        part = weight * F
        slope = slope + part
        curvature = fused(weight * part, 1.0 - F, curvature)
    return total(sums) + _log_of_all(product), total(slope), total(curvature)


@kernel
def _log_of_all(product):
    """The logarithm of the product of eight numbers, of which it is the sum."""
    whole = 1.0
    for k in range(WIDTH):
        whole *= lane(product, k)
    return math.log(whole)


@kernel
def _tabulated(m, w, count, table):
    """The same sums as polynomials on cells half a scale wide; where they begin, and how many.

    They have value, slope and curvature where cells meet. None if ratings are too far apart.
    """
    low, high, most, least = m[0], m[0], w[0], w[0]
    for i in range(count):
        low, high = min(low, m[i]), max(high, m[i])
        most, least = max(most, w[i]), min(least, w[i])
    left, step = low - _TAIL / least, 0.5 / most
    cells = math.ceil((high + _TAIL / least - left) / step)
    if not cells <= _MOST_CELLS:
        return left, step, 0
    f0, d0, e0 = _logs(m, w, count, left)
    d0, e0 = d0 * step, e0 * step * step
    for k in range(cells):
        f1, d1, e1 = _logs(m, w, count, left + (k + 1) * step)
        d1, e1 = d1 * step, e1 * step * step
        rise, bend, turn = f1 - f0 - d0 - 0.5 * e0, d1 - d0 - e0, e1 - e0
        c = table[k]
        c[0], c[1], c[2] = f0, d0, 0.5 * e0
        c[3] = 10.0 * rise - 4.0 * bend + 0.5 * turn
        c[4] = -15.0 * rise + 7.0 * bend - turn
        c[5] = 6.0 * rise - 3.0 * bend + 0.5 * turn
        f0, d0, e0 = f1, d1, e1
    return left, step, cells


@kernel
def _looked_up(table, left, step, cells, x):
    """Value, slope and curvature at x; beyond all cells the sums are straight."""
    place = (x - left) / step
    inside = min(max(place, 0.0), 1.0 * cells)
    k = min(int(inside), cells - 1)
    c, t = table[k], inside - k
    value = fused(fused(fused(fused(fused(c[5], t, c[4]), t, c[3]), t, c[2]), t, c[1]), t, c[0])
    slope = fused(5.0 * c[5], t, 4.0 * c[4])
    slope = fused(fused(fused(slope, t, 3.0 * c[3]), t, 2.0 * c[2]), t, c[1])
    bend = fused(fused(fused(20.0 * c[5], t, 12.0 * c[4]), t, 6.0 * c[3]), t, 2.0 * c[2])
    return value + (place - inside) * slope, slope / step, bend / (step * step)


@kernel
def _performances(ranks, beta, robust, centred, room, deep):
    """What a large contest says: performances, and the slopes of what opponents say of them."""
    count = ranks.shape[0]
    work = roots.laid_out(deep, count)
    for i in range(count):
        work.rows[0, i], work.rows[1, i] = room[_M, i], 1.0 / room[_WEIGHT, i]
    roots.find(work, ranks, roots.TIED)
    roots.tabulate(work)
    p, starts = roots.performances(work), work.starts
    m, V, w = room[_M], room[_V], room[_WEIGHT]
    z, pull, J, kappa, U = room[_Z], room[_PULL], room[_J], room[_KAPPA], room[_U]
    for k in range(0, count, WIDTH):
        half = (load_until(p, k, count, 0.0) - load_until(m, k, count, 0.0)) * 0.5
        half = half * load_until(w, k, count, 0.0)
        store_until(z, k, count, half)
        store_until(pull, k, count, tanh(half))
    for group in range(roots.groups(work)):
        top, end = starts[group], starts[group + 1]
        slope = roots.slope_of_all(work, p[top])
        for i in range(top, end):
            slope += _steep(w[i], pull[i])
        for i in range(top, end):
            J[i] = max(slope - 2.0 * _steep(w[i], pull[i]), _LEAST_SLOPE)
    weights, off = splat(0.0), splat(0.0)
    for k in range(0, count, WIDTH):
        half, drawn = load_until(z, k, count, 0.0), load_until(pull, k, count, 0.0)
        slopes, noise = load_until(J, k, count, 1.0), splat(beta * beta)
        if robust:
            noise = noise * _MEAN_RATIO * where_less(half * half, 1e-8, 1.0, half / drawn)
        own = slopes / (1.0 + slopes * noise)
        place = load_until(p, k, count, 0.0) - load_until(m, k, count, 0.0)
        place = place + drawn * load_until(w, k, count, 0.0) / slopes
        # as what a cavity of variance V would have it: kappa = W / (1 + V W)
        own = own / (1.0 + load_until(V, k, count, 0.0) * own)
        store_until(U, k, count, place)
        store_until(kappa, k, count, own)
        own = load_until(kappa, k, count, 0.0)
        weights, off = weights + own, fused(own, place, off)
    middle = total(off) / total(weights) if centred else 0.0
    for i in range(count):
        room[_ALPHA, i] = kappa[i] * (U[i] - middle)


@kernel
def _steep(w, pull):
    """The slope of ``w F(2z)`` with ``tanh z = pull``."""
    return 0.25 * w * w * (1.0 - pull * pull)


def room_for(largest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Memory for contests of up to so many rows."""
    rows = max(largest, 2)
    return np.empty((_ROOM, rows)), roots.room_for(rows), np.empty((_MOST_CELLS, 6))


@kernel
def stiffness(before, noise, contest, part, variance, A):
    """How strongly chains of all players hold parts of time to each other, and debuts each.

    A chain is stiff where many results hold it, and then whole times move by themselves far too
    slowly: a debut wants to be at `mu`, and a step wants to be short.
    """
    for row in range(before.shape[0]):
        own, earlier = part[contest[row]], before[row]
        if earlier < 0:
            A[own, own] += 1.0 / variance
            continue
        other, stiff = part[contest[earlier]], 1.0 / noise[row]
        if other != own:
            A[own, own] += stiff
            A[other, other] += stiff
            A[own, other] -= stiff
            A[other, own] -= stiff


@kernel
def strain(before, noise, contest, part, state, mu, variance, x, r):
    """What draws each part of time to others and to where debuts are; estimates go into `x`."""
    for row in range(before.shape[0]):
        x[row] = _posterior(state, row)
        own, earlier = part[contest[row]], before[row]
        if earlier < 0:
            r[own] -= (x[row] - mu) / variance
            continue
        other = part[contest[earlier]]
        if other != own:
            pull = (x[row] - x[earlier]) / noise[row]
            r[own] -= pull
            r[other] += pull


@kernel
def _posterior(state, row):
    return (state[row, F_TAU] + state[row, B_TAU] + state[row, T]) / (
        state[row, F_PI] + state[row, B_PI] + state[row, W]
    )


@kernel
def shift(contest, part, h, state):
    """Move what all contests say by the shift of their part of time."""
    for row in range(contest.shape[0]):
        state[row, T] += state[row, W] * h[part[contest[row]]]


@kernel
def move(state, x):
    """Take over all estimates; the sum of squares by which they moved, and that of deviations."""
    moved, spread = 0.0, 0.0
    for row in range(x.shape[0]):
        now = _posterior(state, row)
        moved += (now - x[row]) ** 2
        spread += 1.0 / math.sqrt(state[row, F_PI] + state[row, B_PI] + state[row, W])
        x[row] = now
    return moved, spread


@kernel
def believed(state, future, own, mean, sigma):
    """Mean and standard deviation of every row by its past, and by the other messages if 1."""
    for row in range(state.shape[0]):
        pi = state[row, F_PI] + future * state[row, B_PI] + own * state[row, W]
        tau = state[row, F_TAU] + future * state[row, B_TAU] + own * state[row, T]
        mean[row], sigma[row] = tau / pi, 1.0 / math.sqrt(pi)


@kernel
def losses(offsets, player, rank, side, score, hidden, mean, sigma, beta, advantage, out):
    """The mean log loss of pairs of every contest, by what is believed of each row; NaN of none.

    All pairs of small contests. In larger ones, those at a few steps in a ring by ids, as in
    `podium.numerics.measures`: what a contest costs is then one stride after the other, eight
    pairs at a time.
    """
    for c in range(offsets.shape[0] - 1):
        out[c] = np.nan
        ring = np.argsort(player[offsets[c] : offsets[c + 1]]) + offsets[c]
        n = 0
        for row in ring:
            if not hidden[row]:
                ring[n] = row
                n += 1
        if n < 2:
            continue
        is_ring = n > ALL_PAIRS
        m, V, place = np.empty(2 * n), np.empty(2 * n), np.empty(2 * n)
        for i in range(2 * n if is_ring else n):
            row = ring[i % n]
            m[i], V[i], place[i] = mean[row], sigma[row] ** 2 + beta * beta, rank[row]
        if n == 2:
            one, other = min(ring[0], ring[1]), max(ring[0], ring[1])
            ahead = mean[one] - mean[other] + 0.5 * advantage * (side[one] - side[other])
            d = ahead / (SCALE * math.sqrt(V[0] + V[1]))
            d = min(max(d, -_SUREST), _SUREST)
            y = _score_of_first(score[c], rank[one], rank[other])
            out[c] = max(d, 0.0) - y * d + math.log1p(math.exp(-abs(d)))
            continue
        whole, count = 0.0, 0
        if is_ring:
            for stride in strides(n):
                whole += _losses_at(m, V, place, n, stride)
                count += n
        else:
            for stride in range(1, n):
                whole += _losses_at(m, V, place, n - stride, stride)
                count += n - stride
        out[c] = whole / count


@kernel
def _losses_at(m, V, place, count, stride):
    """What `count` pairs cost, of each with the one `stride` later."""
    sums, value = splat(0.0), 0.0
    product, factors = splat(1.0), 0
    for k in range(0, count, WIDTH):
        end = count + stride
        spread = load_until(V, k, count, 1.0) + load_until(V, k + stride, end, 1.0)
        ahead = load_until(m, k, count, 0.0) - load_until(m, k + stride, end, 0.0)
        d = between(ahead / (SCALE * sqrt(spread)), -_SUREST, _SUREST)
        own, other = load_until(place, k, count, 0.0), load_until(place, k + stride, end, 0.0)
        y = where_less(own, other, 1.0, where_less(other, own, 0.0, 0.5))
        sums = sums + (where_less(d, 0.0, 0.0, d) - y * d)
        product = product * (1.0 + exp(where_less(d, 0.0, d, 0.0 - d)))
        factors += 1
        if factors == _MOST_FACTORS:
            value += _log_of_all(product)
            product, factors = splat(1.0), 0
    missing = (count + WIDTH - 1) // WIDTH * WIDTH - count
    return value + _log_of_all(product) + total(sums) - missing * math.log(2.0)
