"""Whom a player met in a contest: results, what was expected of them, and what they pull at.

For systems that infer a performance from the standings, it is the zero of a sum with one term
for every competitor, oneself included (Theorem 3.2 of the Elo-MMR paper, Algorithm 1 of Elo-R).
A term, divided by the slope of the sum, is a pull in rating points: by about so much would
the performance be lower without that competitor. The pulls add up to nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.numerics import factors
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.normal import hazard
from podium.ratings.explanations.replay import Replay
from podium.systems.base import Field, Floats
from podium.systems.elo_mmr import EloMMR, EloMMX
from podium.systems.elo_r import EloR
from podium.systems.elo_r_draft import EloRDraft
from podium.systems.performance import PerformanceModel

_SMALL_STEP = 1e-5


class Spread(NamedTuple):
    """For every row, in a contest of Elo-MMR, Elo-MMX or Elo-R."""

    skill: Floats
    """The variance of the skill, as it is just before the standings are known."""
    noise: Floats
    """That of a performance about the skill."""


class Terms(NamedTuple):
    """The terms of a performance for who was better, for the tied and for who was worse."""

    loss: Floats
    draw: Floats
    victory: Floats

    def of(self, score: Floats) -> Floats:
        """The one of them that counts."""
        return np.where(score == 0.0, self.loss, np.where(score == 1.0, self.victory, self.draw))


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
            "pull": pl.Series(np.full(len(scores), np.nan) if pulls is None else pulls).fill_nan(
                None
            ),
        }
    )
    return frame.filter(pl.Series(np.arange(frame.height) != replay.own))


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
    mu, sigma = replay.system.aged(replay.before, replay.columns.player, replay.time)
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


def explains_by_pulls(replay: Replay) -> bool:
    """Whether the performance is the zero of a sum over all competitors."""
    system = replay.system
    if not replay.is_contested:
        return False
    if isinstance(system, EloMMR | EloMMX):
        return system.opponents is None
    return isinstance(system, EloR | EloRDraft)


def pulls_at(replay: Replay, performance: float) -> Floats:
    """Every competitor's pull at the performance, the player's own included."""
    location, scale = performance_priors(replay)
    z, system = (performance - location) / scale, replay.system
    model: str | PerformanceModel = "logistic"
    if isinstance(system, EloMMX):
        model = "gaussian"
    elif isinstance(system, EloMMR):
        model = system.performance
    terms, slopes = _terms(model, z)
    split = not isinstance(system, EloMMR | EloMMX) or system.split_ties
    own = np.arange(len(z)) == replay.own
    pull, slope = (
        _halved(parts, own if isinstance(system, EloR | EloRDraft) else None) if split else parts
        for parts in (terms, slopes)
    )
    score = replay.standings
    total = float(np.sum(slope.of(score) / scale**2))
    points: Floats = -(pull.of(score) / scale) / total
    return points


def _halved(terms: Terms, whole: NDArray[np.bool_] | None) -> Terms:
    """A tie as half a win and half a loss; but Elo-R has both a won and a lost one of oneself."""
    both = terms.loss + terms.victory
    return terms._replace(draw=0.5 * both if whole is None else np.where(whole, both, 0.5 * both))


def _terms(model: str | PerformanceModel, z: Floats) -> tuple[Terms, Terms]:
    """The terms of a model of scale one, and their slopes."""
    if model == "logistic":
        odds = np.exp(-np.abs(z))
        above, below = odds / (1.0 + odds), 1.0 / (1.0 + odds)
        victory = np.where(z >= 0.0, above, below)
        loss, slope = -np.where(z >= 0.0, below, above), -above * below
        return Terms(loss, loss + victory, victory), Terms(slope, 2.0 * slope, slope)
    if model == "gaussian":
        lost, won = _each(hazard, z), _each(hazard, -z)
        slopes = Terms(-lost * (lost - z), np.full(len(z), -1.0), -won * (won + z))
        return Terms(-lost, -z, won), slopes
    assert isinstance(model, PerformanceModel)
    functions = model.loss, model.draw, model.victory
    low, here, high = (
        [_each(function, z + step) for function in functions]
        for step in (-_SMALL_STEP, 0.0, _SMALL_STEP)
    )
    rise = [(b - a) / (2.0 * _SMALL_STEP) for a, b in zip(low, high, strict=True)]
    return Terms(*here), Terms(*rise)


def _each(function: Callable[[float], float], z: Floats) -> Floats:
    return np.fromiter(map(function, z.tolist()), np.float64, len(z))


def performance_priors(replay: Replay) -> tuple[Floats, Floats]:
    """Location and scale of every competitor's performance, as it was to be expected."""
    system = replay.system
    mu = replay.before.table["mu"][replay.columns.player]
    if isinstance(system, EloRDraft):
        noise_of_one = system.performance_scale**2 / replay.weight
        return mu, np.full(len(mu), np.sqrt(system.skill_scale**2 + noise_of_one))
    skill, noise = spread(replay)
    if isinstance(system, EloR):
        return mu, 0.5 * np.sqrt(skill + noise)
    if isinstance(system, EloMMX):
        location, variance, _ = team_priors(replay)
        return location, np.sqrt(variance)
    deviation = np.sqrt(skill + noise)
    logistic = isinstance(system, EloMMR) and system.performance == "logistic"
    return mu, deviation * factors.SCALE if logistic else deviation


def spread(replay: Replay) -> Spread:
    """What `prepare` of `podium.numerics.elo_mmr` and `podium.numerics.elo_r` come to."""
    system, table = replay.system, replay.before.table[replay.columns.player]
    contests = table["contests"]
    assert isinstance(system, EloMMR | EloMMX | EloR)
    days = (replay.time - table["last_time"]) / MICROSECONDS_PER_DAY
    growth = system.drift_per_day * np.where(contests > 0, days, 0.0)
    limit = system.sig_limit**2
    if isinstance(system, EloR):
        a = np.full(len(table), replay.weight)
        a *= 1.0 / ((system.sig_performance / system.sig_limit) ** 2 - 1.0)
        noise = (1.0 + 1.0 / a) * limit
    else:
        delays = np.array([*system.noob_delay, 1.0])
        delay = delays[np.minimum(contests, len(system.noob_delay))]
        a = system.weight_limit * replay.weight * delay
        noise = (1.0 + 1.0 / a) * limit + system.drift_per_day / a
    if replay.is_contested:
        growth = growth + a * limit
    return Spread(table["sigma"] ** 2 + growth, noise)


def team_priors(replay: Replay) -> tuple[Floats, Floats, Floats]:
    """In Elo-MMX: mean and variance of every competitor's performance, every row's weight in it."""
    system, number, share = replay.system, replay.competitor, replay.columns.share
    assert isinstance(system, EloMMX)
    mu = replay.before.table["mu"][replay.columns.player]
    skill, noise = spread(replay)
    part = np.ones(len(mu)) if share is None else share
    relative = part / _sums(number, part)[number]
    weight = relative if system.team == "mean" else part
    variance = _sums(number, weight**2 * skill + relative * noise)
    return _sums(number, weight * mu), variance, weight
