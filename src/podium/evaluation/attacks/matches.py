"""Volatility farming in matches of two with matchmaking, as in games on the net.

A player of known skill meets opponents of about their own rating, in rating periods of some
matches each. A farmer throws all matches of a period whenever rated above a threshold, and wins
them easily below it: a rating period looks like a sensation, and the next like its opposite,
which is what raises a volatility. Then the farmer plays honestly. A twin with the same luck
always does.

Example:
    >>> from podium.evaluation import attacks
    >>> attack = attacks.matchmaking("glicko2", farming=60, honest_last=10, runs=20)
    >>> attack.summary["measure"].to_list()
    ['end', 'stop', 'peak']
    >>> attack.farmer.shape
    (20, 90)
"""

import dataclasses
import math
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import systems
from podium.arguments import check_number, check_whole
from podium.documents import as_document
from podium.errors import InputError
from podium.progress import Progress, reporting
from podium.ratings.beliefs import Beliefs
from podium.results.columns import Columns
from podium.systems.base import System

_DAY = 86_400_000_000
_NORMAL_95 = 1.959963984540054


@dataclasses.dataclass(frozen=True, eq=False)
class Matchmaking:
    """Ratings of honest players and of their farming twins."""

    system: System
    skill: float
    threshold: float
    stop_at: float
    honest_first: int
    farming: int
    honest_last: int
    honest: NDArray[np.float64]
    """Ratings after every rating period: a row for each run."""
    farmer: NDArray[np.float64]
    """The same for the twin who farms."""

    @property
    def summary(self) -> pl.DataFrame:
        """Means over the runs, by three measures of the last, honest periods.

        Rows: end, the rating after the last period; stop, the rating of those who play no more
        once they are rated at least `stop_at`, or else at the end; peak, the highest rating.
        Columns: measure, honest, farmer, gain (of the farmer), low and high: the interval that
        contains the mean gain with a confidence of 95 %.
        """
        rows = []
        for measure in ("end", "stop", "peak"):
            honest, farmer = (self._measured(ratings, measure) for ratings in self._last)
            gain = farmer - honest
            mean = float(gain.mean())
            error = _NORMAL_95 * float(gain.std(ddof=1)) / math.sqrt(len(gain))
            ends = (float(honest.mean()), float(farmer.mean()))
            rows.append((measure, *ends, mean, mean - error, mean + error))
        return pl.DataFrame(
            rows, schema=["measure", "honest", "farmer", "gain", "low", "high"], orient="row"
        )

    @property
    def highest(self) -> tuple[float, float]:
        """By how much honest players and farmers were overrated at most, in any run."""
        honest, farmer = (float(ratings.max()) - self.skill for ratings in self._last)
        return honest, farmer

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        honest, farmer = self.highest
        return as_document(
            {
                "system": self.system.name,
                "parameters": self.system.stored_parameters(),
                "skill": self.skill,
                "threshold": self.threshold,
                "stop_at": self.stop_at,
                "runs": len(self.honest),
                "measures": self.summary.to_dicts(),
                "highest_above_skill": {"honest": honest, "farmer": farmer},
                "history": self.table.to_dicts(),
            }
        )

    @property
    def table(self) -> pl.DataFrame:
        """Over all runs, after each period: the means, and the range of four runs out of five."""
        columns: dict[str, Any] = {"period": np.arange(1, self.honest.shape[1] + 1)}
        for name, ratings in (("honest", self.honest), ("farmer", self.farmer)):
            low, high = np.quantile(ratings, (0.1, 0.9), axis=0)
            columns |= {name: ratings.mean(axis=0), f"{name}_low": low, f"{name}_high": high}
        return pl.DataFrame(columns)

    @property
    def _last(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        start = self.honest_first + self.farming
        return self.honest[:, start:], self.farmer[:, start:]

    def _measured(self, ratings: NDArray[np.float64], measure: str) -> NDArray[np.float64]:
        if measure == "peak":
            highest: NDArray[np.float64] = ratings.max(axis=1)
            return highest
        end = ratings[:, -1]
        if measure == "end":
            return end
        reached = ratings >= self.stop_at
        first = ratings[np.arange(len(ratings)), reached.argmax(axis=1)]
        return np.where(reached.any(axis=1), first, end)


def matchmaking(
    system: str | System = "glicko2",
    *,
    skill: float = 1500.0,
    threshold: float | None = None,
    stop_at: float | None = None,
    honest_first: int = 20,
    farming: int = 100,
    honest_last: int = 40,
    matches: int = 15,
    matches_last: int = 3,
    spread: float = 50.0,
    deviation: float = 50.0,
    runs: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
    **parameters: Any,
) -> Matchmaking:
    """What a player would gain by losing matches on purpose for a while.

    Ratings are on Elo's scale: who is 400 points better wins ten of eleven matches. Opponents are
    as good as their ratings say. The same arguments give the same result.

    Args:
        system: A name, with `parameters` of that system as keyword arguments, or a system. One
            that can have rating periods gets periods of a day, unless it has others.
        skill: The true skill of the player, who starts as a newcomer of the system.
        threshold: The farmer throws the matches of a period when rated above this at its start;
            by default 500 points below the skill.
        stop_at: A rating to be content with; by default 200 points above the skill.
        honest_first: The rating periods before farming begins, one a day.
        farming: The periods in which some are thrown.
        honest_last: The periods of honest play after that.
        matches: The matches of a period until then.
        matches_last: Those of a period after that. The fewer, the less they say of the skill,
            and the more what a system believes of its volatility counts.
        spread: Opponents are rated at most so much above or below the player's rating at the
            start of the period.
        deviation: How uncertain the opponents' ratings are, where a system knows uncertainty.
        runs: How many honest players and farming twins there are.
        seed: Which of all such players.
        progress: True for a bar, or a function that is told the periods done, and all of them.
        **parameters: Parameters of the system.
    """
    for name, number in (("skill", skill), ("threshold", threshold), ("stop_at", stop_at)):
        if number is not None:
            check_number(-1e6, 1e6, **{name: number})
    check_number(0.0, 1e4, spread=spread)
    check_number(1e-3, 1e4, deviation=deviation)
    check_whole(0, honest_first=honest_first, seed=seed)
    check_whole(1, farming=farming, honest_last=honest_last)
    check_whole(1, matches=matches, matches_last=matches_last)
    check_whole(2, runs=runs)
    threshold = skill - 500.0 if threshold is None else float(threshold)
    periodic = systems.as_system(system, parameters).with_periods(1.0)
    world = _World(periodic, skill, spread, deviation, runs, seed)
    periods = honest_first + farming + honest_last
    ratings = np.empty((2, runs, periods))
    with reporting(progress, f"Attacking {world.system.name}") as report:
        for period in range(periods):
            throws = np.zeros((2, runs), np.bool_)
            if honest_first <= period < honest_first + farming:
                throws[1] = world.ratings()[1] > threshold
            world.play(matches if period < honest_first + farming else matches_last, throws)
            ratings[:, :, period] = world.ratings()
            report(period + 1, periods)
    return Matchmaking(
        system=world.system,
        skill=float(skill),
        threshold=threshold,
        stop_at=skill + 200.0 if stop_at is None else float(stop_at),
        honest_first=honest_first,
        farming=farming,
        honest_last=honest_last,
        honest=ratings[0],
        farmer=ratings[1],
    )


@dataclasses.dataclass
class _World:
    """Honest players and their farming twins, who share their luck, and opponents for them.

    They are rated apart: where players share what a system learns, nobody learns from a twin.
    """

    system: System
    skill: float
    spread: float
    deviation: float
    runs: int
    seed: int

    def __post_init__(self) -> None:
        self._pairing, self._luck = np.random.default_rng(self.seed).spawn(2)
        self._beliefs = Beliefs(self.system), Beliefs(self.system)
        for beliefs in self._beliefs:
            beliefs.enrol([f"player-{number}" for number in range(self.runs)])
        self._newcomers: dict[float, dict[str, float]] = {}
        self._period = 0

    def ratings(self) -> NDArray[np.float64]:
        """The ratings as shown: of the honest, then of the farmers."""
        found = np.empty((2, self.runs))
        for own, beliefs in zip(found, self._beliefs, strict=True):
            table = beliefs.table[: self.runs]
            mu, sigma = (np.ascontiguousarray(table[name]) for name in ("mu", "sigma"))
            own[:] = self.system.rating(mu, sigma, table["contests"])
        return found

    def play(self, matches: int, throws: NDArray[np.bool_]) -> None:
        """A rating period; who throws loses all matches."""
        shape = (matches, 1, self.runs)
        offset = self._pairing.uniform(-self.spread, self.spread, shape)
        opponent = np.round(self.ratings() + offset)
        chance = 1.0 / (1.0 + 10.0 ** ((opponent - self.skill) / 400.0))
        won = (self._luck.random(shape) < chance) & ~throws
        for which, beliefs in enumerate(self._beliefs):
            self._fold(beliefs, opponent[:, which], won[:, which])
        self._period += 1

    def _fold(
        self, beliefs: Beliefs, opponent: NDArray[np.float64], won: NDArray[np.bool_]
    ) -> None:
        """Matches of all players against new opponents, a row for each match of everybody."""
        player = np.broadcast_to(np.arange(self.runs), opponent.shape).ravel()
        pair = np.stack([player, self._enrolled(beliefs, opponent.ravel())], axis=1)
        pair[~won.ravel()] = pair[~won.ravel(), ::-1]
        count = len(pair)
        columns = Columns(
            offsets=np.arange(0, 2 * count + 1, 2),
            player=pair.ravel().astype(np.int32),
            rank=np.tile(np.array([1, 2], np.int32), count),
            time=np.full(count, self._period * _DAY),
            weight=np.ones(count),
            perf_ceiling=np.full(count, np.inf),
        )
        self.system.update_many(beliefs, columns)

    def _enrolled(self, beliefs: Beliefs, ratings: NDArray[np.float64]) -> NDArray[np.int32]:
        """New opponents with these ratings: newcomers of systems that expect such newcomers."""
        known = len(beliefs)
        ids = beliefs.enrol([f"opponent-{known + number}" for number in range(len(ratings))])
        distinct, which = np.unique(ratings, return_inverse=True)
        belief = [self._newcomer(rating) for rating in distinct.tolist()]
        for column in belief[0]:
            now = self._period * _DAY if column.endswith("_time") else 0.0
            beliefs.table[column][ids] = now + np.array([each[column] for each in belief])[which]
        return ids

    def _newcomer(self, rating: float) -> dict[str, float]:
        if rating not in self._newcomers:
            belief = self.system.newcomer_at(rating, self.deviation)
            if belief is None:
                raise InputError(
                    f"{self.system.name} has no parameter mu_new, by which opponents get their "
                    f"ratings, so it cannot be attacked in matches."
                )
            self._newcomers[rating] = belief
        return self._newcomers[rating]
