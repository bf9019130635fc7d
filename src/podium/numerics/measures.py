"""How well ratings predicted standings: passes over contests in O(n log n) each.

Everywhere, contest c has the rows ``offsets[c] .. offsets[c + 1]``, best first, `rank` says who is
ahead of whom in it (any numbers, equal ones for ties), and `rating` is what was believed before.
A contest with fewer than two rows, or in which all are tied, shows nothing: its values are NaN.
"""

import math

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.logistic import tie_groups

ALL_PAIRS = 64
"""Up to so many competitors, all pairs are looked at."""
_MANY, _ENOUGH = 1024, 4
"""Of more competitors than these, a part of these pairs is enough for a second look."""
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)

EVEN = 1e-12
"""An expected score so close to one half makes nobody the favourite: it may be rounding."""


@kernel
def _says_nothing(rank, start, end):
    return end - start < 2 or rank[end - 1] == rank[start]


@kernel
def _telling(offsets, rank):
    """The numbers of the contests that show something."""
    count, found = 0, np.empty(offsets.shape[0] - 1, np.int64)
    for contest in range(offsets.shape[0] - 1):
        if not _says_nothing(rank, offsets[contest], offsets[contest + 1]):
            found[count] = contest
            count += 1
    return found[:count]


@kernel
def _places(rating, start, end):
    """For every row: the dense place of its rating from 1, the lowest, on; and how many places."""
    order = np.argsort(rating[start:end])
    places = np.empty(end - start, np.int64)
    place = 0
    for index in range(order.shape[0]):
        if index == 0 or rating[start + order[index]] != rating[start + order[index - 1]]:
            place += 1
        places[order[index]] = place
    return places, place


@kernel
def _add(tree, place):
    while place < tree.shape[0]:
        tree[place] += 1
        place += place & -place


@kernel
def _up_to(tree, place):
    """How many were added at places up to this one."""
    count = 0
    while place > 0:
        count += tree[place]
        place -= place & -place
    return count


@kernel
def pairs_called_right(offsets, rank, rating):
    """For every row: the share of opponents against whom the ratings called the result right.

    The higher rated came out ahead, or the two tied. Equal ratings call half of the rest.
    """
    share = np.full(rank.shape[0], np.nan)
    for contest in _telling(offsets, rank):
        start, end = offsets[contest], offsets[contest + 1]
        n = end - start
        places, last = _places(rating, start, end)
        wrong = np.zeros(n)
        tree = np.zeros(last + 1, np.int64)
        # From the best down: of those ahead, the lower rated and half of the equally rated.
        groups = tie_groups(rank[start:end])
        for g in range(groups.shape[0] - 1):
            for row in range(groups[g], groups[g + 1]):
                below, level = _up_to(tree, places[row] - 1), _up_to(tree, places[row])
                wrong[row] += 0.5 * (below + level)
            for row in range(groups[g], groups[g + 1]):
                _add(tree, places[row])
        # From the worst up: of those behind, the higher rated and half of the equally rated.
        tree[:] = 0
        for g in range(groups.shape[0] - 2, -1, -1):
            for row in range(groups[g], groups[g + 1]):
                below, level = _up_to(tree, places[row] - 1), _up_to(tree, places[row])
                wrong[row] += (n - groups[g + 1]) - 0.5 * (below + level)
            for row in range(groups[g], groups[g + 1]):
                _add(tree, places[row])
        share[start:end] = 1.0 - wrong / (n - 1)
    return share


@kernel
def _expected_places(rating, start, end):
    """For every row: its place by rating, 0 for the highest; equal ratings share the middle."""
    order = np.argsort(-rating[start:end])
    places = np.empty(end - start)
    groups = tie_groups(rating[start:end][order])
    for g in range(groups.shape[0] - 1):
        for index in range(groups[g], groups[g + 1]):
            places[order[index]] = 0.5 * (groups[g] + groups[g + 1] - 1)
    return places


@kernel
def rank_deviations(offsets, rank, rating):
    """For every row: how far its place is from that by rating, in terms of the farthest possible.

    Of the places that tied rows share, the nearest to the one by rating counts.
    """
    deviation = np.full(rank.shape[0], np.nan)
    for contest in _telling(offsets, rank):
        start, end = offsets[contest], offsets[contest + 1]
        n = end - start
        expected = _expected_places(rating, start, end)
        groups = tie_groups(rank[start:end])
        for g in range(groups.shape[0] - 1):
            top, bottom = groups[g], groups[g + 1]
            for row in range(top, bottom):
                off = max(top - expected[row], expected[row] - (bottom - 1.0), 0.0)
                deviation[start + row] = off / (n - 1)
    return deviation


@kernel
def spearman(offsets, rank, rating):
    """For every contest: the correlation of places by rating and places, ties in the middle."""
    found = np.full(offsets.shape[0] - 1, np.nan)
    for contest in _telling(offsets, rank):
        start, end = offsets[contest], offsets[contest + 1]
        x = _expected_places(rating, start, end)
        y = _expected_places(-rank[start:end].astype(np.float64), 0, end - start)
        middle = 0.5 * (end - start - 1)
        both, xx, yy = 0.0, 0.0, 0.0
        for row in range(x.shape[0]):
            both += (x[row] - middle) * (y[row] - middle)
            xx += (x[row] - middle) ** 2
            yy += (y[row] - middle) ** 2
        found[contest] = both / math.sqrt(xx * yy) if xx > 0.0 else 0.0
    return found


@kernel
def _tied_pairs(sorted_values):
    pairs, run = 0, 0
    for index in range(1, sorted_values.shape[0]):
        run = run + 1 if sorted_values[index] == sorted_values[index - 1] else 0
        pairs += run
    return pairs


@kernel
def kendall(offsets, rank, rating):
    """For every contest: Kendall's tau-b of ratings and places."""
    found = np.full(offsets.shape[0] - 1, np.nan)
    for contest in _telling(offsets, rank):
        start, end = offsets[contest], offsets[contest + 1]
        n = end - start
        places, last = _places(rating, start, end)
        tree = np.zeros(last + 1, np.int64)
        surplus = 0  # pairs in order minus pairs in reverse
        groups = tie_groups(rank[start:end])
        for g in range(groups.shape[0] - 1):
            top, bottom = groups[g], groups[g + 1]
            for row in range(top, bottom):
                surplus += top - _up_to(tree, places[row]) - _up_to(tree, places[row] - 1)
            for row in range(top, bottom):
                _add(tree, places[row])
        pairs = n * (n - 1) // 2
        by_rating = pairs - _tied_pairs(np.sort(places))
        by_rank = pairs - _tied_pairs(rank[start:end])
        if by_rating > 0:
            found[contest] = surplus / math.sqrt(float(by_rating) * float(by_rank))
        else:
            found[contest] = 0.0
    return found


@kernel
def _among_best(values, k):
    """For values, lower being better: 1 for the best k, a share for those tied at the border."""
    part = np.zeros(values.shape[0])
    order = np.argsort(values)
    border = values[order[k - 1]]
    better, level = 0, 0
    for value in values:
        better += value < border
        level += value == border
    for row in range(values.shape[0]):
        if values[row] < border:
            part[row] = 1.0
        elif values[row] == border:
            part[row] = (k - better) / level
    return part


@kernel
def top_hits(offsets, rank, rating, k):
    """For every contest of more than k: the share of its best k who were the highest rated k.

    Those who share the last of these places are among the best by a part.
    """
    found = np.full(offsets.shape[0] - 1, np.nan)
    for contest in range(offsets.shape[0] - 1):
        start, end = offsets[contest], offsets[contest + 1]
        if _says_nothing(rank, start, end) or end - start <= k:
            continue
        rated = _among_best(-rating[start:end], k)
        placed = _among_best(rank[start:end].astype(np.float64), k)
        found[contest] = np.sum(rated * placed) / k
    return found


@kernel
def highest_rated(offsets, player, rating, k):
    """The rows of the k highest rated of every contest of more than k, and their offsets.

    Rows keep their order. Of those with equal ratings, the lower ids are taken.
    """
    ends = np.zeros(offsets.shape[0], np.int64)
    rows = np.empty(player.shape[0], np.int64)
    used = 0
    for contest in range(offsets.shape[0] - 1):
        start, end = offsets[contest], offsets[contest + 1]
        if end - start > k:
            by_id = np.argsort(player[start:end])
            by_rating = np.argsort(-rating[start:end][by_id], kind="mergesort")
            rows[used : used + k] = start + np.sort(by_id[by_rating[:k]])
            used += k
        ends[contest + 1] = used
    return rows[:used], ends


@kernel
def pair_counts(offsets):
    """How many pairs of every contest are looked at."""
    counts = np.zeros(offsets.shape[0] - 1, np.int64)
    for contest in range(counts.shape[0]):
        n = offsets[contest + 1] - offsets[contest]
        counts[contest] = n * (n - 1) // 2 if n <= ALL_PAIRS else n * strides(n).shape[0]
    return counts


@kernel
def strides(n):
    """About log2(n) different steps below n / 2, spread evenly."""
    most = (n - 1) // 2
    taken = np.zeros(most + 1, np.bool_)
    strides = np.empty(int(math.ceil(math.log2(n))), np.int64)
    turn = 0.0
    for index in range(strides.shape[0]):
        turn = (turn + _GOLDEN) % 1.0
        stride = 1 + int(turn * most)
        while taken[stride]:
            stride = stride % most + 1
        taken[stride] = True
        strides[index] = stride
    return strides


@kernel
def pairs(offsets, player, first, last, total):
    """Pairs of rows of the contests `first` to `last`, `total` in all.

    All pairs of small contests. In larger ones, competitors stand in a ring by their ids, and
    each is compared with those at a few steps to either side: n log2(n) pairs, whatever the result.
    """
    a = np.empty(total, np.int64)
    b = np.empty(total, np.int64)
    used = 0
    for contest in range(first, last):
        start, end = offsets[contest], offsets[contest + 1]
        n = end - start
        if n <= ALL_PAIRS:
            for i in range(start, end):
                for j in range(i + 1, end):
                    a[used], b[used] = i, j
                    used += 1
            continue
        ring = np.argsort(player[start:end]) + start
        for stride in strides(n):
            for i in range(n):
                other = i + stride
                a[used], b[used] = ring[i], ring[other - n if other >= n else other]
                used += 1
    return a, b


@kernel
def some_pairs(offsets, number, contest):
    """Which pairs of whole contests are enough: of large ones those at every fourth stride.

    Contests that follow each other, by their number, take others.
    """
    few = np.empty(contest.shape[0], np.int64)
    used, place = 0, 0
    for pair in range(contest.shape[0]):
        own = contest[pair]
        place = place + 1 if pair > 0 and own == contest[pair - 1] else 0
        n = offsets[own + 1] - offsets[own]
        if n <= _MANY or (place // n + number[own]) % _ENOUGH == 0:
            few[used] = pair
            used += 1
    return few[:used]


@kernel
def add_up_rows(group, rows, sums):
    """Add every row to the sums of its group, in this order."""
    for row in range(rows.shape[0]):
        own = sums[group[row]]
        for column in range(rows.shape[1]):
            own[column] += rows[row, column]


@kernel
def add_up_pairs(contest, score, expected, least, bins, sums):
    """Add to the sums of every contest what its pairs say.

    Columns: pairs, accuracy, log loss, squared error, and for each of the bins of the favourite's
    expected score from ½ to 1: pairs, expected and scored. Chances below `least` count as that.
    Without a favourite, who comes first in the pair must not matter: they scored half.
    """
    for pair in range(contest.shape[0]):
        p, y = expected[pair], score[pair]
        p = min(max(p, least), 1.0 - least) if p == p else 0.5
        row = sums[contest[pair]]
        row[0] += 1.0
        if y > 0.0:
            row[2] -= y * math.log(p)
        if y < 1.0:
            row[2] -= (1.0 - y) * math.log1p(-p)
        row[3] += (y - p) * (y - p)
        if p < 0.5:  # so that the first is the favourite
            p, y = 1.0 - p, 1.0 - y
        even = p - 0.5 <= EVEN
        if even or y == 0.5:
            row[1] += 0.5
        elif y > 0.5:
            row[1] += 1.0
        cell = min(int(2.0 * bins * (p - 0.5)), bins - 1)
        row[4 + cell] += 1.0
        row[4 + bins + cell] += p
        row[4 + 2 * bins + cell] += 0.5 if even else y
