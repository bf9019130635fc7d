"""What a feed knows of players: those who are asked for again and again need no database.

It is what the database has, player by player, in the bytes in which that keeps it. So it is right
or it is not there, and whoever has not been used for the longest time can go.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium import forks
from podium.league import checkpoints
from podium.league.checkpoints import Known
from podium.league.database import asked
from podium.league.revisions import Revision
from podium.ratings.beliefs import Packed
from podium.systems.base import Floats, System

_OVERHEAD = 400
"""Bytes of a player besides what is believed: names, numbers, places in dictionaries (measured)."""


@dataclass(slots=True)
class Kept:
    """One player."""

    number: int
    name: str
    record: bytes | None = None
    """What is believed since the last contest; None before the first."""
    memory: bytes = b""
    belief: int | None = None
    """Which row of the database that is."""
    shown: float = np.nan
    """The rating that is shown now; NaN for who has none."""
    aliases: tuple[str, ...] = ()
    """By which others names somebody has asked."""

    @property
    def size(self) -> int:
        """About how many bytes of memory."""
        return _OVERHEAD + len(self.record or b"") + len(self.memory)


class Memory:
    """Players by name, the least recently used of whom are forgotten beyond so many bytes.

    One thread at a time changes it; any number may ask.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.lock = forks.lock()
        """Whoever holds it sees one state."""
        self._numbers: dict[str, int] = {}
        self._kept: dict[int, Kept] = {}
        self._size = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self._size

    def find(self, names: Iterable[str]) -> dict[str, Kept]:
        """Those of these players who are known, by the names that they were called."""
        found: dict[str, Kept] = {}
        with self.lock:
            numbers, kept = self._numbers, self._kept
            for name in names:
                number = numbers.get(name)
                one = None if number is None else kept.pop(number, None)
                if one is not None:
                    kept[one.number] = found[name] = one  # as the last who was used
        return found

    def keep(self, those: Iterable[Kept]) -> None:
        """Know these from now on, in place of what was known of them."""
        with self.lock:
            for one in those:
                old = self._kept.pop(one.number, None)
                if old is not None:
                    self._size -= old.size
                self._kept[one.number] = one
                self._size += one.size
                self._numbers[one.name] = one.number
                for name in one.aliases:
                    self._numbers[name] = one.number
            while self._size > self._most and len(self._kept) > 1:
                self._forget(next(iter(self._kept)))

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget some players, of whom something else is true by now."""
        with self.lock:
            for number in numbers:
                if number in self._kept:
                    self._forget(number)

    def clear(self) -> None:
        """Forget everybody."""
        with self.lock:
            self._numbers.clear()
            self._kept.clear()
            self._size = 0

    def _forget(self, number: int) -> None:
        gone = self._kept.pop(number)
        self._size -= gone.size
        for name in (gone.name, *gone.aliases):
            self._numbers.pop(name, None)


_KNOWN = (
    "SELECT {called}, p.id, p.name, r.shown, r.belief_id, b.record, b.memory FROM {players} "
    "LEFT JOIN ratings r ON r.revision_id = {{mark}} AND r.player_id = p.id "
    "LEFT JOIN beliefs b ON b.id = r.belief_id AND b.revision_id = r.revision_id "
    "AND b.player_id = r.player_id WHERE {called} {{among}}"
)
_BY_NAME = _KNOWN.format(called="p.name", players="players p")
_BY_ALIAS = _KNOWN.format(called="a.name", players="aliases a JOIN players p ON p.id = a.player_id")


def load(
    connection: Connection, revision: Revision, names: Sequence[str], *, aliases: bool
) -> dict[str, Kept]:
    """Those of these players whom a league has, by the names that they were called."""
    rows = asked(connection, _BY_NAME, names, revision.id)
    if aliases:
        rows += asked(connection, _BY_ALIAS, names, revision.id)
    those: dict[int, Kept] = {}
    found: dict[str, Kept] = {}
    for called, number, name, shown, belief, record, memory in rows:
        if belief is not None and record is None:
            raise checkpoints.damaged("a player has lost them")
        one = those.get(number)
        if one is None:
            rated = np.nan if shown is None else shown
            one = those[number] = Kept(number, name, record, memory or b"", belief, rated)
        if called != name:
            one.aliases = (*one.aliases, called)
        found.setdefault(called, one)
    _refuse_misfits(those, revision.system)
    return found


def _refuse_misfits(those: dict[int, Kept], system: System) -> None:
    """Raise if what is believed of somebody cannot be."""
    played = sorted(
        (one for one in those.values() if one.record is not None), key=lambda one: one.number
    )
    if played:
        try:
            known = known_of(played, system, system.new_shared())
        except (TypeError, ValueError):
            raise checkpoints.damaged("they are of another type or size") from None
        checkpoints.refuse_misfit(known, system)


def take(known: Known, those: dict[int, Kept]) -> None:
    """Let what is known of players be kept, in the bytes in which a database has it."""
    packed = known.packed
    records, memories = packed.table.tobytes(), packed.memory.tobytes()
    width, unit = packed.table.dtype.itemsize, packed.memory.dtype.itemsize
    start = end = 0
    for place, (number, size) in enumerate(
        zip(known.player.tolist(), packed.sizes.tolist(), strict=True)
    ):
        end = start + size * unit
        one = those[number]
        one.record = records[place * width : (place + 1) * width]
        one.memory = memories[start:end]
        start = end


def known_of(those: Sequence[Kept], system: System, shared: Floats) -> Known:
    """What is believed of these players, whose numbers increase; of newcomers, what is of them."""
    new = b""
    if any(one.record is None for one in those):
        fresh = checkpoints.newcomers(system, np.zeros(1, np.int64)).packed
        new, own = fresh.table.tobytes(), fresh.memory.tobytes()
    records = [new if one.record is None else one.record for one in those]
    memories = [own if one.record is None else one.memory for one in those]
    table = np.frombuffer(b"".join(records), np.dtype(system.table_fields))
    memory = np.frombuffer(b"".join(memories), system.pool_type)
    sizes = np.fromiter(map(len, memories), np.int64, len(memories)) // memory.dtype.itemsize
    player: NDArray[np.int64] = np.fromiter((one.number for one in those), np.int64, len(those))
    return Known(player, Packed(table, sizes, memory, shared))
