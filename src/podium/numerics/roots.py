"""The steps in which all performances of a contest are found under the logistic model.

With ``F_j`` the logistic cdf of player j, of scale ``s_j``, the performance of a tie group is
the zero of ``Q(p) = W - G(p) - T(p)``: ``G = sum F_j / s_j`` over all players, ``T`` the same
over the group alone, ``W = sum 1 / s_j`` over the group and all who finished behind it.
There are other rules for ties (`SPLIT`, `HALVES`), under which W and T are others.

G is one function for the whole contest, analytic in a strip of half-width ``pi * min(s)``. First
the highest and the lowest performance are bounded, by sums over all players. Between them, G is
tabulated on panels of some scales each, as in `podium.numerics.logistic`; on each it is a
polynomial, and every performance is a root of that and of the few terms of its group, eight
roots at a time. In a contest of fewer groups than a table would take work, all terms are summed
for each group.

What takes time is cut into pieces that threads can share. How it is cut depends on the contest
alone. Rows are sorted by rank, best first.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics.chebyshev import panel_of
from podium.numerics.compiled import kernel
from podium.numerics.compiler.indexing import block
from podium.numerics.lanes import (
    WIDTH,
    between,
    counted,
    exp,
    fused,
    lane,
    load,
    load_until,
    splat,
    store,
    total,
    where_less,
)
from podium.numerics.logistic import (
    C2,
    C3,
    C4,
    C5,
    C6,
    C7,
    C8,
    C9,
    C10,
    C11,
    panel_above,
    panel_centre,
)
from podium.numerics.newton import halley

Floats = NDArray[np.float64]

TIED, SPLIT, HALVES = 0, 1, 2
"""What a tie is: a draw, as probable as it is; half a win and half a loss, for all of a group that
has one performance; or the same for each of the tied on their own, with two clones of themselves
besides, one beaten and one not, which is the rule of Elo-R."""

NODES = 24
PANEL_IN_SCALES = 4.5
"""At this width, polynomials through the nodes are good to some 1e-12 of G's part on the panel."""
POINTS, _TO_SERIES, _TO_POWERS = panel_of(NODES)

STEPS = 6
LOOK, PREPARE, _ENDS, _TABULATE, _SOLVE, CONCLUDE = range(STEPS)
"""Those that threads can share. The first two and the last are the system's own."""
ROWS_PER_PIECE = 64
"""Of those."""

FEW = 24
"""In contests of up to so many rows, all terms are summed for each group."""
MOST_PANELS = 256
_GROUPS_PER_PANEL = 3
"""With fewer, summing all terms for each group is less work than tabulating the panels."""
_BLOCK_ROWS = 512
_MOST_BLOCKS = 64
_GROUPS_PER_PIECE = 64
_FAR = 700.0
_REACH, _RESTART = 290.0, 16
"""Beyond so many scales F is 0 or 1. Products that start there and run over fewer panels than
that, of at most 4.5 scales each, neither overflow nor come near a value that matters."""
_MOST_STEPS = 200
_CLOSE = 0.3
"""How well the ends are to be known, as the logarithm of what is left there."""
_LAST_STEP = 1e-4
"""In the smallest scale of the contest. Halley's method cubes the error."""

CONTEST, _MODE, _GROUPS, _PANELS, _BLOCKS, _SMALLEST, _LEFT, _HIGHEST, _LOWEST = range(9)
_STATE = 16
_MU, _S, _OTHER, _W, _PERFORMANCE = range(5)
_BELOW, _BELOW_LOST, _ENTRIES = NODES, NODES + 1, NODES + 2
"""What a panel has beside its polynomial: C, as a sum and what rounding took from it."""
_X, _START, _CONSTANT, _RATING, _WEIGHT, _OWN = range(6)
_OF_EIGHT = _OWN + 3
_STEPS_OF_EIGHT = 6


class Work(NamedTuple):
    """The contest at hand, which all threads see."""

    rows: Floats
    """mu, s and a number that the system has for itself, 1/s and the performance of everybody."""
    starts: NDArray[np.int64]
    """The first row of every group whose members have one performance, and the end."""
    behind: Floats
    """W of every group, as a sum and what rounding took from it."""
    panels: Floats
    """The polynomial of G - C on every panel, and C."""
    blocks: Floats
    """What the blocks of rows have tabulated, laid out as the panels, one after the other."""
    state: Floats


@kernel
def _numbers(rows):
    panels = MOST_PANELS if rows > FEW else 0
    return _STATE + 8 * rows + 3 + panels * _ENTRIES * (1 + _MOST_BLOCKS)


def room_for(rows: int) -> Floats:
    """Memory for contests of up to so many rows, to be laid out."""
    return np.empty(_numbers.py_func(rows))


@kernel
def laid_out(room, count):
    """The `Work` of a contest of so many rows."""
    rows = block(room, _STATE, 5, count)
    start, end = _STATE + 5 * count, _STATE + 6 * count + 1
    starts = room[start:end].view(np.int64)
    behind = block(room, end, count + 1, 2)
    end += 2 * count + 2
    most = MOST_PANELS if count > FEW else 0
    panels = block(room, end, most, _ENTRIES)
    end += most * _ENTRIES
    return Work(rows, starts, behind, panels, room[end:], room[:_STATE])


@kernel
def performances(work):
    """Where they are."""
    return work.rows[_PERFORMANCE]


@kernel
def two_sum(a, b):
    """``a + b``, and what rounding takes from it (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@kernel
def _begin(rows, ranks, mode, starts, behind):
    """Fill in 1/s, who is tied, and W; how many groups there are, and the smallest scale."""
    count = ranks.shape[0]
    s, w = rows[_S], rows[_W]
    smallest, groups = s[0], 0
    for row in range(count):
        w[row] = 1.0 / s[row]
        smallest = min(smallest, s[row])
        if mode == HALVES or row == 0 or ranks[row] != ranks[row - 1]:
            starts[groups] = row
            groups += 1
    starts[groups] = count
    whole, lost, end, g = 0.0, 0.0, count, groups
    while end > 0:
        top, tied, tied_lost = end, 0.0, 0.0
        while top > 0 and ranks[top - 1] == ranks[end - 1]:
            top -= 1
            tied, rounded = two_sum(tied, w[top])
            tied_lost += rounded
        share = 1.0 if mode == TIED else 0.5
        common, rounded = two_sum(whole, share * tied)
        rounded += lost + share * tied_lost
        for row in range(top, end if mode == HALVES else top + 1):
            g = row if mode == HALVES else g - 1
            behind[g, 0], last = two_sum(common, 0.5 * w[row] if mode == HALVES else 0.0)
            behind[g, 1] = rounded + last
        whole, rounded = two_sum(whole, tied)
        lost += rounded + tied_lost
        end = top
    return groups, smallest


@kernel
def pieces(work, step, ranks, mode):
    """How many pieces a step has, after what one thread does before it."""
    rows, state = ranks.shape[0], work.state
    if step <= PREPARE or step == CONCLUDE:
        return pieces_of(rows)
    if step == _ENDS:
        groups, smallest = _begin(work.rows, ranks, mode, work.starts, work.behind)
        state[_MODE], state[_GROUPS], state[_PANELS], state[_SMALLEST] = mode, groups, 0, smallest
        return 2 if rows > FEW else 0
    if step == _TABULATE:
        if rows > FEW:
            _lay_out(state, rows)
        return int(state[_BLOCKS]) if state[_PANELS] > 0 else 0
    if state[_PANELS] > 0:
        _gather(work.panels, work.blocks, int(state[_PANELS]), int(state[_BLOCKS]))
    return (int(state[_GROUPS]) + _GROUPS_PER_PIECE - 1) // _GROUPS_PER_PIECE


@kernel
def pieces_of(rows):
    """How many pieces the system's own steps have."""
    return (rows + ROWS_PER_PIECE - 1) // ROWS_PER_PIECE


@kernel
def rows_of(number, rows):
    """The first and last row of a piece of the system's own steps."""
    return number * ROWS_PER_PIECE, min((number + 1) * ROWS_PER_PIECE, rows)


@kernel
def piece(work, ranks, step, number):
    """One of a step between the system's own."""
    if step == _ENDS:
        work.state[_HIGHEST + number] = _end(work.rows, 1.0 if number == 0 else -1.0)
    elif step == _TABULATE:
        _tabulate_block(work.rows, work.blocks, work.state, number)
    else:
        _solve(work, ranks, number)


@kernel
def find(work, ranks, mode):
    """All performances, by one thread."""
    for step in range(PREPARE + 1, CONCLUDE):
        for number in range(pieces(work, step, ranks, mode)):
            piece(work, ranks, step, number)


@kernel
def found(mu, s, ranks, mode, out):
    """The performance of every row, of players with these locations and scales."""
    count = mu.shape[0]
    work = laid_out(np.empty(_numbers(count)), count)
    for row in range(count):
        work.rows[_MU, row], work.rows[_S, row] = mu[row], s[row]
    find(work, ranks, mode)
    for row in range(count):
        out[row] = work.rows[_PERFORMANCE, row]


@kernel
def at_places(mu, s, row, mode, ahead, out):
    """The performances of one row with so many of the others ahead, untied."""
    count = mu.shape[0]
    work = laid_out(np.empty(_numbers(count)), count)
    w, state = work.rows[_W], work.state
    smallest = s[0]
    for k in range(count):
        work.rows[_MU, k], w[k] = mu[k], 1.0 / s[k]
        smallest = min(smallest, s[k])
    behind, whole, lost = np.zeros((count, 2)), 0.0, 0.0
    place = count - 1
    for k in range(count - 1, -1, -1):
        if k != row:
            whole, rounded = two_sum(whole, w[k])
            lost += rounded
            place -= 1
            behind[place, 0], behind[place, 1] = whole, lost
    state[_MODE], state[_GROUPS], state[_PANELS] = mode, ahead.shape[0], 0
    state[_SMALLEST] = smallest
    if count > FEW:
        for number in range(2):
            piece(work, ahead, _ENDS, number)
        for number in range(pieces(work, _TABULATE, mu, mode)):
            piece(work, ahead, _TABULATE, number)
        pieces(work, _SOLVE, mu, mode)
    ranks = np.arange(count).astype(np.int32)
    x = mu[row] if state[_PANELS] == 0 else 0.5 * (state[_HIGHEST] + state[_LOWEST])
    own_mu, own_w, at = mu[row], w[row], row
    for k in range(ahead.shape[0]):
        while state[_PANELS] == 0 and at != ahead[k]:
            step = 1 if at < ahead[k] else -1
            work.rows[_MU, at], w[at] = work.rows[_MU, at + step], w[at + step]
            at += step
            work.rows[_MU, at], w[at] = own_mu, own_w
        work.starts[0], work.starts[1] = at, at + 1
        own = 0.5 * own_w if mode == SPLIT else own_w
        work.behind[0, 0], rounded = two_sum(behind[ahead[k], 0], own)
        work.behind[0, 1] = behind[ahead[k], 1] + rounded
        x = _root(work, ranks, work.rows[_MU], w, 0, x)
        out[k] = x


@kernel
def _end(rows, side):
    """A number above which, or below for a `side` of -1, there is no performance, and not far.

    Beyond all ratings, ``sum (1 - F_j) / s_j`` is, at a performance, at least half the smallest
    weight: that of a player who is tied with the group, or ahead of it, or half of oneself.
    """
    mu, w = rows[_MU], rows[_W]
    least, x = w[0], side * mu[0]
    for row in range(mu.shape[0]):
        least = min(least, w[row])
        x = max(x, side * mu[row])
    for _ in range(_MOST_STEPS):
        left, slope = _tail(mu, w, side, x)
        excess = math.log(2.0 * left / least)
        if -_CLOSE <= excess <= 0.0:
            break
        x += (excess + 0.5 * _CLOSE) * left / slope
    return side * x


@kernel
def _tail(mu, w, side, x):
    """``sum (1 - F_j) / s_j`` and minus its slope at x, of ratings times `side`."""
    value, slope = splat(0.0), splat(0.0)
    rows = mu.shape[0]
    for k in range(0, rows, WIDTH):
        weight = load_until(w, k, rows, 0.0)
        z = (x - side * load_until(mu, k, rows, 0.0)) * weight
        p = 1.0 / (1.0 + exp(between(z, -_FAR, _FAR)))
        part = weight * p
        value = value + part
        slope = fused(weight * part, 1.0 - p, slope)
    return total(value), total(slope)


@kernel
def _lay_out(state, rows):
    """How many panels and blocks there are; no panels if terms are to be summed one by one."""
    width = PANEL_IN_SCALES * state[_SMALLEST]
    spread = state[_HIGHEST] - state[_LOWEST]
    if not spread < (MOST_PANELS - 1) * width:
        return
    panels = math.ceil(spread / width)
    if state[_GROUPS] < _GROUPS_PER_PANEL * panels:
        return
    state[_PANELS] = panels
    state[_BLOCKS] = min((rows + _BLOCK_ROWS - 1) // _BLOCK_ROWS, _MOST_BLOCKS)
    state[_LEFT] = 0.5 * (state[_HIGHEST] + state[_LOWEST] - panels * width)


@kernel
def _block(blocks, number, panels):
    """What a block has tabulated."""
    return block(blocks, number * panels * _ENTRIES, panels, _ENTRIES)


@kernel
def _tabulate_block(rows, blocks, state, number):
    """G - C of some rows, and their parts of C."""
    panels, parts = int(state[_PANELS]), int(state[_BLOCKS])
    left, width = state[_LEFT], PANEL_IN_SCALES * state[_SMALLEST]
    mu, w, table = rows[_MU], rows[_W], _block(blocks, number, panels)
    first, last = mu.shape[0] * number // parts, mu.shape[0] * (number + 1) // parts
    for k in range(panels):
        for n in range(_ENTRIES):
            table[k, n] = 0.0
    _tabulate(mu, w, first, last, left, width, table)
    for row in range(first, last):
        k = panel_above(mu[row], left, width, panels)
        if k < panels:
            table[k, _BELOW], rounded = two_sum(table[k, _BELOW], w[row])
            table[k, _BELOW_LOST] += rounded


@kernel
def _gather(out, blocks, panels, parts):
    """Add up what the blocks have, in order, and make polynomials of it."""
    table = _block(blocks, 0, panels)
    for number in range(1, parts):
        more = _block(blocks, number, panels)
        for k in range(panels):
            for n in range(NODES):
                table[k, n] += more[k, n]
            table[k, _BELOW], rounded = two_sum(table[k, _BELOW], more[k, _BELOW])
            table[k, _BELOW_LOST] += rounded + more[k, _BELOW_LOST]
    whole, lost = 0.0, 0.0
    for k in range(panels):
        whole, rounded = two_sum(whole, table[k, _BELOW])
        lost += rounded + table[k, _BELOW_LOST]
        _to_powers(table[k], out[k])
        out[k, _BELOW], out[k, _BELOW_LOST] = whole, lost


@kernel
def _to_powers(values, out):
    """From values at the nodes to coefficients of 1, t, t², … as `podium.numerics.chebyshev`."""
    series = np.zeros(NODES)
    for n in range(NODES):
        value = values[n]
        for k in range(NODES):
            series[k] += _TO_SERIES[n, k] * value
    for k in range(NODES):
        out[k] = 0.0
    for n in range(NODES):
        value = series[n]
        for k in range(n + 1):
            out[k] += _TO_POWERS[n, k] * value


@kernel
def _tabulate(mu, w, first, last, left, width, table):
    """Add the rows `first` to `last` to ``table[k] = G - C`` at the nodes of the panels.

    At the node t of a panel with centre c, ``F = E / (E + f)`` with ``E = exp((c - mu) / s)``
    and ``f = exp(-t * width / 2s)``: E moves from panel to panel by one product, f is shared
    by all panels. Rows are taken in pairs, for one division instead of two.
    """
    f = np.empty((2, NODES))
    steps, starts = np.empty(WIDTH), np.empty(WIDTH)
    centre0 = panel_centre(left, width, 0)
    for eight in range(first, last, WIDTH):
        weights = load_until(w, eight, last, 0.0)
        z = (centre0 - load_until(mu, eight, last, 0.0)) * weights
        store(steps, 0, exp(width * weights))
        store(starts, 0, exp(between(z, -_REACH, _REACH)))
        for place in range(0, min(WIDTH, last - eight), 2):
            row, other = eight + place, min(eight + place + 1, last - 1)
            mu0, w0, E0 = mu[row], w[row], starts[place]
            mu1, w1, E1 = mu[other], w[other] if other > row else 0.0, starts[place + 1]
            _falling(0.5 * width * w0, f[0])
            _falling(0.5 * width * w1, f[1])
            for k in range(table.shape[0]):
                centre = panel_centre(left, width, k)
                z0, z1 = (centre - mu0) * w0, (centre - mu1) * w1
                if k > 0:
                    E0 *= steps[place]
                    E1 *= steps[place + 1]
                    if k % _RESTART == 0:
                        E0 = math.exp(min(max(z0, -_REACH), _REACH))
                        E1 = math.exp(min(max(z1, -_REACH), _REACH))
                above0, below0 = (w0 * E0, 0.0) if z0 < 0.0 else (0.0, w0)
                above1, below1 = (w1 * E1, 0.0) if z1 < 0.0 else (0.0, w1)
                for n in range(0, NODES, WIDTH):
                    f0, f1 = load(f[0], n), load(f[1], n)
                    d0, d1 = E0 + f0, E1 + f1
                    part = (above0 - below0 * f0) * d1
                    part = fused(above1 - below1 * f1, d0, part)
                    store(table[k], n, load(table[k], n) + part / (d0 * d1))


@kernel
def _falling(reach, out):
    """``exp(-reach * t)`` at the nodes, for ``0 <= reach <= 2.25``.

    The eighth part by its Taylor polynomial, then squared three times.
    """
    for n in range(0, NODES, WIDTH):
        y = (-0.125 * reach) * load(POINTS, n)
        e = fused(fused(fused(C11, y, C10), y, C9), y, C8)
        e = fused(fused(fused(fused(e, y, C7), y, C6), y, C5), y, C4)
        e = fused(fused(fused(fused(e, y, C3), y, C2), y, 1.0), y, 1.0)
        e = e * e
        e = e * e
        store(out, n, e * e)


@kernel
def _constant(behind, panel, mu, w, centre, mode):
    """``W - C`` less those terms of T that C is for G, of a group with these members."""
    value = behind[0] - panel[_BELOW]
    rest = behind[1] - panel[_BELOW_LOST]
    if mode != SPLIT:
        for row in range(mu.shape[0]):
            if mu[row] <= centre:
                value, rounded = two_sum(value, -w[row])
                rest += rounded
    return value + rest


@kernel
def _own(mu, w, centre, x):
    """T at x without those terms, and its first two derivatives."""
    value, slope, bend = splat(0.0), splat(0.0), splat(0.0)
    rows = mu.shape[0]
    for k in range(0, rows, WIDTH):
        weight, rating = load_until(w, k, rows, 0.0), load_until(mu, k, rows, 0.0)
        side = where_less(centre, rating, -1.0, 1.0)
        part, steep, bent = _logistic_terms(side, (x - rating) * weight, weight)
        value, slope, bend = value + part, slope + steep, bend + bent
    return total(value), total(slope), total(bend)


@kernel
def _bent_polynomials(c, t):
    """The polynomial with these coefficients of powers, and two derivatives, at eight places."""
    u = t * t
    even, odd = splat(c[NODES - 2]), splat(c[NODES - 1])
    even1, odd1, even2, odd2 = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for k in range(NODES - 4, -1, -2):
        even2, odd2 = fused(even2, u, even1), fused(odd2, u, odd1)
        even1, odd1 = fused(even1, u, even), fused(odd1, u, odd)
        even, odd = fused(even, u, c[k]), fused(odd, u, c[k + 1])
    slope = fused(2.0 * t, fused(t, odd1, even1), odd)
    bend = 2.0 * even1 + 6.0 * t * odd1 + 8.0 * u * fused(t, odd2, even2)
    return fused(t, odd, even), slope, bend


@kernel
def _solve(work, ranks, number):
    """Performances of some groups, each looked for from that of a group shortly before.

    All who are tied begin at the same place, so that equal ratings have equal performances if the
    tied have their own; hence none of them is in another piece.
    """
    mu, w, performance = work.rows[_MU], work.rows[_W], work.rows[_PERFORMANCE]
    starts, state = work.starts, work.state
    groups, panels, mode = int(state[_GROUPS]), int(state[_PANELS]), int(state[_MODE])
    left, width = state[_LEFT], PANEL_IN_SCALES * state[_SMALLEST]
    g, last = number * _GROUPS_PER_PIECE, min((number + 1) * _GROUPS_PER_PIECE, groups)
    if mode == HALVES:
        while 0 < g < last and ranks[g] == ranks[g - 1]:
            g += 1
        while g < last < groups and ranks[last] == ranks[last - 1]:
            last += 1
    if g >= last:
        return
    start = 0.5 * (state[_HIGHEST] + state[_LOWEST]) if panels > 0 else mu[starts[g]]
    start = root = _root(work, ranks, mu, w, g, start)
    begun, eight = g, np.empty((_OF_EIGHT, WIDTH))
    while g < last:
        first, panel, centre = g, 0, 0.0
        while g < last and g - first < WIDTH:
            top, end = starts[g], starts[g + 1]
            if g > begun and ranks[top] != ranks[top - 1]:
                start = root
            if panels == 0:
                break
            k = min(max(int((start - left) / width), 0), panels - 1)
            if g == first:
                panel, centre = k, panel_centre(left, width, k)
            elif k != panel:
                break
            place = g - first
            eight[_X, place] = eight[_START, place] = start
            eight[_CONSTANT, place] = _constant(
                work.behind[g], work.panels[k], mu[top:end], w[top:end], centre, mode
            )
            eight[_RATING, place] = mu[top]
            eight[_WEIGHT, place] = w[top] if end - top == 1 and mode != SPLIT else 0.0
            g += 1
        if panels == 0:
            twin = starts[g] - 1
            while twin >= 0 and ranks[twin] == ranks[starts[g]]:
                if mu[twin] == mu[starts[g]] and w[twin] == w[starts[g]]:
                    break
                twin -= 1
            if twin >= 0 and ranks[twin] == ranks[starts[g]]:
                root = performance[twin]
            else:
                root = _root(work, ranks, mu, w, g, start)
            for row in range(starts[g], starts[g + 1]):
                performance[row] = root
            g += 1
            continue
        several = mode != SPLIT and starts[g] - starts[first] > g - first
        done = _roots_of_eight(
            mu, w, starts[first : g + 1], work.panels[panel], centre, width, several, eight
        )
        for place in range(g - first):
            root = eight[_X, place]
            if (done >> place) & 1 == 0:
                root = _root(work, ranks, mu, w, first + place, eight[_START, place])
            for row in range(starts[first + place], starts[first + place + 1]):
                performance[row] = root


@kernel
def _roots_of_eight(mu, w, starts, panel, centre, width, several, eight):
    """Performances of up to eight groups at once, on one panel; a bit for each that was found.

    Terms of a group of one are computed for all eight together, those of a larger group by
    themselves. Where a step leads off the panel, a group is to be solved alone.
    """
    count, inverse = starts.shape[0] - 1, 2.0 / width
    last_step = _LAST_STEP / PANEL_IN_SCALES * width
    for k in range(_OF_EIGHT):
        for place in range(count if k < _OWN else 0, WIDTH):
            eight[k, place] = eight[k, 0] if k < _OWN else 0.0
    x = load(eight[_X], 0)
    constant, rating = load(eight[_CONSTANT], 0), load(eight[_RATING], 0)
    weight = load(eight[_WEIGHT], 0)
    side = where_less(centre, rating, -1.0, 1.0)
    moves = splat(1.0)
    for _ in range(_STEPS_OF_EIGHT):
        t = between((x - centre) * inverse, -1.0, 1.0)
        value, slope, bend = _bent_polynomials(panel, t)
        own, own_slope, own_bend = _logistic_terms(side, (x - rating) * weight, weight)
        value, slope = value + own - constant, fused(slope, inverse, own_slope)
        bend = fused(bend, inverse * inverse, own_bend)
        if several:
            store(eight[_X], 0, x)
            for place in range(count):
                top, end = starts[place], starts[place + 1]
                if end - top > 1:
                    own = _own(mu[top:end], w[top:end], centre, eight[_X, place])
                    eight[_OWN, place], eight[_OWN + 1, place], eight[_OWN + 2, place] = own
            value = value + load(eight[_OWN], 0)
            slope = slope + load(eight[_OWN + 1], 0)
            bend = bend + load(eight[_OWN + 2], 0)
        step = value / slope
        step = step / between(1.0 - 0.5 * step * (bend / slope), 0.5, 2.0)
        x = x - moves * between(step, -0.5 * width, 0.5 * width)
        moves = where_less(step * step, last_step * last_step, 0.0, moves)
        if total(moves) == 0.0:
            break
    store(eight[_X], 0, x)
    done = 0
    for place in range(count):
        if lane(moves, place) == 0.0 and abs(eight[_X, place] - centre) <= 0.5 * width:
            done |= 1 << place
    return done


@kernel
def _logistic_terms(side, z, w):
    """``w F(z)``, without w itself where the `side` is 1, and its first two derivatives."""
    p = 1.0 / (1.0 + exp(between(side * z, -_FAR, _FAR)))
    part = w * p
    steep = w * part * (1.0 - p)
    return 0.0 - side * part, steep, side * w * steep * (2.0 * p - 1.0)


@kernel
def _root(work, ranks, mu, w, g, x):
    """The performance of a group, looked for from x: on panels, or by the terms of everybody."""
    state, behind = work.state, work.behind[g]
    top, end = work.starts[g], work.starts[g + 1]
    own_mu, own_w = mu[top:end], w[top:end]
    panels, mode, left = int(state[_PANELS]), int(state[_MODE]), state[_LEFT]
    width = PANEL_IN_SCALES * state[_SMALLEST]
    inverse, last_step = 2.0 / width, _LAST_STEP * state[_SMALLEST]
    low, high, stride = -np.inf, np.inf, state[_SMALLEST]
    if panels > 0:
        low, high, stride = state[_LOWEST], state[_HIGHEST], panels * width
    tied, tied_end = top, end
    if panels == 0 and mode == HALVES:
        while tied > 0 and ranks[tied - 1] == ranks[top]:
            tied -= 1
        while tied_end < mu.shape[0] and ranks[tied_end] == ranks[top]:
            tied_end += 1
    own, own_slope, own_bend = 0.0, 0.0, 0.0
    for _ in range(_MOST_STEPS):
        if panels > 0:
            k = min(max(int((x - left) / width), 0), panels - 1)
            panel, centre = work.panels[k], panel_centre(left, width, k)
            polynomial = _bent_polynomials(panel, splat((x - centre) * inverse))
            value = lane(polynomial[0], 0)
            slope = lane(polynomial[1], 0) * inverse
            bend = lane(polynomial[2], 0) * inverse * inverse
            if mode != SPLIT:
                own, own_slope, own_bend = _own(own_mu, own_w, centre, x)
            value += own - _constant(behind, panel, own_mu, own_w, centre, mode)
        else:
            value, slope, bend = _balance(mu, w, mode, tied, tied_end, top, end, x)
        slope += own_slope
        bend += own_bend
        x, stride, low, high, ended = halley(x, value, slope, bend, stride, last_step, low, high)
        if ended:
            break
    return x


@kernel
def _balance(mu, w, mode, tied, end, own, after, x):
    """``G + T - W`` at x and its first two derivatives, term by term.

    The rows `own` to `after` are a group, those from `tied` to `end` are tied with it. Whole terms,
    of those who count in W and are not rated below x or the other way round, may cancel; by what F
    differs from 0 or 1 is small, and decides. They are added up apart.
    """
    shared = 1.0 if mode == TIED else 0.5
    sums, lost = splat(0.0), splat(0.0)
    small, slope, bend = splat(0.0), splat(0.0), splat(0.0)
    rows = mu.shape[0]
    for k in range(0, rows, WIDTH):
        weight, rating, row = load_until(w, k, rows, 0.0), load_until(mu, k, rows, 0.0), counted(k)
        won = where_less(row, tied, 0.0, where_less(row, end, shared, 1.0))
        times = where_less(row, own, 1.0, where_less(row, after, 2.0, 1.0))
        if mode == SPLIT:
            times = splat(1.0)
        if mode == HALVES:
            won = where_less(row, own, won, where_less(row, after, 1.0, won))
        side = where_less(x, rating, -1.0, 1.0)
        p = 1.0 / (1.0 + exp(between(side * (x - rating) * weight, 0.0, _FAR)))
        part = times * weight * p
        steep = weight * part * (1.0 - p)
        small = small - side * part
        slope = slope + steep
        bend = fused(side * weight * steep, 2.0 * p - 1.0, bend)
        term = where_less(x, rating, 0.0, times * weight) - won * weight
        whole = sums + term
        added = whole - sums
        lost = lost + ((sums - (whole - added)) + (term - added))
        sums = whole
    value, rest = 0.0, total(lost)
    for k in range(WIDTH):
        value, rounded = two_sum(value, lane(sums, k))
        rest += rounded
    return (value + rest) + total(small), total(slope), total(bend)


@kernel
def groups(work):
    """How many groups there are, each of whose members have one performance."""
    return int(work.state[_GROUPS])


@kernel
def tabulate(work):
    """Tabulate G of a contest whose groups were too few for it, if it can be, by one thread."""
    state, rows = work.state, work.rows.shape[1]
    if state[_PANELS] == 0 and rows > FEW:
        groups = state[_GROUPS]
        state[_GROUPS] = rows * _GROUPS_PER_PANEL * MOST_PANELS
        _lay_out(state, rows)
        state[_GROUPS] = groups
        if state[_PANELS] > 0:
            for number in range(int(state[_BLOCKS])):
                _tabulate_block(work.rows, work.blocks, state, number)
            _gather(work.panels, work.blocks, int(state[_PANELS]), int(state[_BLOCKS]))


@kernel
def slope_of_all(work, x):
    """``G'`` at a place between the ratings, where every tie counts once."""
    mu, w, state = work.rows[_MU], work.rows[_W], work.state
    panels = int(state[_PANELS])
    if panels == 0:
        return _balance(mu, w, SPLIT, 0, 0, 0, 0, x)[1]
    left, width = state[_LEFT], PANEL_IN_SCALES * state[_SMALLEST]
    k = min(max(int((x - left) / width), 0), panels - 1)
    inverse = 2.0 / width
    return inverse * _slope_of_polynomial(
        work.panels[k], (x - panel_centre(left, width, k)) * inverse
    )


@kernel
def _slope_of_polynomial(c, t):
    """The derivative of the polynomial with these coefficients of powers; odd and even apart."""
    u = t * t
    even, odd = (NODES - 1) * c[NODES - 1], (NODES - 2) * c[NODES - 2]
    for k in range(NODES - 3, 1, -2):
        even = fused(even, u, k * c[k])
        odd = fused(odd, u, (k - 1) * c[k - 1])
    return fused(odd, t, fused(even, u, c[1]))
