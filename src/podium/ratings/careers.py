"""All there is to say about a player: how good they are, and how they came to be so."""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium import forks
from podium.documents import as_document
from podium.errors import InputError
from podium.ratings.player import Player
from podium.results.times import Time
from podium.systems.base import System

if TYPE_CHECKING:
    from podium.ratings.fold import Rated


@dataclass(frozen=True)
class Career:
    """A player with all rated contests."""

    player: Player
    system: System
    players: int
    """Among how many the place is."""
    history: pl.DataFrame
    """A row for each contest, in order.

    Columns: contest, time, rank, participants, performance, mu_before, sigma_before, mu, sigma,
    rating_before, rating and change; of a league, also the contest's name.
    """
    titled: bool = False
    """Whether it is of a league, whose rules may give titles."""

    @property
    def best(self) -> tuple[float, datetime.datetime]:
        """The highest rating, and when it was reached."""
        row = self.history.row(int(self.history["rating"].arg_max() or 0), named=True)
        return row["rating"], row["time"]

    @classmethod
    def of(cls, rated: "Rated", name: str, at: Time | None = None) -> "Career":
        """What ratings and history know of a player, as of now or of a date after the last contest.

        Example:
            >>> import podium
            >>> rated = podium.rate(podium.simulate(players=20, rounds=10))
            >>> career = Career.of(rated, "player-0007")
            >>> career.players, career.history.height
            (20, 10)
        """
        forks.refuse_lost_threads()
        contests = rated.history_of(name)
        if contests.height == 0:
            raise InputError(
                f"the history that was kept does not reach back to a contest of {name!r}; rate all "
                f"contests with their history to see them."
            )
        player = rated.player(name, at=at)
        sizes = (
            rated.history.lazy()
            .filter(pl.col("contest").is_in(contests["contest"].implode()))
            .group_by("contest", "time")
            .agg(participants=pl.len())
            .collect()
        )
        before = rated.system.rating(
            contests["mu_before"].to_numpy(),
            contests["sigma_before"].to_numpy(),
            np.arange(player.contests - contests.height, player.contests),
        )
        history = (
            contests.join(sizes, on=["contest", "time"], how="left", maintain_order="left")
            .with_columns(rating_before=pl.Series(before))
            .with_columns(change=pl.col("rating") - pl.col("rating_before"))
            .drop("player")
        )
        return cls(player, rated.system, len(rated.beliefs), history)

    def document(self, last: int | None = None) -> dict[str, Any]:
        """As JSON says it, with the `last` contests or all; see docs/documents.md."""
        player, (rating, time) = self.player, self.best
        return as_document(
            {
                "player": player.name,
                **({"title": player.title} if self.titled else {}),
                "rating": player.rating,
                "mu": player.mu,
                "sigma": player.sigma,
                **player.besides,
                "contests": player.contests,
                "last_time": player.last_time,
                "system": self.system.name,
                "place": player.place,
                "players": self.players,
                "best_rating": rating,
                "best_time": time,
                "history": (self.history if last is None else self.history.tail(last)).to_dicts(),
            }
        )
