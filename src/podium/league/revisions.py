"""The systems that a league has been rated by."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from podium import systems
from podium.errors import InputError, NotFoundError, PodiumError, StorageError
from podium.league import schema, segments
from podium.league.database import as_object, fetch
from podium.league.standings import Order, order_of
from podium.ratings import arithmetic
from podium.ratings.arithmetic import FIRST, UNKNOWN, Machine
from podium.systems.base import System
from podium.wording import listed, suggestion


class Revision(NamedTuple):
    """A system with parameters, by which a league is or was rated."""

    id: int
    name: str
    system: System
    created: int
    stale_time: int | None = None
    stale_contest: str = ""
    arithmetic: int = FIRST
    machine: Machine = UNKNOWN
    """What rated it; unknown if several kinds of machines did."""

    @property
    def stale(self) -> Order | None:
        """The turn from which on contests may have changed since it was in force."""
        if self.stale_time is None:
            return None
        return order_of(self.stale_time, self.stale_contest)


def stored(system: System) -> str:
    """The parameters of a system as a league keeps them; what it cannot keep is an error."""
    text = json.dumps(system.stored_parameters())
    if system.name not in systems.names() or systems.by_name(system.name) is not type(system):
        raise InputError(
            f"a league finds its system by name, but {system.name!r} is not registered as "
            f"{type(system).__name__}; podium.systems.register does that."
        )
    try:
        again = type(system).build(json.loads(text))
    except PodiumError:
        again = None
    if again is None or again.stored_parameters() != system.stored_parameters():
        raise InputError(
            f"{system.name} with functions of one's own cannot be kept in a league, because they "
            f"cannot be stored; use those that it has by name."
        )
    return text


def add(connection: Connection, revision: Revision) -> None:
    """Keep a new one, by which nothing is rated yet."""
    system = revision.system
    connection.execute(
        insert(schema.revisions).values(
            id=revision.id,
            name=revision.name,
            system=system.name,
            parameters=stored(system),
            created=revision.created,
            arithmetic=arithmetic.ARITHMETIC,
            machine=arithmetic.this_machine().text(),
            shared=system.new_shared().tobytes() or None,
        )
    )


def drop(connection: Connection, revision: int) -> None:
    """Forget one that is not in force, with all that it rated; its checkpoints are gone."""
    connection.execute(delete(schema.events).where(schema.events.c.revision_id == revision))
    segments.forget_ratings(connection, schema.ratings.c.revision_id == revision)
    connection.execute(delete(schema.revisions).where(schema.revisions.c.id == revision))


def load(connection: Connection) -> list[Revision]:
    """All revisions, the oldest first."""
    r = schema.revisions
    columns = [r.c[name] for name in Revision._fields if name != "system"]
    found = fetch(connection, select(r.c.system, r.c.parameters, *columns).order_by(r.c.id))
    return [_revision(*row) for row in zip(*found, strict=True)]


def _revision(name: str, parameters: str, number: int, called: str, *row: Any) -> Revision:
    system = systems.restored(name, as_object(parameters), "this league is")
    *rest, machine = row
    return Revision._make((number, called, system, *rest, Machine.of(as_object(machine))))


def in_force(connection: Connection) -> Revision:
    """The one that rates the league."""
    number = connection.execute(select(schema.league.c.revision_id)).scalar()
    for each in load(connection):
        if each.id == number:
            return each
    raise StorageError("the league is damaged: no revision is in force.")


def named(connection: Connection, name: str) -> Revision:
    """The one of that name; an unknown one is an error."""
    known = {each.name: each for each in load(connection)}
    if not isinstance(name, str) or name not in known:
        raise NotFoundError(
            f"there is no revision {name!r}{suggestion(name, known)}; there are {listed(known)}."
        )
    return known[name]


def note_machine(connection: Connection, revision: Revision, *, anew: bool) -> None:
    """Take note that this machine has rated a revision: anew, or as it goes on."""
    here = arithmetic.this_machine()
    if (revision.arithmetic, revision.machine) == (arithmetic.ARITHMETIC, here):
        return
    r, text = schema.revisions, here.text()
    this_one = update(r).where(r.c.id == revision.id)
    if anew:
        connection.execute(this_one.values(arithmetic=arithmetic.ARITHMETIC, machine=text))
    elif revision.machine != UNKNOWN:
        connection.execute(this_one.where(r.c.machine != text).values(machine=UNKNOWN.text()))


def refuse_other_arithmetic(revision: Revision) -> None:
    """Raise if contests cannot follow those that a revision has rated."""
    if revision.arithmetic != arithmetic.ARITHMETIC:
        raise StorageError(
            f"the league {arithmetic.hindrance(revision.arithmetic)}; nothing was changed."
        )


def mark_stale(connection: Connection, active: int, time: int, contest: str) -> None:
    """Take note that revisions not in force have not followed a change from that contest on."""
    for revision in load(connection):
        stale = revision.stale
        if revision.id != active and (stale is None or order_of(time, contest) < stale):
            set_stale(connection, revision.id, time, contest)


def set_stale(connection: Connection, revision: int, time: int | None, contest: str) -> None:
    """Take note from which contest on a revision has to catch up, if it has."""
    which = update(schema.revisions).where(schema.revisions.c.id == revision)
    connection.execute(which.values(stale_time=time, stale_contest=contest))
