"""TrueSkill's closed form for two players (section 3.3 of the paper), many matches side by side.

Matches in a row that share no player do not know of each other, so they can be rated at once, in
vector registers. Whether they are changes nothing: every match goes through the same instructions,
whichever register lane it stands in.
"""

import math

import numpy as np

from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import fused_kernel, kernel
from podium.numerics.truncated import exceeding, within
from podium.numerics.vector_panels import LANES

BATCH = 2 * LANES
"""Matches that are rated side by side."""

_ID_A, _ID_B = 0, BATCH
_MARKS = 2048

FIELDS = 15
(
    _MU_A, _MU_B, _SIGMA_A, _SIGMA_B,  # beliefs before, then after
    _AWAY_A, _AWAY_B,  # microseconds since the last contest
    _WEIGHT, _A2, _B2,  # variances of skill
    _C, _T, _V, _W, _REST,
    _TIED,
) = range(0, FIELDS * BATCH, BATCH)  # fmt: skip
"""Where the numbers of a batch begin, `BATCH` of each, in one array.

They are so far apart that compilers know that loops over a batch may run in vector registers.
"""


@kernel
def workspace():
    """Numbers of a batch, its players, and marks of players in it."""
    return np.zeros(FIELDS * BATCH), np.zeros(2 * BATCH, np.int64), np.zeros(_MARKS, np.int64)


@kernel
def fold_matches(table, settings, row, player, rank, time, weight, first, last, events, space):
    """Fold the contests `first` to `last`, each of two players; the rows begin at `row`."""
    batch, players, _ = space
    before, after = np.int64(1), np.int64(3)
    while first < last:
        count = _gather(table, row, player, rank, time, weight, first, last, space)
        whole = (count + LANES - 1) // LANES * LANES
        if events.shape[1] > 0:
            _note(batch, count, row, before, events)
        _expect(batch, settings, whole)
        for i in range(count):
            if batch[_TIED + i] != 0.0:
                e = settings[0].margin * math.sqrt(2.0) * batch[_C + i]
                v, w, rest, _ = within(batch[_T + i], e)
                batch[_V + i], batch[_W + i], batch[_REST + i] = v, w, rest
        if events.shape[1] > 0:
            for i in range(count):
                move = batch[_V + i] * batch[_C + i]
                noise = settings[0].beta2
                events[0, row + 2 * i] = batch[_MU_A + i] + (batch[_A2 + i] + noise) * move
                events[0, row + 2 * i + 1] = batch[_MU_B + i] - (batch[_B2 + i] + noise) * move
        _learn(batch, settings, whole)
        if events.shape[1] > 0:
            _note(batch, count, row, after, events)
        for i in range(count):
            a, b = table[players[_ID_A + i]], table[players[_ID_B + i]]
            a.mu, a.sigma = batch[_MU_A + i], batch[_SIGMA_A + i]
            b.mu, b.sigma = batch[_MU_B + i], batch[_SIGMA_B + i]
        first += count
        row += 2 * count


@kernel
def _gather(table, row, player, rank, time, weight, first, last, space):
    """Take the next matches into a batch, until a player comes again; how many."""
    batch, players, marks = space
    count, mark = min(last - first, BATCH), first + 1
    for i in range(count):
        a, b = np.int64(player[row + 2 * i]), np.int64(player[row + 2 * i + 1])
        # Of players with the same mark, one is taken for the other: then a batch is shorter.
        if marks[a % _MARKS] == mark or marks[b % _MARKS] == mark:
            return i
        marks[a % _MARKS] = marks[b % _MARKS] = mark
        players[_ID_A + i], players[_ID_B + i] = a, b
        now = time[first + i]
        batch[_WEIGHT + i] = weight[first + i]
        batch[_TIED + i] = rank[row + 2 * i] == rank[row + 2 * i + 1]
        one, other = table[a], table[b]
        batch[_MU_A + i], batch[_SIGMA_A + i] = one.mu, one.sigma
        batch[_MU_B + i], batch[_SIGMA_B + i] = other.mu, other.sigma
        batch[_AWAY_A + i] = now - one.last_time if one.contests > 0 else 0
        batch[_AWAY_B + i] = now - other.last_time if other.contests > 0 else 0
        one.last_time = other.last_time = now
        one.contests += 1
        other.contests += 1
    return count


@fused_kernel
def _expect(batch, settings, whole):
    """What is expected of the matches, and what a victory tells."""
    s = settings[0]
    drift = s.drift_per_day / MICROSECONDS_PER_DAY
    tau2, noise, margin = s.tau2, 2.0 * s.beta2, s.margin * math.sqrt(2.0)
    for i in range(whole):
        extra = batch[_WEIGHT + i] * tau2
        a, b = batch[_SIGMA_A + i], batch[_SIGMA_B + i]
        a2 = a * a + (extra + drift * batch[_AWAY_A + i])
        b2 = b * b + (extra + drift * batch[_AWAY_B + i])
        batch[_A2 + i] = a2
        batch[_B2 + i] = b2
        inverse = 1.0 / math.sqrt(a2 + b2 + noise)
        t = (batch[_MU_A + i] - batch[_MU_B + i]) * inverse
        v, w, rest, _ = exceeding(t, margin * inverse)
        batch[_C + i] = inverse
        batch[_T + i] = t
        batch[_V + i] = v
        batch[_W + i] = w
        batch[_REST + i] = rest


@fused_kernel
def _learn(batch, settings, whole):
    """Move the skills, and leave what remains of their variances; see `trueskill.learn`."""
    noise = 2.0 * settings[0].beta2
    for i in range(whole):
        a2, b2, c = batch[_A2 + i], batch[_B2 + i], batch[_C + i]
        v, w, rest, weight = batch[_V + i], batch[_W + i], batch[_REST + i], batch[_WEIGHT + i]
        c2 = c * c
        divisor_a = 1.0 / (1.0 + (weight - 1.0) * (a2 * c2 * w))
        divisor_b = 1.0 / (1.0 + (weight - 1.0) * (b2 * c2 * w))
        kept_a = min((b2 + noise + a2 * rest) * c2 * divisor_a, 1.0)
        kept_b = min((a2 + noise + b2 * rest) * c2 * divisor_b, 1.0)
        batch[_MU_A + i] += weight * (a2 * c * v) * divisor_a
        batch[_MU_B + i] -= weight * (b2 * c * v) * divisor_b
        batch[_SIGMA_A + i] = math.sqrt(a2 * kept_a)
        batch[_SIGMA_B + i] = math.sqrt(b2 * kept_b)


@kernel
def _note(batch, count, row, place, events):
    """What is believed at the moment."""
    for i in range(count):
        events[place, row + 2 * i] = batch[_MU_A + i]
        events[place + 1, row + 2 * i] = batch[_SIGMA_A + i]
        events[place, row + 2 * i + 1] = batch[_MU_B + i]
        events[place + 1, row + 2 * i + 1] = batch[_SIGMA_B + i]
