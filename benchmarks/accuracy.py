"""How often the higher rated came out ahead on Codeforces: pairs called right, experienced players.

The measure of section 6.2 of the Elo-MMR paper, over players with at least five earlier contests
in the last nine tenths of the contests: for every participation, the share of such opponents
against whom the ratings before called the result right or who tied; averaged.
"""

import numpy as np

import podium
from benchmarks.report import Figure, data_file
from podium.numerics.compiled import kernel

EXPERIENCED = 5
SETTINGS = {
    "elo-mmr": {},
    "elo-mmx": {},
    "elo-r": {},
    "elo-r-draft": {},
    "codeforces": {},
    "topcoder": {},
    "trueskill": {"mu_new": 1500, "sigma_new": 350, "beta": 200, "tau": 35, "draw_rate": 0},
    "weng-lin": {"contest": "mean", "mu_new": 1500, "sigma_new": 350, "beta": 315, "tau": 35},
    "glicko": {},
    "glicko2": {},
    "elo": {},
}
"""Defaults, but for systems whose defaults are meant for a few players; nothing is tuned."""


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    offsets, player = contests.columns.offsets, contests.columns.player
    figures = []
    for name, settings in SETTINGS.items():
        history = podium.rate(contests, name, **settings).history
        mu = history["mu_before"].to_numpy()
        right = _called_right(
            offsets, player, contests.columns.rank, mu, len(contests) // 10, len(contests.players)
        )
        said = " ".join(f"{key}={value}" for key, value in settings.items())
        figures.append(Figure(f"{name} {said}", 100.0 * right, "%"))
    return figures


@kernel
def _called_right(offsets, player, rank, mu, first, players):
    earlier = np.zeros(players, np.int64)
    total, count = 0.0, 0
    for contest in range(offsets.shape[0] - 1):
        start, end = offsets[contest], offsets[contest + 1]
        rows = np.empty(end - start, np.int64)
        n = 0
        for row in range(start, end):
            if contest >= first and earlier[player[row]] >= EXPERIENCED:
                rows[n] = row
                n += 1
            earlier[player[row]] += 1
        if n < 2 or rank[rows[n - 1]] == rank[rows[0]]:
            continue
        for i in rows[:n]:
            right = 0
            for j in rows[:n]:
                right += 1 if (mu[i] - mu[j]) * (rank[j] - rank[i]) >= 0.0 else 0
            total += (right - 1) / (n - 1)
            count += 1
    return total / count
