"""One group of matches, in one transaction: rated, kept, entered in the log.

What a change of a league looks up is known here from the group before: numbers, what is believed of
those who play, the last checkpoint. It holds as long as nobody else has changed the league, which
is looked at first in every transaction. What comes of a group is what `League.record` makes of the
same contests, to the bit; the folding and the tables are the same.
"""

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import Connection, func, select

from podium.errors import ConflictError, InputError, PodiumError, StorageError
from podium.league import (
    adjusting,
    checkpoints,
    edits,
    logs,
    notices,
    players,
    revisions,
    schema,
    segments,
    standings,
)
from podium.league.changes import named_in_log, record
from podium.league.checkpoints import Checkpoint
from podium.league.database import (
    Database,
    asked,
    fetch,
    insert,
    last,
    now,
    replace,
    state,
    state_after,
    user_name,
)
from podium.league.edits import Changing
from podium.league.feeding import answers, inbox, memory
from podium.league.feeding.answers import Recorded, Row
from podium.league.feeding.matches import Match, as_contests, as_they_come, is_same, stamp
from podium.league.feeding.memory import Kept, Memory
from podium.league.folding import Folded, fold
from podium.league.logs import Moved
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import Batch, Order, StoredContests
from podium.ratings.adjustments import Adjustments
from podium.ratings.ladder import refuse_what_system_does_not_take
from podium.results.contests import Contests
from podium.results.times import TIMES
from podium.systems.base import Floats, System
from podium.texts import LONGEST

_FOLLOWED = ("record",)
"""Changes by others after which only those have other beliefs who have new ones."""
_OF_THE_MATCH = (ConflictError, InputError)
"""Errors that a match will always be; after others, it may be tried again."""
_BEFORE_ALL = -(2**62)
_MOST_STRANGERS = 100_000
_MOST_STATES = 1_000
_NO_CONTESTS = StoredContests.none()


def _anybody(_: Connection) -> None:
    """Where only one process can feed a league, it is elected."""


@dataclass(slots=True)
class Waiting:
    """A match, and what comes of it."""

    match: Match
    defer: bool = False
    """Whether it may wait in the inbox if it is late."""
    row: int | None = None
    """Its number in the inbox, if it comes from there."""
    system: System | None = None
    """The system that is known to take it."""
    who: str | None = None
    """Who has told of it, for the log, if that is not who feeds."""
    kept: Match | None = None
    """What another process finds in the inbox for it, if it is put there."""
    known: bool = False
    """Whether the league had it then."""
    answer: Recorded | None = None
    problem: Exception | None = None

    @property
    def settled(self) -> bool:
        """Whether something has come of it."""
        return self.answer is not None or self.problem is not None


@dataclass
class Standing:
    """What a group goes on from, as long as nobody else changes the league."""

    entry: int
    """The number of the last entry of the log."""
    created: int
    """When the league was made."""
    state: str
    """As `database.state` says it."""
    revision: Revision
    rules: Rules
    adjustments: Adjustments
    shared: Floats
    contest: int
    """The largest number of a contest; and so on."""
    player: int
    belief: int
    batch: Batch
    last: Order | None
    """The turn of the last rated contest."""
    time: int
    """Of the last contest."""
    guests: set[int]
    aliases: bool
    """Whether anybody has another name."""
    history: list[Checkpoint]
    taking_part: set[int] = field(default_factory=set)
    """Players of the last checkpoint, if it can go on."""
    parts: int = 0
    """How many parts it has."""
    replaced: int = 0
    """Rows of beliefs that have gone out of force since the last sweep."""
    is_noted: bool = False
    """Whether other revisions, and who rates, have been told that it goes on."""
    deferred: int = 0
    """How many late matches wait in the inbox."""

    @classmethod
    def load(cls, connection: Connection, *, to_go_on: bool = True) -> "Standing":
        """As a league is now; to go on from, or only to be asked."""
        revision = revisions.in_force(connection)
        revisions.refuse_other_arithmetic(revision)
        system, c = revision.system, schema.contests
        nobody = np.empty(0, np.int64)
        latest = select(c.c.time).where(c.c.rated).order_by(c.c.time.desc()).limit(1)
        moment = connection.execute(latest).scalar()
        latest_time = connection.execute(select(func.max(c.c.time))).scalar()
        order = None
        if moment is not None:
            at_once = select(c.c.contest).where(c.c.rated, c.c.time == moment)
            order = max(standings.order_of(moment, each) for each in fetch(connection, at_once)[0])
        found = cls(
            entry=last(connection, schema.log.c.id),
            created=connection.execute(select(schema.league.c.created)).scalar_one(),
            state=state(connection),
            revision=revision,
            rules=edits.rules_of(connection),
            adjustments=adjusting.load(connection),
            shared=checkpoints.load_now(connection, revision.id, system, nobody).packed.shared,
            contest=last(connection, c.c.id),
            player=players.next_number(connection) - 1,
            belief=last(connection, schema.beliefs.c.id),
            batch=standings.last_batch_of(connection),
            last=order,
            time=_BEFORE_ALL if latest_time is None else latest_time,
            guests=set(players.all_guests(connection)),
            aliases=connection.execute(select(schema.aliases.c.name).limit(1)).first() is not None,
            history=[],
        )
        if not to_go_on:
            return found
        found.deferred = inbox.how_many(connection, late=True)
        found.history = history = checkpoints.load(connection, revision.id)
        if history and history[-1].size.rows < checkpoints.LONGEST:
            known = history[-1].known(connection, system)
            found.taking_part = set(known.player.tolist())
            found.parts = checkpoints.parts_of(connection, history[-1])
            history[-1].before = None
        return found


def there(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of these identifiers that contests of the league have."""
    rows = asked(connection, "SELECT contest FROM contests WHERE contest {among}", ids)
    return {id for (id,) in rows}


class Recorder:
    """Rates and keeps matches; one thread at a time."""

    def __init__(self, database: Database, most: int, who: str | None, why: str | None) -> None:
        logs.check_reason(who, why)
        self.memory = Memory(most)
        self.groups = self.matches = 0
        """How many it has kept."""
        self.changed: set[int] | None = set()
        """Whose ratings have changed since somebody looked; None if anybody's may have."""
        self._database = database
        self._who, self._why = who or user_name(), why
        self._connection: Connection | None = None
        self._standing: Standing | None = None
        self._version: int | None = None
        """SQLite's number of the state that the standing was seen in."""
        self._strangers: set[str] = set()
        """Names that nobody has, as far as it was asked."""
        self.fed: dict[str, None] = {}
        """The states in which the league was since somebody else has changed it, the last ones."""
        self.elected: Callable[[Connection], None] = _anybody
        """Raises on a new connection if another process rates."""
        self.announcement: str | None = None
        """What the server is told when something in the inbox was dealt with."""

    @property
    def latest(self) -> Standing | None:
        """What the next group goes on from, if nobody else changes the league."""
        return self._standing

    def known(self, names: Sequence[str]) -> tuple[Standing, dict[str, Kept]] | None:
        """Those of these players whom the league has, if that is known without asking it."""
        with self.memory.lock:
            standing, found = self._standing, self.memory.find(names)
            if standing is None:
                return None
            if len(found) < len(names):
                unknown = (name for name in names if name not in found)
                if not all(name in self._strangers for name in unknown):
                    return None
            return standing, found

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction beside which nobody else changes the league."""
        if self._connection is None or self._connection.closed or self._connection.invalidated:
            self.rest()
            self._connection = self._database.own_connection()
            try:
                self.elected(self._connection)
            except BaseException:
                self.rest()
                raise
        try:
            with self._database.alone_on(self._connection) as connection:
                yield connection
        except BaseException as error:
            self._standing = None
            if isinstance(error, StorageError) or not isinstance(error, PodiumError):
                with suppress(PodiumError):  # it may be lost
                    self.rest()
            raise

    def rest(self) -> None:
        """Let go of the connection."""
        connection, self._connection, self._standing = self._connection, None, None
        if connection is not None:
            self._database.give_back(connection)

    def standing(self, connection: Connection) -> Standing:
        """What a group goes on from, as the league is in this transaction."""
        version = self._database.version_seen(connection)
        if self._standing is not None and version is not None and version == self._version:
            return self._standing
        entry = self._database.last_entry(connection)
        before = self._standing
        if before is None or before.entry != entry:
            self.follow(connection, before, entry)
            self._standing = Standing.load(connection)
            self.fed = {self._standing.state: None}
        self._version = version
        assert self._standing is not None
        return self._standing

    def follow(self, connection: Connection, before: Standing | None, entry: int) -> None:
        """Forget those of whom something else is true since others have changed the league."""
        if before is not None and entry == before.entry:
            return
        if before is not None and entry > before.entry:
            t, b = schema.log, schema.beliefs
            actions = fetch(connection, select(t.c.action).where(t.c.id > before.entry))[0]
            if len(actions) == entry - before.entry and set(actions) <= set(_FOLLOWED):
                touched = fetch(connection, select(b.c.player_id).where(b.c.id > before.belief))[0]
                self.memory.forget(touched)
                self._note(touched)
                self._strangers.clear()
                return
        self.memory.clear()
        self._strangers.clear()
        self.changed = None

    def _note(self, players: Sequence[int]) -> None:
        if self.changed is not None:
            self.changed.update(players)

    def find(self, connection: Connection, names: Sequence[str]) -> dict[str, Kept]:
        """Those of these players whom the league has, by the names that they were called."""
        found = self.memory.find(names)
        missing = [name for name in dict.fromkeys(names) if name not in found]
        if missing:
            standing = self.standing(connection)
            loaded = memory.load(connection, standing.revision, missing, aliases=standing.aliases)
            for name, one in loaded.items():  # somebody may be known by another name already
                known = self.memory.find((one.name,)).get(one.name)
                if known is not None and name not in known.aliases and name != known.name:
                    one.aliases = tuple(dict.fromkeys((*known.aliases, *one.aliases)))
            self.memory.keep({one.number: one for one in loaded.values()}.values())
            found |= loaded
            self._remember_strangers([name for name in missing if name not in loaded])
        return found

    def _remember_strangers(self, names: Sequence[str]) -> None:
        if len(self._strangers) + len(names) > _MOST_STRANGERS:
            self._strangers.clear()
        self._strangers.update(names)

    def record(self, waiting: Sequence[Waiting], *, from_inbox: int = 0) -> int:
        """Rate and keep matches; what came of each is said of it.

        Also up to so many from the inbox; how many there were. If it fails as a whole, nothing is
        kept, and an error says so.
        """
        late: list[Waiting] = []
        entered: list[Waiting] = []
        with self.transaction() as connection:
            standing = self.standing(connection)
            if from_inbox:
                taken = inbox.take(connection, late=False, most=from_inbox)
                own = {each.match.id for each in waiting}
                entered = [
                    Waiting(each.match, each.defer, each.row, who=each.who)
                    for each in taken
                    if each.match.id not in own  # it is compared when that is in the league
                ]
                waiting = [*waiting, *entered]
                inbox.forget(connection)
            group = _Group(self, connection, standing, waiting)
            late = group.sort_out()
            done = group.make() if group.rated else None
            group.empty_inbox()
            if done is not None:
                done.version, self._version = self._version, None  # until it is published
            if entered and self.announcement is not None:
                connection.exec_driver_sql(self.announcement)
        if done is not None:
            self._publish(done)
        if group.deferred and self._standing is not None:
            self._standing.deferred += group.deferred
        for each in group.answered:
            each.answer = group.answer_of(each)
        if late:
            self._record_late(late, group.called)
        if group.twins:
            self.record(group.twins)  # which are known now, if the first of each is kept
        return len(entered)

    def settle(self, most: int) -> int:
        """Rate late matches that wait in the inbox where they belong; how many."""
        with self.transaction() as connection:
            standing = self.standing(connection)
            taken = inbox.take(connection, late=True, most=most)
            late = [Waiting(each.match, False, each.row, who=each.who) for each in taken]
            group = _Group(self, connection, standing, late)
            late = group.sort_out(all_late=True)
            group.empty_inbox()
            standing.deferred = 0
        if late:
            self._record_late(late, group.called)
        for each in late:
            if each.problem is not None and not isinstance(each.problem, _OF_THE_MATCH):
                raise each.problem  # it waits on
        return len(taken)

    def _publish(self, done: "_Done") -> None:
        """Let what was kept be what is known."""
        with self.memory.lock:
            self.memory.keep(done.kept)
            self._strangers.difference_update(one.name for one in done.kept)
            self._note([one.number for one in done.kept])
            self._standing, self._version = done.standing, done.version
            if len(self.fed) > _MOST_STATES:
                self.fed = dict.fromkeys(list(self.fed)[-2:])
            self.fed[done.standing.state] = None
        self.groups += 1
        self.matches += done.matches

    def _record_late(self, late: list[Waiting], called: dict[int, dict[str, str]]) -> None:
        """Rate matches where they belong, as any change of the past does.

        Some may have been told of by other names, these `called` so by those of the league.
        """
        try:
            with self.transaction() as connection:
                standing = self.standing(connection)
                change = Changing(connection, True, self._who_told(late), self._why, None)
                record(
                    change,
                    _in_the_past(late),
                    rated=True,
                    floor=None,
                    ceiling=None,
                    leave_known=False,
                    near=False,
                    strict=False,
                )
                ids = [str(each.match.id) for each in late]
                found = answers.found(connection, standing.revision, standing.rules, ids)
                inbox.drop(connection, [each.row for each in late if each.row is not None])
                if self.announcement is not None:
                    connection.exec_driver_sql(self.announcement)
        except _OF_THE_MATCH as error:
            if len(late) > 1:  # the others are none the worse for it
                for each in late:
                    self._record_late([each], called)
                return
            late[0].problem = error
            self._refuse([each for each in late if each.row is not None])
            return
        except PodiumError as error:
            for each in late:
                each.problem = error
            return
        self._version = None  # it was this connection that has changed the league
        self.matches += len(late)
        for each in late:
            moment, rows = found[str(each.match.id)]
            given = called.get(id(each), {})
            said = {given.get(row.name, row.name): row for row in rows}
            each.answer = Recorded(str(each.match.id), moment, said)

    def _who_told(self, waiting: Sequence[Waiting]) -> str:
        """In whose name the log has matches that are kept together."""
        names = sorted({each.who or self._who for each in waiting})
        return ", ".join(names)[:LONGEST]

    def _refuse(self, entered: list[Waiting]) -> None:
        """Say in the inbox why matches that come from there cannot be rated."""
        if entered:
            with self.transaction() as connection:
                for each in entered:
                    inbox.refuse(connection, each.row or 0, each.problem or InputError(""))


def _in_the_past(late: list[Waiting]) -> Contests:
    """Late matches as any contests."""
    names = sorted({name for each in late for name in each.match.entry.names})
    matches = sorted((each.match for each in late), key=lambda match: match.order)
    numbers = {name: number for number, name in enumerate(names)}
    return as_contests(matches, numbers, 1, set()).as_contests(dict(enumerate(names)))


def _sort(matches: list[Waiting]) -> None:
    """Put matches into their order, which only those of one moment take from their identifiers."""
    times = {each.match.time for each in matches}
    if len(times) < len(matches):
        matches.sort(key=lambda each: each.match.order)
    else:
        matches.sort(key=lambda each: each.match.time or 0)


def _misfit(match: Match, system: System) -> PodiumError | None:
    """Why a system cannot rate a match that another one could."""
    entry = match.entry
    try:
        refuse_what_system_does_not_take(entry.names, entry.team, entry.score, system)
    except PodiumError as error:
        return error
    return None


def other_result(id: str) -> ConflictError:
    """That there is a match of this identifier that ended otherwise."""
    return ConflictError(
        f"match {id!r} is in the league with another result; League.amend puts a result right, and "
        f"another match needs another id."
    )


@dataclass
class _Done:
    """What a group has changed, once it is committed."""

    standing: Standing
    kept: list[Kept]
    matches: int
    version: int | None = None
    """SQLite's number of the state before it."""


class _Group:
    """Matches that are rated together."""

    def __init__(
        self,
        recorder: Recorder,
        connection: Connection,
        standing: Standing,
        waiting: Sequence[Waiting],
    ) -> None:
        self._recorder = recorder
        self._connection = connection
        self._standing = standing
        self._waiting = waiting
        self.twins: list[Waiting] = []
        """Matches of the same identifiers as others that come before them."""
        self.rated: list[Waiting] = []
        """Those that follow all that is rated, in their order."""
        self.answered: list[Waiting] = []
        self.called: dict[int, dict[str, str]] = {}
        """Of matches whose players go by other names, these by those."""
        self._rows: dict[int, list[Row]] = {}
        self._left: list[int] = []
        self.deferred = 0

    def sort_out(self, *, all_late: bool = False) -> list[Waiting]:
        """Answer what is known already, and give the others a time and an identifier.

        Those that are late are returned, or put into the inbox if they may wait there. They may all
        be taken for late, whatever they are.
        """
        system = self._standing.revision.system
        for each in self._waiting:
            if each.system is not system:
                each.problem = _misfit(each.match, system)
        called = [each for each in self._waiting if each.match.id and not each.settled]
        known = there(self._connection, [str(each.match.id) for each in called])
        if known:
            self._answer_known([each for each in called if each.match.id in known])
        if self._standing.deferred and called:
            self._answer_deferred([each for each in called if each.row is None])
        single, ids = list[Waiting](), set[str | None]()
        for each in self._waiting:
            if not each.settled:
                (self.twins if each.match.id in ids else single).append(each)
                ids |= {each.match.id} - {None}
        self._date(single)
        single = [each for each in single if not each.settled]
        self._name(single)
        single = [each for each in single if not each.settled]
        _sort(single)
        last = self._standing.last
        if last is not None and single and not single[0].match.order > last:
            self.rated = [each for each in single if each.match.order > last]
        else:
            self.rated = single
        late = single[: len(single) - len(self.rated)]
        if all_late:
            self.rated, late = [], single
        self._defer([each for each in late if each.defer])
        return [each for each in late if not each.defer]

    def _defer(self, late: list[Waiting]) -> None:
        """Let late matches wait in the inbox."""
        if not late:
            return
        new = [(each.match, True, each.who) for each in late if each.row is None]
        inbox.put(self._connection, new, late=True)
        there = [each.row for each in late if each.row is not None]
        if there:
            inbox.wait(self._connection, there)
        self.deferred = len(late)
        for each in late:
            match = each.match
            each.answer = Recorded(str(match.id), match.time or 0, {}, late=True)

    def _answer_deferred(self, matches: list[Waiting]) -> None:
        """Say again that matches wait which are in the inbox already, if they are the same."""
        waits = inbox.contents(self._connection, [str(each.match.id) for each in matches])
        for each in matches:
            id = str(each.match.id)
            if each.settled or id not in waits:
                continue
            kept = waits[id]
            told = [*each.match.entry.names, *kept.entry.names]
            players = self._recorder.find(self._connection, told)
            if is_same(each.match, kept, {name: one.name for name, one in players.items()}):
                each.answer = Recorded(id, kept.time or 0, {}, late=True, known=True)
            else:
                each.problem = other_result(id)

    def empty_inbox(self) -> None:
        """Take out of the inbox what comes from there and is rated; say why others are not."""
        entered = [each for each in self._waiting if each.row is not None]
        if not entered:
            return
        done = {id(each) for each in self.rated}
        for each in entered:
            if each.problem is not None:
                inbox.refuse(self._connection, each.row or 0, each.problem)
            elif id(each) in done or (each.answer is not None and not each.answer.late):
                self._left.append(each.row or 0)
        inbox.drop(self._connection, self._left)

    def _answer_known(self, known: list[Waiting]) -> None:
        """Say again what came of matches that are there, if they are the same."""
        connection, standing = self._connection, self._standing
        ids = [str(each.match.id) for each in known]
        kept = standings.load_named(connection, ids)
        place = {id: number for number, id in enumerate(kept.contest)}
        found = answers.found(connection, standing.revision, standing.rules, ids)
        names = [name for each in known for name in each.match.entry.names]
        players = self._recorder.find(connection, names)
        for each in known:
            id, match = str(each.match.id), each.match
            stored = kept.take([place[id]])
            moment, rows = found[id]
            if not _is_same(match, players, stored):
                each.problem = other_result(id)
                continue
            given = {players[name].name: name for name in match.entry.names}
            said = {given.get(row.name, row.name): row for row in rows}
            each.answer = Recorded(id, moment, said, known=True)

    def _date(self, matches: list[Waiting]) -> None:
        """Give those a time that have none, the clock's, later than all, and each an identifier."""
        latest = max(now() - 1, self._standing.time)
        unnamed: list[Match] = []
        for each in matches:
            match = each.match
            if match.time is None and latest == TIMES[1]:
                each.problem = InputError(
                    "the league has a contest at the last moment that there can be, and nothing is "
                    "later; say when the match took place."
                )
                continue
            if match.time is None:
                latest += 1
                match.time = latest
            if match.id is None:
                unnamed.append(match)
        if not unnamed:
            return
        stamps = [stamp(match.time or 0) for match in unnamed]
        taken = there(self._connection, stamps)
        taken |= {each.match.id for each in matches if each.match.id is not None}
        for match, called in zip(unnamed, stamps, strict=True):
            id, number = called, 1
            while id in taken:
                number += 1
                id = f"{called}-{number}"
                if id not in taken and there(self._connection, [id]):
                    taken.add(id)
            taken.add(id)
            match.id = id

    def _name(self, matches: list[Waiting]) -> None:
        """Let players be called as the league calls them."""
        names = [name for each in matches for name in each.match.entry.names]
        self._players = self._recorder.find(self._connection, names)
        other = {name: one.name for name, one in self._players.items() if one.name != name}
        if not other:
            return
        for each in matches:
            if any(name in other for name in each.match.entry.names):
                try:
                    named = each.match.under_names(other)
                except InputError as error:
                    each.problem = error
                    continue
                self.called[id(each)] = {other.get(n, n): n for n in each.match.entry.names}
                each.match = named
        self._players |= {one.name: one for one in self._players.values()}

    def make(self) -> _Done:
        """Rate the matches that follow all others, and keep them."""
        standing, system = self._standing, self._system
        matches = [each.match for each in self.rated]
        newcomers = self._newcomers(matches)
        numbers = {name: one.number for name, one in self._players.items()}
        put = as_contests(matches, numbers, standing.contest + 1, standing.guests)
        there = {one.number: one for one in self._players.values()}
        playing = np.unique(put.columns.player).tolist()
        before = memory.known_of([there[each] for each in playing], system, standing.shared)
        folded = fold(
            system,
            put,
            before,
            [],
            standing.adjustments,
            starts=[0] if put.eligible.any() else None,
            trusted=True,
        )
        after = dataclasses.replace(
            standing,
            contest=standing.contest + len(put),
            player=standing.player + len(newcomers),
            last=matches[-1].order,
            time=max(standing.time, *(match.time or 0 for match in matches)),
        )
        self._keep_results(put, newcomers, after)
        kept, moves = self._keep_ratings(folded, there, after)
        self._keep_checkpoint(folded, after)
        self._tell(put, newcomers, moves, after)
        self._say(folded)
        return _Done(after, kept, len(put))

    @property
    def _system(self) -> Any:
        return self._standing.revision.system

    def _newcomers(self, matches: list[Match]) -> dict[int, str]:
        """Those whom the league does not know yet, by the numbers that they get.

        They are numbered match by match, so that it is all the same which ones came together.
        """
        known = self._players
        new = {
            name: None
            for match in matches
            for name in sorted(match.entry.names)
            if name not in known
        }
        newcomers = dict(enumerate(new, self._standing.player + 1))
        self._players |= {name: Kept(number, name) for number, name in newcomers.items()}
        return newcomers

    def _keep_results(
        self, put: StoredContests, newcomers: dict[int, str], after: Standing
    ) -> None:
        connection = self._connection
        if newcomers:
            columns = {"id": list(newcomers), "name": list(newcomers.values())}
            insert(connection, schema.players, columns)
            connection.exec_driver_sql(f"UPDATE league SET last_player = {after.player:d}")
        batch = put.save(connection, last_batch=self._standing.batch)
        assert batch is not None
        after.batch = batch

    def _keep_ratings(
        self, folded: Folded, there: dict[int, Kept], after: Standing
    ) -> tuple[list[Kept], Moved]:
        """Keep events, beliefs and ratings; who has others now, and whose rating moved."""
        connection, standing = self._connection, self._standing
        revision, rules = standing.revision, standing.rules
        if not len(folded.rated.contest):
            return [], Moved([], np.empty(0), np.empty(0))
        self._events = edits.event_columns(revision, folded)
        insert(connection, schema.events, self._events)
        rated = checkpoints.distinct(folded.rated.columns.player)
        known = folded.after
        if len(rated) < len(known.player):
            known = known.of(rated)
        rows = checkpoints.save_now(connection, revision.id, known, standing.belief)
        now = adjusting.records(known, revision.system, standing.adjustments)
        columns = edits.rating_columns(revision, rules, now)
        replace(
            connection,
            schema.ratings,
            ("revision_id", "player_id"),
            {**columns, "belief_id": rows},
        )
        old = [there[number] for number in rated.tolist()]
        gone = [one.belief for one in old if one.belief is not None]
        segments.count(connection, rows, np.array(gone, np.int64))
        after.belief, after.replaced = int(rows[-1]), standing.replaced + len(gone)
        if after.replaced >= segments.SIZE:
            segments.sweep(connection, after.replaced)
            after.replaced = 0
        after.shared = known.packed.shared
        shown = columns["shown"].tolist()
        kept = {
            one.number: Kept(one.number, one.name, belief=row, shown=now_shown, aliases=one.aliases)
            for one, row, now_shown in zip(old, rows.tolist(), shown, strict=True)
        }
        memory.take(known, kept)
        before = np.array([one.shown for one in old])
        names = [one.name for one in old]
        moves = edits.moves_in_order(names, before, columns["shown"])
        self._was = {one.number: one for one in old}
        return list(kept.values()), moves

    def _keep_checkpoint(self, folded: Folded, after: Standing) -> None:
        """Let the last checkpoint go on, or another begin."""
        if not folded.checkpoints:
            return
        connection, standing = self._connection, self._standing
        revision, (made,) = standing.revision, folded.checkpoints
        assert made.before is not None
        there = set(made.before.player.tolist())
        tail = standing.history[-1] if standing.history else None
        goes_on = standing.parts and tail is not None
        if goes_on and tail is not None and tail.size.rows < checkpoints.LONGEST:
            new = there - standing.taking_part
            joined = made.before if new else None
            if joined is not None and len(new) < len(there):
                joined = joined.of(np.array(sorted(new), np.int64))
            grown = dataclasses.replace(tail, size=tail.size.plus(made.size))
            checkpoints.extend(connection, revision.id, grown, standing.parts, joined)
            after.history = [*standing.history[:-1], grown]
            after.parts = standing.parts + bool(new)
            after.taking_part = standing.taking_part | new if new else standing.taking_part
            return
        history = checkpoints.merged(connection, revision.system, standing.history)
        checkpoints.save(connection, revision.id, standing.history, [*history, made])
        for each in (*history, made):
            each.before = None
        after.history = [*history, made]
        after.parts, after.taking_part = checkpoints.parts_of(connection, made), there

    def _tell(
        self,
        put: StoredContests,
        newcomers: dict[int, str],
        moves: Moved,
        after: Standing,
    ) -> None:
        """Enter the group in the log, and let others be told."""
        connection, standing, recorder = self._connection, self._standing, self._recorder
        revision, rules, since = standing.revision, standing.rules, int(put.columns.time[0])
        if not standing.is_noted:
            revisions.mark_stale(connection, revision.id, since, put.contest[0])
            revisions.note_machine(connection, revision, anew=not standing.history)
            after.is_noted = True
        single = put.contest[0] if len(put) == 1 else None
        details = {
            "contests": len(put),
            "rows": len(put.columns.player),
            "rated": True,
            **named_in_log(put.contest),
            **logs.who_moved(moves),
        }
        recorded = {"recorded": put.contest, "newcomers": sorted(newcomers.values())}
        who, why = recorder._who_told(self.rated), recorder._why
        number, time = logs.write_log(
            connection,
            "record",
            who,
            why,
            single,
            None,
            details,
            None,
            recorded,
            latest=standing.entry,
        )
        after.entry = number
        after.state = state_after(standing.created, number, time)
        telling = notices.Telling()
        telling.add(_NO_CONTESTS, put, since)
        telling.numbers.update((name, one.number) for name, one in self._players.items())
        if rules.titles and rules.gives_provisional:
            telling.provisional |= self._provisional(rules)
        noted = notices.Noted(number, time, "record", single, None, why)
        notices.announce(connection, noted, moves, telling, revision, rules)

    def _provisional(self, rules: Rules) -> set[int]:
        """Who of those who were rated had a rating before that was provisional."""
        kind = np.dtype(self._system.table_fields)
        found = set()
        for number, one in self._was.items():
            if one.record is not None:
                row = np.frombuffer(one.record, kind)[0]
                if rules.is_provisional(int(row["contests"]), float(row["sigma"])):
                    found.add(number)
        return found

    def _say(self, folded: Folded) -> None:
        """Note what came of every match."""
        self.answered = self.rated
        if not len(folded.rated.contest):
            return
        entries = [name for each in self.rated for name in each.match.entry.names]
        names = [entries[row] for row in folded.rated.row.tolist()]
        standing = self._standing
        rows = answers.rows_of(
            standing.revision, standing.rules, names, self._events["number"], self._events
        )
        bounds = folded.rated.columns.offsets.tolist()
        for place, contest in enumerate(folded.rated.contest.tolist()):
            self._rows[contest] = rows[bounds[place] : bounds[place + 1]]
        self._place = {id(each): number for number, each in enumerate(self.rated)}

    def answer_of(self, each: Waiting) -> Recorded:
        """What is said of a match that was rated."""
        match = each.match
        rows = self._rows.get(self._place[id(each)], []) if self._rows else []
        given = self.called.get(id(each), {})
        said = {given.get(row.name, row.name): row for row in rows}
        return Recorded(str(match.id), match.time or 0, said)


def _is_same(match: Match, players: dict[str, Kept], stored: StoredContests) -> bool:
    """Whether a match is one that is there."""
    if any(name not in players for name in match.entry.names):
        return False
    other = {name: players[name].name for name in match.entry.names}
    try:
        again = match.under_names(other)
    except InputError:
        return False
    again.time = match.time if match.timed else int(stored.columns.time[0])
    numbers = {one.name: one.number for one in players.values()}
    contest = as_contests([again], numbers, int(stored.number[0]), set())
    contest = dataclasses.replace(contest, name=stored.name)
    return bool(_by_members(contest).same_as(_by_members(stored))[0])


def _by_members(contest: StoredContests) -> StoredContests:
    """The same contest with teams that are called by numbers: players may have other names now."""
    team = as_they_come(contest.columns.team.tolist())
    columns = contest.columns._replace(team=np.array(team, np.int32))
    return dataclasses.replace(contest, columns=columns, teams=list(map(str, range(max(team) + 1))))
