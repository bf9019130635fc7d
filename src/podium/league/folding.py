"""The fold of a league: what contests, from some point on, make of what is believed."""

import bisect
import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from podium.league import schema, standings
from podium.league.checkpoints import (
    Checkpoint,
    Known,
    Size,
    joined,
    layout,
    load_now,
    newcomers,
    total_size,
)
from podium.league.database import UNWATCHED, Meter
from podium.league.standings import Order, Rateable, StoredContests
from podium.ratings.adjustments import Adjustments
from podium.ratings.fold import pieces, thread_count
from podium.systems.base import EVENTS, FORECAST, System


@dataclass(frozen=True)
class Folded:
    """What came of contests."""

    contests: StoredContests
    """From the start of a checkpoint on."""
    rated: Rateable
    events: NDArray[np.float64]
    """What happened in each row that is rated, as in `podium.systems.base.EVENTS`."""
    expected: NDArray[np.float64]
    """What was expected of each just before, as in `FORECAST`; empty if the system has none."""
    checkpoints: list[Checkpoint]
    after: Known
    """What is believed of everybody who took part, or was asked for."""


def checkpoint_at(checkpoints: list[Checkpoint], order: Order) -> int:
    """The number of the checkpoint that a contest of that turn belongs to."""
    later = [number for number, checkpoint in enumerate(checkpoints) if checkpoint.order > order]
    return max(0, later[0] - 1) if later else max(0, len(checkpoints) - 1)


def contests_from(
    connection: Connection, start: Checkpoint | None, until: Order | None = None
) -> StoredContests:
    """The contests from a checkpoint on, or all, and before a turn, if one is given."""
    time, conditions = schema.contests.c.time, []
    if start is not None:
        conditions.append(time >= start.time)
    if until is not None:
        conditions.append(time <= until[0])
    found = standings.load(connection, *conditions)
    every = range(len(found))
    first = 0 if start is None else bisect.bisect_left(every, start.order, key=found.order)
    end = len(found) if until is None else bisect.bisect_left(every, until, key=found.order)
    return found if (first, end) == (0, len(found)) else found.take(every[first:end])


def known_at(
    connection: Connection,
    revision: int,
    system: System,
    checkpoints: list[Checkpoint],
    players: NDArray[np.int64],
) -> Known:
    """What was believed of players before the first of these checkpoints, the last of a history."""
    parts, missing = list[Known](), players
    for checkpoint in checkpoints:
        if parts and not len(missing):
            break
        parts.append(checkpoint.known(connection, system).of(missing))
        missing = np.setdiff1d(missing, parts[-1].player, assume_unique=True)
    if len(missing) or not parts:
        parts.append(load_now(connection, revision, system, missing))
        missing = np.setdiff1d(missing, parts[-1].player, assume_unique=True)
    if len(missing):
        parts.append(newcomers(system, missing))
    return joined(parts)


def fold(
    system: System,
    contests: StoredContests,
    before: Known,
    earlier: list[Checkpoint],
    adjustments: Adjustments,
    *,
    starts: list[int] | None = None,
    trusted: bool = False,
    meter: Meter = UNWATCHED,
) -> Folded:
    """Fold all of these contests, which end a history, beginning with checkpoints `earlier`.

    `before` is what is believed of all who take part, and may be of others, since their last
    contests; so are checkpoints and what comes out. Before players take part, whatever is due of
    `adjustments` is done to them. Stretches begin where it is best, or at the rated contests of the
    numbers `starts`. What is `trusted` was validated, or believed by this process itself.
    """
    rated = contests.rateable()
    columns = rated.columns._replace(player=before.places(rated.columns.player))
    sizes = [Size(1, rows) for rows in np.diff(columns.offsets).tolist()]
    total = Size(len(sizes), len(columns.player))
    if starts is None:
        starts = layout(sizes, total.plus(total_size(earlier)))
    beliefs = before.beliefs(system, trusted=trusted)
    events = np.empty((len(EVENTS), len(columns.player)))
    expected = np.empty((len(FORECAST) if system.forecasts else 0, len(columns.player)))
    workers = thread_count(None)
    checkpoints = []
    for start, end in itertools.pairwise([*starts, len(sizes)]):
        rows = slice(columns.offsets[start], columns.offsets[end])
        takes_part = np.zeros(len(before.player), np.bool_)
        takes_part[columns.player[rows]] = True
        there = np.flatnonzero(takes_part)
        known = before  # as it came, if nobody is left out and nothing is folded yet
        if start > 0 or len(there) < len(before.player):
            known = Known(before.player[there], beliefs.packed(there))
        first = int(rated.contest[start])
        checkpoints.append(
            Checkpoint(
                time=int(columns.time[start]),
                contest=contests.contest[first],
                size=Size(end - start, int(rows.stop - rows.start)),
                before=known,
            )
        )
        for one, other, players in pieces(columns, adjustments, start, end):
            if players is not None:
                number = before.player[players]
                adjustments.bring(beliefs, players, number, int(columns.time[one]))
            rows = slice(columns.offsets[one], columns.offsets[other])
            rate: Any = system.beliefs_before if system.forecasts else system.update_many
            said = rate(beliefs, columns, events, first=one, last=other, threads=workers)
            if said is not None:
                expected[:, rows] = said
            meter.add(int(rows.stop - rows.start))
    everybody = np.arange(len(before.player))
    after = Known(before.player, beliefs.packed(everybody))
    return Folded(contests, rated, events, expected, checkpoints, after)
