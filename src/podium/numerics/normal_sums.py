"""Expected ranks under the normal model: ``E_i = sum_j Phi((x_j - x_i) / sqrt(t_i + t_j))``.

Every pair has a variance of its own, so no single function of x can be tabulated. But as a
Fourier integral, ``Phi(d / s) = 1/2 + (1/pi) int sin(k d) / k * exp(-k² s² / 2) dk`` over k > 0, a
pair falls apart into a factor of each: with ``s² = t_i + t_j`` and ``d = x_j - x_i``,

    sin(k d) exp(-k² s² / 2) = g_i g_j (sin(k x_j) cos(k x_i) - cos(k x_j) sin(k x_i)),
    g = exp(-k² t / 2).

By the midpoint rule, ``k = (m + 1/2) h``, the integral is a sum of a few dozen modes. One pass adds
up ``g sin`` and ``g cos`` of all players for every mode, a second one puts every player against
the sums: linear in the players. The rule is exact but for waves that come round after ``2 pi / h``,
and modes end where the factor of the narrowest pair does; both errors are below 1e-14 a pair.

The few narrowest players would ask for many modes. They are compared among themselves term by
term, and by modes with the others only. Where that line is drawn, and whether modes
pay at all, depends on the contest alone.
"""

import math

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel
from podium.numerics.normal import normal_cdf
from podium.numerics.threads import for_each

Floats = NDArray[np.float64]

LANES = 16
"""Modes that are computed side by side."""
CHUNK = 1024
"""Rows whose modes are added up together. Chunks are added in order, whoever computed them."""

_BLOCK = 64
_WAVES = 7.4
"""Modes end at this product of k and the smallest s: exp(-_WAVES²/2) is 1e-12 before division."""
_REACH = 7.5
"""Waves come round this many largest s beyond the largest d."""
_FEW = 24
_MOST_STEPS = 512
_PAIR, _ROW, _STEP = 13.0, 150.0, 28.0
"""Nanoseconds of a pair term by term, of a row by modes, and of each of its `LANES` modes."""


@kernel
def plan(x, t):
    """Variance from which rows go by modes, the middle of x, h, and the number of steps.

    0 steps if all pairs are to be taken term by term.
    """
    rows = x.shape[0]
    low, high, narrowest, widest = x[0], x[0], t[0], t[0]
    for i in range(rows):
        low, high = min(low, x[i]), max(high, x[i])
        narrowest, widest = min(narrowest, t[i]), max(widest, t[i])
    middle = 0.5 * (low + high)
    if rows <= _FEW:
        return np.inf, middle, 1.0, 0
    h = 2.0 * math.pi / (high - low + _REACH * math.sqrt(2.0 * widest))
    bins = int(2.0 * math.log2(widest / narrowest)) + 1
    counts = np.zeros(bins, np.int64)
    for i in range(rows):
        counts[min(int(2.0 * math.log2(t[i] / narrowest)), bins - 1)] += 1
    line, steps = np.inf, 0
    least = _PAIR * rows * rows
    below = 0
    for b in range(bins):
        edge = narrowest * 2.0 ** (0.5 * b)
        modes = _WAVES / math.sqrt(edge + narrowest) / h
        needed = int(min(modes / LANES, 1e6)) + 1
        cost = (_ROW + _STEP * needed) * rows + _PAIR * below * below
        if cost < least and needed <= _MOST_STEPS:
            line, steps, least = edge, needed, cost
        below += counts[b]
    return line, middle, h, steps


@kernel
def _first_lanes(phase, lane):
    """The first modes of a row; cos and sin of what turns it on to the next ones."""
    c, s, g, q, jump = phase[0], phase[1], phase[2], phase[3], phase[4]
    turn_c, turn_s = c * c - s * s, 2.0 * c * s
    all_c, all_s, q_all = turn_c, turn_s, q
    doubled = 1
    while doubled < LANES:
        all_c, all_s = all_c * all_c - all_s * all_s, 2.0 * all_c * all_s
        q_all *= q_all
        doubled *= 2
    ratio = q
    for n in range(LANES):
        lane[0, n], lane[1, n], lane[2, n], lane[3, n] = c, s, g, jump
        c, s = c * turn_c - s * turn_s, c * turn_s + s * turn_c
        g *= ratio
        ratio *= q
        jump *= q_all
    return all_c, all_s


@kernel
def gather(x, t, line, middle, h, first, last, phases, sums):
    """Add the modes of the rows `first` to `last` to ``sums[class, step]``; 0 is the narrow class.

    A block of rows at a time: in one long sum of equal players, roundings would all go one way.
    `phases` keeps what `compare` needs of a row.
    """
    part = np.empty(sums.shape)
    for start in range(first, last, _BLOCK):
        for c in range(2):
            for k in range(sums.shape[1]):
                for n in range(LANES):
                    part[c, k, 0, n] = 0.0
                    part[c, k, 1, n] = 0.0
        _gather_block(x, t, line, middle, h, start, min(start + _BLOCK, last), phases, part)
        for c in range(2):
            for k in range(sums.shape[1]):
                for n in range(LANES):
                    sums[c, k, 0, n] += part[c, k, 0, n]
                    sums[c, k, 1, n] += part[c, k, 1, n]


@kernel
def _gather_block(x, t, line, middle, h, first, last, phases, sums):
    """The same in one sum.

    A lane holds cos, sin and g of one mode, and the factor from its g to that of the same lane in
    the next step.
    """
    lane = np.empty((6, LANES))
    for i in range(first, last):
        angle, decay = 0.5 * h * (x[i] - middle), h * h * t[i]
        phase = phases[i]
        phase[0], phase[1] = math.cos(angle), math.sin(angle)
        phase[2], phase[3] = math.exp(-0.125 * decay), math.exp(-decay)
        phase[4] = math.exp(-0.5 * LANES * (LANES + 1) * decay)
        phase[5] = math.exp(-LANES * LANES * decay)
        turn_c, turn_s = _first_lanes(phase, lane)
        jump = phase[5]
        own = sums[1 if t[i] >= line else 0]
        for k in range(own.shape[0]):
            for n in range(LANES):
                c, s, g = lane[0, n], lane[1, n], lane[2, n]
                lane[4, n] = g * c
                lane[5, n] = g * s
                lane[0, n] = c * turn_c - s * turn_s
                lane[1, n] = c * turn_s + s * turn_c
                lane[2, n] = g * lane[3, n]
                lane[3, n] *= jump
            step = own[k]
            for n in range(LANES):
                step[0, n] += lane[4, n]
                step[1, n] += lane[5, n]


@kernel
def weigh(sums):
    """Give every mode its weight, and the wide class, which meets everybody, all sums."""
    for k in range(sums.shape[1]):
        for part in range(2):
            for n in range(LANES):
                weight = 1.0 / (math.pi * (k * LANES + n + 0.5))
                narrow, wide = sums[0, k, part, n], sums[1, k, part, n]
                sums[0, k, part, n] = weight * wide
                sums[1, k, part, n] = weight * (narrow + wide)


@kernel
def compare(t, line, first, last, phases, sums, narrow, out):
    """E of the rows `first` to `last` from the sums; without narrow rows' pairs among themselves.

    `narrow` is the number of narrow rows.
    """
    rows = t.shape[0]
    lane = np.empty((5, LANES))
    for i in range(first, last):
        turn_c, turn_s = _first_lanes(phases[i], lane)
        jump = phases[i, 5]
        wide = t[i] >= line
        others = sums[1 if wide else 0]
        for n in range(LANES):
            lane[4, n] = 0.0
        for k in range(others.shape[0]):
            step = others[k]
            for n in range(LANES):
                c, s, g = lane[0, n], lane[1, n], lane[2, n]
                lane[4, n] += g * (c * step[1, n] - s * step[0, n])
                lane[0, n] = c * turn_c - s * turn_s
                lane[1, n] = c * turn_s + s * turn_c
                lane[2, n] = g * lane[3, n]
                lane[3, n] *= jump
        total = 0.0
        for n in range(LANES):
            total += lane[4, n]
        out[i] = total + 0.5 * (rows if wide else rows - narrow)


@kernel
def narrow_rows(t, line):
    """The rows that are compared among themselves term by term."""
    rows = np.empty(t.shape[0], np.int64)
    count = 0
    for i in range(t.shape[0]):
        if t[i] < line:
            rows[count] = i
            count += 1
    return rows[:count]


@kernel
def term_by_term(x, t, rows, first, last, out):
    """Add to E of ``rows[first:last]`` their comparisons with all of `rows`."""
    for a in range(first, last):
        i = rows[a]
        total = 0.0
        for b in range(rows.shape[0]):
            j = rows[b]
            if x[i] == x[j]:
                total += 0.5
            else:
                total += normal_cdf((x[j] - x[i]) / math.sqrt(t[i] + t[j]))
        out[i] += total


@kernel
def expected_ranks(x, t, out):
    """E of every row, in one thread; half of oneself is in it."""
    rows = x.shape[0]
    line, middle, h, steps = plan(x, t)
    for i in range(rows):
        out[i] = 0.0
    narrow = narrow_rows(t, line)
    if steps > 0:
        phases, sums = np.empty((rows, 6)), np.zeros((2, steps, 2, LANES))
        gather(x, t, line, middle, h, np.int64(0), rows, phases, sums)
        weigh(sums)
        compare(t, line, np.int64(0), rows, phases, sums, narrow.shape[0], out)
    term_by_term(x, t, narrow, np.int64(0), narrow.shape[0], out)


def expected_ranks_in_threads(x: Floats, t: Floats, out: Floats, threads: int) -> None:
    """The same with chunks of rows shared among threads."""
    rows = len(x)
    line, middle, h, steps = plan(x, t)
    narrow = narrow_rows(t, line)
    out[:] = 0.0
    chunks = range(0, rows, CHUNK)
    if steps > 0:
        phases = np.empty((rows, 6))
        sums = np.zeros((len(chunks), 2, steps, 2, LANES))

        def gather_chunk(first: int) -> None:
            last = min(first + CHUNK, rows)
            gather(x, t, line, middle, h, first, last, phases, sums[first // CHUNK])

        def compare_chunk(first: int) -> None:
            last = min(first + CHUNK, rows)
            compare(t, line, first, last, phases, sums[0], len(narrow), out)

        for_each(gather_chunk, chunks, threads)
        for part in sums[1:]:
            sums[0] += part
        weigh(sums[0])
        for_each(compare_chunk, chunks, threads)

    def compare_narrow(first: int) -> None:
        term_by_term(x, t, narrow, first, min(first + CHUNK // 8, len(narrow)), out)

    for_each(compare_narrow, range(0, len(narrow), CHUNK // 8), threads)
