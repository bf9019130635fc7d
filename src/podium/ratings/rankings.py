"""Who is best: the table of ratings, and places without sorting everybody.

Tables are sorted and numbered without the threads of Polars; see `podium.forks`.
"""

import heapq
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import InputError
from podium.ratings.beliefs import Beliefs
from podium.results.columns import taken
from podium.results.times import Time, as_column, from_microseconds, to_microseconds
from podium.systems.base import Floats

_SAMPLED = 32
"""Of so many players for each who is wanted, the best ones set the bar for all others."""


class Ranking:
    """The ratings of everybody as a column, which follows contest after contest.

    A contest changes what is believed of those who took part and of nobody else, so that after it
    a place costs one comparison with everybody, and the best cost little more.
    """

    def __init__(self, beliefs: Beliefs, at: Time | None = None) -> None:
        self._beliefs = beliefs
        self._rounds, self._size = beliefs.rounds, len(beliefs)
        self._column = _ordered(shown(beliefs, slice(0, self._size), moment_of(beliefs, at))[2])

    def is_of(self, beliefs: Beliefs) -> bool:
        """Whether it is of these beliefs, and has seen all their contests."""
        seen = self._rounds == beliefs.rounds and self._size == len(beliefs)
        return self._beliefs is beliefs and seen

    def follow(self, beliefs: Beliefs, players: NDArray[np.int32]) -> None:
        """Take note of a contest that was just folded, in which these took part."""
        if self._beliefs is not beliefs or self._rounds != beliefs.rounds - 1:
            return
        self._rounds, self._size = beliefs.rounds, len(beliefs)
        if self._size > len(self._column):
            self._column = np.resize(self._column, len(beliefs.table))
        self._column[players] = _ordered(shown(beliefs, players, None)[2])

    @property
    def _ratings(self) -> Floats:
        return self._column[: self._size]

    def place(self, player: int) -> int:
        """One more than there are players with a higher rating."""
        return 1 + int(np.count_nonzero(self._ratings > self._ratings[player]))

    def best(self, n: int) -> list[tuple[int, int]]:
        """The best n with their places, best first; equal ones share a place and stand by name."""
        found, names = self._best(n), self._beliefs.names
        ratings = dict(zip(found.tolist(), self._ratings[found].tolist(), strict=True))
        order = sorted(ratings, key=lambda player: (-ratings[player], names[player]))
        places: dict[float, int] = {}
        return [
            (places.setdefault(ratings[player], number), player)
            for number, player in enumerate(order, start=1)
        ]

    def _best(self, n: int) -> NDArray[np.int64]:
        ratings, names = self._ratings, self._beliefs.names
        if n == 0 or len(ratings) <= n:
            return np.arange(min(n, len(ratings)))
        bar = nth_highest(ratings, n)
        candidates = np.flatnonzero(ratings >= bar)
        above = candidates[ratings[candidates] > bar]
        equal = candidates[ratings[candidates] == bar].tolist()
        named = heapq.nsmallest(n - len(above), equal, key=names.__getitem__)
        return np.append(above, np.array(named, np.int64))


def _ordered(ratings: Floats) -> Floats:
    """Ratings that can be compared: who has none, for want of a finite one, comes last."""
    lacking = np.isnan(ratings)
    return np.where(lacking, -np.inf, ratings) if lacking.any() else ratings


def nth_highest(ratings: Floats, n: int) -> float:
    """The n-th highest of ratings, or the lowest if they are fewer; NaN is none.

    Example:
        >>> nth_highest(np.array([3.0, np.nan, 1.0, 2.0]), 2)
        2.0
    """
    if len(ratings) <= n:
        return float(np.nanmin(ratings, initial=np.inf))
    sample = ratings[:: max(1, len(ratings) // (_SAMPLED * n))]
    # the bar that n of some players reach is never above the one that n of all reach
    bar = _nth(sample[~np.isnan(sample)], n)
    higher = ratings[ratings > bar]  # without those who tie at the bar, who may be half of all
    return _nth(higher, n) if len(higher) >= n else bar


def nearest_above(ratings: Floats, own: float, n: int) -> float:
    """The n-th lowest of the ratings that are higher than one, or the highest if they are fewer.

    Example:
        >>> nearest_above(np.array([3.0, np.nan, 1.0, 2.0, 5.0]), 1.0, 2)
        3.0
    """
    higher = ratings[ratings > own]
    if not len(higher) or n == 0:
        return own
    return -nth_highest(-higher, n)


def _nth(ratings: Floats, n: int) -> float:
    """The n-th highest, or the lowest of fewer; the lowest of all if there is none."""
    place = max(0, len(ratings) - n)
    return float(np.partition(ratings, place)[place]) if len(ratings) else -np.inf


def shown(
    beliefs: Beliefs, players: NDArray[np.integer[Any]] | slice, moment: int | None
) -> tuple[Floats, Floats, Floats]:
    """Mu, sigma and the rating of these players, as of a moment."""
    mu, sigma = map(np.ascontiguousarray, beliefs.system.aged(beliefs, players, moment))
    contests = np.ascontiguousarray(beliefs.table["contests"][players])
    return mu, sigma, beliefs.system.rating(mu, sigma, contests)


def ratings_table(
    beliefs: Beliefs, at: Time | None = None, players: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """All players or some, best first; equal ratings by name. As of a time, if one is given."""
    rows = slice(0, len(beliefs)) if players is None else players
    moment = moment_of(beliefs, at)
    mu, sigma, rating = shown(beliefs, rows, moment)
    names = beliefs.names if players is None else [beliefs.names[each] for each in players]
    contests = np.ascontiguousarray(beliefs.table["contests"][rows])
    undated = pl.Series(contests == 0 if beliefs.time is not None else contests >= 0)
    last_time = as_column(np.ascontiguousarray(beliefs.table["last_time"][rows]))
    frame = pl.DataFrame(
        {
            "player": pl.Series(names, dtype=pl.String),
            "rating": rating,
            "mu": mu,
            "sigma": sigma,
            **beliefs.system.besides(beliefs, rows, moment),
            "contests": contests,
            "last_time": last_time.set(undated, None),
        },
        nan_to_null=True,
    )
    return taken(frame, in_order(names, np.where(np.isnan(rating), -np.inf, -rating)))


def in_order(names: Sequence[str], *keys: Floats) -> NDArray[np.int64]:
    """The numbers of rows by keys, the lowest first and NaN last; equal ones by name.

    Example:
        >>> in_order(["cat", "bob", "ann"], np.array([1.0, 0.0, 1.0])).tolist()
        [1, 2, 0]
    """
    order = np.lexsort(keys[::-1]) if len(keys) > 1 else np.argsort(keys[0], kind="stable")
    equal = np.ones(max(0, len(order) - 1), np.bool_)
    for key in keys:
        one, next_one = key[order[:-1]], key[order[1:]]
        equal &= (one == next_one) | (np.isnan(one) & np.isnan(next_one))
    if not equal.any():
        return order
    places = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
    tied, group = order[places], np.cumsum(~np.append(False, equal))[places]
    by_name = np.empty(len(order), np.int64)
    by_name[sorted(tied.tolist(), key=names.__getitem__)] = np.arange(len(tied))
    order[places] = tied[np.lexsort((by_name[tied], group))]
    return order


def with_places(ratings: pl.DataFrame) -> pl.DataFrame:
    """Ratings with the column `place` in front; equal ratings share one."""
    rating = ratings["rating"].to_numpy()
    place = 1 + np.searchsorted(np.sort(-rating), -rating)
    return pl.DataFrame([pl.Series("place", place.astype(np.uint32)), *ratings])


def first_best(ratings: Floats, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each player, whose rows start there, the first row with the highest rating.

    Example:
        >>> first_best(np.array([1.0, 3.0, 3.0, 2.0, 0.0]), np.array([0, 3])).tolist()
        [1, 3]
    """
    counts = np.diff(np.append(starts, len(ratings)))
    is_best = ratings == np.repeat(np.maximum.reduceat(ratings, starts), counts)
    rows = np.where(is_best, np.arange(len(ratings)), len(ratings))
    return np.minimum.reduceat(rows, starts)


def moment_of(beliefs: Beliefs, at: Time | None) -> int | None:
    """A moment not before the last contest, of which nothing is known any more.

    None where no contest had a time: then no time passes.
    """
    if at is None:
        return None
    moment = to_microseconds(at)
    if beliefs.time is None:
        return None
    if moment < beliefs.time:
        raise InputError(
            f"ratings as of {from_microseconds(moment)} are not known, because later contests are "
            f"rated, until {from_microseconds(beliefs.time)}; rate the contests before that date."
        )
    return moment
