"""Glicko and Glicko-2 written out: matches grouped by rating period, one period after the other."""

import math
from dataclasses import dataclass

Q = math.log(10.0) / 400.0


@dataclass
class Player:
    mu: float
    sigma: float
    volatility: float
    last_day: float = 0.0
    contests: int = 0


def g(rd: float, q: float = Q) -> float:
    return 1.0 / math.sqrt(1.0 + 3.0 * q**2 * rd**2 / math.pi**2)


def expected(mu: float, opponent: float, rd: float, q: float = Q) -> float:
    return 1.0 / (1.0 + math.exp(min(-q * g(rd, q) * (mu - opponent), 700.0)))


def illinois(phi, v, delta, sigma, tau, tolerance=1e-13):
    """Step 5 of Glickman's description, but for the tolerance and an end of patience."""
    a = math.log(sigma**2)

    def f(x):
        ex = math.exp(x)
        return ex * (delta**2 - phi**2 - v - ex) / (2.0 * (phi**2 + v + ex) ** 2) - (x - a) / tau**2

    A = a
    if delta**2 > phi**2 + v:
        B = math.log(delta**2 - phi**2 - v)
    else:
        k = 1
        while f(a - k * tau) < 0.0:
            k += 1
        B = a - k * tau
    fA, fB = f(A), f(B)
    for _ in range(300):
        if abs(B - A) <= tolerance or fA == fB:
            break
        C = A + (A - B) * fA / (fB - fA)
        fC = f(C)
        if fC * fB <= 0.0:
            A, fA = B, fB
        else:
            fA /= 2.0
        B, fB = C, fC
    return math.exp(A / 2.0)


class Glicko:
    """The whole season at once. `tau` makes it Glicko-2."""

    def __init__(
        self, *, period_days=0.0, drift=34.6, drift_per_day=0.0, contest="mean", sigma_min=0.0,
        sigma_max=350.0, tau=None,
    ):  # fmt: skip
        self.period_days = period_days
        self.drift = drift
        self.drift_per_day = drift_per_day
        self.contest = contest
        self.sigma_min = sigma_min
        self.sigma_max = sigma_max
        self.tau = tau
        self.players: dict[str, Player] = {}
        self.shown: dict[str, Player] = {}

    def play(self, contests):
        """Contests are (names, ranks, day, weight). `shown` is what was last played for."""
        if self.period_days == 0.0:
            for names, ranks, day, weight in contests:
                self._diffuse_before(names, day)
                self._period(names, [(names, ranks, weight)])
        else:
            periods = {}
            for names, ranks, day, weight in contests:
                number = math.floor(day / self.period_days)
                periods.setdefault(number, []).append((names, ranks, weight))
            for number in range(min(periods), max(periods) + 1):
                self.start_period()
                games = periods.get(number, [])
                for name in {name for names, _, _ in games for name in names}:
                    self._player(name)
                self._period(list(self.players), games)
        return self

    def start_period(self):
        """Glicko adds its drift at the start of a period."""
        if self.tau is None:
            for player in self.players.values():
                self._grow(player, self.drift**2)

    def _player(self, name):
        return self.players.setdefault(name, Player(1500.0, 350.0, 0.06))

    def _grow(self, player, variance):
        player.sigma = min(math.sqrt(player.sigma**2 + variance), self.sigma_max)

    def _diffuse_before(self, names, day):
        for name in names:
            player = self._player(name)
            days = day - player.last_day if player.contests else 0.0
            variance = self.drift_per_day * days
            if self.tau is None and len(names) > 1:
                variance += self.drift**2
            self._grow(player, variance)
            player.last_day = day

    def _period(self, names, contests):
        ends = {name: self._end(name, contests) for name in names}
        for name, (mu, sigma, volatility) in ends.items():
            player = self.players[name]
            player.mu, player.sigma, player.volatility = mu, sigma, volatility
            played = sum(name in entered for entered, _, _ in contests)
            player.contests += played
            if played:
                self.shown[name] = Player(mu, sigma, volatility, 0.0, player.contests)

    def _end(self, name, contests):
        """What the player is at the end of a period of these contests."""
        player = self.players[name]
        information, gradient, games = 0.0, 0.0, 0
        for names, ranks, weight in contests:
            if name not in names:
                continue
            own, n = ranks[names.index(name)], len(names)
            share = {"mean": n - 1, "sum": 1, "one-match": n}[self.contest]
            if self.contest == "one-match" and n > 1:
                information += weight * Q**2 / 4.0
            for other, rank in zip(names, ranks, strict=True):
                if other == name:
                    continue
                games += 1
                rd = self.players[other].sigma
                e = expected(player.mu, self.players[other].mu, rd)
                score = 1.0 if own < rank else 0.5 if own == rank else 0.0
                gradient += weight / share * Q * g(rd) * (score - e)
                if self.contest != "one-match":
                    information += weight / share * Q**2 * g(rd) ** 2 * e * (1.0 - e)
        if games == 0 and self.period_days == 0.0:
            return player.mu, player.sigma, player.volatility
        prior, volatility = player.sigma**2, player.volatility
        if self.tau is not None:
            if games:
                v, delta = Q**2 / information, Q * gradient / information
                volatility = illinois(Q * player.sigma, v, delta, volatility, self.tau)
            prior += (volatility / Q) ** 2
        variance = 1.0 / (1.0 / prior + information)
        sigma = min(max(math.sqrt(variance), self.sigma_min), self.sigma_max)
        return player.mu + variance * gradient, sigma, volatility
