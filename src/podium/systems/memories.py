"""What players have in the pool of beliefs as products of factors, packed and laid out again.

See `podium.numerics.factors` for how a block of the pool looks: three rows of `room` numbers, of
which those from `first` on are used, `count` of them.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs

PLACES = ("block", "room", "first")
"""The fields of a record that say where in the pool a player's factors are."""

_ROWS = np.arange(3)
_FIRST_ROOM = 4


def spans(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of all entries in ranges, one after the other.

    Example:
        >>> spans(np.array([5, 0]), np.array([2, 3]))
        array([5, 6, 0, 1, 2])
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - sizes), sizes) + np.arange(total)


def of_factors(
    beliefs: "Beliefs", players: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """How many numbers each of these players has in the pool, and all of them in a row."""
    table = beliefs.table[players]
    count = table["count"].astype(np.int64)
    places = _places(table["block"], table["room"], table["first"], count)
    return 3 * count, beliefs.pool[places]


def remember_factors(beliefs: "Beliefs", memory: NDArray[Any]) -> None:
    """Put the factors of all players into blocks, the smallest with room for one more."""
    table = beliefs.table[: len(beliefs)]
    count = table["count"].astype(np.int64)
    doublings = np.ceil(np.log2(np.maximum(count + 1, _FIRST_ROOM) / _FIRST_ROOM)).astype(np.int64)
    room = np.where(count > 0, _FIRST_ROOM << doublings, 0)
    ends = np.cumsum(3 * room)
    table["room"], table["block"], table["first"] = room, ends - 3 * room, 0
    used = int(ends[-1]) if len(ends) else 0
    while used > beliefs.pool.shape[0]:
        beliefs.grow_pool()
    beliefs.arena[0] = used
    beliefs.pool[_places(table["block"], room, table["first"], count)] = memory


def _places(
    block: NDArray[Any], room: NDArray[Any], first: NDArray[Any], count: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where in the pool the three rows of all players are."""
    starts = (block + first)[:, None] + _ROWS * room.astype(np.int64)[:, None]
    return spans(starts.ravel(), np.repeat(count, 3))
