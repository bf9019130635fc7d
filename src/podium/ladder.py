"""The same fold for one contest at a time, by name."""

import datetime
import math
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl

from podium import systems
from podium.beliefs import Beliefs
from podium.columns import Columns
from podium.errors import PodiumError
from podium.rating import ratings_table, unknown_player
from podium.systems.base import System
from podium.tables import WEIGHTS
from podium.times import Time, from_microseconds, to_microseconds

Standings = Sequence[str | tuple[str, ...] | list[str]]
"""Best first; a tuple is a tie, a list is a team."""


@dataclass(frozen=True, slots=True)
class Player:
    """What is believed of a player now."""

    name: str
    rating: float
    mu: float
    sigma: float
    contests: int
    last_time: datetime.datetime


class Ladder:
    """Ratings that are updated contest by contest, in memory.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo-mmr")
        >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
        >>> ladder["ann"].contests
        1
        >>> ladder.win_probability("ann", "dan") > 0.5
        True
    """

    def __init__(self, system: str | System = "elo-mmr", **parameters: Any) -> None:
        if not isinstance(system, System):
            system = systems.build(system, **parameters)
        elif parameters:
            raise PodiumError(
                "the system is given as an object, so its parameters are set already."
            )
        self.beliefs = Beliefs(system)

    @property
    def system(self) -> System:
        """The rating system."""
        return self.beliefs.system

    def record(
        self,
        standings: Standings,
        *,
        time: Time | None = None,
        weight: float = 1.0,
        perf_ceiling: float | None = None,
    ) -> None:
        """Rate one contest.

        Args:
            standings: The players, best first; a tuple is a tie: ``["ann", ("bob", "cat")]``.
            time: When it took place; by default, at the time of the last contest.
            weight: How much it counts.
            perf_ceiling: The highest performance that it can show.
        """
        names, ranks = _flattened(standings, self.system)
        moment = self._moment(time)
        if not _is_finite(weight) or not WEIGHTS[0] <= weight <= WEIGHTS[1]:
            raise PodiumError(f"weight must be a number from 0.0001 to 10,000, not {weight!r}.")
        if perf_ceiling is not None and not _is_finite(perf_ceiling):
            raise PodiumError(f"perf_ceiling must be a finite number, not {perf_ceiling!r}.")
        beliefs = self.beliefs
        contest = Columns(
            offsets=np.array((0, len(names))),
            player=beliefs.enrol(names),
            rank=np.array(ranks, np.int32),
            time=np.array((moment,)),
            weight=np.array((float(weight),)),
            perf_ceiling=np.array((np.inf if perf_ceiling is None else float(perf_ceiling),)),
        )
        beliefs.system.update(beliefs, contest)
        beliefs.rounds += 1
        beliefs.time = moment

    def _moment(self, time: Time | None) -> int:
        last = self.beliefs.time
        if time is None:
            return 0 if last is None else last
        moment = to_microseconds(time)
        if last is not None and moment < last:
            raise PodiumError(
                f"a contest at {from_microseconds(moment)} cannot follow one at "
                f"{from_microseconds(last)}; record contests in the order of their times."
            )
        return moment

    def __len__(self) -> int:
        return len(self.beliefs)

    def __contains__(self, name: object) -> bool:
        return name in self.beliefs.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.beliefs.names)

    def __getitem__(self, name: str) -> Player:
        record = self.beliefs.table[self._id(name)]
        mu, sigma = float(record["mu"]), float(record["sigma"])
        return Player(
            name=name,
            rating=float(self.system.rating(mu, sigma, int(record["contests"]))),
            mu=mu,
            sigma=sigma,
            contests=int(record["contests"]),
            last_time=from_microseconds(int(record["last_time"])),
        )

    def _id(self, name: str) -> int:
        number = self.beliefs.index.get(name)
        if number is None:
            raise unknown_player(name, self.beliefs)
        return number

    def win_probability(self, a: str, b: str) -> float:
        """The probability that a does better than b if they meet now."""
        return self.system.win_probability(self.beliefs, self._id(a), self._id(b))

    @property
    def ratings(self) -> pl.DataFrame:
        """All players, best first, as in `podium.Rated.ratings`."""
        return ratings_table(self.beliefs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the beliefs to one file, exactly."""
        self.beliefs.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], system: System | None = None) -> Self:
        """A ladder that goes on from saved beliefs, of a ladder or of a run of `podium.rate`."""
        ladder = cls.__new__(cls)
        ladder.beliefs = Beliefs.load(path, system)
        return ladder

    def __repr__(self) -> str:
        return repr(self.beliefs).replace("Beliefs", "Ladder")


def _is_finite(number: object) -> bool:
    try:
        return isinstance(number, numbers.Real) and math.isfinite(number)
    except OverflowError:
        return False


def _flattened(standings: Standings, system: System) -> tuple[list[str], list[int]]:
    """Names by rank and then by name, as ratings are computed, with their ranks."""
    unordered = isinstance(standings, str | Set | Mapping)
    if unordered or not isinstance(standings, Iterable):
        raise PodiumError(f"the standings must be a list of names, best first, not {standings!r}.")
    names: list[str] = []
    ranks: list[int] = []
    for entry in standings:
        rank = len(names) + 1
        if isinstance(entry, str):
            names.append(entry)
            ranks.append(rank)
        elif isinstance(entry, tuple) and all(isinstance(name, str) for name in entry):
            names.extend(sorted(entry))
            ranks.extend([rank] * len(entry))
        elif isinstance(entry, list):
            raise PodiumError(
                f"{system.name} rates players, not teams, so {entry!r} cannot take a place; "
                f"write a tie as a tuple."
            )
        else:
            raise PodiumError(f"{entry!r} in the standings is not a name or a tuple of names.")
    if not names:
        raise PodiumError("the standings are empty; a contest needs at least one player.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PodiumError(f"player {twice!r} stands twice in the standings.")
    if "" in names:
        raise PodiumError("a name in the standings is empty.")
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise PodiumError("a name in the standings holds half a character, a surrogate.") from None
    return names, ranks
