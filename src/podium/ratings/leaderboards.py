"""Leaderboards: which players to show, and the players with their places."""

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium.documents import as_document
from podium.errors import InputError
from podium.markup import table
from podium.ratings.conditions import Condition
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
        with_hidden: Also those whom the rules of a league hide; in a view that was opened with
            hidden players, those as well.
        title: Only those who have this title of a league.
        matching: Only those whose name has this text in it, whatever its capitals and accents. It
            is no condition but a search: places are among all who pass the conditions. Of a
            league, also those who have an alias with it, or are shown so.
        where: Of a league, only those whose attributes meet conditions, such as ``country=NO``,
            ``country!=NO`` or ``birth_year>=2005``.
        season: The standings of a season of a league: those who played a rated contest in it, with
            the ratings that they had at its end, or have now in the last one. It says as of when
            and since when, so that `at` and `active_since` are not said.

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
    where: Sequence[str | Condition] = ()
    season: str | None = None

    def __post_init__(self) -> None:
        check_counts(n=self.n, skip=self.skip, min_contests=self.min_contests)
        for time in (self.at, self.active_since):
            if time is not None:
                to_microseconds(time)
        for what in ("title", "matching", "season"):
            _check_text(what, getattr(self, what))
        for what in ("at", "active_since"):
            if self.season is not None and getattr(self, what) is not None:
                raise InputError(
                    f"a season says as of when and since when, so {what} is not said with it."
                )
        if isinstance(self.where, str) or not isinstance(self.where, Sequence):
            raise InputError(
                f"where must be conditions such as ['country=NO'], not {self.where!r}."
            )
        said = (
            each if isinstance(each, Condition) else Condition.parse(each) for each in self.where
        )
        object.__setattr__(self, "where", tuple(said))

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Those of `where`."""
        return tuple(each for each in self.where if isinstance(each, Condition))

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
        given = self.active_since, self.min_contests, self.title, self.season
        return given == (None,) * len(given) and not self.with_hidden and not self.where

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
    system that forecasts also forecast and spread, after sigma. Of a league also id, display, one
    for each public attribute, then provisional, best_rating and best_time (the highest rating after
    a contest), away (days since the last contest), rating_now and sigma_now (by the league's last
    rated contest, or by the date)."""
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
    hides_provisional: bool = False
    """Whether the rules hide whose rating is provisional."""
    colours: Mapping[str, str] = field(default_factory=dict)
    """Of a league: the colours that its rules give to titles."""

    attributes: tuple[str, ...] = ()
    """Of a league: which columns of the table are attributes of its players."""

    @property
    def hidden_while(self) -> str:
        """Why more are hidden: 'until 3 contests', 'while provisional'."""
        until = f"until {counted(self.hidden_until, 'contest')}" if self.hidden_until else ""
        both = (until, "while provisional" if self.hides_provisional else "")
        return " or ".join(filter(None, both))

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
        if filters.where:
            raise InputError("attributes are those that a league defines; here there are none.")
        if filters.season is not None:
            raise InputError("seasons are those of a league; here there are none.")
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
                **({"colours": dict(self.colours)} if "title" in self.table.columns else {}),
                "leaderboard": rows_of(self.table, self.attributes),
            }
        )


def rows_of(table: pl.DataFrame, attributes: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a leaderboard as JSON says them: of a league, attributes are one object."""
    rows = table.to_dicts()
    if "id" not in table.columns:
        return rows
    return [
        {
            **{name: value for name, value in row.items() if name not in attributes},
            "attributes": {name: as_number(row[name]) for name in attributes},
        }
        for row in rows
    ]


def as_number(value: Any) -> Any:
    """A value of an attribute for programs: whole numbers are whole."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


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
