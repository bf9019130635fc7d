"""How ratings have moved of late: by the last contest, over a month, and as a small curve."""

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from podium.league import schema
from podium.league.database import fetch, mapping, table_of, within
from podium.league.queries import participations
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.numerics.columns import MICROSECONDS_PER_DAY

MONTH = 30 * MICROSECONDS_PER_DAY


def last_rated(connection: Connection) -> int | None:
    """When the last rated contest was."""
    c = schema.contests
    last = select(c.c.time).where(c.c.rated).order_by(c.c.time.desc()).limit(1)
    times = fetch(connection, last)[0]
    return times[0] if times else None


def trends(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    players: NDArray[np.int64],
    moment: int | None,
    points: int,
) -> pl.DataFrame:
    """What contests up to a moment did to these players, who stand there once: see `View.trends`.

    Columns: contest, change, month and curve.
    """
    rows = events_of(connection, revision, players, moment)
    until = last_rated(connection) if moment is None else moment
    player, number, time, contest, *beliefs = rows.T
    contests = number.astype(np.int32)
    mu_before, sigma_before, mu, sigma = map(np.ascontiguousarray, beliefs)
    after = rules.shown(revision.system, mu, sigma, contests)
    before = rules.shown(revision.system, mu_before, sigma_before, contests - 1)
    is_recent = time > (0 if until is None else until - MONTH)
    starts = np.searchsorted(player, players)
    ends = np.searchsorted(player, players, side="right")
    change, month = np.full((2, len(players)), np.nan)
    played = ends > starts
    last = ends[played] - 1
    change[played] = after[last] - before[last]
    recent = np.concatenate(([0], np.cumsum(is_recent)))
    month_ago = ends - 1 - (recent[ends] - recent[starts])
    known = month_ago >= starts
    month[known] = after[ends[known] - 1] - after[month_ago[known]]
    curves = [
        after[max(first, end - points) : end].tolist()
        for first, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    c = schema.contests
    lasts = contest[last].astype(np.int64).tolist()
    called = mapping(
        connection, select(c.c.id, c.c.contest).where(within(connection, c.c.id, lasts))
    )
    contests_of = np.full(len(players), None, object)
    contests_of[played] = [called[each] for each in lasts]
    return pl.DataFrame(
        {
            "contest": pl.Series(contests_of.tolist(), dtype=pl.String),
            "change": change,
            "month": month,
            "curve": pl.Series(curves, dtype=pl.List(pl.Float64)),
        },
        nan_to_null=True,
    )


def events_of(
    connection: Connection, revision: Revision, players: NDArray[np.int64], moment: int | None
) -> NDArray[np.float64]:
    """What contests did to players, by player and in turn.

    Columns: player, number, time, contest (its number), mu_before, sigma_before, mu and sigma.
    """
    s, c, e = schema.standings, schema.contests, schema.events
    happened = participations(
        revision,
        *(s.c.player_id, e.c.number, c.c.time, c.c.id),
        *(e.c[each] for each in ("mu_before", "sigma_before", "mu", "sigma")),
    ).where(schema.in_batches(), within(connection, s.c.player_id, players.tolist()))
    if moment is not None:
        happened = happened.where(c.c.time <= moment)
    rows = table_of(connection, happened, 8)
    rows = rows[~np.isnan(rows[:, 1])]
    return rows[np.lexsort((rows[:, 1], rows[:, 0]))]
