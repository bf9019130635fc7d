"""The luck system written out: every pair of strengths, every match, nothing left out."""

import math

import numpy as np


def logistic(z):
    return 1.0 / (1.0 + math.exp(-z)) if z > -700.0 else 0.0


def normal(z):
    return 0.5 * math.erfc(-z / math.sqrt(2.0))


def laplace(z):
    return 0.5 * math.exp(z) if z < 0.0 else 1.0 - 0.5 * math.exp(-z)


def step(z):
    return 0.5 if z == 0.0 else float(z > 0.0)


CURVES = {
    "logistic": lambda d, scale: logistic(d / scale),
    "normal": lambda d, scale: normal(d / scale),
    "laplace": lambda d, scale: laplace(d / scale),
    "heaviside": lambda d, _: step(d),
    "draw-margin": lambda d, scale: 0.5 if abs(d) <= scale else step(d),
    "capped-logistic": lambda d, scale: logistic(
        max(min(d / scale, math.log(10.0)), -math.log(10.0))
    ),
}
KERNELS = {
    "normal": lambda d, sd: math.exp(-0.5 * (d / sd) ** 2),
    "laplace": lambda d, sd: math.exp(-abs(d) * math.sqrt(2.0) / sd),
    "none": lambda d, _: float(d == 0.0),
}


class Luck:
    """A season at a time. A match is (first, second, score of the first, side, day, weight)."""

    def __init__(
        self,
        *,
        beta=0.8,
        luck="logistic",
        scale=1.0,
        side_advantage=0.0,
        prior_mean=0.0,
        prior_sd=0.7,
        drift="normal",
        drift_sd=0.03,
        drift_per_day=0.0,
        period_days=0.0,
        reach=7.0,
        points=1001,
    ):
        self.spacing = 2.0 * reach / (points - 1)
        self.x = [-reach + self.spacing * k for k in range(points)]
        self.beta, self.curve, self.scale = beta, CURVES[luck], scale
        self.advantage = side_advantage
        prior = np.array([math.exp(-0.5 * ((x - prior_mean) / prior_sd) ** 2) for x in self.x])
        self.prior = prior / prior.sum()
        self.drift = self.matrix(lambda d: KERNELS[drift](d, drift_sd))
        self.tables = {side: self.chances(side) for side in (-1, 0, 1)}
        self.drift_per_day, self.period_days = drift_per_day, period_days
        self.now, self.start, self.period, self.aged = {}, {}, {}, {}

    def matrix(self, function):
        """Of the differences of all pairs, which are exact multiples of the spacing."""
        n = len(self.x)
        by_difference = [function(k * self.spacing) for k in range(1 - n, n)]
        return np.array([[by_difference[i - j + n - 1] for j in range(n)] for i in range(n)])

    def chances(self, side):
        """Of a win and of a loss."""

        def chance(d):
            return 0.5 * (1.0 - self.beta) + self.beta * self.curve(
                d + side * self.advantage, self.scale
            )

        return self.matrix(chance), self.matrix(lambda d: 1.0 - chance(d))

    def enter(self, player, day):
        """What opponents see of a player."""
        period = math.floor(day / self.period_days) if self.period_days else None
        if player not in self.now:
            self.now[player] = self.start[player] = self.prior
            self.aged[player] = day
        elif period is None or period != self.period[player]:
            rho = self.now[player]
            absent = day - self.aged[player]
            if self.drift_per_day > 0.0 and absent > 0.0:
                rho = self.matrix(self.spread(self.drift_per_day * absent)) @ rho
                rho /= rho.sum()
            if period is not None:
                rho = self.drift @ rho
                rho /= rho.sum()
            self.now[player] = self.start[player] = rho
            self.aged[player] = day
        self.period[player] = period
        return self.start[player] if period is not None else self.now[player]

    def spread(self, variance):
        """By a normal distribution or, if that is narrower than the grid, to the points beside."""
        v = variance / self.spacing**2
        if v >= 2.0:
            return lambda d: math.exp(-0.5 * d * d / variance)
        steps = int(2.0 * v) + 1
        chances = np.ones(1)
        for _ in range(steps):
            chances = np.convolve(chances, [v / (2 * steps), 1.0 - v / steps, v / (2 * steps)])
        apart = dict(zip(range(-steps, steps + 1), chances, strict=True))
        return lambda d: apart.get(round(d / self.spacing), 0.0)

    def expected(self, first, second, side=0):
        return float(self.now[first] @ self.tables[side][0] @ self.now[second])

    def play(self, season):
        for first, second, theta, side, day, weight in season:
            a, b = self.enter(first, day), self.enter(second, day)
            win, loss = self.tables[side]
            chances = win**theta * loss ** (1.0 - theta)
            for player, likelihood in ((first, chances @ b), (second, a @ chances)):
                if self.now[player] @ likelihood <= 0.0:
                    likelihood = np.ones(len(self.x))
                rho = self.now[player] * likelihood**weight
                rho /= rho.sum()
                if not self.period_days:
                    rho = self.drift @ rho
                    rho /= rho.sum()
                self.now[player] = rho
        return self

    def reset(self, pull, toward, sigma):
        """Move every belief part of the way, and spread it until it has a deviation at least."""
        scale = 400.0 / math.log(10.0)
        for player, rho in self.now.items():
            mu, _ = self.rating(player)
            points = pull * (toward - mu) / scale / self.spacing
            whole = math.floor(points)
            moved = np.zeros(len(rho))
            for k, chance in enumerate(rho):
                for place, part in ((whole, 1.0 - points + whole), (whole + 1, points - whole)):
                    if 0 <= k + place < len(rho):
                        moved[k + place] += part * chance
            self.now[player] = moved / moved.sum()
            lacking = (sigma**2 - self.rating(player)[1] ** 2) / scale**2
            if lacking > 0.0:
                spread = self.matrix(self.spread(lacking)) @ self.now[player]
                self.now[player] = spread / spread.sum()
            self.start[player] = self.now[player]

    def rating(self, player):
        x, rho = np.array(self.x), self.now[player]
        mean = float(rho @ x)
        scale = 400.0 / math.log(10.0)
        return 1500.0 + scale * mean, scale * math.sqrt(float(rho @ (x - mean) ** 2))
