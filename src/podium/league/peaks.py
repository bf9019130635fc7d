"""What players have reached, and what absence makes of it: titles, best ratings, ratings today."""

from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, select

from podium.league import adjusting, players, queries, schema, trends
from podium.league.database import table_of, within
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.ratings.careers import Career, Moment
from podium.ratings.player import Player
from podium.ratings.rankings import first_best
from podium.results.times import as_column, from_microseconds, to_microseconds
from podium.systems.base import FORECAST

_MANY = 5000
"""Of more players than that, it is not looked up what they reached and what they have today."""


def with_titles(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    board: pl.DataFrame,
    moment: int | None = None,
) -> pl.DataFrame:
    """A leaderboard with titles behind the names: of the ratings, or those that were kept.

    Whoever is provisional has earned none by the rating. Titles that are kept are those reached
    until a moment.
    """
    if "title" in board.columns:
        # column by column, as below: a child of a fork has none of polars' threads
        rest = [board[each] for each in board.columns if each != "title"]
        titles, board = board["title"], pl.DataFrame(rest)
    elif rules.keep_titles:
        numbers = _numbers(board)
        titles = kept_titles(connection, revision, rules, numbers, moment)
    else:
        earned = queries.titles_of(board["rating"].to_numpy(), rules)
        earned[queries.is_provisional(board, rules)] = None
        titles = pl.Series("title", earned.tolist(), pl.String)
    return board.insert_column(board.columns.index("player") + 1, titles)


def with_kept_titles(
    connection: Connection, revision: Revision, rules: Rules, past: pl.DataFrame, moment: int
) -> pl.DataFrame:
    """What was believed of everybody, with the titles that they had kept, if titles are kept."""
    if not rules.keep_titles:
        return past
    numbers = _numbers(past)
    titles = kept_titles(connection, revision, rules, numbers, moment)
    return pl.DataFrame([*past.get_columns(), titles])


def _numbers(board: pl.DataFrame) -> NDArray[np.int64]:
    return board["id"].cast(pl.Int64).to_numpy()


def kept_titles(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    numbers: NDArray[np.int64],
    moment: int | None,
) -> pl.Series:
    """The titles that players, by number, have kept."""
    s, c = schema.standings, schema.contests
    few = len(numbers) <= _MANY
    theirs = (schema.in_batches(), within(connection, s.c.player_id, numbers.tolist()))
    conditions = [*theirs] if few else []
    if moment is not None:
        conditions.append(s.c.contest_id.in_(select(c.c.id).where(c.c.time <= moment)))
    best = table_of(connection, queries.kept_ratings(revision.id, rules, *conditions), 2)
    best = best[np.argsort(best[:, 0])]
    rating = np.append(best[:, 1], np.nan)[_places(best[:, 0], numbers)]
    return pl.Series("title", queries.titles_of(rating, rules).tolist(), pl.String)


def _places(found: NDArray[Any], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of these stands among those found, who are sorted; -1 for who is not there."""
    place = np.searchsorted(found, wanted)
    there = np.append(found, -1)[place] == wanted
    return np.where(there, place, -1)


def judged(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    number: int,
    player: Player,
    moment: int | None,
) -> Player:
    """A player with the title that the rules give, and whether it is a guest or provisional."""
    is_provisional = rules.is_provisional(player.contests, player.sigma)
    title = None if is_provisional else player.title
    if rules.keep_titles:
        title = kept_titles(connection, revision, rules, np.array([number]), moment)[0]
    guest = number in players.guests_among(connection, [number])
    return replace(player, title=title, provisional=is_provisional, guest=guest)


def with_peaks(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    board: pl.DataFrame,
    moment: int | None,
) -> pl.DataFrame:
    """A leaderboard with what its players have reached, and what they have today.

    Columns: provisional, best_rating and best_time (the highest rating after a contest), away (days
    since the last contest), rating_now and sigma_now. Today is the moment, or else the league's
    last rated contest. Of very many players the ratings are null: that would take as long as to
    read all that ever happened.
    """
    today = trends.last_rated(connection) if moment is None else moment
    last = board["last_time"].to_physical().cast(pl.Float64).to_numpy()
    away = np.maximum(0.0, (nan if today is None else today) - last) / MICROSECONDS_PER_DAY
    best, rating, sigma = np.full((3, board.height), np.nan)
    time = np.zeros(board.height, np.int64)
    if 0 < board.height <= _MANY:
        numbers = _numbers(board)
        best, time = _best(connection, revision, rules, numbers, moment)
        rating, sigma = (board[each].to_numpy() for each in ("rating", "sigma"))
        if moment is None:
            rating, sigma = _aged(connection, revision, rules, numbers, today)
    found = {
        "provisional": queries.is_provisional(board, rules),
        "best_rating": best,
        "best_time": as_column(time).set(pl.Series(np.isnan(best)), None),
        "away": away,
        "rating_now": rating,
        "sigma_now": sigma,
    }
    return pl.DataFrame([*board, *pl.DataFrame(found, nan_to_null=True)])


def _best(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    numbers: NDArray[np.int64],
    moment: int | None,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The highest rating of players after any contest until a moment, and when it was first so."""
    rows = trends.events_of(connection, revision, numbers, moment)
    if not len(rows):
        return np.full(len(numbers), np.nan), np.zeros(len(numbers), np.int64)
    player, number, time, *_, mu, sigma = map(np.ascontiguousarray, rows.T)
    after = rules.shown(revision.system, mu, sigma, number.astype(np.int32))
    starts = np.flatnonzero(np.diff(player, prepend=-1.0))
    highest = first_best(after, starts)
    place = _places(player[starts], numbers)
    rating = np.append(after[highest], np.nan)[place]
    return rating, np.append(time[highest], 0.0)[place].astype(np.int64)


def _aged(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    numbers: NDArray[np.int64],
    today: int | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ratings to show of players, and their uncertainties, at a time after their contests."""
    known = adjusting.known_now(connection, revision, numbers)
    beliefs = known.beliefs(revision.system)
    everybody = slice(0, len(beliefs))
    aged = revision.system.aged(beliefs, everybody, today)
    mu, sigma = map(np.ascontiguousarray, aged)
    return rules.shown(revision.system, mu, sigma, beliefs.column("contests")), sigma


def with_absence(
    connection: Connection, revision: Revision, rules: Rules, career: Career, moment: int | None
) -> Career:
    """A career with what was so after the last contest, and what is so today."""
    player, last = career.player, career.history.row(-1, named=True)
    today = trends.last_rated(connection) if moment is None else moment
    assert today is not None
    now = Moment(
        from_microseconds(today), player.rating, player.sigma, player.forecast, player.spread
    )
    then = Moment(last["time"], last["rating"], nan if last["sigma"] is None else last["sigma"])
    if moment is None or revision.system.forecasts:
        beliefs, ids = queries.beliefs_about(connection, revision, [player.name], moment)
        who = np.array(ids)
        mu, sigma = map(np.ascontiguousarray, revision.system.aged(beliefs, who, today))
        rating = rules.shown(revision.system, mu, sigma, beliefs.column("contests")[who])
        now = replace(now, rating=float(rating[0]), sigma=float(sigma[0]))
        expected = revision.system.besides(beliefs, who, to_microseconds(last["time"]))
        if expected:
            forecast, spread = (float(expected[name][0]) for name in FORECAST)
            then = replace(then, forecast=forecast, spread=spread)
    return replace(career, after_last=then, now=now)
