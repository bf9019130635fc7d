"""Leaderboards: which players to show, and the players with their places."""

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium.documents import as_document
from podium.errors import InputError
from podium.markup import table
from podium.ratings.rankings import ratings_table, with_places
from podium.results.columns import taken
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System
from podium.texts import LONGEST, folded, normalised, too_long
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.fold import Rated


@dataclass(frozen=True)
class Filters:
    """Which players a leaderboard shows; places are among those who pass the conditions.

    Args:
        n: How many; None for all.
        skip: How many to leave out before them.
        at: As of a date: where a system lets uncertainty grow with absence, those who have not
            played fall behind. Of a league, also as of one in the past.
        active_since: Only those whose last contest is not earlier.
        min_contests: Only those with at least so many contests.
        with_hidden: Also those whom the rules of a league hide.
        title: Only those who have this title of a league.
        matching: Only those whose name has this text in it, whatever its capitals and accents. It
            is no condition but a search: places are among all who pass the conditions. Of a
            league, also those who have an alias with it.

    Example:
        >>> Filters(50, skip=50, active_since="2026-01-01").since
        1767225600000000
    """

    n: int | None = 10
    skip: int = 0
    at: Time | None = None
    active_since: Time | None = None
    min_contests: int | None = None
    with_hidden: bool = False
    title: str | None = None
    matching: str | None = None

    def __post_init__(self) -> None:
        check_counts(n=self.n, skip=self.skip, min_contests=self.min_contests)
        for time in (self.at, self.active_since):
            if time is not None:
                to_microseconds(time)
        for what, text in (("title", self.title), ("matching", self.matching)):
            _check_text(what, text)

    @property
    def moment(self) -> int | None:
        """The date of `at`, in microseconds since 1970."""
        return None if self.at is None else to_microseconds(self.at)

    @property
    def since(self) -> int | None:
        """That of `active_since`."""
        return None if self.active_since is None else to_microseconds(self.active_since)

    @property
    def sought(self) -> str | None:
        """The text to look for, as names are spelled; None if nothing is looked for."""
        return normalised(self.matching or "") or None

    @property
    def is_plain(self) -> bool:
        """Whether everybody on the leaderboard passes the conditions."""
        given = self.active_since, self.min_contests, self.title
        return given == (None, None, None) and not self.with_hidden

    def fewest(self, hidden_until: int) -> int:
        """How many contests a player needs, where the rules hide those with fewer than that."""
        return max(0 if self.with_hidden else hidden_until, self.min_contests or 0)

    def page(self, board: pl.DataFrame) -> pl.DataFrame:
        """What of a leaderboard of all is shown."""
        return board.slice(self.skip, self.n)


@dataclass(frozen=True)
class Leaderboard:
    """The players to show, and among how many they have their places."""

    table: pl.DataFrame
    """Columns: place, player, title (of a league), rating, mu, sigma, contests and last_time; of a
    system that forecasts also forecast and spread, after sigma."""
    system: System
    contests: int
    """How many there have been."""
    players: int
    """How many are rated and not hidden."""
    eligible: int
    """How many of them pass the conditions."""
    matching: int
    """How many of those have a name that matches; all of them if nothing is looked for."""
    aged: bool = True
    """Whether ratings are as of the date; not if absence was to change them, and did not."""
    hidden: int = 0
    """How many more would be eligible, whom the rules of a league hide."""
    hidden_until: int = 0
    """From how many contests on the rules show players."""

    def __repr__(self) -> str:
        shown = f"{self.table.height:,} of {counted(self.eligible, 'player')}"
        return f"<Leaderboard by {self.system.name}: {shown}>"

    def _repr_html_(self) -> str:
        return table(self, self.table, digits=self.system.decimals)

    @classmethod
    def of(cls, rated: "Rated", filters: Filters) -> "Leaderboard":
        """The leaderboard of ratings.

        Example:
            >>> import podium
            >>> rated = podium.rate(podium.simulate(players=20, rounds=5, seed=1))
            >>> board = Leaderboard.of(rated, Filters(2, skip=1))
            >>> board.table["place"].to_list(), board.eligible
            ([2, 3], 20)
        """
        if filters.title is not None:
            raise InputError("titles are earned in a league, by its rules; here there are none.")
        at, since = filters.moment, filters.since
        ratings = rated.ratings if filters.at is None else ratings_table(rated.beliefs, filters.at)
        shown = ratings["contests"] >= filters.fewest(0)
        if since is not None:
            shown &= ratings["last_time"] >= from_microseconds(since)
        passing = with_places(taken(ratings, np.flatnonzero(shown.to_numpy())))
        found = passing
        if filters.sought is not None:
            sought = folded(filters.sought)
            matches = [sought in folded(name) for name in passing["player"]]
            found = taken(passing, np.flatnonzero(matches))
        return cls(
            filters.page(found),
            rated.system,
            rated.beliefs.rounds,
            len(rated.beliefs),
            passing.height,
            found.height,
            aged=at is None or not ratings.equals(rated.ratings),
        )

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return as_document(
            {
                "system": self.system.name,
                "parameters": self.system.stored_parameters(),
                "contests": self.contests,
                "players": self.players,
                "eligible": self.eligible,
                "matching": self.matching,
                "leaderboard": self.table.to_dicts(),
            }
        )


def check_counts(**counts: object) -> None:
    """Raise if one that is given is no whole number."""
    for what, value in counts.items():
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if value is not None and (not whole or value < 0):  # type: ignore[operator]
            raise InputError(f"{what} must be a whole number of at least 0, not {value!r}.")


def _check_text(what: str, text: object) -> None:
    if text is None:
        return
    if not isinstance(text, str):
        raise InputError(f"{what} must be a text, not {text!r}.")
    if len(text) > LONGEST:
        raise InputError(too_long(what, text))
    if "\0" in text:
        raise InputError(f"{what} holds the character 0, which no name has.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{what} holds half a character, a surrogate.") from None
