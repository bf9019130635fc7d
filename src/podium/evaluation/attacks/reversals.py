"""A search for reversals: histories in which a worse rank ends in a higher rating.

A system is incentive-compatible if there are none (Theorem 5.5 of the Elo-MMR paper). A search
can show that a system is not, and by how much; that it finds nothing proves nothing.

Example:
    >>> from podium.evaluation import attacks
    >>> found = attacks.search("topcoder", histories=300)
    >>> found.gain > 1.0
    True
    >>> attacks.search("elo-mmr", histories=300).gain > 1e-6
    False
"""

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from podium import systems
from podium.arguments import check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.evaluation.attacks.contests import shown_rating
from podium.progress import Progress, reporting
from podium.ratings.asking import unknown_player
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import ready_to_fold
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.results.tables import Parts
from podium.results.times import to_microseconds
from podium.systems.base import System
from podium.wording import suggestion

ROUNDING = 1e-6
"""Differences of ratings below are rounding errors, not gains."""

_OTHERS = ("fixed", "react")
_DAY = 86_400_000_000
_START = to_microseconds("2026-01-01")
_DAYS_BETWEEN = (0, 1, 7, 30, 365)
_PATIENCE = {False: 60, True: 400}
"""After so many steps that led no higher the search starts anew elsewhere; later where it gains."""
_TIES = 0.2
_PRESENT = 0.85
_ATTACKER = 0

Groups = tuple[tuple[int, ...], ...]


class _Contest(NamedTuple):
    """A contest of a history, as the search varies it."""

    days: int
    """Since the one before; of the first it does not matter."""
    others: Groups
    """Who tie with one another, best first."""
    place: int | None
    """Of the attacker: 2 k before the group k, 2 k + 1 tied with it; None in absence."""

    @property
    def last(self) -> int:
        return 2 * len(self.others)


class _History(NamedTuple):
    """Contests, and what the attacker does worse in one of them."""

    contests: tuple[_Contest, ...]
    altered: int
    worse: int
    """The place in that contest, further behind."""

    def attacked(self) -> tuple[_Contest, ...]:
        contest = self.contests[self.altered]._replace(place=self.worse)
        return (*self.contests[: self.altered], contest, *self.contests[self.altered + 1 :])


@dataclass(frozen=True, eq=False)
class Reversal:
    """The largest gain by doing worse that a search has found."""

    system: System
    others: str
    """Whether the others' ratings are those of honest play (fixed) or change as well (react)."""
    gain: float
    """What the worse rank adds to the rating at the end; negative if it always costs."""
    honest_rating: float
    attacked_rating: float
    player: str
    contest: str
    """The contest in which the player does worse."""
    honest: Contests
    attacked: Contests
    """The same with the worse rank."""
    tried: int
    """How many histories were looked at."""
    interrupted: bool

    @property
    def is_reversal(self) -> bool:
        """Whether the gain is more than a rounding error."""
        return self.gain > ROUNDING

    @property
    def table(self) -> pl.DataFrame:
        """One row for each contest: contest, time, honest and attacked standings as texts."""
        return pl.DataFrame(
            {
                "contest": self.honest.ids,
                "time": [contest.time for contest in self.honest],
                "honest": [_in_words(contest.standings) for contest in self.honest],
                "attacked": [_in_words(contest.standings) for contest in self.attacked],
            }
        )

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(
            {
                "system": self.system.name,
                "parameters": self.system.stored_parameters(),
                "others": self.others,
                "histories": self.tried,
                "interrupted": self.interrupted,
                "reversal": self.is_reversal,
                "gain": self.gain,
                "honest_rating": self.honest_rating,
                "attacked_rating": self.attacked_rating,
                "player": self.player,
                "contest": self.contest,
                "honest": _standings(self.honest),
                "attacked": _standings(self.attacked),
            }
        )


def _standings(contests: Contests) -> list[dict[str, Any]]:
    return [
        {
            "contest": contest.id,
            "time": contest.time,
            "standings": [{"rank": rank, "player": name} for rank, name in contest.standings],
        }
        for contest in contests
    ]


def _in_words(standings: Sequence[tuple[int, str]]) -> str:
    """Standings as a text.

    Example:
        >>> _in_words([(1, "ann"), (2, "bob"), (2, "cat")])
        'ann > bob = cat'
    """
    text = standings[0][1]
    for (before, _), (rank, name) in itertools.pairwise(standings):
        text += f" {'=' if rank == before else '>'} {name}"
    return text


def search(
    system: str | System,
    *,
    others: str = "fixed",
    histories: int = 10_000,
    players: int = 8,
    contests: int = 12,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Reversal:
    """The history in which a worse rank in one contest gains most, of those that were tried.

    Small random histories with ties and absences are varied step by step as long as the gain
    grows, then others. The same arguments give the same result. Ctrl-C ends the search with what
    it has found by then.

    Args:
        system: A name, with `parameters` of that system as keyword arguments, or a system.
        others: "fixed": the others' ratings before each contest are those of honest play, and so
            are their rankings, as in Theorem 5.5. "react": their ratings follow from the
            altered results, as in life.
        histories: How many pairs of an honest and an altered history to try.
        players: The most players in a history.
        contests: The most contests in it.
        seed: Which of all such searches.
        progress: True for a bar, or a function that is told the histories tried, and all.
        **parameters: Parameters of the system.
    """
    _check_others(others)
    check_whole(1, histories=histories, contests=contests)
    check_whole(2, players=players)
    check_whole(0, seed=seed)
    chosen = systems.as_system(system, parameters)
    variations = _Variations(random.Random(seed), players, contests, chosen.most_players)
    best, best_gain = variations.new(), -np.inf
    current, current_gain = best, -np.inf
    tried, stale, interrupted = 0, 0, False
    try:
        with reporting(progress, f"Attacking {chosen.name}") as report:
            while tried < histories:
                if stale > _PATIENCE[current_gain > ROUNDING]:
                    current, current_gain, stale = variations.new(), -np.inf, 0
                history = variations.of(current) if current_gain > -np.inf else current
                gain = _gain(chosen, history, others)
                tried += 1
                if gain >= current_gain:
                    stale = stale + 1 if gain == current_gain else 0
                    current, current_gain = history, gain
                else:
                    stale += 1
                if gain > best_gain:
                    best, best_gain = history, gain
                report(tried, histories)
    except KeyboardInterrupt:
        if tried == 0:
            raise
        interrupted = True
    honest, attacked = _contests(best.contests), _contests(best.attacked())
    ends = compare(honest, attacked, str(honest.players[_ATTACKER]), chosen, others=others)
    return Reversal(
        system=chosen,
        others=others,
        gain=ends[1] - ends[0],
        honest_rating=ends[0],
        attacked_rating=ends[1],
        player=str(honest.players[_ATTACKER]),
        contest=str(honest.ids[best.altered]),
        honest=honest,
        attacked=attacked,
        tried=tried,
        interrupted=interrupted,
    )


def compare(
    honest: Contests,
    attacked: Contests,
    player: str,
    system: str | System,
    *,
    others: str = "fixed",
    **parameters: Any,
) -> tuple[float, float]:
    """A player's ratings at the end of honest and of altered results.

    Args:
        honest: The results as they were.
        attacked: The same contests with the same players in each, but other ranks.
        player: Whose ratings to compare.
        system: A name, with `parameters` of that system as keyword arguments, or a system.
        others: As for `search`.
        **parameters: Parameters of the system.
    """
    _check_others(others)
    control, columns = ready_to_fold(honest, system, None, parameters)
    twin, altered = ready_to_fold(attacked, control.system, None, {})
    if not _same_fields(columns, altered) or control.names != twin.names:
        ids = np.array([control.index.get(name, -1) for name in twin.names], np.int32)
        altered = altered._replace(player=ids[altered.player])
        if not _same_fields(columns, altered):
            raise InputError(
                "honest and attacked results must be of the same contests, at the same times, "
                "with the same players in each."
            )
    if not isinstance(player, str) or player not in control.index:
        raise unknown_player(player, control)
    return _ends(control, columns, altered, control.index[player], others)


def _check_others(others: str) -> None:
    if others not in _OTHERS:
        hint = suggestion(others, _OTHERS)
        raise InputError(f"others must be {' or '.join(_OTHERS)}, not {others!r}{hint}.")


def _same_fields(one: Columns, other: Columns) -> bool:
    """Whether the same players meet in all contests, at the same times."""
    if not (np.array_equal(one.offsets, other.offsets) and np.array_equal(one.time, other.time)):
        return False
    contest = np.repeat(np.arange(len(one.time)), np.diff(one.offsets))
    field, other_field = (c.player[np.lexsort((c.player, contest))] for c in (one, other))
    return np.array_equal(field, other_field)


def _ends(
    control: Beliefs, honest: Columns, attacked: Columns, player: int, others: str
) -> tuple[float, float]:
    """The player's ratings at the end; `control` are beliefs before the first contest."""
    system = control.system
    if others == "react":
        twin = control.copy()
        system.update_many(control, honest)
        system.update_many(twin, attacked)
        return shown_rating(control, player), shown_rating(twin, player)
    rows = np.flatnonzero(honest.player == player)
    theirs = np.searchsorted(honest.offsets, rows, side="right") - 1
    done, parted = 0, None
    for contest in theirs.tolist():
        system.update_many(control, honest, first=done, last=contest)
        done = contest
        if parted is None and _same_standings(honest, attacked, contest):
            continue
        # The player goes an own way, but meets the others as they are in honest play.
        twin = control.copy()
        if parted is not None:
            system.carry_over(player, parted, twin)
        system.update_many(twin, attacked, first=contest, last=contest + 1)
        parted = twin
    system.update_many(control, honest, first=done)
    end = shown_rating(control, player)
    return end, end if parted is None else shown_rating(parted, player)


def _same_standings(one: Columns, other: Columns, contest: int) -> bool:
    rows = slice(one.offsets[contest], one.offsets[contest + 1])
    return np.array_equal(one.rank[rows], other.rank[rows]) and np.array_equal(
        one.player[rows], other.player[rows]
    )


def _gain(system: System, history: _History, others: str) -> float:
    beliefs = Beliefs(system)
    present = {p for contest in history.contests for group in contest.others for p in group}
    beliefs.enrol([str(number) for number in range(max(present, default=0) + 1)])
    honest, attacked = _columns(history.contests), _columns(history.attacked())
    control, altered = _ends(beliefs, honest, attacked, _ATTACKER, others)
    return altered - control


@lru_cache(maxsize=100_000)
def _rows(others: Groups, place: int | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Players and ranks of a contest, by rank and then by number.

    Example:
        >>> _rows(((1,), (2, 3)), 3)
        ((1, 0, 2, 3), (1, 2, 2, 2))
        >>> _rows(((1,), (2, 3)), 4)
        ((1, 2, 3, 0), (1, 2, 2, 4))
    """
    groups = list(others)
    if place is not None and place % 2:
        groups[place // 2] = (_ATTACKER, *groups[place // 2])
    elif place is not None:
        groups.insert(place // 2, (_ATTACKER,))
    player: list[int] = []
    rank: list[int] = []
    for group in groups:
        rank += [len(player) + 1] * len(group)
        player += group
    return tuple(player), tuple(rank)


def _columns(contests: Sequence[_Contest]) -> Columns:
    rows = [_rows(contest.others, contest.place) for contest in contests]
    days = np.cumsum([contest.days for contest in contests])
    return Columns(
        offsets=np.cumsum([0, *(len(player) for player, _ in rows)]),
        player=np.array([p for player, _ in rows for p in player], np.int32),
        rank=np.array([r for _, rank in rows for r in rank], np.int32),
        time=_START + (days - days[0]) * _DAY,
        weight=np.ones(len(rows)),
        perf_ceiling=np.full(len(rows), np.inf),
    )


def _contests(contests: Sequence[_Contest]) -> Contests:
    """The same with names."""
    columns = _columns(contests)
    names = ["attacker", *_numbered("other", int(columns.player.max()))]
    ids = _numbered("contest", len(contests))
    series = pl.Series("player", names), pl.Series("contest", ids)
    return Contests(Parts(columns, *series, None, None))


def _numbered(what: str, count: int) -> list[str]:
    """Names that sort by their number."""
    return [f"{what}-{number:0{len(str(count))}}" for number in range(1, count + 1)]


class _Variations:
    """Random histories, and others near them."""

    def __init__(
        self, chance: random.Random, players: int, contests: int, most_players: int | None
    ) -> None:
        self.chance = chance
        self.players = players
        self.contests = contests
        self.most_others = players - 1 if most_players is None else most_players - 1

    def new(self) -> _History:
        """A random history."""
        players = self.chance.randint(2, self.players)
        length = self.chance.randint(min(2, self.contests), self.contests)
        return self._alter([self._contest(players) for _ in range(length)])

    def of(self, history: _History) -> _History:
        """One that differs by a step, or a few."""
        varied = history
        for _ in range(self.chance.choice((1, 1, 2, 3))):
            varied = self._step(varied)
        return varied

    def _step(self, history: _History) -> _History:
        while True:
            contests, altered, worse = list(history.contests), history.altered, history.worse
            at = self.chance.randrange(len(contests))
            kind = self.chance.randrange(7)
            if kind == 0:
                return self._alter(contests)
            if kind == 1:
                worse = self.chance.randint(1, contests[altered].last)
            elif kind == 2:
                contests[at] = self._moved(contests[at])
            elif kind == 3:
                contests[at] = self._reordered(contests[at])
            elif kind == 4:
                contests[at] = contests[at]._replace(days=self.chance.choice(_DAYS_BETWEEN))
            elif kind == 5 and len(contests) < self.contests:
                contests.insert(at, self.chance.choice(contests))
                altered += altered >= at
            elif kind == 6 and at != altered:
                del contests[at]
                altered -= altered > at
            own = contests[altered].place
            if own is not None and own < worse <= contests[altered].last:
                return _History(tuple(contests), altered, worse)

    def _alter(self, contests: list[_Contest]) -> _History:
        """A worse place in one of the contests, in which the attacker takes part."""
        altered = self.chance.randrange(len(contests))
        contest = contests[altered]
        if contest.place is None or contest.place == contest.last:
            contest = contest._replace(place=self.chance.randrange(contest.last))
            contests[altered] = contest
        assert contest.place is not None
        worse = self.chance.randint(contest.place + 1, contest.last)
        return _History(tuple(contests), altered, worse)

    def _contest(self, players: int) -> _Contest:
        others = self._groups(list(range(1, players)))
        place = None
        if self.chance.random() < _PRESENT:
            place = self.chance.randint(0, 2 * len(others))
        return _Contest(self.chance.choice(_DAYS_BETWEEN), others, place)

    def _groups(self, players: list[int]) -> Groups:
        """Some of the players, at least one, in random order with ties."""
        most = min(self.most_others, len(players))
        count = most if self.chance.random() < _PRESENT else self.chance.randint(1, most)
        groups: list[tuple[int, ...]] = []
        for player in self.chance.sample(players, count):
            if groups and self.chance.random() < _TIES:
                groups[-1] = tuple(sorted((*groups[-1], player)))
            else:
                groups.append((player,))
        return tuple(groups)

    def _moved(self, contest: _Contest) -> _Contest:
        """The attacker at another place, often a neighbouring one."""
        if contest.place is None or self.chance.random() < 0.5:
            return contest._replace(place=self.chance.randint(0, contest.last))
        step = self.chance.choice((-1, 1))
        return contest._replace(place=min(max(contest.place + step, 0), contest.last))

    def _reordered(self, contest: _Contest) -> _Contest:
        """The others anew; the attacker as far behind as before."""
        others = self._groups(sorted(p for group in contest.others for p in group))
        place = contest.place
        return contest._replace(
            others=others, place=None if place is None else min(place, 2 * len(others))
        )
