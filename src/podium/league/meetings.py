"""Who met whom: the opponents whom a player met most, and the contests that some took part in."""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, case, func, or_, select

from podium.league import hiding, schema
from podium.league.database import fetch, within
from podium.league.queries import frame_of
from podium.league.standings import in_turn
from podium.results.columns import taken


def rivals(
    connection: Connection, player: int, n: int | None, largest: int, moment: int | None
) -> pl.DataFrame:
    """Whom a player met most in contests of at most so many; see `View.rivals`."""
    c, p = schema.contests, schema.players
    own, other = schema.standings.alias("own"), schema.standings.alias("other")
    team, others = own.c.team, other.c.team
    name: Any = p.c.name
    if connection.dialect.name == "postgresql":
        name = name.collate("C")

    def times(condition: Any) -> Any:
        return func.sum(case((condition, 1), else_=0))

    meetings = func.count()
    found = (
        select(
            p.c.name,
            meetings,
            times(own.c.rank < other.c.rank),
            times(own.c.rank == other.c.rank),
            times(own.c.rank > other.c.rank),
        )
        .select_from(own)
        .join(c, (c.c.id == own.c.contest_id) & (c.c.players <= largest))
        .join(other, (other.c.contest_id == c.c.id) & (other.c.player_id != player))
        .join(p, p.c.id == other.c.player_id)
        .where(own.c.player_id == player, schema.in_batches(own))
        .where(or_(team.is_(None), others.is_(None), team != others))
        .where(*hiding.is_other(connection, p.c.id, hiding.unseen(connection)))
        .group_by(p.c.id, p.c.name)
        .order_by(meetings.desc(), name)
    )
    if moment is not None:
        found = found.where(c.c.time <= moment)
    counts = dict.fromkeys(("meetings", "wins", "draws", "losses"), pl.Int64)
    found = found if n is None else found.limit(n)
    return frame_of(connection, found, {"player": pl.String, **counts})


def meetings(
    connection: Connection, players: NDArray[np.int64], n: int | None, moment: int | None
) -> pl.DataFrame:
    """The contests in which at least two of these players took part; see `View.meetings`."""
    s = schema.standings
    theirs = within(connection, s.c.player_id, np.unique(players).tolist())
    took_part = select(s.c.contest_id, s.c.player_id, s.c.rank)
    took_part = took_part.where(schema.in_batches(), theirs)
    contest, player, rank = (np.array(each, np.int64) for each in fetch(connection, took_part))
    number, which, count = np.unique(contest, return_inverse=True, return_counts=True)
    about = _contests(connection, number[count > 1], n, moment)
    table = np.zeros((len(number), len(players)), np.int64)
    for place, each in enumerate(players.tolist()):
        table[which[player == each], place] = rank[player == each]
    rows = table[np.searchsorted(number, about["id"].to_numpy())]
    ranks = [[each or None for each in row] for row in rows.tolist()]
    found = {name: about[name] for name in ("contest", "time", "name", "players")}
    found["time"] = found["time"].cast(pl.Datetime("us"))
    return pl.DataFrame({**found, "ranks": pl.Series(ranks, dtype=pl.List(pl.Int64))})


def _contests(
    connection: Connection, numbers: NDArray[np.int64], n: int | None, moment: int | None
) -> pl.DataFrame:
    """What is known of contests with these numbers up to a moment, the latest n first."""
    c = schema.contests
    columns = {
        "id": pl.Int64,
        "contest": pl.String,
        "time": pl.Int64,
        "name": pl.String,
        "players": pl.Int64,
    }
    met = [within(connection, c.c.id, numbers.tolist())]
    if moment is not None:
        met.append(c.c.time <= moment)
    frame = frame_of(connection, select(*(c.c[name] for name in columns)).where(*met), columns)
    order = in_turn(frame["time"].to_numpy(), frame["contest"].to_list())[::-1]
    return taken(frame, order if n is None else order[:n])
