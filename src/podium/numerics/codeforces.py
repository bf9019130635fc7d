"""The Codeforces system on arrays: seeds, and the ratings that would deserve a place.

Ratings are counted in scales, ``400 / ln 10`` points by default, so that the probability that j
beats i is the logistic cdf of ``z_j - z_i``. ``ahead(x)`` is how many players are expected ahead of
a player rated x, ``behind(x)`` how many behind; their sum is the number of players counted.
A player's seed is one more than the others expected ahead of them. The system looks for the x
whose seed is ``m = sqrt(rank * seed)``.

In the site's form a player is compared with the others. In the papers' form the sums run over
all, oneself included at one half, and m is matched against ``1/2 + ahead(x)``.

All sums come from one table for the whole contest (see `podium.numerics.pair_sums`), and x is
the zero of a polynomial on one panel: linear in the players. Whoever is expected to be ahead of
almost all others, or behind, is looked at term by term, in logarithms: there the few small terms
that decide would be lost beside one's own. Only one player can stand out like that at either end.
"""

import math

import numpy as np

from podium.numerics import interface
from podium.numerics.chebyshev import NODES, POINTS, polynomial, powers
from podium.numerics.compiled import kernel
from podium.numerics.pair_sums import panels_over, tabulated
from podium.numerics.threads import LARGE

SETTINGS = interface.settings("points share", "papers corrections whole_numbers")
"""`points` is one scale in rating points."""

_FEW = 0.5
"""Who has fewer others expected ahead, or behind, is looked at term by term. Of two players, one
has at least one half ahead: there can be only one such player at either end."""
_LAST_STEP = 1e-7
"""In scales. Newton's error is squared by the step that follows."""
LOWEST, HIGHEST = 1.0, 7999.0
"""Where the site looks for a rating that deserves a place."""
ROUNDING = 1e-7
"""A rating this little below a whole number counts as that number."""


@kernel
def ranks_counted(ranks, papers, out):
    """The place of every row: the last one of its tie group, or the middle one in the papers."""
    rows = ranks.shape[0]
    start = 0
    while start < rows:
        end = start + 1
        while end < rows and ranks[end] == ranks[start]:
            end += 1
        for row in range(start, end):
            out[row] = 0.5 * (start + 1 + end) if papers else end
        start = end


@kernel
def grid(z):
    """Left end, width and number of panels that hold all x to be found; 0 if a table does not pay.

    Who has at least `_FEW` others ahead and behind is looking for an x with at least 0.22 ahead
    and behind. Outside of the ratings both fall like exp, hence the margin.
    """
    rows = z.shape[0]
    margin = math.log(5.0 * rows)
    lowest, highest = _extremes(z, np.int64(-1))
    left, width, panels = panels_over(lowest - margin, highest + margin, np.ones(1))
    if 3 * rows < panels + 12:
        return left, width, 0  # so few are compared faster than tabulated
    return left, width, panels


@kernel
def solve(z, places, papers, left, width, below, table, first, last, out):
    """The x of the rows `first` to `last`, in scales. Without a table, all term by term."""
    rows = z.shape[0]
    half = 0.5 * width
    coefficients = powers(table) if table.shape[0] > 0 else table
    panel = table.shape[0] - 1
    for i in range(first, last):
        ahead, behind = -1.0, -1.0
        if table.shape[0] > 0:
            k = min(max(int((z[i] - left) / width), 0), table.shape[0] - 1)
            rest = polynomial(coefficients[k], (z[i] - left) / half - (2 * k + 1))[0]
            ahead = (rows - below[k, 0]) - rest - 0.5
            behind = rows - 1 - ahead
        if min(ahead, behind) < _FEW:
            out[i] = _term_by_term(z, i, places[i], papers)
            continue
        q = math.sqrt(places[i] * (1.0 + ahead)) - (0.5 if papers else 1.0)
        own = np.inf if papers else z[i]
        panel = _panel_of(own, rows - q, left, width, below, table, panel)
        centre = left + (panel + 0.5) * width
        wanted = (rows - below[panel, 0]) - q
        t = _root(table[panel], coefficients[panel], wanted, own - centre, half)
        out[i] = centre + half * t


@kernel
def _panel_of(own, wanted, left, width, below, table, panel):
    """The panel where as many are `wanted` behind x; a row's is near that of the row before."""
    while panel > 0 and _behind(own, left, width, below, table, panel) >= wanted:
        panel -= 1
    last = table.shape[0] - 1
    while panel < last and _behind(own, left, width, below, table, panel + 1) < wanted:
        panel += 1
    return panel


@kernel
def _behind(own, left, width, below, table, panel):
    """How many of the others, and oneself for certain, are behind the left end of a panel."""
    return below[panel, 0] + table[panel, 0] + _oneself_ahead(own - (left + panel * width))


@kernel
def _oneself_ahead(gap):
    """The probability to beat a player rated `gap` lower; 0 if oneself does not count as another.

    Then the gap is infinite.
    """
    return 0.0 if gap == np.inf else 1.0 / (1.0 + math.exp(-gap))


@kernel
def _root(values, coefficients, wanted, gap, half):
    """The t in [-1, 1] at which the panel's function and `_oneself_ahead` are `wanted` together.

    Newton, safeguarded by bisection, from between the two nodes around the zero. The sum rises
    with t, because the panel's function counts oneself too, and gains what `_oneself_ahead` loses.
    """
    low, high = 0, NODES - 1
    about = wanted - _oneself_ahead(gap)
    while high - low > 1:
        k = (low + high) // 2
        if values[k] < about:
            low = k
        else:
            high = k
    rise = values[high] - values[low]
    part = min(max((about - values[low]) / rise, 0.0), 1.0) if rise > 0.0 else 0.5
    t = POINTS[low] + part * (POINTS[high] - POINTS[low])
    left, right = -1.0, 1.0
    for _ in range(60):
        value, slope = polynomial(coefficients, t)
        p = _oneself_ahead(gap - half * t)
        excess = wanted - value - p
        slope -= half * p * (1.0 - p)
        if excess > 0.0:
            left = t
        else:
            right = t
        step = excess / slope if slope > 0.0 else np.inf
        if not (left <= t + step <= right):
            t = 0.5 * (left + right)
            continue
        t += step
        if abs(step) < _LAST_STEP:
            break
    return t


@kernel
def _term_by_term(z, i, place, papers):
    """The x of row i without a table, however far away the others are."""
    rows = z.shape[0]
    log_ahead, log_behind, _ = _log_counts(z, i, z[i])
    ahead, behind = math.exp(log_ahead), math.exp(log_behind)
    m = math.sqrt(place * (1.0 + ahead))
    if papers:
        return _log_root(z, np.int64(-1), math.log((m - 0.5) / (rows + 0.5 - m)), z[i])
    # m - 1 and rows - m as quotients, because both may be far below rounding errors of m
    log_q = log_ahead if place == 1.0 else math.log(place - 1.0 + place * ahead)
    log_rest = math.log(rows) + log_behind
    if place < rows:
        log_rest = math.log(rows * (rows - place) + place * behind)
    return _log_root(z, i, log_q - math.log(m + 1.0) - (log_rest - math.log(rows + m)), z[i])


@kernel
def _log_root(z, own, log_odds, start):
    """The x at which ``log(ahead / behind)`` of all but `own` is `log_odds`.

    Among equals it would be ``z - log_odds``, hence the bracket. The function falls with a slope
    between 0 and -1. Newton, with bisection where a step leaves the bracket.
    """
    lowest, highest = _extremes(z, own)
    low, high = lowest - log_odds, highest - log_odds
    if lowest == highest:
        return low
    x = min(max(start, low), high)
    for _ in range(200):
        log_ahead, log_behind, slope = _log_counts(z, own, x)
        excess = log_ahead - log_behind - log_odds
        if excess > 0.0:
            low = x
        elif excess < 0.0:
            high = x
        else:
            break
        step = excess / slope
        if not (low <= x + step <= high):
            step = 0.5 * (low + high) - x
            x += step
            if high - low <= 1e-15 * (abs(low) + abs(high)):
                break
            continue
        x += step
        if abs(step) < _LAST_STEP:
            break
    return x


@kernel
def _extremes(z, own):
    """The lowest and the highest of all ratings but `own`."""
    lowest, highest = np.inf, -np.inf
    for j in range(z.shape[0]):
        if j != own:
            lowest = min(lowest, z[j])
            highest = max(highest, z[j])
    return lowest, highest


@kernel
def _log_counts(z, own, x):
    """The logarithms of ahead(x) and behind(x) of all but `own`, and how fast they part.

    Neither count underflows: the part that all terms have in common is taken out.
    """
    lowest, highest = _extremes(z, own)
    up, down = max(x - highest, 0.0), max(lowest - x, 0.0)
    faint_up, faint_down = math.exp(-up), math.exp(-down)
    ahead, behind, ahead_slope, behind_slope = 0.0, 0.0, 0.0, 0.0
    for j in range(z.shape[0]):
        if j == own:
            continue
        gap = x - z[j]
        odds = math.exp(-abs(gap))
        likely, unlikely = 1.0 / (1.0 + odds), odds / (1.0 + odds)
        wins, losses = (likely, unlikely) if gap >= 0.0 else (unlikely, likely)
        a = losses if up == 0.0 else 1.0 / (faint_up + math.exp(gap - up))
        b = wins if down == 0.0 else 1.0 / (faint_down + math.exp(-gap - down))
        ahead += a
        behind += b
        ahead_slope += a * wins
        behind_slope += b * losses
    slope = ahead_slope / ahead + behind_slope / behind
    return math.log(ahead) - up, math.log(behind) - down, slope


@kernel
def ratings_in_scales(table, players, points, out):
    """The ratings of these players."""
    for row in range(players.shape[0]):
        out[row] = table[players[row]].mu / points


@kernel
def factor_of(weight, share):
    """What a contest of this weight multiplies every change by: ``share`` remains if it is 1."""
    return weight / (1.0 - share + weight * share)


@kernel
def conclude(table, settings, players, time, weight, ceiling, x, change, events):
    """Move every rating towards what it deserves, and keep the total from growing.

    `change` is room for as many numbers as there are rows.
    """
    s = settings[0]
    rows = players.shape[0]
    for row in range(rows):
        record = table[players[row]]
        events[0, row] = np.nan
        events[1, row] = record.mu
        events[2, row] = record.sigma
        record.last_time = time
        record.contests += 1
        if rows > 1:
            deserved = min(s.points * x[row], ceiling)
            if s.whole_numbers:
                deserved = min(max(math.floor(deserved + ROUNDING), LOWEST), HIGHEST)
            events[0, row] = deserved
            change[row] = s.share * (deserved - record.mu)
            if s.whole_numbers:
                change[row] = math.trunc(change[row])
    shift = 0.0
    if s.corrections and rows > 1:
        shift = _correction(table, players, change, s.whole_numbers != 0)
    factor = factor_of(weight, s.share)
    for row in range(rows):
        record = table[players[row]]
        if rows > 1:
            moved = factor * (change[row] + shift)
            record.mu += math.trunc(moved) if s.whole_numbers else moved
        events[3, row] = record.mu
        events[4, row] = record.sigma


@kernel
def _correction(table, players, change, whole_numbers):
    """What is added to everybody's change, so that neither all nor the best gain on average."""
    rows = players.shape[0]
    total = 0.0
    for row in range(rows):
        total += change[row]
    first = -total / rows
    if whole_numbers:
        first = math.trunc(first)
    first -= 1.0
    best = min(4 * int(math.floor(math.sqrt(rows) + 0.5)), rows)
    total = _sum_of_best(table, players, change, best) + best * first
    second = -total / best
    if whole_numbers:
        second = math.trunc(second)
    return first + min(max(second, -10.0), 0.0)


@kernel
def _sum_of_best(table, players, change, best):
    """The sum of the changes of so many players of highest rating; of equals, the first rows."""
    rows = players.shape[0]
    total = 0.0
    if best == rows:
        for row in range(rows):
            total += change[row]
        return total
    ratings = np.empty(rows)
    for row in range(rows):
        ratings[row] = table[players[row]].mu
    threshold = _select(ratings, rows - best)
    equals = best
    for row in range(rows):
        equals -= 1 if table[players[row]].mu > threshold else 0
    for row in range(rows):
        mu = table[players[row]].mu
        if mu > threshold:
            total += change[row]
        elif mu == threshold and equals > 0:
            equals -= 1
            total += change[row]
    return total


@kernel
def _select(values, place):
    """The number that would stand at this place if `values` were sorted; they are rearranged.

    Hoare's selection. NumPy's takes longer to compile than everything else here.
    """
    low, high = 0, values.shape[0] - 1
    while low < high:
        pivot = values[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            break
    return values[place]


@kernel
def fold_contests(
    table, settings, offsets, player, rank, time, weight, ceiling, first, last, events
):
    """Fold the contests `first` to `last`; the number of one larger than `LARGE`, or the end."""
    s = settings[0]
    papers = s.papers != 0
    z, x = np.empty(LARGE), np.empty(LARGE)
    places, change = np.empty(LARGE), np.empty(LARGE)
    unheard = np.empty((5, LARGE + 1))
    nothing_below, nothing = np.empty((0, 2)), np.empty((0, NODES))
    for c in range(first, last):
        start, end = offsets[c], offsets[c + 1]
        rows = end - start
        if rows > LARGE:
            return c
        players = player[start:end]
        seen = events[:, start:end] if events.shape[1] > 0 else unheard[:, :rows]
        if rows > 1:
            ratings_in_scales(table, players, s.points, z)
            ranks_counted(rank[start:end], papers, places)
            left, width, panels = grid(z[:rows])
            below, values = nothing_below, nothing
            if panels > 0:
                below, values = tabulated(z[:rows], np.ones(rows), left, width, panels)
            solve(z[:rows], places, papers, left, width, below, values, np.int64(0), rows, x)
        conclude(table, settings, players, time[c], weight[c], ceiling[c], x, change, seen)
    return last
