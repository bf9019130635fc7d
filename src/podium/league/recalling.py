"""What was believed before a contest, from what was noted of it: no other contest is folded.

The events of a contest have what was believed of everybody in it, as mean and deviation. For most
systems that is all by which opponents count, and a player's own belief follows from what was noted
of the contests before; see `System.looks_at` and `System.retrace`.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from podium.errors import StorageError
from podium.league import adjusting, schema
from podium.league.database import fetch, numbers, within
from podium.league.players import names_of
from podium.league.revisions import Revision
from podium.league.standings import Order, StoredContests, order_of
from podium.ratings.beliefs import Beliefs
from podium.results.tables import WEIGHTS
from podium.results.times import TIMES
from podium.systems.base import EVENTS
from podium.systems.base import within as within_limits
from podium.systems.past import Past

_MOMENTS = ("mu", "sigma")
_FEW = 200
"""For more players, contests are folded once rather than each player's past by itself."""


def recalled(
    connection: Connection, revision: Revision, contest: StoredContests, player: int
) -> Beliefs | None:
    """What was believed of those who are rated in a contest, as far as it counts for one of them.

    That is everything about the player, and of the others what the system looks at. They are in the
    order of the standings. None if what was noted is not enough.
    """
    system, rows = revision.system, np.flatnonzero(contest.eligible)
    looks_at = system.looks_at
    if looks_at is None or len(system.new_shared()) or adjusting.load(connection):
        return None
    noted = _noted(connection, revision.id, int(contest.number[0]), rows)
    players = contest.columns.player[rows].astype(np.int64)
    if "last_time" in looks_at:
        noted["last_time"] = _last_times(connection, contest, players, noted["contests"])
    beliefs = Beliefs(system)
    beliefs.enrol(_names(connection, contest, rows))
    others = np.flatnonzero(players != player)
    for column in looks_at:
        beliefs.table[column][others] = noted[column][others]
    own = int(np.flatnonzero(players == player)[0])
    past = _past(connection, revision.id, player, contest.order(0))
    if len(past) != noted["contests"][own] or not system.retrace(beliefs, own, past):
        return None
    record = beliefs.table[own]
    same = all(np.array_equal(record[each], noted[each][own], equal_nan=True) for each in _MOMENTS)
    return _sound(beliefs) if same else None


def retraced(
    connection: Connection, revision: Revision, players: Mapping[int, str], until: Order
) -> Beliefs | None:
    """What was believed of a few players, by number and name, before a turn; None if not known."""
    system = revision.system
    if system.looks_at is None or len(system.new_shared()) or len(players) > _FEW:
        return None
    if adjusting.load(connection):  # of which events say nothing
        return None
    beliefs = Beliefs(system)
    beliefs.enrol(list(players.values()))
    for place, player in enumerate(players):
        if not system.retrace(beliefs, place, _past(connection, revision.id, player, until)):
            return None
    return _sound(beliefs)


def _names(connection: Connection, contest: StoredContests, rows: NDArray[np.int64]) -> list[str]:
    """The names of those in some rows of a contest."""
    player = contest.columns.player.astype(np.int64)
    names = names_of(connection, player)
    if len(names) != len(contest.eligible):
        raise _damaged("a player has no name")
    return [names[each] for each in player[rows].tolist()]


def _noted(
    connection: Connection, revision: int, contest: int, rows: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """What was believed, before a contest, of those in its rows that are rated."""
    e = schema.events
    position, number, mu, sigma = fetch(
        connection,
        select(e.c.position, e.c.number, e.c.mu_before, e.c.sigma_before)
        .where(e.c.revision_id == revision, e.c.contest_id == contest)
        .order_by(e.c.position),
    )
    if not np.array_equal(position, rows + 1) or None in number:
        raise _damaged("a contest has changed the ratings of others than its players")
    return {
        "contests": numbers(number) - 1,
        "mu": numbers(mu, np.float64),
        "sigma": numbers(sigma, np.float64),
    }


def _last_times(
    connection: Connection,
    contest: StoredContests,
    players: NDArray[np.int64],
    contests: NDArray[np.int64],
) -> NDArray[np.int64]:
    """When each of these players, who had so many contests, was last rated before this one."""
    s, c, (time, _) = schema.standings, schema.contests, contest.order(0)
    earlier: Any = c.c.time < time
    if same_time := _just_earlier(connection, contest):
        earlier |= within(connection, c.c.id, same_time)
    conditions = [c.c.rated, earlier]
    if connection.execute(select(c.c.id).where(c.c.detailed, *conditions).limit(1)).first():
        conditions.append(s.c.eligible)  # otherwise the index of players has all that is needed
    there = players[contests > 0]
    found = fetch(
        connection,
        select(s.c.player_id, func.max(c.c.time))
        .join(c, c.c.id == s.c.contest_id)
        .where(schema.in_batches(), within(connection, s.c.player_id, there.tolist()), *conditions)
        .group_by(s.c.player_id),
    )
    known = dict(zip(*found, strict=True))
    if len(known) < len(there):
        raise _damaged("a player has more contests than results")
    return np.array([known.get(each, 0) for each in players.tolist()], np.int64)


def _just_earlier(connection: Connection, contest: StoredContests) -> list[int]:
    """The contests of the same time that take their turns earlier."""
    c, order = schema.contests, contest.order(0)
    same = fetch(connection, select(c.c.id, c.c.contest).where(c.c.time == order[0]))
    return [each for each, name in zip(*same, strict=True) if order_of(order[0], name) < order]


def _past(connection: Connection, revision: int, player: int, until: Order) -> Past:
    """What was noted of the rated contests of a player before a turn."""
    s, c, e = schema.standings, schema.contests, schema.events
    about, happened = (c.c.time, c.c.weight, c.c.perf_ceiling), [e.c[name] for name in EVENTS]
    theirs = (
        (e.c.revision_id == revision)
        & (e.c.contest_id == s.c.contest_id)
        & (e.c.position == s.c.position)
    )
    found = fetch(
        connection,
        select(e.c.number, c.c.contest, *about, *happened)
        .select_from(s)
        .join(c, c.c.id == s.c.contest_id)
        .join(e, theirs, isouter=True)  # lest SQLite begins with all events
        .where(schema.in_batches(), s.c.player_id == player, c.c.time <= until[0]),
    )
    rated = sorted(
        (number, row)
        for row, (number, contest, time) in enumerate(zip(*found[:3], strict=True))
        if number is not None and (time < until[0] or order_of(time, contest) < until)
    )
    time, *others = ([each[row] for _, row in rated] for each in found[2:])
    weight, ceiling, *events = (numbers(each, np.float64) for each in others)
    past = Past(
        numbers(time),
        weight,
        np.where(np.isnan(ceiling), np.inf, ceiling),
        np.array(events).reshape(len(EVENTS), -1),
    )
    in_order = [number for number, _ in rated] == list(range(1, len(past) + 1))
    if not in_order or not within_limits(past.time, *TIMES) or not within_limits(weight, *WEIGHTS):
        raise _damaged("the contests of a player are not what they were")
    return past


def _sound(beliefs: Beliefs) -> Beliefs:
    """The same, if they can be used."""
    if said := beliefs.flaw():
        raise _damaged(said)
    return beliefs


def _damaged(how: str) -> StorageError:
    return StorageError(f"the league is damaged: {how}.")
