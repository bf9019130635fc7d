"""Podium's own model on arrays: ratings, and forecasts that learn what all players share."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import factors, interface, roots
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.compiled import kernel
from podium.numerics.crew import SERVES, served, shares
from podium.numerics.lanes import WIDTH, fetch, fused, load, splat, store, total

Floats = NDArray[np.float64]

SETTINGS = interface.settings(
    "beta noise drift_per_day drift_new robustness forgetting mu_new k0 k1 k2 k3 k4 k5 k6 k7 k8 k9", "split_ties"
)
FIELDS = [("first_time", "i8"), ("activity", "f8"), ("surprise", "f8")]

REGIMES, ABSENCES, COEFFICIENTS = 9, 3, 7
LOWEST = np.array((0, 1, 2, 3, 5, 9, 17, 36, 81))
_REGIME = np.searchsorted(LOWEST, np.arange(LOWEST[-1] + 1), side="right") - 1
DEVIATIONS = np.array((350.0, 290.0, 260.0, 240.0, 225.0, 215.0, 208.0, 205.0, 205.0)) / 200.0
CELLS = REGIMES * ABSENCES
SIDE = REGIMES * COEFFICIENTS
SIZE = SIDE + 1
PAIRS = SIZE * (SIZE + 1) // 2

(CONTESTS, SCALE, TAU, CURVATURE, LEVEL, LEVELS, DRIFT, DRIFTS, PENDING, PACE, PACES) = range(11)
THETA = 16
TABLE = THETA + SIZE
SQUARES = TABLE + CELLS
COUNTS = SQUARES + CELLS
RESPONSES = COUNTS + CELLS
PRODUCTS = RESPONSES + SIZE
SHARED = PRODUCTS + PAIRS

STEPS = 7
_GATHER, _EXPECT, _SLOPES, _CONCLUDE = 0, 1, 5, 6

_ROWS_PER_SUM = 1024
_GROUPS_PER_PIECE = 64
_BLOCK = REGIMES * 9 * WIDTH + 2 * CELLS + 8
_PART = 4

_X, _V, _ACTIVITY, _CELL, _Y, _WEIGHT, _IOTA, _NEW_X, _NEW_V, _GAIN = range(10)
_COLUMNS = 10


class Mine(NamedTuple):
    columns: Floats
    features: Floats
    parts: Floats
    blocks: Floats
    memory: Floats


def new_shared(beta, mu_new, curvature, paces):
    shared = np.zeros(SHARED)
    shared[SCALE] = shared[TAU] = 1.0
    shared[CURVATURE] = curvature
    shared[PACES] = paces
    shared[PACE] = 1.0
    shared[LEVELS] = 20.0
    shared[LEVEL] = 20.0 * mu_new
    prior = np.ones(CELLS)
    shared[TABLE : TABLE + CELLS] = prior
    shared[SQUARES : SQUARES + CELLS] = 100.0 * prior
    shared[COUNTS : COUNTS + CELLS] = 100.0
    return shared


def room_for(rows: int) -> Floats:
    parts = rows // _GROUPS_PER_PIECE + 2
    blocks = rows // _ROWS_PER_SUM + 1
    return np.zeros((_COLUMNS + WIDTH) * rows + parts * _PART + blocks * _BLOCK + SIZE * SIZE + 4 * SIZE)


@kernel
def _laid_out(room, rows):
    end = _COLUMNS * rows
    columns = room[:end].reshape(_COLUMNS, rows)
    start, end = end, end + WIDTH * rows
    features = room[start:end].reshape(rows, WIDTH)
    parts = rows // _GROUPS_PER_PIECE + 2
    start, end = end, end + parts * _PART
    part = room[start:end].reshape(parts, _PART)
    blocks = rows // _ROWS_PER_SUM + 1
    start, end = end, end + blocks * _BLOCK
    block = room[start:end].reshape(blocks, _BLOCK)
    return Mine(columns, features, part, block, room[end:])


@kernel
def _gather(table, s, shared, players, side, time, weight, contested, first, last, mine, part, events):
    """Read records."""
    sums, count = 0.0, 0.0
    columns = mine.columns
    unit = s.beta / 200.0
    for row in range(first, last):
        if row + factors.AHEAD < last:
            fetch(table, players[row + factors.AHEAD])
        record = table[players[row]]
        interface.note_before(record.mu, record.sigma, row, events)
        n, x, V, activity = record.contests, record.mu, record.sigma * record.sigma, 0.0
        days, age = 0.0, 0.0
        phi = mine.features[row]
        r = _REGIME[min(n, _REGIME.shape[0] - 1)]
        phi[0] = 1.0
        phi[7] = 0.5 * side[row] if side.shape[0] > 0 else 0.0
        if n > 0:
            days = max(0.0, (time - record.last_time) / MICROSECONDS_PER_DAY)
            age = max(0.0, (time - record.first_time) / MICROSECONDS_PER_DAY)
            grown = (s.drift_per_day + s.drift_new / (1.0 + n / 20.0)) * min(days, 400.0)
            if contested:
                grown += s.noise * s.noise * weight
            V += shared[PACE] * grown
            activity = record.activity * math.exp(-days / 60.0)
            l = math.log(1.0 + days) / 3.0 - 1.0
            phi[2], phi[3] = l, l * l
            phi[4] = activity / (5.0 + activity) - 0.3
            phi[5] = math.log(1.0 + age) / 5.0 - 1.0
            phi[6] = math.log((1.0 + n) / (1.0 + LOWEST[r]))
            sums += x
            count += 1.0
        else:
            phi[2], phi[3], phi[4], phi[5], phi[6] = 0.0, 0.0, 0.0, 0.0, 0.0
        absence = 0 if days < 45.0 else (1 if days < 240.0 else 2)
        columns[_X, row], columns[_V, row], columns[_ACTIVITY, row] = x, V, activity
        columns[_CELL, row] = r * ABSENCES + absence
    part[0], part[1] = sums, count


@kernel
def _expect(s, shared, f, first, last, mine, rows, forecasts):
    unit = s.beta / 200.0
    columns = mine.columns
    theta = shared[THETA : THETA + SIZE + WIDTH]
    tau = shared[TAU]
    for row in range(first, last):
        phi = mine.features[row]
        cell = int(columns[_CELL, row])
        r = cell // ABSENCES
        x = columns[_X, row]
        phi[1] = (x - f) / (100.0 * unit) if r > 0 else (f - s.mu_new) / (100.0 * unit)
        m = x + phi[7] * theta[SIDE]
        for j in range(COEFFICIENTS):
            m += theta[COEFFICIENTS * r + j] * phi[j]
        S = shared[TABLE + cell] * (columns[_V, row] + s.beta * s.beta)
        rows[0, row] = m
        rows[1, row] = factors.SCALE * math.sqrt(S)
        if forecasts.shape[1] > 0:
            forecasts[0, row] = m
            forecasts[1, row] = math.sqrt(S) / tau


@kernel
def _slopes(s, shared, table, players, ranks, weight, ceiling, number, mine, work, part):
    columns = mine.columns
    mu, scale = work.rows[0], work.rows[1]
    p_of = roots.performances(work)
    groups = roots.groups(work)
    split = s.split_ties != 0
    own_times = 1.0 if split else 2.0
    own_part = 0.5 if split else 1.0
    h = shared[THETA + SIDE]
    beta2 = s.beta * s.beta
    rho2 = s.robustness * s.robustness
    part[0], part[1], part[2], part[3] = 0.0, 0.0, 0.0, 0.0
    drift = shared[DRIFT] / (shared[DRIFTS] + s.k5) if s.k5 > 0.0 else 0.0
    for g in range(number * _GROUPS_PER_PIECE, min((number + 1) * _GROUPS_PER_PIECE, groups)):
        top, end = work.starts[g], work.starts[g + 1]
        p = min(p_of[top], ceiling)
        slope = roots.slope_at(work, ranks, g, p)
        for row in range(top, end):
            x, V, m, d = columns[_X, row], columns[_V, row], mu[row], scale[row]
            S = d * d / (factors.SCALE * factors.SCALE)
            t = math.tanh(0.5 * (p - m) / d)
            g_ = own_part * t / d
            own = 0.25 * (1.0 - t * t) / (d * d)
            J = max(slope - own_times * own, 1e-12)
            iota = S * J / (1.0 + S * J)
            e = p - h * mine.features[row, 7] - x
            e /= math.sqrt(1.0 + e * e / (rho2 * S))
            whole = 1.0 + weight * J * V + J * beta2
            step = weight * V * (g_ + J * e) / whole
            columns[_NEW_X, row] = x + step - drift
            columns[_GAIN, row] = weight * V * J / whole
            columns[_NEW_V, row] = V * (1.0 + J * beta2) / whole
            y = p - x
            y += s.k7 * g_ / J
            w = weight * iota * beta2 / S if p_of[top] <= ceiling else 0.0
            columns[_Y, row], columns[_WEIGHT, row], columns[_IOTA, row] = y, w, weight * iota
            part[0] += w
            part[1] += w * y
            if columns[_CELL, row] >= 4 * ABSENCES:
                part[2] += step
                part[3] += 1.0


@kernel
def _meet(s, shared, ranks, weight, mine, work, part):
    columns, features = mine.columns, mine.features
    mu, scale, p_of = work.rows[0], work.rows[1], roots.performances(work)
    tau = shared[TAU] if s.k2 > 0.0 else 1.0
    spread = math.sqrt(scale[0] * scale[0] + scale[1] * scale[1]) / tau
    P = 1.0 / (1.0 + math.exp(-min(max((mu[0] - mu[1]) / spread, -700.0), 700.0)))
    score = 0.5 if ranks[0] == ranks[1] else 1.0
    kappa = max(P * (1.0 - P) / (spread * spread), 1e-12)
    alpha = (score - P) / spread
    h, beta2 = shared[THETA + SIDE], s.beta * s.beta
    part[0], part[1], part[2], part[3] = 0.0, 0.0, 0.0, 0.0
    for row in range(2):
        x, V, m, d = columns[_X, row], columns[_V, row], mu[row], scale[row] / tau
        S = d * d / (factors.SCALE * factors.SCALE)
        whole = weight * kappa * V + kappa * beta2 + 1.0 - kappa * S
        offset = s.k0 * (m - h * features[row, 7] - x)
        tilt = features[row, 1] * shared[THETA + COEFFICIENTS * (int(columns[_CELL, row]) // ABSENCES) + 1]
        if s.k1 == 1.0:
            offset -= tilt
        if s.k1 == 2.0:
            offset = tilt
        if s.k1 == 3.0 and score != 0.5:
            offset = max(offset, -alpha / kappa) if alpha > 0.0 else min(offset, -alpha / kappa)
        step = weight * V * (alpha + kappa * offset) / whole
        columns[_NEW_X, row] = x + step
        columns[_GAIN, row] = weight * V * kappa / whole
        columns[_NEW_V, row] = V * (1.0 - weight * kappa * V / whole)
        p_of[row] = m + S * alpha
        w = weight * kappa * beta2
        y = alpha / kappa + m - x
        columns[_Y, row], columns[_WEIGHT, row] = y, w
        columns[_IOTA, row] = weight * kappa * S * tau * tau
        part[0] += w
        part[1] += w * y
        if columns[_CELL, row] >= 4 * ABSENCES:
            part[2] += step
            part[3] += 1.0
        alpha = -alpha


@kernel
def _hashed(contest, row):
    """A number of 32 bits that a contest and a row have (splitmix64)."""
    z = np.uint64(contest) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(row) * np.uint64(
        0xD1B54A32D192ED03
    )
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(33))


@kernel
def _conclude(
    table, s, shared, players, ranks, time, weight, ceiling, mean, number, mine, work, block, events
):
    rows = players.shape[0]
    columns = mine.columns
    mu, scale = work.rows[0], work.rows[1]
    p_of = roots.performances(work)
    squares = block[REGIMES * 9 * WIDTH :]
    for k in range(_BLOCK):
        block[k] = 0.0
    tau = shared[TAU]
    contest = int(shared[CONTESTS])
    slope, bend, info = 0.0, 0.0, 0.0
    sway, sways = 0.0, 0.0
    first, last = number * _ROWS_PER_SUM, min((number + 1) * _ROWS_PER_SUM, rows)
    for row in range(first, last):
        if row + factors.AHEAD < last:
            fetch(table, players[row + factors.AHEAD])
        record = table[players[row]]
        record.mu = columns[_NEW_X, row]
        record.sigma = math.sqrt(columns[_NEW_V, row])
        record.activity = columns[_ACTIVITY, row] + 1.0
        if record.contests == 0:
            record.first_time = time
        record.last_time = time
        record.contests += 1
        interface.note_after(min(p_of[row], ceiling), record.mu, record.sigma, row, events)
        if p_of[row] > ceiling:
            continue
        cell = int(columns[_CELL, row])
        d = scale[row]
        S = d * d / (factors.SCALE * factors.SCALE)
        limit = 3.0 * math.sqrt(S)
        y = columns[_Y, row] - mean
        if rows > 2:
            y = min(max(y, -limit), limit)
        w = columns[_WEIGHT, row]
        phi = load(mine.features[row], 0)
        weighted = w * phi
        at = (cell // ABSENCES) * 9 * WIDTH
        for j in range(WIDTH):
            store(block, at, fused(weighted, mine.features[row, j], load(block, at)))
            at += WIDTH
        store(block, at, fused(weighted, y, load(block, at)))
        away = p_of[row] - mu[row]
        if rows == 2:
            away *= tau
        info += columns[_IOTA, row]
        surprise = away / math.sqrt(S * columns[_IOTA, row] / weight)
        surprise = min(max(surprise, -3.0), 3.0)
        if record.contests > s.k9:
            gain = columns[_GAIN, row]
            sway += weight * gain * surprise * record.surprise
            sways += weight * gain * gain
        record.surprise = surprise
        whole = columns[_V, row] + s.beta * s.beta
        squares[cell] += weight * min(away * away, 9.0 * S) / whole
        squares[CELLS + cell] += columns[_IOTA, row]
        other = row + 1 + _hashed(contest, row) % (rows - 1)
        if other >= rows:
            other -= rows
        if p_of[other] <= ceiling and (rows > 2 or row == 0):
            So = scale[other]
            z = (mu[row] - mu[other]) / math.sqrt(d * d + So * So)
            score = 0.5 if ranks[row] == ranks[other] else (1.0 if row < other else 0.0)
            P = 1.0 / (1.0 + math.exp(-min(max(tau * z, -700.0), 700.0)))
            slope += weight * (score - P) * z
            bend += weight * P * (1.0 - P) * z * z
    squares[2 * CELLS], squares[2 * CELLS + 1], squares[2 * CELLS + 2] = slope, bend, info
    squares[2 * CELLS + 3], squares[2 * CELLS + 4] = sway, sways


@kernel
def _rest(table, players, time, mine, events):
    record = table[players[0]]
    record.sigma = math.sqrt(mine.columns[_V, 0])
    record.activity = mine.columns[_ACTIVITY, 0] + 1.0
    if record.contests == 0:
        record.first_time = time
    record.last_time = time
    record.contests += 1
    interface.note_after(np.nan, record.mu, record.sigma, 0, events)


@kernel
def _learn(s, shared, rows, weight, level, levels, drift, drifts, mine):
    unit = s.beta / 200.0
    keep = 1.0 - s.forgetting * min(1.0, rows / s.k4)
    shared[SCALE] *= keep
    if shared[SCALE] < 1e-3:
        scale = shared[SCALE]
        shared[CURVATURE] *= scale
        shared[LEVEL] *= scale
        shared[LEVELS] *= scale
        shared[DRIFT] *= scale
        shared[DRIFTS] *= scale
        shared[PACES] *= scale
        for k in range(SQUARES, SHARED):
            shared[k] *= scale
        shared[SCALE] = 1.0
    more = 1.0 / shared[SCALE]
    blocks = (rows + _ROWS_PER_SUM - 1) // _ROWS_PER_SUM
    block = mine.blocks[0]
    for b in range(1, blocks):
        other = mine.blocks[b]
        for k in range(_BLOCK):
            block[k] += other[k]
    shared[LEVEL] += level * more
    shared[LEVELS] += levels * more
    shared[DRIFT] += drift * more
    shared[DRIFTS] += drifts * more
    squares = block[REGIMES * 9 * WIDTH :]
    for k in range(CELLS):
        shared[SQUARES + k] += more * squares[k]
        shared[COUNTS + k] += more * squares[CELLS + k]
    shared[PENDING] += squares[2 * CELLS + 2]
    shared[CURVATURE] += more * squares[2 * CELLS + 1]
    curvature = shared[CURVATURE] * shared[SCALE]
    tau = shared[TAU] + squares[2 * CELLS] / curvature
    shared[TAU] = min(max(tau, 0.3), 4.0)
    shared[PACES] += more * squares[2 * CELLS + 4]
    if s.k8 > 0.0:
        pace = math.log(shared[PACE]) + 2.0 * s.k8 * squares[2 * CELLS + 3] / (shared[PACES] * shared[SCALE])
        shared[PACE] = math.exp(min(max(pace, -2.3), 2.3))
    _add_products(shared, block, more, mine.memory[SIZE * SIZE :])
    if shared[PENDING] >= s.k3:
        shared[PENDING] = 0.0
        _solve(shared, unit, mine.memory)
        _tabulate(shared, s.beta)
    shared[CONTESTS] += 1.0


@kernel
def _add_products(shared, block, more, memory):
    means, active = memory[:SIZE], memory[SIZE:]
    response, whole = 0.0, 0.0
    count = 0
    means[SIDE] = 0.0
    for r in range(REGIMES):
        at = r * 9 * WIDTH
        if block[at] == 0.0:
            continue
        whole += block[at]
        response += block[at + 8 * WIDTH]
        means[SIDE] += block[at + 7]
        for j in range(COEFFICIENTS):
            k = COEFFICIENTS * r + j
            means[k] = block[at + j]
            active[count] = k
            count += 1
            shared[RESPONSES + k] += more * block[at + 8 * WIDTH + j]
            base = PRODUCTS + k * (k + 1) // 2 + COEFFICIENTS * r
            for i in range(j + 1):
                shared[base + i] += more * block[at + WIDTH * j + i]
            shared[PRODUCTS + SIDE * (SIDE + 1) // 2 + k] += more * block[at + 7 * WIDTH + j]
        shared[PRODUCTS + SIDE * (SIDE + 1) // 2 + SIDE] += more * block[at + 7 * WIDTH + 7]
        shared[RESPONSES + SIDE] += more * block[at + 8 * WIDTH + 7]
    if whole == 0.0:
        return
    active[count] = SIDE
    count += 1
    for a in range(count):
        k = int(active[a])
        part = more * means[k] / whole
        if part == 0.0:
            continue
        shared[RESPONSES + k] -= part * response
        base = PRODUCTS + k * (k + 1) // 2
        for b in range(a + 1):
            i = int(active[b])
            shared[base + i] -= part * means[i]


@kernel
def _solve(shared, unit, memory):
    A = memory[: SIZE * SIZE].reshape(SIZE, SIZE)
    theta = shared[THETA : THETA + SIZE]
    scale = shared[SCALE]
    at = PRODUCTS
    for k in range(SIZE):
        for i in range(k + 1):
            A[k, i] = A[i, k] = scale * shared[at]
            at += 1
    for _ in range(15):
        largest = 0.0
        for k in range(SIZE):
            if A[k, k] <= 0.0 or k == (REGIMES - 1) * COEFFICIENTS:
                continue
            row = A[k]
            sums = splat(0.0)
            for i in range(0, SIZE, WIDTH):
                sums = fused(load(row, i), load(theta, i), sums)
            ridge = 20.0 if k != SIDE else 1.0
            value = scale * shared[RESPONSES + k] - total(sums) + A[k, k] * theta[k]
            value /= A[k, k] + ridge
            if k < SIDE and k % COEFFICIENTS == 1 and k > COEFFICIENTS:
                value = max(value, -90.0 * unit)
            largest = max(largest, abs(value - theta[k]))
            theta[k] = value
        if largest < 0.01 * unit:
            break


@kernel
def _tabulate(shared, beta):
    scale = shared[SCALE]
    for k in range(CELLS):
        prior = 1.0
        squares = scale * shared[SQUARES + k] + 10.0 * prior * prior
        shared[TABLE + k] = squares / (scale * shared[COUNTS + k] + 10.0)
    factor = 1.0 / shared[TABLE + (REGIMES - 1) * ABSENCES]
    for k in range(CELLS):
        shared[TABLE + k] *= factor


@kernel
def _piece(
    step, number, table, shared, settings, offsets, player, rank, time, weight, ceiling, side,
    events, forecasts, room, more,
):  # fmt: skip
    c = int(room[roots.CONTEST])
    start, end = offsets[c], offsets[c + 1]
    rows = end - start
    players, ranks, s = player[start:end], rank[start:end], settings[0]
    work, mine = roots.laid_out(room, rows), _laid_out(more, rows)
    seen = interface.events_of(events, start, end)
    first, last = roots.rows_of(number, rows)
    if step == _GATHER:
        sides = side[start:end] if side.shape[0] > 0 else side
        _gather(
            table, s, shared, players, sides, time[c], weight[c], rows > 1, first, last, mine,
            mine.parts[number], seen,
        )  # fmt: skip
    elif step == _EXPECT:
        told = forecasts[:, start:end] if forecasts.shape[1] > 0 else forecasts
        _expect(s, shared, mine.memory[SIZE * SIZE], first, last, mine, work.rows, told)
    elif step == _SLOPES:
        _slopes(
            s, shared, table, players, ranks, weight[c], ceiling[c], number, mine, work,
            mine.parts[number],
        )  # fmt: skip
    elif step == _CONCLUDE:
        _conclude(
            table, s, shared, players, ranks, time[c], weight[c], ceiling[c],
            mine.memory[SIZE * SIZE + 1], number, mine, work, mine.blocks[number], seen,
        )  # fmt: skip
    else:
        roots.piece(work, ranks, step - 1, number)


@kernel
def _pieces(step, s, shared, work, mine, ranks, notes):
    rows = ranks.shape[0]
    mode = roots.SPLIT if s.split_ties != 0 else roots.TIED
    memory = mine.memory[SIZE * SIZE :]
    if step == _GATHER:
        return roots.pieces(work, roots.PREPARE, ranks, mode)
    if step == _EXPECT:
        count = roots.pieces(work, roots.PREPARE, ranks, mode)
        sums, n = 0.0, 0.0
        for k in range(count):
            sums += mine.parts[k, 0]
            n += mine.parts[k, 1]
        notes[0], notes[1] = sums, n
        if s.k6 > 0.0:
            level = shared[LEVEL] / shared[LEVELS]
            memory[0] = (sums + s.k6 * level) / (n + s.k6)
        else:
            memory[0] = sums / n if n > 0.0 else s.mu_new
        return count
    if step == _SLOPES:
        return (roots.groups(work) + _GROUPS_PER_PIECE - 1) // _GROUPS_PER_PIECE
    if step == _CONCLUDE:
        w, wy, notes[2], notes[3] = 0.0, 0.0, 0.0, 0.0
        for k in range((roots.groups(work) + _GROUPS_PER_PIECE - 1) // _GROUPS_PER_PIECE):
            w += mine.parts[k, 0]
            wy += mine.parts[k, 1]
            notes[2] += mine.parts[k, 2]
            notes[3] += mine.parts[k, 3]
        memory[1] = wy / w if w > 0.0 else 0.0
        return (rows + _ROWS_PER_SUM - 1) // _ROWS_PER_SUM
    return roots.pieces(work, step - 1, ranks, mode)


@kernel
def fold_contests(
    table, shared, settings, offsets, player, rank, time, weight, ceiling, side, first, last,
    events, forecasts, room, more, crew, role,
):  # fmt: skip
    if role == SERVES:
        for step, number in served(crew):
            _piece(
                step, number, table, shared, settings, offsets, player, rank, time, weight,
                ceiling, side, events, forecasts, room, more,
            )  # fmt: skip
        return last
    notes = np.zeros(4)
    s = settings[0]
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        work, ranks = roots.laid_out(room, end - start), rank[start:end]
        mine = _laid_out(more, end - start)
        work.state[roots.CONTEST] = c
        for step in range(STEPS if end - start > 1 else 2):
            if end - start == 2 and 1 < step <= _SLOPES:
                if step == _SLOPES:
                    work.state[2] = 1.0
                    _meet(s, shared, ranks, weight[c], mine, work, mine.parts[0])
                continue
            for number in shares(crew, step, _pieces(step, s, shared, work, mine, ranks, notes)):
                _piece(
                    step, number, table, shared, settings, offsets, player, rank, time, weight,
                    ceiling, side, events, forecasts, room, more,
                )  # fmt: skip
        if end - start > 1:
            _learn(
                s, shared, end - start, weight[c], notes[0], notes[1], notes[2], notes[3], mine
            )
        else:
            _rest(table, player[start:end], time[c], mine, interface.events_of(events, start, end))
    return last
