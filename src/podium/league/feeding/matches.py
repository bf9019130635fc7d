"""Matches that wait to be rated: as they came, as an inbox keeps them, and as a league does."""

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, cast

import numpy as np

from podium.errors import InputError, StorageError
from podium.league.changes import as_name, called_after_members
from podium.league.database import check_text
from podium.league.standings import Order, StoredContests, order_of
from podium.ratings.ladder import Entry, Standings, one_entry
from podium.results.columns import Columns
from podium.results.times import Time, from_microseconds, refuse_future, to_microseconds
from podium.systems.base import System

_EVERYBODY = frozenset[str]()


class _Anything:
    """What takes whatever any system takes."""

    takes_teams = takes_scores = True
    most_players = None


ANY = cast(System, _Anything())
"""A system for matches of which it is seen later whether that of the league takes them."""


@dataclass(slots=True)
class Match:
    """One match, or a contest of any size."""

    entry: Entry
    id: str | None
    """By what it is known; None until it has got one."""
    time: int | None
    """When it took place; None until the clock has said so."""
    timed: bool
    """Whether somebody said when."""

    @property
    def order(self) -> Order:
        """When it takes its turn, once it has a time and an identifier."""
        assert self.time is not None
        assert self.id is not None
        return order_of(self.time, self.id)

    def text(self) -> str:
        """As an inbox keeps it: the same match is the same text."""
        said: dict[str, Any] = {
            name: value for name, value in self.entry._asdict().items() if value is not None
        }
        if self.entry.perf_ceiling == np.inf:
            del said["perf_ceiling"]
        return json.dumps(said, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of_text(cls, text: str, id: str, time: int | None, *, timed: bool) -> "Match":
        """What `text` said."""
        try:
            said = {"perf_ceiling": np.inf, **json.loads(text)}
            entry = Entry._make(said.get(name) for name in Entry._fields)
        except (TypeError, ValueError):
            raise StorageError("the database is damaged: a match in the inbox is none.") from None
        return cls(entry, id, time, timed)

    def under_names(self, names: Mapping[str, str]) -> "Match":
        """The same with other names for some, who may stand elsewhere among those who tie."""
        e = self.entry
        called = [names.get(each, each) for each in e.names]
        if len(set(called)) < len(called):
            first = next(each for each in called if called.count(each) > 1)
            both = [old for old, new in zip(e.names, called, strict=True) if new == first]
            raise InputError(
                f"match {self.id!r}: {both[0]!r} and {both[1]!r} are one player in this league, "
                f"who cannot take part twice."
            )
        order = sorted(range(len(called)), key=lambda row: (e.ranks[row], called[row]))

        def arranged(column: list[Any] | None) -> list[Any] | None:
            return None if column is None else [column[row] for row in order]

        entry = e._replace(
            names=[called[row] for row in order],
            team=arranged(e.team),
            side=arranged(e.side),
            share=arranged(e.share),
        )
        return Match(entry, self.id, self.time, self.timed)


def match_of(
    standings: Standings,
    system: System,
    *,
    id: str | None,
    time: Time | None,
    future: bool,
    **about: Any,
) -> Match:
    """A match as `podium.Ladder.record` takes it; what cannot be rated is an error."""
    entry = one_entry(standings, system, known=_EVERYBODY, **about)
    for name in entry.names:
        check_text("a name in the standings", name)
    moment = None
    if time is not None:
        moment = to_microseconds(time)
        if not future:
            refuse_future(moment, "the match")
    called = None if id is None else as_name(id)
    return Match(entry, called, moment, time is not None)


def is_same(match: Match, kept: Match, names: Mapping[str, str]) -> bool:
    """Whether a match is one that waits, where the league calls some players by other names."""
    if match.timed and match.time != kept.time:
        return False
    if match.entry == kept.entry:
        return True
    try:
        return _by_rank(match.under_names(names)) == _by_rank(kept.under_names(names))
    except InputError:
        return False


def _by_rank(match: Match) -> Entry:
    """What a match says, with teams by the numbers in which they come."""
    team = match.entry.team
    return match.entry._replace(team=None if team is None else as_they_come(team))


def as_they_come(team: Sequence[int]) -> list[int]:
    """The same teams, by the numbers in which they come; who is in none has the number -1.

    Example:
        >>> as_they_come([3, 3, -1, 0])
        [0, 0, -1, 1]
    """
    numbers: dict[int, int] = {}
    return [numbers.setdefault(each, len(numbers)) if each >= 0 else -1 for each in team]


def stamp(moment: int) -> str:
    """An identifier for a match of that moment, of which there is one.

    Example:
        >>> stamp(1_777_593_600_000_001)
        '20260501T000000.000001Z'
    """
    said: datetime.datetime = from_microseconds(moment)
    return said.strftime("%Y%m%dT%H%M%S.%fZ")


def as_contests(
    matches: Sequence[Match], numbers: Mapping[str, int], first: int, guests: set[int]
) -> StoredContests:
    """Matches in their order as a league keeps contests, of the numbers from `first` on."""
    entries = [each.entry for each in matches]
    sizes = [len(each.names) for each in entries]
    rows = sum(sizes)
    player = [numbers[name] for each in entries for name in each.names]
    team, teams = np.full(rows, -1, np.int32), list[str]()
    side, share = np.zeros(rows, np.int8), np.ones(rows)
    offsets = np.fromiter(accumulate(sizes, initial=0), np.int64, len(sizes) + 1)
    for entry, start in zip(entries, offsets.tolist(), strict=False):
        here = slice(start, start + len(entry.names))
        if entry.team is not None:
            named = called_after_members(entry.names, entry.team)
            number = np.array([*range(len(teams), len(teams) + len(named)), -1], np.int32)
            team[here] = number[entry.team]
            teams += named
        if entry.side is not None:
            side[here] = entry.side
        if entry.share is not None:
            share[here] = entry.share
    eligible = np.ones(rows, np.bool_)
    if guests:
        eligible = np.array([each not in guests for each in player], np.bool_)
    count = len(entries)
    columns = Columns(
        offsets=offsets,
        player=np.array(player, np.int32),
        rank=np.fromiter(chain.from_iterable(each.ranks for each in entries), np.int32, rows),
        time=np.array([each.time for each in matches], np.int64),
        weight=np.array([each.weight for each in entries]),
        perf_ceiling=np.array([each.perf_ceiling for each in entries]),
        team=team,
        side=side,
        share=share,
        margin=np.array([each.margin for each in entries], np.float64),
        score=np.array([each.score for each in entries], np.float64),
    )
    nothing = np.full(count, np.nan)
    return StoredContests(
        columns=columns,
        number=np.arange(first, first + count),
        contest=[str(each.id) for each in matches],
        name=[None] * count,
        rated=np.ones(count, np.bool_),
        eligible=eligible,
        floor=nothing,
        ceiling=nothing,
        teams=teams,
    )
