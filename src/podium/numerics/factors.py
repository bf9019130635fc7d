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
from functools import partial
from typing import Any

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.newton import stepped

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

_FIRST_ROOM = 4
_CLASSES = 28
_TINY_SCALE = 1e-100
_REACH = 300.0
_LAST_STEP = 1e-4
"""In rating points, or in standard deviations where these are less; Newton squares the error."""
_DIFFER = -1.0
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
        if record.first + record.count < record.room:
            continue
        if record.first * 2 >= record.room and record.first > 0:
            for part in range(3):
                base = record.block + part * record.room
                for k in range(record.count):
                    pool[base + k] = pool[base + record.first + k]
            record.first = 0
            continue
        room = max(2 * record.room, _FIRST_ROOM)
        block = _take(pool, arena, room)
        if block < 0:
            return False
        for part in range(3):
            for k in range(record.count):
                source = record.block + part * record.room + record.first + k
                pool[block + part * room + k] = pool[source]
        if record.room > 0:
            _leave(pool, arena, record.block, record.room)
        record.block = block
        record.room = room
        record.first = 0
    return True


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


@partial(kernel, fastmath={"reassoc", "nsz"})
def _shared_sums(weights, exponentials, X):
    """Sums of w_k t_k and w_k (1 - t_k^2), ``t_k = (X - e_k) / (X + e_k)``, in vector registers."""
    first = 0.0
    second = 0.0
    for k in range(weights.shape[0]):
        t = (X - exponentials[k]) / (X + exponentials[k])
        first += weights[k] * t
        second += weights[k] * (1.0 - t * t)
    return first, second


@kernel
def loss_slope(record, pool, origin, x):
    """L'(x) and L''(x)."""
    start = record.block + record.first
    weights = pool[start : start + record.count]
    third = pool[start + 2 * record.room : start + 2 * record.room + record.count]
    if record.shared_b != _DIFFER:
        exponent = (x - origin) / record.shared_b if record.count > 0 else 0.0
        X = math.exp(min(max(exponent, -2.0 * _REACH), 2.0 * _REACH))
        first, second = _shared_sums(weights, third, X)
        first *= record.shared_b
    else:
        p = pool[start + record.room : start + record.room + record.count]
        first = 0.0
        second = 0.0
        for k in range(record.count):
            t = math.tanh((x - p[k]) / (2.0 * third[k]))
            first += weights[k] * third[k] * t
            second += weights[k] * (1.0 - t * t)
    value = record.w0 * (x - record.p0) + record.scale * _THIRD_OF_PI_SQUARED * first
    slope = record.w0 + record.scale * 0.5 * _THIRD_OF_PI_SQUARED * second
    return value, slope


@kernel
def mode(record, pool, origin, start, stride):
    """The zero of L', by safeguarded Newton from `start`, with no step above `stride` at first."""
    last_step = _LAST_STEP * min(record.sigma, 1.0)
    low, high = -np.inf, np.inf
    x = start
    for _ in range(200):
        value, slope = loss_slope(record, pool, origin, x)
        step = value / slope
        x, stride, low, high, ended = stepped(x, value, step, stride, last_step, low, high)
        if ended:
            break
    return x
