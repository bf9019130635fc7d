"""Other seasons and starting ratings: what they mean for a league, and what the log says."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.errors import StorageError
from podium.league import adjusting
from podium.league.edits import NO_MOVES, Changing, Edit, Readjustment
from podium.league.logs import State
from podium.ratings.adjustments import ALWAYS, Adjustments, Season
from podium.results.times import from_microseconds, to_microseconds

Rows = list[dict[str, Any]]
"""Starting ratings as the log keeps them: player, time or null, mu, sigma or null."""
_Row = tuple[int, int, float, float | None]
_STARTS = {"player_id": pl.Int64, "time": pl.Int64, "mu": pl.Float64, "sigma": pl.Float64}


def put_season(change: Changing, name: str, season: Season | None) -> pl.DataFrame:
    """Have this season under a name, in place of whatever was there, or none; who moves."""
    connection, moved = change.connection, NO_MOVES
    there = adjusting.seasons(connection)
    after = [each for each in there if each.name != name]
    if season is not None:
        after.append(season)
    resets = [
        each.moment
        for each in (season, *there)
        if each is not None and each.name == name and each.reset is not None
    ]
    if resets:
        starts = adjusting.load(connection)
        adjustments = Adjustments.of(after, starts.player, starts.time, starts.mu, starts.sigma)
        readjusted = Readjustment(min(resets), adjustments, None)
        moved = change.make(Edit(readjusted=readjusted))
    if change.writes:
        adjusting.drop_season(connection, name)
        if season is not None:
            adjusting.save_season(connection, season)
    return moved


def season_state(name: str, season: Season | None) -> State:
    """A season as the log keeps it."""
    return {"season": {"name": name, "was": None if season is None else kept(season)}}


def kept(season: Season) -> dict[str, Any]:
    """All about a season, as JSON."""
    return {**season.document(), "start": str(season.start)}


def season_from(state: State) -> tuple[str, Season | None]:
    """What `season_state` made."""
    try:
        kept = state["season"]
        was = kept["was"]
        season = None if was is None else Season(**was, future=True)
        return str(kept["name"]), season
    except (KeyError, TypeError, ValueError):
        raise StorageError("the log is damaged: a season cannot be read.") from None


def put_starts(
    change: Changing,
    whose: NDArray[np.int64],
    starts: pl.DataFrame,
    newcomers: dict[int, str],
) -> pl.DataFrame:
    """Let these players have these starting ratings in place of all that they have; who moves."""
    readjusted = readjustment(change, whose, starts)
    moved = NO_MOVES
    if readjusted is not None:
        moved = change.make(Edit(newcomers=newcomers, readjusted=readjusted))
    write_starts(change, whose, starts)
    return moved


def write_starts(change: Changing, whose: NDArray[np.int64], starts: pl.DataFrame) -> None:
    """Keep starting ratings in place of all that these players have."""
    if change.writes:
        adjusting.drop_starts(change.connection, whose)
        adjusting.save_starts(change.connection, starts)


def of_one(change: Changing, number: int, other: int) -> pl.DataFrame:
    """The starting ratings of two players who become the other one, whose own ones stay."""
    both = adjusting.starts_of(change.connection, np.array([number, other])).rows()
    own = {time: (mu, sigma) for player, time, mu, sigma in both if player == other}
    theirs = {time: (mu, sigma) for player, time, mu, sigma in both if player == number}
    return _table([(other, time, *start) for time, start in (theirs | own).items()])


def readjustment(
    change: Changing, whose: NDArray[np.int64], starts: pl.DataFrame
) -> Readjustment | None:
    """What it means that these players have these starting ratings and no others."""
    connection = change.connection
    everything = adjusting.load(connection)
    own = np.isin(everything.player, whose)
    now = adjusting.starts_of(connection, whose)
    differing = set(now.rows()) ^ set(starts.rows())
    if not differing:
        return None
    adjustments = Adjustments.of(
        adjusting.seasons(connection),
        np.concatenate((everything.player[~own], starts["player_id"].to_numpy())),
        np.concatenate((everything.time[~own], starts["time"].to_numpy())),
        np.concatenate((everything.mu[~own], starts["mu"].to_numpy())),
        np.concatenate((everything.sigma[~own], starts["sigma"].to_numpy())),
    )
    return Readjustment(min(time for _, time, *_ in differing), adjustments, whose)


def rows_of(starts: pl.DataFrame, names: dict[int, str]) -> Rows:
    """Starting ratings as the log keeps them."""
    return [
        {
            "player": names[player],
            "time": None if time == ALWAYS else str(from_microseconds(time)),
            "mu": mu,
            "sigma": sigma,
        }
        for player, time, mu, sigma in starts.iter_rows()
    ]


def starts_state(change: Changing, names: dict[int, str]) -> State:
    """The starting ratings that players have now, as the log keeps them."""
    whose = np.array(sorted(names), np.int64)
    was = adjusting.starts_of(change.connection, whose)
    return {"starts": rows_of(was, names), "players": sorted(names.values())}


def starts_from(state: State, numbers: dict[str, int]) -> pl.DataFrame:
    """What `_rows` made, of players with these numbers."""
    try:
        rows = [
            (
                numbers[row["player"]],
                ALWAYS if row["time"] is None else to_microseconds(row["time"]),
                float(row["mu"]),
                None if row["sigma"] is None else float(row["sigma"]),
            )
            for row in state["starts"]
        ]
    except (KeyError, TypeError, ValueError):
        raise StorageError("the log is damaged: a starting rating cannot be read.") from None
    return _table(rows)


def _table(rows: Iterable[_Row]) -> pl.DataFrame:
    """Starting ratings in order, without the threads of Polars; see `podium.forks`."""
    return pl.DataFrame(sorted(rows, key=lambda row: row[:2]), _STARTS, orient="row")


def with_others(was: pl.DataFrame, given: Iterable[_Row]) -> pl.DataFrame:
    """Starting ratings with these in place of those of the same players and times."""
    kept = {row[:2]: row for row in was.iter_rows()}
    return _table((kept | {row[:2]: row for row in given}).values())
