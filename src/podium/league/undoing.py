"""Nothing is final: taking back what an entry of the log did, making it again, reinstating."""

import dataclasses
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import polars as pl
from sqlalchemy import Connection, delete, select, update

from podium import systems
from podium.errors import ConflictError, InputError, NotFoundError, StorageError
from podium.league import checkpoints, logs, players, revisions, schema, standings
from podium.league.changes import (
    Change,
    call_so,
    contest_named,
    gone_from,
    make_one,
    named_in_log,
    put_in_force,
    rate_by,
    show_by,
    states_of,
)
from podium.league.database import fetch, last, mapping, within
from podium.league.edits import Changing, Edit
from podium.league.entries import (
    FINAL,
    OF_CONTESTS,
    OF_REVISIONS,
    TOGGLES,
    Entries,
    Entry,
    listed_in,
)
from podium.league.logs import State
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import StoredContests
from podium.results.tables import natural

_NEEDED = {
    "rename": ({"player", "aliases"}, "which names there were before it"),
    "merge": ({"player", "aliases", "took_part_in"}, "whose results were whose"),
    "rules": ({"rules"}, "which rules there were before it"),
}
"""What the log has to hold of what was before an action, and what is not known without it."""
_MADE_AND_GONE = ("record", "remove")
"""Actions after which contests are there that were not, or the other way round."""
_Done = tuple[pl.DataFrame, dict[str, Any], dict[str, Any]]
"""Who moves, what the log says of it, and what the `Change` says."""


def undo(change: Changing, number: int | None) -> Change:
    """Take back what an entry did, or the last change that stands."""
    entries = Entries(change.connection)
    if number is None:
        entry = entries.last_standing()
        if entry is None:
            raise InputError("there is nothing to take back: no change of the league stands.")
        return _turned(change, entries, entry)
    number = entries.find(_checked(number)).number
    root = entries.root(number)
    by = entries.latest(root)
    if number == root and not entries.stands(root):
        raise ConflictError(
            f"entry {root} is taken back already, by entry {by}; podium redo LEAGUE {root} makes "
            f"it again."
        )
    if number not in (root, by):
        raise ConflictError(f"entry {number} stands no more since entry {by}, of entry {root}.")
    return _turned(change, entries, entries.find(root))


def redo(change: Changing, number: int | None) -> Change:
    """Make again what was taken back: what an entry did, or the last that was taken back."""
    entries = Entries(change.connection)
    if number is None:
        entry = entries.last_taken_back()
        if entry is None:
            raise InputError("there is nothing to make again: no change is taken back.")
        return _turned(change, entries, entry)
    entry = entries.find(entries.root(entries.find(_checked(number)).number))
    if entries.stands(entry.number):
        raise ConflictError(
            f"entry {entry.number} is not taken back, so there is nothing to make again."
        )
    return _turned(change, entries, entry)


def _checked(number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise InputError(f"the number of a change in the log is needed, not {number!r}.")
    return number


def _turned(change: Changing, entries: Entries, entry: Entry) -> Change:
    """Take back a change that stands, or make one again that does not."""
    if entry.action in FINAL:
        raise InputError(f"entry {entry.number} {FINAL[entry.action]}.")
    stands = entries.stands(entry.number)
    latest = entries.latest(entry.number)
    turn = _Turn(change, entries, entry, entries.find(latest), stands=stands)
    turn.refuse_what_is_forgotten()
    turn.refuse_what_is_in_the_way()
    moved, noted, said = turn.make()
    details = {"of": entry.number, "action": entry.action, **noted.pop("details", {})}
    change.note(TOGGLES[not stands], details=details, moves=moved, **noted)
    did = f"took back entry {entry.number}" if stands else f"made entry {entry.number} again"
    what = f"{did}, the {entry.said}"
    return Change(what, True, replayed=change.replayed, moves=moved, **said)


@dataclasses.dataclass
class _Turn:
    """A change that is to be taken back or made again."""

    change: Changing
    entries: Entries
    entry: Entry
    """The change itself."""
    latest: Entry
    """The last entry that says something of it: what was before that is to come back."""
    stands: bool

    @property
    def connection(self) -> Connection:
        return self.change.connection

    def make(self) -> _Done:
        """Do it."""
        action = self.entry.action
        if action in OF_CONTESTS:
            return self._contests()
        ways = {
            "rename": self._name,
            "merge": self._part if self.stands else self._merge,
            "revise": self._forget_revision if self.stands else self._revise,
            "rollback": self._roll_back,
            "rules": self._rules,
        }
        if action not in ways:
            raise InputError(
                f"entry {self.entry.number} is of a kind that this version of podium cannot take "
                f"back: {action}."
            )
        return ways[action]()

    # What may be in the way

    def refuse_what_is_forgotten(self) -> None:
        """Raise if the log does not hold what was before it."""
        if self.entry.action in OF_CONTESTS:
            self._kept_contests()
        elif self.stands or self.entry.action != "merge":
            needed, what = _NEEDED.get(self.entry.action, (set[str](), ""))
            if not needed <= (self.latest.before or {}).keys():
                self._refuse_forgotten(what)

    def refuse_what_is_in_the_way(self) -> None:
        """Raise if a later entry depends on it, naming the last that does."""
        for later, number in reversed([*self.entries.since(self.latest.number)]):
            reason = self._hindrance(later)
            if reason is not None:
                done = "taken back" if self.stands else "made again"
                raise ConflictError(
                    f"entry {self.entry.number}, the {self.entry.said}, cannot be {done}: entry "
                    f"{number}{self._as(later, number)} is in the way, because {reason}; podium "
                    f"undo LEAGUE {number} takes that back first."
                )

    def _as(self, later: Entry, number: int) -> str:
        if number == later.number:
            return f", the {later.said},"
        if self.entries.stands(later.number):
            return f", which made the {later.said} again,"
        return f", which took back the {later.said},"

    def _hindrance(self, later: Entry) -> str | None:
        """Why a later entry that stands is in the way, if it is."""
        mine = self.entry
        if shared := self._contests_touched.intersection(later.contests):
            return f"it touches contest {min(shared, key=natural)!r}, too"
        if later.action in OF_REVISIONS and mine.action in OF_REVISIONS:
            return "it chose a revision after it"
        if later.action == "revise" and self.entries.stands(later.number):
            return "it made a revision after it"
        if later.action == mine.action == "rules":
            return "it changed the rules after it"
        if later.action == "migrate" and (later.before or {}).get("names"):
            return "it gave names another spelling"
        touched = self._names_touched.intersection(later.names)
        if not touched and mine.names:
            touched = set(mine.names).intersection(later.newcomers)
        if not touched and mine.names and self._touches_player(later):
            touched = {str(mine.player)}
        return f"it touches {min(touched)!r}" if touched else None

    @cached_property
    def _contests_touched(self) -> set[str]:
        return set(self.entry.contests)

    @cached_property
    def _names_touched(self) -> set[str]:
        """Names that it gave, took away, or that were new by it."""
        return {*self.entry.names, *self.entry.newcomers, *self.latest.newcomers}

    def _touches_player(self, later: Entry) -> bool:
        """Whether a later entry has to do with a player whom this one renamed or merged.

        Results that were recorded before a renaming are of the same player, whenever they go or
        come back.
        """
        if self.entry.action == "rename" and later.number < self.latest.number:
            return False
        if not self._contests_of_players.isdisjoint(later.contests):
            return True
        return later.involves(set(self.entry.names))

    @cached_property
    def _contests_of_players(self) -> set[str]:
        """The contests of those whom this one renamed or merged."""
        known = set(players.known(self.connection, self.entry.names).values())
        s, c = schema.standings, schema.contests
        theirs = (
            select(c.c.contest)
            .join(s, s.c.contest_id == c.c.id)
            .where(within(self.connection, s.c.player_id, sorted(known)))
        )
        return set(fetch(self.connection, theirs)[0])

    # Contests

    def _contests(self) -> _Done:
        """Contests as they were before the latest entry, by the names that players have today."""
        connection = self.connection
        kept, made = self._kept_contests(), self._made_contests()
        back = [each["contest"] for each in kept["contests"]]
        now = standings.load_named(connection, [*back, *made])
        self._refuse_other_contests(set(now.contest), set(back), set(made))
        names = {row["player"] for each in kept["contests"] for row in each["standings"]}
        number, newcomers = numbers_today(connection, self.entries, self.latest.number, names)
        place = dict(zip(now.contest, now.number.tolist(), strict=True))
        free = iter(range(1 + last(connection, schema.contests.c.id), 2**62))
        put = _by_names_of_today(
            connection,
            logs.contests_of(
                kept, number, np.array([place.get(each) or next(free) for each in back], np.int64)
            ),
            newcomers,
        )
        _refuse_twice(put, self.entries, self.latest.number)
        gone = gone_from(connection, now, put)
        states = states_of(self.change, now) if len(now) else {}
        moved = self.change.make(Edit(dropped=now, put=put, newcomers=newcomers))
        recorded = [each for each in put.contest if each not in place]
        if self.change.writes:
            self._drop_who_came_with_it(now)
        noted = {
            "contest": self.entry.contest,
            "player": self.entry.player,
            "details": named_in_log([*back, *made]) if self.entry.contest is None else {},
            "after": {"recorded": recorded, "newcomers": sorted(newcomers.values())},
            **states,
        }
        said = {"recorded": recorded, "removed": gone, "newcomers": sorted(newcomers.values())}
        return moved, noted, said

    def _kept_contests(self) -> State:
        """The contests before the latest entry."""
        latest, before = self.latest, self.latest.before
        if latest.action == "record" and latest.after is not None:
            return {"contests": []}
        if before is None and latest.action in TOGGLES:
            return {"contests": []}
        if before is None or "contests" not in before:
            self._refuse_forgotten("what was before it" if latest.action != "record" else _NEW)
        if latest.action == "amend" and "newcomers" not in (latest.after or {}):
            there = [set(_players_of(state)) for state in (before, latest.after or {})]
            if there[1] - there[0]:
                self._refuse_forgotten(_NEW)
        return before

    def _made_contests(self) -> list[str]:
        """The contests that the latest entry brought in."""
        return listed_in(self.latest.after, "recorded")

    def _refuse_forgotten(self, what: str) -> NoReturn:
        raise InputError(
            f"entry {self.entry.number}, the {self.entry.said}, was made by an earlier version of "
            f"podium, whose log does not say {what}; what is changed since podium migrate can be "
            f"taken back."
        )

    def _refuse_other_contests(self, now: set[str], back: set[str], made: set[str]) -> None:
        """Raise if contests are not there, or there again; no entry of the log did that."""
        there = made if self.entry.action in _MADE_AND_GONE else back
        if missing := there - now:
            which = min(missing, key=natural)
            raise NotFoundError(f"there is no contest {which!r} in the league any more.")
        if again := (now & back) - there:
            raise ConflictError(
                f"contest {min(again, key=natural)!r} is in the league again, with other results."
            )

    def _drop_who_came_with_it(self, gone: StoredContests) -> None:
        """Forget those who were new by this, or by what is taken back, and have no result left."""
        connection, s = self.connection, schema.standings
        there = np.unique(gone.columns.player).astype(np.int64)
        left = select(s.c.player_id).where(within(connection, s.c.player_id, there.tolist()))
        without = np.setdiff1d(there, np.array(fetch(connection, left.distinct())[0], np.int64))
        names = players.names_of(connection, without)
        if not names:
            return
        keeping, t = self.entries.keeping(self.entry.number), schema.log
        wrote = fetch(connection, select(t.c.id).where(t.c.after.is_not(None)))[0]
        introduced: dict[bool, set[str]] = {True: set(), False: set()}
        for each in self.entries.these(wrote):
            if these := set(names.values()).intersection(each.newcomers):
                today = names_today(self.entries, each.number, these)
                introduced[each.number in keeping].update(today.values())
        dropped = introduced[False] - introduced[True]
        players.drop(connection, [number for number, name in names.items() if name in dropped])

    # Names

    def _name(self) -> _Done:
        """The name and the aliases that a player had before."""
        connection, before = self.connection, self.latest.before or {}
        number = players.number_of(connection, str(self.latest.player))
        now = players.name_of(connection, number)
        aliases = players.aliases_of(connection, number)
        name = str(before["player"])
        for each in (name, *before["aliases"]):
            if players.find(connection, each) not in (None, number):
                raise ConflictError(f"the name {each!r} is somebody else's by now.")
        moved = call_so(self.change, number, name, before["aliases"])
        noted = {
            "player": name,
            "details": {"from": now},
            "before": {"player": now, "aliases": aliases},
        }
        return moved, noted, {}

    def _part(self) -> _Done:
        """Two players again, of one."""
        connection, before = self.connection, self.latest.before or {}
        name, a = str(before["player"]), schema.aliases
        other = players.number_of(connection, str(self.latest.player))
        number = _free_number(connection, before.get("number"))
        old = standings.load_named(connection, before["took_part_in"])
        is_theirs = old.columns.player == other
        if len(old) < len(before["took_part_in"]) or is_theirs.sum() < len(old):
            raise StorageError(
                f"the league is damaged: {name!r} and {self.latest.player!r} took part in other "
                f"contests when they became one."
            )
        there = np.unique(old.columns.player).astype(np.int64)
        names = {**players.names_of(connection, there), number: name}
        ids = np.where(is_theirs, np.int32(number), old.columns.player)
        new = dataclasses.replace(old, columns=old.columns._replace(player=ids)).by_name(names)
        moved = self.change.make(Edit(dropped=old, put=new, newcomers={number: name}))
        if self.change.writes:
            connection.execute(delete(a).where(a.c.name == name))
            theirs = within(connection, a.c.name, before["aliases"])
            connection.execute(update(a).where(theirs).values(player_id=number))
        noted = {
            "player": players.name_of(connection, other),
            "details": {"player": name, "contests": len(old)},
            "before": {"took_part_in": old.contest},
        }
        return moved, noted, {"newcomers": [name]}

    def _merge(self) -> _Done:
        """One player again, of two."""
        both = (str(self.latest.details.get("player")), str(self.latest.player))
        number, other = players.numbers_of(self.connection, both).tolist()
        moved, noted = make_one(self.change, number, other)
        return moved, noted, {}

    # Revisions and rules

    def _roll_back(self) -> _Done:
        """The revision that was in force before."""
        now, name = self.change.revision.name, str(self.latest.details.get("from"))
        moved = put_in_force(self.change, revisions.named(self.connection, name))
        return moved, {"details": {"from": now, "to": name}}, {}

    def _forget_revision(self) -> _Done:
        """The revision before, without the one that was made."""
        made = self.change.revision
        moved, noted, said = self._roll_back()
        noted["before"] = {
            "revision": {
                "name": made.name,
                "system": made.system.name,
                "parameters": json.loads(revisions.stored(made.system)),
                "created": made.created,
            }
        }
        if self.change.writes:
            checkpoints.save(
                self.connection, made.id, checkpoints.load(self.connection, made.id), []
            )
            revisions.drop(self.connection, made.id)
        return moved, noted, said

    def _revise(self) -> _Done:
        """The revision that was made, and forgotten."""
        connection, now = self.connection, self.change.revision.name
        kept = (self.latest.before or {}).get("revision", {})
        if not {"name", "system", "parameters", "created"} <= kept.keys():
            raise StorageError("the log is damaged: a revision that was taken back is not in it.")
        system = systems.restored(kept["system"], kept["parameters"], "this league is")
        self.change.rules.check(system)
        number = 1 + last(connection, schema.revisions.c.id)
        moved = rate_by(self.change, Revision(number, kept["name"], system, kept["created"]))
        details = {"from": now, "to": kept["name"], "system": system.name}
        return moved, {"details": {**details, "parameters": kept["parameters"]}}, {}

    def _rules(self) -> _Done:
        """The rules before."""
        try:
            rules = Rules(**(self.latest.before or {})["rules"])
        except TypeError:
            raise StorageError("the log is damaged: rules cannot be read.") from None
        rules.check(self.change.revision.system)
        now = {"rules": self.change.rules.document()}
        moved = show_by(self.change, rules)
        return moved, {"details": rules.document(), "before": now}, {}


_NEW = "which contests and players were new by it"


def names_today(entries: Entries, number: int, names: Iterable[str]) -> dict[str, str]:
    """What players are called today, by the names that they had at an entry."""
    today = {name: name for name in names}
    for later, _ in entries.since(number):
        if not later.names:
            continue
        old, new = later.names
        stands = entries.stands(later.number)
        if later.action == "merge" and not stands:  # what was of one then is of the same one now
            continue
        old, new = (old, new) if stands else (new, old)
        today = {then: new if now == old else now for then, now in today.items()}
    return today


def numbers_today(
    connection: Connection, entries: Entries, number: int, names: Iterable[str]
) -> tuple[dict[str, int], dict[int, str]]:
    """The numbers of players by the names that they had at an entry, and who is not there.

    Those get numbers that are free.
    """
    today = names_today(entries, number, names)
    p, called = schema.players, sorted(set(today.values()))
    known = mapping(
        connection, select(p.c.name, p.c.id).where(within(connection, p.c.name, called))
    )
    missing = [name for name in called if name not in known]
    if taken := players.known(connection, missing):
        name, owner = next(iter(taken.items()))
        raise ConflictError(
            f"{name!r} is another name of {players.name_of(connection, owner)!r} by now, so that "
            f"the results of {name!r} cannot come back."
        )
    first = 1 + last(connection, p.c.id)
    newcomers = dict(enumerate(missing, first))
    known |= {name: each for each, name in newcomers.items()}
    return {then: known[now] for then, now in today.items()}, newcomers


def _players_of(state: State) -> Iterable[str]:
    return (row["player"] for each in state.get("contests", ()) for row in each["standings"])


def _by_names_of_today(
    connection: Connection, contests: StoredContests, newcomers: dict[int, str]
) -> StoredContests:
    """The same with those who tie in the order of their names now."""
    there = np.unique(contests.columns.player).astype(np.int64)
    return contests.by_name({**newcomers, **players.names_of(connection, there)})


def _refuse_twice(contests: StoredContests, entries: Entries, number: int) -> None:
    """Raise if somebody would stand twice in a contest, because two have become one since."""
    c = contests.columns
    contest = np.repeat(np.arange(len(contests)), contests.sizes)
    pairs = np.stack((contest, c.player.astype(np.int64)))
    _, first, times = np.unique(pairs, axis=1, return_index=True, return_counts=True)
    if not (times > 1).any():
        return
    where = contests.contest[int(contest[first[times > 1][0]])]
    merged = [at for later, at in entries.since(number) if later.action == "merge"]
    raise ConflictError(
        f"two players of contest {where!r} have become one since, by entry {merged[-1]}, and would "
        f"stand twice in it; podium undo LEAGUE {merged[-1]} takes that back first."
    )


def _free_number(connection: Connection, wanted: int | None) -> int:
    """That number of a player if it is free, or else the next."""
    p = schema.players
    taken = connection.execute(select(p.c.id).where(p.c.id == wanted)).scalar()
    return 1 + last(connection, p.c.id) if wanted is None or taken is not None else wanted


def reinstate(change: Changing, contest: str, player: str) -> Change:
    """Put a player who was disqualified back into a contest, where they stood."""
    connection, entries = change.connection, Entries(change.connection)
    old = contest_named(connection, contest)
    contest = old.contest[0]
    number = players.number_of(connection, player)
    player = players.name_of(connection, number)
    if (old.columns.player == number).any():
        raise ConflictError(f"{player!r} takes part in contest {contest!r} already.")
    entry, latest, was = _disqualification(change, entries, old, number)
    since = [at for later, at in entries.since(latest.number) if contest in later.contests]
    new = _with_all(was, old, number)
    if new is None:
        by = f", by entry {since[-1]}" if since else ""
        raise ConflictError(
            f"the results of contest {contest!r} are others than when {player!r} was disqualified"
            f"{by}, so that it is not known at which place to reinstate; podium add puts a result "
            f"in at any."
        )
    moved = change.make(Edit(dropped=old, put=new))
    rank = int(new.columns.rank[new.columns.player == number][0])
    size = [len(old.columns.player), len(new.columns.player)]
    change.note(
        "reinstate",
        contest=contest,
        player=player,
        details={"of": entry.number, "rank": rank, "players": size},
        moves=moved,
        **states_of(change, old, new),
    )
    what = f"reinstated {player!r} in contest {contest!r} at rank {rank}; "
    what += f"{size[0]:,} → {size[1]:,} players"
    if since:
        what += f"; the contest has changed since, by entry {since[-1]}"
    return Change(what, True, replayed=change.replayed, moves=moved)


def _disqualification(
    change: Changing, entries: Entries, contest: StoredContests, number: int
) -> tuple[Entry, Entry, list[StoredContests]]:
    """The last disqualification of a player in a contest that stands, and the entry that made it.

    That is another one if it was taken back, and made again. Also the contest as it was before it,
    and before all others that stand: who was out already, and is back, stands in these only.
    """
    connection, t = change.connection, schema.log
    these = select(t.c.id).where(t.c.action == "disqualify", t.c.contest == contest.contest[0])
    found = entries.these([each for each in fetch(connection, these)[0] if entries.stands(each)])
    chosen: tuple[Entry, Entry] | None = None
    was: list[StoredContests] = []
    for entry in sorted(found, key=lambda each: entries.latest(each.number), reverse=True):
        latest = entries.find(entries.latest(entry.number))
        if chosen is None:
            called, _ = numbers_today(connection, entries, latest.number, [str(latest.player)])
            if number not in called.values():
                continue
            chosen = entry, latest
            if latest.before is None or "contests" not in latest.before:
                raise InputError(
                    f"entry {latest.number}, the {entry.said}, was made by an earlier version of "
                    f"podium, whose log does not say at which place; podium add puts a result in."
                )
        if latest.before is not None and "contests" in latest.before:
            names = set(_players_of(latest.before))
            numbers, newcomers = numbers_today(connection, entries, latest.number, names)
            state = logs.contests_of(latest.before, numbers, contest.number)
            was.append(_by_names_of_today(connection, state, newcomers))
    if chosen is None:
        raise NotFoundError(
            f"{players.name_of(connection, number)!r} was not disqualified in contest "
            f"{contest.contest[0]!r}; podium add puts a late result in."
        )
    return *chosen, was


def _with_all(was: list[StoredContests], now: StoredContests, number: int) -> StoredContests | None:
    """A contest as it is now, and with a player who was in it.

    None if what it was, first just before the player was taken out, does not say at which place.
    """
    there = [*now.columns.player.tolist(), number]
    for each in was:
        if not set(there) <= set(each.columns.player.tolist()):
            continue
        new, first = _only(each, there), _only(was[0], there)
        if _same_places(_only(each, there[:-1]), now) and _same_places(
            first, _only(new, first.columns.player.tolist())
        ):
            return _as_now(new, now)
    return None


def _only(contest: StoredContests, there: list[int]) -> StoredContests:
    """A contest with some of its players; those who came behind others move up."""
    left_out = ~np.isin(contest.columns.player, there)
    return contest.without_rows(left_out) if left_out.any() else contest


def _as_now(new: StoredContests, now: StoredContests) -> StoredContests:
    """The results of one with all else as in the other, and who is eligible there."""
    c = now.columns
    eligible = dict(zip(c.player.tolist(), now.eligible.tolist(), strict=True))
    rows = zip(new.columns.player.tolist(), new.eligible.tolist(), strict=True)
    return dataclasses.replace(
        new,
        columns=new.columns._replace(time=c.time, weight=c.weight, perf_ceiling=c.perf_ceiling),
        name=now.name,
        rated=now.rated,
        floor=now.floor,
        ceiling=now.ceiling,
        eligible=np.array([eligible.get(each, judged) for each, judged in rows], np.bool_),
    )


def _same_places(one: StoredContests, other: StoredContests) -> bool:
    """Whether a contest has the same rows in both, with all that was said of them."""
    if len(one.columns.player) != len(other.columns.player):
        return False
    rows = one.team_names == other.team_names
    for field in ("player", "rank", "side", "share"):
        rows = rows & (getattr(one.columns, field) == getattr(other.columns, field))
    return bool(np.all(rows)) and np.array_equal(one.all_given, other.all_given)
