"""The Topcoder system written out plainly, with the authors' variations of it as switches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr, ndtri


@dataclass
class Player:
    """Rating, volatility, and the number of contests before."""

    mu: float
    sigma: float
    contests: int = 0


@dataclass
class Topcoder:
    """A season of contests."""

    mu_new: float = 1200.0
    sigma_new: float = 515.0
    uncapped_volatility: bool = False
    """The papers' program: volatility grows by the change before the cap."""
    band_from_2500: bool = False
    """The papers' program: 2500 itself belongs to the upper band."""
    weighted_chances: bool = False
    """The papers' program: a contest of weight c makes gaps sqrt(c) times as wide."""
    players: dict[str, Player] = field(default_factory=dict)

    def record(
        self,
        names: Sequence[str],
        ranks: Sequence[int],
        weight: float = 1.0,
        ceiling: float = math.inf,
    ) -> list[float]:
        """Rate one contest; the performances."""
        field_ = [
            self.players.setdefault(name, Player(self.mu_new, self.sigma_new)) for name in names
        ]
        n = len(names)
        if n == 1:
            field_[0].contests += 1
            return [math.nan]
        mu = np.array([player.mu for player in field_])
        sigma = np.array([player.sigma for player in field_])
        found = self.performances(mu, sigma, np.array(ranks), weight)
        for player, performance in zip(field_, found.tolist(), strict=True):
            self._update(player, min(performance, ceiling), weight)
        return found.tolist()

    def performances(self, mu, sigma, ranks, weight=1.0):
        """PerfAs of everybody."""
        n = len(mu)
        gap = 1.0 if not self.weighted_chances else math.sqrt(weight)
        factor = math.sqrt((sigma**2).mean() + mu.var(ddof=1))
        chances = ndtr(gap * (mu - mu[:, None]) / np.hypot(sigma, sigma[:, None]))
        expected = chances.sum(axis=1)
        better = (ranks < ranks[:, None]).sum(axis=1)
        tied = (ranks == ranks[:, None]).sum(axis=1)
        actual = better + 0.5 * tied
        return mu + factor * (ndtri(expected / n) - ndtri(actual / n))

    def _update(self, player: Player, performance: float, weight: float) -> None:
        t = player.contests
        w = weight * (1.0 / (1.0 - (0.42 / (t + 1) + 0.18)) - 1.0)
        if player.mu > 2500.0 or (self.band_from_2500 and player.mu == 2500.0):
            w *= 0.8
        elif player.mu >= 2000.0:
            w *= 0.9
        cap = 150.0 + 1500.0 / (t + 2)
        tried = (player.mu + w * performance) / (1.0 + w)
        rated = min(max(tried, player.mu - cap), player.mu + cap)
        change = (tried if self.uncapped_volatility else rated) - player.mu
        player.sigma = math.sqrt(change**2 / w + player.sigma**2 / (1.0 + w))
        player.mu = rated
        player.contests += 1
