"""Podium's own model, one contest after the other in plain NumPy, as docs/podium-system.md says.

Performances are found by bisection, slopes by sums over everybody, theta on a dense matrix.
"""

import math
from dataclasses import dataclass, field

import numpy as np

LOWEST = (0, 1, 2, 3, 5, 9, 17, 36, 81)
DELTA = math.sqrt(3.0) / math.pi
DAY = 86_400_000_000


def hashed(contest, row):
    """The generator of partners: splitmix64, in Python's whole numbers."""
    mask = 2**64 - 1
    z = (contest * 0x9E3779B97F4A7C15 + row * 0xD1B54A32D192ED03) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return (z ^ (z >> 31)) >> 33


def logistic(z):
    return 1.0 / (1.0 + math.exp(-z)) if z > 0 else math.exp(z) / (1.0 + math.exp(z))


@dataclass
class Player:
    x: float
    V: float
    n: int = 0
    first: int = 0
    last: int = 0
    activity: float = 0.0
    surprise: float = 0.0


@dataclass
class Plain:
    """All that is believed, of players by id and of what they share."""

    system: object
    players: dict = field(default_factory=dict)

    def __post_init__(self):
        self.theta, self.A, self.B = np.zeros(64), np.zeros((64, 64)), np.zeros(64)
        self.squares, self.counts = np.full((9, 3), 400.0), np.full((9, 3), 400.0)
        self.ratios = np.ones((9, 3))
        self.tau, self.curvature, self.pace, self.paces = 1.0, 200.0, 1.0, 20.0
        self.level, self.levels = 20.0 * self.system.mu_new, 20.0
        self.present, self.rounds, self.pending, self.contests = 0.0, 0.0, 0.0, 0

    def player(self, number):
        start = self.system.mu_new, self.system.sigma_new**2
        return self.players.setdefault(number, Player(*start))

    def fold(self, ids, ranks, time, weight=1.0, ceiling=math.inf, side=None, team=None):
        """One contest; `ranks` and `team` (the number of each row's competitor) are per row."""
        s, rows = self.system, [self.player(each) for each in ids]
        side = np.zeros(len(ids)) if side is None else np.asarray(side, float)
        team = np.arange(len(ids)) if team is None else np.asarray(team)
        unit, teams = s.beta / 200.0, int(team.max()) + 1
        days = np.array([max(0.0, (time - p.last) / DAY) if p.n else 0.0 for p in rows])
        age = np.array([max(0.0, (time - p.first) / DAY) if p.n else 0.0 for p in rows])
        n = np.array([p.n for p in rows])
        x, V = np.array([p.x for p in rows]), np.array([p.V for p in rows])
        grows = (s.drift_per_day + s.drift_new / (1.0 + n / 20.0)) * np.minimum(days, 400.0)
        V += np.where(n > 0, self.pace * (grows + (s.noise**2 if teams > 1 else 0.0)), 0.0)
        activity = np.array([p.activity for p in rows]) * np.exp(-days / 60.0)
        if teams == 1:
            self._remember(rows, x, V, activity, time)
            return None
        r = np.searchsorted(LOWEST, n, side="right") - 1
        cell = r, np.digitize(days, (45.0, 240.0))
        usual = self.present / self.rounds if self.rounds else 0.0
        level, known = self.level / self.levels, n > 0
        others = max(0.0, min(usual, 30.0) - known.sum())
        f = s.mu_new
        if known.sum() + others > 0:
            f = (x[known].sum() + others * level) / (known.sum() + others)
        phi = np.zeros((len(ids), 64))
        away = np.log(1.0 + days) / 3.0 - 1.0
        for i in range(len(ids)):
            about = [
                1.0,
                (x[i] - f) / (100.0 * unit),
                away[i],
                away[i] ** 2,
                activity[i] / (5.0 + activity[i]) - 0.3,
                math.log(1.0 + age[i]) / 5.0 - 1.0,
                math.log((1.0 + n[i]) / (1.0 + LOWEST[r[i]])),
            ]
            if n[i] == 0:
                about = [1.0, (f - level) / (100.0 * unit), 0.0, 0.0, 0.0, 0.0, 0.0]
            phi[i, 7 * r[i] : 7 * r[i] + 7] = about
            phi[i, 63] = 0.5 * side[i]
        sided = self.theta[63] * phi[:, 63]
        offset = phi @ self.theta - sided - 0.3 * (level - s.mu_new)
        S = self.ratios[cell] * (V + s.beta**2)
        size = np.bincount(team)
        part = 1.0 / size[team] if s.team == "mean" else np.ones(len(ids))
        m, whole, team_V, team_x, team_sided, noise = (
            np.bincount(team, part * each)
            for each in (x + offset + sided, S, part * V, x, sided, np.full(len(ids), s.beta**2))
        )
        rank = np.empty(teams)
        rank[team] = ranks
        judge = self._meet if teams == 2 else self._judge
        p, alpha, kappa, most, pull = judge(rank, m, whole, team_x, team_sided, ceiling)
        spread = weight * team_V + noise - whole
        gain = part**2 * V * (weight * most / (1.0 + most * spread))[team]
        pull = weight * pull / (1.0 + kappa * spread)
        above = np.maximum(team_x + team_sided - ceiling, 0.0)
        least = -weight * above / (weight * team_V + noise)
        new_x = x + part * V * np.where(p > ceiling, np.maximum(pull, least), pull)[team]
        w, y = weight * part * kappa[team] * s.beta**2, offset + team_sided[team]
        y = y + (alpha / kappa)[team]
        counts = (p <= ceiling)[team]
        w = np.where(counts, w, 0.0)
        surprise = np.clip(alpha / np.sqrt(kappa), -3.0, 3.0)[team]
        shown = self._partners(rank, m, whole, p <= ceiling)
        self._forget(len(ids))
        self.level, self.levels = self.level + x[known].sum(), self.levels + known.sum()
        self.present, self.rounds = self.present + known.sum(), self.rounds + 1.0
        if w.sum() > 0.0:
            y = y - (w * y).sum() / w.sum()
            if teams > 2:
                y = np.clip(y, -3.0 * np.sqrt(whole[team]), 3.0 * np.sqrt(whole[team]))
            mean, response = w @ phi / w.sum(), w @ y / w.sum()
            self.A += (w[:, None] * phi).T @ phi - w.sum() * np.outer(mean, mean)
            self.B += phi.T @ (w * y) - w.sum() * mean * response
        square = np.minimum((p - m) ** 2, 9.0 * whole) / whole
        information = (weight * part * (kappa * whole)[team])[counts]
        inside = tuple(each[counts] for each in cell)
        np.add.at(
            self.squares,
            inside,
            (weight * part * square[team] * self.ratios[cell])[counts],
        )
        np.add.at(self.counts, inside, information)
        self.curvature += weight * sum(P * (1.0 - P) * z * z for z, P, _ in shown)
        self.tau += weight * sum((y - P) * z for z, P, y in shown) / self.curvature
        self.tau = min(max(self.tau, 0.3), 4.0)
        old = counts & (n >= 5)
        before = np.array([each.surprise for each in rows])
        self.paces += (weight * part * gain**2)[old].sum()
        sway = (weight * part * gain * surprise * before)[old].sum()
        self.pace = min(max(self.pace * math.exp(2.0 * sway / self.paces), 0.1), 10.0)
        self.pending += information.sum()
        if self.pending >= 32.0:
            self.pending = 0.0
            self._solve(unit)
            ratios = (self.squares + 10.0) / (self.counts + 10.0)
            self.ratios = ratios / ratios[8, 0]
        self.contests += 1
        self._remember(rows, new_x, V * (1.0 - gain), activity, time)
        for each, now, is_counted in zip(rows, surprise, counts, strict=True):
            if is_counted:
                each.surprise = now
        return np.minimum(p, ceiling)[team]

    def _meet(self, rank, m, S, x, sided, ceiling):
        spread = DELTA * math.sqrt(S.sum())
        P = logistic((m[0] - m[1]) / spread)
        score = 0.5 if rank[0] == rank[1] else 1.0
        alpha = np.array([score - P, P - score]) / spread
        kappa = np.full(2, max(P * (1.0 - P) / spread**2, 1e-12 / (self.system.beta / 200.0) ** 2))
        p = m + S * alpha
        alpha = np.where(p > ceiling, (ceiling - m) / S, alpha)
        pull = alpha + kappa * (m - sided - x)
        if score == 1.0:
            pull[0] = max(pull[0], 0.0) if p[0] <= ceiling else pull[0]
            pull[1] = min(pull[1], 0.0)
        return p, alpha, kappa, np.full(2, 0.25 / spread**2), pull

    def _judge(self, rank, m, S, x, sided, ceiling):
        s, d = self.system, DELTA * np.sqrt(S)
        p = np.array([self._performance(rank, m, d, each) for each in rank])
        own = 0.5 if s.split_ties else 1.0
        shown = np.minimum(p, ceiling)
        g = own * np.tanh(0.5 * (shown - m) / d) / d
        t = np.tanh(0.5 * (m[:, None] - m[None, :]) / d[None, :])
        slopes = 0.25 * (1.0 - t**2) / d[None, :] ** 2
        J = slopes.sum(axis=1) - np.diag(slopes)
        J = np.maximum(J, 1e-12 / (s.beta / 200.0) ** 2)
        kappa = J / (1.0 + S * J)
        e = shown - sided - x
        e = e / np.sqrt(1.0 + e**2 / (s.robustness**2 * S))
        steepest = (0.25 / d**2).sum() - 0.25 / d**2
        most = steepest / (1.0 + S * steepest)
        return p, kappa * (shown + g / J - m), kappa, most, kappa * (e + g / J)

    def _performance(self, rank, m, d, own):
        """The zero of the sum of all terms, by bisection."""

        def balance(p):
            F = 0.5 * (1.0 + np.tanh(0.5 * (p - m) / d))
            loss, victory = -F / d, (1.0 - F) / d
            draw = 0.5 * (loss + victory) if self.system.split_ties else loss + victory
            return np.where(rank < own, loss, np.where(rank > own, victory, draw)).sum()

        low, high = m.min() - 100.0 * d.max(), m.max() + 100.0 * d.max()
        for _ in range(100):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if balance(middle) > 0.0 else (low, middle)
        return 0.5 * (low + high)

    def _partners(self, rank, m, S, counts):
        """Of one pair for each: the lead in deviations, its probability and the score."""
        found, n = [], len(rank)
        for k in range(n if n > 2 else 1):
            other = (k + 1 + hashed(self.contests, k) % (n - 1)) % n
            if counts[k] and counts[other]:
                z = (m[k] - m[other]) / (DELTA * math.sqrt(S[k] + S[other]))
                lead = rank[other] - rank[k]
                found.append((z, logistic(self.tau * z), 0.5 + 0.5 * np.sign(lead)))
        return found

    def _forget(self, rows):
        keep = 1.0 - self.system.forgetting * min(1.0, rows / 100.0)
        for name in (
            *("A", "B", "squares", "counts", "curvature", "paces"),
            *("level", "levels", "present", "rounds"),
        ):
            setattr(self, name, keep * getattr(self, name))

    def _solve(self, unit):
        for _ in range(15):
            largest = 0.0
            for k in range(64):
                if self.A[k, k] <= 0.0 or k == 56:
                    continue
                rest = self.B[k] - self.A[k] @ self.theta + self.A[k, k] * self.theta[k]
                value = rest / (self.A[k, k] + (1.0 if k == 63 else 20.0 if k < 7 else 80.0))
                if k == 1:
                    value = min(max(value, 0.0), 100.0 * unit)
                elif k < 63 and k % 7 == 1:
                    value = max(value, -90.0 * unit)
                largest = max(largest, abs(value - self.theta[k]))
                self.theta[k] = value
            if largest < 0.01 * unit:
                break

    def _remember(self, rows, x, V, activity, time):
        for k, each in enumerate(rows):
            each.first = time if each.n == 0 else each.first
            each.x, each.V, each.activity = float(x[k]), float(V[k]), float(activity[k]) + 1.0
            each.last, each.n = time, each.n + 1
