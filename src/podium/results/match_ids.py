"""Matches that have no identifiers: their order among those of one time, and what they are called.

A match is called '2026-05-01 ann - bob', and the second of its kind '2026-05-01 ann - bob #2'. Ten
million of such texts take longer to make and to order than anything else, and mostly nobody asks.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.results.times import as_column
from podium.results.turns import by_keys, in_time, natural_ranks, sharing

_DAY, _SECOND = 86_400_000_000, 1_000_000


class MatchIds(NamedTuple):
    """The identifiers of matches, until somebody asks for them.

    It holds what they are made of, so that whoever moves rows or renames players changes none.
    """

    times: NDArray[np.int64]
    a: NDArray[np.int32]
    b: NDArray[np.int32]
    players: pl.Series
    repeat: NDArray[np.int64] | None
    """Which of its kind each is, from 1 on; None if all are of different kinds."""
    whole_days: bool
    """Whether the times are dates."""

    def take(self, contests: slice | NDArray[np.int64]) -> "MatchIds":
        """Those of some of the matches."""
        return self._replace(
            times=self.times[contests],
            a=self.a[contests],
            b=self.b[contests],
            repeat=None if self.repeat is None else self.repeat[contests],
        )

    def made(self) -> pl.Series:
        """The texts."""
        names = self.players.gather(self.a), self.players.gather(self.b)
        return texts(self.times, *names, self.repeat, whole_days=self.whole_days)


def texts(
    times: NDArray[np.int64],
    a: pl.Series,
    b: pl.Series,
    repeat: NDArray[np.int64] | None,
    *,
    whole_days: bool,
) -> pl.Series:
    """What matches are called."""
    ids = moments(times, whole_days=whole_days) + " " + a + " - " + b
    if repeat is not None:
        again = np.flatnonzero(repeat > 1)
        ids[again] = ids.gather(again) + " #" + pl.Series(repeat[again]).cast(pl.String)
    return ids.alias("contest")


def moments(times: NDArray[np.int64], *, whole_days: bool) -> pl.Series:
    """Times as identifiers have them; days and seconds of a day are written out once."""
    day = times // _DAY
    first = int(day.min(initial=0))
    days = np.arange(first, int(day.max(initial=0)) + 1)
    if len(days) > len(times) or (not whole_days and (times % _SECOND).any()):
        return as_column(times).dt.strftime("%Y-%m-%d" if whole_days else "%Y-%m-%d %H:%M:%S%.f")
    dates = as_column(days * _DAY).dt.strftime("%Y-%m-%d").gather(day - first)
    if whole_days:
        return dates
    clock = as_column(np.arange(_DAY // _SECOND) * _SECOND).dt.strftime(" %H:%M:%S")
    return dates + clock.gather((times - day * _DAY) // _SECOND)


def in_turn(
    times: NDArray[np.int64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    players: pl.Series,
    ladder: NDArray[np.int64] | None,
    numbered: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int64] | None] | None:
    """The order of matches by what they are called, without calling them; and `MatchIds.repeat`.

    `numbered` says of some rows, with the number of their kind, which of their kind each is. None
    if names look like parts of identifiers, so that only the texts tell.

    At one time the order is that of ``a + " - "`` and then of b, where no such text begins another
    one: numbers in a name end with it. Behind b can follow ``" #2"``, which moves it among the
    others ("bob #2" stands behind "bob2", and "bob" before), and no name begins with a name and
    that.
    """
    order = in_time(times)
    places = sharing(times[order])
    if not len(places):
        return order, None
    if _look_like_ids(players):
        return None
    tied = order[places]
    turn = np.cumsum(np.append(False, times[tied][1:] != times[tied][:-1]))
    one, other = a[tied], b[tied]
    own = np.zeros(len(tied), np.int64) if ladder is None else ladder[tied]
    ahead = _ranks(players, one, " - ")[one]
    behind = _ranks(players, other, "")[other]
    within = by_keys(turn, ahead, behind, own)
    same = np.ones(len(within) - 1, np.bool_)
    for key in (turn, ahead, behind, own):
        same &= key[within[1:]] == key[within[:-1]]
    if not same.any():
        order[places] = tied[within]
        return order, None
    kind = np.empty(len(within), np.int64)
    kind[within] = np.cumsum(np.append(True, ~same))
    again = np.zeros(len(within), np.bool_)
    again[within] = np.append(same, False) | np.append(False, same)
    rows = np.flatnonzero(again)
    rows = rows[np.argsort(tied[rows])]  # as they stand in the table
    number = np.ones(len(within), np.int64)
    number[rows] = numbered(tied[rows], kind[rows])
    behind = _ranks_with_numbers(players, other, number > 1)
    order[places] = tied[by_keys(turn, ahead, behind, number, own)]
    repeat = np.ones(len(times), np.int64)
    repeat[tied] = number
    return order, repeat


def _look_like_ids(players: pl.Series) -> bool:
    """Whether a name holds, or ends with the beginning of, what stands between names."""
    parts = (players + " ").str.contains_any([" - ", " #"])
    return bool(parts.any())


def _ranks(players: pl.Series, which: NDArray[np.int32], suffix: str) -> NDArray[np.int64]:
    """By player: the place of the name, with the suffix, among those of these players."""
    used = _distinct(which, len(players))
    ranks = np.zeros(len(players), np.int64)
    ranks[used] = natural_ranks(players.gather(used) + suffix)
    return ranks


def _ranks_with_numbers(
    players: pl.Series, which: NDArray[np.int32], numbered: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """By row: the place of the name among all, with the sign of a number where there is one."""
    plain = _distinct(which[~numbered], len(players))
    signed = _distinct(which[numbered], len(players))
    ranks = natural_ranks(pl.concat([players.gather(plain), players.gather(signed) + " #"]))
    found = np.zeros((2, len(players)), np.int64)
    found[0, plain], found[1, signed] = ranks[: len(plain)], ranks[len(plain) :]
    return found[numbered.astype(np.int64), which]


def _distinct(which: NDArray[np.int32], players: int) -> NDArray[np.int64]:
    seen = np.zeros(players, np.bool_)
    seen[which] = True
    return np.flatnonzero(seen)
