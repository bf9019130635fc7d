"""Elo-R and its first draft written down as plainly as possible, to compare the kernels with.

Everything here is quadratic, one player and one term at a time, with SciPy for the roots.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq


def zero(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a monotonic function changes its sign."""
    return float(brentq(function, low, high, xtol=1e-12, rtol=1e-15, maxiter=500))


def performances(mu: Sequence[float], bar: Sequence[float], ranks: Sequence[int]) -> list[float]:
    """Section 3 of the paper, with barred deviations: ties are half a win and half a loss."""

    def surprise(own: int, p: float) -> float:
        total = 0.0
        for j, (mu_j, bar_j) in enumerate(zip(mu, bar, strict=True)):
            t = math.tanh((p - mu_j) / bar_j)
            if j == own:
                total += ((t - 1.0) + (t + 1.0)) / bar_j
            elif ranks[j] > ranks[own]:
                total += (t - 1.0) / bar_j
            elif ranks[j] < ranks[own]:
                total += (t + 1.0) / bar_j
            else:
                total += 0.5 * ((t - 1.0) + (t + 1.0)) / bar_j
        return total

    reach = 20.0 * max(bar)
    low, high = min(mu) - reach, max(mu) + reach
    return [zero(lambda p, own=own: surprise(own, p), low, high) for own in range(len(mu))]


@dataclass
class Player:
    """A belief: the Gaussian factor first, then the logistic ones, with barred deviations."""

    r: float
    sigma: float
    mu: list[float]
    tau: list[float]
    contests: int = 0
    last_time: float = 0.0

    def weights(self) -> list[float]:
        """The weights of section 4 of which the rating is a mean."""
        weights = [self.tau[0] ** -2]
        for mu, tau in zip(self.mu[1:], self.tau[1:], strict=True):
            d = self.r - mu
            weights.append(tau**-2 if d == 0.0 else math.tanh(d / tau) / (tau * d))
        return weights

    def slope(self, x: float) -> float:
        """The derivative of the negative logarithm of the belief, halved."""
        total = (x - self.mu[0]) / self.tau[0] ** 2
        for mu, tau in zip(self.mu[1:], self.tau[1:], strict=True):
            total += math.tanh((x - mu) / tau) / tau
        return total

    def mode(self) -> float:
        return zero(self.slope, min(self.mu) - 1.0, max(self.mu) + 1.0)

    def certainty(self) -> float:
        return sum(tau**-2 for tau in self.tau)

    def widen(self, noise: float) -> None:
        """Multiply every variance by the same factor."""
        growth = math.sqrt(1.0 + noise / self.sigma**2)
        self.tau = [tau * growth for tau in self.tau]
        self.sigma *= growth

    def freeze_in(self, noise: float) -> None:
        """Divide every weight by the same factor, found by a search within a search."""
        wanted = 1.0 / (self.sigma**2 + noise)
        if noise > 0.0:
            highest = 2.0 * math.sqrt(1.0 + noise / self.sigma**2)
            kappa = zero(
                lambda kappa: sum(tau**-2 for tau in self._divided(kappa)) - wanted, 0.5, highest
            )
            self.tau = self._divided(kappa)
        self.sigma = wanted**-0.5

    def _divided(self, kappa: float) -> list[float]:
        taus = [kappa * self.tau[0]]
        for mu, tau in zip(self.mu[1:], self.tau[1:], strict=True):
            d = abs(self.r - mu)
            if d / tau < 1e-6:
                taus.append(kappa * tau)
                continue
            goal = math.log(math.tanh(d / tau) / (kappa**2 * tau))
            taus.append(
                math.exp(
                    zero(
                        lambda log, d=d, goal=goal: (
                            math.log(math.tanh(d / math.exp(log))) - log - goal
                        ),
                        math.log(tau) - 3.0,
                        math.log(tau) + 5.0 * math.log(kappa + 2.0),
                    )
                )
            )
        return taus


@dataclass
class EloR:
    """Algorithms 1 and 2; times in days."""

    sig_limit: float = 100.0
    sig_performance: float = 250.0
    noise: str = "freeze-in"
    drift_per_day: float = 0.0
    history: int | None = None
    mu_new: float = 1500.0
    sigma_new: float = 350.0
    players: dict[str, Player] = field(default_factory=dict)

    def contest(self, weight: float) -> tuple[float, float]:
        """eta^2 and gamma^2 of a contest of this weight."""
        a = weight / ((self.sig_performance / self.sig_limit) ** 2 - 1.0)
        return a * self.sig_limit**2, (1.0 + 1.0 / a) * self.sig_limit**2

    def record(
        self,
        names: Sequence[str],
        ranks: Sequence[int],
        time: float = 0.0,
        weight: float = 1.0,
        ceiling: float = math.inf,
    ) -> list[float]:
        """Rate one contest; the performances."""
        eta2, gamma2 = self.contest(weight)
        rows = [self.player(name) for name in names]
        for player in rows:
            noise = self.drift_per_day * (time - player.last_time if player.contests else 0.0)
            self.add_noise(player, noise + (eta2 if len(rows) > 1 else 0.0))
            player.contests += 1
            player.last_time = time
        if len(rows) == 1:
            return [math.nan]
        bar = [math.sqrt(player.sigma**2 + gamma2) for player in rows]
        found = performances([player.r for player in rows], bar, ranks)
        found = [min(p, ceiling) for p in found]
        for player, p in zip(rows, found, strict=True):
            self.update(player, p, math.sqrt(gamma2))
        return found

    def reset(self, pull: float, toward: float) -> None:
        """Move every belief part of the way, with noise as far to a newcomer's variance."""
        for player in self.players.values():
            shift = pull * (toward - player.r)
            player.r += shift
            player.mu = [mu + shift for mu in player.mu]
            self.add_noise(player, max(0.0, pull * (self.sigma_new**2 - player.sigma**2)))

    def player(self, name: str) -> Player:
        fresh = Player(self.mu_new, self.sigma_new, [self.mu_new], [self.sigma_new])
        return self.players.setdefault(name, fresh)

    def add_noise(self, player: Player, noise: float) -> None:
        if self.noise == "simple":
            player.widen(noise)
        else:
            player.freeze_in(noise)

    def update(self, player: Player, p: float, gamma: float) -> None:
        """Algorithm 2 from where p is known."""
        while self.history is not None and len(player.mu) > self.history:
            w = player.weights()
            player.mu[0] = (w[0] * player.mu[0] + w[1] * player.mu[1]) / (w[0] + w[1])
            player.tau[0] = (w[0] + w[1]) ** -0.5
            del player.mu[1], player.tau[1]
        player.mu.append(p)
        player.tau.append(gamma)
        player.r = player.mode()
        player.sigma = player.certainty() ** -0.5


@dataclass
class DraftPlayer:
    r: float
    seen: list[tuple[float, float, float]] = field(default_factory=list)
    """Performance, rating before it, scale of the performance."""
    contests: int = 0


@dataclass
class Draft:
    """The draft of 2015."""

    skill_scale: float = 55.0
    performance_scale: float = 125.0
    rule: str = "map"
    memory: int = 1
    decay: float | None = None
    mu_new: float = 1500.0
    players: dict[str, DraftPlayer] = field(default_factory=dict)

    def record(
        self,
        names: Sequence[str],
        ranks: Sequence[int],
        _time: float = 0.0,
        weight: float = 1.0,
        ceiling: float = math.inf,
    ) -> list[float]:
        """Rate one contest; the performances."""
        rows = [self.players.setdefault(name, DraftPlayer(self.mu_new)) for name in names]
        for player in rows:
            player.contests += 1
        if len(rows) == 1:
            return [math.nan]
        sigma2 = self.performance_scale / math.sqrt(weight)
        sigma3 = math.hypot(self.skill_scale, sigma2)
        found = [
            min(self.performance([player.r for player in rows], ranks, own, sigma3), ceiling)
            for own in range(len(rows))
        ]
        for player, p in zip(rows, found, strict=True):
            player.seen = [*player.seen, (p, player.r, sigma2)][-self.memory :]
            player.r = self.updated(player)
        return found

    def reset(self, pull: float, toward: float) -> None:
        """Move every rating part of the way, with what is remembered."""
        for player in self.players.values():
            shift = pull * (toward - player.r)
            player.r += shift
            player.seen = [(p + shift, r + shift, sigma2) for p, r, sigma2 in player.seen]

    def performance(self, r: Sequence[float], ranks: Sequence[int], own: int, s: float) -> float:
        """Equation 13; half a place for each one tied."""
        rank = 1.0
        for j, other in enumerate(ranks):
            if j != own:
                rank += 1.0 if other < ranks[own] else 0.5 if other == ranks[own] else 0.0

        def too_many_ahead(p: float) -> float:
            ahead = 2.0 / (1.0 + math.exp((p - r[own]) / s))
            for j, r_j in enumerate(r):
                if j != own:
                    ahead += 1.0 / (1.0 + math.exp((p - r_j) / s))
            return ahead - rank

        return zero(too_many_ahead, min(r) - 20.0 * s, max(r) + 20.0 * s)

    def updated(self, player: DraftPlayer) -> float:
        """Equation 14, Equation 18, or the idea that follows it."""
        sigma1 = self.skill_scale
        if self.rule == "proportional":
            p, r, sigma2 = player.seen[-1]
            return (sigma1**2 * p + sigma2**2 * r) / (sigma1**2 + sigma2**2)
        weights = [1.0]
        for _, _, sigma2 in reversed(player.seen[:-1]):
            kept = sigma2**2 / (sigma1**2 + sigma2**2) if self.decay is None else self.decay
            weights.insert(0, weights[0] * kept)
        prior = player.seen[0][1]

        def slope(s: float) -> float:
            total = weights[0] / sigma1 * math.tanh((s - prior) / (2.0 * sigma1))
            for w, (p, _, sigma2) in zip(weights, player.seen, strict=True):
                total += w / sigma2 * math.tanh((s - p) / (2.0 * sigma2))
            return total

        levels = [prior, *(p for p, _, _ in player.seen)]
        return zero(slope, min(levels) - 1e-6, max(levels) + 1e-6)


def barred(mu: np.ndarray, s: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """`performances` for logistic scales."""
    return np.array(performances(mu.tolist(), (2.0 * s).tolist(), ranks.tolist()))
