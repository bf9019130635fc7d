"""Elo-MMR and Elo-MMX: Bayesian ratings for contests with any number of players.

Choose Elo-MMR to rate contests, races or leagues in which players are ranked: it takes any number
of players and ties, nobody ever gains by doing worse, and one bad day costs little. Elo-MMX is
its Gaussian sibling: memoryless and as accurate on well-behaved data, but a single
performance can move a rating without limit.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("elo-mmr")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1758, 1500)

Reference: Aram Ebtekar and Paul Liu, *Elo-MMR: A Rating System for Massive Multiplayer
Competitions*, The Web Conference 2021, https://doi.org/10.1145/3442381.3450091.
"""

import dataclasses
import math
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import elo_mmr as kernel
from podium.numerics import factors, fields, logconcave, logistic
from podium.numerics.threads import CHUNK, LARGE, for_each
from podium.systems import memories, places
from podium.systems.base import (
    BASE_FIELDS,
    NOBODY_ASKS,
    Field,
    Floats,
    IfPlaced,
    Numbers,
    Performances,
    System,
    parameter,
    team_contests,
)
from podium.systems.performance import BUILT_IN, PerformanceModel
from podium.systems.search import Between
from podium.wording import suggestion

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_UNLIMITED = 2**62


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Massive(System):
    """What Elo-MMR and Elo-MMX have in common: Algorithm 1, on the kernels of `podium.numerics`."""

    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *factors.FIELDS]
    places_in_pool: ClassVar[tuple[str, ...]] = memories.PLACES
    kernel: ClassVar[Any] = kernel
    reference: ClassVar[str] = (
        "Ebtekar and Liu, Elo-MMR, The Web Conference 2021, doi.org/10.1145/3442381.3450091"
    )

    weight_limit: float = parameter(
        0.2,
        "how much one contest of weight 1 counts against all earlier ones",
        low=1e-4,
        high=100.0,
        search=Between(0.02, 1.0, log=True, grid=(0.05, 0.1, 0.2, 0.4)),
    )
    sig_limit: float = parameter(
        80.0,
        "the uncertainty that remains after many contests, in rating points",
        low=1e-3,
        high=1e6,
        search=Between(20.0, 200.0, log=True, grid=(40.0, 60.0, 80.0, 120.0)),
    )
    drift_per_day: float = parameter(
        0.0,
        "variance that skill gains per day between contests",
        low=0.0,
        high=1e6,
        search=Between(0.3, 60.0, log=True, grid=(0.0, 10.0, 30.0)),
    )
    split_ties: bool = parameter(False, "count a tie as half a win and half a loss")
    noob_delay: tuple[float, ...] = parameter(
        (),
        "factors on the weight of a player's first contests, e.g. 0.6,0.8",
        low=1e-4,
        high=100.0,
    )
    opponents: int | None = parameter(
        None,
        "compare with only so many groups of participants of nearest rating, as the paper's "
        "experiments did: neither exact nor monotonic, for comparison only",
        kind=int,
        low=2,
    )
    mu_new: float = parameter(1500.0, "the rating of a newcomer", low=-1e6, high=1e6)
    sigma_new: float = parameter(
        350.0, "the uncertainty of a newcomer, at most 10,000 times sig_limit", low=1e-3, high=1e6
    )
    caution: float = parameter(
        2.0, "the rating shown is mu - caution * (sigma - sig_limit)", low=0.0, high=1e6
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sigma_new > 1e4 * self.sig_limit:
            raise InputError(
                f"{self.name}: sigma_new must be at most 10,000 times sig_limit, "
                f"not {self.sigma_new:g} with a sig_limit of {self.sig_limit:g}."
            )

    @property
    @abstractmethod
    def _model(self) -> int:
        """The number of the performance model in the kernels."""

    @property
    @abstractmethod
    def _memory(self) -> tuple[float, int]:
        """Rho and the number of factors to keep."""

    @property
    def _custom(self) -> PerformanceModel | None:
        return None

    def newcomer(self) -> dict[str, float]:
        """A Gaussian belief at `mu_new`."""
        return {
            "mu": self.mu_new,
            "sigma": self.sigma_new,
            "p0": self.mu_new,
            "w0": 1.0 / self.sigma_new**2,
            "scale": 1.0,
        }

    def new_arena(self) -> NDArray[np.int64]:
        """The bookkeeping of an empty pool of factors."""
        return factors.new_arena()

    def carry_over(self, player: int, source: "Beliefs", target: "Beliefs") -> None:
        """With a copy of the block of the pool."""
        factors.carry_over(player, source, target)

    def memories(
        self, beliefs: "Beliefs", players: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """The factors."""
        return memories.of_factors(beliefs, players)

    def remember(self, beliefs: "Beliefs", sizes: NDArray[np.int64], memory: NDArray[Any]) -> None:
        """With a block for each player."""
        memories.remember_factors(beliefs, memory)

    @property
    def falls_with_rank(self) -> bool:
        """By Theorem 5.2, unless opponents are chosen by rating."""
        return self.opponents is None

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """Phase one for one player at every place, and phase two for as many copies of them."""
        if self._custom is not None or self.opponents is not None:
            return None
        settings, delays = self._settings
        arguments = (columns.player, columns.time[0], columns.weight[0])
        n = len(columns.player)
        state, prior, seen = beliefs.copy(), np.empty((3, n)), places.events(n)
        kernel.prepare(state.table, state.pool, settings, delays, *arguments, 0, n, prior, seen)
        by_model = places.by_logistic if self._model == kernel.LOGISTIC else places.by_logconcave
        performances = by_model(prior[0], prior[1], row, self.split_ties)
        if performances is None:
            return None
        ready = places.Ready(kernel, settings, state, columns, row, prior, seen)
        return lambda ahead: places.concluded(ready, performances(ahead))

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """Lower than `mu` for players who have not yet played enough."""
        return mu - self.caution * (sigma - self.sig_limit)

    def performances(self, field: Field) -> Performances:
        """Skill and noise in a contest of weight 1."""
        gamma2, beta2 = self._variances
        delta = np.sqrt(field.variance + gamma2 + beta2)
        if self._custom is not None:
            return Performances(fields.TABULATED, field.mu, delta, self._custom.table)
        if self._model == kernel.LOGISTIC:
            return Performances(fields.LOGISTIC, field.mu, delta * factors.SCALE)
        return Performances(fields.NORMAL, field.mu, delta)

    @property
    def _variances(self) -> tuple[float, float]:
        """What a contest of weight 1 adds to the variance of a skill, and its noise."""
        a, limit = self.weight_limit, self.sig_limit**2
        return a * limit, (1.0 + 1.0 / a) * limit + self.drift_per_day / a

    def _fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Algorithm 1."""
        if self._custom is not None or self.opponents is not None:
            return first
        settings, delays = self._settings
        strip = None if self._model == kernel.LOGISTIC else logconcave.GAUSSIAN_STRIP
        while True:
            first = kernel.fold_contests(
                beliefs.table,
                beliefs.pool,
                beliefs.arena,
                settings,
                delays,
                columns.offsets,
                columns.player,
                columns.rank,
                columns.time,
                columns.weight,
                columns.perf_ceiling,
                strip,
                first,
                last,
                events,
            )
            if first == last or columns.offsets[first + 1] - columns.offsets[first] > LARGE:
                return first
            beliefs.grow_pool()

    def _fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """The same step by step."""
        settings, delays = self._settings
        rows = slice(columns.offsets[contest], columns.offsets[contest + 1])
        players, ranks = columns.player[rows], columns.rank[rows]
        time, weight = columns.time[contest], columns.weight[contest]
        ceiling = columns.perf_ceiling[contest]
        n = len(players)
        while self._model != kernel.GAUSSIAN and not factors.reserve(
            beliefs.table, beliefs.pool, beliefs.arena, players
        ):
            beliefs.grow_pool()
        table, pool = beliefs.table, beliefs.pool
        prior = np.empty((3, n))
        performance = np.empty(n)

        def prepare(first: int) -> None:
            last = min(first + CHUNK, n)
            kernel.prepare(
                table, pool, settings, delays, players, time, weight, first, last, prior, seen
            )

        def conclude(first: int) -> None:
            last = min(first + CHUNK, n)
            kernel.conclude(
                table, pool, settings, players, ceiling, first, last, prior, performance, seen
            )
            if self._custom is not None and n > 1:
                self._custom.engine["condition"](
                    table, pool, players, settings[0]["history"], first, last, prior[2], seen[3]
                )

        for_each(prepare, range(0, n, CHUNK), threads)
        if n > 1:
            self._performances(prior, ranks, performance, threads)
        for_each(conclude, range(0, n, CHUNK), threads)

    def _performances(
        self,
        prior: NDArray[np.float64],
        ranks: NDArray[np.int32],
        out: NDArray[np.float64],
        threads: int,
    ) -> None:
        """Phase one."""
        mu, scale = prior[0], prior[1]
        if self.opponents is not None:
            kernel.sampled(mu, scale, ranks, self.split_ties, self._model, self.opponents, out)
        elif self._model == kernel.LOGISTIC:
            logistic.performances_in_threads(mu, scale, ranks, self.split_ties, out, threads)
        else:
            engine, strip = vars(logconcave), logconcave.GAUSSIAN_STRIP
            if self._custom is not None:
                engine, strip = self._custom.engine, self._custom.strip
            logconcave.performances_in_threads(
                engine, strip, mu, scale, ranks, self.split_ties, out, threads
            )

    @cached_property
    def _settings(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """The parameters as the kernels take them."""
        settings = np.zeros(1, kernel.SETTINGS)
        settings["weight_limit"] = self.weight_limit
        settings["sig_limit"] = self.sig_limit
        settings["drift_per_day"] = self.drift_per_day
        settings["origin"] = self.mu_new
        settings["split_ties"] = self.split_ties
        settings["model"] = self._model
        settings["rho"], settings["history"] = self._memory
        return settings, np.array(self.noob_delay, np.float64)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EloMMR(_Massive):
    """Contests of any number of players: robust against outliers, nobody gains by doing worse.

    Elo-MMR(rho) keeps the performances of the past as factors of the belief. `rho` is an inverse
    momentum: 0 remembers performances longest, infinity only as a Gaussian summary.
    `performance` is "logistic", "gaussian" or a `PerformanceModel`.
    """

    name: ClassVar[str] = "elo-mmr"

    rho: float = parameter(
        1.0,
        "how fast past performances turn into one Gaussian summary",
        low=0.0,
        infinite=True,
        search=Between(0.05, 20.0, log=True, grid=(0.1, 1.0, 10.0, math.inf)),
    )
    history: int | None = parameter(
        None,
        "keep at most this many past performances as separate factors; by default, all that matter",
        kind=int,
        low=1,
    )
    performance: str | PerformanceModel = parameter(
        "logistic",
        "the distribution of performances; in Python also a model of your own",
        choices=BUILT_IN,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self._custom is not None and self.opponents is not None:
            raise InputError(
                f"{self.name}: opponents works with the logistic and gaussian models only, "
                f"not with {self._custom.name!r}."
            )

    @property
    def _model(self) -> int:
        if isinstance(self.performance, str):
            return kernel.LOGISTIC if self.performance == "logistic" else kernel.GAUSSIAN
        return kernel.CUSTOM

    @property
    def _custom(self) -> PerformanceModel | None:
        return None if isinstance(self.performance, str) else self.performance

    @property
    def _memory(self) -> tuple[float, int]:
        return self.rho, _UNLIMITED if self.history is None else self.history

    def stored_parameters(self) -> dict[str, Any]:
        """A model of one's own is stored by its name."""
        name = self.performance if isinstance(self.performance, str) else self.performance.name
        return {**self.parameters, "performance": name}

    def _validated(self, field: "dataclasses.Field[Any]", value: Any) -> Any:
        if field.name != "performance":
            return super()._validated(field, value)
        if isinstance(value, PerformanceModel) or value in BUILT_IN:
            return value
        hint = suggestion(str(value), BUILT_IN)
        raise InputError(
            f"{self.name}: performance must be {' or '.join(BUILT_IN)} or a PerformanceModel, "
            f"not {value!r}{hint}."
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class EloMMX(_Massive):
    """Contests of any number of players or teams: Gaussian, memoryless, not robust to outliers.

    A team performs as the mean of its members' skills, or their sum, plus noise. Its performance
    is inferred from the standings, as a player's is; then every member's belief is
    conditioned on it. Members who took part in only a part of a contest (`share`) weigh less.
    """

    name: ClassVar[str] = "elo-mmx"
    takes_teams: ClassVar[bool] = True

    team: str = parameter(
        "mean", "the skill of a team is its members' mean or sum", choices=("mean", "sum")
    )

    @property
    def _model(self) -> int:
        return kernel.GAUSSIAN

    @property
    def _memory(self) -> tuple[float, int]:
        return math.inf, 0

    def performances(self, field: Field) -> Performances:
        """Skill and noise in a contest of weight 1."""
        gamma2, beta2 = self._variances
        weight = 1.0 / field.size if self.team == "mean" else np.ones(len(field.size))
        variance = weight * weight * (field.variance + field.size * gamma2) + beta2
        return Performances(fields.NORMAL, weight * field.mu, np.sqrt(variance))

    def update_many(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        events: NDArray[np.float64] | None = None,
        *,
        first: int = 0,
        last: int | None = None,
        threads: int = 1,
    ) -> None:
        """Algorithm 1; contests of teams one after the other, all others as ever."""
        end = len(columns.offsets) - 1 if last is None else last
        for start, stop, numbers in team_contests(columns, first, end):
            if numbers is None:
                super().update_many(
                    beliefs, columns, events, first=start, last=stop, threads=threads
                )
                continue
            settings, delays = self._settings
            kernel.fold_team_contests(
                beliefs.table,
                beliefs.pool,
                settings,
                delays,
                columns.offsets,
                columns.player,
                columns.rank,
                columns.time,
                columns.weight,
                columns.perf_ceiling,
                numbers,
                np.ones(len(columns.player)) if columns.share is None else columns.share,
                self.team == "mean",
                logconcave.GAUSSIAN_STRIP,
                start,
                stop,
                NOBODY_ASKS if events is None else events,
            )
