"""Whole histories: what a skill was, given all results, earlier and later.

Every participation has a message from the player's past, one from the future, and one from its own
contest, each a normal density: a precision, and that times its mean. What past and future say
together, the cavity, is what is believed of a player without this very result. A contest is
worked out from the cavities of all who take part; then the players' chains carry what it says to
their other contests. Half a sweep goes through all contests in order of time or against it.

Contests of two have a message by the predicted chance; others of fewer than `MANY` by mean and
variance of everybody's performance, so that uncertainties are right; large ones by the performance
and its curvature, as an online system has them, in linear time.
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
    load_until,
    splat,
    total,
    where_less,
)
from podium.numerics.newton import stepped

F_PI, F_TAU, B_PI, B_TAU, W, T, STATE = range(7)
"""Columns of a participation: from the past, from the future, from the contest."""
_M, _V, _S, _WEIGHT, _U, _ALPHA, _KAPPA, _ROOM = range(8)
"""Rows of the room of a contest."""

MANY = 200
"""From so many on, everybody's opponents say where a performance is nearly without doubt."""
_MEAN_RATIO = 0.874
"""The mean of tanh(z)/z over performances."""
_LEAST_SLOPE = 1e-12
_FAR = 700.0
_NOWHERE = 1e300
"""A rating of nobody: what is missing of eight."""
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
    pi = state[earlier, F_PI] + state[earlier, W]
    state[row, F_PI] = 1.0 / (1.0 / pi + noise[row])
    state[row, F_TAU] = state[row, F_PI] * (state[earlier, F_TAU] + state[earlier, T]) / pi


@kernel
def _from_future(row, after, noise, state):
    later = after[row]
    pi = 0.0 if later < 0 else state[later, B_PI] + state[later, W]
    if pi <= 0.0:
        state[row, B_PI], state[row, B_TAU] = 0.0, 0.0
        return
    state[row, B_PI] = 1.0 / (1.0 / pi + noise[later])
    state[row, B_TAU] = state[row, B_PI] * (state[later, B_TAU] + state[later, T]) / pi


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
    mu, variance, beta, advantage, robust, centred, first, last, room, deep, sums,
):  # fmt: skip
    """Half a sweep through the contests `first` to `last`, in order of time or against it.

    Rows that are `hidden` take part in their chains, not in their contests. Into `sums` goes what
    matches say of the side's advantage: the slope and minus the curvature.
    """
    shown = np.empty(room.shape[1], np.int64)
    ranks = np.empty(room.shape[1], np.int32)
    for k in range(last - first):
        c = first + k if forward else last - 1 - k
        count = 0
        for row in range(offsets[c], offsets[c + 1]):
            if forward:
                _from_past(row, before, noise, state, mu, variance)
            else:
                _from_future(row, after, noise, state)
            state[row, W], state[row, T] = 0.0, 0.0
            if hidden[row]:
                continue
            shown[count], ranks[count] = row, rank[row]
            pi = state[row, F_PI] + state[row, B_PI]
            room[_M, count] = (state[row, F_TAU] + state[row, B_TAU]) / pi
            room[_V, count] = 1.0 / pi
            room[_S, count] = 1.0 / pi + beta * beta
            room[_WEIGHT, count] = 1.0 / (SCALE * math.sqrt(room[_S, count]))
            count += 1
        if count < 2:
            continue
        if count == 2:
            one, other = shown[0], shown[1]
            between_two = 0.5 * (side[one] - side[other])
            y = score[c]
            if not y >= 0.0:
                y = 0.5 if ranks[0] == ranks[1] else 1.0
            _meet(y, advantage, between_two, weight[c], beta, room, sums)
        elif count < MANY:
            _moments(ranks[:count], room, centred)
        else:
            _performances(ranks[:count], beta, robust, centred, room, deep)
        for k2 in range(count):
            row = shown[k2]
            kappa, V = room[_KAPPA, k2], room[_V, k2]
            free = weight[c] / (1.0 - kappa * V)
            state[row, W] = kappa * free
            state[row, T] = (room[_ALPHA, k2] + kappa * room[_M, k2]) * free


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
def _moments(ranks, room, centred):
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
    for i in range(count):
        S = room[_S, i]
        mean, spread = _moments_of_one(m, w, count, i, room[_U, i], S)
        room[_ALPHA, i] = (mean - m[i]) / S
        room[_KAPPA, i] = (1.0 - spread / S) / S
        slopes += room[_ALPHA, i]
        curvatures += room[_KAPPA, i]
    if centred:
        for i in range(count):
            room[_ALPHA, i] -= room[_KAPPA, i] * slopes / curvatures


@kernel
def _moments_of_one(m, w, count, i, U, S):
    """Mean and variance of the performance of i, by 16 nodes around where it is likeliest."""
    x, stride, low, high, slope = m[i], math.sqrt(S), -np.inf, np.inf, 1.0 / S
    for _ in range(_MOST_STEPS):
        below, steep = _slopes(m, w, count, x)
        own, own_steep = _slope(m[i], w[i], x)
        slope = steep - own_steep + 1.0 / S
        value = below - own - U + (x - m[i]) / S
        last = _CLOSE * math.sqrt(S)
        x, stride, low, high, ended = stepped(x, value, value / slope, stride, last, low, high)
        if ended:
            break
    width = 1.0 / math.sqrt(slope)
    highest = -np.inf
    values = np.empty(16)
    for k in range(16):
        at = x + width * _NODES[k]
        off = at - m[i]
        values[k] = U * off - _logs(m, w, count, at) + _log(m[i], w[i], at) - 0.5 * off * off / S
        highest = max(highest, values[k])
    whole, mean, square = 0.0, 0.0, 0.0
    for k in range(16):
        share = _SHARES[k] * math.exp(values[k] - highest)
        whole += share
        mean += share * _NODES[k]
        square += share * _NODES[k] * _NODES[k]
    mean /= whole
    return x + width * mean, width * width * (square / whole - mean * mean)


@kernel
def _slope(m, w, x):
    z = (x - m) * w
    F = 1.0 / (1.0 + math.exp(-z))
    return w * F, w * w * F * (1.0 - F)


@kernel
def _slopes(m, w, count, x):
    """The slope of ``sum log(1 + exp((x - m) w))`` and its curvature."""
    value, slope = splat(0.0), splat(0.0)
    for k in range(0, count, WIDTH):
        weight = load_until(w, k, count, 1.0)
        z = between((x - load_until(m, k, count, _NOWHERE)) * weight, -_FAR, _FAR)
        F = 1.0 / (1.0 + exp(0.0 - z))
        part = weight * F
        value = value + part
        slope = fused(weight * part, 1.0 - F, slope)
    return total(value), total(slope)


@kernel
def _log(m, w, x):
    z = (x - m) * w
    return max(z, 0.0) + math.log1p(math.exp(-abs(z)))


@kernel
def _logs(m, w, count, x):
    """``sum log(1 + exp((x - m) w))``: factors between 1 and 2 are multiplied first."""
    sums, product = splat(0.0), splat(1.0)
    for k in range(0, count, WIDTH):
        weight = load_until(w, k, count, 1.0)
        z = between((x - load_until(m, k, count, _NOWHERE)) * weight, -_FAR, _FAR)
        sums = sums + where_less(z, 0.0, 0.0, z)
        product = product * (1.0 + exp(where_less(z, 0.0, z, 0.0 - z)))
    value = total(sums)
    for k in range(WIDTH):
        value += math.log(lane(product, k))
    return value


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
    weights, off = 0.0, 0.0
    for group in range(roots.groups(work)):
        top, end = starts[group], starts[group + 1]
        x = p[top]
        slope = roots.slope_of_all(work, x)
        for i in range(top, end):
            slope += _slope(room[_M, i], room[_WEIGHT, i], x)[1]
        for i in range(top, end):
            m, w, V = room[_M, i], room[_WEIGHT, i], room[_V, i]
            J = max(slope - 2.0 * _slope(m, w, x)[1], _LEAST_SLOPE)
            z = 0.5 * (x - m) * w
            pull = math.tanh(z)
            noise = beta * beta
            if robust:
                noise *= _MEAN_RATIO * (z / pull if abs(z) > 1e-4 else 1.0)
            W_own = J / (1.0 + J * noise)
            room[_U, i] = x + pull * w / J - m
            # as what a cavity of variance V would have it: kappa = W / (1 + V W)
            room[_KAPPA, i] = W_own / (1.0 + V * W_own)
            weights += room[_KAPPA, i]
            off += room[_KAPPA, i] * room[_U, i]
    middle = off / weights if centred else 0.0
    for i in range(count):
        room[_ALPHA, i] = room[_KAPPA, i] * (room[_U, i] - middle)


def room_for(largest: int) -> tuple[np.ndarray, np.ndarray]:
    """Memory for contests of up to so many rows."""
    return np.empty((_ROOM, max(largest, 2))), roots.room_for(max(largest, 2))


@kernel
def level(before, noise, contest, part, state, mu, variance, A, r):
    """The equations for one shift of each part of time, which chains of all players want.

    A chain is stiff where many results hold it, and then whole times move by themselves far too
    slowly: a debut wants to be at `mu`, and a step wants to be short.
    """
    for row in range(before.shape[0]):
        x = _posterior(state, row)
        own = part[contest[row]]
        earlier = before[row]
        if earlier < 0:
            A[own, own] += 1.0 / variance
            r[own] -= (x - mu) / variance
            continue
        other = part[contest[earlier]]
        if other == own:
            continue
        stiff = 1.0 / noise[row]
        step = x - _posterior(state, earlier)
        A[own, own] += stiff
        A[other, other] += stiff
        A[own, other] -= stiff
        A[other, own] -= stiff
        r[own] -= step * stiff
        r[other] += step * stiff


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
