"""Where what is believed now lies: rows are appended, and removed in segments.

What a change believes of players is written behind all that is there, so that it comes to few
pages, wherever the players stood before; `ratings` says which row of a player is in force. Others
stay for a while. Of so many rows in a row as make a segment it is known how many are in force: if
it is less than half of them, the others are removed. So there are never many more than twice the
rows that are needed, and a change looks at no more rows for it than a few times those it writes.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, exists, select, update

from podium.league import schema
from podium.league.database import add, fetch, last, within

SIZE = 1024
_ROWS_FOR_A_SEGMENT = 256
"""For so many rows that go out of force, a change looks through one segment more."""


def numbers_of_new(
    connection: Connection, count: int, largest: int | None = None
) -> NDArray[np.int64]:
    """The numbers of so many new rows, behind all others, of which the largest may be known."""
    if largest is None:
        largest = last(connection, schema.beliefs.c.id)
    return 1 + largest + np.arange(count)


def exchange(connection: Connection, new: NDArray[np.int64], old: NDArray[np.int64]) -> None:
    """Note which rows have come into force and which are no longer, and remove some of those.

    The table of ratings must say so already.
    """
    if len(new) or len(old):
        count(connection, new, old)
        sweep(connection, len(old))


def count(connection: Connection, new: NDArray[np.int64], old: NDArray[np.int64]) -> None:
    """Only note it; whoever does so many times sweeps now and then."""
    place = np.concatenate((new, old)) // SIZE
    first = int(place.min())
    place -= first
    span = int(place.max()) + 1
    came = np.bincount(place[: len(new)], minlength=span)
    went = np.bincount(place[len(new) :], minlength=span)
    there = np.flatnonzero(came + went)
    columns = {"id": first + there, "rows": came[there], "in_force": (came - went)[there]}
    add(connection, schema.segments, ("id",), columns)


def forget_ratings(connection: Connection, *conditions: Any) -> None:
    """Remove rows of the table of ratings, with what is believed of their players."""
    r = schema.ratings
    old = fetch(connection, select(r.c.belief_id).where(r.c.belief_id.is_not(None), *conditions))
    connection.execute(delete(r).where(*conditions))
    exchange(connection, np.empty(0, np.int64), np.array(old[0], np.int64))


def sweep(connection: Connection, replaced: int) -> None:
    """Remove what is not in force from the segments that have the most of it, if it is most.

    As many are looked through as so many rows that went out of force are worth.
    """
    most = 1 + replaced // _ROWS_FOR_A_SEGMENT
    s, b, r = schema.segments, schema.beliefs, schema.ratings
    surplus = s.c.rows - s.c.in_force
    numbers = fetch(
        connection,
        select(s.c.id).where(surplus > s.c.in_force).order_by(surplus.desc(), s.c.id).limit(most),
    )[0]
    mine = (r.c.revision_id == b.c.revision_id) & (r.c.player_id == b.c.player_id)
    is_in_force = exists().where(mine, r.c.belief_id == b.c.id)
    for number in numbers:
        own = b.c.id.between(number * SIZE, (number + 1) * SIZE - 1)
        connection.execute(delete(b).where(own, ~is_in_force))
    swept = within(connection, s.c.id, numbers)
    connection.execute(delete(s).where(swept, s.c.in_force <= 0))
    connection.execute(update(s).where(swept).values(rows=s.c.in_force))
