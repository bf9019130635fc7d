"""What a rating system believes about every player, as arrays that grow."""

import itertools
import json
import os
import tokenize
import unicodedata
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Sequence
from io import BufferedReader
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks
from podium.errors import InputError, NotFoundError, PodiumError, StorageError
from podium.files import as_path, replacing
from podium.ratings import arithmetic
from podium.ratings.arithmetic import UNKNOWN, Machine
from podium.ratings.calibration import Calibration
from podium.systems import restored
from podium.systems.base import TIMES, System
from podium.systems.memories import gathered
from podium.texts import normalised
from podium.wording import counted

_FORMAT = "podium beliefs 1"
_PARTS = {"about", "table", "pool", "arena", "names", "name_ends"}
_LENGTHS = 26
"""Where an entry of a zip file says how long its name and what follows it are."""
_PARSING = forks.lock()
"""Python's parser, which reads headers, was seen to fail in several threads at once (3.11.7)."""
_ENCRYPTED = 1
_SPACE, _ASCII = 32, 127
_FIRST_PLAYERS = 64
_FIRST_POOL = 1024
_POOL_PER_ROW = 6
"""About what systems that remember performances need; what nobody writes to costs nothing."""
_DAMAGES = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    RuntimeError,
    SyntaxError,
    MemoryError,
    tokenize.TokenError,
    zipfile.BadZipFile,
)
"""What reading a file raises that `Beliefs.save` did not write."""


class Packed(NamedTuple):
    """What is believed of some players, without gaps: the same beliefs give the same bytes."""

    table: NDArray[Any]
    """A record for each of them."""
    sizes: NDArray[np.int64]
    """How many numbers of the memory belong to each of them."""
    memory: NDArray[Any]
    """What they have in the pool, one after the other."""
    shared: NDArray[np.float64]
    """What all players share, not only these."""

    def take(self, rows: NDArray[np.int64]) -> "Packed":
        """Some of them, in this order."""
        ends = np.cumsum(self.sizes)
        sizes = self.sizes[rows]
        memory = gathered(self.memory, ends[rows] - sizes, sizes)
        return Packed(self.table[rows], sizes, memory, self.shared)

    @classmethod
    def concat(cls, parts: "Sequence[Packed]") -> "Packed":
        """One after the other; what all share is that of the first."""
        table, sizes, memory = map(np.concatenate, zip(*(part[:3] for part in parts), strict=True))
        return cls(table, sizes, memory, parts[0].shared)


class Beliefs:
    """A table with one row per player, by integer id, and the names that the ids stand for.

    Systems work on `table`, on `pool` with its bookkeeping `arena` if a belief has parts of
    varying number, and on `shared`, the few numbers that all players have together. They never
    look at the names. Where threads share beliefs, whoever changes them or asks a system about them
    holds `lock`, as a `Ladder` does; what beliefs do by themselves but for `enrol` holds it.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo-mmr")
        >>> ladder.record(["ann", "bob"], time=0)
        >>> ladder.beliefs
        <Beliefs of elo-mmr: 2 players after 1 contest>
    """

    def __init__(self, system: System) -> None:
        self.system = system
        self.table = np.zeros(_FIRST_PLAYERS, np.dtype(system.table_fields, align=True))
        self.pool: NDArray[Any] = np.zeros(_FIRST_POOL, system.pool_type)
        self.arena: NDArray[np.int64] = system.new_arena()
        self.shared = np.array(system.new_shared(), np.float64)
        self.names: list[str] = []
        self.rounds = 0
        self.time: int | None = None
        """Of the last contest; None until one has a time, and then nobody's `last_time` is one."""
        self.latest: list[str] = []
        """The identifiers of the contests at `time`, so that none of them is rated again."""
        self.arithmetic = arithmetic.ARITHMETIC
        self.machine = arithmetic.this_machine()
        """What made the bits; see `adopt`."""
        self.calibration: Calibration | None = None
        """What is known of the temperature, if contests are to teach it."""
        self.temperature = 1.0
        """By what predictions multiply differences of ratings; see `calibrated`."""
        self._index: dict[str, int] | None = {}
        self._wanted = 0
        self.lock = forks.lock()

    def __getstate__(self) -> dict[str, Any]:
        """One state, whatever threads do; a lock is for one process."""
        state = vars(self.copy())
        del state["lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.lock = forks.lock()

    @property
    def mixture(self) -> str | None:
        """What is to be known before contests follow, because another arithmetic began."""
        other = self.rounds and self.arithmetic != arithmetic.ARITHMETIC
        return arithmetic.mixture(self.arithmetic) if other else None

    def adopt(self) -> None:
        """Let contests follow that are folded here, with a warning if that is a mixture."""
        here = arithmetic.this_machine()
        if self.arithmetic == arithmetic.ARITHMETIC and self.machine == here:
            return
        if said := self.mixture:
            warnings.warn(said, arithmetic.ArithmeticWarning, stacklevel=3)
        self.arithmetic, self.machine = arithmetic.ARITHMETIC, UNKNOWN if self.rounds else here

    def begin(self, moment: int | None) -> None:
        """Let time begin with the first contest that has one; none has passed before."""
        if self.time is None and self.rounds and moment is not None:
            self.system.begin_time(self, moment)

    def pass_on(self, moment: int) -> None:
        """Let time go on to a moment at which something else happened than a contest."""
        if TIMES[0] <= moment <= TIMES[1] and (self.time is None or moment > self.time):
            self.begin(moment)
            self.time, self.latest = moment, []

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        players, contests = counted(len(self), "player"), counted(self.rounds, "contest")
        return f"<Beliefs of {self.system.name}: {players} after {contests}>"

    @property
    def index(self) -> dict[str, int]:
        """The id of every name."""
        if self._index is None:
            with self.lock:
                self._index = dict(zip(self.names, range(len(self.names)), strict=True))
        return self._index

    def enrol(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The ids of these names; those not known yet become newcomers, in this order."""
        if not self.names:
            self.names = list(names)
            self._index = None
            self._grow(0)
            return np.arange(len(names), dtype=np.int32)
        index, known = self.index, len(self.names)
        newcomers = dict.fromkeys(itertools.filterfalse(index.__contains__, names))
        if newcomers:
            index.update(zip(newcomers, itertools.count(known)))
            self.names.extend(newcomers)
            self._grow(known)
        return np.fromiter(map(index.__getitem__, names), np.int32, len(names))

    def welcome(self, newcomers: Sequence[str]) -> NDArray[np.int32]:
        """The ids of newcomers, none of whom is known yet: nobody is looked for."""
        known = len(self.names)
        self.names.extend(newcomers)
        self._index = None
        self._grow(known)
        return np.arange(known, len(self.names), dtype=np.int32)

    def withdraw(self, known: int) -> None:
        """Forget those who were enrolled from number `known` on, of whom nothing was seen."""
        if len(self.names) == known:
            return
        self.table[known : len(self.names)] = np.zeros((), self.table.dtype)
        if self.system.pool_per_player > 0:
            self.arena[0] = known * self.system.pool_per_player
            self.pool[self.arena[0] :] = 0.0
        del self.names[known:]
        self._index = None

    def restore(self, players: NDArray[np.int64], packed: Packed) -> None:
        """Believe of players what was packed before a contest that failed."""
        others = np.setdiff1d(np.arange(len(self)), players)
        order = np.argsort(np.concatenate((others, players)))
        whole = Packed.concat((self.packed(others), packed)).take(order)
        before = Beliefs.unpacked(self.system, self.names, whole)
        self.table, self.pool, self.arena = before.table, before.pool, before.arena

    def _grow(self, known: int) -> None:
        """Make room for all names, those from `known` on being newcomers."""
        wanted = len(self.names)
        if wanted > self.table.shape[0]:
            table = np.zeros(max(wanted, 2 * self.table.shape[0]), self.table.dtype)
            table[:known] = self.table[:known]
            self.table = table
        for column, value in self.system.newcomer().items():
            self.table[column][known:wanted] = value
        if self.system.pool_per_player > 0:
            self.arena[0] = wanted * self.system.pool_per_player
            if self.arena[0] > self.pool.shape[0]:
                twice = 2 * self.pool.shape[0] if known else 0  # a ladder grows again and again
                self._resize_pool(max(int(self.arena[0]), twice))

    def expect(self, rows: int) -> None:
        """Let the pool, when it grows, make room for what so many further rows will need."""
        self._wanted = int(self.arena[0]) + _POOL_PER_ROW * rows

    def make_room(self, size: int) -> None:
        """Let the pool be of this size at least."""
        if size > self.pool.shape[0]:
            self._resize_pool(size)

    def grow_pool(self, rows: int = 0) -> None:
        """Double the pool, or make room for all that is expected, which is not copied again.

        There is room for a contest of so many `rows`, if all of them are newcomers.
        """
        needed = int(self.arena[0]) + 2 * _POOL_PER_ROW * rows
        self._resize_pool(max(2 * self.pool.shape[0], self._wanted, needed))

    def _resize_pool(self, size: int) -> None:
        pool = np.zeros(size, self.pool.dtype)
        pool[: self.pool.shape[0]] = self.pool
        self.pool = pool

    def column(self, name: str) -> NDArray[Any]:
        """One column of the table, for all players, as a contiguous copy."""
        with self.lock:
            return np.ascontiguousarray(self.table[name][: len(self)])

    def packed(self, players: NDArray[np.int64]) -> Packed:
        """What is believed of these players."""
        with self.lock:
            table = self.table[players].astype(np.dtype(self.system.table_fields))
            sizes, memory = self.system.memories(self, players)
            shared = self.shared.copy()
        for field in self.system.places_in_pool:
            table[field] = 0
        return Packed(table, sizes, memory, shared)

    @classmethod
    def unpacked(cls, system: System, names: list[str], packed: Packed) -> Self:
        """Beliefs of these players, who are all that there are."""
        beliefs = cls(system)
        beliefs.enrol(names)
        beliefs.table[: len(names)] = packed.table
        beliefs.shared = packed.shared.copy()
        system.remember(beliefs, packed.sizes, packed.memory)
        return beliefs

    def with_calibration(self, calibration: Calibration) -> "Beliefs":
        """The same beliefs, with what is known of the temperature from elsewhere."""
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        other.calibration = calibration
        return other

    def calibrated(self) -> "Beliefs":
        """The same beliefs, of which predictions are asked at the temperature that was learned."""
        if self.calibration is None:
            raise InputError(
                "these ratings have learned no temperature to be calibrated by; rate all contests "
                "with calibrated=True or --calibrated."
            )
        other = self.with_calibration(self.calibration)
        other.temperature = self.calibration.temperature
        return other

    def copy(self) -> "Beliefs":
        """Beliefs that can go their own way."""
        other = object.__new__(type(self))
        with self.lock:
            vars(other).update(vars(self))
            other.table = self.table[: max(len(self), _FIRST_PLAYERS)].copy()
            other.pool = self.pool[: max(int(self.arena[0]), _FIRST_POOL)].copy()
            other.arena = self.arena.copy()
            other.shared = self.shared.copy()
            other.names, other.latest = list(self.names), list(self.latest)
        other._index = None
        other.lock = forks.lock()
        return other

    def part(self, players: NDArray[np.integer[Any]]) -> "Beliefs":
        """Beliefs about these players alone, by id and in this order, that can go their own way.

        Contests among them are folded as on the whole, to the bit.

        Example:
            >>> import numpy as np, podium
            >>> ladder = podium.Ladder("elo-mmr")
            >>> ladder.record(["ann", "bob", "cat"])
            >>> ladder.beliefs.part(np.array([2, 0])).names
            ['cat', 'ann']
        """
        ids = np.asarray(players, np.int64)
        with self.lock:
            part = Beliefs(self.system)
            part.enrol(list(map(self.names.__getitem__, ids.tolist())))
            known, there = self.table[: len(self)], part.table[: len(ids)]
            if len(ids):
                np.take(known, ids, out=there, mode="wrap")  # which writes to where it belongs
            part.shared = self.shared.copy()
            self.system.copy_memories(self, ids, part)
            part.rounds, part.time, part.latest = self.rounds, self.time, list(self.latest)
            part.arithmetic, part.machine = self.arithmetic, self.machine
            part.calibration = self.calibration
        return part

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file, exactly. The file appears only when it is complete.

        The same results give the same file, to the byte: no gaps between fields, no memory
        that nobody wrote to. Threads that share these beliefs wait for the disk, because a copy
        would take as much memory again; ``beliefs.copy().save(path)`` lets them go on.
        """
        with self.lock, replacing(path) as temporary, open(temporary, "wb") as file:
            np.savez(file, **self._arrays())  # type: ignore[arg-type]

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """All that a file holds."""
        names = pl.Series(self.names, dtype=pl.String)
        about = {
            "format": _FORMAT,
            "system": self.system.name,
            "parameters": self.system.stored_parameters(),
            "rounds": self.rounds,
            "time": self.time,
            "latest": self.latest,
            "arithmetic": self.arithmetic,
            "machine": self.machine.document(),
        }
        if self.calibration is not None:
            about["calibration"] = self.calibration.stored()
        arrays = {
            "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
            "table": self.table[: len(self)].astype(np.dtype(self.system.table_fields)),
            "pool": self.pool[: self.arena[0]],
            "arena": self.arena,
            "names": np.frombuffer("".join(self.names).encode(), np.uint8),
            "name_ends": np.cumsum(names.str.len_bytes().to_numpy(), dtype=np.int64),
        }
        if len(self.shared):
            arrays["shared"] = self.shared
        return arrays

    @classmethod
    def load(cls, path: str | os.PathLike[str], system: System | None = None) -> Self:
        """Read what `save` wrote; `system` is needed only if it has functions of your own."""
        try:
            place = as_path(path)
            if place.exists() and not place.is_file():
                raise OSError("not a file")  # but a pipe, which would have us wait
            with open(place, "rb") as file:
                stored = _arrays(file)
            about = json.loads(stored["about"].tobytes())
            if about["format"] != _FORMAT:
                raise StorageError(
                    f"{path}: beliefs in the format {about['format']!r}, which this version does "
                    f"not read; rate the contests again."
                )
            beliefs = cls._from_arrays(_stored_system(about, system, path), about, stored)
        except PodiumError:
            raise
        except FileNotFoundError:
            raise NotFoundError(f"{path}: there is no such file of beliefs.") from None
        except _DAMAGES:
            raise StorageError(
                f"{path}: not a file of beliefs, or a damaged one; "
                f"a folder written by `podium rate` holds one as beliefs.npz."
            ) from None
        if said := beliefs._ambiguity() or beliefs.flaw():
            raise StorageError(f"{path}: these beliefs cannot be used: {said}.")
        return beliefs

    def _ambiguity(self) -> str | None:
        """Why names do not tell players apart, once all have one spelling."""
        if len(self.index) == len(self) and "" not in self.index:
            return None
        if "" in self.index:
            return "a player has no name"
        twice = Counter(self.names).most_common(1)[0][0]
        return f"two players are called {twice!r}"

    def flaw(self) -> str | None:
        """What makes them unusable, as a clause, if they come from a file or a database."""
        table = self.table[: len(self)]
        if self.time is not None and (table["last_time"][table["contests"] > 0] > self.time).any():
            return "a player has played after the last contest"
        return self.system.flaw(self)

    @classmethod
    def _from_arrays(
        cls, system: System, about: dict[str, Any], stored: dict[str, NDArray[Any]]
    ) -> Self:
        beliefs = cls(system)
        beliefs._take_note(about)
        stored.setdefault("shared", beliefs.shared[:0])
        wanted = {
            "table": (len(stored["name_ends"]), np.dtype(system.table_fields)),
            "arena": (len(beliefs.arena), np.dtype(np.int64)),
            "pool": (int(stored["arena"][0]), np.dtype(system.pool_type)),
            "shared": (len(beliefs.shared), np.dtype(np.float64)),
            "names": (len(stored["names"]), np.dtype(np.uint8)),
            "name_ends": (len(stored["name_ends"]), np.dtype(np.int64)),
        }
        for name, kind in wanted.items():
            if (len(stored[name]), stored[name].dtype) != kind:
                raise ValueError(f"{name} is of another size or type")
        beliefs.names = _names(stored["names"], stored["name_ends"])
        beliefs._index = None
        beliefs.table = np.zeros(max(len(beliefs), _FIRST_PLAYERS), beliefs.table.dtype)
        beliefs.table[: len(beliefs)] = stored["table"]
        beliefs.pool, beliefs.arena = stored["pool"], stored["arena"]
        beliefs.shared = stored["shared"]
        if beliefs.pool.shape[0] < _FIRST_POOL:
            beliefs._resize_pool(_FIRST_POOL)
        return beliefs

    def _take_note(self, about: dict[str, Any]) -> None:
        """Believe what a file says about itself, if it can be."""
        self.rounds, self.time, self.latest = (about[key] for key in ("rounds", "time", "latest"))
        self.arithmetic = about.get("arithmetic", arithmetic.FIRST)
        machine = about.get("machine", {})
        time = 0 if self.time is None else self.time
        whole = all(type(each) is int for each in (self.rounds, self.arithmetic, time))
        texts = isinstance(self.latest, list) and isinstance(machine, dict)
        if not whole or not texts or not all(isinstance(each, str) for each in self.latest):
            raise TypeError("something is of another type")
        if self.rounds < 0 or self.arithmetic < 1 or not TIMES[0] <= time <= TIMES[1]:
            raise ValueError("a number is out of range")
        self.machine = Machine.of(machine)
        if "calibration" in about:
            self.calibration = Calibration.restored(about["calibration"])


def _arrays(file: BufferedReader) -> dict[str, NDArray[Any]]:
    """What `Beliefs.save` wrote: arrays of one dimension, as they are and in full."""
    with zipfile.ZipFile(file) as archive:
        entries = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        if len(entries) < len(archive.infolist()) or entries.keys() - {"shared"} != _PARTS:
            raise ValueError("there are other arrays")
    room = file.seek(0, os.SEEK_END) - sum(info.file_size for info in entries.values())
    if room < 0:
        raise ValueError("there is less in it than it says")
    return {name: _array(file, info) for name, info in entries.items()}


def _array(file: BufferedReader, info: zipfile.ZipInfo) -> NDArray[Any]:
    """One of them; no larger than the file, and as its checksum says."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & _ENCRYPTED:
        raise ValueError("it is compressed or encrypted")
    file.seek(info.header_offset + _LENGTHS)
    lengths = file.read(4)
    start = file.seek(
        int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1
    )
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("it has another version")
    with _PARSING:
        shape, _, kind = np.lib.format.read_array_header_1_0(file)
    header = file.tell() - start
    if len(shape) != 1 or kind.hasobject or header + shape[0] * kind.itemsize != info.file_size:
        raise ValueError("it has another size")
    array = np.empty(shape, kind)
    file.seek(start)
    checksum = zlib.crc32(file.read(header))
    data = array.view(np.uint8).data
    if file.readinto(data) != len(data) or zlib.crc32(data, checksum) != info.CRC:
        raise ValueError("it is damaged")
    return array


def _names(text: NDArray[np.uint8], ends: NDArray[np.int64]) -> list[str]:
    """The names that stand in a row, in the spelling by which names are compared."""
    starts = np.append(0, ends[:-1])[: len(ends)]
    if (len(text) != ends[-1] if len(ends) else len(text)) or (starts >= ends).any():
        raise ValueError("names overlap, or are empty")
    data, bounds = text.tobytes(), zip(starts.tolist(), ends.tolist(), strict=True)
    if data.isascii():
        whole = data.decode()
        names = [whole[start:end] for start, end in bounds]
    else:
        names = [data[start:end].decode() for start, end in bounds]
        if not unicodedata.is_normalized("NFC", data.decode()):  # then some of them are not
            return [normalised(name) for name in names]
    edges = np.stack((text[starts], text[ends - 1]))
    for number in np.flatnonzero(((edges <= _SPACE) | (edges > _ASCII)).any(axis=0)).tolist():
        names[number] = normalised(names[number])
    return names


def _stored_system(
    about: dict[str, Any], given: System | None, path: str | os.PathLike[str]
) -> System:
    """The system of stored beliefs, or the given one if it is the same."""
    if given is None:
        try:
            return restored(about["system"], about["parameters"], f"{path}: beliefs")
        except InputError as error:
            raise StorageError(
                f"the system of these beliefs cannot be built from what was stored, give it: "
                f"{error}"
            ) from None
    stored = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in about["parameters"].items()
    }
    refuse_other_system(about["system"], stored, given.name, given.stored_parameters())
    return given


def refuse_other_system(
    name: str, parameters: dict[str, Any], other: str, other_parameters: dict[str, Any]
) -> None:
    """Raise if beliefs of a system with these parameters cannot go on with the other one."""
    theirs, ours = f"of {name}", f"of {other}"
    if name == other:
        differing = [key for key, value in parameters.items() if value != other_parameters[key]]
        if not differing:
            return
        theirs += " with " + ", ".join(f"{key}={parameters[key]!r}" for key in differing)
        ours = ", ".join(f"{key}={other_parameters[key]!r}" for key in differing)
    raise InputError(
        f"the earlier beliefs are {theirs}, not {ours}; "
        f"leave the system out to go on with the same one."
    )
