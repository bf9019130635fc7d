"""What whoever reports a match is told: the new ratings."""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium.documents import as_document
from podium.league.database import asked, numbers
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.ratings.player import Player
from podium.results.times import from_microseconds
from podium.texts import spelled


class Row(NamedTuple):
    """What a match made of somebody."""

    name: str
    rating: float
    mu: float
    sigma: float
    contests: int
    before: float
    """The rating until then; of a newcomer, what newcomers have."""


class Recorded(Mapping[str, Player]):
    """The ratings that a match has led to, by name, or that it is still to be rated.

    Example:
        >>> import podium, tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> league = podium.League.create(f"{folder.name}/league.db", "glicko2")
        >>> with league.feed() as feed:
        ...     ratings = feed.record(["ann", "bob"], id="match-91", time="2026-05-01")
        >>> ratings.id, ratings.late, list(ratings)
        ('match-91', False, ['ann', 'bob'])
        >>> round(ratings["ann"].rating), round(ratings.change("ann"))
        (1662, 162)
        >>> league.close(); folder.cleanup()
    """

    __slots__ = ("_moment", "_rows", "id", "known", "late")

    def __init__(
        self,
        id: str,
        moment: int,
        rows: Mapping[str, Row],
        *,
        late: bool = False,
        known: bool = False,
    ) -> None:
        self.id = id
        """By what the match is known."""
        self.late = late
        """Whether it waits, to be rated where it belongs; then there are no ratings yet."""
        self.known = known
        """Whether it was there before, so that this is what came of it then."""
        self._moment = moment
        self._rows = rows

    @property
    def time(self) -> datetime.datetime:
        """When the match took place."""
        return from_microseconds(self._moment)

    def __getitem__(self, name: str) -> Player:
        row = self._rows[spelled(name, self._rows)]
        return Player(row.name, row.rating, row.mu, row.sigma, row.contests, self.time)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def change(self, name: str) -> float:
        """By how much somebody's rating changed."""
        row = self._rows[spelled(name, self._rows)]
        return row.rating - row.before

    def again(self) -> "Recorded":
        """The same for whoever tells of a match that was there before."""
        return Recorded(self.id, self._moment, self._rows, late=self.late, known=True)

    def __repr__(self) -> str:
        if self.late:
            return f"<Recorded {self.id!r}: late, to be rated>"
        ratings = ", ".join(f"{each.name} {each.rating:.1f}" for each in self._rows.values())
        return f"<Recorded {self.id!r}: {ratings}>"

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/live.md."""
        ratings = [
            {
                "player": row.name,
                "rating": row.rating,
                "change": row.rating - row.before,
                "mu": row.mu,
                "sigma": row.sigma,
                "contests": row.contests,
            }
            for row in self._rows.values()
        ]
        about = {"id": self.id, "time": self.time, "late": self.late, "known": self.known}
        return as_document({**about, "ratings": ratings})


def rows_of(
    revision: Revision,
    rules: Rules,
    names: list[str],
    number: NDArray[Any],
    events: Mapping[str, Any],
) -> list[Row]:
    """What events say, whose contest of that number it was."""
    system = revision.system
    mu, sigma = events["mu"], events["sigma"]
    shown = rules.shown(system, mu, sigma, number)
    before = rules.shown(system, events["mu_before"], events["sigma_before"], number - 1)
    columns = (shown, mu, sigma, number, before)
    return list(map(Row, names, *(each.tolist() for each in columns)))


_THERE = "SELECT contest, time FROM contests WHERE contest {among}"
_BELIEFS = ("mu_before", "sigma_before", "mu", "sigma")
_EVENTS = (
    f"SELECT c.contest, p.name, e.number, {', '.join(f'e.{each}' for each in _BELIEFS)} "
    "FROM contests c JOIN standings s ON s.contest_id = c.id "
    "JOIN events e ON e.revision_id = {mark} AND e.contest_id = s.contest_id "
    "AND e.position = s.position JOIN players p ON p.id = s.player_id "
    "WHERE c.contest {among} ORDER BY c.id, s.position"
)


def found(
    connection: Connection, revision: Revision, rules: Rules, ids: list[str]
) -> dict[str, tuple[int, list[Row]]]:
    """Of contests that are there: when they took place, and what they made of their players."""
    there: dict[str, tuple[int, list[Row]]] = {
        id: (time, []) for id, time in asked(connection, _THERE, ids)
    }
    found = asked(connection, _EVENTS, ids, revision.id)
    if not found:
        return there
    contest, name, number, *values = zip(*found, strict=True)
    events = {
        called: numbers(each, np.float64) for called, each in zip(_BELIEFS, values, strict=True)
    }
    rows = rows_of(revision, rules, list(name), np.array(number, np.int64), events)
    for id, row in zip(contest, rows, strict=True):
        there[id][1].append(row)
    return there
