"""Changes of seasons and of starting ratings: what each did or would do."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection

from podium.errors import ConflictError, NotFoundError
from podium.league import adjusting, players
from podium.league.changes import Change, near_newcomers
from podium.league.edits import Changing
from podium.league.readjusting import (
    kept,
    put_season,
    put_starts,
    rows_of,
    season_state,
    with_others,
)
from podium.ratings.adjustments import ALWAYS, Season, Starts, no_season
from podium.results.columns import taken
from podium.results.times import from_microseconds, to_microseconds
from podium.wording import counted, listed


def set_season(change: Changing, season: Season) -> Change:
    """Let a season begin, or put right one of that name."""
    there = adjusting.seasons(change.connection)
    was = next((each for each in there if each.name == season.name), None)
    if was == season:
        return Change(f"season {season.name!r} is so already", False)
    for each in there:
        if each.name != season.name and each.moment == season.moment:
            raise ConflictError(
                f"season {each.name!r} begins at {each.start} already; two cannot at one moment."
            )
    moved = put_season(change, season.name, season)
    _note_season(change, season.name, was, season, moved)
    what = f"began season {season.name!r} on {season.start:%Y-%m-%d}"
    if was is not None:
        what = f"put season {season.name!r} right: it begins on {season.start:%Y-%m-%d}"
    return Change(f"{what}, {_said(season)}", True, replayed=change.replayed, moves=moved)


def _said(season: Season) -> str:
    if season.pull is None:
        return "without a reset"
    toward = "where newcomers begin" if season.toward is None else f"{season.toward:g}"
    least = "" if season.sigma is None else f" and uncertain by at least {season.sigma:g}"
    return f"with ratings pulled {season.pull:.4g} of the way to {toward}{least}"


def remove_season(change: Changing, name: str) -> Change:
    """Take a season out of the league, and its reset with it."""
    was = season_named(adjusting.seasons(change.connection), name)
    moved = put_season(change, was.name, None)
    _note_season(change, was.name, was, None, moved)
    what = f"removed season {was.name!r}"
    return Change(what, True, replayed=change.replayed, moves=moved)


def season_named(seasons: Sequence[Season], name: str) -> Season:
    """The season of that name; an unknown one is an error."""
    for each in seasons:
        if each.name == name:
            return each
    raise no_season(name, [each.name for each in seasons])


def before_contest(
    connection: Connection, number: int, story: pl.DataFrame, row: int, digits: int
) -> str | None:
    """What became of a player's rating between a contest of the history and the one before it."""
    until = to_microseconds(story["time"][row])
    since = to_microseconds(story["time"][row - 1]) if row else ALWAYS - 1
    given = adjusting.starts_of(connection, np.array([number]))
    times, means = (given[each].to_numpy() for each in ("time", "mu"))
    started = np.flatnonzero((times > since) & (times <= until))
    if len(started):
        since = int(times[started[-1]])
    resets = [
        each.name
        for each in adjusting.seasons(connection)
        if each.reset is not None and since < each.moment <= until
    ]
    began = f"{'seasons' if len(resets) > 1 else 'season'} {listed(resets)} began"
    if len(started):
        begun = f"Before it, a starting rating of {means[started[-1]]:,.{digits}f} was given"
        return f"{begun}, and then {began} with a reset." if resets else f"{begun}."
    if not resets or not row:
        return None
    was, became = story["rating"][row - 1], story["rating_before"][row]
    pulled = f"{was:,.{digits}f} was pulled to {became:,.{digits}f}"
    return f"Before it, {began} with a reset: {pulled}."


def _note_season(
    change: Changing, name: str, was: Season | None, season: Season | None, moved: pl.DataFrame
) -> None:
    details: dict[str, Any] = {"season": name, "removed": season is None}
    if season is not None:
        details |= {key: kept(season)[key] for key in ("start", "pull", "toward", "sigma")}
    change.note(
        "season",
        details=details,
        moves=moved,
        before=season_state(name, was),
        after=season_state(name, season),
    )


def start(change: Changing, starts: Starts, *, near: bool) -> Change:
    """Give players starting ratings, in place of those that they have as of the same times."""
    connection = change.connection
    number, newcomers = _numbers(change, starts.players)
    there = np.array([number[name] for name in starts.players], np.int64)
    was = adjusting.starts_of(connection, np.unique(there))
    sigma = [None if np.isnan(each) else each for each in starts.sigma.tolist()]
    given = list(zip(there.tolist(), starts.time.tolist(), starts.mu.tolist(), sigma, strict=True))
    times = Counter(row[:2] for row in given)
    twice = next((player for (player, _), many in times.items() if many > 1), None)
    if twice is not None:
        raise ConflictError(
            f"two of the starting ratings are of {players.name_of(connection, twice)!r}, who has "
            f"two names."
        )
    after = with_others(was, given)
    if after.equals(was):
        return Change("the starting ratings are so already", False)
    names = {each: name for name, each in number.items()}
    names |= players.names_of(connection, np.unique(there))
    alike = near_newcomers(connection, sorted(newcomers.values()), near)
    moved = put_starts(change, np.unique(there), after, newcomers)
    change.note(
        "start",
        player=names[int(there[0])] if len(set(there.tolist())) == 1 else None,
        details={"players": len(np.unique(there))},
        moves=moved,
        before={"starts": rows_of(was, names), "players": sorted(names.values())},
        after={"starts": rows_of(after, names), "newcomers": sorted(newcomers.values())},
    )
    what = f"gave {counted(len(np.unique(there)), 'player')} a starting rating"
    return Change(
        what,
        True,
        replayed=change.replayed,
        moves=moved,
        newcomers=sorted(newcomers.values()),
        near=alike,
    )


def remove_start(change: Changing, player: str, time: Any | None) -> Change:
    """Take a player's starting ratings back, or the one of a time."""
    connection = change.connection
    number = players.number_of(connection, player)
    name, only = players.name_of(connection, number), np.array([number])
    was = adjusting.starts_of(connection, only)
    after = was.clear()
    if time is not None:
        after = taken(was, np.flatnonzero(was["time"].to_numpy() != to_microseconds(time)))
    if after.height == was.height:
        raise NotFoundError(
            f"{name!r} has no starting rating"
            + ("." if time is None else f" as of {from_microseconds(to_microseconds(time))}.")
        )
    moved = put_starts(change, only, after, {})
    change.note(
        "start",
        player=name,
        details={"players": 1, "removed": True},
        moves=moved,
        before={"starts": rows_of(was, {number: name}), "players": [name]},
        after={"starts": rows_of(after, {number: name}), "newcomers": []},
    )
    what = f"took the starting rating of {name!r} away"
    return Change(what, True, replayed=change.replayed, moves=moved)


def _numbers(change: Changing, names: list[str]) -> tuple[dict[str, int], dict[int, str]]:
    """The numbers of players, those who are not known among them, and who these are."""
    connection = change.connection
    known = players.known(connection, names)
    missing = list(dict.fromkeys(name for name in names if name not in known))
    newcomers = players.numbered(connection, missing, {}) if missing else {}
    return {**known, **{name: each for each, name in newcomers.items()}}, newcomers
