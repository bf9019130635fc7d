"""All there is to say about a player: how good they are, and how they came to be so."""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium import forks
from podium.documents import as_document
from podium.errors import InputError
from podium.ratings.adjustments import no_season
from podium.ratings.player import Player
from podium.results.columns import taken
from podium.results.times import Time
from podium.systems.base import System
from podium.texts import normalised
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.fold import Rated


@dataclass(frozen=True)
class Moment:
    """What is believed of a player at a time."""

    time: datetime.datetime
    rating: float
    sigma: float
    """NaN if the system knows no uncertainty."""
    forecast: float | None = None
    spread: float | None = None

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        said: dict[str, Any] = {"time": self.time, "rating": self.rating, "sigma": self.sigma}
        if self.forecast is not None:
            said |= {"forecast": self.forecast, "spread": self.spread}
        return as_document(said)


def by_season(history: pl.DataFrame, seasons: pl.DataFrame) -> pl.DataFrame:
    """What a player did in each season with a contest of theirs, the earliest first.

    Columns: name, start, end, contests, rating (after the last contest in it), best_rating (the
    highest after one) and change (since before the first).
    """
    # plain columns: a child of a fork has none of polars' threads
    starts = seasons["start"].cast(pl.Int64).to_numpy()
    when = history["time"].cast(pl.Int64).to_numpy()
    before, after = (history[each].to_numpy() for each in ("rating_before", "rating"))
    held = np.searchsorted(starts, when, side="right") - 1
    which, first, contests = np.unique(held, return_index=True, return_counts=True)
    those = np.flatnonzero(which >= 0)
    first, last = first[those], (first + contests - 1)[those]
    best = [after[one : other + 1].max() for one, other in zip(first, last, strict=True)]
    season = which[those].tolist()
    return pl.DataFrame(
        [
            *(seasons[name].gather(season) for name in ("name", "start", "end")),
            pl.Series("contests", contests[those].astype(np.uint32)),
            pl.Series("rating", after[last]),
            pl.Series("best_rating", best, dtype=pl.Float64),
            pl.Series("change", after[last] - before[first]),
        ]
    )


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
    colours: Mapping[str, str] = field(default_factory=dict)
    """Of a league: the colours that its rules give to titles."""
    after_last: Moment | None = None
    """Of a league: what was believed just after the last contest."""
    now: Moment | None = None
    """Of a league: what has become of it by its last rated contest, or by the date."""
    seasons: pl.DataFrame | None = None
    """Of a league: a row for each season that the player has played in, as of `by_season`."""
    begun: pl.DataFrame | None = None
    """Of a league: all of its seasons, with name, start and end."""
    listed: pl.DataFrame | None = None
    """Those of the contests that are shown one by one; None for all."""

    def boundaries(self) -> list[tuple[datetime.datetime, str]]:
        """Where seasons begin that the player has played in, after the first contest."""
        if self.seasons is None or not self.history.height:
            return []
        first = self.history["time"][0]
        begun = zip(self.seasons["start"], self.seasons["name"], strict=True)
        return [(start, name) for start, name in begun if start > first]

    def in_season(self, name: str) -> pl.DataFrame:
        """The contests of a season; raise if the league has none of that name."""
        begun = []
        if self.begun is not None:
            columns = (self.begun[each] for each in ("name", "start", "end"))
            begun = list(zip(*columns, strict=True))
        found = next((each for each in begun if each[0] == normalised(name)), None)
        if found is None:
            raise no_season(name, [each[0] for each in begun])
        _, start, end = found
        time = self.history["time"]
        within = (time >= start).to_numpy()
        within = within if end is None else within & (time < end).to_numpy()
        return taken(self.history, np.flatnonzero(within))

    @property
    def away(self) -> float | None:
        """Of a league: the days since the last contest."""
        if self.now is None or self.after_last is None:
            return None
        days = (self.now.time - self.after_last.time) / datetime.timedelta(days=1)
        return max(0.0, days)

    def decay(self, number: Callable[[float], str] | None = None) -> list[str]:
        """What absence has changed, as far as it shows, in words; with numbers written so."""
        now, then, digits = self.now, self.after_last, self.system.decimals
        write = number or (lambda value: f"{value:.{digits}f}")
        if now is None or then is None:
            return []
        said = []
        sigma, rating, forecast = (
            [None if each is None else write(each) for each in pair]
            for pair in (
                (now.sigma, then.sigma),
                (now.rating, then.rating),
                (now.forecast, then.forecast),
            )
        )
        if sigma[0] != sigma[1]:
            days = counted(round(self.away or 0.0), "day")
            said.append(
                f"uncertain by {sigma[0]} after {days} away, {sigma[1]} after the last contest"
            )
        for what, pair in (("rating", rating), ("expected at", forecast)):
            if pair[0] != pair[1]:
                said.append(
                    f"{what} {pair[0]} on {now.time:%Y-%m-%d}, {pair[1]} after the last contest"
                )
        return said

    @property
    def best(self) -> tuple[float, datetime.datetime] | tuple[None, None]:
        """The highest rating after a contest, and when it was reached; neither without one."""
        if not self.history.height:
            return None, None
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
        contests = self.history if self.listed is None else self.listed
        return as_document(
            {
                "player": player.name,
                **({"title": player.title, "colours": dict(self.colours)} if self.titled else {}),
                "rating": player.rating,
                "mu": player.mu,
                "sigma": player.sigma,
                **player.besides,
                **(
                    {"provisional": player.provisional, "guest": player.guest}
                    if self.titled
                    else {}
                ),
                "contests": player.contests,
                "last_time": player.last_time,
                "system": self.system.name,
                "place": player.place,
                "players": self.players,
                "best_rating": rating,
                "best_time": time,
                **self._absence(),
                **player.described,
                **({} if self.seasons is None else {"seasons": self.seasons.to_dicts()}),
                "history": (contests if last is None else contests.tail(last)).to_dicts(),
            }
        )

    def _absence(self) -> dict[str, Any]:
        """What is so since the last contest, of a league."""
        if not self.titled:
            return {}
        if self.now is None or self.after_last is None:
            return {"away": None, "after_last": None, "now": None}
        both = {"after_last": self.after_last.document(), "now": self.now.document()}
        return {"away": self.away, **both}
