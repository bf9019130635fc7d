"""What players have in the pool of beliefs as products of factors, packed and laid out again.

See `podium.numerics.factors` for how a block of the pool looks: three rows of `room` numbers, of
which those from `first` on are used, `count` of them.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.systems.base import within

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs

PLACES = ("block", "room", "first")
"""The fields of a record that say where in the pool a player's factors are."""

_ROWS = np.arange(3)
_FIRST_ROOM = 4
_UNIT = 3 * _FIRST_ROOM
"""All blocks are so many numbers long, or twice as many, or four times …"""
_LARGEST = 1e150
"""Weights grow as old ones shrink, to 1e108, and exponentials reach exp(300)."""
POSITIVE = (1.0 / _LARGEST, _LARGEST)
_AT_ONCE = 1 << 16
"""So many numbers are copied at once that what says where they are stays in the cache."""
_END = -1
"""Of a list of free blocks."""


def spans(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of all entries in ranges, one after the other.

    Example:
        >>> spans(np.array([5, 0]), np.array([2, 3]))
        array([5, 6, 0, 1, 2])
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(total)


def gathered(
    pool: NDArray[Any], starts: NDArray[np.int64], sizes: NDArray[np.int64]
) -> NDArray[Any]:
    """What stands in ranges of a pool, one after the other.

    Example:
        >>> gathered(np.arange(8.0), np.array([5, 0]), np.array([2, 3]))
        array([5., 6., 0., 1., 2.])
    """
    found = np.empty(int(sizes.sum()), pool.dtype)
    for there, some in _pieces(sizes):
        found[there] = pool[spans(starts[some], sizes[some])]
    return found


def scattered(
    pool: NDArray[Any], starts: NDArray[np.int64], sizes: NDArray[np.int64], found: NDArray[Any]
) -> None:
    """Put into ranges of a pool what `gathered` found in them.

    Example:
        >>> pool = np.zeros(8)
        >>> scattered(pool, np.array([5, 0]), np.array([2, 3]), np.arange(1.0, 6.0))
        >>> pool
        array([3., 4., 5., 0., 0., 1., 2., 0.])
    """
    for there, some in _pieces(sizes):
        pool[spans(starts[some], sizes[some])] = found[there]


def _pieces(sizes: NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Ranges of such sizes a few at a time: where their entries are, and which ranges they are."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    marks = np.searchsorted(ends, np.arange(0, total, _AT_ONCE), side="right")
    for first, last in pairwise(np.unique(np.append(marks, len(sizes))).tolist()):
        yield slice(int(ends[first] - sizes[first]), int(ends[last - 1])), slice(first, last)


def of_factors(
    beliefs: "Beliefs", players: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """How many numbers each of these players has in the pool, and all of them in a row."""
    table = beliefs.table[players]
    count = table["count"].astype(np.int64)
    places = _places(table["block"], table["room"], table["first"], count)
    return 3 * count, gathered(beliefs.pool, *places)


def remember_factors(beliefs: "Beliefs", memory: NDArray[Any]) -> None:
    """Put the factors of all players into blocks, the smallest with room for one more."""
    table = beliefs.table[: len(beliefs)]
    count = table["count"].astype(np.int64)
    doublings = np.ceil(np.log2(np.maximum(count + 1, _FIRST_ROOM) / _FIRST_ROOM)).astype(np.int64)
    room = np.where(count > 0, _FIRST_ROOM << doublings, 0)
    ends = np.cumsum(3 * room)
    table["room"], table["block"], table["first"] = room, ends - 3 * room, 0
    used = int(ends[-1]) if len(ends) else 0
    beliefs.make_room(used)
    beliefs.arena[0] = used
    scattered(beliefs.pool, *_places(table["block"], room, table["first"], count), memory)


def copy_factors(source: "Beliefs", target: "Beliefs") -> None:
    """Give players of `target`, whose records are those of `source`, their blocks as they are."""
    table = target.table[: len(target)]
    size = table["room"].astype(np.int64) // _FIRST_ROOM  # in units, as blocks begin with one
    ends = np.cumsum(size)
    used = _UNIT * int(ends[-1]) if len(ends) else 0
    units = source.pool[: len(source.pool) // _UNIT * _UNIT].reshape(-1, _UNIT)
    target.make_room(2 * used)  # of which nothing is written until a block is full
    if used:
        places, there = spans(table["block"] // _UNIT, size), target.pool[:used]
        np.take(units, places, axis=0, out=there.reshape(-1, _UNIT), mode="clip")
    table["block"] = _UNIT * (ends - size)
    target.arena[0] = used


def flaw_in_factors(beliefs: "Beliefs", rows: Mapping[int, tuple[float, float]]) -> str | None:
    """What makes the blocks of a pool unusable; `rows` has ranges for some of those of a block."""
    table, end = beliefs.table[: len(beliefs)], int(beliefs.arena[0])
    pool = beliefs.pool[:end]
    if end % _UNIT or not within(pool, -_LARGEST, _LARGEST):
        return "the pool holds what it cannot"
    block, *others = (np.ascontiguousarray(table[name]) for name in (*PLACES, "count"))
    room, first, count = (each.astype(np.int64) for each in others)
    if ((room & (room - 1)) | (room & (_FIRST_ROOM - 1))).any():
        return "a block has a room that no block has"
    if (np.minimum(first, count) < 0).any() or (first + count > room).any():
        return "a block has no room for what is in it"
    if (block < 0).any() or (block > end - 3 * room).any() or (block % _UNIT).any():
        return "a block lies outside the pool"
    free = _free_blocks(pool, beliefs.arena[1:].tolist())
    if free is None:
        return "the free blocks are no lists"
    if _overlap(np.append(block, free[0]), np.append(3 * room, free[1]), end):
        return "two blocks overlap"
    used = np.flatnonzero(count)
    used = used[np.argsort(block[used])]
    start, room, count = (block + first)[used, None], room[used, None], count[used]
    for operation, end in ((np.minimum, 0), (np.maximum, 1)):
        bounds = {row: each[end] for row, each in rows.items() if abs(each[end]) < _LARGEST}
        starts = (start + np.array([*bounds], np.int64) * room).ravel()
        found = reduced(operation, pool, starts, np.repeat(count, len(bounds)))
        ends = found.reshape(-1, len(bounds)) if bounds else found
        limits = np.array([*bounds.values()])
        if not (ends >= limits if end == 0 else ends <= limits).all():
            return "a factor is out of range"
    return None


def reduced(
    operation: np.ufunc,
    pool: NDArray[Any],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> NDArray[Any]:
    """What an operation makes of each of these ranges of a pool, none empty, one after the other.

    Example:
        >>> reduced(np.add, np.arange(5.0), np.array([0, 3]), np.array([2, 2]))
        array([1., 7.])
    """
    bounds = np.stack((starts, starts + sizes), axis=-1).ravel()
    if len(bounds) and bounds[-1] == len(pool):
        bounds = bounds[:-1]
    return operation.reduceat(pool, bounds)[::2] if len(bounds) else pool[:0]


def _free_blocks(
    pool: NDArray[Any], heads: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | NDArray[np.int64] | None:
    """Where the blocks that can be used again are, and their sizes; None if lists go astray."""
    if max(heads) == min(heads) == _END:
        return np.empty((2, 0), np.int64)
    with np.errstate(invalid="ignore"):
        links = pool[::_UNIT].astype(np.int64) // _UNIT
    follow = links.astype(np.uint32).data.__getitem__  # the end of a list is out of reach
    lists, sizes = [np.empty(0, np.int64)], [_UNIT << number for number in range(len(heads))]
    lengths = np.zeros(len(sizes), np.int64)
    for number, (size, head) in enumerate(zip(sizes, heads, strict=True)):
        if head == _END:
            continue
        chain = [max(head, 0) // _UNIT]
        with suppress(IndexError):
            chain.extend(islice(map(follow, chain), 1 + len(pool) // size))
        blocks = _UNIT * np.array(chain[:-1], np.int64)
        if not len(blocks) or blocks[0] != head or blocks.max() > len(pool) - size:
            return None
        if (pool[blocks] != np.append(blocks[1:], _END)).any():
            return None
        lists.append(blocks)
        lengths[number] = len(blocks)
    return np.concatenate(lists), np.repeat(sizes, lengths)


def _overlap(blocks: NDArray[np.int64], sizes: NDArray[np.int64], end: int) -> bool:
    """Whether two of these blocks share a place in the pool."""
    blocks, sizes = blocks[sizes > 0] // _UNIT, sizes[sizes > 0] // _UNIT
    begins, ends = np.zeros((2, end // _UNIT + 1), np.int8)
    begins[blocks] = 1
    ends[blocks + sizes] = 1
    if np.count_nonzero(begins) < len(blocks) or np.count_nonzero(ends) < len(blocks):
        return True
    return bool((np.cumsum(begins - ends, dtype=np.int8) > 1).any())


def _places(
    block: NDArray[Any], room: NDArray[Any], first: NDArray[Any], count: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where in the pool the three rows of all players begin, and how long they are."""
    starts = (block + first)[:, None] + _ROWS * room.astype(np.int64)[:, None]
    return starts.ravel(), np.repeat(count, 3)
