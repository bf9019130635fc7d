"""How a contest of known players may end: everybody's chances."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from podium.documents import as_document
from podium.ratings.asking import Asking
from podium.results.times import Time
from podium.systems.base import System


@dataclass(frozen=True)
class Chances:
    """The chances of players who meet."""

    system: System
    players: tuple[str, ...]
    top: int
    table: pl.DataFrame
    """What `rank_probabilities` gives: player, first, top and expected_rank."""
    quality: float
    """How even the contest is."""
    win: float | None = None
    """Of two players: that the first wins, or the score expected where a draw counts half."""
    draw: float | None = None
    """Of two players: that nobody does."""
    stronger: float | None = None
    """Of two players: that the first is the stronger one; None if the system knows no doubt."""
    temperature: float | None = None
    """By what differences between ratings were multiplied; None if chances are the system's own."""

    @classmethod
    def of(
        cls,
        known: Asking,
        players: Sequence[str],
        *,
        top: int = 3,
        at: Time | None = None,
        home: str | None = None,
        calibrated: bool = False,
    ) -> "Chances":
        """The chances by what a ladder, ratings or a league know.

        Args:
            known: Whom to ask.
            players: Who meets.
            top: Among how many to be is a chance of its own.
            at: When they meet; by default now, at the time of the last contest.
            home: Who of two has the side.
            calibrated: At the temperature that results have taught.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo-mmr")
            >>> ladder.record(["ann", "bob", "cat"])
            >>> chances = Chances.of(ladder, ["ann", "cat"])
            >>> round(chances.win, 2), round(chances.document()["players"][0]["first"], 2)
            (0.88, 0.88)
        """
        with known._lock:
            system = known._consult(list(players), at)[0].system
            how: dict[str, Any] = {"at": at, "calibrated": calibrated}
            table = known.rank_probabilities(players, top=top, home=home, **how)
            found = system, tuple(players), top, table, known.quality(players, home=home, **how)
            temperature = known.temperature(at=at) if calibrated else None
            if len(players) != 2:
                return cls(*found, temperature=temperature)
            first, second = players
            side = None if home is None else "home" if home == first else "away"
            doubts = not math.isnan(system.newcomer()["sigma"])
            return cls(
                *found,
                win=known.win_probability(first, second, side=side, **how),
                draw=known.draw_probability(first, second, side=side, **how),
                stronger=known.stronger_probability(first, second, at=at) if doubts else None,
                temperature=temperature,
            )

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        of_two = {
            "win_probability": self.win,
            "draw_probability": self.draw,
            "stronger_probability": self.stronger,
        }
        return as_document(
            {
                "system": self.system.name,
                "temperature": self.temperature,
                "quality": self.quality,
                **(of_two if len(self.players) == 2 else {}),
                "top": self.top,
                "players": self.table.to_dicts(),
            }
        )
