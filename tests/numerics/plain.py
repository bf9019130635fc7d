"""The papers' algorithms written down as plainly as possible, to compare the kernels with.

Everything here is quadratic, one player and one term at a time, and uses SciPy for special
functions and roots.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import erfcx, expit

Array = NDArray[np.float64]
Terms = Callable[[Array], Array]


@dataclass(frozen=True)
class Model:
    """The three functions of section 3.1 for a density of variance one."""

    loss: Terms
    draw: Terms
    victory: Terms


def _hazard(z: Array) -> Array:
    return math.sqrt(2.0 / math.pi) / erfcx(np.asarray(z) / math.sqrt(2.0))


_PI_ROOT3 = math.pi / math.sqrt(3.0)

LOGISTIC = Model(
    loss=lambda z: -_PI_ROOT3 * expit(_PI_ROOT3 * z),
    draw=lambda z: -_PI_ROOT3 * np.tanh(0.5 * _PI_ROOT3 * z),
    victory=lambda z: _PI_ROOT3 * expit(-_PI_ROOT3 * z),
)
GAUSSIAN = Model(
    loss=lambda z: -_hazard(z),
    draw=lambda z: -np.asarray(z),
    victory=lambda z: _hazard(-np.asarray(z)),
)


def balance(
    model: Model, mu: Array, delta: Array, ranks: Array, own: int, split_ties: bool, p: float
) -> float:
    """Q of Theorem 3.2 at p, for a player of rank `own`, the smallest terms added first."""
    z = (p - mu) / delta
    loss, draw, victory = model.loss(z), model.draw(z), model.victory(z)
    tie = 0.5 * (loss + victory) if split_ties else draw
    terms = np.where(ranks < own, loss, np.where(ranks > own, victory, tie)) / delta
    return float(np.sum(terms[np.argsort(np.abs(terms))]))


def performances(
    model: Model, mu: Array, delta: Array, ranks: Array, split_ties: bool = False
) -> Array:
    """The zero of Q for every player, by Brent's method."""
    out = np.empty(len(mu))
    for own in np.unique(ranks):
        reach = 10.0 * delta.max()
        while balance(model, mu, delta, ranks, own, split_ties, mu.max() + reach) > 0.0:
            reach *= 2.0
        while balance(model, mu, delta, ranks, own, split_ties, mu.min() - reach) < 0.0:
            reach *= 2.0
        out[ranks == own] = brentq(
            lambda p, own=own: balance(model, mu, delta, ranks, own, split_ties, p),
            mu.min() - reach,
            mu.max() + reach,
            xtol=1e-11,
            rtol=1e-15,
        )
    return out


@dataclass
class Player:
    """A player of Algorithm 1: performances and weights, the Gaussian factor first."""

    mu: float
    sigma: float
    p: list[float]
    w: list[float]
    beta: list[float]
    contests: int = 0
    last_time: float = 0.0


@dataclass
class EloMMR:
    """Algorithms 1 to 3 with the parametrisation in practice; times in days."""

    rho: float = 1.0
    weight_limit: float = 0.2
    sig_limit: float = 80.0
    drift_per_day: float = 0.0
    split_ties: bool = False
    noob_delay: Sequence[float] = ()
    mu_new: float = 1500.0
    sigma_new: float = 350.0
    gaussian: bool = False
    players: dict[str, Player] = field(default_factory=dict)

    def record(
        self,
        names: Sequence[str],
        ranks: Sequence[int],
        time: float = 0.0,
        weight: float = 1.0,
        ceiling: float = math.inf,
    ) -> list[float]:
        """Rate one contest; the performances."""
        field_ = [self._player(name) for name in names]
        betas = []
        for player in field_:
            a = self.weight_limit * weight
            if player.contests < len(self.noob_delay):
                a *= self.noob_delay[player.contests]
            days = time - player.last_time if player.contests else 0.0
            gamma2 = self.drift_per_day * days
            if len(names) > 1:
                gamma2 += a * self.sig_limit**2
            betas.append(math.sqrt((1 + 1 / a) * self.sig_limit**2 + self.drift_per_day / a))
            self._diffuse(player, gamma2)
            player.contests += 1
            player.last_time = time
        if len(names) == 1:
            return [math.nan]
        mu = np.array([player.mu for player in field_])
        delta = np.array(
            [math.hypot(player.sigma, beta) for player, beta in zip(field_, betas, strict=True)]
        )
        model = GAUSSIAN if self.gaussian else LOGISTIC
        found = performances(model, mu, delta, np.array(ranks), self.split_ties)
        found = np.minimum(found, ceiling)
        for player, p, beta in zip(field_, found.tolist(), betas, strict=True):
            self._update(player, p, beta)
        return found.tolist()

    def reset(self, pull: float, toward: float) -> None:
        """Move every belief part of the way, and diffuse it as far to a newcomer's variance."""
        for player in self.players.values():
            shift = pull * (toward - player.mu)
            player.mu += shift
            player.p = [p + shift for p in player.p]
            self._diffuse(player, max(0.0, pull * (self.sigma_new**2 - player.sigma**2)))

    def _player(self, name: str) -> Player:
        fresh = Player(self.mu_new, self.sigma_new, [self.mu_new], [self.sigma_new**-2], [0.0])
        return self.players.setdefault(name, fresh)

    def _diffuse(self, player: Player, gamma2: float) -> None:
        """Algorithm 2."""
        kappa = 1.0 / (1.0 + gamma2 / player.sigma**2)
        if self.rho == math.inf or self.gaussian:
            player.p, player.w, player.beta = [player.mu], [kappa / player.sigma**2], [0.0]
        else:
            w_gauss = kappa**self.rho * player.w[0]
            w_moved = (1.0 - kappa**self.rho) * sum(player.w)
            player.p[0] = (w_gauss * player.p[0] + w_moved * player.mu) / (w_gauss + w_moved)
            player.w[0] = kappa * (w_gauss + w_moved)
            player.w[1:] = [kappa ** (1.0 + self.rho) * w for w in player.w[1:]]
        player.sigma /= math.sqrt(kappa)

    def _update(self, player: Player, p: float, beta: float) -> None:
        """Algorithm 3, phase two."""
        player.p.append(p)
        player.w.append(beta**-2)
        player.beta.append(beta)
        player.sigma = (player.sigma**-2 + beta**-2) ** -0.5
        if self.gaussian:
            player.mu = float(np.average(player.p, weights=player.w))
            return

        def slope(x: float) -> float:
            total = player.w[0] * (x - player.p[0])
            for p_k, w_k, beta_k in zip(player.p[1:], player.w[1:], player.beta[1:], strict=True):
                bar = beta_k / _PI_ROOT3
                total += w_k * beta_k**2 / bar * math.tanh((x - p_k) / (2.0 * bar))
            return total

        low, high = min(player.p) - 1.0, max(player.p) + 1.0
        player.mu = float(brentq(slope, low, high, xtol=1e-11, rtol=1e-15))


def heaviest_matching(edges: dict[tuple[int, int], int]) -> int:
    """The weight of the heaviest matching of a graph, by trying all."""
    if not edges:
        return 0
    (a, b), weight = next(iter(edges.items()))
    rest = {pair: each for pair, each in edges.items() if pair != (a, b)}
    apart = {pair: each for pair, each in rest.items() if a not in pair and b not in pair}
    return max(heaviest_matching(rest), weight + heaviest_matching(apart))
