"""One contest at a time: `Ladder.record` beside the pure-Python elommr."""

import elommr

import podium
from benchmarks.report import Figure, best_of

ROUNDS = 300
"""Rounds before the clock starts, so that both carry full histories, and rounds on the clock."""


def run() -> list[Figure]:
    figures = []
    for players in (2, 10):
        names = [f"p{number}" for number in range(players)]
        ladder = podium.Ladder("elo-mmr")

        def ours(ladder: podium.Ladder = ladder, names: list[str] = names) -> None:
            for _ in range(ROUNDS):
                ladder.record(names)

        peer = elommr.EloMMR()
        standings = [(elommr.Player(), place, place) for place in range(players)]

        def theirs(peer: elommr.EloMMR = peer, standings: list = standings) -> None:
            for _ in range(ROUNDS):
                peer.round_update(standings)

        ours()
        theirs()
        figures.append(
            Figure(
                f"one contest of {players} players",
                best_of(5, ours) / ROUNDS * 1e6,
                "µs",
                "elommr",
                best_of(3, theirs) / ROUNDS * 1e6,
                "≥ 10 times",
            )
        )
    return figures
