"""Linear passes over columns of rows: by NumPy where it takes one, by a kernel where it cannot.

Every kernel is compiled before the first results are read: they are few, take arrays of one type
each, and leave it to NumPy to make those.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics.compiled import kernel

_Number = TypeVar("_Number", bound=np.generic)
MICROSECONDS_PER_DAY = 86_400e6
"""Times in columns are microseconds."""


def _as(kind: type[_Number], values: NDArray[Any]) -> NDArray[_Number]:
    """As the type that a kernel is compiled for, which is another one if nothing can be written."""
    return np.require(values, kind, ["C", "A", "W"])


def first_repeated_player(
    offsets: NDArray[np.int64], player: NDArray[np.int32], players: int
) -> int:
    """The first row whose player has an earlier row in the same contest, or -1."""
    of_one_type = _as(np.int64, offsets), _as(np.int32, player)
    return int(_first_repeated(*of_one_type, np.full(players, -1)))


@kernel
def _first_repeated(offsets, player, last_contest):
    """The same; `last_contest` is where each player was seen, and -1 before."""
    for contest in range(offsets.shape[0] - 1):
        for row in range(offsets[contest], offsets[contest + 1]):
            if last_contest[player[row]] == contest:
                return row
            last_contest[player[row]] = contest
    return -1


def first_rows(codes: NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
    """The first row of every code below `count`, or -1."""
    rows = np.full(count, -1)
    rows[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several, the last one stays
    return rows


def by_appearance(
    player: NDArray[np.int32], players: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distinct values of `player`, in the order in which they first appear; each one's place.

    The place in that order stands in every row.
    """
    numbers = np.empty(len(player), np.int32)
    order = np.empty(players, np.int32)
    count = _number(_as(np.int32, player), np.full(players, -1, np.int32), order, numbers)
    return order[:count], numbers


@kernel
def _number(player, place, order, numbers):
    count = np.int32(0)
    for row in range(player.shape[0]):
        one = np.uint32(player[row])
        if place[one] < 0:
            place[one] = count
            order[np.uint32(count)] = player[row]
            count += np.int32(1)
        numbers[row] = place[one]
    return count


@kernel
def renumbered(player, ids):
    """``ids[player]``, without NumPy's copy of indices that are not of its own width."""
    numbers = np.empty(player.shape[0], np.int32)
    for row in range(player.shape[0]):
        numbers[row] = ids[np.uint32(player[row])]
    return numbers


def count_appearances(player: NDArray[np.int32], seen: NDArray[np.int32]) -> NDArray[np.int32]:
    """How often the player of each row has appeared by then; `seen` says it of earlier rows.

    Afterwards, it says it of these too.
    """
    numbers = np.empty(len(player), np.int32)
    _count(_as(np.int32, player), seen, numbers)
    return numbers


@kernel
def _count(player, seen, numbers):
    for row in range(player.shape[0]):
        seen[player[row]] += 1
        numbers[row] = seen[player[row]]


def competition_ranks(
    offsets: NDArray[np.int64], places: NDArray[np.integer[Any]]
) -> NDArray[np.int32]:
    """1 + the number of better places in the same contest; they are sorted in each."""
    ranks = np.empty(len(places), np.int32)
    _rank(_as(np.int64, offsets), _as(np.int64, places), ranks)
    return ranks


@kernel
def _rank(offsets, places, ranks):
    for contest in range(offsets.shape[0] - 1):
        first, rank = offsets[contest], 1
        for row in range(first, offsets[contest + 1]):
            if row > first and places[row] != places[row - 1]:
                rank = row - first + 1
            ranks[row] = rank


def appearance_numbers(player: NDArray[np.int32], totals: NDArray[np.int32]) -> NDArray[np.int32]:
    """How often the player of each row has appeared by then, of ``totals[player]`` times in all."""
    here = np.bincount(player, minlength=len(totals))
    return count_appearances(player, (totals - here).astype(np.int32))
