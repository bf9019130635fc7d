"""The Codeforces system written out plainly: quadratic, obvious, slow."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from scipy.optimize import brentq


def win(a: float, b: float, scale: float = 400.0) -> float:
    """The probability that a player rated a beats one rated b."""
    return 1.0 / (1.0 + 10.0 ** ((b - a) / scale))


def places(ranks: Sequence[int], *, middle: bool) -> list[float]:
    """The last place of every tie group, or the middle one."""
    found = []
    for rank in ranks:
        better = sum(other < rank for other in ranks)
        tied = sum(other == rank for other in ranks)
        found.append(0.5 * (2 * better + tied + 1) if middle else better + tied)
    return found


def deserved(
    ratings: Sequence[float], ranks: Sequence[int], *, papers: bool, scale: float = 400.0
) -> list[float]:
    """The rating of every player that deserves the geometric mean of seed and place."""
    found = []
    for i, place in enumerate(places(ranks, middle=papers)):
        others = [r for j, r in enumerate(ratings) if j != i]
        seed = 1.0 + sum(win(r, ratings[i], scale) for r in others)
        mean = math.sqrt(place * seed)

        def rank_at(x: float, others=others) -> float:
            if papers:
                return 0.5 + sum(win(r, x, scale) for r in ratings)
            return 1.0 + sum(win(r, x, scale) for r in others)

        reach = 10.0 * scale
        found.append(
            brentq(
                lambda x, mean=mean, rank_at=rank_at: rank_at(x) - mean,
                min(ratings) - reach,
                max(ratings) + reach,
                xtol=1e-11,
                rtol=1e-15,
            )
        )
    return found


def correction(ratings: Sequence[float], changes: Sequence[float]) -> float:
    """What both corrections add to every change."""
    n = len(ratings)
    first = -sum(changes) / n - 1.0
    count = min(n, 4 * math.floor(math.sqrt(n) + 0.5))
    best = sorted(range(n), key=lambda i: -ratings[i])[:count]
    second = -sum(changes[i] + first for i in best) / count
    return first + min(max(second, -10.0), 0.0)


def whole_changes(ratings: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """The published procedure in whole numbers: bisection over 1 to 8,000, truncated quotients."""
    n = len(ratings)
    changes = []
    for i, place in enumerate(places(ranks, middle=False)):
        others = [r for j, r in enumerate(ratings) if j != i]

        def seed(rating: int, others=others) -> float:
            return 1.0 + sum(win(other, rating) for other in others)

        mean = math.sqrt(place * seed(ratings[i]))
        left, right = 1, 8000
        while right - left > 1:
            middle = (left + right) // 2
            if seed(middle) < mean:
                right = middle
            else:
                left = middle
        changes.append(math.trunc((left - ratings[i]) / 2))
    first = math.trunc(-sum(changes) / n) - 1
    changes = [change + first for change in changes]
    count = min(4 * math.floor(math.sqrt(n) + 0.5), n)
    best = sorted(range(n), key=lambda i: -ratings[i])[:count]
    second = min(max(math.trunc(-sum(changes[i] for i in best) / count), -10), 0)
    return [change + second for change in changes]


@dataclass
class Codeforces:
    """A season of contests."""

    papers: bool = False
    corrections: bool = True
    share: float = 0.5
    scale: float = 400.0
    mu_new: float = 1500.0
    widened: bool = False
    """As in the authors' program: in a contest of weight c, performances scatter by 1/sqrt(c)."""
    ratings: dict[str, float] = field(default_factory=dict)
    contests: dict[str, int] = field(default_factory=dict)

    def record(
        self,
        names: Sequence[str],
        ranks: Sequence[int],
        weight: float = 1.0,
        ceiling: float = math.inf,
    ) -> None:
        """Rate one contest."""
        for name in names:
            self.contests[name] = self.contests.get(name, 0) + 1
        before = [self.ratings.setdefault(name, self.mu_new) for name in names]
        if len(names) == 1:
            return
        scale = self.scale / math.sqrt(weight) if self.widened else self.scale
        goals = deserved(before, ranks, papers=self.papers, scale=scale)
        changes = [
            self.share * (min(goal, ceiling) - r) for goal, r in zip(goals, before, strict=True)
        ]
        shift = correction(before, changes) if self.corrections else 0.0
        factor = weight / (1.0 - self.share + weight * self.share)
        for name, change in zip(names, changes, strict=True):
            self.ratings[name] += factor * (change + shift)
