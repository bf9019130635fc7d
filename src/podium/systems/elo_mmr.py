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
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import elo_mmr as kernel
from podium.numerics import factors, fields, logconcave, roots
from podium.systems import declared, explained, memories, places
from podium.systems.base import (
    BASE_FIELDS,
    Field,
    Floats,
    IfPlaced,
    Performances,
    System,
    parameter,
)
from podium.systems.compiled import Rows, team_contests
from podium.systems.explained import Forces, Limits, Mean, Phrases, Result, Terms
from podium.systems.past import Past
from podium.systems.performance import BUILT_IN, PerformanceModel
from podium.systems.search import by_factors
from podium.systems.two_phases import UNLIMITED, Settling
from podium.wording import suggestion

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_FARTHEST = 1e6
"""In units of `sig_limit`: the memory that a contest takes grows with the distance of ratings."""
_DIFFER = -1.0
"""What is in the place of a scale that all factors share; see `podium.numerics.factors`."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Massive(Settling):
    """What Elo-MMR and Elo-MMX have in common: Algorithm 1, on the kernels of `podium.numerics`."""

    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *factors.FIELDS]
    kernel: ClassVar[Any] = kernel
    reference: ClassVar[str] = (
        "Ebtekar and Liu, Elo-MMR, The Web Conference 2021, doi.org/10.1145/3442381.3450091"
    )

    weight_limit: float = parameter(
        0.2,
        "how much one contest of weight 1 counts against all earlier ones",
        low=1e-4,
        high=100.0,
        search=by_factors(0.02, 1.0, 0.05, 0.1, 0.2, 0.4),
    )
    sig_limit: float = declared.sig_limit(80.0, by_factors(20.0, 200.0, 40.0, 60.0, 80.0, 120.0))
    drift_per_day: float = declared.drift_per_day(by_factors(0.3, 60.0, 0.0, 10.0, 30.0))
    split_ties: bool = parameter(False, "count a tie as half a win and half a loss")
    noob_delay: tuple[float, ...] = parameter(
        (), "factors on the weight of a player's first contests, e.g. 0.6,0.8", low=1e-4, high=100.0
    )
    opponents: int | None = parameter(
        None,
        "compare with only so many groups of participants of nearest rating, as the paper's "
        "experiments did: neither exact nor monotonic, for comparison only",
        kind=int,
        low=2,
    )
    mu_new: float = declared.mu_new()
    sigma_new: float = declared.sigma_new(
        meaning="the uncertainty of a newcomer, at most 10,000 times sig_limit"
    )
    caution: float = declared.caution(2.0, "(sigma - sig_limit)")

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

    @property
    def _remembers(self) -> bool:
        return self._model != kernel.GAUSSIAN

    @property
    def _row_ranges(self) -> dict[int, tuple[float, float]]:
        far = _FARTHEST * self.sig_limit
        ratings = (self.mu_new - far, self.mu_new + far)
        return {0: memories.POSITIVE, 1: ratings, 2: memories.POSITIVE}

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """The common scale of factors too, and how far apart ratings can come."""
        table = beliefs.table[: len(beliefs)]
        mu, p0, sigma, b = (table[name] for name in ("mu", "p0", "sigma", "shared_b"))
        if ((b != _DIFFER) & ((b < 0.0) | (b == 0.0) & (table["count"] > 0))).any():
            return "a scale of factors is not positive"
        far = _FARTHEST * self.sig_limit
        for away in (mu - self.mu_new, p0 - self.mu_new, sigma):
            if not (np.abs(away) <= far).all():
                return "a rating is out of reach"
        return super().flaw(beliefs)

    def _refuse_newcomer(self, mu: float | None, sigma: float | None) -> None:
        super()._refuse_newcomer(mu, sigma)
        far = 0.5 * _FARTHEST * self.sig_limit
        if mu is not None and abs(mu - self.mu_new) > far:
            raise InputError(
                f"no player can begin there: {self.name} rates within {far:,.9g} of mu_new with "
                f"this sig_limit, and {mu:g} is farther away."
            )

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Translated, and diffused by Algorithm 2."""
        factors.move(beliefs.table, beliefs.pool, players, mu, sigma, self.mu_new, self._memory[0])

    @property
    def falls_with_rank(self) -> bool:
        """By Theorem 5.2, unless opponents are chosen by rating."""
        return self.opponents is None

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """Unless opponents are chosen by rank and rating."""
        return super().if_placed(beliefs, columns, row) if self.opponents is None else None

    def _by_place(self, prior: Floats, row: int) -> places.ByPlace | None:
        mu, scale = prior[0], prior[1]
        if self._model == kernel.LOGISTIC:
            return places.by_logistic(mu, scale, row, self._ties)
        return places.by_logconcave(mu, scale, row, self.split_ties, self._custom)

    @property
    def _ties(self) -> int:
        """What they are to the logistic engine."""
        return roots.SPLIT if self.split_ties else roots.TIED

    def pulls(self, result: Result, performance: float) -> Floats | None:
        """Theorem 3.2, unless the paper's shortcut was taken."""
        if self.opponents is not None:
            return None
        mu, scale = self._expected(result)
        return explained.balanced(
            result, performance, mu, scale, self._terms, split=self.split_ties
        )

    def _expected(self, result: Result) -> tuple[Floats, Floats]:
        """Location and scale of every competitor's performance, as it was to be expected."""
        mu, scale, _ = self._prepared(result.before, result.columns, result.row).prior
        return mu, scale

    def _terms(self, z: Floats) -> Terms:
        if self._model == kernel.LOGISTIC:
            return super()._terms(z)
        model = self._custom or logconcave
        functions = (model.loss, model.draw, model.victory)
        return Terms(*(np.array([each(x) for x in z.tolist()]) for each in functions))

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

    @cached_property
    def _is_usual(self) -> bool:
        """Whether neither a model of one's own nor the paper's shortcut is wanted."""
        return self._custom is None and self.opponents is None

    @property
    def entry(self) -> Any:
        """By the model of performances."""
        return kernel.fold_contests if self._model == kernel.LOGISTIC else kernel.fold_gaussian

    @property
    def _is_logistic(self) -> bool:
        return self._is_usual and self._model == kernel.LOGISTIC

    def _state(self, beliefs: "Beliefs") -> tuple[NDArray[Any], ...]:
        """The bookkeeping of the pool where something is remembered."""
        state = super()._state(beliefs)
        return state if self._remembers else state[:2]

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        return columns.perf_ceiling, logconcave.GAUSSIAN_STRIP

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Algorithm 1; models of one's own and the paper's shortcut step by step."""
        return super().fold(beliefs, columns, first, last, events) if self._is_usual else first

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """The same step by step; a model of one's own may fail in the middle, and undoes it."""
        if self._custom is None:
            super().fold_large(beliefs, columns, contest, seen, threads)
            return
        players = Rows.of(columns, contest).players.astype(np.int64)
        before = beliefs.packed(players)
        try:
            super().fold_large(beliefs, columns, contest, seen, threads)
        except BaseException:
            beliefs.restore(players, before)
            raise

    def _performances(
        self, prior: Floats, ranks: NDArray[np.int32], out: Floats, threads: int
    ) -> None:
        """Phase one."""
        mu, scale = prior[0], prior[1]
        if self.opponents is not None:
            kernel.sampled(mu, scale, ranks, self.split_ties, self._model, self.opponents, out)
        elif self._model == kernel.LOGISTIC:
            roots.found(mu, scale, ranks, self._ties, out)
        else:
            engine, strip = vars(logconcave), logconcave.GAUSSIAN_STRIP
            if self._custom is not None:
                engine, strip = self._custom.engine, self._custom.strip
            logconcave.performances_in_threads(
                engine, strip, mu, scale, ranks, self.split_ties, out, threads
            )

    def _conclude(self, *arguments: Any) -> None:
        """With the modes of beliefs under a model of one's own."""
        super()._conclude(*arguments)
        table, pool, settings, players, _, first, last, prior, _, seen = arguments
        if self._custom is not None and len(players) > 1:
            condition, history = self._custom.engine["condition"], settings[0]["history"]
            condition(table, pool, players, history, first, last, prior[2], seen[3])

    @cached_property
    def _settings(self) -> tuple[NDArray[Any], Floats]:
        rho, history = self._memory
        settings = self._record(origin=self.mu_new, model=self._model, rho=rho, history=history)
        return settings, np.array(self.noob_delay, np.float64)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EloMMR(_Massive):
    """Contests of any number of players: robust against outliers, nobody gains by doing worse.

    Elo-MMR(rho) keeps the performances of the past as factors of the belief. `rho` is an inverse
    momentum: 0 remembers performances longest, infinity only as a Gaussian summary.
    `performance` is "logistic", "gaussian" or a `PerformanceModel`.
    """

    name: ClassVar[str] = "elo-mmr"
    on_reset: ClassVar[str] = (
        "The whole belief moves as far as mu does, past performances too, and is diffused as "
        "before a contest (Algorithm 2, with `rho`) until it has the new sigma: old performances "
        "turn into one Gaussian summary."
    )

    rho: float = parameter(
        1.0,
        "how fast past performances turn into one Gaussian summary",
        low=0.0,
        infinite=True,
        search=by_factors(0.05, 20.0, 0.1, 1.0, 10.0, math.inf),
    )
    history: int | None = declared.history()
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
        return self.rho, UNLIMITED if self.history is None else self.history

    @property
    def phrases(self) -> Phrases:
        """By its model of performances."""
        if self._custom is not None:
            model = f"the performance model {self._custom.name!r}"
            return Phrases(
                no_mean=f"{{system}} keeps them, but with {model} they have no weights of an "
                f"average.",
                no_limits=f"whether one contest can move a {{skill}} without limit depends on "
                f"{model}.",
            )
        if self._model == kernel.LOGISTIC:
            return Phrases(
                no_limits="this contest counts next to nothing, and so would any result."
            )
        believes = "with this model of performances it believes every one as it is"
        return Phrases(no_limits=explained.unlimited(believes, "its logistic model"))

    def _forces(self, result: Result) -> Forces | None:
        if self._model != kernel.LOGISTIC:
            return None
        record = result.after.table[result.player]
        terms = factors.terms(record, result.after.pool)
        return Forces(float(record["p0"]), float(record["w0"]), *terms)

    def mean(self, result: Result) -> Mean | None:
        """Equation 7, its like under a model of one's own, or a part of the way if Gaussian."""
        if self._custom is not None:
            return self._mean_of_own_model(result, self._custom)
        if self._model == kernel.LOGISTIC:
            return super().mean(result)
        ready = self._prepared(result.before, result.columns, result.row)
        sigma = ready.state.table["sigma"][result.player]
        precision, total = kernel.certainty(sigma, ready.prior[2, result.row])
        return Mean.step(result.mu, float(precision / total), result.performance)

    def _mean_of_own_model(self, result: Result, model: PerformanceModel) -> Mean | None:
        """By the terms of the model; None where one of them pulls away from its performance."""
        record, x = result.after.table[result.player], result.mu[1]
        p, b, plain = factors.listed(record, result.after.pool)
        beta = b / factors.SCALE
        pulls = np.array([model.draw(z) for z in ((p - x) / beta).tolist()])
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = plain * beta * pulls / (x - p)
        if not (np.isfinite(weights) & (weights > 0.0)).all():
            return None
        w0 = float(record["w0"])
        return Mean.weighted(float(record["p0"]), w0, p, weights, w0, plain)

    def limits(self, result: Result) -> Limits | None:
        """With the simpler bound of Theorem 5.7."""
        forces = self._forces(result)
        found = None if forces is None else forces.limits(result.ceiling)
        if forces is None or found is None:
            return None
        return dataclasses.replace(found, theorem=float(forces.c[-1]) / forces.w0)

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
    on_reset: ClassVar[str] = System.on_reset
    on_start: ClassVar[str] = System.on_start
    takes_teams: ClassVar[bool] = True
    phrases: ClassVar[Phrases] = Phrases(
        no_limits=explained.unlimited("it believes every performance as it is")
    )

    team: str = parameter(
        "mean", "the skill of a team is its members' mean or sum", choices=("mean", "sum")
    )

    @property
    def _model(self) -> int:
        return kernel.GAUSSIAN

    @property
    def _memory(self) -> tuple[float, int]:
        return math.inf, 0

    def _forces(self, result: Result) -> None:
        return None

    def retrace(self, beliefs: "Beliefs", player: int, past: Past) -> bool:
        """Mean and deviation are all that is believed of a member of teams."""
        return System.retrace(self, beliefs, player, past)

    def mean(self, result: Result) -> Mean:
        """A part of the way, to what the performance of the team tells of one member."""
        team = self._team(result)
        sigma = team.state.table["sigma"][result.player]
        part = float(team.weights[result.row] * sigma**2 / team.variance[result.own])
        performance = result.mu[0] + (result.performance - float(team.mu[result.own]))
        return Mean.step(result.mu, part, performance)

    def _expected(self, result: Result) -> tuple[Floats, Floats]:
        team = self._team(result)
        return team.mu, np.sqrt(team.variance)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """A team moves as one, and a member learns by its performance."""
        _, _, number = next(team_contests(columns, 0, 1))
        if number is None:
            return super().if_placed(beliefs, columns, row)
        if self.opponents is not None:
            return None
        ready, me = self._prepared(beliefs, columns, row), int(number[row])
        team = self._teams(ready, number)
        performances = places.by_logconcave(team.mu, np.sqrt(team.variance), me, self.split_ties)
        is_head = np.zeros(len(number), np.int64)
        is_head[np.unique(number, return_index=True)[1]] = 1
        passed = np.append(0, np.cumsum(is_head[number != me]))
        weight, before = team.weights[row], ready.state.table[columns.player[row]]
        gain = weight * before["sigma"] ** 2 / team.variance[me]

        def placed(ahead: NDArray[np.int64]) -> Floats:
            seen = np.repeat(ready.seen[:, row : row + 1], len(ahead), axis=1)
            seen[0] = np.minimum(performances(passed[ahead]), columns.perf_ceiling[0])
            seen[3] = before["mu"] + gain * (seen[0] - team.mu[me])
            seen[4] = before["sigma"] * math.sqrt(1.0 - weight * gain)
            return seen

        return placed

    def _team(self, result: Result) -> "_Teams":
        """What was to be expected of every competitor."""
        ready = self._prepared(result.before, result.columns, result.row)
        return self._teams(ready, result.competitor)

    def _teams(self, ready: places.Ready, number: NDArray[np.int32]) -> "_Teams":
        """The same for a contest whose rows belong to competitors of these numbers."""
        columns, n = ready.columns, int(number.max()) + 1
        found = _Teams(ready.state, np.empty(len(columns.player)), np.zeros(n), np.zeros(n))
        kernel.team_priors(
            ready.state.table,
            columns.player,
            number,
            _shares(columns),
            self.team == "mean",
            ready.prior,
            *found[1:],
        )
        return found

    def performances(self, field: Field) -> Performances:
        """Skill and noise in a contest of weight 1."""
        gamma2, beta2 = self._variances
        weight = 1.0 / field.size if self.team == "mean" else np.ones(len(field.size))
        variance = weight * weight * (field.variance + field.size * gamma2) + beta2
        return Performances(fields.NORMAL, weight * field.mu, np.sqrt(variance))

    def fold(
        self, beliefs: "Beliefs", columns: "Columns", first: int, last: int, events: Floats
    ) -> int:
        """Algorithm 1; contests of teams one after the other, all others as ever."""
        for start, stop, numbers in team_contests(columns, first, last):
            if numbers is None:
                done = super().fold(beliefs, columns, start, stop, events)
                if done < stop:
                    return done
                continue
            kernel.fold_team_contests(
                beliefs.table,
                beliefs.pool,
                *self._settings,
                columns.offsets,
                columns.player,
                columns.rank,
                columns.time,
                columns.weight,
                columns.perf_ceiling,
                numbers,
                _shares(columns),
                self.team == "mean",
                logconcave.GAUSSIAN_STRIP,
                start,
                stop,
                events,
            )
        return last


class _Teams(NamedTuple):
    """Mean and variance of every team's performance, and the weight of every row in it."""

    state: "Beliefs"
    weights: Floats
    mu: Floats
    variance: Floats


def _shares(columns: "Columns") -> Floats:
    return np.ones(len(columns.player)) if columns.share is None else columns.share
