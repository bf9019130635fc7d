"""Algorithms 1 to 4 of Weng and Lin written down as plainly as possible, one pair at a time.

Standings are a list of ties, best first; a tie is a list of teams, a team a list of names.
"""

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scipy.special import expit
from scipy.stats import norm

Team = list[str]
Standings = list[list[Team]]


@dataclass
class Player:
    mu: float
    sigma: float
    contests: int = 0
    last_day: float = 0.0


@dataclass
class WengLin:
    """Times in days."""

    model: str = "bradley-terry-full"
    contest: str = "mean"
    gamma: str = "sigma/c"
    beta: float = 25.0 / 6.0
    draw_margin: float = 0.1
    tau: float = 25.0 / 300.0
    drift_per_day: float = 0.0
    kappa: float = 1e-4
    mu_new: float = 25.0
    sigma_new: float = 25.0 / 3.0
    players: dict[str, Player] = field(default_factory=dict)

    def record(
        self,
        standings: Standings,
        day: float = 0.0,
        weight: float = 1.0,
        shares: dict[str, float] | None = None,
    ) -> None:
        share = shares or {}
        teams = [team for tie in standings for team in tie]
        rank = [place for place, tie in enumerate(standings) for _ in tie]
        for name in itertools.chain.from_iterable(teams):
            player = self.players.setdefault(name, Player(self.mu_new, self.sigma_new))
            growth = self.drift_per_day * (day - player.last_day) if player.contests else 0.0
            if len(teams) > 1:
                growth += self.tau**2
            player.sigma = math.sqrt(player.sigma**2 + growth)
            player.contests += 1
            player.last_day = day
        if len(teams) == 1:
            return
        mu = [sum(share.get(n, 1.0) * self.players[n].mu for n in team) for team in teams]
        variance = [
            sum((share.get(n, 1.0) * self.players[n].sigma) ** 2 for n in team) for team in teams
        ]
        terms = list(self._terms(mu, variance, rank))
        for team, var, (omega, delta) in zip(teams, variance, terms, strict=True):
            for name in team:
                player, part = self.players[name], share.get(name, 1.0)
                old = player.sigma**2
                player.mu += part * old / var * omega * weight
                shrink = 1.0 - part**2 * old / var * delta * weight
                player.sigma *= math.sqrt(max(shrink, self.kappa))

    def _terms(
        self, mu: list[float], variance: list[float], rank: list[int]
    ) -> Iterator[tuple[float, float]]:
        """Omega and Delta of every team."""
        if self.model == "plackett-luce":
            yield from self._choices(mu, variance, rank)
            return
        k = len(mu)
        omega, delta, matches = [0.0] * k, [0.0] * k, [0.0] * k
        for (i, q), share in self._pairs(rank).items():
            c = math.sqrt(variance[i] + variance[q] + 2.0 * self.beta**2)
            slope, curvature = self._match((mu[i] - mu[q]) / c, rank[q] - rank[i], c)
            omega[i] += share * variance[i] / c * slope
            gamma = {"sigma/c": math.sqrt(variance[i]) / c, "1/k": 1.0 / k, "1": 1.0}[self.gamma]
            delta[i] += share * gamma * variance[i] / c**2 * curvature
            matches[i] += share
        for i in range(k):
            count = matches[i] if self.contest == "mean" else 1.0
            yield omega[i] / count, delta[i] / count

    def _pairs(self, rank: list[int]) -> Counter[tuple[int, int]]:
        """How often i meets q; for partial pair, averaged over all orders of ties."""
        k = len(rank)
        if self.model.endswith("full"):
            return Counter(itertools.permutations(range(k), 2))
        ties = [[i for i in range(k) if rank[i] == place] for place in sorted(set(rank))]
        orders = list(itertools.product(*(itertools.permutations(tie) for tie in ties)))
        meetings: Counter[tuple[int, int]] = Counter()
        for order in orders:
            line = list(itertools.chain.from_iterable(order))
            meetings.update(itertools.pairwise(line))
            meetings.update(itertools.pairwise(line[::-1]))
        return Counter({pair: times / len(orders) for pair, times in meetings.items()})

    def _match(self, t: float, ahead: int, c: float) -> tuple[float, float]:
        """Slope and curvature of one match in units of c; `ahead` is positive for a win."""
        if self.model.startswith("bradley"):
            p = float(expit(t))
            score = 1.0 if ahead > 0 else 0.0 if ahead < 0 else 0.5
            return score - p, p * (1.0 - p)
        e = self.draw_margin / c
        if ahead != 0:
            sign = math.copysign(1.0, ahead)
            x = sign * t - e
            v = float(norm.pdf(x) / norm.cdf(x))
            return sign * v, v * (v + x)
        x = abs(t)
        chance = norm.sf(x - e) - norm.sf(x + e)
        v = float((norm.pdf(x + e) - norm.pdf(x - e)) / chance)
        w = float(((e - x) * norm.pdf(e - x) + (e + x) * norm.pdf(e + x)) / chance)
        return math.copysign(v, -t), v * v + w

    def _choices(
        self, mu: list[float], variance: list[float], rank: list[int]
    ) -> Iterator[tuple[float, float]]:
        k = len(mu)
        c = math.sqrt(sum(v + self.beta**2 for v in variance))
        factor = 1.0
        if self.contest == "mean":
            c *= math.sqrt(2.0 / k)
            factor = 0.25 / (1.0 - sum(1.0 / n for n in range(1, k + 1)) / k)
        for i in range(k):
            omega, delta = 0.0, 0.0
            for q in range(k):
                if rank[q] > rank[i]:
                    continue
                tied = rank.count(rank[q])
                p = 1.0 / sum(math.exp((mu[s] - mu[i]) / c) for s in range(k) if rank[s] >= rank[q])
                omega += ((1.0 if q == i else 0.0) - p) / tied
                delta += p * (1.0 - p) / tied
            gamma = {"sigma/c": math.sqrt(variance[i]) / c, "1/k": 1.0 / k, "1": 1.0}[self.gamma]
            yield factor * variance[i] / c * omega, factor * gamma * variance[i] / c**2 * delta


def ranks(standings: Sequence[Sequence[object]]) -> list[int]:
    """1 for the best, counting teams."""
    found: list[int] = []
    for tie in standings:
        found += [len(found) + 1] * len(tie)
    return found
