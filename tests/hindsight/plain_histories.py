"""Smoothing, written plainly: one number at a time, integrals by fine sums, roots by bisection."""

import math

import numpy as np

SCALE = math.sqrt(3.0) / math.pi
MANY = 200


def cdf(z):
    return 1.0 / (1.0 + math.exp(-max(min(z, 700.0), -700.0)))


def of_two(m, V, ranks, beta, advantage):
    s = SCALE * math.sqrt(V[0] + V[1] + 2.0 * beta * beta)
    y = 0.5 if ranks[0] == ranks[1] else 1.0
    P = cdf((m[0] - m[1] + advantage) / s)
    return [(y - P) / s, (P - y) / s], [P * (1.0 - P) / (s * s)] * 2


def of_few(m, V, ranks, beta, centred):
    S = [v + beta * beta for v in V]
    d = [SCALE * math.sqrt(each) for each in S]
    alphas, kappas = [], []
    for i in range(len(m)):
        others = [j for j in range(len(m)) if j != i]
        U = sum(
            (1.0 if ranks[j] > ranks[i] else 0.5 if ranks[j] == ranks[i] else 0.0) / d[j]
            for j in others
        )
        p = m[i] + math.sqrt(S[i]) * np.linspace(-9.0, 9.0, 4001)
        log = U * p - 0.5 * (p - m[i]) ** 2 / S[i]
        for j in others:
            log = log - np.logaddexp(0.0, (p - m[j]) / d[j])
        density = np.exp(log - log.max())
        density /= density.sum()
        mean = float(density @ p)
        alphas.append((mean - m[i]) / S[i])
        kappas.append((1.0 - float(density @ (p - mean) ** 2) / S[i]) / S[i])
    if centred:
        off = sum(alphas) / sum(kappas)
        alphas = [a - k * off for a, k in zip(alphas, kappas, strict=True)]
    return alphas, kappas


def of_many(m, V, ranks, beta, robust, centred):
    m, ranks = np.array(m), np.array(ranks)
    d = SCALE * np.sqrt(np.array(V) + beta * beta)
    ys, ws = [], []
    for i in range(len(m)):
        tied = ranks == ranks[i]
        counts = np.where(tied, 2.0, 1.0) / d
        behind = (1.0 / d)[ranks >= ranks[i]].sum()
        low, high = m.min() - 60 * d.max(), m.max() + 60 * d.max()
        for _ in range(60):
            middle = 0.5 * (low + high)
            beaten = (counts * 0.5 * (1.0 + np.tanh(0.5 * (middle - m) / d))).sum()
            low, high = (middle, high) if behind > beaten else (low, middle)
        p = 0.5 * (low + high)
        F = 0.5 * (1.0 + np.tanh(0.5 * (p - m) / d))
        slopes = counts * F * (1.0 - F) / d
        J = slopes.sum() - slopes[i]
        z = 0.5 * (p - m[i]) / d[i]
        ratio = z / math.tanh(z) if z else 1.0
        b2 = beta * beta * (0.874 * ratio if robust else 1.0)
        ws.append(J / (1.0 + J * b2))
        ys.append(p + math.tanh(z) / d[i] / J)
    a = np.array(ws) / (1.0 + np.array(V) * np.array(ws))
    off = (a * (np.array(ys) - m)).sum() / a.sum() if centred else 0.0
    return ws, [y - off for y in ys]


def loss(columns, mean, sigma, beta, advantage):
    """The mean log loss of all pairs of every contest."""
    found = []
    for c in range(len(columns.offsets) - 1):
        rows = range(columns.offsets[c], columns.offsets[c + 1])
        costs = []
        for i in rows:
            for j in range(i + 1, rows.stop):
                ahead = mean[i] - mean[j]
                if len(rows) == 2 and columns.side is not None:
                    ahead += advantage * 0.5 * (columns.side[i] - float(columns.side[j]))
                p = cdf(ahead / (SCALE * math.sqrt(sigma[i] ** 2 + sigma[j] ** 2 + 2 * beta**2)))
                y = 0.5 if columns.rank[i] == columns.rank[j] else 1.0
                if len(rows) == 2 and columns.score is not None:
                    y = columns.score[c]
                costs.append(-y * math.log(p) - (1.0 - y) * math.log(1.0 - p))
        found.append(sum(costs) / len(costs) if costs else math.nan)
    return found


def smoothed(columns, parameters, halves):
    """Estimates and uncertainties of every row after so many half sweeps, and the advantage."""
    p, variance = parameters, parameters.sig_new**2
    offsets, player = columns.offsets, columns.player
    contests = len(offsets) - 1
    contest = [c for c in range(contests) for _ in range(offsets[c], offsets[c + 1])]
    days = [columns.time[c] / 86_400e6 for c in contest]
    rows = len(contest)
    before, after, number, last = [None] * rows, [None] * rows, [0] * rows, {}
    for row in range(rows):
        earlier = last.get(player[row])
        if earlier is not None:
            before[row], after[earlier], number[row] = earlier, row, number[earlier] + 1
        last[player[row]] = row
    noise = [
        0.0
        if before[row] is None
        else p.q**2
        + (p.drift + p.early_drift / (1.0 + number[row] / 20.0))
        * min(days[row] - days[before[row]], 400.0)
        for row in range(rows)
    ]
    f, b, own = (np.zeros((rows, 2)) for _ in range(3))
    advantage = 0.0

    def past(row):
        if before[row] is None:
            f[row] = 1.0 / variance, p.mu_new / variance
            return
        pi, tau = f[before[row]] + own[before[row]]
        f[row] = np.array([1.0, tau / pi]) / (1.0 / pi + noise[row])

    def future(row):
        b[row] = 0.0
        if after[row] is not None:
            pi, tau = b[after[row]] + own[after[row]]
            if pi > 0.0:
                b[row] = np.array([1.0, tau / pi]) / (1.0 / pi + noise[after[row]])

    def say(row, new):
        far = own[row] + stride * (new - own[row])
        own[row] = far if far[0] >= 0.5 * new[0] else new

    stride, estimates, moved = 1.0, np.full(rows, p.mu_new), math.inf
    for half in range(halves):
        forward, slope, curvature = half % 2 == 0, 0.0, 0.0
        for c in range(contests) if forward else reversed(range(contests)):
            those = range(offsets[c], offsets[c + 1])
            for row in those:
                past(row) if forward else future(row)
            again = max(0.0, 1.0 - 1.0 / columns.weight[c])
            cavity = [f[row] + b[row] + again * own[row] for row in those]
            m, V = [tau / pi for pi, tau in cavity], [1.0 / pi for pi, _ in cavity]
            ranks, weight = columns.rank[offsets[c] : offsets[c + 1]], columns.weight[c]
            if len(m) < 2:
                continue
            if len(m) >= MANY:
                ws, ys = of_many(m, V, ranks, p.beta, p.robust, half > 0)
                for row, w, y in zip(those, ws, ys, strict=True):
                    say(row, weight * np.array([w, w * y]))
                continue
            if len(m) == 2:
                side = 0.0
                if columns.side is not None:
                    side = 0.5 * (columns.side[those[0]] - float(columns.side[those[1]]))
                alphas, kappas = of_two(m, V, ranks, p.beta, advantage * side)
                slope += weight * alphas[0] * side
                curvature += weight * kappas[0] * side * side
            else:
                alphas, kappas = of_few(m, V, ranks, p.beta, half > 0)
            for k, row in enumerate(those):
                free = 1.0 - kappas[k] * V[k]
                say(row, weight / free * np.array([kappas[k], alphas[k] + kappas[k] * m[k]]))
        advantage += slope / curvature if curvature > 0.0 else 0.0
        for row in range(rows):
            past(row)
        for row in reversed(range(rows)):
            future(row)
        x = (f + b + own)[:, 1] / (f + b + own)[:, 0]
        A, r = np.zeros((contests, contests)), np.zeros(contests)
        for row in range(rows):
            here = contest[row]
            if before[row] is None:
                A[here, here] += 1.0 / variance
                r[here] -= (x[row] - p.mu_new) / variance
                continue
            there, stiff = contest[before[row]], 1.0 / noise[row]
            step = (x[row] - x[before[row]]) * stiff
            A[[here, there], [here, there]] += stiff
            A[[here, there], [there, here]] -= stiff
            r[here] -= step
            r[there] += step
        own[:, 1] += own[:, 0] * np.linalg.solve(A, r)[contest]
        for row in range(rows):
            past(row)
        for row in reversed(range(rows)):
            future(row)
        whole = f + b + own
        last, moved = moved, np.sqrt(np.mean((whole[:, 1] / whole[:, 0] - estimates) ** 2))
        estimates = whole[:, 1] / whole[:, 0]
        stride = 1.5 if half == 1 else 1.0 if moved > last else stride
    return whole[:, 1] / whole[:, 0], 1.0 / np.sqrt(whole[:, 0]), advantage
