"""A player's belief as a product of one Gaussian and any number of logistic factors.

The negative log of the belief has the derivative (Equation 10 of the paper)

    L'(x) = w0 (x - p0) + sum_k w_k (beta_k^2 / b_k) tanh((x - p_k) / (2 b_k))

with ``b_k = sqrt(3)/pi * beta_k``. The Gaussian factor and a few numbers about the others stand in
a record of the player (`FIELDS`); the logistic factors stand in a block of one long array, the
`pool`, as three rows of ``room`` numbers each: weights, performances, and a third row.
While all factors share one b, the third row holds ``exp((p_k - ORIGIN) / b)``, so that one
exponential serves all tanh terms; from the first factor with another b on, it holds the b_k.

Weights are stored divided by ``scale``, so that diffusion, which multiplies them all by
one number, touches only the record. Blocks double when full and are reused when left.
"""

import math
from typing import Any

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.lanes import (
    WIDTH,
    between,
    exp,
    fetch,
    fused,
    load,
    load_until,
    splat,
    store,
    total,
    where_less,
)
from podium.numerics.newton import householder, householder_stepped

FIELDS = [
    ("p0", "f8"),
    ("w0", "f8"),
    ("scale", "f8"),
    ("shared_b", "f8"),
    ("block", "i8"),
    ("room", "i4"),
    ("first", "i4"),
    ("count", "i4"),
]
"""shared_b: the b of all factors, 0 while there are none, -1 when they differ."""

SCALE = math.sqrt(3.0) / math.pi
"""A logistic distribution of standard deviation one has this scale."""

NEGLIGIBLE = 1e-12
"""A factor of less than this share of the total weight joins the Gaussian one. It could
move the mode by less than 1e-9 rating points."""

AHEAD = 12
"""Rows ahead of the one at hand whose records and factors are on their way to the processor."""

_FIRST_ROOM = 4
_CLASSES = 28
_TINY_SCALE = 1e-100
_REACH = 300.0
_LAST_STEP = 1e-3
"""In strides or standard deviations, whichever is less; the error is raised to the fourth power."""
_STEPS_OF_EIGHT = 4
_DIFFER = -1.0

_FOUND = 2.0
"""In the place of `_MOVES`; 1 is on the way, 0 has to be looked for alone."""
_X, _P0, _W0, _UNIT, _B, _LAST, _STRIDE, _MOVES, _E, _SUMS = range(10)
OF_EIGHT = _SUMS + 4
_THIRD_OF_PI_SQUARED = math.pi * math.pi / 3.0


def new_arena() -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """[0]: the end of the used part of the pool; [1 + c]: a free block of class c, or -1."""
    arena = np.full(1 + _CLASSES, -1, np.int64)
    arena[0] = 0
    return arena


def carry_over(player: int, source: Any, target: Any) -> None:
    """Give the player of other beliefs the same record, with a block of its own."""
    kept = target.table[player]["block"], target.table[player]["room"]
    target.table[player] = source.table[player]
    record = target.table[player]
    size = 3 * int(record["room"])
    if record["room"] == kept[1]:
        record["block"] = kept[0]
    else:
        record["block"] = target.arena[0]
        target.arena[0] += size
        while target.arena[0] > target.pool.shape[0]:
            target.grow_pool()
    block, its_block = int(record["block"]), int(source.table[player]["block"])
    target.pool[block : block + size] = source.pool[its_block : its_block + size]


def listed(record: Any, pool: Any) -> tuple[Any, Any, Any]:
    """p_k, b_k and w_k of all logistic factors of a player, oldest first."""
    start, room, count = (int(record[name]) for name in ("block", "room", "count"))
    start += int(record["first"])
    w, p, third = (pool[start + row * room :][:count].copy() for row in range(3))
    b = third if record["shared_b"] == _DIFFER else np.full(count, float(record["shared_b"]))
    return p, b, w * record["scale"]


def terms(record: Any, pool: Any) -> tuple[Any, Any, Any, Any]:
    """p_k, a_k, c_k and w_k, with which L' sums up ``c_k tanh(a_k (x - p_k))``."""
    p, b, w = listed(record, pool)
    return p, 0.5 / b, w * _THIRD_OF_PI_SQUARED * b, w


@kernel
def reserve(table, pool, arena, players):
    """Make room for one more factor of each player; False, with nothing lost, if there is none."""
    for index in range(players.shape[0]):
        record = table[players[index]]
        if not (_has_room(record, pool) or _moved(record, pool, arena)):
            return False
    return True


@kernel
def note_full(table, pool, players, first, last, rows):
    """Note which of the rows `first` to `last` are of players who need a larger block.

    They come one after the other from ``rows[first]`` on, and then a number that is none.
    """
    noted = first
    for row in range(first, last):
        if row + AHEAD < last:
            fetch(table, players[row + AHEAD])
        if not _has_room(table[players[row]], pool):
            rows[noted] = row
            noted += 1
    if noted < last:
        rows[noted] = -1


@kernel
def reserve_noted(table, pool, arena, players, rows, size):
    """`reserve` for rows that were noted in pieces of this size."""
    for first in range(0, players.shape[0], size):
        for k in range(first, min(first + size, players.shape[0])):
            if rows[k] < 0:
                break
            if not _moved(table[players[rows[k]]], pool, arena):
                return False
    return True


@kernel
def _has_room(record, pool):
    """Whether a player's block has room for one more factor, once it begins where the block does.

    Factors are moved to that place only if they have left at least half of the block.
    """
    if record.first + record.count < record.room:
        return True
    if record.first * 2 < record.room or record.first == 0:
        return False
    for part in range(3):
        base = record.block + part * record.room
        _copy(pool, base + record.first, base, record.count)
    record.first = 0
    return True


@kernel
def _moved(record, pool, arena):
    """Move a player's factors to a block of twice the room; False if the pool has none."""
    room = max(2 * record.room, _FIRST_ROOM)
    block = _take(pool, arena, room)
    if block < 0:
        return False
    for part in range(3):
        base = record.block + part * record.room
        _copy(pool, base + record.first, block + part * room, record.count)
    if record.room > 0:
        _leave(pool, arena, record.block, record.room)
    record.block = block
    record.room = room
    record.first = 0
    return True


@kernel
def _copy(pool, source, target, count):
    """Forward, as what is copied may begin in what it is copied to."""
    numbers, copies = pool[source : source + count], pool[target : target + count]
    for k in range(numbers.shape[0]):
        copies[k] = numbers[k]


@kernel
def _class_of(room):
    size = 0
    while _FIRST_ROOM << size < room:
        size += 1
    return 1 + size


@kernel
def _take(pool, arena, room):
    slot = _class_of(room)
    block = arena[slot]
    if block >= 0:
        arena[slot] = np.int64(pool[block])
        return block
    block = arena[0]
    if block + 3 * room > pool.shape[0]:
        return -1
    arena[0] = block + 3 * room
    return block


@kernel
def _leave(pool, arena, block, room):
    slot = _class_of(room)
    pool[block] = arena[slot]
    arena[slot] = block


@kernel
def diffuse(record, pool, variance, rho):
    """Algorithm 2: add `variance` to sigma^2 and move weight to the Gaussian factor at `mu`."""
    old = record.sigma * record.sigma
    new = old + variance
    kappa = old / new
    if rho == np.inf:
        record.p0 = record.mu
        record.w0 = 1.0 / new
        record.first = 0
        record.count = 0
        record.scale = 1.0
        record.shared_b = 0.0
    else:
        if rho == 1.0:
            kept = kappa
        elif rho == 0.0:
            kept = 1.0
        else:
            kept = kappa**rho
        if kept < 1.0:
            w_gauss = kept * record.w0
            w_moved = (1.0 - kept) / old
            record.p0 = (w_gauss * record.p0 + w_moved * record.mu) / (w_gauss + w_moved)
            record.w0 = kappa * (w_gauss + w_moved)
        else:
            record.w0 *= kappa
        record.scale *= kappa * kept
        if record.scale < _TINY_SCALE:
            for k in range(record.block + record.first, record.block + record.first + record.count):
                pool[k] *= record.scale
            record.scale = 1.0
    record.sigma = math.sqrt(new)


@kernel
def move(table, pool, players, mu, sigma, origin, rho):
    """Let the beliefs about players have other modes and deviations, none of them smaller.

    A belief is translated as it is, and diffused by the variance that it lacks.
    """
    for index in range(players.shape[0]):
        record, new = table[players[index]], mu[index]
        old, start = record.mu, record.block + record.first
        translate(pool, start + record.room, record.count, old, new)
        if record.count > 0 and record.shared_b != _DIFFER:
            _set_exponentials(record, pool, origin)
        record.p0 = new + (record.p0 - old)
        record.mu = new
        variance = sigma[index] * sigma[index] - record.sigma * record.sigma
        if variance > 0.0:
            diffuse(record, pool, variance, rho)
        record.sigma = sigma[index]


@kernel
def translate(pool, start, count, old, new):
    """Let ratings in the pool be as far from `new` as they were from `old`."""
    ratings = pool[start : start + count]
    for k in range(ratings.shape[0]):
        ratings[k] = new + (ratings[k] - old)


@kernel
def _set_exponentials(record, pool, origin):
    """Fill the third row of factors that share their b; beyond reach, with that b."""
    start, room, b = record.block + record.first, np.int64(record.room), record.shared_b
    p = pool[start + room : start + room + record.count]
    third = pool[start + 2 * room : start + 2 * room + record.count]
    farthest = 0.0
    for k in range(p.shape[0]):
        farthest = max(farthest, abs((p[k] - origin) / b))
    for k in range(p.shape[0]):
        third[k] = b if farthest > _REACH else math.exp((p[k] - origin) / b)
    if farthest > _REACH:
        record.shared_b = _DIFFER


@kernel
def push(record, pool, origin, p, weight, b):
    """Append a logistic factor. There must be room for it."""
    exponent = (p - origin) / b
    if record.shared_b != b or abs(exponent) > _REACH:
        if record.count == 0 and abs(exponent) <= _REACH:
            record.shared_b = b
        elif record.shared_b != _DIFFER:
            third = record.block + 2 * record.room + record.first
            for k in range(record.count):
                pool[third + k] = record.shared_b
            record.shared_b = _DIFFER
    end = record.block + record.first + record.count
    pool[end] = weight / record.scale
    pool[end + record.room] = p
    pool[end + 2 * record.room] = b if record.shared_b == _DIFFER else math.exp(exponent)
    record.count += 1


@kernel
def fold(record, pool, history):
    """Let the oldest factors join the Gaussian one, if negligible or more than `history`."""
    smallest = NEGLIGIBLE / (record.sigma * record.sigma * record.scale)
    while record.count > 0:
        oldest = record.block + record.first
        if pool[oldest] >= smallest and record.count <= history:
            break
        weight = pool[oldest] * record.scale
        p = pool[oldest + record.room]
        record.p0 = (record.w0 * record.p0 + weight * p) / (record.w0 + weight)
        record.w0 += weight
        record.first += 1
        record.count -= 1


@kernel
def fetch_factors(record, pool, row):
    """Let the memory bring closer the weights of factors, another row, and where one is added."""
    start, room = record.block + record.first, np.int64(record.room)
    for k in range(start, start + record.count + 1, WIDTH):
        fetch(pool, k)
        fetch(pool, k + row * room)
    fetch(pool, start + record.count + (3 - row) * room)


@kernel
def _shared_sums(weights, exponentials, X):
    """Sums of w_k times ``t_k = tanh((x - p_k) / 2b)`` and times its derivatives by that argument.

    There ``t_k = (X - e_k) / (X + e_k)``. The second derivative is left without its factor -2,
    as is the third.
    """
    first, second, third, fourth = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    count = weights.shape[0]
    for k in range(0, count, WIDTH):
        e, w = load_until(exponentials, k, count, 0.0), load_until(weights, k, count, 0.0)
        t = (X - e) / (X + e)
        square = t * t
        bent = w - w * square
        first = fused(w, t, first)
        second = second + bent
        third = fused(bent, t, third)
        fourth = fused(bent, 1.0 - 3.0 * square, fourth)
    return total(first), total(second), total(third), total(fourth)


@kernel
def _differing_sums(weights, p, b, x):
    """The same sums for factors each with its b, ready for L' and its derivatives by x."""
    first, second, third, fourth = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    count = weights.shape[0]
    for k in range(0, count, WIDTH):
        scale, w = load_until(b, k, count, 1.0), load_until(weights, k, count, 0.0)
        odds = exp(between((load_until(p, k, count, 0.0) - x) / scale, -_REACH, _REACH))
        t = (1.0 - odds) / (1.0 + odds)
        square = t * t
        bent = w - w * square
        first = fused(w * scale, t, first)
        second = second + bent
        third = fused(bent / scale, t, third)
        fourth = fused(bent / (scale * scale), 1.0 - 3.0 * square, fourth)
    return total(first), total(second), total(third), total(fourth)


@kernel
def loss_slopes(record, pool, origin, x):
    """L'(x) and its first three derivatives."""
    start, room, count = record.block + record.first, np.int64(record.room), record.count
    weights = pool[start : start + count]
    third_row = pool[start + 2 * room : start + 2 * room + count]
    b = record.shared_b
    if b != _DIFFER:
        exponent = (x - origin) / b if count > 0 else 0.0
        X = math.exp(min(max(exponent, -2.0 * _REACH), 2.0 * _REACH))
        first, second, third, fourth = _shared_sums(weights, third_row, X)
        first *= b
        third = third / b if count > 0 else 0.0
        fourth = fourth / (b * b) if count > 0 else 0.0
    else:
        p = pool[start + room : start + room + count]
        first, second, third, fourth = _differing_sums(weights, p, third_row, x)
    unit = record.scale * _THIRD_OF_PI_SQUARED
    value = record.w0 * (x - record.p0) + unit * first
    return value, record.w0 + 0.5 * unit * second, -0.5 * unit * third, -0.25 * unit * fourth


@kernel
def mode(record, pool, origin, start, stride):
    """The zero of L' from `start`, with no step above `stride` at first."""
    last_step = _LAST_STEP * min(record.sigma, stride)
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope, bend, third = loss_slopes(record, pool, origin, x)
        x, stride, low, high, ended = householder_stepped(
            x, value, slope, bend, third, stride, last_step, low, high
        )
        if ended:
            break
    return x


@kernel
def set_modes(table, pool, players, origin, strides, eight):
    """Let mu of up to eight players be the modes of their beliefs, each looked for from mu.

    Their factors are summed player by player, the rest is done for all eight together. Whoever
    has not come to an end after a few steps begins again alone.
    """
    count = players.shape[0]
    for k in range(WIDTH):
        record, stride = table[players[min(k, count - 1)]], strides[min(k, count - 1)]
        shared = record.count > 0 and record.shared_b != _DIFFER
        eight[_X, k], eight[_P0, k], eight[_W0, k] = record.mu, record.p0, record.w0
        eight[_UNIT, k] = record.scale * _THIRD_OF_PI_SQUARED
        eight[_B, k] = record.shared_b if shared else 1.0
        eight[_LAST, k], eight[_STRIDE, k] = _LAST_STEP * min(record.sigma, stride), stride
        eight[_MOVES, k] = 1.0 if shared and k < count else 0.0
    _modes_of_eight(table, pool, players, origin, eight)
    for k in range(count):
        record = table[players[k]]
        if eight[_MOVES, k] == _FOUND:
            record.mu = eight[_X, k]
        else:
            record.mu = mode(record, pool, origin, record.mu, strides[k])


@kernel
def _modes_of_eight(table, pool, players, origin, eight):
    """The steps of `set_modes`, on what it has entered."""
    x, p0, w0 = load(eight[_X], 0), load(eight[_P0], 0), load(eight[_W0], 0)
    unit, b = load(eight[_UNIT], 0), load(eight[_B], 0)
    longest, shortest = load(eight[_STRIDE], 0), load(eight[_LAST], 0)
    moves = load(eight[_MOVES], 0)
    for _ in range(_STEPS_OF_EIGHT):
        store(eight[_E], 0, exp(between((x - origin) / b, -2.0 * _REACH, 2.0 * _REACH)))
        for k in range(players.shape[0]):
            if eight[_MOVES, k] == 1.0:
                record = table[players[k]]
                start, room = record.block + record.first, np.int64(record.room)
                end = start + record.count
                sums = _shared_sums(
                    pool[start:end], pool[start + 2 * room : end + 2 * room], eight[_E, k]
                )
                eight[_SUMS, k], eight[_SUMS + 1, k] = sums[0], sums[1]
                eight[_SUMS + 2, k], eight[_SUMS + 3, k] = sums[2], sums[3]
        value = fused(unit * b, load(eight[_SUMS], 0), w0 * (x - p0))
        slope = fused(0.5 * unit, load(eight[_SUMS + 1], 0), w0)
        bend = -0.5 * unit * load(eight[_SUMS + 2], 0) / b
        third = -0.25 * unit * load(eight[_SUMS + 3], 0) / (b * b)
        step = householder(value, slope, bend, third)
        short = where_less(longest * longest, step * step, 0.0, 1.0)
        after = where_less(step * step, shortest * shortest, _FOUND, 1.0) * short
        x = x - where_less(moves, 1.0, 0.0, where_less(1.0, moves, 0.0, short * step))
        moves = where_less(moves, 1.0, moves, where_less(1.0, moves, moves, after))
        store(eight[_MOVES], 0, moves)
        if total(where_less(moves, 1.0, 0.0, where_less(1.0, moves, 0.0, 1.0))) == 0.0:
            break
    store(eight[_X], 0, x)
