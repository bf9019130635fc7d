"""Synthetic populations: players whose true skills are known, and the contests that they play.

The defaults are the synthetic set of the Elo-MMR paper (section 6.1): skills are drawn from
N(1500, 350²), every round ranks its participants by performances that scatter around their skills
with a standard deviation of 200, and between rounds each skill makes a Gaussian step of 35.

Example:
    >>> import podium
    >>> podium.simulate(players=100, rounds=10, participation=0.5, seed=7)
    <Contests: 10 contests, 490 rows, 100 players, 2026-01-01 to 2026-03-05>
"""

import math
import numbers

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.columns import Columns
from podium.contests import Contests
from podium.errors import PodiumError
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
    _check_whole("players", players, 2)
    _check_whole("rounds", rounds, 1)
    _check_whole("seed", seed, 0)
    _check_number("skill_mean", skill_mean, -math.inf)
    for name, spread in (
        ("skill_sd", skill_sd),
        ("performance_sd", performance_sd),
        ("drift_sd", drift_sd),
        ("days_between", days_between),
    ):
        _check_number(name, spread, 0.0)
    _check_number("ties", ties, 0.0, 1.0)
    _check_number("participation", participation, 0.0, 1.0)
    times = _times(start, days_between, rounds)

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
    return SimulatedContests(_assembled(players, times, member, rank), np.concatenate(skills))


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


def _assembled(
    players: int,
    times: NDArray[np.int64],
    member: list[NDArray[np.int32]],
    rank: list[NDArray[np.int32]],
) -> Parts:
    rounds = len(times)
    columns = Columns(
        offsets=np.concatenate(([0], np.cumsum([len(ids) for ids in member]))),
        player=np.concatenate(member),
        rank=np.concatenate(rank),
        time=times,
        weight=np.ones(rounds),
        perf_ceiling=np.full(rounds, np.inf),
    )
    names = _numbered("player", players, 4)
    return Parts(columns, names, _numbered("contest", rounds, 2, "round"), None, None)


def _numbered(column: str, count: int, digits: int, what: str | None = None) -> pl.Series:
    """Names such as player-0001, which sort by their number."""
    number = pl.int_range(1, count + 1).cast(pl.String).str.zfill(max(digits, len(str(count))))
    return pl.select(pl.format(f"{what or column}-{{}}", number).alias(column)).to_series()


def _times(start: Time, days_between: float, rounds: int) -> NDArray[np.int64]:
    first = to_microseconds(start)
    step = days_between * _DAY
    if first + step * (rounds - 1) > _LATEST:
        raise PodiumError(
            f"{rounds} rounds with {days_between:g} days between them go beyond the year 9999."
        )
    return first + np.round(step * np.arange(rounds)).astype(np.int64)


def _check_whole(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < low:
        raise PodiumError(f"{name} must be a whole number of at least {low}, not {value!r}.")


def _check_number(name: str, value: float, low: float, high: float = math.inf) -> None:
    wanted = "a finite number" if low == -math.inf else f"a finite number of at least {low:g}"
    if high < math.inf:
        wanted = f"a number from {low:g} to {high:g}"
    usable = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not usable or not math.isfinite(value) or not low <= value <= high:
        raise PodiumError(f"{name} must be {wanted}, not {value!r}.")
