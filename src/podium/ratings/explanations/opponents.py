"""Whom a player met in a contest: results, what was expected of them, and what they pull at."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.ratings.explanations.replay import Replay
from podium.results.columns import taken
from podium.systems.base import Field, Floats


def table_of_opponents(replay: Replay, pulls: Floats | None) -> pl.DataFrame:
    """All opponents in the order of the standings.

    Columns: player (or team), rank, skill (mu, of a team what it is expected to perform at), rating
    (as shown before; null for teams), score (1, ½ or 0, the player's), expected (the same as it
    was predicted), surprise (their difference) and pull (null if there is none).
    """
    field = _field(replay)
    table, players = replay.before.table, replay.columns.player[replay.heads]
    rating = replay.rating(
        np.ascontiguousarray(table["mu"][players]),
        np.ascontiguousarray(table["sigma"][players]),
        np.ascontiguousarray(table["contests"][players]),
    )
    scores, expected = _scores(replay), _expected(replay, field)
    frame = pl.DataFrame(
        {
            "player": _names(replay),
            "rank": replay.ranks,
            "skill": np.array(replay.system.performances(field).location),
            "rating": pl.Series(rating).set(pl.Series(field.size > 1), None),
            "score": scores,
            "expected": expected,
            "surprise": scores - expected,
            "pull": pl.Series(
                np.full(len(scores), np.nan) if pulls is None else pulls, nan_to_null=True
            ),
        }
    )
    return taken(frame, np.flatnonzero(np.arange(frame.height) != replay.own))


def _names(replay: Replay) -> list[str]:
    names = replay.before.names
    rows = replay.columns.player.tolist()
    if len(replay.heads) == len(rows):
        return [names[player] for player in rows]
    members: list[list[str]] = [[] for _ in replay.heads]
    for number, player in zip(replay.competitor.tolist(), rows, strict=True):
        members[number].append(names[player])
    team, teams = replay.columns.team, replay.contests.teams
    assert team is not None
    assert teams is not None
    return [
        f"{teams[int(team[head])]} ({', '.join(each)})" if len(each) > 1 else each[0]
        for head, each in zip(replay.heads.tolist(), members, strict=True)
    ]


def _field(replay: Replay) -> Field:
    """What was believed of the competitors at the time of the contest."""
    c = replay.columns
    mu, sigma = replay.system.forecast(replay.before, c.player, replay.time, c.side)
    number = replay.competitor
    return Field(_sums(number, mu), _sums(number, sigma * sigma), np.bincount(number))


def _sums(number: NDArray[np.int32], values: Floats) -> Floats:
    """For every competitor, the sum over its rows."""
    return np.bincount(number, weights=values).astype(np.float64, copy=False)


def _scores(replay: Replay) -> Floats:
    """The player's scores; those of a match may be between a win and a draw."""
    score = replay.columns.score
    if score is None or np.isnan(score[0]):
        return replay.standings
    own = float(score[0]) if replay.row == 0 else 1.0 - float(score[0])
    return np.full(2, own)


def _expected(replay: Replay, field: Field) -> Floats:
    """The scores that were expected of the player, by the predictions of the system."""
    count, own, side = len(field.mu), replay.own, np.zeros(len(field.mu))
    if replay.columns.side is not None:
        sides = replay.columns.side[replay.heads].astype(np.float64)
        side = 0.5 * (sides[own] - sides)
    if replay.system.most_players == 2:
        if count == 1:
            return np.full(1, 0.5)
        players = replay.columns.player
        pair = [int(players[own]), int(players[1 - own])]
        win, draw = replay.system.pair_chances(replay.before, pair, replay.time, int(side[1 - own]))
        return np.full(2, win + 0.5 * draw)
    return replay.system.expected_scores(field.among(np.full(count, own)), field, side)
