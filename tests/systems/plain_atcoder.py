"""AtCoder's rating as its formulas say, with whole histories and no kernels."""

import math


def expected_ahead(x, averages):
    """How many are expected ahead of somebody with the average x."""
    return math.fsum(1.0 / (1.0 + 6.0 ** ((x - a) / 400.0)) for a in averages)


def performance(average_of, rank):
    """The average at which the middle rank would be expected, by bisection."""
    low, high = min(average_of) - 4000.0, max(average_of) + 4000.0
    for _ in range(200):
        x = 0.5 * (low + high)
        if expected_ahead(x, average_of) > rank - 0.5:
            low = x
        else:
            high = x
    return 0.5 * (low + high)


def middle_ranks(ranks):
    return [sum(r < rank for r in ranks) + 0.5 * (1 + ranks.count(rank)) for rank in ranks]


class Player:
    """Performances, the first one first, each with the weight of its contest."""

    def __init__(self):
        self.past = []

    def weighted(self, decay=0.9):
        latest = reversed(self.past)
        return [(decay**k * weight, p) for k, (p, weight) in enumerate(latest, 1)]

    def average(self, centre):
        terms = self.weighted()
        if not terms:
            return centre
        return math.fsum(w * p for w, p in terms) / math.fsum(w for w, _ in terms)

    def mean(self):
        """The rating without what is taken off."""
        terms = self.weighted()
        powers = math.fsum(w * 2.0 ** (p / 800.0) for w, p in terms)
        return 800.0 * math.log2(powers / math.fsum(w for w, _ in terms))

    def f(self):
        """F(n), by which newcomers are shown lower."""
        weights = [w for w, _ in self.weighted()]
        return math.sqrt(math.fsum(w * w for w in weights)) / math.fsum(weights)

    def rating(self):
        limit = math.sqrt(0.81 / 0.19) / 9.0
        rating = self.mean() - 1200.0 * (self.f() - limit) / (1.0 - limit)
        return rating if rating >= 400.0 else 400.0 * math.exp((rating - 400.0) / 400.0)


def rated(contests, centre=1200.0):
    """All players after these contests, and the performances of every row."""
    players, shown = {}, []
    for contest in contests:
        names = contest.players
        group = [players.setdefault(name, Player()) for name in names]
        ceiling = math.inf if contest.perf_ceiling is None else contest.perf_ceiling
        averages = [player.average(centre) for player in group]
        ranks = middle_ranks([rank for rank, _ in contest.standings])
        found = [performance(averages, rank) for rank in ranks] if len(group) > 1 else []
        shown.extend(found or [None])
        for row, (player, p) in enumerate(zip(group, found, strict=False), len(shown) - len(group)):
            first = 1.5 * (p - centre) + centre if not player.past else p
            shown[row] = min(first, ceiling)
            player.past.append((shown[row], contest.weight))
    return players, shown
