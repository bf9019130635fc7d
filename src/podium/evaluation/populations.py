"""Synthetic populations: players whose true skills are known, and the contests that they play.

The defaults are the synthetic set of the Elo-MMR paper (section 6.1): skills are drawn from
N(1500, 350²), every round ranks its participants by performances that scatter around their skills
with a standard deviation of 200, and between rounds each skill makes a Gaussian step of 35.

Example:
    >>> import podium
    >>> podium.simulate(players=100, rounds=10, participation=0.5, seed=7)
    <Contests: 10 contests, 490 rows, 100 players, 2026-01-01 to 2026-03-05>

Matches of two with a known part of luck are the other kind: `simulate_matches`.
"""

import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from podium.columns import Columns
from podium.contests import Contests
from podium.errors import PodiumError
from podium.evaluation.arguments import check_number, check_whole
from podium.luck import CoinToss, Logistic, LuckFunction
from podium.tables import Parts
from podium.times import Time, to_microseconds

_DAY = 86_400_000_000
_LATEST = to_microseconds("9999-12-31")


class SimulatedContests(Contests):
    """Contests, and what nobody knows of real ones."""

    def __init__(self, parts: Parts, skills: NDArray[np.float64] | None = None) -> None:
        super().__init__(parts)
        self.skills = np.full(self.rows, np.nan) if skills is None else skills
        """The true skill of the player of every row, at the time of its contest."""


def simulate(
    players: int = 1000,
    rounds: int = 50,
    *,
    participation: float = 1.0,
    skill_mean: float = 1500.0,
    skill_sd: float = 350.0,
    performance_sd: float = 200.0,
    drift_sd: float = 35.0,
    ties: float = 0.0,
    start: Time = "2026-01-01",
    days_between: float = 7.0,
    seed: int = 0,
) -> SimulatedContests:
    """Contests of a synthetic population, with the true `skills` of its players.

    The same arguments give the same contests.

    Args:
        players: How many there are, at least two.
        rounds: How many contests take place.
        participation: Each player's chance to take part in a round. A round always has two.
        skill_mean: The mean of the skills at the start.
        skill_sd: Their standard deviation.
        performance_sd: How far the performances of one player scatter from round to round.
        drift_sd: The standard deviation of the step that a skill makes between two rounds.
        ties: The share of all rows, on average, that have their rank in common with another:
            neighbours in the standings are tied at random. Skills and performances do not change
            with it, nor with `participation`.
        start: When the first round takes place.
        days_between: The days from one round to the next.
        seed: Which of all such populations.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=3, rounds=2, seed=1)
        >>> contests[0].standings
        [(1, 'player-0002'), (2, 'player-0001'), (3, 'player-0003')]
        >>> len(contests.skills) == contests.rows
        True
    """
    check_whole("players", players, 2)
    check_whole("rounds", rounds, 1)
    check_whole("seed", seed, 0)
    check_number("skill_mean", skill_mean, -math.inf)
    for name, spread in (
        ("skill_sd", skill_sd),
        ("performance_sd", performance_sd),
        ("drift_sd", drift_sd),
        ("days_between", days_between),
    ):
        check_number(name, spread, 0.0)
    check_number("ties", ties, 0.0, 1.0)
    check_number("participation", participation, 0.0, 1.0)
    times = _times(start, days_between, rounds, "rounds")

    # One stream for each purpose, so that a change of one option leaves the others' draws alone.
    skill_draws, performance_draws, presence_draws, tie_draws = np.random.default_rng(seed).spawn(4)
    skill = skill_draws.normal(skill_mean, skill_sd, players)
    member: list[NDArray[np.int32]] = []
    rank: list[NDArray[np.int32]] = []
    skills: list[NDArray[np.float64]] = []
    for number in range(rounds):
        if number:
            skill = skill + skill_draws.normal(0.0, drift_sd, players)
        performance = performance_draws.normal(skill, performance_sd)
        present = _present(presence_draws, players, participation)
        ids, ranks = _standings(present, performance[present], ties, tie_draws)
        member.append(ids)
        rank.append(ranks)
        skills.append(skill[ids])
    columns = _columns(
        times, [len(ids) for ids in member], np.concatenate(member), np.concatenate(rank)
    )
    return SimulatedContests(_named(columns, players, "round", 2), np.concatenate(skills))


def simulate_matches(
    players: int = 1000,
    matches: int = 10_000,
    *,
    beta: float = 0.8,
    luck: LuckFunction | None = None,
    skill_sd: float = 1.0,
    draws: float = 0.0,
    side_advantage: float = 0.0,
    drift_sd: float = 0.0,
    neighbours: float = 1.0,
    start: Time = "2026-01-01",
    days_between: float = 0.01,
    seed: int = 0,
) -> SimulatedContests:
    """Matches of two in a game whose luck is known, with the true `skills` of the players.

    Skills are natural logarithms of odds, as in `podium.luck`: 1 is 173.7 rating points.
    The same arguments give the same matches.

    Args:
        players: How many there are, at least two.
        matches: How many they play. Who plays is drawn at random.
        beta: The share of matches that the game decides; a coin decides the others.
        luck: The game: the chance that one skill beats another; by default, logistic.
        skill_sd: The standard deviation of the skills, whose mean is 0.
        draws: The share of draws among equals. Between others there are fewer, so that the
            expected score is what it is without draws.
        side_advantage: What the side, which one of the two has in each match, adds to a skill.
        drift_sd: The standard deviation of the step that a skill makes after each match of its
            player.
        neighbours: The share of all players, those with the nearest skills at the start, among
            whom one finds opponents.
        start: When the first match takes place.
        days_between: The days from one match to the next.
        seed: Which of all such populations.

    Example:
        >>> import podium
        >>> matches = podium.simulate_matches(players=20, matches=300, beta=0.9, seed=1)
        >>> matches
        <Contests: 300 contests, 600 rows, 20 players, 2026-01-01 to 2026-01-03>
        >>> won, lost = matches.skills.reshape(-1, 2).T
        >>> bool((won > lost).mean() > 0.6)
        True
    """
    check_whole("players", players, 2)
    check_whole("matches", matches, 1)
    check_whole("seed", seed, 0)
    check_number("side_advantage", side_advantage, -math.inf)
    for name, share in (("beta", beta), ("draws", draws), ("neighbours", neighbours)):
        check_number(name, share, 0.0, 1.0)
    for name, spread in (
        ("skill_sd", skill_sd),
        ("drift_sd", drift_sd),
        ("days_between", days_between),
    ):
        check_number(name, spread, 0.0)
    times = _times(start, days_between, matches, "matches")
    chance = CoinToss(Logistic() if luck is None else luck, beta)

    skill_draws, drift_draws, pairing_draws, result_draws = np.random.default_rng(seed).spawn(4)
    skill = skill_draws.normal(0.0, skill_sd, players)
    pair = _pairs(pairing_draws, skill, matches, neighbours)
    steps = drift_draws.normal(0.0, drift_sd, pair.shape)
    skills = skill[pair] + _moved(pair.ravel(), steps.ravel()).reshape(pair.shape)
    expected = chance(skills[:, 0] + side_advantage, skills[:, 1])
    drawn, first_wins = _results(result_draws, expected, draws)

    swapped = np.where(drawn, pair[:, 0] > pair[:, 1], ~first_wins)
    order = np.where(swapped[:, None], [1, 0], [0, 1])
    ranks = np.stack([np.ones(matches, np.int32), np.where(drawn, 1, 2)], axis=1)
    member = np.take_along_axis(pair, order, axis=1)
    columns = _columns(times, np.full(matches, 2), member.ravel(), ranks.ravel())
    if side_advantage != 0.0:
        columns = columns._replace(side=(1 - 2 * order).astype(np.int8).ravel())
    ordered = np.take_along_axis(skills, order, axis=1).ravel()
    return SimulatedContests(_named(columns, players, "match", 5), ordered)


def _pairs(
    draws: np.random.Generator, skill: NDArray[np.float64], matches: int, neighbours: float
) -> NDArray[np.int64]:
    """Two different players for every match, the second among those with the nearest skills."""
    players = len(skill)
    width = max(2, round(neighbours * players))
    by_skill = np.argsort(skill, kind="stable")
    place = draws.integers(players, size=matches)
    lowest = np.clip(place - width // 2, 0, players - width)
    other = lowest + draws.integers(width - 1, size=matches)
    other += other >= place
    return by_skill[np.stack([place, other], axis=1)]


def _moved(player: NDArray[np.int64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """For every row, the sum of the steps in earlier rows of the same player."""
    order = np.argsort(player, kind="stable")
    total = np.cumsum(steps[order]) - steps[order]
    first = np.flatnonzero(np.diff(player[order], prepend=-1))
    total -= np.repeat(total[first], np.diff(first, append=len(player)))
    moved = np.empty(len(player))
    moved[order] = total
    return moved


def _results(
    draws: np.random.Generator, expected: NDArray[np.float64], share: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which matches are drawn, and which the first wins.

    With a draw of probability d, the first wins with the expected score minus d / 2. Neither
    chance may be below 0, so d is at most twice the lower of the two expected scores.
    """
    d = share * 2.0 * np.minimum(expected, 1.0 - expected)
    draw = draws.random(len(expected))
    drawn = draw < d
    return drawn, ~drawn & (draw < expected + 0.5 * d)


def _present(draws: np.random.Generator, players: int, participation: float) -> NDArray[np.int32]:
    """Who takes part: those whose draw is low enough, and at least the two with the lowest."""
    draw = draws.random(players)
    needed = np.partition(draw, 1)[1]
    return np.flatnonzero(draw <= max(participation, needed)).astype(np.int32)


def _standings(
    present: NDArray[np.int32],
    performance: NDArray[np.float64],
    ties: float,
    draws: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Players and ranks, best first; those who are tied by name, as everywhere in podium."""
    n = len(present)
    ids = present[np.argsort(-performance, kind="stable")]
    place = np.arange(1, n + 1, dtype=np.int32)
    if ties == 0.0:
        return ids, place
    first_of_group = np.ones(n, np.bool_)
    first_of_group[1:] = draws.random(n - 1) < _chance_apart(n, ties)
    ranks = np.maximum.accumulate(np.where(first_of_group, place, np.int32(0)))
    return ids[np.lexsort((ids, ranks))], ranks


def _chance_apart(n: int, ties: float) -> float:
    """The chance u that neighbours are not tied, so that a share `ties` of n rows is in a tie.

    A row stands alone if it is apart from both neighbours, or from the one that the first and the
    last have: (n - 2) u² + 2 u = n (1 - ties).
    """
    alone = n * (1.0 - ties)
    return alone / (1.0 + math.sqrt(1.0 + (n - 2) * alone))


def _columns(
    times: NDArray[np.int64],
    sizes: ArrayLike,
    member: NDArray[np.integer[Any]],
    rank: NDArray[np.integer[Any]],
) -> Columns:
    return Columns(
        offsets=np.concatenate(([0], np.cumsum(sizes))),
        player=member.astype(np.int32),
        rank=rank.astype(np.int32),
        time=times,
        weight=np.ones(len(times)),
        perf_ceiling=np.full(len(times), np.inf),
    )


def _named(columns: Columns, players: int, contest: str, digits: int) -> Parts:
    names = _numbered("player", players, 4)
    return Parts(
        columns, names, _numbered("contest", len(columns.time), digits, contest), None, None
    )


def _numbered(column: str, count: int, digits: int, what: str | None = None) -> pl.Series:
    """Names such as player-0001, which sort by their number."""
    number = pl.int_range(1, count + 1).cast(pl.String).str.zfill(max(digits, len(str(count))))
    return pl.select(pl.format(f"{what or column}-{{}}", number).alias(column)).to_series()


def _times(start: Time, days_between: float, count: int, what: str) -> NDArray[np.int64]:
    first = to_microseconds(start)
    step = days_between * _DAY
    if first + step * (count - 1) > _LATEST:
        raise PodiumError(
            f"{count} {what} with {days_between:g} days between them go beyond the year 9999."
        )
    return first + np.round(step * np.arange(count)).astype(np.int64)
