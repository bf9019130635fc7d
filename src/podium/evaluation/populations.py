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
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from podium import forks
from podium.arguments import check_choice, check_number, check_whole
from podium.errors import InputError
from podium.evaluation.rounds import (
    PERFORMANCES,
    Ids,
    Streams,
    Turnover,
    divided,
    lowest,
    lucky_means,
    participants,
    standings,
    update_form,
)
from podium.files import as_path, replacing
from podium.luck import CoinToss, Logistic, LuckFunction
from podium.ratings.fold import write_table
from podium.results.columns import Columns
from podium.results.contests import Contests
from podium.results.tables import Parts
from podium.results.times import Time, to_microseconds

CALENDARS = ("even", "random")
_DAY = 86_400_000_000
_LATEST = to_microseconds("9999-12-31")


class SimulatedContests(Contests):
    """Contests, and what nobody knows of real ones."""

    def __init__(
        self,
        parts: Parts,
        skills: NDArray[np.float64] | None = None,
        sandbaggers: Sequence[str] = (),
    ) -> None:
        super().__init__(parts)
        self.skills = np.full(self.rows, np.nan) if skills is None else skills
        """The true skill of the player of every row, at the time of its contest."""
        self.sandbaggers = list(sandbaggers)
        """The names of those who lose on purpose now and then."""

    def skill_table(self) -> pl.DataFrame:
        """The true skills as a table: contest, player, skill."""
        forks.refuse_lost_threads()
        return self.frame().select("contest", "player", skill=pl.Series(self.skills))

    def write(
        self,
        path: Any,
        *,
        format: str | None = None,
        skills: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write to a file or folder that `podium.read` reads; the format follows from the name.

        With `skills`, the name of a CSV or Parquet file, the true skills are written too: both
        or, if one of them cannot be, neither.
        """
        if skills is None:
            super().write(path, format=format)
            return
        file = as_path(skills)
        if file.suffix.lower() not in (".csv", ".parquet"):
            raise InputError(f"{file}: skills are written as .csv or .parquet.")
        if file.is_dir():
            raise InputError(f"{file}: skills need a file, but this is a folder.")
        if file.resolve() == as_path(path).resolve():
            raise InputError(f"{file}: skills and results need a file each.")
        with replacing(file) as temporary:
            write_table(self.skill_table(), temporary)
            super().write(path, format=format)


def simulate(
    players: int = 1000,
    rounds: int = 50,
    *,
    participation: float = 1.0,
    skill_mean: float = 1500.0,
    skill_sd: float = 350.0,
    performances: str = "normal",
    performance_sd: float = 200.0,
    luck: float = 0.0,
    drift_sd: float = 35.0,
    drift_per_day: float = 0.0,
    ties: float = 0.0,
    newcomers: float = 0.0,
    leavers: float = 0.0,
    divisions: int = 1,
    sandbaggers: float = 0.0,
    losses_on_purpose: float = 0.5,
    start: Time = "2026-01-01",
    days_between: float = 7.0,
    calendar: str = "even",
    seed: int = 0,
) -> SimulatedContests:
    """Contests of a synthetic population, with the true `skills` of its players.

    The same arguments give the same contests. Each option has random numbers of its own: what it
    does not speak of stays as it is without it.

    Args:
        players: How many there are, at least two.
        rounds: How many take place.
        participation: Each player's chance to take part in a round. A round always has two.
        skill_mean: The mean of the skills at the start.
        skill_sd: Their standard deviation.
        performances: How they scatter: "normal", "logistic" or "gumbel", with which results
            follow the Plackett-Luce model.
        performance_sd: The standard deviation of one player's performances, of any kind.
        luck: The chance that a performance is around the skill of anybody in the contest, drawn
            at random, instead of one's own. With 1, only luck decides.
        drift_sd: The standard deviation of the step that a skill makes between two rounds,
            whoever takes part.
        drift_per_day: The variance that a skill gains per day, besides.
        ties: The share of all rows, on average, that have their rank in common with another:
            neighbours in the standings are tied at random. Skills and performances do not change
            with it, nor with `participation`.
        newcomers: The share of players who join at a later round, any with the same chance.
            Their skills are drawn as at the start, and drift from then on.
        leavers: The share of players who leave, after any round but the last with the same chance.
        divisions: Into how many contests of the same time a round is divided, of the same size
            but for one player and of at least two. The best form is in division 1: a moving
            average of performances, which begins with one that is not shown, at an entry test.
        sandbaggers: The share of players who lose on purpose now and then; see
            `SimulatedContests.sandbaggers`. Their skills do not change, but their form does.
        losses_on_purpose: A sandbagger's chance, in a round, to come behind all who do not.
        start: When the first round takes place.
        days_between: The days from one round to the next.
        calendar: "even", or "random": the days between rounds are then exponentially distributed.
        seed: Which of all such populations.

    Example:
        >>> import podium
        >>> contests = podium.simulate(players=3, rounds=2, seed=1)
        >>> contests[0].standings
        [(1, 'player-0002'), (2, 'player-0001'), (3, 'player-0003')]
        >>> len(contests.skills) == contests.rows
        True
        >>> divided = podium.simulate(players=100, rounds=9, divisions=2, sandbaggers=0.02)
        >>> divided.ids[-1], divided.sandbaggers
        ('round-09-div-2', ['player-0006', 'player-0064'])
    """
    check_whole(2, players=players)
    check_whole(1, rounds=rounds, divisions=divisions)
    check_whole(0, seed=seed)
    check_choice("performances", performances, PERFORMANCES)
    check_choice("calendar", calendar, CALENDARS)
    check_number(-math.inf, skill_mean=skill_mean)
    check_number(0.0, skill_sd=skill_sd, performance_sd=performance_sd, drift_sd=drift_sd)
    check_number(0.0, drift_per_day=drift_per_day, days_between=days_between)
    check_number(0.0, 1.0, ties=ties, participation=participation, luck=luck, newcomers=newcomers)
    check_number(0.0, 1.0, leavers=leavers, sandbaggers=sandbaggers)
    check_number(0.0, 1.0, losses_on_purpose=losses_on_purpose)

    streams = Streams.from_seed(seed)
    calendar_draws = streams.calendar if calendar == "random" else None
    times = _times(start, days_between, rounds, "rounds", calendar_draws)
    days = (np.diff(times, prepend=times[0]) / _DAY).tolist()
    turnover = Turnover.drawn(streams.turnover, players, rounds, newcomers, leavers)
    sandbags = lowest(streams.sandbagging.random(players), sandbaggers)
    gives_up = np.zeros(players, np.bool_)
    skill = streams.skill.normal(skill_mean, skill_sd, players)
    form = streams.form.normal(skill, performance_sd)
    played: list[_Played] = []
    for number in range(rounds):
        if number:
            step = streams.skill.normal(0.0, drift_sd, players)
            if drift_per_day > 0.0:
                step += streams.drift.normal(0.0, math.sqrt(drift_per_day * days[number]), players)
            skill = skill + np.where(turnover.joined < number, step, 0.0)
        present = participants(
            streams.presence.random(players), turnover.away(number), participation
        )
        contests = divided(present, form, divisions)
        mean = lucky_means(streams.luck, skill, contests, luck) if luck > 0.0 else skill
        performance = PERFORMANCES[performances](streams.performance, mean, performance_sd)
        if not np.isfinite(skill + performance).all():
            raise InputError("skills grow beyond all numbers; lower deviations are needed.")
        if sandbaggers > 0.0:
            gives_up = sandbags & (streams.sandbagging.random(players) < losses_on_purpose)
        for division, members in enumerate(contests):
            ids, ranks = standings(members, performance, gives_up, ties, streams.ties)
            played.append(_Played(number, division, ids, ranks, skill[ids]))
            if divisions > 1:
                update_form(form, members, performance, gives_up)
    return _simulated(played, times, players, divisions, sandbags)


class _Played(NamedTuple):
    """A contest of a round."""

    round: int
    division: int
    player: Ids
    rank: NDArray[np.int32]
    skill: NDArray[np.float64]


def _simulated(
    played: Sequence[_Played],
    times: NDArray[np.int64],
    players: int,
    divisions: int,
    sandbags: NDArray[np.bool_],
) -> SimulatedContests:
    skills = np.concatenate([contest.skill for contest in played])
    number = np.array([contest.round for contest in played])
    columns = _columns(
        times[number],
        [len(contest.player) for contest in played],
        np.concatenate([contest.player for contest in played]),
        np.concatenate([contest.rank for contest in played]),
    )
    names = _numbered("player", players, 4)
    ids = _numbered("round", len(times), 2).gather(number)
    if divisions > 1:
        division = [contest.division for contest in played]
        ids = ids + "-" + _numbered("div", divisions, 1).gather(division)
    parts = Parts(columns, names, ids.alias("contest"), None, None)
    return SimulatedContests(parts, skills, names.filter(sandbags).to_list())


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
    check_whole(2, players=players)
    check_whole(1, matches=matches)
    check_whole(0, seed=seed)
    check_number(-math.inf, side_advantage=side_advantage)
    check_number(0.0, 1.0, beta=beta, draws=draws, neighbours=neighbours)
    check_number(0.0, skill_sd=skill_sd, drift_sd=drift_sd, days_between=days_between)
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
    names, ids = _numbered("player", players, 4), _numbered("match", matches, 5).alias("contest")
    return SimulatedContests(Parts(columns, names, ids, None, None), ordered)


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


def _numbered(what: str, count: int, digits: int) -> pl.Series:
    """Names such as player-0001, which sort by their number."""
    forks.refuse_lost_threads()
    number = pl.int_range(1, count + 1).cast(pl.String).str.zfill(max(digits, len(str(count))))
    return pl.select(pl.format(f"{what}-{{}}", number).alias(what)).to_series()


def _times(
    start: Time,
    days_between: float,
    count: int,
    what: str,
    draws: np.random.Generator | None = None,
) -> NDArray[np.int64]:
    """Moments at equal distances, or at random ones with this mean if there are draws."""
    first = to_microseconds(start)
    step = days_between * _DAY
    with np.errstate(invalid="ignore", over="ignore"):
        elapsed = step * np.arange(count)
        if draws is not None:
            elapsed[1:] = np.cumsum(draws.exponential(step, count - 1))
    if not first + elapsed[-1] <= _LATEST:
        raise InputError(
            f"{count} {what} with {days_between:g} days between them go beyond the year 9999."
        )
    return first + np.round(elapsed).astype(np.int64)
