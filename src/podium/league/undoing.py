"""Nothing is final: taking back what an entry of the log did, making it again, reinstating."""

import dataclasses
import json
from collections.abc import Iterable
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select, update

from podium import systems
from podium.errors import ConflictError, InputError, NotFoundError, StorageError
from podium.league import (
    adjusting,
    checkpoints,
    logs,
    people,
    players,
    readjusting,
    revisions,
    schema,
    standings,
)
from podium.league.changes import (
    Change,
    call_so,
    chosen,
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
from podium.league.edits import NO_MOVES, Changing, Edit
from podium.league.entries import (
    FINAL,
    OF_CONTESTS,
    OF_GUESTS,
    OF_NAMES,
    OF_PEOPLE,
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
    "season": ({"season"}, "which season there was before it"),
    "start": ({"starts", "players"}, "which starting ratings there were before it"),
    "guest": ({"player", "guest"}, "whether the player was a guest before it"),
    **dict.fromkeys(OF_PEOPLE, ({"people"}, "what was known before it")),
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
            "season": self._season,
            "start": self._starts,
            "guest": self._guest,
            **dict.fromkeys(OF_PEOPLE, self._people),
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
            reason = self._hindrance(later, number)
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

    def _hindrance(self, later: Entry, number: int) -> str | None:
        """Why a later entry that stands, by that of a number, is in the way, if it is."""
        mine = self.entry
        if mine.action in OF_PEOPLE:
            return self._known_otherwise(later, number)
        if shared := self._contests_touched.intersection(later.contests):
            return f"it touches contest {min(shared, key=natural)!r}, too"
        if later.action in OF_REVISIONS and mine.action in OF_REVISIONS:
            return "it chose a revision after it"
        if later.action == "revise" and self.entries.stands(later.number):
            return "it made a revision after it"
        if (
            mine.action == "merge"
            and later.action == "attributes"
            and (lost := mine.fields.intersection(_attributes_of(later)))
        ):
            return f"it has to do with the attribute {min(lost)!r}"
        if later.action == mine.action == "rules":
            return "it changed the rules after it"
        if mine.season is not None and later.season == mine.season:
            return f"it changed season {mine.season!r} after it"
        if later.action == "migrate" and (later.before or {}).get("names"):
            return "it gave names another spelling"
        if both := self._started_today.intersection(self._started_by(later)):
            return f"it touches {min(both)!r}"
        if mine.action in OF_GUESTS or later.action in OF_GUESTS:
            return self._hindrance_of_guests(later)
        touched = self._names_touched.intersection(later.names)
        if not touched and mine.names:
            touched = set(mine.names).intersection(later.newcomers)
        if not touched and mine.names and self._touches_player(later):
            touched = {str(mine.player)}
        return f"it touches {min(touched)!r}" if touched else None

    def _hindrance_of_guests(self, later: Entry) -> str | None:
        """The same where one of the two says something of a player, whatever they are called."""
        if later.action in OF_GUESTS:
            theirs = self._today(later.number, [str(later.player)])
            mine = self._today(self.latest.number, [str(self.latest.player)])
            since = self.entry.action in OF_NAMES and later.number > self.entry.number
            same = theirs == mine and (since or self.entry.action == later.action)
            if same or theirs & self._newcomers_today:
                return f"it touches {str(later.player)!r}, too"
        elif later.action == "merge" and self.entries.stands(later.number):
            at = self.entries.latest(later.number)
            merged = self.entries.find(at).details.get("player")
            if merged == self._called_before(at):
                return f"it made {merged!r} and another player one"
        return None

    def _today(self, number: int, names: Iterable[str]) -> set[str]:
        """What players of these names at an entry are called today."""
        return set(names_today(self.entries, number, names).values())

    @cached_property
    def _newcomers_today(self) -> set[str]:
        """Who was new by it, by the names of today."""
        entries = (self.entry, self.latest)
        return set[str]().union(*(self._today(each.number, each.newcomers) for each in entries))

    def _called_before(self, number: int) -> str:
        """What the player of whom this one says something was called just before an entry."""
        name = str(self.latest.player)
        for later, at in self.entries.since(self.latest.number):
            if later.action == "rename" and at < number:
                old, new = later.names if self.entries.stands(later.number) else later.names[::-1]
                name = new if name == old else name
        return name

    @cached_property
    def _started_today(self) -> set[str]:
        """Whoever was given a starting rating, or was new, by it, under the names of today."""
        return self._newcomers_today | self._today(self.entry.number, self.entry.started)

    def _started_by(self, later: Entry) -> set[str]:
        """To whom a later entry gave a starting rating, or who became one by it, likewise."""
        people = set(later.started)
        if later.action == "merge" and self.entry.action == "start":
            people.add(str(later.player))
        return self._today(later.number, people)

    def _known_otherwise(self, later: Entry, number: int) -> str | None:
        """Why a later entry is in the way of one that changed what is known of players."""
        if later.action == "migrate" and (later.before or {}).get("names"):
            return "it gave names another spelling"
        if later.action not in (*OF_PEOPLE, "merge"):
            return None
        fields = self.entry.fields & later.fields
        for attribute in self._attributes_touched:
            if attribute in later.fields:
                return f"it has to do with the attribute {attribute!r}"
        if later.action == "attributes" and (shared := fields.intersection(_attributes_of(later))):
            return f"it has to do with the attribute {min(shared)!r}"
        theirs = set(names_today(self.entries, number, later.people).values())
        shared = self._people_today & theirs
        if shared and (fields or later.action == "merge"):
            return f"it touches {min(shared)!r}"
        return None

    @cached_property
    def _attributes_touched(self) -> set[str]:
        return _attributes_of(self.entry)

    @cached_property
    def _people_today(self) -> set[str]:
        """The names that those have now of whom it changed what is known."""
        return set(names_today(self.entries, self.latest.number, self._latest_people).values())

    @property
    def _latest_people(self) -> list[str]:
        """Of whom the latest entry changed what is known, by the names that they had at it."""
        return list((self.latest.before or {}).get("people", ()))

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
        if self.entry.action == "rename" and (
            later.number < self.latest.number or later.action in OF_PEOPLE
        ):
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
            .where(schema.in_batches(), within(self.connection, s.c.player_id, sorted(known)))
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
        if self.change.writes and len(now):
            there = np.unique(now.columns.player).astype(np.int64)
            states["before"] |= self._drop_who_came_with_it(there)
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

    def _drop_who_came_with_it(self, there: NDArray[np.int64]) -> State:
        """Forget who of these was new by this, or by what is taken back, and has no result left.

        Nor anything that is known of them, nor a starting rating. Which numbers they had, for the
        log.
        """
        connection, s = self.connection, schema.standings
        these = within(connection, s.c.player_id, there.tolist())
        left = select(s.c.player_id).where(schema.in_batches(), these)
        has_results = np.array(fetch(connection, left.distinct())[0], np.int64)
        starts = adjusting.load(connection, there).player
        without = np.setdiff1d(there, np.union1d(has_results, starts))
        without = np.setdiff1d(without, sorted(people.described(connection, without.tolist())))
        names = players.names_of(connection, without.astype(np.int64))
        if not names:
            return {}
        keeping, t = self.entries.keeping(self.entry.number), schema.log
        wrote = fetch(connection, select(t.c.id).where(t.c.after.is_not(None)))[0]
        introduced: dict[bool, set[str]] = {True: set(), False: set()}
        for each in self.entries.these(wrote):
            if these := set(names.values()).intersection(each.newcomers):
                today = names_today(self.entries, each.number, these)
                introduced[each.number in keeping].update(today.values())
        dropped = introduced[False] - introduced[True]
        numbers = {name: number for number, name in names.items() if name in dropped}
        players.drop(connection, list(numbers.values()))
        return {"numbers": numbers} if numbers else {}

    # What is known of players

    def _people(self) -> _Done:
        """What was known of players before, and the attributes that the league had."""
        connection, before = self.connection, self.latest.before or {}
        number, newcomers = numbers_today(
            connection, self.entries, self.latest.number, self._latest_people
        )
        wanted = {number[name]: fields for name, fields in before["people"].items()}
        known = people.defined(connection)
        definitions = before.get("attributes", {})
        attributes = people.with_definitions(known, definitions)
        now = people.of(connection, list(wanted))
        theirs = np.array(sorted(set(wanted) - set(newcomers)), np.int64)
        names = {**newcomers, **players.names_of(connection, theirs)}
        state: State = {
            "people": {
                names[each]: {field: now[each].get(field) for field in fields}
                for each, fields in wanted.items()
            }
        }
        if definitions:
            state["attributes"] = people.definitions_of(known, definitions)
        if self.change.writes:
            players.add(connection, newcomers)
            if definitions:
                people.define(connection, attributes)
            people.put(connection, wanted)
            state |= self._drop_who_came_with_it(np.array(sorted(wanted), np.int64))
        one = next(iter(names.values())) if len(names) == 1 else None
        added = sorted(newcomers.values())
        noted = {
            "player": one,
            "details": {"described": len(names)},
            "before": state,
            "after": {"newcomers": added},
        }
        return NO_MOVES, noted, {"newcomers": added}

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
        whose = np.array([number, other])
        starts = adjusting.starts_of(connection, whose)
        if "starts" in before:
            then = {name: number, str(self.latest.player): other}
            starts = readjusting.starts_from(before, then)
        readjusted = readjusting.readjustment(self.change, whose, starts)
        moved = self.change.make(
            Edit(dropped=old, put=new, newcomers={number: name}, readjusted=readjusted)
        )
        readjusting.write_starts(self.change, whose, starts)
        known = before.get("people", {})
        own = {number: known.get(name, {}), other: known.get(str(self.latest.player), {})}
        if self.change.writes:
            connection.execute(delete(a).where(a.c.name == name))
            theirs = within(connection, a.c.name, before["aliases"])
            connection.execute(update(a).where(theirs).values(player_id=number))
            players.set_guests(connection, [number], before.get("guest", False))
            people.put(connection, own)
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
        known = (self.entry.after or {}).get("people", {})
        together = next(iter(known.values()), None)
        if together is None:  # of an earlier version, which knew nothing of players
            together = chosen(self.connection, number, other, "second")
        moved, noted = make_one(self.change, number, other, together)
        return moved, noted, {}

    # Seasons and starting ratings

    def _season(self) -> _Done:
        """The season that there was before under that name, or none."""
        name, season = readjusting.season_from(self.latest.before or {})
        there = adjusting.seasons(self.connection)
        was = next((each for each in there if each.name == name), None)
        for each in there:
            if season is not None and each.name != name and each.moment == season.moment:
                raise ConflictError(f"season {each.name!r} begins at {each.start} by now.")
        moved = readjusting.put_season(self.change, name, season)
        before = readjusting.season_state(name, was)
        return moved, {"details": {"season": name}, "before": before}, {}

    def _starts(self) -> _Done:
        """The starting ratings that players had before."""
        connection, before = self.connection, self.latest.before or {}
        names = [str(each) for each in before["players"]]
        number, unknown = numbers_today(connection, self.entries, self.latest.number, names)
        starts = readjusting.starts_from(before, number)
        newcomers = {
            each: unknown[each]
            for each in np.unique(starts["player_id"].to_numpy()).tolist()
            if each in unknown
        }
        whose = np.array(sorted(set(number.values()) - (unknown.keys() - newcomers.keys())))
        called = {**newcomers, **players.names_of(connection, whose)}
        noted: dict[str, Any] = {
            "player": self.entry.player,
            "details": {"players": len(whose)},
            "before": readjusting.starts_state(self.change, called),
            "after": {"newcomers": sorted(newcomers.values())},
        }
        moved = readjusting.put_starts(self.change, whose, starts, newcomers)
        if self.change.writes:
            noted["before"] |= self._drop_who_came_with_it(whose)
        return moved, noted, {"newcomers": sorted(newcomers.values())}

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

    def _guest(self) -> _Done:
        """Whether a player was a guest before."""
        connection, before = self.connection, self.latest.before or {}
        (name,) = self._today(self.latest.number, [str(self.latest.player)])
        number = players.number_of(connection, name)
        now = bool(players.guests_among(connection, [number]))
        if self.change.writes:
            players.set_guests(connection, [number], before["guest"])
        noted = {
            "player": name,
            "details": {"guest": before["guest"]},
            "before": {"player": name, "guest": now},
        }
        return NO_MOVES, noted, {}

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


def _attributes_of(entry: Entry) -> set[str]:
    """Of which attributes it changed that, or what, they are."""
    return set((entry.before or {}).get("attributes", ()))


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

    Those get the numbers that they had, or new ones.
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
    newcomers = {}
    if missing:
        newcomers = players.numbered(connection, missing, _numbers_before(entries, number))
    known |= {name: each for each, name in newcomers.items()}
    return {then: known[now] for then, now in today.items()}, newcomers


def _numbers_before(entries: Entries, number: int) -> dict[str, int]:
    """The numbers that players had who are not there, by name: first of all by an entry itself."""
    found: dict[str, int] = {}
    for each in (*entries.toggles(), entries.find(number)):
        found |= (each.before or {}).get("numbers", {})
    return found


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
    had = {} if wanted is None else {"": wanted}
    return next(iter(players.numbered(connection, [""], had)))


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
