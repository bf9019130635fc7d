"""Elo on arrays: ``mu += K (score - expected score)``, for matches and for all pairs of a contest.

By the logistic curve without a cap the expected scores of a contest are sums of
`podium.numerics.pair_sums`, in linear time. By other curves they are added up pair by pair.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics import interface, logistic, pair_sums
from podium.numerics.compiled import kernel
from podium.numerics.exponential import exp
from podium.numerics.lanes import fetch
from podium.numerics.normal import normal_cdf
from podium.numerics.threads import LARGE

FIELDS = [("reached_top", "i4")]
"""1 once the rating has been high enough for `k_top`."""

SETTINGS = interface.settings(
    "k k_new k_top top scale steepness cap side_advantage", "contests_new curve margin all_games"
)
"""`scale`: in which differences are counted, for the logistic curve in natural logarithms, for the
normal curve in standard deviations. `all_games`: a contest counts as all its games, not as one."""

LOGISTIC = 0
NORMAL = 1
FIDE = 2

NO_MARGIN = 0
FOOTBALL = 1
LOGARITHM = 2

CHUNK = 256
"""Rows whose opponents one thread adds up at a time."""

FIDE_DEVIATION = 2000.0 / 7.0
"""FIDE's table is the normal distribution of this standard deviation, but for five steps that
come a point or two early or late. (The usual account of it, 200 √2 = 282.8, misses most steps.)"""

# fmt: off
FIDE_STEPS = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
)
# fmt: on
"""FIDE Handbook B.02, table 8.1.2: the largest differences that count 50 %, 51 %, … 99 %."""


def _fide_table() -> NDArray[np.float64]:
    """The expected score of the higher rated by the difference in whole points."""
    differences = np.arange(FIDE_STEPS[-1] + 2)
    return (50 + np.searchsorted(np.array(FIDE_STEPS), differences)) / 100.0


_FIDE_TABLE = _fide_table()


@kernel
def _logistic(z):
    return 1.0 / (1.0 + exp(-z))


@kernel
def expected(settings, difference):
    """The expected score of a player rated so much higher than the opponent."""
    s = settings[0]
    d = min(max(difference, -s.cap), s.cap)
    if s.curve == LOGISTIC:
        return _logistic(d * s.steepness)
    if s.curve == NORMAL:
        return normal_cdf(d * s.steepness)
    points = int(min(abs(d), _FIDE_TABLE.shape[0] - 1.0) + 0.5)
    score = _FIDE_TABLE[min(points, _FIDE_TABLE.shape[0] - 1)]
    return score if d >= 0.0 else 1.0 - score


@kernel
def expected_of_pairs(settings, difference):
    """The same for many differences."""
    score = np.empty(difference.shape[0])
    for pair in range(difference.shape[0]):
        score[pair] = expected(settings, difference[pair])
    return score


@kernel
def gain(record, contests_new, k_new, k, k_top):
    """K of a player."""
    settled = k_top if record.reached_top != 0 else k
    return k_new if record.contests < contests_new else settled


@kernel
def _margin_factor(kind, margin, difference):
    """What a win by `margin` counts; `difference` is by how much the winner is rated higher.

    World Football Elo: 1, 3/2, 7/4, and 1/8 more for each further goal, straight in between.
    The logarithm, as FiveThirtyEight has it, shrinks where a favourite wins high, because
    favourites do; but it at most doubles where an outsider wins.
    """
    if math.isnan(margin):
        return 1.0
    if kind == FOOTBALL:
        rise = 0.5 * min(max(margin - 1.0, 0.0), 1.0) + 0.25 * min(max(margin - 2.0, 0.0), 1.0)
        return 1.0 + rise + 0.125 * max(margin - 3.0, 0.0)
    return math.log(max(margin, 1.0) + 1.0) * 2.2 / (2.2 + 0.001 * max(difference, -1100.0))


@kernel
def _move(record, by, top, time):
    mu = record.mu + by
    record.mu = mu
    record.reached_top = np.int32(mu >= top) | record.reached_top  # a branch would be guessed
    record.last_time = time
    record.contests += 1


@kernel
def shifted(table, settings, players, sides, out):
    """Ratings with half the advantage of the side, on either side."""
    half = 0.5 * settings[0].side_advantage
    for row in range(players.shape[0]):
        out[row] = table[players[row]].mu
        if sides.shape[0] > 0:
            out[row] += half * sides[row]


@kernel
def in_linear_time(settings):
    """Whether expected scores can be had without looking at every pair."""
    return settings[0].curve == LOGISTIC and settings[0].cap == np.inf


@kernel
def expected_pair_by_pair(settings, mu, first, last, out):
    """The sums of expected scores of the rows `first` to `last`, oneself at one half."""
    for i in range(first, last):
        total = 0.0
        for j in range(mu.shape[0]):
            total += expected(settings, mu[i] - mu[j])
        out[i] = total


@kernel
def conclude(table, settings, players, ranks, time, weight, total, events):
    """Update all rows of a contest from the sums of their expected scores."""
    s = settings[0]
    rows = players.shape[0]
    starts = logistic.tie_groups(ranks)
    part = weight if s.all_games != 0 else weight / (rows - 1)
    for g in range(starts.shape[0] - 1):
        top, end = starts[g], starts[g + 1]
        score = rows - end + 0.5 * (end - top)
        for row in range(top, end):
            record = table[players[row]]
            interface.note_before(record.mu, np.nan, row, events)
            own = gain(record, s.contests_new, s.k_new, s.k, s.k_top)
            _move(record, part * own * (score - total[row]), s.top, time)
            interface.note_after(np.nan, record.mu, np.nan, row, events)


@kernel
def _small(table, settings, players, ranks, sides, time, weight, events):
    """A contest of more than two, in one thread."""
    rows = players.shape[0]
    mu = np.empty(rows)
    total = np.empty(rows)
    shifted(table, settings, players, sides, mu)
    if in_linear_time(settings):
        scale = np.full(rows, settings[0].scale)
        slope = np.empty(rows)
        pair_sums.at_own_ratings(mu, scale, total, slope)
        total *= settings[0].scale
    else:
        expected_pair_by_pair(settings, mu, np.int64(0), rows, total)
    conclude(table, settings, players, ranks, time, weight, total, events)


@kernel
def _exchange(one, other, surprise, ks, top, time):
    """Move two players by K times the surprise of their match, in opposite directions."""
    contests_new, k_new, k, k_top = ks
    first_k = gain(one, contests_new, k_new, k, k_top)
    second_k = gain(other, contests_new, k_new, k, k_top)
    _move(one, first_k * surprise, top, time)
    _move(other, -second_k * surprise, top, time)


@kernel
def _of_two(offsets, first, last):
    """The number of the first contest from `first` on that is not of two, or `last`."""
    for c in range(first, last):
        if offsets[c + 1] - offsets[c] != 2:
            return c
    return last


@kernel
def _plain_matches(table, settings, player, rank, time, weight):
    """Fold matches of two by the logistic curve alone.

    A loop with nothing else in it fits into registers, and indices that cannot be negative
    need no thought.
    """
    s = settings[0]
    ks, top, steepness = (s.contests_new, s.k_new, s.k, s.k_top), s.top, s.steepness
    for c in range(time.shape[0]):
        soon = min(2 * c + interface.MATCHES_AHEAD, player.shape[0] - 2)
        fetch(table, player[soon])
        fetch(table, player[soon + 1])
        one = table[np.uint32(player[2 * c])]
        other = table[np.uint32(player[2 * c + 1])]
        score = 0.5 if rank[2 * c] == rank[2 * c + 1] else 1.0
        surprise = (score - _logistic((one.mu - other.mu) * steepness)) * weight[c]
        _exchange(one, other, surprise, ks, top, time[c])


@kernel
def fold_contests(
    table, settings, offsets, player, rank, time, weight, side, margin, first, last, events
):
    """Fold the contests `first` to `last`; the number of the first one larger than `LARGE`.

    `side` and `margin` are empty if nothing is known. `events` has a column per row, or is
    empty if nobody wants to know.
    """
    s = settings[0]
    # Read once: a record that is written could, for the compiler, be the settings.
    ks, top, kind = (s.contests_new, s.k_new, s.k, s.k_top), s.top, s.margin
    sided, known, asked = side.shape[0] > 0, margin.shape[0] > 0, events.shape[1] > 0
    plain = in_linear_time(settings) and not (sided or known or asked)
    c = first
    while c < last:
        if plain:
            end = _of_two(offsets, c, last)
            rows = slice(offsets[c], offsets[end])
            players, ranks = player[rows], rank[rows]
            _plain_matches(table, settings, players, ranks, time[c:end], weight[c:end])
            c = end
            if c == last:
                break
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        if rows > LARGE:
            return c
        if rows > 2:
            sides = side[start:end] if sided else side
            seen = interface.events_of(events, start, end)
            players, ranks = player[start:end], rank[start:end]
            _small(table, settings, players, ranks, sides, time[c], weight[c], seen)
            c += 1
            continue
        if asked:
            for row in range(start, end):
                events[0, row] = np.nan
                events[1, row] = table[player[row]].mu
                events[2, row] = np.nan
                events[4, row] = np.nan
        if rows == 2:
            advantage = 0.0
            if sided:
                advantage = 0.5 * s.side_advantage * (side[start] - side[start + 1])
            drawn = rank[start] == rank[start + 1]
            one, other = table[player[start]], table[player[start + 1]]
            d = one.mu - other.mu + advantage
            surprise = ((0.5 if drawn else 1.0) - expected(settings, d)) * weight[c]
            if known and kind != NO_MARGIN:
                surprise *= _margin_factor(kind, margin[c], 0.0 if drawn else d)
            _exchange(one, other, surprise, ks, top, time[c])
        else:
            _move(table[player[start]], 0.0, top, time[c])
        if asked:
            for row in range(start, end):
                events[3, row] = table[player[row]].mu
        c += 1
    return last
