"""Measures of predictions as they are defined, one pair and one place at a time."""

import math
from itertools import combinations


def says_nothing(ranks):
    """Whether a contest has no two competitors of different ranks."""
    return len(set(ranks)) < 2


def pair_inversion(ranks, ratings):
    """For every competitor, the share of opponents against whom the result was called right."""
    if says_nothing(ranks):
        return [math.nan] * len(ranks)
    n = len(ranks)
    return [
        sum(_right(ranks, ratings, i, j) for j in range(n) if j != i) / (n - 1) for i in range(n)
    ]


def _right(ranks, ratings, i, j):
    if ranks[i] == ranks[j]:
        return 1.0
    if ratings[i] == ratings[j]:
        return 0.5
    return float((ranks[i] < ranks[j]) == (ratings[i] > ratings[j]))


def rank_deviation(ranks, ratings):
    """For every competitor, how many places off, of those that there are to be off."""
    if says_nothing(ranks):
        return [math.nan] * len(ranks)
    n = len(ranks)
    found = []
    for i in range(n):
        higher = sum(rating > ratings[i] for rating in ratings)
        level = sum(rating == ratings[i] for rating in ratings)
        predicted = 1 + higher + (level - 1) / 2
        ahead = sum(rank < ranks[i] for rank in ranks)
        tied = sum(rank == ranks[i] for rank in ranks)
        nearest = min(abs(place - predicted) for place in _reach(ahead + 1, ahead + tied))
        found.append(nearest / (n - 1))
    return found


def _reach(first, last):
    """Places from the first to the last, and those in the middle of two."""
    return [first + half / 2 for half in range(2 * (last - first) + 1)]


def kendall(ranks, ratings):
    """Tau-b, pair by pair; 0 if all ratings are equal."""
    if says_nothing(ranks):
        return math.nan
    surplus, by_rank, by_rating = 0, 0, 0
    for i, j in combinations(range(len(ranks)), 2):
        surplus += _sign(ranks[j] - ranks[i]) * _sign(ratings[i] - ratings[j])
        by_rank += ranks[i] != ranks[j]
        by_rating += ratings[i] != ratings[j]
    return surplus / math.sqrt(by_rank * by_rating) if by_rating else 0.0


def spearman(ranks, ratings):
    """Pearson's correlation of places in the middle of ties; 0 if all ratings are equal."""
    if says_nothing(ranks):
        return math.nan
    x = _middle_places([-rating for rating in ratings])
    y = _middle_places(ranks)
    mean = (len(x) - 1) / 2
    both = sum((a - mean) * (b - mean) for a, b in zip(x, y, strict=True))
    squares = [sum((a - mean) ** 2 for a in places) for places in (x, y)]
    return both / math.sqrt(math.prod(squares)) if squares[0] else 0.0


def _middle_places(values):
    return [
        sum(other < value for other in values) + (sum(v == value for v in values) - 1) / 2
        for value in values
    ]


def _sign(x):
    return (x > 0) - (x < 0)


def top_hits(ranks, ratings, k):
    """The share of the best k who were the highest rated k."""
    if says_nothing(ranks) or len(ranks) <= k:
        return math.nan
    placed, rated = _part_of_best(ranks, k), _part_of_best([-r for r in ratings], k)
    return sum(a * b for a, b in zip(placed, rated, strict=True)) / k


def _part_of_best(values, k):
    """Of the places 1 to k, the part that each has of those that it shares."""
    parts = []
    for value in values:
        better, level = sum(v < value for v in values), sum(v == value for v in values)
        inside = sum(better + 1 <= place <= better + level for place in range(1, k + 1))
        parts.append(inside / level)
    return parts


def highest_rated(players, ratings, k):
    """The numbers of the k highest rated, in order; of equals, those of the lowest ids."""
    if len(ratings) <= k:
        return []
    order = sorted(range(len(ratings)), key=lambda row: (-ratings[row], players[row]))
    return sorted(order[:k])


def pair_sums(pairs, least, bins):
    """Of (score, expected): the sums that `add_up_pairs` makes for one contest."""
    sums = [0.0] * (4 + 3 * bins)
    for score, given in pairs:
        p = 0.5 if math.isnan(given) else min(max(given, least), 1.0 - least)
        sums[0] += 1.0
        favourite = 0 if abs(p - 0.5) < 1e-12 else _sign(p - 0.5)
        sums[1] += 0.5 * (1 + favourite * _sign(score - 0.5))
        sums[2] -= score * math.log(p) + (1.0 - score) * math.log1p(-p)
        sums[3] += (score - p) ** 2
        top = max(p, 1.0 - p)
        cell = next((b for b in range(bins) if top < 0.5 + (b + 1) / (2 * bins)), bins - 1)
        sums[4 + cell] += 1.0
        sums[4 + bins + cell] += top
        sums[4 + 2 * bins + cell] += {1: score, 0: 0.5, -1: 1.0 - score}[favourite]
    return sums
