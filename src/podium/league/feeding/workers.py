"""Who rates: of a league in a file, the one process that feeds it; on a server, one of many.

On PostgreSQL any number of processes take matches. One of them holds a lock of the server, on the
connection on which it commits: it rates its own and what others put into the inbox. If it dies,
the server lets go of the lock, and another goes on. Whoever has put a match into the inbox is told
by the server that something was rated, and reads what came of it from the league.
"""

import contextlib
import os
import secrets
import select
import threading
import time as clock
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection

from podium.errors import BusyError, NotFoundError, PodiumError, StorageError
from podium.league import edits, players, revisions
from podium.league.database import Database, now
from podium.league.feeding import answers, inbox, memory
from podium.league.feeding.answers import Recorded
from podium.league.feeding.line import Line, Place
from podium.league.feeding.matches import Match, is_same, stamp
from podium.league.feeding.memory import Kept
from podium.league.feeding.recording import Recorder, Standing, Waiting, other_result, there
from podium.league.revisions import Revision
from podium.league.rules import Rules

try:
    import fcntl
except ImportError:  # where files have no such locks, only this process is looked at
    fcntl = None  # type: ignore[assignment]

_ELECTED = 7068698
"""The number of the lock that the process which rates holds."""
_INBOX, _RATED = "podium_inbox", "podium_rated"
_PATIENCE = 0.5
"""Seconds after which a worker looks for itself whether something has happened."""
_MOMENT = 0.25
"""Seconds for which a process that rates takes it that nobody else has changed the league."""
_FROM_INBOX = 1024
_SETTLED_AT_ONCE = 10_000
_feeding: set[str] = set()
_registering = threading.Lock()


class Worker(ABC):
    """What takes matches and lets them be rated."""

    def __init__(
        self, database: Database, recorder: Recorder, line: "Line[Waiting]", quiet: float
    ) -> None:
        self._database = database
        self._recorder = recorder
        self._line = line
        self._quiet = quiet
        self._held = ExitStack()
        self._last = clock.monotonic()
        self._attendant: threading.Thread | None = None
        self._ending = threading.Event()

    @property
    def rates(self) -> bool:
        """Whether this process does."""
        return True

    @abstractmethod
    def begin(self) -> None:
        """Take part."""

    def end(self) -> None:
        """Take part no more."""
        self._ending.set()
        if self._attendant is not None:
            self._attendant.join()
            self._attendant = None
        self._held.close()

    def standing(self) -> Standing:
        """What there is to go on from."""
        with self._recorder.transaction() as connection:
            return self._recorder.standing(connection)

    def work(self, places: list[Place[Waiting]]) -> None:
        """Rate matches, and let those go on who wait for them."""
        self._last = clock.monotonic()
        self._recorder.record(_things(places))
        standing = self._recorder.latest
        if standing is not None and standing.deferred:
            self._attend()
        self._line.finish(places)

    @abstractmethod
    def finish(self) -> None:
        """Wait until nobody is waiting for others any more."""

    def settle(self) -> int:
        """Rate late matches that wait."""
        count = 0
        while done := self._recorder.settle(_SETTLED_AT_ONCE):
            count += done
        return count

    def found(self, names: Sequence[str]) -> tuple[Standing, dict[str, Kept]]:
        """Those of these players whom the league has, and what it goes on from."""
        known = self._recorder.known(names)
        if known is not None and self._is_current(known[0]):
            return known
        found: tuple[Standing, dict[str, Kept]] = self._line.run(lambda: self._looked_up(names))
        return found

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, Standing]]:
        """A transaction, and what the league goes on from as of then."""
        with self._recorder.transaction() as connection:
            yield connection, self._recorder.standing(connection)

    def _is_current(self, standing: Standing, /) -> bool:
        """Whether nobody else has changed the league since."""
        return standing.state == self._database.pulse()

    def _looked_up(self, names: Sequence[str]) -> tuple[Standing, dict[str, Kept]]:
        recorder = self._recorder
        with recorder.transaction() as connection:
            return recorder.standing(connection), recorder.find(connection, names)

    def _attend(self) -> None:
        """Have a thread that does what is to be done when nobody is there."""
        if self._attendant is None:
            self._attendant = threading.Thread(
                target=self._wait_upon, name="podium-feed-attendant", daemon=True
            )
            self._attendant.start()

    def _wait_upon(self) -> None:
        while not self._ending.wait(self._quiet / 4):
            with contextlib.suppress(PodiumError):  # the next match says so, or it is tried again
                self._settle_if_quiet()

    def _settle_if_quiet(self) -> None:
        standing = self._recorder.latest
        waits = standing is None or standing.deferred
        if waits and clock.monotonic() - self._last >= self._quiet:
            self._line.run(self.settle)


class Alone(Worker):
    """Of a league in a file: nobody else may feed it."""

    def begin(self) -> None:
        """Be the one who does."""
        self._held.enter_context(_file_for_oneself(self._database))
        self._held.enter_context(self._database.held())
        if self.standing().deferred:
            self._attend()

    def finish(self) -> None:
        """Nobody else rates, so nobody waits for others."""


@contextmanager
def _file_for_oneself(database: Database) -> Iterator[None]:
    """Be the only one who feeds a league in a file, until this process ends at the latest.

    What is locked is a file beside it: a lock of the system on the league's own would be let go by
    whoever in this process closes that file.
    """
    assert database.path is not None
    path = database.path.resolve()
    beside, own = path.with_name(f"{path.name}-feed"), str(path)
    with _registering:
        if own in _feeding:
            raise _somebody_feeds(database, os.getpid())
        _feeding.add(own)
    try:
        handle = _locked(database, beside)
        try:
            os.ftruncate(handle, 0)
            os.write(handle, str(os.getpid()).encode())
            yield
            beside.unlink(missing_ok=True)
        finally:
            os.close(handle)
    finally:
        _feeding.discard(own)


def _locked(database: Database, path: Path) -> int:
    """A file that this process has locked."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            said = (error.strerror or "").lower()
            raise StorageError(f"{path}: cannot be made ({said}).") from None
        if fcntl is None:
            return handle
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                return handle
            os.close(handle)  # whoever had it has just removed it
        except (BlockingIOError, PermissionError):
            said = os.read(handle, 20).decode(errors="replace")
            os.close(handle)
            raise _somebody_feeds(database, int(said) if said.isdecimal() else None) from None
        except OSError as error:
            os.close(handle)
            said = (error.strerror or "").lower()
            raise StorageError(f"{path}: cannot be locked ({said}).") from None


def _somebody_feeds(database: Database, process: int | None) -> BusyError:
    which = "another process" if process is None else f"process {process}"
    own = " (this one)" if process == os.getpid() else ""
    return BusyError(
        f"{database.shown}: {which}{own} feeds this league, and of a league in a file only one "
        f"does; send matches there, or keep the league on PostgreSQL, where any number may."
    )


class OneOfMany(Worker):
    """On a server: the one who was elected rates, the others put matches into the inbox."""

    def __init__(self, *known: Any) -> None:
        super().__init__(*known)
        self._rates = False
        self._pending: dict[str, list[Place[Waiting]]] = {}
        self._mutex = threading.Lock()
        self._nobody = threading.Condition(self._mutex)
        self._arrived = False
        self._told = 0
        """How often the server has said that matches of the inbox were rated."""
        self._seen = self._stood = 0.0
        self._known_by: tuple[Any, Revision, Rules] | None = None
        self._read: Standing | None = None
        """What was read last, as long as another process rates."""
        self._pipe = os.pipe()
        self._recorder.elected = self._is_elected
        self._recorder.announcement = f"NOTIFY {_RATED}"

    @property
    def rates(self) -> bool:
        """Whether this process was elected."""
        return self._rates

    def begin(self) -> None:
        """Stand for election, and have somebody listen to the server."""
        self._elect()
        self._attend()

    def end(self) -> None:
        """Take part no more."""
        self._ending.set()
        self._wake()
        super().end()
        for each in self._pipe:
            os.close(each)

    def standing(self) -> Standing:
        """What there is to go on from."""
        if self._rates:
            with self._while_elected():
                return super().standing()
        with self._database.reading() as connection, self._database.explained():
            return Standing.load(connection)

    def found(self, names: Sequence[str]) -> tuple[Standing, dict[str, Kept]]:
        """From memory if this process rates; otherwise from the database."""
        if self._rates:
            with self._while_elected():
                return super().found(names)
        with self._database.reading() as connection, self._database.explained():
            standing = Standing.load(connection, to_go_on=False)
            aliases = standing.aliases
            return standing, memory.load(connection, standing.revision, names, aliases=aliases)

    @contextmanager
    def reading(self) -> Iterator[tuple[Connection, Standing]]:
        """A transaction, and what the league goes on from as of then."""
        if self._rates:
            with self._while_elected(), super().reading() as found:
                yield found
                return
        with self._database.reading() as connection, self._database.explained():
            standing = Standing.load(connection, to_go_on=False)
            self._recorder.follow(connection, self._read, standing.entry)
            self._read = standing
            yield connection, standing

    def _is_current(self, _: Standing, /) -> bool:
        """Whether it was looked at a moment ago: the server is not asked for every question."""
        return self._rates and clock.monotonic() - self._seen < _MOMENT

    def _looked_up(self, names: Sequence[str]) -> tuple[Standing, dict[str, Kept]]:
        found = super()._looked_up(names)
        self._seen = clock.monotonic()
        return found

    def work(self, places: list[Place[Waiting]]) -> None:
        """Rate matches and what is in the inbox, or put them there."""
        self._last = clock.monotonic()
        if self._rates:
            with self._while_elected():
                self._rate(_things(places))
                self._line.finish(places)
                return
        self._line.finish([place for place in places if place.thing is None])
        self._enter([place for place in places if place.thing is not None])

    def _rate(self, waiting: list[Waiting]) -> None:
        most, self._arrived = _FROM_INBOX if self._arrived else 0, False
        if waiting or most:
            taken = self._recorder.record(waiting, from_inbox=most)
            self._arrived = self._arrived or taken >= _FROM_INBOX
            self._seen = clock.monotonic()

    def finish(self) -> None:
        """Wait until something has come of all that is in the inbox of this process."""
        with self._mutex:
            self._nobody.wait_for(lambda: not self._pending)

    def settle(self) -> int:
        """Rate late matches that wait, if it is this process that rates."""
        if self._rates:
            with self._while_elected():
                return super().settle()
        return 0

    def _enter(self, places: list[Place[Waiting]]) -> None:
        """Put matches into the inbox, and wait for what comes of them."""
        waiting = _things(places)
        for each in waiting:
            if each.match.id is None:
                each.match.id = f"{stamp(each.match.time or now())}-{secrets.token_hex(4)}"
        told = self._told
        others = self._put(places)
        with self._mutex:  # only now: what is neither in the inbox nor in the league is gone
            for place, each in zip(places, waiting, strict=True):
                self._pending.setdefault(str(each.match.id), []).append(place)
        self._refuse_others(others)
        if told != self._told:  # they may be rated already, and nobody says so again
            self._wake()

    def _put(self, places: Sequence[Place[Waiting]]) -> list[Place[Waiting]]:
        """Put matches into the inbox; those of whose identifiers other ones wait there."""
        waiting = _things(places)
        with self._database.noting() as connection:
            # what is lost in a crash was not answered; a match that is rated is on the disk
            connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            lacking = waiting
            while lacking:  # once more what was taken out meanwhile: it is compared when rated
                inbox.put(
                    connection, [(each.match, each.defer, each.who) for each in lacking], late=False
                )
                ids = [str(each.match.id) for each in lacking]
                kept, known = inbox.contents(connection, ids), there(connection, ids)
                for each in lacking:
                    each.kept = kept.get(str(each.match.id))
                    each.known = each.match.id in known
                lacking = [each for each in lacking if each.kept is None]
            connection.exec_driver_sql(f"NOTIFY {_INBOX}")
            others = {id(each) for each in _others(connection, waiting)}
        return [place for place in places if id(place.thing) in others]

    def _refuse_others(self, places: Sequence[Place[Waiting]]) -> None:
        """Say of matches that others of their identifiers have ended otherwise."""
        for place in places:
            for each in _things([place]):
                self._refuse([place], other_result(str(each.match.id)))

    def _refuse(self, places: Sequence[Place[Waiting]], problem: PodiumError) -> None:
        """Say that nothing is to be waited for any more."""
        with self._mutex:
            gone = {id(place) for place in places}
            for name, theirs in list(self._pending.items()):
                self._pending[name] = [place for place in theirs if id(place) not in gone]
                if not self._pending[name]:
                    del self._pending[name]
            self._nobody.notify_all()
        for each in _things(places):
            each.problem = problem
        self._line.finish(places)

    def _is_elected(self, connection: Connection) -> None:
        """Raise if it is not this process that rates, on a connection that is new."""
        asked = f"SELECT pg_try_advisory_lock({_ELECTED})"
        if not connection.exec_driver_sql(asked).scalar():
            raise _NotElectedError
        connection.commit()

    @contextmanager
    def _while_elected(self) -> Iterator[None]:
        """Leave off what only the process that rates can do, if another one does by now."""
        try:
            yield
        except _NotElectedError:
            self._rates = False

    def _elect(self) -> None:
        """Rate from now on, if nobody does."""
        if self._rates:
            return
        with contextlib.suppress(_NotElectedError):
            with self._recorder.transaction():
                pass
            self._rates = self._arrived = True

    def _wake(self) -> None:
        """Let the attendant look up."""
        with contextlib.suppress(OSError):
            os.write(self._pipe[1], b".")

    def _wait_upon(self) -> None:
        """Listen to the server: matches have come, or have been rated."""
        while not self._ending.is_set():
            try:
                with self._database.listening(_INBOX, _RATED) as driver:
                    anything = True
                    while not self._ending.is_set():
                        self._look_up(answers=anything)
                        anything = self._wait_for(driver)
            except Exception as error:
                self._give_up(error)
                self._ending.wait(_PATIENCE)

    def _give_up(self, error: Exception) -> None:
        """Let those go on who wait while the server is away."""
        with self._mutex:
            places = [place for theirs in self._pending.values() for place in theirs]
        said = str(error).rstrip(".") if isinstance(error, PodiumError) else type(error).__name__
        self._refuse(
            places,
            StorageError(
                f"{said}; whether the match will be rated is not known: the same id again tells."
            ),
        )

    def _wait_for(self, driver: Any) -> bool:
        """Wait until the server or this process has something to say.

        Whether something may have come of matches in the inbox.
        """
        ready, _, _ = select.select([driver, self._pipe[0]], [], [], _PATIENCE)
        before = self._told
        for each in driver.notifies(timeout=0):
            self._told += each.channel == _RATED
        if self._pipe[0] in ready:
            os.read(self._pipe[0], 4096)
            return True
        return not ready or self._told != before

    def _look_up(self, *, answers: bool) -> None:
        if not self._rates and clock.monotonic() - self._stood >= _PATIENCE:
            self._stood = clock.monotonic()
            self._line.run(self._elect)
        if self._rates:
            self._arrived = True
            while self._arrived and self._rates:
                self._line.submit([Place(None)])  # with what else waits to be rated
        if answers or self._rates:
            self._resolve()
        if self._rates:
            self._settle_if_quiet()

    def _resolve(self) -> None:
        """Tell those who wait what has come of matches that they put into the inbox."""
        with self._mutex:
            ids = list(self._pending)
        if not ids:
            return
        with self._database.reading() as connection, self._database.explained():
            waits = inbox.states(connection, ids)
            known = [id for id in ids if id not in waits]
            found = self._rated(connection, known) if known else {}
        settled, again = list[Place[Waiting]](), list[Place[Waiting]]()
        for id in ids:
            state, rated = waits.get(id), found.get(id)
            if state is not None and state.problem is None and not state.late:
                continue
            refused = None if state is None else state.refused
            with self._mutex:
                places = self._pending.pop(id, [])
                if refused is not None:  # it may be another match that came when this was rated
                    others = [place for place in places if not _waits_as(refused, place)]
                    places = [place for place in places if place not in others]
                    if others:
                        self._pending[id] = others
                        again += others
            for each in _things(places):
                if rated is not None:
                    each.answer = rated.again() if each.known else rated
                elif state is None:
                    each.problem = NotFoundError(f"match {id!r} was removed once it was rated.")
                elif state.problem is not None:
                    each.problem = state.problem
                else:
                    each.answer = Recorded(id, state.time or 0, {}, late=True)
            settled += places
        self._line.finish(settled)
        if again:
            self._refuse_others(self._put(again))
        with self._mutex:
            self._nobody.notify_all()

    def _in_force(self, connection: Connection) -> tuple[Revision, Rules]:
        """By what the league is rated and shown, read again only if it is another."""
        asked = "SELECT revision_id, rules FROM league"
        key = tuple(connection.exec_driver_sql(asked).one())
        if self._known_by is None or self._known_by[0] != key:
            self._known_by = (key, revisions.in_force(connection), edits.rules_of(connection))
        return self._known_by[1:]

    def _rated(self, connection: Connection, ids: list[str]) -> dict[str, Recorded]:
        """What has come of matches that are in the league, by the names that they were told of."""
        found = answers.found(connection, *self._in_force(connection), ids)
        with self._mutex:
            given = {
                id: [name for place in self._pending.get(id, []) for name in _named(place)]
                for id in found
            }
        called = {row.name for _, rows in found.values() for row in rows}
        aliases = [name for names in given.values() for name in names if name not in called]
        other: dict[str, str] = {}
        if aliases:
            meant = players.known(connection, aliases)
            names = players.names_of(connection, np.array(list(meant.values()), np.int64))
            other = {names[number]: alias for alias, number in meant.items()}
        return {
            id: Recorded(
                id,
                moment,
                {
                    other[row.name] if other.get(row.name) in given[id] else row.name: row
                    for row in rows
                },
            )
            for id, (moment, rows) in found.items()
        }


def _things(places: Sequence[Place[Waiting]]) -> list[Waiting]:
    return [place.thing for place in places if place.thing is not None]


def _others(connection: Connection, waiting: Sequence[Waiting]) -> list[Waiting]:
    """Those for which another match is in the inbox."""

    def differ(these: Sequence[Waiting], names: Mapping[str, str]) -> list[Waiting]:
        return [each for each in these if each.kept and not is_same(each.match, each.kept, names)]

    found = differ(waiting, {})
    if not found:
        return []
    both = [match for each in found for match in (each.match, each.kept) if match]
    told = list({name: None for match in both for name in match.entry.names})
    number = players.known(connection, told)
    called = players.names_of(connection, np.array(list(number.values()), np.int64))
    return differ(found, {name: called[each] for name, each in number.items()})


def _waits_as(match: Match, place: Place[Waiting]) -> bool:
    """Whether it is this match that is in the inbox for whoever has that place."""
    kept = None if place.thing is None else place.thing.kept
    return kept is not None and kept.entry == match.entry


def _named(place: Place[Waiting]) -> list[str]:
    return [] if place.thing is None else place.thing.match.entry.names


class _NotElectedError(Exception):
    """Another process rates."""


def worker_of(
    database: Database, recorder: Recorder, line: "Line[Waiting]", quiet: float
) -> Worker:
    """What takes matches of a league that is kept there."""
    kind = Alone if database.is_sqlite else OneOfMany
    return kind(database, recorder, line, quiet)
