"""What can be asked of beliefs, the same of a `Ladder`, of `Rated` and of a league."""

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import polars as pl

from podium import systems
from podium.errors import InputError, NotFoundError, PodiumError
from podium.markup import table
from podium.ratings.beliefs import Beliefs
from podium.ratings.player import Player
from podium.ratings.rankings import (
    Ranking,
    in_order,
    moment_of,
    ratings_table,
    with_places,
)
from podium.results.columns import taken
from podium.results.times import Time, from_microseconds
from podium.systems.base import System
from podium.texts import LONGEST, normalised, spelled, too_long
from podium.wording import suggestion

if TYPE_CHECKING:
    from podium.luck.beliefs import Belief

Competitor = str | list[str]
"""A player's name, or a list of names: a team."""
SIDES = {None: 0, "home": 1, "white": 1, "first": 1, "away": -1, "black": -1, "second": -1}
"""What the first of two competitors may have."""

P = ParamSpec("P")
R = TypeVar("R")


def settled(ask: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Answer from one state, which no other thread changes meanwhile."""

    @wraps(ask)
    def answer(self: "Asking", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._lock:
            return ask(self, *args, **kwargs)

    return answer


class Asking(ABC):
    """Questions about those who may meet.

    Who is not known is a newcomer, of whom is believed what the system believes of all newcomers;
    asking changes nothing. A list of names is a team, where the system takes teams. `at` is when
    they meet; by default now, at the time of the last contest. What is `calibrated` is as sure as
    the results so far say that it should be; see `podium.ratings.calibration`.
    """

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        """Held while a question is answered."""
        return nullcontext()

    @abstractmethod
    def _consult(
        self, names: list[str], at: Time | None, calibrated: bool = False
    ) -> tuple[Beliefs, list[int], int | None]:
        """Beliefs about these players and maybe others, the ids of these, and as of when to ask.

        If it is to be calibrated, at the temperature that was learned until then. What is asked
        does not change the beliefs, so that they need not be a copy.
        """

    @settled
    def win_probability(
        self,
        a: Competitor,
        b: Competitor,
        *,
        at: Time | None = None,
        side: str | None = None,
        calibrated: bool = False,
    ) -> float:
        """The probability that a does better than b.

        Args:
            a: A player, or a list of players who play as a team.
            b: The same.
            at: When they meet; by default now, at the time of the last contest.
            side: What a has: home, white or first, or away, black or second; by default neither.
            calibrated: At the temperature that the results have taught.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo", calibrated=True)
            >>> for _ in range(100):
            ...     ladder.record(["ann", "bob"])
            >>> round(ladder.win_probability("ann", "bob"), 2)
            0.97
            >>> round(ladder.win_probability("ann", "bob", calibrated=True), 2)
            0.99
        """
        beliefs, pair, time = self._asked((a, b), at, calibrated)
        return beliefs.system.win_probability(beliefs, *pair, time=time, side=_side(side))

    @settled
    def draw_probability(
        self,
        a: Competitor,
        b: Competitor,
        *,
        at: Time | None = None,
        side: str | None = None,
        calibrated: bool = False,
    ) -> float:
        """The probability that a and b draw; 0 if the system's model knows no draws."""
        beliefs, pair, time = self._asked((a, b), at, calibrated)
        return beliefs.system.draw_probability(beliefs, *pair, time=time, side=_side(side))

    @settled
    def stronger_probability(
        self, a: Competitor, b: Competitor, *, at: Time | None = None
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
        beliefs, pair, time = self._asked((a, b), at)
        return beliefs.system.stronger_probability(beliefs, *pair, time=time)

    @settled
    def belief(self, name: str, *, at: Time | None = None) -> "Belief":
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
        if not isinstance(name, str):
            raise InputError(f"a name is needed, not {name!r}.")
        beliefs, ((player,),), time = self._asked((name,), at)
        return beliefs.system.belief(beliefs, player, time)

    @settled
    def rank_probabilities(
        self,
        competitors: Sequence[Competitor],
        *,
        top: int = 3,
        at: Time | None = None,
        home: str | None = None,
        calibrated: bool = False,
    ) -> pl.DataFrame:
        """How a contest of these competitors may end, the likeliest winner first.

        Columns: player, first (the probability of the first place), top (of a place among the
        best `top`) and expected_rank. Ties are split evenly. Of two players, `home` has the side.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo-mmr")
            >>> ladder.record(["ann", "bob", "cat"])
            >>> ladder.rank_probabilities(["cat", "a newcomer", "ann"])["player"].to_list()
            ['ann', 'a newcomer', 'cat']
        """
        if isinstance(top, bool) or not isinstance(top, numbers.Integral) or top < 1:
            raise InputError(f"top must be a whole number of at least 1, not {top!r}.")
        beliefs, ids, time = self._asked(competitors, at, calibrated)
        side = _side_at_home(home, competitors)
        ends = beliefs.system.rank_probabilities(beliefs, ids, top=int(top), time=time, side=side)
        names = [each if isinstance(each, str) else ", ".join(each) for each in competitors]
        frame = pl.DataFrame({"player": names, **ends._asdict()})
        return taken(frame, in_order(names, -ends.first, ends.expected_rank))

    @settled
    def quality(
        self,
        competitors: Sequence[Competitor],
        *,
        at: Time | None = None,
        home: str | None = None,
        calibrated: bool = False,
    ) -> float:
        """How open a contest of these competitors is, from 0 to 1, for matchmaking."""
        beliefs, ids, time = self._asked(competitors, at, calibrated)
        side = _side_at_home(home, competitors)
        return beliefs.system.quality(beliefs, ids, time=time, side=side)

    @settled
    def temperature(self, *, at: Time | None = None) -> float:
        """By what calibrated predictions multiply differences between ratings.

        Above 1 the results so far are surer than the system, below 1 they are less sure.
        """
        return self._consult([], at, calibrated=True)[0].temperature

    def _asked(
        self, competitors: Sequence[Competitor], at: Time | None, calibrated: bool = False
    ) -> tuple[Beliefs, list[list[int]], int | None]:
        """Beliefs, the ids of every competitor's members, and as of when to ask."""
        if isinstance(competitors, str) or not isinstance(competitors, Sequence):
            raise InputError(f"a list of names is needed, not {competitors!r}.")
        if not competitors:
            raise InputError("nobody is named to predict a contest of.")
        teams = [[each] if isinstance(each, str) else each for each in competitors]
        for team in teams:
            named = isinstance(team, list) and all(isinstance(name, str) for name in team)
            if not named or not team:
                raise InputError(f"{team!r} is not a name or a list of names, which is a team.")
        names = [name for team in teams for name in team]
        as_names(names)
        refuse_twice(names, names)
        beliefs, ids, time = self._consult(names, at, calibrated)
        refuse_twice(ids, names)  # one player may have several names in a league
        if len(names) > len(teams) and not beliefs.system.takes_teams:
            raise no_teams(beliefs.system, next(team for team in teams if len(team) > 1))
        rest = iter(ids)
        return beliefs, [[next(rest) for _ in team] for team in teams], time


class InMemory(Asking):
    """A collection of players whose beliefs are all in memory: what `Ladder` and `Rated` share."""

    beliefs: Beliefs
    _ranked: Ranking | None = None
    """From the first question for a place on."""

    def __getstate__(self) -> dict[str, Any]:
        """Without places, which follow contest after contest."""
        return {key: value for key, value in vars(self).items() if key != "_ranked"}

    @property
    def _lock(self) -> AbstractContextManager[Any]:
        return self.beliefs.lock

    @property
    def system(self) -> System:
        """The rating system."""
        return self.beliefs.system

    def __len__(self) -> int:
        with self._lock:
            return len(self.beliefs)

    def __contains__(self, name: object) -> bool:
        with self._lock:
            index = self.beliefs.index
            return isinstance(name, str) and spelled(name, index) in index

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(self.beliefs.names.copy())

    @settled
    def __getitem__(self, name: str) -> Player:
        return self._placed([(None, self._id(name))])[0]

    @settled
    def player(self, name: str, *, at: Time | None = None) -> Player:
        """A player with the place on the leaderboard, as of now or of a date.

        ``ladder[name]`` leaves the place out.
        """
        number = self._id(name)
        return self._placed([(self._ranking(at).place(number), number)], at)[0]

    def _placed(
        self, placed: Sequence[tuple[int | None, int]], at: Time | None = None
    ) -> list[Player]:
        """Players with their places, given by number."""
        ids = np.array([number for _, number in placed], np.int64)
        columns = self.system.besides(self.beliefs, ids, moment_of(self.beliefs, at))
        besides = {name: each.tolist() for name, each in columns.items()}
        return [
            self._player(number, at, place, {name: each[row] for name, each in besides.items()})
            for row, (place, number) in enumerate(placed)
        ]

    def _player(
        self, number: int, at: Time | None, place: int | None, besides: dict[str, Any]
    ) -> Player:
        row, name = self.beliefs.table[number], self.beliefs.names[number]
        mu, sigma, contests = float(row["mu"]), float(row["sigma"]), int(row["contests"])
        if at is not None:
            aged = self.system.aged(self.beliefs, np.array((number,)), moment_of(self.beliefs, at))
            mu, sigma = (float(each[0]) for each in aged)
        rating = float(self.system.rating(mu, sigma, contests))
        dated = contests > 0 and self.beliefs.time is not None
        time = from_microseconds(int(row["last_time"])) if dated else None
        return Player(name, rating, mu, sigma, contests, time, place, **besides)

    def _id(self, name: str) -> int:
        index = self.beliefs.index
        number = index.get(spelled(name, index)) if isinstance(name, str) else None
        if number is None:
            raise unknown_player(name, self.beliefs)
        return number

    def _consult(
        self, names: list[str], at: Time | None, calibrated: bool = False
    ) -> tuple[Beliefs, list[int], int | None]:
        beliefs, ids = with_newcomers(self.beliefs, names)
        moment = moment_of(self.beliefs, at)
        return beliefs.calibrated() if calibrated else beliefs, ids, moment

    def __repr__(self) -> str:
        with self._lock:
            return repr(self.beliefs).replace("Beliefs", type(self).__name__, 1)

    @settled
    def _repr_html_(self) -> str:
        return table(self, self.leaderboard(), digits=self.system.decimals)

    @property
    @settled
    def ratings(self) -> pl.DataFrame:
        """All players, best first: player, rating, mu, sigma, contests, last_time.

        A system that forecasts adds forecast and spread after sigma.
        """
        return ratings_table(self.beliefs)

    @settled
    def leaderboard(self, n: int | None = 10, *, at: Time | None = None) -> pl.DataFrame:
        """The best n players, or all if n is None; equal ratings share a place.

        With a date, as of then: where a system lets uncertainty grow with absence, those who have
        not played fall behind.

        Columns: place, player, rating, mu, sigma, contests and last_time; of a system that
        forecasts also forecast and spread, after sigma.
        """
        if n is None:
            return with_places(self.ratings if at is None else ratings_table(self.beliefs, at))
        best = np.array([player for _, player in self._best(n, at)], np.int64)
        return with_places(ratings_table(self.beliefs, at, best))

    @settled
    def top(self, n: int = 10, *, at: Time | None = None) -> list[Player]:
        """The best n players with their places, in the order of the leaderboard.

        Neither this nor `place` sorts everybody: they are quick for a million players, and stay so
        from contest to contest.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo")
            >>> ladder.record(["ann", ("bob", "cat"), "dan"])
            >>> [(player.place, player.name) for player in ladder.top(3)]
            [(1, 'ann'), (2, 'bob'), (2, 'cat')]
            >>> ladder.place("dan")
            4
        """
        return self._placed(self._best(n, at), at)

    @settled
    def place(self, name: str, *, at: Time | None = None) -> int:
        """The place of a player on the leaderboard; equal ratings share one."""
        return self._ranking(at).place(self._id(name))

    def _best(self, n: int, at: Time | None) -> list[tuple[int, int]]:
        if isinstance(n, bool) or not isinstance(n, int) or n < 0:
            raise InputError(f"a leaderboard of {n!r} players cannot be; give 0 or more, or None.")
        return self._ranking(at).best(n)

    def _ranking(self, at: Time | None) -> Ranking:
        if at is not None:
            return Ranking(self.beliefs, at)
        if self._ranked is None or not self._ranked.is_of(self.beliefs):
            self._ranked = Ranking(self.beliefs)
        return self._ranked


def with_newcomers(beliefs: Beliefs, names: list[str]) -> tuple[Beliefs, list[int]]:
    """Beliefs that know all of these, and their ids; the given ones stay as they are."""
    index = beliefs.index
    names = [spelled(name, index) for name in names]
    ids = [index.get(name, -1) for name in names]
    if -1 not in ids:
        return beliefs, ids
    part = beliefs.part(np.array([each for each in ids if each >= 0], np.int64))
    part.enrol(list(dict.fromkeys(names)))
    return part, [part.index[name] for name in names]


def unknown_player(name: str, beliefs: Beliefs) -> PodiumError:
    """The error for a name that has no rating, with one of about its length that is like it."""
    near = [known for known in beliefs.names if abs(len(known) - len(str(name))) <= 2]
    return NotFoundError(f"there is no player {name!r}{suggestion(name, near)}.")


def no_teams(system: System, team: list[str]) -> PodiumError:
    """The error for a team that is to take a place in a system of players."""
    return InputError(
        f"{system.name} rates players, not teams, so {team!r} cannot take a place; "
        f"write a tie as a tuple, or choose one of {', '.join(systems.with_teams())}."
    )


def as_names(names: list[str], where: str = "", known: Container[str] | None = None) -> list[str]:
    """Names as they are compared; an error if one, `where` they stand, cannot be a player's.

    If it is said who is `known`, the names of others have a limit.
    """
    try:
        text = "".join(names)
    except TypeError:
        other = next(name for name in names if not isinstance(name, str))
        raise InputError(f"a name{where} must be a text, not {other!r}.") from None
    if text.isascii() and text.isprintable():
        if " " in text:
            names = [name.strip() for name in names]
    else:
        names = [normalised(name) for name in names]
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"a name{where} holds half a character, a surrogate.") from None
    if "" in names:
        raise InputError(f"a name{where} is empty.")
    if known is not None and len(text) > LONGEST:
        for name in names:
            if len(name) > LONGEST and name not in known:
                raise InputError(too_long(f"a name{where}", name))
    return names


def refuse_twice(ids: Sequence[object], names: list[str]) -> None:
    """Raise if two of those who are to meet are the same."""
    if len(set(ids)) < len(ids):
        twice = next(name for each, name in zip(ids, names, strict=True) if ids.count(each) > 1)
        raise InputError(f"player {twice!r} cannot take part twice.")


def _side(side: str | None) -> int:
    if not isinstance(side, str | None) or side not in SIDES:
        raise InputError(
            f"side must be home, white, first, away, black or second, or None, not {side!r}."
        )
    return SIDES[side]


def _side_at_home(home: str | None, competitors: Sequence[Competitor]) -> int:
    """What the first of two has, if one of them is at home."""
    if home is None:
        return 0
    named = [normalised(each) if isinstance(each, str) else each for each in competitors]
    at_home = normalised(home) if isinstance(home, str) else home
    if len(named) != 2 or at_home not in named:
        raise InputError(f"home must be one of two players who meet, not {home!r}.")
    return 1 if at_home == named[0] else -1
