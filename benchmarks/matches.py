"""A million matches of two among 50,000 players, one thread: throughput beside the peers."""

import time

import evalica
import glicko2
import numpy as np
import pandas as pd
import polars as pl
from openskill.models import PlackettLuce

import podium
from benchmarks.report import Figure, best_of

MATCHES = 1_000_000
PLAYERS = 50_000
SLOW = 20_000
"""How many of the matches a peer in pure Python plays; its time is scaled up."""


def season() -> podium.Contests:
    """All matches."""
    a, b, outcome = _matches()
    names = np.array([f"player-{number:05}" for number in range(PLAYERS)])
    return podium.Contests.from_matches(
        pl.DataFrame(
            {
                "time": 1_700_000_000 + 60 * np.arange(MATCHES),
                "player_a": names[a],
                "player_b": names[b],
                "outcome": outcome,
            }
        )
    )


def run() -> list[Figure]:
    a, b, outcome = _matches()
    contests = season()
    openskill = _openskill(a, b, outcome)
    peers = {
        "elo": [
            ("openskill PlackettLuce", openskill, 50),
            ("evalica elo", *_evalica(a, b, outcome)),
        ],
        "glicko": [("openskill PlackettLuce", openskill, 50)],
        "trueskill": [("openskill PlackettLuce", openskill, 50)],
        "weng-lin": [("openskill PlackettLuce", openskill, 50)],
        "glicko2": [("glicko2", _glicko2(a, b, outcome), 30)],
    }
    figures = []
    for system, compared in peers.items():
        podium.rate(contests[:100], system, threads=1)
        ours = best_of(7, lambda s=system: podium.rate(contests, s, threads=1, history=False))
        for peer, theirs, goal in compared:
            figures.append(
                Figure(f"{system}: {MATCHES:,} matches", ours, "s", peer, theirs, f"≥ {goal} times")
            )
    return figures


def _matches() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of players of similar activity, whose skills decide; a tenth are draws."""
    rng = np.random.default_rng(1)
    skill = rng.normal(0.0, 1.0, PLAYERS)
    a = rng.integers(0, PLAYERS, MATCHES)
    b = (a + rng.integers(1, PLAYERS, MATCHES)) % PLAYERS
    chance = 1.0 / (1.0 + np.exp(skill[b] - skill[a]))
    outcome = (rng.random(MATCHES) < chance).astype(float)
    outcome[rng.random(MATCHES) < 0.1] = 0.5
    return a, b, outcome


def _openskill(a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> float:
    model = PlackettLuce()
    players = [model.rating() for _ in range(PLAYERS)]
    ranks = {1.0: [1, 2], 0.5: [1, 1], 0.0: [2, 1]}
    rows = list(zip(a[:SLOW].tolist(), b[:SLOW].tolist(), outcome[:SLOW].tolist(), strict=True))
    start = time.perf_counter()
    for i, j, result in rows:
        rated = model.rate([[players[i]], [players[j]]], ranks=ranks[result])
        players[i], players[j] = rated[0][0], rated[1][0]
    return (time.perf_counter() - start) * MATCHES / SLOW


def _glicko2(a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> float:
    players = [glicko2.Player() for _ in range(PLAYERS)]
    rows = list(zip(a[:SLOW].tolist(), b[:SLOW].tolist(), outcome[:SLOW].tolist(), strict=True))
    start = time.perf_counter()
    for i, j, result in rows:
        one, other = players[i], players[j]
        before = one.rating, one.rd
        one.update_player([other.rating], [other.rd], [result])
        other.update_player([before[0]], [before[1]], [1.0 - result])
    return (time.perf_counter() - start) * MATCHES / SLOW


def _evalica(a: np.ndarray, b: np.ndarray, outcome: np.ndarray) -> tuple[float, int]:
    """Seconds of its compiled Elo, called in the way that is quickest for it, and the goal."""
    winner = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [winner[result] for result in outcome.tolist()]
    index = pd.Index(range(PLAYERS))
    return best_of(7, lambda: evalica.elo(a, b, winners, index=index)), 8
