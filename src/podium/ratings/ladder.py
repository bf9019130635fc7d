"""The same fold for one contest at a time, by name."""

import datetime
import math
import numbers
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import systems
from podium.errors import InputError, PodiumError
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import (
    no_scores,
    ratings_table,
    refuse_the_past,
    too_many_players,
    unknown_player,
)
from podium.results.columns import Columns
from podium.results.tables import SHARES, WEIGHTS
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.systems.base import System

if TYPE_CHECKING:
    from podium.luck.beliefs import Belief

Competitor = str | list[str]
"""A player's name, or a list of names: a team."""
Standings = Sequence[Competitor | tuple[Competitor, ...]]
"""Best first; a tuple is a tie."""
SIDES = {None: 0, "home": 1, "white": 1, "first": 1, "away": -1, "black": -1, "second": -1}
"""What the first of two competitors may have."""


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
            raise InputError("the system is given as an object, so its parameters are set already.")
        self.beliefs = Beliefs(system)

    @classmethod
    def from_beliefs(cls, beliefs: Beliefs, *, copy: bool = True) -> Self:
        """A ladder that goes on from the beliefs of a run of `podium.rate`, or predicts from them.

        The beliefs are copied, and so are not changed by what the ladder records. With
        ``copy=False`` they are, which saves memory where nobody else needs them.
        """
        ladder = cls.__new__(cls)
        ladder.beliefs = beliefs.copy() if copy else beliefs
        return ladder

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
        shares: Mapping[str, float] | None = None,
        margin: float | None = None,
        home: str | None = None,
        score: float | None = None,
    ) -> None:
        """Rate one contest.

        Args:
            standings: The players, best first; a tuple is a tie: ``["ann", ("bob", "cat")]``, and
                a list is a team: ``[["ann", "bob"], ["cat", "dan"]]``.
            time: When it took place; by default, at the time of the last contest.
            weight: How much it counts.
            perf_ceiling: The highest performance that it can show.
            shares: Who took part in only a part of it: ``{"bob": 0.5}``; for systems of teams.
            margin: By how much it was won, e.g. in goals; for systems that know margins.
            home: Of two players, the one who had the advantage of the side (home, white); for
                systems that know sides.
            score: Of two players, the score of the first in the standings, from 0 to 1, 0.5 being
                a draw; for systems that take scores.
        """
        names, ranks, team = _flattened(standings, self.system)
        most = self.system.most_players
        if most is not None and len(names) > most:
            raise too_many_players("the contest", len(names), self.system)
        if score is not None:
            _refuse_score(score, ranks, self.system)
            names, ranks, team, score = _by_score(float(score), names, team)
        moment = self._moment(time)
        if not _is_finite(weight) or not WEIGHTS[0] <= weight <= WEIGHTS[1]:
            raise InputError(f"weight must be a number from 0.0001 to 10,000, not {weight!r}.")
        if perf_ceiling is not None and not _is_finite(perf_ceiling):
            raise InputError(f"perf_ceiling must be a finite number, not {perf_ceiling!r}.")
        if margin is not None and (not _is_finite(margin) or margin < 0.0):
            raise InputError(f"margin must be a number of at least 0, not {margin!r}.")
        share = None if shares is None else _share_column(shares, names)
        side = None if home is None else _side_column(home, names)
        beliefs = self.beliefs
        contest = Columns(
            offsets=np.array((0, len(names))),
            player=beliefs.enrol(names),
            rank=np.array(ranks, np.int32),
            time=np.array((moment,)),
            weight=np.array((float(weight),)),
            perf_ceiling=np.array((np.inf if perf_ceiling is None else float(perf_ceiling),)),
            team=None if team is None else np.array(team, np.int32),
            side=side,
            share=share,
            margin=None if margin is None else np.array((float(margin),)),
            score=None if score is None else np.array((score,)),
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
            raise InputError(
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
        number = self.beliefs.index.get(name) if isinstance(name, str) else None
        if number is None:
            raise unknown_player(name, self.beliefs)
        return number

    def win_probability(
        self, a: Competitor, b: Competitor, *, time: Time | None = None, side: str | None = None
    ) -> float:
        """The probability that a does better than b.

        Args:
            a: A player, or a list of players who play as a team.
            b: The same.
            time: When they meet; by default now, at the time of the last contest.
            side: What a has: home, white or first, or away, black or second; by default neither.
        """
        return self.system.win_probability(
            self.beliefs, *self._ids((a, b)), time=self._when(time), side=_side(side)
        )

    def draw_probability(
        self, a: Competitor, b: Competitor, *, time: Time | None = None, side: str | None = None
    ) -> float:
        """The probability that a and b draw; 0 if the system's model knows no draws."""
        return self.system.draw_probability(
            self.beliefs, *self._ids((a, b)), time=self._when(time), side=_side(side)
        )

    def stronger_probability(
        self, a: Competitor, b: Competitor, *, time: Time | None = None
    ) -> float:
        """The probability that a is better than b; in a game of chance, b may win all the same.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("luck")
            >>> for _ in range(10):
            ...     ladder.record(["ann", "bob"])
            >>> round(ladder.stronger_probability("ann", "bob"), 2)
            0.99
            >>> round(ladder.win_probability("ann", "bob"), 2)
            0.77
        """
        return self.system.stronger_probability(
            self.beliefs, *self._ids((a, b)), time=self._when(time)
        )

    def belief(self, name: str, *, time: Time | None = None) -> "Belief":
        """All that is believed of a player's strength; for systems with whole beliefs: luck.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("luck")
            >>> ladder.record(["ann", "bob"])
            >>> belief = ladder.belief("ann")
            >>> round(belief.mean, 3), round(belief.sd, 3)
            (0.162, 0.682)
            >>> [round(float(bound), 2) for bound in belief.quantile([0.05, 0.95])]
            [-0.97, 1.29]
        """
        return self.system.belief(self.beliefs, self._id(name), self._when(time))

    def rank_probabilities(
        self,
        competitors: Sequence[Competitor],
        *,
        top: int = 3,
        time: Time | None = None,
        home: str | None = None,
    ) -> pl.DataFrame:
        """How a contest of these competitors may end, the likeliest winner first.

        Columns: player, first (the probability of the first place), top (of a place among the
        best `top`) and expected_rank. Ties are split evenly. Of two players, `home` has the side.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo-mmr")
            >>> ladder.record(["ann", "bob", "cat"])
            >>> ladder.rank_probabilities(["cat", "ann", "bob"])["player"].to_list()
            ['ann', 'bob', 'cat']
        """
        if isinstance(top, bool) or not isinstance(top, numbers.Integral) or top < 1:
            raise InputError(f"top must be a whole number of at least 1, not {top!r}.")
        ids = self._ids(competitors)
        when = self._when(time)
        side = _side_at_home(home, competitors)
        ends = self.system.rank_probabilities(self.beliefs, ids, top=int(top), time=when, side=side)
        names = [each if isinstance(each, str) else ", ".join(each) for each in competitors]
        frame = pl.DataFrame({"player": names, **ends._asdict()})
        return frame.sort(["first", "expected_rank", "player"], descending=[True, False, False])

    def quality(
        self,
        competitors: Sequence[Competitor],
        *,
        time: Time | None = None,
        home: str | None = None,
    ) -> float:
        """How open a contest of these competitors is, from 0 to 1, for matchmaking."""
        ids, side = self._ids(competitors), _side_at_home(home, competitors)
        return self.system.quality(self.beliefs, ids, time=self._when(time), side=side)

    def _ids(self, competitors: Sequence[Competitor]) -> list[list[int]]:
        """The ids of every competitor's members."""
        if isinstance(competitors, str) or not isinstance(competitors, Sequence):
            raise InputError(f"a list of names is needed, not {competitors!r}.")
        if not competitors:
            raise InputError("nobody is named to predict a contest of.")
        members = [[each] if isinstance(each, str) else each for each in competitors]
        for team in members:
            if not isinstance(team, list) or not team or not all(map(_is_name, team)):
                raise InputError(f"{team!r} is not a name or a list of names, which is a team.")
            if len(team) > 1 and not self.system.takes_teams:
                raise _no_teams(self.system, team)
        names = [name for team in members for name in team]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"player {twice!r} cannot take part twice.")
        return [[self._id(name) for name in team] for team in members]

    def _when(self, time: Time | None) -> int | None:
        """A moment not before the last contest, of which nothing is known any more."""
        if time is None:
            return None
        moment = to_microseconds(time)
        refuse_the_past(self.beliefs, moment)
        return moment

    @property
    def ratings(self) -> pl.DataFrame:
        """All players, best first, as in `podium.Rated.ratings`."""
        return ratings_table(self.beliefs)

    def ratings_at(self, time: Time) -> pl.DataFrame:
        """The same as of a date: where a system lets uncertainty grow, the absent fall behind."""
        return ratings_table(self.beliefs, time)

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


def _is_name(name: object) -> bool:
    return isinstance(name, str)


def _is_finite(number: object) -> bool:
    try:
        return isinstance(number, numbers.Real) and math.isfinite(number)
    except OverflowError:
        return False


def _side(side: str | None) -> int:
    if not isinstance(side, str | None) or side not in SIDES:
        raise InputError(
            f"side must be home, white, first, away, black or second, or None, not {side!r}."
        )
    return SIDES[side]


def _share_column(shares: Mapping[str, float], names: list[str]) -> NDArray[np.float64]:
    """Every player's share, 1 where nothing is said."""
    if not isinstance(shares, Mapping):
        raise InputError(f"shares must be a mapping such as {{'ann': 0.5}}, not {shares!r}.")
    for name, share in shares.items():
        if name not in names:
            raise InputError(f"there is a share of {name!r}, who is not in the standings.")
        if not _is_finite(share) or not SHARES[0] <= share <= SHARES[1]:
            raise InputError(
                f"the share of {name!r} must be a number from 0.0001 to 1, not {share!r}."
            )
    return np.array([float(shares.get(name, 1.0)) for name in names])


def _side_at_home(home: str | None, competitors: Sequence[Competitor]) -> int:
    """What the first of two has, if one of them is at home."""
    if home is None:
        return 0
    if len(competitors) != 2 or home not in competitors:
        raise InputError(f"home must be one of two players who meet, not {home!r}.")
    return 1 if home == competitors[0] else -1


def _side_column(home: str, names: list[str]) -> NDArray[np.int8]:
    """1 for the one who is at home and -1 for the other."""
    if len(names) != 2 or home not in names:
        raise InputError(f"home must be one of two players in the standings, not {home!r}.")
    return np.array([1 if name == home else -1 for name in names], np.int8)


def _refuse_score(score: float, ranks: list[int], system: System) -> None:
    """Raise if it is no score, if it is not of two in order, or if the system takes none."""
    if not _is_finite(score) or not 0.0 <= score <= 1.0:
        raise InputError(f"score must be a number from 0 to 1, 0.5 being a draw, not {score!r}.")
    if not system.takes_scores and score not in (0.0, 0.5, 1.0):
        raise no_scores(f"a score of {score!r} is given", system)
    if ranks != [1, 2]:
        raise InputError(
            "a score needs standings of two players without a tie: it is the score that says who "
            "won, or that nobody did."
        )


def _by_score(
    score: float, names: list[str], team: list[int] | None
) -> tuple[list[str], list[int], list[int] | None, float | None]:
    """Two players by the score of the first, then by name; their ranks, teams and the higher score.

    The score is None where the ranks say it all.
    """
    of_second = 1.0 - score
    own = (1.0 - of_second, of_second)
    order = sorted((0, 1), key=lambda player: (-own[player], names[player]))
    best = max(own)
    return (
        [names[player] for player in order],
        [1, 1 if best == 0.5 else 2],
        None if team is None else [team[player] for player in order],
        best if 0.5 < best < 1.0 else None,
    )


def _flattened(
    standings: Standings, system: System
) -> tuple[list[str], list[int], list[int] | None]:
    """Names by rank and then by name, as ratings are computed; their ranks, and teams if any."""
    unordered = isinstance(standings, str | Set | Mapping)
    if unordered or not isinstance(standings, Iterable):
        raise InputError(f"the standings must be a list of names, best first, not {standings!r}.")
    rows: list[tuple[str, int, int]] = []
    teams = 0
    for entry in standings:
        rank = len(rows) + 1
        if isinstance(entry, str):
            rows.append((entry, rank, -1))
            continue
        group: list[tuple[str, int, int]] = []
        for competitor in entry if isinstance(entry, tuple) else (entry,):
            team = -1
            members = [competitor] if isinstance(competitor, str) else competitor
            if isinstance(competitor, list):
                if not system.takes_teams:
                    raise _no_teams(system, competitor)
                if not competitor:
                    raise InputError("a team in the standings is empty.")
                team, teams = teams, teams + 1
            if not isinstance(members, list) or not all(isinstance(name, str) for name in members):
                raise InputError(
                    f"{competitor!r} in the standings is not a name, a list of names (a team) "
                    f"or a tuple of them (a tie)."
                )
            group.extend((name, rank, team) for name in members)
        rows.extend(sorted(group) if len(group) > 1 else group)
    names = [name for name, _, _ in rows]
    if not names:
        raise InputError("the standings are empty; a contest needs at least one player.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"player {twice!r} stands twice in the standings.")
    if "" in names:
        raise InputError("a name in the standings is empty.")
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        raise InputError("a name in the standings holds half a character, a surrogate.") from None
    return names, [rank for _, rank, _ in rows], [team for _, _, team in rows] if teams else None


def _no_teams(system: System, team: list[str]) -> PodiumError:
    return InputError(
        f"{system.name} rates players, not teams, so {team!r} cannot take a place; "
        f"write a tie as a tuple, or choose one of {', '.join(systems.with_teams())}."
    )
