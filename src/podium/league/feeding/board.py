"""Who is where among all players, while matches are rated: one number for each of them in memory.

A place is one comparison with everybody, and the best or somebody's neighbours cost little more:
some milliseconds for a million players. What a commit changes is followed player by player. Those
who tie stand by name; where many do, as newcomers who have won once, numbers that go up with names
say which few of them are looked at.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from podium.league import hiding, players, schema
from podium.league.database import table_of, within
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.ratings.rankings import nearest_above, nth_highest
from podium.systems.base import Floats

if TYPE_CHECKING:
    import polars as pl

_MANY = 1_000
"""From so many who tie on, not all of their names are asked for."""

Names = Callable[[NDArray[np.int64]], Mapping[int, str]]
"""The names of players by their numbers."""


class Board:
    """The ratings of all who are on the leaderboard, by number; NaN for those who are not.

    It does not change: whoever has one goes on with it while another is made.
    """

    def __init__(self, ratings: Floats, alphabet: "Alphabet | None" = None) -> None:
        self._ratings = ratings
        self._alphabet = alphabet or Alphabet()

    @classmethod
    def load(cls, connection: Connection, revision: Revision, rules: Rules) -> Self:
        """Everybody's."""
        who, shown = _on_board(connection, revision, rules)
        ratings = np.full(int(who.max()) + 1 if len(who) else 0, np.nan)
        ratings[who] = shown
        return cls(ratings)

    def after(
        self, connection: Connection, revision: Revision, rules: Rules, changed: Iterable[int]
    ) -> "Board":
        """The same, once the ratings of these players have changed."""
        numbers = np.array(sorted(changed), np.int64)
        who, shown = _on_board(connection, revision, rules, numbers.tolist())
        ratings = self._ratings
        largest = int(numbers.max(initial=-1))
        if largest >= len(ratings):
            ratings = np.concatenate((ratings, np.full(largest + 1 - len(ratings), np.nan)))
        else:
            ratings = ratings.copy()
        ratings[numbers] = np.nan
        ratings[who] = shown
        return Board(ratings, self._alphabet)

    def __len__(self) -> int:
        return int(np.count_nonzero(~np.isnan(self._ratings)))

    def place(self, number: int) -> int | None:
        """One more than there are players with a higher rating; None for who is not on it."""
        if number >= len(self._ratings) or np.isnan(self._ratings[number]):
            return None
        return 1 + int(np.count_nonzero(self._ratings > self._ratings[number]))

    def best(self, n: int, skip: int, names: Names) -> list[tuple[int, int]]:
        """The best n after so many, with their places: equal ones share one, and stand by name."""
        end = min(n + skip, len(self))
        if skip >= end:
            return []
        highest, lowest = nth_highest(self._ratings, skip + 1), nth_highest(self._ratings, end)
        return self._between(skip, end, highest, lowest, names)

    def around(self, number: int, n: int, names: Names) -> list[tuple[int, int]]:
        """A player, with up to n who are just above and n who are just below."""
        ratings = self._ratings
        if self.place(number) is None:
            return []
        own = ratings[number]
        tied = np.flatnonzero(ratings == own)
        same, before = self._alike(number, tied, names)
        called = names(same)
        if number not in called:  # who has left since
            return []
        before += sum(name < called[number] for name in called.values())
        after = len(tied) - 1 - before
        highest = nearest_above(ratings, own, max(0, n - before))
        lowest = -nearest_above(-ratings, -own, max(0, n - after))
        at = int(np.count_nonzero(ratings > own)) + before
        return self._between(max(0, at - n), at + n + 1, highest, lowest, names)

    def _between(
        self, start: int, end: int, highest: float, lowest: float, names: Names
    ) -> list[tuple[int, int]]:
        """Those from one position to another, of whom the first and the last have such ratings."""
        ratings = self._ratings
        above, over = (int(np.count_nonzero(ratings > each)) for each in (highest, lowest))
        first = np.flatnonzero(ratings == highest)
        who, passed = self._some(first, start - above, end - above, names)
        if lowest < highest:
            inside = np.flatnonzero((ratings > lowest) & (ratings < highest))
            last, _ = self._some(np.flatnonzero(ratings == lowest), 0, end - over, names)
            who = np.concatenate((who, inside, last))
        called = names(who)
        own = dict(zip(who.tolist(), ratings[who].tolist(), strict=True))
        there = [each for each in own if each in called]  # others have left since
        order = sorted(there, key=lambda each: (-own[each], called[each]))
        before = above + passed
        places = {highest: above + 1}
        placed = [
            (places.setdefault(own[player], place), player)
            for place, player in enumerate(order, before + 1)
        ]
        return placed[start - before : end - before]

    def _some(
        self, tied: NDArray[np.int64], start: int, end: int, names: Names
    ) -> tuple[NDArray[np.int64], int]:
        """Those who stand by name from one position to another, with as few others as is easy.

        And how many before them are left out.
        """
        end = min(end, len(tied))
        if len(tied) < _MANY or start >= end:
            return tied, 0
        keys = self._alphabet.keys(tied, names)
        first, last = np.partition(keys, (start, end - 1))[[start, end - 1]]
        return tied[(keys >= first) & (keys <= last)], int(np.count_nonzero(keys < first))

    def _alike(
        self, number: int, tied: NDArray[np.int64], names: Names
    ) -> tuple[NDArray[np.int64], int]:
        """Those who tie with a player and whose names have to be compared; how many go before."""
        if len(tied) < _MANY:
            return tied, 0
        keys = self._alphabet.keys(tied, names)
        own = keys[np.searchsorted(tied, number)]
        return tied[keys == own], int(np.count_nonzero(keys < own))


class Alphabet:
    """Numbers of players that go up with their names; where they are equal, names may not be.

    It is made when it is needed. Whoever comes later is put between those who were there, until
    they are many.
    """

    def __init__(self) -> None:
        import polars as pl

        self._lock = threading.Lock()
        self._sorted = pl.Series(dtype=pl.String)
        self._keys: Floats = np.empty(0)
        self._later = 0

    def keys(self, players: NDArray[np.int64], names: Names) -> Floats:
        """The numbers of some players."""
        with self._lock:
            lacking = int(players.max()) + 1 - len(self._keys)
            if lacking > 0:
                self._keys = np.concatenate((self._keys, np.full(lacking, np.nan)))
            new = players[np.isnan(self._keys[players])]
            if 8 * (self._later + len(new)) > len(self._sorted):
                self._sort(np.union1d(new, np.flatnonzero(~np.isnan(self._keys))), names)
            elif len(new):
                self._join(new, names)
            return self._keys[players]

    def _sort(self, players: NDArray[np.int64], names: Names) -> None:
        numbers, called = _named(players, names)
        order = called.arg_sort()
        self._sorted, self._later = called.gather(order), 0
        self._keys = np.full(len(self._keys), np.nan)
        self._keys[numbers[order.to_numpy()]] = np.arange(len(numbers))

    def _join(self, players: NDArray[np.int64], names: Names) -> None:
        numbers, called = _named(players, names)
        self._keys[numbers] = self._sorted.search_sorted(called, side="left").to_numpy() - 0.5
        self._later += len(numbers)


def _named(players: NDArray[np.int64], names: Names) -> "tuple[NDArray[np.int64], pl.Series]":
    """Players who are still there, and their names."""
    import polars as pl

    called = names(players)
    return np.array(list(called), np.int64), pl.Series(list(called.values()), dtype=pl.String)


def _on_board(
    connection: Connection, revision: Revision, rules: Rules, players: list[int] | None = None
) -> tuple[NDArray[np.int64], Floats]:
    """Players, or all of them, and their ratings; NaN for who is not on leaderboards."""
    r = schema.ratings
    asked = select(r.c.player_id, r.c.shown, r.c.contests, r.c.sigma)
    asked = asked.where(r.c.revision_id == revision.id)
    if players is not None:
        asked = asked.where(within(connection, r.c.player_id, players))
    who, shown, contests, sigma = table_of(connection, asked, 4).T
    number = who.astype(np.int64)
    left_out = contests < rules.hidden_until
    if rules.hide_provisional:
        left_out |= rules.provisional(contests, sigma)
    hidden = hiding.load(connection, players)
    if hidden:
        left_out |= np.isin(number, list(hidden))
    return number, np.where(left_out, np.nan, shown)


def names_by(connection: Connection) -> Names:
    """The names of players, as the league has them."""
    return lambda numbers: players.names_of(connection, numbers)
