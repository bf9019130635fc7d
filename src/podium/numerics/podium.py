"""Podium's own model on arrays: ratings, and forecasts that learn what all players share.

A player has a rating x with variance V. What is expected of them in a contest is another number,
``m = x + theta . phi``: phi says how experienced they are, how long they were away and how much
they have practised, theta is learned from everybody. m is where phase one of Elo-MMR expects them,
with the variance ``S = ratio (V + beta^2)`` whose ratio is learned too.

What a contest says of a competitor is a pull alpha and a certainty kappa: as a function of where
the competitor was expected, the logarithm of the result's probability has the slope alpha and
the curvature -kappa. Between two, the result has the probability that is predicted, and both follow
from it. Among more, they follow from the performance p, the sum g of the others' terms there and
its slope J: ``kappa = J / (1 + S J)`` and ``alpha = kappa (p + g / J - m)``.

A contest is folded in steps, each cut into pieces that threads share. Sums are added up piece by
piece, and pieces in order.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, interface, roots
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.lanes import WIDTH, fetch, fused, load, splat, store, total

Floats = NDArray[np.float64]

SETTINGS = interface.settings(
    "beta noise drift_per_day drift_new robustness forgetting mu_new", "split_ties mean"
)
FIELDS = [("first_time", "i8"), ("activity", "f8"), ("surprise", "f8")]
"""The time of the first contest, contests of late, and by how many deviations the last one
surprised."""

BETA = 200.0
"""The scale of performances for which features are measured in hundreds of points."""
LOWEST = np.array((0, 1, 2, 3, 5, 9, 17, 36, 81))
"""Contests from which on a player is in each regime of experience."""
REGIMES = len(LOWEST)
FEATURES = WIDTH
_REGIME = np.searchsorted(LOWEST, np.arange(LOWEST[-1] + 1), side="right") - 1
ABSENCES = 3
SHORT, LONG = 45.0, 240.0
"""Days of absence from which on it is of another kind."""
CELLS = REGIMES * ABSENCES
COEFFICIENTS = 7
CONSTANT, RATING, AWAY, AWAY_SQUARED, PRACTICE, AGE, CONTEST, ON_SIDE = range(WIDTH)
"""Features: eight numbers, the last of which is no part of a regime."""
SIDE = REGIMES * COEFFICIENTS
SIZE = SIDE + 1
_PAIRS = SIZE * (SIZE + 1) // 2
LONGEST = 400.0
"""Days of absence in which skills move."""
PRACTICE_DAYS = 60.0
_USUAL = 30.0
"""Those who set the level of a contest are at most filled up to so many."""
ANCHOR = 0.3
"""The part of the way to where newcomers start by which the usual level is drawn."""

CONTESTS, SCALE, TAU, CURVATURE, PACE, PACES = range(6)
LEVEL, LEVELS, PRESENT, ROUNDS, PENDING = range(6, 11)
THETA = 16
RATIOS = THETA + SIZE
SQUARES = RATIOS + CELLS
COUNTS = SQUARES + CELLS
RESPONSES = COUNTS + CELLS
PRODUCTS = RESPONSES + SIZE
SHARED = PRODUCTS + _PAIRS
"""Where in what all players share everything is; the matrix of products by rows, up to its
diagonal. Sums are to be multiplied by `SCALE`, which forgets all of them at once."""

_FORGETS_WHOLLY = 100.0
"""Rows from which on a contest forgets as much as `forgetting` says."""
_ENOUGH = 32.0
"""What is learned comes into force when so many results have been added to it."""
_RIDGE = np.full(SIZE, 80.0)
_RIDGE[:COEFFICIENTS], _RIDGE[SIDE] = 20.0, 1.0
"""Results that say of a coefficient that it is 0: of newcomers fewer, who differ most."""
_LEAST_TILT, _MOST_TILT = -90.0, 100.0
"""So that forecasts grow with ratings, and those of newcomers at most as the level of the field."""
_SWEEPS = 15
_FIRST_RESULTS, _LASTING_RESULTS = 400.0, 10.0
"""Results that ratios begin with as if they had been one; the latter are never forgotten."""
_FIRST_CURVATURE, _FIRST_PACES, _FIRST_LEVELS = 200.0, 20.0, 20.0
_LEAST_TAU, _MOST_TAU = 0.3, 4.0
_MOST_PACE = 10.0
_NOT_NEW = 5
"""Contests from which on surprises tell how fast skills move."""
_FARTHEST = 3.0
"""Deviations at which surprises are cut off."""
_LEAST_SLOPE = 1e-12
_LEAST_SCALE = 1e-3

STEPS = 7
_GATHER, _EXPECT, _ENDS, _JUDGE, _CONCLUDE = 0, 1, 2, 5, 6
_ROWS_PER_SUM = 1024
_GROUPS_PER_PIECE = 64
_PART = 2
_REGIME_SUMS = (WIDTH + 1) * WIDTH
_SQUARES, _COUNTS = REGIMES * _REGIME_SUMS, REGIMES * _REGIME_SUMS + CELLS
_SLOPE, _BEND, _INFORMATION, _SWAY, _SWAYS = range(_COUNTS + CELLS, _COUNTS + CELLS + 5)
_BLOCK = _SWAYS + 4

_X, _V, _ACTIVITY, _CELL, _OFFSET, _PART_OF = range(6)
_PER_ROW = 6
_CENTRE, _WHOLE, _TEAM_V, _TEAM_X, _SIDED, _PULL, _DROP, _ALPHA, _KAPPA = range(9)
_PER_COMPETITOR = 9
_FIELD, _COMMON, _PRESENT, _SUM, _MEAN, _SLOPES = range(6)
_NOTES = 8


class Mine(NamedTuple):
    """The contest at hand, which all threads see, beside `roots.Work`."""

    rows: Floats
    """x, V and activity as of the contest, the cell of ratios, the offset and the share."""
    features: Floats
    competitors: Floats
    """m, S, V and x, the side's part of m, and what the result does to them."""
    parts: Floats
    """Sums of the pieces of a step."""
    blocks: Floats
    """What is learned from some rows."""
    notes: Floats
    matrix: Floats
    vectors: Floats


def new_shared(mu_new: float) -> Floats:
    """What all players share before the first contest."""
    shared = np.zeros(SHARED)
    shared[[SCALE, TAU, PACE]] = 1.0
    shared[CURVATURE], shared[PACES] = _FIRST_CURVATURE, _FIRST_PACES
    shared[LEVEL], shared[LEVELS] = _FIRST_LEVELS * mu_new, _FIRST_LEVELS
    shared[RATIOS:SQUARES] = 1.0
    shared[SQUARES:RESPONSES] = _FIRST_RESULTS
    return shared


@kernel
def _parts_and_blocks(rows):
    return rows // _GROUPS_PER_PIECE + 2, rows // _ROWS_PER_SUM + 1


def room_for(rows: int) -> Floats:
    """Memory for contests of up to so many rows, to be laid out."""
    parts, blocks = _parts_and_blocks.py_func(rows)
    per_row = _PER_ROW + WIDTH + _PER_COMPETITOR
    return np.zeros(
        per_row * rows + _PART * parts + _BLOCK * blocks + _NOTES + SIZE * SIZE + 2 * SIZE
    )


@kernel
def _laid_out(room, count):
    """The memory of a contest of so many rows."""
    parts, blocks = _parts_and_blocks(count)
    end = _NOTES
    notes = room[:end]
    start, end = end, end + SIZE * SIZE
    matrix = room[start:end].reshape(SIZE, SIZE)
    start, end = end, end + 2 * SIZE
    vectors = room[start:end].reshape(2, SIZE)
    start, end = end, end + _PER_ROW * count
    rows = room[start:end].reshape(_PER_ROW, count)
    start, end = end, end + WIDTH * count
    features = room[start:end].reshape(count, WIDTH)
    start, end = end, end + _PER_COMPETITOR * count
    competitors = room[start:end].reshape(_PER_COMPETITOR, count)
    start, end = end, end + _PART * parts
    part = room[start:end].reshape(parts, _PART)
    start, end = end, end + _BLOCK * blocks
    block = room[start:end].reshape(blocks, _BLOCK)
    return Mine(rows, features, competitors, part, block, notes, matrix, vectors)


@kernel
def grown(s, pace, n, days):
    """The variance that a skill gains in days of absence."""
    return pace * (s.drift_per_day + s.drift_new / (1.0 + n / 20.0)) * min(days, LONGEST)


@kernel
def _days(earlier, time):
    return max(0.0, (time - earlier) / MICROSECONDS_PER_DAY)


def regimes(contests: NDArray[Any]) -> NDArray[np.int64]:
    """How experienced those with so many contests are."""
    return np.searchsorted(LOWEST, contests, side="right") - 1


@kernel
def regime(n):
    """How experienced who has so many contests is."""
    return _REGIME[min(n, _REGIME.shape[0] - 1)]


@kernel
def _unit(s):
    """What features are in, where performances scatter by more or less than usual."""
    return s.beta / BETA


@kernel
def _tilt(s, shared, r):
    """What a point of the field's level changes in the offset of a regime."""
    tilt = shared[THETA + COEFFICIENTS * r + RATING] / (100.0 * _unit(s))
    return -tilt if r > 0 else tilt


@kernel
def _describe(record, s, shared, side, time, row, mine):
    """Fill in a row as of a contest, its offset as if the level of the field were zero."""
    n, x, V, activity = record.contests, record.mu, record.sigma * record.sigma, 0.0
    r, days, phi = regime(n), 0.0, mine.features[row]
    for j in range(WIDTH):
        phi[j] = 0.0
    phi[CONSTANT], phi[ON_SIDE] = 1.0, 0.5 * side
    if n > 0:
        days, age = _days(record.last_time, time), _days(record.first_time, time)
        V += grown(s, shared[PACE], n, days) + shared[PACE] * s.noise * s.noise
        activity = record.activity * math.exp(-days / PRACTICE_DAYS)
        phi[RATING] = x / (100.0 * _unit(s))
        phi[AWAY] = math.log(1.0 + days) / 3.0 - 1.0
        phi[AWAY_SQUARED] = phi[AWAY] * phi[AWAY]
        phi[PRACTICE] = activity / (5.0 + activity) - 0.3
        phi[AGE] = math.log(1.0 + age) / 5.0 - 1.0
        phi[CONTEST] = math.log((1.0 + n) / (1.0 + LOWEST[r]))
    else:
        phi[RATING] = -shared[LEVEL] / (shared[LEVELS] * 100.0 * _unit(s))
    offset = 0.0
    for j in range(COEFFICIENTS):
        offset += shared[THETA + COEFFICIENTS * r + j] * phi[j]
    absence = 0 if days < SHORT else (1 if days < LONG else 2)
    rows = mine.rows
    rows[_X, row], rows[_V, row], rows[_ACTIVITY, row] = x, V, activity
    rows[_CELL, row], rows[_OFFSET, row] = r * ABSENCES + absence, offset


@kernel
def _set_level(s, shared, total_x, present, notes):
    """The level of a field, from the ratings of those who have played before and how many they are.

    A small field is filled up to the usual size, but not beyond `_USUAL`, with players of the
    usual level. A common shift of all forecasts changes no order: it draws ratings, whoever's
    result is what, to where the usual level is that of newcomers.
    """
    usual = shared[PRESENT] / shared[ROUNDS] if shared[ROUNDS] > 0.0 else 0.0
    others = max(0.0, min(usual, _USUAL) - present)
    level, field = shared[LEVEL] / shared[LEVELS], s.mu_new
    if present + others > 0.0:
        field = (total_x + others * level) / (present + others)
    notes[_FIELD], notes[_PRESENT], notes[_SUM] = field, present, total_x
    notes[_COMMON] = ANCHOR * (level - s.mu_new)


@kernel
def _expect(s, shared, notes, row, mine):
    """The forecast of a row, without the side, and the variance of its performance."""
    rows, cell = mine.rows, int(mine.rows[_CELL, row])
    r, field, phi = cell // ABSENCES, notes[_FIELD], mine.features[row]
    shift = field / (100.0 * _unit(s))
    phi[RATING] += -shift if r > 0 else shift
    rows[_OFFSET, row] += _tilt(s, shared, r) * field - notes[_COMMON]
    whole = rows[_V, row] + s.beta * s.beta
    return rows[_X, row] + rows[_OFFSET, row], shared[RATIOS + cell] * whole


@kernel
def _expect_alone(s, shared, first, last, mine, work):
    """Expectations of players who compete for themselves."""
    h, competitors = shared[THETA + SIDE], mine.competitors
    for row in range(first, last):
        m, S = _expect(s, shared, mine.notes, row, mine)
        sided = h * mine.features[row, ON_SIDE]
        mine.rows[_PART_OF, row] = 1.0
        competitors[_CENTRE, row], competitors[_WHOLE, row] = m + sided, S
        competitors[_TEAM_V, row], competitors[_TEAM_X, row] = (
            mine.rows[_V, row],
            mine.rows[_X, row],
        )
        competitors[_SIDED, row] = sided
        work.rows[0, row], work.rows[1, row] = m + sided, factors.SCALE * math.sqrt(S)


@kernel
def _expect_teams(s, shared, number, share, mine, work, teams):
    """The same of teams: the mean of their members, weighted by share, or their sum."""
    h, competitors, rows = shared[THETA + SIDE], mine.competitors, mine.rows
    for k in range(teams):
        for column in range(_PER_COMPETITOR):
            competitors[column, k] = 0.0
    for row in range(number.shape[0]):
        competitors[_PULL, number[row]] += share[row] if share.shape[0] > 0 else 1.0
    for row in range(number.shape[0]):
        k = number[row]
        part = share[row] if share.shape[0] > 0 else 1.0
        if s.mean != 0:
            part /= competitors[_PULL, k]
        m, S = _expect(s, shared, mine.notes, row, mine)
        sided = h * mine.features[row, ON_SIDE]
        rows[_PART_OF, row] = part
        competitors[_CENTRE, k] += part * (m + sided)
        competitors[_WHOLE, k] += part * S
        competitors[_TEAM_V, k] += part * part * rows[_V, row]
        competitors[_TEAM_X, k] += part * rows[_X, row]
        competitors[_SIDED, k] += part * sided
        competitors[_DROP, k] += part
    for k in range(teams):
        work.rows[0, k] = competitors[_CENTRE, k]
        work.rows[1, k] = factors.SCALE * math.sqrt(competitors[_WHOLE, k])


@kernel
def _step(weight, k, alpha, kappa, most, offset, beta2, ceiling, competitors):
    """Set what the result of a competitor does to a member: by V times what to x, and to V.

    V falls by the certainty `most` that the result would have among equals. It so depends on no
    result, earlier ones included: who does worse never has more to gain later. A ceiling that
    capped the performance, or infinity, takes nobody below it.
    """
    V, S = competitors[_TEAM_V, k], competitors[_WHOLE, k]
    spread = weight * V + beta2 - S
    pull = weight * (alpha + kappa * offset) / (1.0 + kappa * spread)
    if ceiling < math.inf:
        above = competitors[_TEAM_X, k] + competitors[_SIDED, k] - ceiling
        pull = max(pull, -weight * max(above, 0.0) / (weight * V + beta2))
    competitors[_PULL, k] = pull
    competitors[_DROP, k] = weight * most / (1.0 + most * spread)


@kernel
def _slopes_among_equals(count, work):
    """The sum of the slopes that the terms of so many competitors have where they are steepest."""
    slopes = 0.0
    for k in range(count):
        slopes += 0.25 / (work.rows[1, k] * work.rows[1, k])
    return slopes


@kernel
def _noise(s, k, number, competitors):
    """The variance of what a competitor's performance adds to skill."""
    times = competitors[_DROP, k] if number.shape[0] > 0 else 1.0
    return times * s.beta * s.beta


@kernel
def _meet(s, ranks, number, weight, ceiling, mine, work):
    """What the result of two says, by the probability that was predicted but for tau."""
    competitors, p = mine.competitors, roots.performances(work)
    spread = math.sqrt(work.rows[1, 0] ** 2 + work.rows[1, 1] ** 2)
    lead = competitors[_CENTRE, 0] - competitors[_CENTRE, 1]
    P = _logistic(lead / spread)
    kappa = P * (1.0 - P) / (spread * spread)
    kappa = max(kappa, _LEAST_SLOPE / (_unit(s) * _unit(s)))
    score = 0.5 if ranks[0] == ranks[1] else 1.0
    for k in range(2):
        alpha = (score - P) / spread if k == 0 else (P - score) / spread
        m, S = competitors[_CENTRE, k], competitors[_WHOLE, k]
        p[k] = m + S * alpha
        if p[k] > ceiling:
            alpha = (ceiling - m) / S
        offset = m - competitors[_SIDED, k] - competitors[_TEAM_X, k]
        if score != 0.5:
            balance = -alpha / kappa
            offset = max(offset, balance) if k == 0 and p[k] <= ceiling else offset
            offset = min(offset, balance) if k == 1 else offset
        competitors[_ALPHA, k], competitors[_KAPPA, k] = alpha, kappa
        beta2 = _noise(s, k, number, competitors)
        cap, most = ceiling if p[k] > ceiling else math.inf, 0.25 / (spread * spread)
        _step(weight, k, alpha, kappa, most, offset, beta2, cap, competitors)


@kernel
def _logistic(z):
    return 1.0 / (1.0 + math.exp(-min(max(z, -700.0), 700.0)))


@kernel
def _judge(s, number, weight, ceiling, piece, mine, work):
    """What the performances of some groups say of their members.

    The slope J is that of before the result, at m with every tie counted once: so a better place
    never gives less.
    """
    competitors, found = mine.competitors, roots.performances(work)
    least = _LEAST_SLOPE / (_unit(s) * _unit(s))
    last = min((piece + 1) * _GROUPS_PER_PIECE, roots.groups(work))
    for group in range(piece * _GROUPS_PER_PIECE, last):
        top, end = work.starts[group], work.starts[group + 1]
        p, cap = min(found[top], ceiling), ceiling if found[top] > ceiling else math.inf
        for k in range(top, end):
            d = work.rows[1, k]
            J = max(roots.slope_of_all(work, competitors[_CENTRE, k]) - 0.25 / (d * d), least)
            most = mine.notes[_SLOPES] - 0.25 / (d * d)
            _weigh(s, p, J, most, weight, k, _noise(s, k, number, competitors), cap, competitors)


@kernel
def _weigh(s, p, J, most, weight, k, beta2, ceiling, competitors):
    """What a performance p says of a competitor; the others' terms have the slope J, or `most`."""
    m, S = competitors[_CENTRE, k], competitors[_WHOLE, k]
    d = factors.SCALE * math.sqrt(S)
    own_part = 0.5 if s.split_ties != 0 else 1.0
    g = own_part * math.tanh(0.5 * (p - m) / d) / d
    kappa = J / (1.0 + S * J)
    competitors[_ALPHA, k] = kappa * (p + g / J - m)
    competitors[_KAPPA, k] = kappa
    e = p - competitors[_SIDED, k] - competitors[_TEAM_X, k]
    away = e / math.sqrt(1.0 + e * e / (s.robustness * s.robustness * S))
    certain = most / (1.0 + S * most)
    _step(weight, k, kappa * (away + g / J), kappa, certain, 0.0, beta2, ceiling, competitors)


@kernel
def weigh_places(
    settings, performances, ceiling, competitor, J, most, beta2, weight, part, x, V, out
):
    """What each of these performances makes of a member: x and V, a column each.

    `competitor` is m, S, V, x and the side's part of m of who competes; `part` is the member's.
    """
    s, (m, S, team_V, team_x, sided) = settings[0], competitor
    least = _LEAST_SLOPE / (_unit(s) * _unit(s))
    one = np.empty((_PER_COMPETITOR, 1))
    one[_CENTRE, 0], one[_WHOLE, 0], one[_TEAM_V, 0] = m, S, team_V
    one[_TEAM_X, 0], one[_SIDED, 0] = team_x, sided
    for k in range(performances.shape[0]):
        p = min(performances[k], ceiling)
        cap = ceiling if performances[k] > ceiling else math.inf
        _weigh(s, p, max(J, least), most, weight, 0, beta2, cap, one)
        out[0, k] = x + part * V * one[_PULL, 0]
        out[1, k] = V * (1.0 - part * part * V * one[_DROP, 0])


@kernel
def _mean_response(number, ceiling, mine, work, weight):
    """The weighted mean of what all rows say of their offsets."""
    competitors, found = mine.competitors, roots.performances(work)
    whole, response = 0.0, 0.0
    for row in range(mine.features.shape[0]):
        k = number[row] if number.shape[0] > 0 else row
        if found[k] <= ceiling:
            w = weight * competitors[_KAPPA, k] * mine.rows[_PART_OF, row]
            whole += w
            response += w * _response(row, k, mine)
    return response / whole if whole > 0.0 else 0.0


@kernel
def _response(row, k, mine):
    """By what a row is expected away from its rating, and was surprised, the side included."""
    competitors = mine.competitors
    offset = mine.rows[_OFFSET, row] + competitors[_SIDED, k]
    return offset + competitors[_ALPHA, k] / competitors[_KAPPA, k]


@kernel
def _hashed(contest, row):
    """A number of 31 bits that a contest and a row have (splitmix64)."""
    z = np.uint64(contest) * np.uint64(0x9E3779B97F4A7C15)
    z += np.uint64(row) * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(33))


@kernel
def _remember(record, x, V, activity, time):
    """Believe this of a player after a contest."""
    record.mu, record.sigma, record.activity = x, math.sqrt(V), activity + 1.0
    if record.contests == 0:
        record.first_time = time
    record.last_time = time
    record.contests += 1


@kernel
def _conclude(
    table, s, shared, players, number, time, weight, ceiling, first, last, mine, work, block, events
):
    """Change what is believed of some rows, and add up what all players learn from them."""
    competitors, rows, found = mine.competitors, mine.rows, roots.performances(work)
    several = work.rows.shape[1] > 2
    for k in range(_BLOCK):
        block[k] = 0.0
    for row in range(first, last):
        if row + factors.AHEAD < last:
            fetch(table, players[row + factors.AHEAD])
        k = number[row] if number.shape[0] > 0 else row
        record, V, part = table[players[row]], rows[_V, row], rows[_PART_OF, row]
        x = rows[_X, row] + part * V * competitors[_PULL, k]
        gain = part * part * V * competitors[_DROP, k]
        surprise, is_new = record.surprise, record.contests < _NOT_NEW
        _remember(record, x, V * (1.0 - gain), rows[_ACTIVITY, row], time)
        interface.note_after(min(found[k], ceiling), record.mu, record.sigma, row, events)
        if found[k] > ceiling:
            continue
        alpha, kappa, S = competitors[_ALPHA, k], competitors[_KAPPA, k], competitors[_WHOLE, k]
        y = _response(row, k, mine) - mine.notes[_MEAN]
        if several:
            limit = _FARTHEST * math.sqrt(S)
            y = min(max(y, -limit), limit)
        counts = weight * part
        cell, w = int(rows[_CELL, row]), counts * kappa * s.beta * s.beta
        at, phi = (cell // ABSENCES) * _REGIME_SUMS, mine.features[row]
        weighted = w * load(phi, 0)
        for j in range(WIDTH):
            store(block, at, fused(weighted, phi[j], load(block, at)))
            at += WIDTH
        store(block, at, fused(weighted, y, load(block, at)))
        away = min(abs(found[k] - competitors[_CENTRE, k]), _FARTHEST * math.sqrt(S))
        block[_SQUARES + cell] += counts * away * away * shared[RATIOS + cell] / S
        block[_COUNTS + cell] += counts * kappa * S
        block[_INFORMATION] += counts * kappa * S
        record.surprise = min(max(alpha / math.sqrt(kappa), -_FARTHEST), _FARTHEST)
        if not is_new:
            block[_SWAY] += counts * gain * surprise * record.surprise
            block[_SWAYS] += counts * gain * gain


@kernel
def _compare(shared, ranks, weight, ceiling, first, last, mine, work, block):
    """Add up what one pair for each of some competitors says of tau.

    With whom they are paired depends on the number of the contest and on rows alone.
    """
    count, contest, tau = ranks.shape[0], int(shared[CONTESTS]), shared[TAU]
    centre, scale, found = mine.competitors[_CENTRE], work.rows[1], roots.performances(work)
    for k in range(first, min(last, count if count > 2 else 1)):
        other = k + 1 + _hashed(contest, k) % (count - 1)
        other = other if other < count else other - count
        if found[k] > ceiling or found[other] > ceiling:
            continue
        z = (centre[k] - centre[other]) / math.sqrt(scale[k] ** 2 + scale[other] ** 2)
        P = _logistic(tau * z)
        score = 0.5 if ranks[k] == ranks[other] else (1.0 if k < other else 0.0)
        block[_SLOPE] += weight * (score - P) * z
        block[_BEND] += weight * P * (1.0 - P) * z * z


@kernel
def _learn(s, shared, rows, notes, mine):
    """Let all players share what the contest has taught."""
    _forget(s, shared, rows)
    block, more = mine.blocks[0], 1.0 / shared[SCALE]
    for b in range(1, (rows + _ROWS_PER_SUM - 1) // _ROWS_PER_SUM):
        for k in range(_BLOCK):
            block[k] += mine.blocks[b, k]
    shared[LEVEL] += more * notes[_SUM]
    shared[LEVELS] += more * notes[_PRESENT]
    shared[PRESENT] += more * notes[_PRESENT]
    shared[ROUNDS] += more
    for k in range(CELLS):
        shared[SQUARES + k] += more * block[_SQUARES + k]
        shared[COUNTS + k] += more * block[_COUNTS + k]
    shared[CURVATURE] += more * block[_BEND]
    tau = shared[TAU] + block[_SLOPE] / (shared[SCALE] * shared[CURVATURE])
    shared[TAU] = min(max(tau, _LEAST_TAU), _MOST_TAU)
    shared[PACES] += more * block[_SWAYS]
    pace = shared[PACE] * math.exp(2.0 * block[_SWAY] / (shared[SCALE] * shared[PACES]))
    shared[PACE] = min(max(pace, 1.0 / _MOST_PACE), _MOST_PACE)
    _add_products(shared, block, more, mine.vectors)
    shared[PENDING] += block[_INFORMATION]
    if shared[PENDING] >= _ENOUGH:
        shared[PENDING] = 0.0
        _solve(s, shared, mine.matrix)
        _set_ratios(shared)
    shared[CONTESTS] += 1.0


@kernel
def _forget(s, shared, rows):
    """Let all sums count less, those of large contests sooner."""
    shared[SCALE] *= 1.0 - s.forgetting * min(1.0, rows / _FORGETS_WHOLLY)
    scale = shared[SCALE]
    if scale > _LEAST_SCALE:
        return
    for k in (CURVATURE, PACES, LEVEL, LEVELS, PRESENT, ROUNDS):
        shared[k] *= scale
    for k in range(SQUARES, SHARED):
        shared[k] *= scale
    shared[SCALE] = 1.0


@kernel
def _add_products(shared, block, more, vectors):
    """Add a contest to the sums of the regression, of features and responses less their means."""
    means, active = vectors[0], vectors[1]
    whole, response, count = 0.0, 0.0, 0
    of_side = PRODUCTS + SIDE * (SIDE + 1) // 2
    means[SIDE] = 0.0
    for r in range(REGIMES):
        at = r * _REGIME_SUMS
        if block[at] == 0.0:
            continue
        responses = at + WIDTH * WIDTH
        whole += block[at]
        response += block[responses]
        means[SIDE] += block[at + ON_SIDE]
        for j in range(COEFFICIENTS):
            k = COEFFICIENTS * r + j
            means[k], active[count] = block[at + j], k
            count += 1
            shared[RESPONSES + k] += more * block[responses + j]
            row = PRODUCTS + k * (k + 1) // 2 + COEFFICIENTS * r
            for i in range(j + 1):
                shared[row + i] += more * block[at + WIDTH * j + i]
            shared[of_side + k] += more * block[at + WIDTH * ON_SIDE + j]
        shared[of_side + SIDE] += more * block[at + WIDTH * ON_SIDE + ON_SIDE]
        shared[RESPONSES + SIDE] += more * block[responses + ON_SIDE]
    if whole == 0.0:
        return
    active[count] = SIDE
    for a in range(count + 1):
        k = int(active[a])
        part = more * means[k] / whole
        if part != 0.0:
            shared[RESPONSES + k] -= part * response
            row = PRODUCTS + k * (k + 1) // 2
            for b in range(a + 1):
                i = int(active[b])
                shared[row + i] -= part * means[i]


@kernel
def _solve(s, shared, A):
    """Theta by the sums of the regression: coordinate after coordinate, from the last one."""
    theta, scale, at = shared[THETA:RATIOS], shared[SCALE], PRODUCTS
    for k in range(SIZE):
        for i in range(k + 1):
            A[k, i] = A[i, k] = scale * shared[at]
            at += 1
    for _ in range(_SWEEPS):
        largest = 0.0
        for k in range(SIZE):
            is_last_constant = k == (REGIMES - 1) * COEFFICIENTS
            if A[k, k] <= 0.0 or is_last_constant:
                continue
            sums = splat(0.0)
            for i in range(0, SIZE, WIDTH):
                sums = fused(load(A[k], i), load(theta, i), sums)
            value = scale * shared[RESPONSES + k] - total(sums) + A[k, k] * theta[k]
            value /= A[k, k] + _RIDGE[k]
            if k == RATING:
                value = min(max(value, 0.0), _MOST_TILT * _unit(s))
            elif k < SIDE and k % COEFFICIENTS == RATING:
                value = max(value, _LEAST_TILT * _unit(s))
            largest = max(largest, abs(value - theta[k]))
            theta[k] = value
        if largest < 0.01 * _unit(s):
            break


@kernel
def _set_ratios(shared):
    """By how much performances scatter, as ratios to what the most experienced do."""
    scale, last = shared[SCALE], (REGIMES - 1) * ABSENCES
    for k in range(CELLS):
        squares = scale * shared[SQUARES + k] + _LASTING_RESULTS
        shared[RATIOS + k] = squares / (scale * shared[COUNTS + k] + _LASTING_RESULTS)
    usual = shared[RATIOS + last]
    for k in range(CELLS):
        shared[RATIOS + k] /= usual


@kernel
def _gather(s, shared, table, players, side, time, piece, mine, events):
    """Fill in some rows as of the contest, and add up the ratings of those who have played."""
    first, last = roots.rows_of(piece, players.shape[0])
    total_x, present = 0.0, 0.0
    for row in range(first, last):
        if row + factors.AHEAD < last:
            fetch(table, players[row + factors.AHEAD])
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        has = side[row] if side.shape[0] > 0 else 0
        _describe(record, s, shared, has, time, row, mine)
        if record.contests > 0:
            total_x += record.mu
            present += 1.0
    mine.parts[piece, 0], mine.parts[piece, 1] = total_x, present


@kernel
def _foretell(s, shared, first, last, mine, out):
    """Say what is expected of some rows, the side included, and the spread of that."""
    h, tau = shared[THETA + SIDE], shared[TAU]
    for row in range(first, last):
        whole = mine.rows[_V, row] + s.beta * s.beta
        S = shared[RATIOS + int(mine.rows[_CELL, row])] * whole
        out[0, row] = mine.rows[_X, row] + mine.rows[_OFFSET, row]
        out[0, row] += h * mine.features[row, ON_SIDE]
        out[1, row] = math.sqrt(S) / tau


@kernel
def _piece(
    step, piece, c, table, shared, settings, offsets, player, side, share, time, weight, ceiling,
    ranks, numbers, events, forecasts, work, mine,
):  # fmt: skip
    """One of a step of a contest."""
    start, end = offsets[c], offsets[c + 1]
    players, s, count = player[start:end], settings[0], end - start
    number = numbers[start:end] if numbers.shape[0] > 0 else numbers
    if step == _GATHER:
        sides = side[start:end] if side.shape[0] > 0 else side
        seen = interface.events_of(events, start, end)
        _gather(s, shared, table, players, sides, time[c], piece, mine, seen)
    elif step == _EXPECT:
        first, last = roots.rows_of(piece, count)
        if number.shape[0] == 0:
            _expect_alone(s, shared, first, last, mine, work)
        else:
            first, last = 0, count
            parts = share[start:end] if share.shape[0] > 0 else share
            _expect_teams(s, shared, number, parts, mine, work, ranks.shape[0])
        if forecasts.shape[1] > 0:
            _foretell(s, shared, first, last, mine, forecasts[:, start:end])
    elif step == _JUDGE:
        if ranks.shape[0] == 2:
            _meet(s, ranks, number, weight[c], ceiling[c], mine, work)
        else:
            _judge(s, number, weight[c], ceiling[c], piece, mine, work)
    elif step == _CONCLUDE:
        first, last = piece * _ROWS_PER_SUM, min((piece + 1) * _ROWS_PER_SUM, count)
        block, seen = mine.blocks[piece], interface.events_of(events, start, end)
        _conclude(
            table, s, shared, players, number, time[c], weight[c], ceiling[c], first, last, mine,
            work, block, seen,
        )  # fmt: skip
        _compare(shared, ranks, weight[c], ceiling[c], first, last, mine, work, block)
    else:
        roots.piece(work, ranks, step, piece)


@kernel
def _pieces(step, s, shared, work, mine, ranks, number, weight, ceiling):
    """How many pieces a step has, after what one thread does before it."""
    rows = mine.features.shape[0]
    mode = roots.SPLIT if s.split_ties != 0 else roots.TIED
    by_rows = roots.pieces_of(rows)
    if step == _GATHER:
        return by_rows
    if step == _EXPECT:
        total_x, present = 0.0, 0.0
        for k in range(by_rows):
            total_x += mine.parts[k, 0]
            present += mine.parts[k, 1]
        _set_level(s, shared, total_x, present, mine.notes)
        return by_rows if number.shape[0] == 0 else 1
    if step == _JUDGE:
        if ranks.shape[0] == 2:
            return 1
        roots.tabulate(work)
        mine.notes[_SLOPES] = _slopes_among_equals(ranks.shape[0], work)
        return (roots.groups(work) + _GROUPS_PER_PIECE - 1) // _GROUPS_PER_PIECE
    if step == _CONCLUDE:
        mine.notes[_MEAN] = _mean_response(number, ceiling, mine, work, weight)
        return (rows + _ROWS_PER_SUM - 1) // _ROWS_PER_SUM
    return roots.pieces(work, step, ranks, mode)


@kernel
def _rest(s, shared, table, players, time, mine, events):
    """A contest without opponents: only time has passed."""
    for row in range(players.shape[0]):
        record = table[players[row]]
        V = record.sigma * record.sigma
        if record.contests > 0:
            V += grown(s, shared[PACE], record.contests, _days(record.last_time, time))
        _remember(record, record.mu, V, mine.rows[_ACTIVITY, row], time)
        interface.note_after(np.nan, record.mu, record.sigma, row, events)


@kernel
def fold_contests(
    table, shared, settings, offsets, player, side, share, time, weight, ceiling,
    places, rank, numbers, first, last, events, forecasts, room, more, crew, role,
):  # fmt: skip
    """Fold the contests `first` to `last`.

    The ranks of the competitors of contest c are ``rank[places[c]..places[c + 1]]``; `numbers`
    says which of them each row belongs to, and is empty if everybody competes alone. `forecasts`
    has a column per row for what was expected of it and its spread, or is empty.
    """
    if role == SERVES:
        for step, piece in served(crew):
            c = int(room[roots.CONTEST])
            ranks = rank[places[c] : places[c + 1]]
            work, mine = roots.laid_out(room, ranks.shape[0]), _laid_out(more, _rows(offsets, c))
            _piece(
                step, piece, c, table, shared, settings, offsets, player, side, share, time, weight,
                ceiling, ranks, numbers, events, forecasts, work, mine,
            )  # fmt: skip
        return last
    s = settings[0]
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        ranks = rank[places[c] : places[c + 1]]
        number = numbers[start:end] if numbers.shape[0] > 0 else numbers
        work, mine = roots.laid_out(room, ranks.shape[0]), _laid_out(more, _rows(offsets, c))
        work.state[roots.CONTEST] = c
        for step in range(STEPS if ranks.shape[0] > 1 else _ENDS):
            if ranks.shape[0] == 2 and _ENDS <= step < _JUDGE:
                continue  # two are compared without performances
            pieces = _pieces(step, s, shared, work, mine, ranks, number, weight[c], ceiling[c])
            for piece in shares(crew, step, pieces):
                _piece(
                    step, piece, c, table, shared, settings, offsets, player, side, share, time,
                    weight, ceiling, ranks, numbers, events, forecasts, work, mine,
                )  # fmt: skip
        if ranks.shape[0] > 1:
            _learn(s, shared, end - start, mine.notes, mine)
        else:
            seen = interface.events_of(events, start, end)
            _rest(s, shared, table, player[start:end], time[c], mine, seen)
    return last


@kernel
def _rows(offsets, c):
    return offsets[c + 1] - offsets[c]


@kernel
def forecast(table, shared, settings, players, side, time, as_usual, room, out):
    """What these players are expected to perform at if they meet, and the spread of that.

    If not they but the usual ones meet, `as_usual`, they do not set the level. If `out` has more
    than two rows, those have the features and the last one the cell of ratios.
    """
    s, count = settings[0], players.shape[0]
    mine, total_x, present = _laid_out(room, count), 0.0, 0.0
    for row in range(count):
        record = table[players[row]]
        _describe(record, s, shared, side[row], time, row, mine)
        if record.contests > 0:
            total_x += record.mu
            present += 1.0
    _set_level(s, shared, total_x, present, mine.notes)
    if as_usual:
        mine.notes[_FIELD] = shared[LEVEL] / shared[LEVELS]
    for row in range(count):
        _expect(s, shared, mine.notes, row, mine)
    _foretell(s, shared, 0, count, mine, out)
    if out.shape[0] > 2:
        for row in range(count):
            for j in range(WIDTH):
                out[2 + j, row] = mine.features[row, j]
            out[2 + WIDTH, row] = mine.rows[_CELL, row]


@kernel
def forecast_pairs(table, shared, settings, first, second, time, room, out):
    """What players are expected to perform at, each against another, and the spread of that.

    `out` has a row for each of: the first's, its spread, the second's, its spread.
    """
    players, side = np.empty(2, np.int32), np.zeros(2, np.int8)
    pair = np.empty((2, 2))
    for row in range(first.shape[0]):
        players[0], players[1] = first[row], second[row]
        forecast(table, shared, settings, players, side, time, False, room, pair)
        out[0, row], out[1, row] = pair[0, 0], pair[1, 0]
        out[2, row], out[3, row] = pair[0, 1], pair[1, 1]


def products(shared: Floats) -> Floats:
    """The matrix of the regression, as far as it is remembered."""
    lower = np.zeros((SIZE, SIZE))
    lower[np.tril_indices(SIZE)] = shared[SCALE] * shared[PRODUCTS:]
    return lower + np.tril(lower, -1).T


def sums_of(shared: Floats, k: int) -> Floats:
    """The row of that matrix that is about one coefficient, and the response to it."""
    return np.append(products(shared)[k], shared[SCALE] * shared[RESPONSES + k])


def covariance(shared: Floats, beta: float) -> Floats:
    """Of the coefficients theta, as if results were independent; zero where nothing is learned."""
    A, out = products(shared), np.zeros((SIZE, SIZE))
    learned = np.diag(A) > 0.0
    learned[(REGIMES - 1) * COEFFICIENTS] = False
    kept = np.ix_(learned, learned)
    out[kept] = beta * beta * np.linalg.inv(A[kept] + np.diag(_RIDGE[learned]))
    return out


def forgotten(forgetting: float, rows: NDArray[np.int64]) -> Floats:
    """The part of all sums that contests of so many rows forget."""
    found: Floats = forgetting * np.minimum(1.0, rows / _FORGETS_WHOLLY)
    return found


def flaw(shared: Floats) -> str | None:
    """What makes numbers that all players share unusable, as a clause; they are finite."""
    positive = shared[[SCALE, TAU, CURVATURE, PACE, PACES, LEVELS]].min() > 0.0
    counts = shared[[CONTESTS, PRESENT, ROUNDS, PENDING]].min() >= 0.0
    counts = counts and shared[COUNTS:RESPONSES].min() >= 0.0 and shared[CONTESTS] < 2.0**53
    if positive and counts and shared[RATIOS:COUNTS].min() > 0.0:
        return None
    return "what all players share is out of its range"
