"""TrueSkill written down as plainly as possible: dense matrices, one factor at a time.

A factor's cavity is the posterior given all other factors, computed from scratch, so nothing is
ever divided out. Ties without margin are no factors: the performances are conditioned on being
equal before anything else.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from scipy.special import log_ndtr, ndtr, ndtri


@dataclass
class Player:
    mu: float
    sigma: float
    contests: int = 0
    last_time: float = 0.0


def truncated_moments(mean: float, sd: float, low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a normal variable between two bounds."""
    a, b = (low - mean) / sd, (high - mean) / sd
    if high == math.inf:
        hazard = math.exp(-0.5 * a * a - 0.5 * math.log(2 * math.pi) - log_ndtr(-a))
        return mean + sd * hazard, sd * sd * (1.0 - hazard * (hazard - a))
    if a + b > 0.0:  # from the other side, where small tails are not differences of ones
        mirrored, variance = truncated_moments(-mean, sd, -high, -low)
        return -mirrored, variance
    density_a, density_b = np.exp(-0.5 * np.array([a, b]) ** 2) / math.sqrt(2 * math.pi)
    inside = ndtr(b) - ndtr(a)
    shift = (density_a - density_b) / inside
    return mean + sd * shift, sd * sd * (1.0 + (a * density_a - b * density_b) / inside - shift**2)


def with_factor(mean, covariance, difference, precision, natural_mean):
    """A Gaussian times a factor of one linear combination of its variables."""
    along = covariance @ difference
    divisor = 1.0 + precision * difference @ along
    moved = mean + along * (natural_mean - precision * difference @ mean) / divisor
    return moved, covariance - np.outer(along, along) * precision / divisor


def given_equal(mean, covariance, difference):
    along = covariance @ difference
    variance = difference @ along
    return (
        mean - along * (difference @ mean) / variance,
        covariance - np.outer(along, along) / variance,
    )


def performances_after(mean, covariance, ranks, margins, tolerance=1e-13):
    """Expectation propagation, to convergence: mean and covariance of all performances."""
    n = len(mean)
    differences = [np.eye(n)[k] - np.eye(n)[k + 1] for k in range(n - 1)]
    open_factors = []
    for k in range(n - 1):
        if ranks[k] == ranks[k + 1] and margins[k] == 0.0:
            mean, covariance = given_equal(mean, covariance, differences[k])
        else:
            open_factors.append(k)
    sites = dict.fromkeys(open_factors, (0.0, 0.0))
    for _ in range(1000):
        change = 0.0
        for k in open_factors:
            m, c = mean, covariance
            for other in open_factors:
                if other != k:
                    m, c = with_factor(m, c, differences[other], *sites[other])
            d, variance = differences[k] @ m, differences[k] @ c @ differences[k]
            low, high = margins[k], math.inf
            if ranks[k] == ranks[k + 1]:
                low, high = -margins[k], margins[k]
            d_new, variance_new = truncated_moments(d, math.sqrt(variance), low, high)
            site = (1.0 / variance_new - 1.0 / variance, d_new / variance_new - d / variance)
            change = max(change, abs(site[0] - sites[k][0]) * variance)
            change = max(change, abs(site[1] - sites[k][1]) * math.sqrt(variance))
            sites[k] = site
        if change < tolerance * 1e3:
            break
    for k in open_factors:
        mean, covariance = with_factor(mean, covariance, differences[k], *sites[k])
    return mean, covariance


@dataclass
class TrueSkill:
    """The model of the paper; times in days. A competitor is a list of (name, share)."""

    beta: float = 25 / 6
    tau: float = 25 / 300
    drift_per_day: float = 0.0
    draw_rate: float = 0.1
    mu_new: float = 25.0
    sigma_new: float = 25 / 3
    players: dict[str, Player] = field(default_factory=dict)

    def record(
        self,
        competitors: Sequence[Sequence[tuple[str, float]]],
        ranks: Sequence[int],
        time: float = 0.0,
        weight: float = 1.0,
    ) -> None:
        members = [
            (self.players.setdefault(name, Player(self.mu_new, self.sigma_new)), share, k)
            for k, competitor in enumerate(competitors)
            for name, share in competitor
        ]
        for player, _, _ in members:
            days = time - player.last_time if player.contests else 0.0
            added = self.drift_per_day * days
            if len(competitors) > 1:
                added += weight * self.tau**2
            player.sigma = math.hypot(player.sigma, math.sqrt(added))
            player.contests += 1
            player.last_time = time
        if len(competitors) == 1:
            return
        # One joint Gaussian: all skills, then all performances of competitors.
        n, k = len(members), len(competitors)
        share = np.zeros((k, n))
        for i, (_, part, competitor) in enumerate(members):
            share[competitor, i] = part
        mu = np.array([player.mu for player, _, _ in members])
        skill = np.diag([player.sigma**2 for player, _, _ in members])
        mean = share @ mu
        covariance = share @ (skill + self.beta**2 * np.eye(n)) @ share.T
        quantile = float(ndtri((1 + self.draw_rate) / 2))
        sizes = [len(competitor) for competitor in competitors]
        margins = [quantile * self.beta * math.sqrt(a + b) for a, b in pairwise(sizes)]
        after, covariance_after = performances_after(mean, covariance, ranks, margins)
        gain = skill @ share.T @ np.linalg.inv(covariance)
        mu_after = mu + gain @ (after - mean)
        variance_after = np.diag(skill - gain @ (covariance - covariance_after) @ gain.T)
        for (player, _, _), m, v in zip(members, mu_after, variance_after, strict=True):
            precision = 1.0 / player.sigma**2
            told = weight * (1.0 / v - precision)
            told_mean = weight * (m / v - player.mu * precision)
            player.mu = float((player.mu * precision + told_mean) / (precision + told))
            player.sigma = float((precision + told) ** -0.5)
