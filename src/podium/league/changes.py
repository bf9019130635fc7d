"""The changes that can be made to a league, and what each of them did or would do."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, insert, select, update

from podium import forks, systems
from podium.errors import (
    ConflictError,
    DifferenceError,
    InputError,
    NotFoundError,
    RemovalError,
)
from podium.league import (
    edits,
    hiding,
    logs,
    people,
    players,
    queries,
    readjusting,
    revisions,
    schema,
    standings,
)
from podium.league.checkpoints import distinct
from podium.league.database import Meter, check_text, fetch, last, now, suggested, within
from podium.league.edits import (
    BEGINNING,
    NO_MOVES,
    Changing,
    Edit,
    moves_document,
    moves_table,
)
from podium.league.entries import Entries
from podium.league.revisions import Revision
from podium.league.rules import Rules, check_rules, is_number
from podium.league.standings import StoredContests
from podium.markup import table
from podium.progress import Report, part_of
from podium.ratings import arithmetic, ladder
from podium.ratings.fold import ready_to_fold, refuse_what_is_not_contests
from podium.ratings.ladder import Standings
from podium.results.contests import Contests
from podium.results.near import NEAR
from podium.results.near import near as near_names
from podium.results.scanning import Scan
from podium.results.tables import WEIGHTS, Parts, natural
from podium.results.times import Time, from_microseconds, refuse_future, to_microseconds
from podium.systems.base import System
from podium.texts import LONGEST, normalised, too_long
from podium.wording import counted, listed, suggestion

_NOBODY_NEAR = pl.DataFrame(schema=NEAR)


@dataclass(frozen=True, repr=False)
class Change:
    """What a change did, or would do if it was only tried."""

    what: str
    """In a sentence."""
    applied: bool
    recorded: list[str] = field(default_factory=list)
    """Contests that are new."""
    known: list[str] = field(default_factory=list)
    """Contests that were there already, with the same results."""
    replayed: int = 0
    """How many contests were rated, those that changed and those that were rated again."""
    removed: list[str] = field(default_factory=list)
    """Players whose results a contest no longer has."""
    moves: pl.DataFrame = field(default_factory=lambda: NO_MOVES)
    """Whose rating changes: player, before, after and change, the largest first.

    `before` is null for newcomers, and `after` for those who have no rated contest left.
    """
    newcomers: list[str] = field(default_factory=list)
    """Players whom the league did not know."""
    near: pl.DataFrame = field(default_factory=lambda: _NOBODY_NEAR)
    """Newcomers, `name`, who are almost called as somebody known, `like`; if that was asked."""

    def document(self, top: int | None = None) -> dict[str, Any]:
        """As JSON says it, with the largest `top` moves; see docs/documents.md."""
        return {
            "what": self.what,
            "applied": self.applied,
            "recorded": self.recorded,
            "known": self.known,
            "replayed": self.replayed,
            "removed": self.removed,
            "newcomers": self.newcomers,
            "near": self.near.to_dicts(),
            **moves_document(self.moves, top),
        }

    def __repr__(self) -> str:
        moved, rated = counted(self.moves.height, "player"), counted(self.replayed, "contest")
        tried = "" if self.applied else ", not applied"
        return f"<Change{tried}: {self.what}; {moved} moved, {rated} rated>"

    def _repr_html_(self) -> str:
        return table(self, self.moves)


_NOTICED = 1e-6
_DAY = 86_400_000_000
_MANY = 100_000
"""Numbers behind a date that are tried."""
_LOSS = 0.1
"""The part of a contest's results that an amendment may remove without being told so."""
_NEAR_NAMED = 4
"""Of newcomers who are almost known, so many are named in a sentence."""
_TIMES_COUNTED = 3
"""How often a row is counted on the way: when it is kept, rated, and its events are kept."""
_NAMED_IN_LOG = 1000
"""Of contests recorded together, so many are named in the log."""


def one_contest(
    change: Changing,
    standings: Standings,
    *,
    id: str | None,
    time: Time | None,
    future: bool,
    **about: Any,
) -> Contests:
    """Standings as `podium.Ladder.record` takes them, as contests."""
    last_time = int(last(change.connection, schema.contests.c.time))
    moment = last_time if time is None else to_microseconds(time)
    if time is not None and not future:
        refuse_future(moment, "the contest")
    system = change.revision.system
    names, columns = ladder.one_contest(standings, system, moment, _in_order, **about)
    called = _new_identifier(change.connection, moment) if id is None else as_name(id)
    teams = None
    if columns.team is not None:
        called_so = called_after_members(names, columns.team.tolist())
        teams = pl.Series(sorted(called_so), dtype=pl.String)
        number = np.array([*map(teams.to_list().index, called_so), -1], np.int32)
        columns = columns._replace(team=number[columns.team])
    players, ids = pl.Series(sorted(names), dtype=pl.String), pl.Series([called], dtype=pl.String)
    place = {name: np.int32(number) for number, name in enumerate(players)}
    columns = columns._replace(player=np.array([place[name] for name in names]))
    return Contests(Parts(columns, players, ids, teams, None))


def called_after_members(names: Sequence[str], team: Sequence[int]) -> list[str]:
    """What the teams of a contest are called, by number; who is in none has the number -1.

    Example:
        >>> called_after_members(["ann", "bob", "cat", "dan"], [0, 0, 1, -1])
        ['ann, bob', 'cat']
        >>> called_after_members(["a", "b", "a, b"], [0, 0, 1])
        ['team 1', 'team 2']
    """
    members: list[list[str]] = [[] for _ in range(max(team) + 1)]
    for name, number in zip(names, team, strict=True):
        if number >= 0:
            members[number].append(name)
    called = [", ".join(each) for each in members]
    if len(set(called)) < len(called):
        return [f"team {number + 1}" for number in range(len(members))]
    return called


def _in_order(names: list[str]) -> NDArray[np.int32]:
    return np.arange(len(names), dtype=np.int32)


def _new_identifier(connection: Connection, moment: int) -> str:
    """The date and a number, or whatever comes after all contests of that moment."""
    c, day = schema.contests, from_microseconds(moment).date()
    at_once = fetch(connection, select(c.c.contest).where(c.c.time == moment))[0]
    latest = max(at_once, key=natural, default="")
    first = to_microseconds(day)
    that_day = c.c.time.between(first, first + _DAY - 1)
    number = connection.execute(select(func.count()).where(that_day)).scalar_one()
    stem = str(day) if natural(latest) < natural(f"{day}-{_MANY}") else latest
    while True:
        number += 1
        called = f"{stem}-{number}"
        if natural(called) > natural(latest):
            named = select(c.c.id).where(c.c.contest == called)
            if connection.execute(named).scalar() is None:
                return called


def record(
    change: Changing,
    results: Contests | Scan,
    *,
    rated: bool,
    floor: float | None,
    ceiling: float | None,
    leave_known: bool,
    near: bool,
    strict: bool,
    guests: Sequence[str] = (),
) -> Change:
    """Add contests; those that are there with the same results change nothing.

    What a scan holds is added piece by piece; later pieces read what earlier ones wrote.
    """
    floor, ceiling = _limit("floor", floor), _limit("ceiling", ceiling)
    if floor is not None and ceiling is not None and floor >= ceiling:
        raise InputError(f"the floor must be below the ceiling, not {floor:g} to {ceiling:g}.")
    limited = floor is not None or ceiling is not None
    _check_rated(rated)
    connection, alike = change.connection, pl.DataFrame(schema=NEAR)
    names = players.every_name(connection) if near or strict else None
    number, ladders, rows = int(last(connection, schema.contests.c.id)), set[str](), 0
    invited = _Invited(guests)
    recorded, known, newcomers, moved = list[str](), list[str](), list[str](), NO_MOVES
    for piece in results if isinstance(results, Scan) else (results,):
        contests = one_ladder(piece, ladders)
        ready_to_fold(contests, change.revision.system, None, {})
        entrants = players.entrants(connection, contests)
        added = StoredContests.of(
            entrants.contests,
            entrants.number,
            np.arange(len(contests)) + 1 + number,
            rated=bool(rated),
            floor=floor,
            ceiling=ceiling,
        )
        number += len(added)
        unrated = invited.among(connection, added, entrants) | change.are_guests(
            added.columns.player
        )
        added = dataclasses.replace(added, eligible=~unrated)
        new, there = _unknown(connection, added, rated, leave_known)
        known += there
        if not len(new):
            continue
        recorded += new.contest
        newcomers += entrants.newcomers.values()
        rows += len(new.columns.player)
        if isinstance(results, Scan):
            change.meter.expect_in_all(_TIMES_COUNTED * results.rows)
        elif names is not None:  # before all work; of a scan, names are known at its end
            alike = _near(names, newcomers, strict=strict)
        if limited:
            moves = _one_by_one(change, new, entrants.newcomers)
        else:
            moves = change.make(Edit(put=new, newcomers=entrants.newcomers))
        moved = _one_after_the_other([moved, moves]) if moved.height else moves
    invited.refuse_who_did_not_come()
    if not recorded:
        return _nothing_new(known)
    if isinstance(results, Scan) and names is not None:
        alike = _near(names, newcomers, strict=strict)
    details: dict[str, Any] = {"contests": len(recorded), "rows": rows, "rated": bool(rated)}
    if limited:
        details |= {"floor": floor, "ceiling": ceiling}
    if guests:
        details |= {"guests": sorted(invited.seen)}
    details |= named_in_log(recorded)
    single = recorded[0] if len(recorded) == 1 else None
    after = {"recorded": recorded, "newcomers": sorted(newcomers)}
    change.note("record", contest=single, details=details, moves=moved, after=after)
    what = f"recorded {counted(len(recorded), 'contest')}"
    if known:
        what += f"; {len(known):,} more {'was' if len(known) == 1 else 'were'} known already"
    return Change(
        what,
        True,
        recorded,
        known,
        change.replayed,
        moves=moved,
        newcomers=sorted(newcomers),
        near=alike,
    )


class _Invited:
    """Who is a guest in what is recorded, by the names that were given."""

    def __init__(self, names: Sequence[str]) -> None:
        if isinstance(names, str) or not all(isinstance(each, str) for each in names):
            raise InputError(f"guests must be names of players, not {names!r}.")
        self._names = list(dict.fromkeys(names))
        self.seen: set[str] = set()

    def among(
        self, connection: Connection, contests: StoredContests, entrants: players.Entrants
    ) -> NDArray[np.bool_]:
        """Which rows of contests are theirs."""
        if not self._names:
            return np.zeros(len(contests.columns.player), np.bool_)
        new = {name: number for number, name in entrants.newcomers.items()}
        known = {**players.known(connection, self._names), **new}
        meant = {name: known.get(name, known.get(normalised(name), -1)) for name in self._names}
        there = set(contests.columns.player.tolist())
        self.seen.update(name for name, number in meant.items() if number in there)
        return np.isin(contests.columns.player, list(meant.values()))

    def refuse_who_did_not_come(self) -> None:
        """Raise if somebody who was named has no result."""
        for name in self._names:
            if name not in self.seen:
                raise NotFoundError(
                    f"{name!r} is to be a guest, but has no result among those to record."
                )


def named_in_log(contests: list[str]) -> dict[str, Any]:
    """How many contests there are, and which unless they are too many, for the log."""
    said: dict[str, Any] = {"contests": len(contests)}
    return {**said, "identifiers": contests} if len(contests) <= _NAMED_IN_LOG else said


def _nothing_new(known: list[str]) -> Change:
    """What recording did if all contests are known."""
    if not known:
        return Change("there is no contest to record", False)
    which = f"contest {known[0]!r} is" if len(known) == 1 else f"all {len(known):,} contests are"
    return Change(f"{which} known already", False, known=known)


def _near(names: pl.Series, newcomers: list[str], *, strict: bool) -> pl.DataFrame:
    """Newcomers who are almost called as somebody of these names; raise if they must not be."""
    found = near_names(pl.Series(newcomers, dtype=pl.String), names)
    if strict and found.height:
        near = did_you_mean(found)
        which = ", ".join(near[:_NEAR_NAMED]) + (", …" if len(near) > _NEAR_NAMED else "")
        raise ConflictError(
            f"{counted(len(near), 'newcomer')} almost called as somebody known: {which}; nothing "
            f"was recorded, which without strict=True or --strict it would be."
        )
    return found


def near_newcomers(connection: Connection, newcomers: list[str], wanted: bool) -> pl.DataFrame:
    """Newcomers, who are not kept yet, almost called as somebody known; nobody if not `wanted`."""
    if not wanted or not newcomers:
        return _NOBODY_NEAR
    return _near(players.every_name(connection), newcomers, strict=False)


def did_you_mean(near: pl.DataFrame) -> list[str]:
    """A question about each name that is almost another.

    Example:
        >>> did_you_mean(pl.DataFrame({"name": ["Ann", "Ann"], "like": ["ann", "änn"]}))
        ["'Ann' (did you mean 'ann' or 'änn'?)"]
    """
    meant = near.group_by("name", maintain_order=True).agg("like").iter_rows()
    return [f"{name!r} (did you mean {' or '.join(map(repr, like[:3]))}?)" for name, like in meant]


@dataclass(frozen=True)
class Beforehand:
    """What a league knows of results before they are recorded."""

    newcomers: list[str]
    """Players whom it does not know."""
    same: list[str]
    """Contests that it has, with the same results."""
    other: list[str]
    """Contests that it has, with other results."""


def beforehand(connection: Connection, results: Contests) -> Beforehand:
    """What a league knows of results."""
    results = one_ladder(results)
    entrants = players.entrants(connection, results)
    number = np.arange(len(results)) + 1 + last(connection, schema.contests.c.id)
    added = StoredContests.of(entrants.contests, entrants.number, number, rated=True)
    there, same = _same(connection, added)
    names = sorted(entrants.newcomers.values())
    held = {
        kept: [
            each for each, alike in zip(there.contest, same.tolist(), strict=True) if alike is kept
        ]
        for kept in (True, False)
    }
    return Beforehand(names, held[True], held[False])


def _one_by_one(change: Changing, new: StoredContests, newcomers: dict[int, str]) -> pl.DataFrame:
    """Record contests whose players are eligible or not by what the ones before did."""
    parts = []
    for number in range(len(new)):
        contest = new.take([number])
        players = contest.columns.player.astype(np.int64)
        eligible = contest.eligible & change.eligible(contest, players)
        contest = dataclasses.replace(contest, eligible=eligible)
        there = {each: newcomers.pop(each) for each in players.tolist() if each in newcomers}
        parts.append(change.make(Edit(put=contest, newcomers=there)))
    return _one_after_the_other(parts)


def amend(
    change: Changing,
    contest: str,
    results: Contests | None,
    *,
    rated: bool | None,
    moment: int | None,
    weight: float | None,
    name: str | None,
    removing: bool,
) -> Change:
    """Put a contest right."""
    if weight is not None:
        _check_weight(weight)
    if rated is not None:
        _check_rated(rated)
    if name:
        name = as_name(name)
    connection = change.connection
    old = contest_named(connection, contest)
    contest = old.contest[0]
    new, newcomers = old, dict[int, str]()
    if results is not None:
        wanted = _only(one_ladder(results), contest)
        ready_to_fold(wanted, change.revision.system, None, {})
        entrants = players.entrants(connection, wanted)
        newcomers = entrants.newcomers
        new = StoredContests.of(
            entrants.contests, entrants.number, old.number, rated=bool(old.rated[0])
        )
        new = dataclasses.replace(
            new, floor=old.floor, ceiling=old.ceiling, eligible=change.settled(old, new)
        )
        if new.name == [None]:
            new = dataclasses.replace(new, name=old.name)
    columns = new.columns
    if moment is not None:
        columns = columns._replace(time=np.array([moment]))
    if weight is not None:
        columns = columns._replace(weight=np.array([float(weight)]))
    new = dataclasses.replace(
        new,
        columns=columns,
        rated=new.rated if rated is None else np.array([rated]),
        name=new.name if name is None else [name or None],
    )
    rates_alike = bool(dataclasses.replace(new, name=old.name).same_as(old)[0]) and bool(
        new.rated[0]
    ) == bool(old.rated[0])
    said_alike = results is None or np.array_equal(new.all_given, old.all_given)
    if rates_alike and said_alike and new.name == old.name:
        return Change(f"contest {contest!r} is so already", False, known=[contest])
    gone = gone_from(connection, old, new)
    if change.writes and not removing:
        _refuse_loss(old, gone, contest)
    if rates_alike and said_alike:
        moved = _call(change, old, new.name[0])
    else:
        moved = change.make(Edit(dropped=old, put=new, newcomers=newcomers))
    details = {**_difference(old, new), "removed": len(gone)}
    states = states_of(change, old, new, newcomers)
    change.note("amend", contest=contest, details=details, moves=moved, **states)
    what = f"amended contest {contest!r}{_loss(old, new, gone)}"
    return Change(what, True, replayed=change.replayed, removed=gone, moves=moved)


def states_of(
    change: Changing,
    before: StoredContests,
    after: StoredContests | None = None,
    newcomers: dict[int, str] | None = None,
) -> Any:
    """Contests `before` and `after` a change that is made, and who is new, for the log."""
    if not change.writes:
        return {}
    both = [each for each in (before, after) if each is not None]
    there = distinct(*(each.columns.player for each in both))
    names = players.names_of(change.connection, there)
    states = [logs.contest_state(each, names) for each in both]
    if after is None:
        return {"before": states[0]}
    new = {"newcomers": sorted((newcomers or {}).values())}
    return {"before": states[0], "after": {**states[1], **new}}


def gone_from(connection: Connection, old: StoredContests, new: StoredContests) -> list[str]:
    """Who had a result in a contest and has none any more."""
    lost = np.setdiff1d(old.columns.player, new.columns.player).astype(np.int64)
    return sorted(players.names_of(connection, lost).values(), key=natural)


def _loss(old: StoredContests, new: StoredContests, gone: list[str]) -> str:
    """What a change removes from a contest: '; 120 → 1 players, 119 removed'."""
    if not gone:
        return ""
    before, after = len(old.columns.player), len(new.columns.player)
    return f"; {before:,} → {after:,} players, {len(gone):,} removed"


def _refuse_loss(old: StoredContests, gone: list[str], contest: str) -> None:
    """Raise if a change removes more than a tenth of a contest's results."""
    before = len(old.columns.player)
    if len(gone) > _LOSS * before:
        raise RemovalError(
            f"contest {contest!r} would lose {len(gone):,} of its {counted(before, 'result')}, "
            f"{listed(gone)}; amending replaces the whole contest, and if that is meant, say "
            f"removing=True or --yes."
        )


def _call(change: Changing, contest: StoredContests, name: str | None) -> pl.DataFrame:
    """Give a contest another name, by which nobody moves."""
    if change.writes:
        c = schema.contests
        which = c.c.id == int(contest.number[0])
        change.connection.execute(update(c).where(which).values(name=name))
    return NO_MOVES


def disqualify(
    change: Changing,
    contest: str,
    player: str,
) -> Change:
    """Take a player out of a contest."""
    connection = change.connection
    old = contest_named(connection, contest)
    contest = old.contest[0]
    number = players.number_of(connection, player)
    is_out = old.columns.player == number
    if not is_out.any():
        raise NotFoundError(f"{player!r} did not take part in contest {contest!r}.")
    if is_out.all():
        raise InputError(f"{player!r} is the only one in contest {contest!r}; remove the contest.")
    rank, player = int(old.columns.rank[is_out][0]), players.name_of(connection, number)
    new = old.without_rows(is_out)
    moved = change.make(Edit(dropped=old, put=new))
    details = {"rank": rank, "players": [len(is_out), len(is_out) - 1], "removed": 1}
    change.note(
        "disqualify",
        contest=contest,
        player=player,
        details=details,
        moves=moved,
        **states_of(change, old, new),
    )
    what = f"disqualified {player!r} in contest {contest!r}{_loss(old, new, [player])}"
    return Change(what, True, replayed=change.replayed, removed=[player], moves=moved)


def remove(
    change: Changing,
    contest: str,
) -> Change:
    """Take a contest out of the league."""
    connection = change.connection
    old = contest_named(connection, contest)
    contest = old.contest[0]
    gone = gone_from(connection, old, StoredContests.none())
    moved = change.make(Edit(dropped=old))
    details = {
        "time": str(from_microseconds(int(old.columns.time[0]))),
        "players": len(old.columns.player),
        "removed": len(gone),
    }
    change.note("remove", contest=contest, details=details, moves=moved, **states_of(change, old))
    what = f"removed contest {contest!r} with {counted(len(gone), 'result')}"
    return Change(what, True, replayed=change.replayed, removed=gone, moves=moved)


def rename(
    change: Changing,
    player: str,
    new_name: str,
    *,
    keep_old: bool,
) -> Change:
    """Give a player another name."""
    new_name = as_name(new_name)
    connection = change.connection
    number = players.number_of(connection, player)
    old_name = players.name_of(connection, number)
    if new_name == old_name:
        return Change(f"{old_name!r} has that name already", False)
    if players.find(connection, new_name) not in (None, number):
        raise ConflictError(
            f"there is a player {new_name!r} already; if they are one, podium merge makes them one."
        )
    before = {"player": old_name, "aliases": players.aliases_of(connection, number)}
    aliases = {*before["aliases"], *([old_name] if keep_old else [])} - {new_name}
    moved = call_so(change, number, new_name, sorted(aliases))
    details = {"from": old_name, "keeps_old": keep_old}
    change.note("rename", player=new_name, details=details, moves=moved, before=before)
    what = f"renamed {old_name!r} to {new_name!r}"
    return Change(what, True, replayed=change.replayed, moves=moved)


def call_so(change: Changing, number: int, name: str, aliases: Sequence[str]) -> pl.DataFrame:
    """Give a player a name and other names, in place of all that they have; who moves."""
    connection = change.connection
    moved = change.make(_reordered(connection, number, name))
    if change.writes:
        p, a = schema.players, schema.aliases
        connection.execute(delete(a).where(a.c.player_id == number))
        connection.execute(update(p).where(p.c.id == number).values(name=name))
        for each in aliases:
            connection.execute(insert(a).values(name=each, player_id=number))
    return moved


def merge(
    change: Changing,
    player: str,
    into: str,
    keep: "Keep" = None,
) -> Change:
    """Make one player of two."""
    number, other = players.numbers_of(change.connection, (player, into)).tolist()
    if number == other:
        raise InputError(f"{player!r} and {into!r} are one player already.")
    moved, noted = make_one(change, number, other, chosen(change.connection, number, other, keep))
    change.note("merge", moves=moved, **noted)
    what = f"merged {noted['details']['player']!r} into {noted['player']!r}"
    return Change(what, True, replayed=change.replayed, moves=moved)


Keep = str | Mapping[str, str] | None
"""Whose details stay where two who become one differ: 'first', 'second' or a name, of all fields or
by field."""


def chosen(connection: Connection, number: int, other: int, keep: Keep) -> people.Fields:
    """What is known of two players together: what the second has, and what only the first has.

    Where they differ, `keep` has to say whose it is. One of whom either is hidden is hidden.
    """
    found = people.of(connection, (number, other))
    first, second = found[number], found[other]
    differ = [name for name, value in first.items() if second.get(name, value) != value]
    called = players.names_of(connection, np.array([number, other]))
    whose = dict.fromkeys(differ, keep) if isinstance(keep, str) else dict(keep or {})
    if strange := [name for name in whose if name not in differ]:
        raise InputError(
            f"{called[number]!r} and {called[other]!r} do not differ in {strange[0]!r}, so there "
            f"is nothing to choose."
        )
    if left := [name for name in differ if name not in whose]:
        values = ", ".join(f"{name} ({first[name]!r}, {second[name]!r})" for name in left)
        raise DifferenceError(
            f"{called[number]!r} and {called[other]!r} differ in {values}; say whose stays, "
            f"keep='second' or --keep second for those of {called[other]!r}, or for one of them "
            f"keep={{{left[0]!r}: 'first'}} or --keep {left[0]}=first.",
            {name: (first[name], second[name]) for name in left},
        )
    both = {**first, **second}
    for name, said in whose.items():
        both[name] = (first, second)[_which(connection, said, (number, other), called)][name]
    return both


def _which(
    connection: Connection, said: object, both: tuple[int, int], called: dict[int, str]
) -> int:
    """Which of two is meant, by name or as the first or second."""
    number = players.find(connection, said) if isinstance(said, str) else None
    if number in both:
        return both.index(number)
    if said in ("first", "second"):
        return int(said == "second")
    raise InputError(
        f"{said!r} is neither of the two; say {called[both[0]]!r} or 'first', or "
        f"{called[both[1]]!r} or 'second'."
    )


def make_one(
    change: Changing, number: int, other: int, known: people.Fields
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Give all that the first player has to the other; who moves, and what the log says of it."""
    connection = change.connection
    old = _contests_of(connection, number)
    both = (
        np.logical_or.reduceat(old.columns.player == other, old.columns.offsets[:-1])
        if len(old)
        else np.zeros(0, np.bool_)
    )
    there = np.union1d(old.columns.player, [number, other]).astype(np.int64)
    names = players.names_of(connection, there)
    if both.any():
        first = old.contest[int(np.flatnonzero(both)[0])]
        raise ConflictError(
            f"{names[number]!r} and {names[other]!r} both took part in contest {first!r}; one has "
            f"to be disqualified there first."
        )
    ids = np.where(old.columns.player == number, np.int32(other), old.columns.player)
    new = dataclasses.replace(old, columns=old.columns._replace(player=ids)).by_name(names)
    aliases = players.aliases_of(connection, number)
    both_starts = readjusting.starts_state(change, {each: names[each] for each in (number, other)})
    starts = readjusting.of_one(change, number, other)
    readjusted = readjusting.readjustment(change, np.array([number, other]), starts)
    guest = bool(players.guests_among(connection, [number]))
    before = people.of(connection, (number, other))
    before[other] = {**dict.fromkeys(known), **before[other]}
    moved = change.make(Edit(dropped=old, put=new, readjusted=readjusted))
    if change.writes:
        readjusting.write_starts(change, np.array([number, other]), starts)
        people.put(connection, {other: known})
        connection.execute(
            update(schema.aliases)
            .where(schema.aliases.c.player_id == number)
            .values(player_id=other)
        )
        connection.execute(insert(schema.aliases).values(name=names[number], player_id=other))
        players.drop(connection, [number])
    return moved, {
        "player": names[other],
        "details": {"player": names[number], "contests": len(old)},
        "before": {
            "player": names[number],
            "aliases": aliases,
            "took_part_in": old.contest,
            "number": number,
            **both_starts,
            **({"guest": True} if guest else {}),
            **_noted({names[each]: fields for each, fields in before.items()}),
        },
        "after": _noted({names[other]: known}) or None,
    }


def _noted(described: dict[str, people.Fields]) -> logs.State:
    """What is known of players, for the log; nothing if it is nothing."""
    return {"people": described} if any(described.values()) else {}


def set_guest(change: Changing, player: str, *, guest: bool) -> Change:
    """Make a player a guest, who is not rated in what is recorded from now on, or a member."""
    if not isinstance(guest, bool):
        raise InputError(f"guest must be True or False, not {guest!r}.")
    number = players.number_of(change.connection, player)
    name = players.name_of(change.connection, number)
    if guest == bool(players.guests_among(change.connection, [number])):
        return Change(f"{name!r} is {'a' if guest else 'no'} guest already", False)
    if change.writes:
        players.set_guests(change.connection, [number], guest)
    before = {"player": name, "guest": not guest}
    change.note("guest", player=name, details={"guest": guest}, moves=NO_MOVES, before=before)
    return Change(f"{name!r} is {'a guest' if guest else 'no guest any more'}", True)


def revise(
    change: Changing,
    system: str | System | None,
    name: str | None,
    parameters: dict[str, Any],
) -> Change:
    """Rate the league by another system or other parameters."""
    connection = change.connection
    old = change.revision
    chosen = system
    given = parameters
    if system is None:
        chosen = old.system.name
        given = {**old.system.parameters, **parameters}
    wanted = systems.as_system(chosen or old.system.name, given)
    text = revisions.stored(wanted)
    change.rules.check(wanted)
    known = revisions.load(connection)
    for each in known:
        if each.system == wanted:
            raise ConflictError(
                f"revision {each.name!r} is that system with those parameters"
                + (" already." if each.id == old.id else "; podium rollback goes to it.")
            )
    called = as_name(name or _free_name(wanted.name, [each.name for each in known]))
    if called in [each.name for each in known]:
        raise ConflictError(f"there is a revision {called!r} already; give another name.")
    moved = rate_by(change, Revision(known[-1].id + 1, called, wanted, now()))
    details = {"from": old.name, "to": called, "system": wanted.name}
    change.note("revise", details={**details, "parameters": json.loads(text)}, moves=moved)
    what = f"rated the league by {wanted.name} as revision {called!r}"
    return Change(what, True, replayed=change.replayed, moves=moved)


def rate_by(change: Changing, revision: Revision) -> pl.DataFrame:
    """Rate all contests by a new revision, and put it in force; who moves."""
    connection = change.connection
    task = edits.prepare(connection, revision, Edit(), BEGINNING)
    _check_takes(connection, revision.system, task.contests)
    outcome = edits.conclude(connection, task, change.fold(task))
    if change.writes:
        revisions.add(connection, revision)
        change.keep(outcome, revision)
        connection.execute(update(schema.league).values(revision_id=revision.id))
    was = shown_now(connection, change.revision.id)
    return moves_between(connection, was, edits.shown_after(outcome, revision, change.rules))


def rollback(
    change: Changing,
    revision: str | None,
) -> Change:
    """Put another revision in force."""
    connection = change.connection
    old = change.revision
    wanted = revisions.named(connection, revision or _before(connection))
    if wanted.id == old.id:
        return Change(f"revision {wanted.name!r} is in force already", False)
    moved = put_in_force(change, wanted)
    change.note("rollback", details={"from": old.name, "to": wanted.name}, moves=moved)
    what = f"put revision {wanted.name!r} in force, of {wanted.system.name}"
    return Change(what, True, replayed=change.replayed, moves=moved)


def put_in_force(change: Changing, wanted: Revision) -> pl.DataFrame:
    """Let a revision catch up with what has changed, and rate the league; who moves."""
    connection = change.connection
    change.rules.check(wanted.system)
    was = shown_now(connection, change.revision.id)
    now = shown_now(connection, wanted.id)
    if wanted.stale_time is not None:
        start = wanted.stale_time, wanted.stale_contest
        task = edits.prepare(connection, wanted, Edit(), start, catching_up=True)
        _check_takes(connection, wanted.system, task.contests)
        outcome = edits.conclude(connection, task, change.fold(task))
        now = edits.shown_with(now, outcome, wanted, change.rules)
        if change.writes:
            change.keep(outcome, wanted)
    if change.writes:
        connection.execute(update(schema.league).values(revision_id=wanted.id))
        revisions.set_stale(connection, wanted.id, None, "")
    return moves_between(connection, was, now)


def renew(connection: Connection, report: Report) -> Change:
    """Rate anew what an earlier arithmetic rated, if anything; whoever moved by more than 1e-6.

    Revisions that have to catch up anyway do so from the beginning, once they are in force.
    """
    older = [each for each in revisions.load(connection) if each.arithmetic < arithmetic.ARITHMETIC]
    active, rules, replayed = revisions.in_force(connection), edits.rules_of(connection), 0
    if not older:
        revisions.refuse_other_arithmetic(active)
        return Change("nothing was rated by an earlier arithmetic", applied=False)
    was = shown_now(connection, active.id)
    for number, each in enumerate(older):
        if each.stale is None:
            meter = Meter(part_of(report, number, len(older)))
            replayed += edits.rate_anew(connection, each, rules, meter)
        else:
            revisions.set_stale(connection, each.id, *BEGINNING)
    moved = moves_between(connection, was, shown_now(connection, active.id))
    moved = moved.filter(pl.col("change").is_null() | (pl.col("change").abs() > _NOTICED))
    what = f"rated the league anew, by arithmetic {arithmetic.ARITHMETIC}"
    return Change(what, True, replayed=replayed, moves=moved)


def set_rules(
    change: Changing,
    rules: Rules,
) -> Change:
    """Show ratings by other rules."""
    check_rules(rules)
    if rules == change.rules:
        return Change("the rules are so already", False)
    before = {"rules": change.rules.document()}
    moved = show_by(change, rules)
    change.note("rules", details=rules.document(), moves=moved, before=before)
    return Change("changed the rules", True, moves=moved)


def show_by(change: Changing, rules: Rules) -> pl.DataFrame:
    """Show ratings by these rules; whose shown rating changes."""
    connection = change.connection
    was = shown_now(connection, change.revision.id)
    now = was
    for each in revisions.load(connection):
        if each.id == change.revision.id:
            rules.check(each.system)
        table = queries.ratings(connection, each.id)
        shown = rules.shown(
            each.system,
            table["mu"].fill_null(np.nan).to_numpy(),
            table["sigma"].fill_null(np.nan).to_numpy(),
            table["contests"].to_numpy(),
        )
        table = table.with_columns(shown=pl.Series(shown))
        if each.id == change.revision.id:
            now = table.select("player_id", "shown")
        if change.writes:
            queries.write_shown(connection, each.id, table)
    if change.writes:
        connection.execute(update(schema.league).values(rules=rules.text()))
    return moves_between(connection, was, now)


def one_ladder(results: Contests, before: set[str] | None = None) -> Contests:
    """Raise if they are no contests, or of several ladders; a league is one.

    Pieces of the same results take note of their ladders in `before`.
    """
    refuse_what_is_not_contests(results)
    names = results.ladders or []
    if before is not None:
        before.update(names)
        names = sorted(before)
    if len(names) > 1:
        raise InputError(
            f"these contests are of {len(names)} ladders, {listed(names)}, but a league is one; "
            f"Contests.by_ladder() or --ladder takes one, and Contests.without_ladders() or "
            f"--ignore-ladders makes one of all."
        )
    results = results.without_ladders().with_own_players()
    given = (
        [] if results.given is None else [each for each in results.given if each.dtype == pl.String]
    )
    for texts in (results.ids, results.players, results.teams, *given):
        held = [] if texts is None else texts.drop_nulls().to_list()
        if "\0" in "".join(held):
            odd = next(each for each in held if "\0" in each)
            raise InputError(f"{odd!r} holds the character 0, which databases do not keep.")
    return results


def _only(results: Contests, contest: str) -> Contests:
    """The contest of that identifier among results."""
    for number, each in enumerate(results.ids.to_list()):
        if each == contest:
            return results[number : number + 1].with_own_players()
    raise NotFoundError(
        f"there is no contest {contest!r}{suggestion(contest, results.ids)} among the results "
        f"that should replace it; there is {listed(results.ids.to_list())}."
    )


def contest_named(connection: Connection, contest: str) -> StoredContests:
    """The contest of that identifier; an unknown one is an error."""
    found = StoredContests.none()
    for each in dict.fromkeys((contest, normalised(contest))) if isinstance(contest, str) else ():
        if not len(found):
            found = standings.load_named(connection, [each])
    if not len(found):
        hint = suggested(connection, schema.contests.c.contest, contest)
        raise NotFoundError(f"there is no contest {contest!r}{hint} in the league.")
    return found


def _contests_of(connection: Connection, player: int) -> StoredContests:
    """All contests of a player."""
    s = schema.standings
    theirs = select(s.c.contest_id).where(schema.in_batches(), s.c.player_id == player)
    return standings.load(connection, schema.contests.c.id.in_(theirs), given=True)


def _same(
    connection: Connection, added: StoredContests
) -> tuple[StoredContests, NDArray[np.bool_]]:
    """Those of the contests that are there already, and whether with the same results."""
    if not last(connection, schema.contests.c.id):  # a new league need not look for any of many
        return StoredContests.none(), np.empty(0, np.bool_)
    there = standings.load_named(connection, added.contest)
    if not len(there):
        return there, np.empty(0, np.bool_)
    place = {contest: number for number, contest in enumerate(added.contest)}
    again = added.take([place[contest] for contest in there.contest])
    called = [mine or theirs for mine, theirs in zip(again.name, there.name, strict=True)]
    return there, dataclasses.replace(again, name=called).same_as(there)


def _unknown(
    connection: Connection, added: StoredContests, rated: bool, leave_known: bool
) -> tuple[StoredContests, list[str]]:
    """The contests that are new, and the identifiers of those that are there already."""
    there, same = _same(connection, added)
    if not len(there):
        return added, []
    if not same.all() and not leave_known:
        other = there.contest[int(np.flatnonzero(~same)[0])]
        raise ConflictError(
            f"contest {other!r} is in the league with other results; nothing was recorded. "
            f"podium add LEAGUE {other} FILE puts late results in, and podium amend LEAGUE {other} "
            f"FILE replaces all of them; leave_known=True or --leave-known records the "
            f"others."
        )
    if rated and not there.rated.all() and not leave_known:
        other = there.contest[int(np.flatnonzero(~there.rated)[0])]
        raise ConflictError(
            f"contest {other!r} is in the league, unrated; nothing was recorded. "
            f"podium amend LEAGUE {other} --rated rates it; leave_known=True or --leave-known "
            f"records the others."
        )
    known = set(there.contest)
    new = [number for number, contest in enumerate(added.contest) if contest not in known]
    return added.take(new), list(there.contest)


def _reordered(connection: Connection, player: int, new_name: str) -> Edit:
    """The contests in which a player with another name stands elsewhere among those who tie."""
    s = schema.standings
    own, tied = s.alias("own"), s.alias("tied")
    rows = connection.execute(
        select(own.c.contest_id, own.c.position, tied.c.position, schema.players.c.name)
        .join(
            tied,
            (tied.c.contest_id == own.c.contest_id)
            & (tied.c.rank == own.c.rank)
            & (tied.c.player_id != own.c.player_id),
        )
        .join(schema.players, schema.players.c.id == tied.c.player_id)
        .where(schema.in_batches(own), own.c.player_id == player)
    )
    moved = {
        contest for contest, mine, theirs, name in rows if (mine < theirs) != (new_name < name)
    }
    if not moved:
        return Edit()
    these = within(connection, schema.contests.c.id, sorted(moved))
    old = standings.load(connection, these, given=True)
    names = players.names_of(connection, np.unique(old.columns.player).astype(np.int64))
    return Edit(dropped=old, put=old.by_name({**names, player: new_name}))


def _difference(old: StoredContests, new: StoredContests) -> dict[str, Any]:
    """What an amendment changes, for the log."""
    both = [
        {
            "time": str(from_microseconds(int(each.columns.time[0]))),
            "weight": float(each.columns.weight[0]),
            "rated": bool(each.rated[0]),
            "name": each.name[0],
        }
        for each in (old, new)
    ]
    details: dict[str, Any] = {
        field: [before, both[1][field]]
        for field, before in both[0].items()
        if before != both[1][field]
    }
    was = dict(zip(old.columns.player.tolist(), old.columns.rank.tolist(), strict=True))
    now = dict(zip(new.columns.player.tolist(), new.columns.rank.tolist(), strict=True))
    details["players"] = [len(was), len(now)]
    details["ranks_changed"] = sum(was.get(player) != rank for player, rank in now.items())
    return details


def shown_now(connection: Connection, revision: int) -> pl.DataFrame:
    """The shown ratings of all players: player_id, shown."""
    forks.refuse_lost_threads()
    return queries.ratings(connection, revision).select("player_id", "shown")


def moves_between(connection: Connection, was: pl.DataFrame, now: pl.DataFrame) -> pl.DataFrame:
    """Whose rating differs, by name."""
    both = was.join(now, on="player_id", how="full", coalesce=True, suffix="_after").filter(
        pl.col("shown").ne_missing(pl.col("shown_after")),
        ~pl.col("player_id").is_in(sorted(hiding.unseen(connection))),
    )
    names = players.all_names(connection)
    called = [names[each] for each in both["player_id"].to_list()]
    return moves_table(called, both["shown"].to_numpy(), both["shown_after"].to_numpy())


def _one_after_the_other(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The moves of several changes in a row as those of one; a child of a fork can do it, too."""
    player, before, after = (
        list(chain.from_iterable(part[name].to_list() for part in parts))
        for name in ("player", "before", "after")
    )
    first = dict(zip(reversed(player), reversed(before), strict=True))
    last = dict(zip(player, after, strict=True))
    was = np.array([*map(first.__getitem__, last)], np.float64)
    return moves_table(list(last), was, np.array([*last.values()], np.float64))


def _before(connection: Connection) -> str:
    """The name of the revision that was in force before this one."""
    last = Entries(connection).last_standing(("revise", "rollback"))
    if last is None:
        raise InputError("the league has had one system only, so there is nothing to go back to.")
    return str(last.details.get("from"))


def _free_name(wanted: str, known: Sequence[str]) -> str:
    """That name, or with the first number that makes it new."""
    number, name = 1, wanted
    while name in known:
        number += 1
        name = f"{wanted} {number}"
    return name


def _check_takes(connection: Connection, system: System, contests: StoredContests) -> None:
    """Raise if a system cannot rate contests, such as those of teams."""
    if len(contests):
        ready_to_fold(contests.as_contests(players.all_names(connection)), system, None, {})


def as_name(given: object) -> str:
    """A new name or identifier, as they are compared; an error if it cannot be one."""
    name = normalised(given) if isinstance(given, str) else ""
    if not name:
        raise InputError(f"{given!r} cannot be a name; a text can that is more than spaces.")
    check_text("the name", name)
    if len(name) > LONGEST:
        raise InputError(too_long("the name", name))
    return name


def _limit(what: str, value: float | None) -> float | None:
    """A floor or a ceiling, which must be a number."""
    if value is None:
        return None
    if not is_number(value):
        raise InputError(f"the rating {what} must be a finite number, not {value!r}.")
    return float(value)


def _check_rated(rated: object) -> None:
    """Raise if it is neither yes nor no."""
    if not isinstance(rated, bool | np.bool_):
        raise InputError(f"rated must be True or False, not {rated!r}.")


def _check_weight(weight: object) -> None:
    """Raise if a contest cannot have it."""
    if not is_number(weight) or not WEIGHTS[0] <= weight <= WEIGHTS[1]:  # type: ignore[operator]
        raise InputError(
            f"weight must be a number from {WEIGHTS[0]:g} to {WEIGHTS[1]:g}, not {weight!r}."
        )
