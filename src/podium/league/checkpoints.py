"""Checkpoints: some contests in a row, and what was believed of their players before the first.

A contest can be folded again from the start of its checkpoint, because whoever takes part from
there on is known as of then: from the oldest checkpoint in which they appear, or else from what is
believed now. So checkpoints hold only those who play, and a change costs what it touches.

Checkpoints are short near the end of a history and longer towards its beginning: none that
holds several contests has more contests or more rows than all later ones together, so that folding
from its start is at most twice the work that a change in it needs. Beyond the last tenth of
the history, which is changed rarely, they may be `_FAR` times as long. Where later contests have
been taken out, a checkpoint may be longer than that, until a change in it lays it out anew; and
the last one of a league that is fed goes on, contest by contest, until it has `LONGEST` rows.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select, update

from podium.errors import StorageError
from podium.league import schema, segments
from podium.league.database import fetch, insert, replace, within
from podium.league.standings import Order, order_of
from podium.ratings.beliefs import Beliefs, Packed
from podium.systems.base import Floats, System

LONGEST = 2048
"""Rows of a checkpoint that goes on: folding them again takes some milliseconds."""
_FAR = 4
_RECENT = 0.1
_BYTES_IN_A_PART = 1 << 25
_COUNTS = 16
"""How many bytes say how much a part holds."""


class Known(NamedTuple):
    """What is believed of players, by their numbers, which increase."""

    player: NDArray[np.int64]
    packed: Packed

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> "Known":
        """Some of them."""
        if rows.dtype == np.bool_:
            if rows.all():
                return self
            rows = np.flatnonzero(rows)
        which: NDArray[np.int64] = rows.astype(np.int64, copy=False)
        return Known(self.player[which], self.packed.take(which))

    def of(self, players: NDArray[np.int64]) -> "Known":
        """Those of these players."""
        return self.take(np.isin(self.player, players, assume_unique=True))

    def places(self, players: NDArray[Any]) -> NDArray[np.int32]:
        """Where among these players, all of whom are known, each is."""
        place = np.zeros(int(self.player[-1]) + 1 if len(self.player) else 0, np.int32)
        place[self.player] = np.arange(len(self.player))
        found: NDArray[np.int32] = place[players]
        return found

    def and_others(self, other: "Known") -> "Known":
        """With what is known of others; who is known already, and what all share, stays."""
        new = other.take(~np.isin(other.player, self.player, assume_unique=True))
        if not len(new.player):
            return self
        if not len(self.player):
            return Known(new.player, new.packed._replace(shared=self.packed.shared))
        player = np.concatenate((self.player, new.player))
        packed = Packed.concat((self.packed, new.packed))
        return Known(player, packed).take(np.argsort(player))

    def same_as(self, other: "Known") -> bool:
        """Whether the same is believed of the same players, to the bit."""
        mine, theirs = (self.player, *self.packed), (other.player, *other.packed)
        return all(
            one.dtype == another.dtype and one.tobytes() == another.tobytes()
            for one, another in zip(mine, theirs, strict=True)
        )

    def beliefs(
        self, system: System, names: list[str] | None = None, *, trusted: bool = False
    ) -> Beliefs:
        """The same as beliefs, whose players are in this order; validated unless `trusted`."""
        beliefs = Beliefs.unpacked(system, names or [""] * len(self.player), self.packed)
        if not trusted and (said := beliefs.flaw()):
            raise damaged(said)
        return beliefs


def distinct(*players: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers that stand in arrays, in increasing order; a league's numbers have few gaps.

    Example:
        >>> distinct(np.array([3, 1, 3]), np.array([2]))
        array([1, 2, 3])
    """
    largest = max((int(each.max()) for each in players if len(each)), default=-1)
    is_there = np.zeros(largest + 1, np.bool_)
    for each in players:
        is_there[each] = True
    return np.flatnonzero(is_there)


def newcomers(system: System, players: NDArray[np.int64]) -> Known:
    """What is believed of those who have never played, before the first contest."""
    fresh = Beliefs(system)
    fresh.enrol([""])
    return Known(players, fresh.packed(np.zeros(len(players), np.int64)))


def joined(parts: Sequence[Known]) -> Known:
    """What is known of different players; what all share is that of the first."""
    filled = [part for part in parts if len(part.player)]
    if len(filled) < 2:
        only = (filled or parts)[0]
        return Known(only.player, only.packed._replace(shared=parts[0].packed.shared))
    player = np.concatenate([part.player for part in filled])
    packed = Packed.concat([part.packed for part in filled])
    packed = packed._replace(shared=parts[0].packed.shared)
    return Known(player, packed).take(np.argsort(player))


class Size(NamedTuple):
    """How much of a history a checkpoint is."""

    contests: int
    rows: int

    def plus(self, other: "Size") -> "Size":
        """Both together."""
        return Size(self.contests + other.contests, self.rows + other.rows)

    def fits(self, later: "Size", total: "Size") -> bool:
        """Whether a checkpoint of several contests may be so long, with so much after it."""
        if self.contests <= 1:
            return True
        return all(
            own <= after * (1 if after < _RECENT * everything else _FAR)
            for own, after, everything in zip(self, later, total, strict=True)
        )


NOTHING = Size(0, 0)


@dataclass
class Checkpoint:
    """Contests from one on, up to the next checkpoint."""

    time: int
    contest: str
    size: Size
    id: int | None = None
    """The number of its checkpoint, if it is kept."""
    before: Known | None = None
    """What was believed before it, if it is at hand."""
    shared: bytes | None = None
    """What all players shared before it, as it is kept."""

    @property
    def order(self) -> Order:
        """The turn of its first contest."""
        return order_of(self.time, self.contest)

    def known(self, connection: Connection, system: System) -> Known:
        """What was believed before it."""
        if self.before is None:
            p = schema.checkpoint_parts
            parts = fetch(
                connection,
                select(p.c.beliefs).where(p.c.checkpoint_id == self.id).order_by(p.c.part),
            )[0]
            shared = _shared(self.shared, system)
            if not parts:
                raise damaged("a checkpoint is empty")
            self.before = _joined([_from_bytes(part, system, shared) for part in parts])
        return self.before


def layout(sizes: Sequence[Size], total: Size) -> list[int]:
    """Where checkpoints begin, among the last contests of a history of that total size.

    Example:
        >>> layout([Size(1, 5)] * 12, Size(12, 60))
        [0, 2, 10, 11]
    """
    starts: list[int] = []
    later, own = NOTHING, NOTHING
    for contest in range(len(sizes) - 1, -1, -1):
        longer = own.plus(sizes[contest])
        if not longer.fits(later, total):
            starts.append(contest + 1)
            later, longer = later.plus(own), sizes[contest]
        own = longer
    return [0, *reversed(starts)] if sizes else []


def total_size(checkpoints: Sequence[Checkpoint]) -> Size:
    """Of the whole history."""
    total = NOTHING
    for checkpoint in checkpoints:
        total = total.plus(checkpoint.size)
    return total


def merged(
    connection: Connection, system: System, checkpoints: Sequence[Checkpoint]
) -> list[Checkpoint]:
    """The same history with neighbours in one wherever they need not be two."""
    total, later = total_size(checkpoints), NOTHING
    result: list[Checkpoint] = []
    for checkpoint in reversed(checkpoints):
        last = result[-1] if result else None
        if last is not None:
            both, after = checkpoint.size.plus(last.size), _minus(later, last.size)
            if both.fits(after, total):
                known = checkpoint.known(connection, system)
                known = known.and_others(last.known(connection, system))
                result[-1] = Checkpoint(checkpoint.time, checkpoint.contest, both, None, known)
                later = later.plus(checkpoint.size)
                continue
        result.append(checkpoint)
        later = later.plus(checkpoint.size)
    return result[::-1]


def continued(old: Sequence[Checkpoint], new: Sequence[Checkpoint]) -> None:
    """Let checkpoints go on to be those that begin in the same place with the same beliefs.

    What was believed before the first contest that is rated again has not changed, and need not be
    written again.
    """
    if old and new and old[0].order == new[0].order and old[0].before is not None:
        assert new[0].before is not None
        if old[0].before.same_as(new[0].before):
            new[0].id, new[0].shared = old[0].id, old[0].shared


def _minus(one: Size, other: Size) -> Size:
    return Size(one.contests - other.contests, one.rows - other.rows)


def load(connection: Connection, revision: int) -> list[Checkpoint]:
    """All checkpoints, in order, without what was believed."""
    c = schema.checkpoints
    found = fetch(
        connection,
        select(c.c.id, c.c.time, c.c.contest, c.c.contests, c.c.rows, c.c.shared).where(
            c.c.revision_id == revision
        ),
    )
    checkpoints = [
        Checkpoint(time, contest, Size(contests, rows), number, shared=shared)
        for number, time, contest, contests, rows, shared in zip(*found, strict=True)
    ]
    return sorted(checkpoints, key=lambda checkpoint: checkpoint.order)


def save(
    connection: Connection, revision: int, before: Sequence[Checkpoint], after: Sequence[Checkpoint]
) -> None:
    """Keep these checkpoints in place of those."""
    kept = {checkpoint.id for checkpoint in after if checkpoint.id is not None}
    forget(connection, [each.id for each in before if each.id is not None and each.id not in kept])
    number = int(connection.execute(select(func.max(schema.checkpoints.c.id))).scalar() or 0)
    sizes, c = {each.id: each.size for each in before}, schema.checkpoints
    for checkpoint in after:
        if checkpoint.id is not None:
            if checkpoint.size != sizes[checkpoint.id]:
                long = checkpoint.size._asdict()
                connection.execute(update(c).where(c.c.id == checkpoint.id).values(**long))
            continue
        number += 1
        checkpoint.id = number
        assert checkpoint.before is not None
        checkpoint.shared = checkpoint.before.packed.shared.tobytes() or None
        insert(
            connection,
            schema.checkpoints,
            {
                "id": number,
                "revision_id": revision,
                "time": checkpoint.time,
                "contest": checkpoint.contest,
                "contests": checkpoint.size.contests,
                "rows": checkpoint.size.rows,
                "shared": checkpoint.shared,
            },
        )
        for part, known in enumerate(_in_parts(checkpoint.before)):
            columns = {"checkpoint_id": number, "part": part, "beliefs": [_to_bytes(known)]}
            insert(connection, schema.checkpoint_parts, columns)


def extend(
    connection: Connection, revision: int, checkpoint: Checkpoint, part: int, joined: Known | None
) -> None:
    """Keep that the last checkpoint goes on, and what was believed before it of who joined, if any.

    They are those who had not taken part in it so far, of whom it is still believed.
    """
    c, size = schema.checkpoints, checkpoint.size
    columns = {
        "id": checkpoint.id,
        "revision_id": revision,
        "time": checkpoint.time,
        "contest": checkpoint.contest,
        "contests": size.contests,
        "rows": size.rows,
        "shared": checkpoint.shared,
    }
    replace(connection, c, ("id",), columns)
    if joined is not None:
        one = {"checkpoint_id": checkpoint.id, "part": part, "beliefs": [_to_bytes(joined)]}
        insert(connection, schema.checkpoint_parts, one)


def parts_of(connection: Connection, checkpoint: Checkpoint) -> int:
    """How many parts of a checkpoint there are."""
    p = schema.checkpoint_parts
    last = select(func.max(p.c.part)).where(p.c.checkpoint_id == checkpoint.id)
    return 1 + int(connection.execute(last).scalar_one())


def forget(connection: Connection, checkpoints: Sequence[int]) -> None:
    """Remove checkpoints."""
    for column in (schema.checkpoint_parts.c.checkpoint_id, schema.checkpoints.c.id):
        connection.execute(delete(column.table).where(within(connection, column, checkpoints)))


def load_now(
    connection: Connection, revision: int, system: System, players: NDArray[np.int64] | None = None
) -> Known:
    """What is believed now of players, or of all of them, as far as they have played.

    They are in the order in which they are given, or else in that of their numbers.
    """
    r, b = schema.ratings, schema.beliefs
    mine = (b.c.revision_id == r.c.revision_id) & (b.c.player_id == r.c.player_id)
    statement = (
        select(r.c.player_id, b.c.record, b.c.memory)
        .join(b, (b.c.id == r.c.belief_id) & mine, isouter=True)  # lest one is lost unnoticed
        .where(r.c.revision_id == revision, r.c.belief_id.is_not(None))
    )
    if players is not None:
        statement = statement.where(within(connection, r.c.player_id, np.sort(players).tolist()))
    number, records, memories = fetch(connection, statement)
    try:
        player = np.array(number, np.int64)
        order = np.argsort(player) if players is None else _rows_of(players, player)
        if (np.diff(order) != 1).any():
            rows = order.tolist()
            player, records, memories = (
                player[order],
                list(map(records.__getitem__, rows)),
                list(map(memories.__getitem__, rows)),
            )
        table = np.frombuffer(b"".join(records), np.dtype(system.table_fields))
        memory = np.frombuffer(b"".join(memories), system.pool_type)
    except (TypeError, ValueError):
        raise damaged("they are of another type or size") from None
    width = memory.dtype.itemsize
    sizes = np.fromiter(map(len, memories), np.int64, len(memories)) // width
    shared = system.new_shared()
    if len(shared):
        r = schema.revisions
        kept = connection.execute(select(r.c.shared).where(r.c.id == revision)).scalar()
        shared = _shared(kept, system)
    known = Known(player, Packed(table, sizes, memory, shared))
    refuse_misfit(known, system)
    return known


def _rows_of(players: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of these players was found, those left out who were not."""
    order = np.argsort(found)
    place = np.searchsorted(found, players, sorter=order)
    there = np.append(order, -1)[place]
    rows: NDArray[np.int64] = there[np.append(found, -1)[there] == players]
    if len(rows) < len(found):
        raise damaged("a player is in them twice")
    return rows


def damaged(why: str) -> StorageError:
    """That beliefs of a league cannot be."""
    return StorageError(
        f"the beliefs of this league are damaged: {why}; podium export saves the contests, from "
        f"which podium init makes it anew."
    )


def refuse_misfit(known: Known, system: System) -> None:
    """Raise if records, sizes and memory are not of the same players, each of them once."""
    player, (table, sizes, memory, _) = known.player, known.packed
    if not len(player) == len(table) == len(sizes) or int(sizes.sum()) != len(memory):
        raise damaged("players and their memories are not as many")
    if not np.array_equal(sizes, system.memory_sizes(table)) or (sizes < 0).any():
        raise damaged("a memory has another size than its record says")
    if len(player) and (player.min() < 0 or len(np.unique(player)) < len(player)):
        raise damaged("a player is in them twice")


def _shared(kept: bytes | None, system: System) -> Floats:
    """What all players share, as it is kept."""
    kept, start = kept or b"", system.new_shared()
    if not isinstance(kept, bytes) or len(kept) != start.nbytes:
        raise StorageError(
            f"what all players share in this league is not what {system.name} lets them share; "
            f"it was rated by another version of that system, or is damaged."
        )
    return np.frombuffer(kept, np.float64)


def save_now(
    connection: Connection, revision: int, known: Known, last: int | None = None
) -> NDArray[np.int64]:
    """Keep what is believed now of these players, and what all share; the numbers of its rows.

    They are in force as soon as the table of ratings says so; see `segments.exchange`. Whoever
    knows the last number that there is says so, and it is not looked for.
    """
    number = segments.numbers_of_new(connection, len(known.player), last)
    record, memory = known.packed.table.tobytes(), known.packed.memory.tobytes()
    width = known.packed.table.dtype.itemsize
    ends = np.cumsum(known.packed.sizes * known.packed.memory.dtype.itemsize).tolist()
    columns = {
        "id": number,
        "revision_id": revision,
        "player_id": known.player,
        "record": [record[at : at + width] for at in range(0, len(record), width)],
        "memory": [memory[start:end] for start, end in zip([0, *ends], ends, strict=False)],
    }
    insert(connection, schema.beliefs, columns)
    if len(known.packed.shared):
        r, shared = schema.revisions, known.packed.shared.tobytes()
        connection.execute(update(r).where(r.c.id == revision).values(shared=shared))
    return number


def _in_parts(known: Known) -> list[Known]:
    """The same in pieces of a size that databases take."""
    size = known.packed.table.nbytes + known.packed.memory.nbytes
    count = 1 + size // _BYTES_IN_A_PART
    if count == 1:
        return [known]
    return [known.take(rows) for rows in np.array_split(np.arange(len(known.player)), count)]


def _joined(parts: list[Known]) -> Known:
    if len(parts) == 1:
        return parts[0]
    player = np.concatenate([part.player for part in parts])
    known = Known(player, Packed.concat([part.packed for part in parts]))
    return known if (np.diff(player) > 0).all() else known.take(np.argsort(player, kind="stable"))


def _to_bytes(known: Known) -> bytes:
    """The arrays one after the other, after the number of players and of numbers in memory."""
    counts = np.array((len(known.player), len(known.packed.memory)), np.int64)
    arrays = (counts, known.player, known.packed.sizes, known.packed.table, known.packed.memory)
    return b"".join(each.tobytes() for each in arrays)


def _from_bytes(data: bytes, system: System, shared: Floats) -> Known:
    if not isinstance(data, bytes) or len(data) < _COUNTS:
        raise damaged("a checkpoint is no bytes, or has too few")
    players, length = np.frombuffer(data, np.int64, 2).tolist()
    kinds = [np.dtype(each) for each in (np.int64, np.int64, system.table_fields, system.pool_type)]
    counts = (players, players, players, length)
    sizes = [count * kind.itemsize for count, kind in zip(counts, kinds, strict=True)]
    if min(counts) < 0 or _COUNTS + sum(sizes) != len(data):
        raise damaged("a checkpoint has another size than it says")
    starts = itertools.accumulate(sizes, initial=_COUNTS)
    player, numbers, table, memory = (
        np.frombuffer(data, kind, count, start)
        for kind, count, start in zip(kinds, counts, starts, strict=False)
    )
    known = Known(player, Packed(table, numbers, memory, shared))
    refuse_misfit(known, system)
    return known
