"""The same fold for one contest at a time, by name."""

import math
import numbers
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from podium import systems
from podium.errors import InputError
from podium.ratings import before
from podium.ratings.adjustments import ALWAYS, Adjustment, in_memory
from podium.ratings.asking import Competitor, InMemory, as_names, no_teams
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Calibration
from podium.ratings.fold import no_scores, too_many_players
from podium.results.columns import Columns
from podium.results.tables import SHARES, WEIGHTS
from podium.results.times import Time, from_microseconds, refuse_future, to_microseconds
from podium.systems.base import System
from podium.texts import also_written, normalised

Standings = Sequence[Competitor | tuple[Competitor, ...]]
"""Best first; a tuple is a tie."""


class Ladder(InMemory):
    """Ratings that are updated contest by contest, in memory.

    Any number of threads may record, ask, predict, copy and save at the same time: what each does
    takes effect as a whole, one after the other. To ask several questions of one state, or to work
    on `beliefs` directly, hold their lock: ``with ladder.beliefs.lock: …``.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo-mmr")
        >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
        >>> ladder["ann"].contests
        1
        >>> ladder.win_probability("ann", "dan") > 0.5
        True
    """

    def __init__(
        self, system: str | System = "elo-mmr", *, calibrated: bool = False, **parameters: Any
    ) -> None:
        """A ladder without players.

        With ``calibrated=True`` it learns from what is recorded how sure predictions should be, so
        that they can be asked for with ``calibrated=True`` too.
        """
        if not isinstance(system, System):
            system = systems.build(system, **parameters)
        elif parameters:
            raise InputError("the system is given as an object, so its parameters are set already.")
        self.beliefs = Beliefs(system)
        self.beliefs.calibration = Calibration() if calibrated else None

    @classmethod
    def from_beliefs(cls, beliefs: Beliefs, *, copy: bool = True) -> Self:
        """A ladder that goes on from the beliefs of a run of `podium.rate`, or predicts from them.

        The beliefs are copied, and so are not changed by what the ladder records. With
        ``copy=False`` they are, which saves memory where nobody else needs them.
        """
        ladder = cls.__new__(cls)
        ladder.beliefs = beliefs.copy() if copy else beliefs
        return ladder

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
        future: bool = False,
    ) -> None:
        """Rate one contest.

        Args:
            standings: The players, best first; a tuple is a tie: ``["ann", ("bob", "cat")]``, and
                a list is a team: ``[["ann", "bob"], ["cat", "dan"]]``.
            time: When it took place; by default, at the time of the last contest. Until a first
                time is given no time passes: what came before it counts as of then.
            weight: How much it counts.
            perf_ceiling: The highest performance that it can show.
            shares: Who took part in only a part of it: ``{"bob": 0.5}``; for systems of teams.
            margin: By how much it was won, e.g. in goals; for systems that know margins.
            home: Of two players, the one who had the advantage of the side (home, white); for
                systems that know sides.
            score: Of two players, the score of the first in the standings, from 0 to 1, 0.5 being
                a draw; for systems that take scores.
            future: Believe a time that is more than two years ahead of the clock.
        """
        beliefs = self.beliefs
        with beliefs.lock:
            moment, known = self._moment(time, future), len(beliefs.names)
            try:
                names, contest = one_contest(
                    standings,
                    self.system,
                    moment or 0,
                    beliefs.enrol,
                    known=self,
                    weight=weight,
                    perf_ceiling=perf_ceiling,
                    shares=shares,
                    margin=margin,
                    home=home,
                    score=score,
                )
                beliefs.adopt()
                beliefs.begin(moment)
                if beliefs.calibration is None:
                    self.system.update(beliefs, contest)
                else:
                    before.fold(beliefs, contest, before.places_of(names))
            except BaseException:
                beliefs.withdraw(known)
                beliefs.begin(0)  # no time has begun yet, if none had before
                raise
            beliefs.rounds += 1
            beliefs.time = moment
            if self._ranked is not None:
                self._ranked.follow(beliefs, contest.player)

    def adjust(self, *adjustments: Adjustment) -> None:
        """Let a season begin, with its reset if it has one, or give players a rating, from now on.

        Contests that follow are not earlier; see `podium.Season` and `podium.Starts`. A ladder
        keeps what comes of them, not the seasons themselves.

        Example:
            >>> import podium
            >>> ladder = podium.Ladder("elo")
            >>> ladder.adjust(podium.Starts({"ann": 1900, "bob": 1400}))
            >>> ladder.record(["bob", "ann"], time="2025-12-30")
            >>> ladder.adjust(podium.Season("2026", "2026-01-01", pull=1.0, toward=1500))
            >>> ladder["ann"].rating, ladder["bob"].contests
            (1500.0, 1)
        """
        beliefs = self.beliefs
        with beliefs.lock:
            found, new = in_memory(adjustments, beliefs)
            beliefs.adopt()
            known = len(beliefs)
            if new:
                beliefs.enrol(new)
            everybody = np.arange(len(beliefs))
            found.bring(beliefs, everybody, everybody, known=everybody < known, since=ALWAYS - 1)
            beliefs.pass_on(found.last)
            self._ranked = None

    def _moment(self, time: Time | None, future: bool) -> int | None:
        last = self.beliefs.time
        if time is None:
            return last
        moment = to_microseconds(time)
        if last is not None and moment < last:
            raise InputError(
                f"a contest at {from_microseconds(moment)} cannot follow one at "
                f"{from_microseconds(last)}; record contests in the order of their times."
            )
        if not future and moment != last:
            refuse_future(moment, "the contest")
        return moment

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the beliefs to one file, exactly."""
        self.beliefs.copy().save(path)  # the ladder goes on while the file is written

    @classmethod
    def load(cls, path: str | os.PathLike[str], system: System | None = None) -> Self:
        """A ladder that goes on from saved beliefs, of a ladder or of a run of `podium.rate`."""
        ladder = cls.__new__(cls)
        ladder.beliefs = Beliefs.load(path, system)
        return ladder


def one_contest(
    standings: Standings,
    system: System,
    moment: int,
    number: Callable[[list[str]], NDArray[np.int32]],
    *,
    known: Container[str] | None = None,
    weight: float = 1.0,
    perf_ceiling: float | None = None,
    shares: Mapping[str, float] | None = None,
    margin: float | None = None,
    home: str | None = None,
    score: float | None = None,
) -> tuple[list[str], Columns]:
    """Who took part, and the contest with the numbers that they get; as for `Ladder.record`.

    If it is said who is `known`, the names of others have a limit.
    """
    found = one_entry(
        standings,
        system,
        known=known,
        weight=weight,
        perf_ceiling=perf_ceiling,
        shares=shares,
        margin=margin,
        home=home,
        score=score,
    )
    return found.names, Columns(
        offsets=np.array((0, len(found.names))),
        player=number(found.names),
        rank=np.array(found.ranks, np.int32),
        time=np.array((moment,)),
        weight=np.array((found.weight,)),
        perf_ceiling=np.array((found.perf_ceiling,)),
        team=None if found.team is None else np.array(found.team, np.int32),
        side=None if found.side is None else np.array(found.side, np.int8),
        share=None if found.share is None else np.array(found.share),
        margin=None if found.margin is None else np.array((found.margin,)),
        score=None if found.score is None else np.array((found.score,)),
    )


class Entry(NamedTuple):
    """One contest, in its order, without arrays; what nobody said of it is None."""

    names: list[str]
    """By rank and then by name."""
    ranks: list[int]
    team: list[int] | None
    side: list[int] | None
    share: list[float] | None
    weight: float
    perf_ceiling: float
    margin: float | None
    score: float | None


def one_entry(
    standings: Standings,
    system: System,
    *,
    known: Container[str] | None = None,
    weight: float = 1.0,
    perf_ceiling: float | None = None,
    shares: Mapping[str, float] | None = None,
    margin: float | None = None,
    home: str | None = None,
    score: float | None = None,
) -> Entry:
    """A contest that can be rated, or an error; as for `Ladder.record`.

    If it is said who is `known`, the names of others have a limit.
    """
    names, ranks, team = _flattened(standings, system, known)
    refuse_what_system_does_not_take(names, team, None, system)
    if score is not None:
        _refuse_score(score, ranks, system)
        names, ranks, team, score = _by_score(float(score), names, team)
    if not _is_finite(weight) or not WEIGHTS[0] <= weight <= WEIGHTS[1]:
        raise InputError(f"weight must be a number from 0.0001 to 10,000, not {weight!r}.")
    if perf_ceiling is not None and not _is_finite(perf_ceiling):
        raise InputError(f"perf_ceiling must be a finite number, not {perf_ceiling!r}.")
    if margin is not None and (not _is_finite(margin) or margin < 0.0):
        raise InputError(f"margin must be a number of at least 0, not {margin!r}.")
    return Entry(
        names,
        ranks,
        team,
        None if home is None else _sides(home, names),
        None if shares is None else _all_shares(shares, names),
        float(weight),
        math.inf if perf_ceiling is None else float(perf_ceiling),
        None if margin is None else float(margin),
        score,
    )


def refuse_what_system_does_not_take(
    names: list[str], team: list[int] | None, score: float | None, system: System
) -> None:
    """Raise if a contest is too large for a system, or of teams or with a score that it has not."""
    most = system.most_players
    if most is not None and len(names) > most:
        raise too_many_players("the contest", len(names), system)
    if team is not None and not system.takes_teams:
        raise no_teams(
            system, [name for name, each in zip(names, team, strict=True) if each == team[0]]
        )
    if score is not None and not system.takes_scores:
        raise no_scores(f"a score of {score!r} is given", system)


def _is_finite(number: object) -> bool:
    try:
        return isinstance(number, numbers.Real) and math.isfinite(number)
    except OverflowError:
        return False


def _all_shares(shares: Mapping[str, float], names: list[str]) -> list[float]:
    """Every player's share, 1 where nothing is said."""
    if not isinstance(shares, Mapping):
        raise InputError(f"shares must be a mapping such as {{'ann': 0.5}}, not {shares!r}.")
    for name, share in shares.items():
        if not isinstance(name, str) or normalised(name) not in names:
            raise InputError(f"there is a share of {name!r}, who is not in the standings.")
        if not _is_finite(share) or not SHARES[0] <= share <= SHARES[1]:
            raise InputError(
                f"the share of {name!r} must be a number from 0.0001 to 1, not {share!r}."
            )
    share_of = {normalised(name): share for name, share in shares.items()}
    return [float(share_of.get(name, 1.0)) for name in names]


def _sides(home: str, names: list[str]) -> list[int]:
    """1 for the one who is at home and -1 for the other."""
    at_home = normalised(home) if isinstance(home, str) else home
    if len(names) != 2 or at_home not in names:
        raise InputError(f"home must be one of two players in the standings, not {home!r}.")
    return [1 if name == at_home else -1 for name in names]


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
    standings: Standings, system: System, known: Container[str] | None
) -> tuple[list[str], list[int], list[int] | None]:
    """Names by rank and then by name, as ratings are computed; their ranks, and teams if any."""
    unordered = isinstance(standings, str | Set | Mapping)
    if unordered or not isinstance(standings, Iterable):
        raise InputError(f"the standings must be a list of names, best first, not {standings!r}.")
    given: list[str] = []
    ranks: list[int] = []
    team: list[int] = []
    teams = 0
    for entry in standings:
        rank = len(given) + 1
        if isinstance(entry, str):
            given.append(entry)
            ranks.append(rank)
            team.append(-1)
            continue
        for competitor in entry if isinstance(entry, tuple) else (entry,):
            own = -1
            members = [competitor] if isinstance(competitor, str) else competitor
            if isinstance(competitor, list):
                if not system.takes_teams:
                    raise no_teams(system, competitor)
                if not competitor:
                    raise InputError("a team in the standings is empty.")
                own, teams = teams, teams + 1
            if not isinstance(members, list) or not all(isinstance(name, str) for name in members):
                raise InputError(
                    f"{competitor!r} in the standings is not a name, a list of names (a team) "
                    f"or a tuple of them (a tie)."
                )
            given += members
            ranks += [rank] * len(members)
            team += [own] * len(members)
    if not given:
        raise InputError("the standings are empty; a contest needs at least one player.")
    names = as_names(given, " in the standings", known)
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(
            f"player {twice!r} stands twice in the standings{also_written(twice, given)}."
        )
    if len(set(ranks)) < len(ranks):
        order = sorted(range(len(names)), key=lambda row: (ranks[row], names[row]))
        names, team = [names[row] for row in order], [team[row] for row in order]
    return names, ranks, team if teams else None
