"""The seasons and starting ratings of a league, and what they make of what is believed.

What a league keeps of a player is what is believed since the last contest; what is due since then
is done when it is needed: before the next contest (`folding`), and wherever somebody is shown.
"""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select

from podium.league import checkpoints, schema
from podium.league.checkpoints import Known
from podium.league.database import fetch, insert, numbers, within
from podium.league.revisions import Revision
from podium.ratings.adjustments import EVER, Adjustments, Season
from podium.results.times import from_microseconds
from podium.systems.base import System

ACTIONS = ("season", "start")
"""What the log calls changes of them."""


def seasons(connection: Connection) -> list[Season]:
    """All seasons, the earliest first."""
    s = schema.seasons
    columns = (s.c.time, s.c.name, s.c.pull, s.c.toward, s.c.sigma)
    rows = sorted(zip(*fetch(connection, select(*columns)), strict=True), key=lambda row: row[:2])
    return [
        Season(name, from_microseconds(time), pull=pull, toward=toward, sigma=sigma, future=True)
        for time, name, pull, toward, sigma in rows
    ]


def load(connection: Connection, players: NDArray[np.int64] | None = None) -> Adjustments:
    """All adjustments, or those that can concern these players."""
    s = schema.starts
    statement = select(s.c.player_id, s.c.time, s.c.mu, s.c.sigma)
    if players is not None:
        statement = statement.where(within(connection, s.c.player_id, players.tolist()))
    player, time, mu, sigma = fetch(connection, statement)
    found = numbers(player), numbers(time), numbers(mu, np.float64), numbers(sigma, np.float64)
    return Adjustments.of(seasons(connection), *found)


def there_were(connection: Connection) -> bool:
    """Whether the league has, or has had, anything of that kind."""
    t = schema.log
    of_kind = t.c.action.in_(ACTIONS) | (
        t.c.action.in_(("undo", "redo")) & t.c.details.like('%"action": "s%')
    )
    if connection.execute(select(t.c.id).where(of_kind).limit(1)).scalar() is not None:
        return True
    return bool(load(connection))


def brought(known: Known, system: System, adjustments: Adjustments, until: int = EVER) -> Known:
    """The same with all that is due by a time."""
    if not adjustments or not len(known.player):
        return known
    beliefs, everybody = known.beliefs(system), np.arange(len(known.player))
    adjustments.bring(beliefs, everybody, known.player, until)
    return Known(known.player, beliefs.packed(everybody))


def with_ratings(known: Known, adjustments: Adjustments, until: int = EVER) -> NDArray[np.bool_]:
    """Which of them have played, or were given a rating by a time."""
    played: NDArray[np.bool_] = known.packed.table["contests"] > 0
    return played | adjustments.started(known.player, until)


class Records(NamedTuple):
    """What the table of ratings is made of: the records of players by number."""

    player: NDArray[np.int64]
    table: NDArray[Any]


def records(
    known: Known, system: System, adjustments: Adjustments, among: NDArray[np.bool_] | None = None
) -> Records:
    """Of those who have a rating, or of some of them, after all adjustments."""
    rows = with_ratings(known, adjustments)
    if among is not None:
        rows &= among
    if not adjustments:
        return Records(known.player[rows], known.packed.table[rows])
    found = brought(known.take(rows), system, adjustments)
    return Records(found.player, found.packed.table)


def known_now(
    connection: Connection, revision: Revision, players: NDArray[np.int64] | None = None
) -> Known:
    """What is believed now of players, or of all of them, as far as they have a rating.

    They are in the order in which they are given, or else in that of their numbers.
    """
    system = revision.system
    known = checkpoints.load_now(connection, revision.id, system, players)
    adjustments = load(connection, players)
    if not adjustments:
        return known
    there = np.unique(adjustments.player)
    order = np.argsort(known.player)
    known = known.take(order).and_others(
        checkpoints.newcomers(system, there)._replace(player=there)
    )
    known = brought(known, system, adjustments)
    if players is None:
        return known
    place = np.searchsorted(known.player, players)
    found = np.minimum(place, max(len(known.player) - 1, 0))
    is_known = known.player[found] == players if len(known.player) else np.zeros(0, np.bool_)
    return known.take(found[is_known]) if len(known.player) else known


def save_season(connection: Connection, season: Season) -> None:
    """Keep a season, in place of one of that name."""
    drop_season(connection, season.name)
    columns = {
        "name": season.name,
        "time": season.moment,
        **{name: getattr(season, name) for name in ("pull", "toward", "sigma")},
    }
    connection.execute(schema.seasons.insert().values(columns))


def drop_season(connection: Connection, name: str) -> None:
    """Forget a season."""
    s = schema.seasons
    connection.execute(delete(s).where(s.c.name == name))


def starts_of(connection: Connection, players: NDArray[np.int64]) -> pl.DataFrame:
    """The starting ratings of players by number: player_id, time, mu, sigma."""
    found = load(connection, players)
    return pl.DataFrame(
        {
            "player_id": found.player,
            "time": found.time,
            "mu": found.mu,
            "sigma": pl.Series(found.sigma, nan_to_null=True),
        }
    )


def save_starts(connection: Connection, starts: pl.DataFrame) -> None:
    """Keep starting ratings, where there are none of the same players and times."""
    columns = {name: starts[name].to_list() for name in ("player_id", "time", "mu", "sigma")}
    if starts.height:
        insert(connection, schema.starts, columns)


def drop_starts(connection: Connection, players: NDArray[np.int64]) -> None:
    """Forget all starting ratings of players."""
    s = schema.starts
    connection.execute(delete(s).where(within(connection, s.c.player_id, players.tolist())))
