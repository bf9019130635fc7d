"""Weng-Lin: fast Bayesian ratings for matches, teams and contests, in five models.

Choose it for games between teams, or among a few players or many: every update is a
formula, members of a team share it by their uncertainty, and draws count. OpenSkill is the
same family. With two sides, all settings of `contest` are the published algorithms; with more,
the published sum over all pairs takes a contest of many for as many matches, and freezes or
throws ratings about, so that by default a contest counts as one match. That is also the
form which the Elo-MMR papers compare with as BAR.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("weng-lin")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu, 2), round(ladder["ann"].sigma, 2)
    (27.64, 8.07)

Reference: Ruby C. Weng and Chih-Jen Lin, *A Bayesian Approximation Method for Online Ranking*,
Journal of Machine Learning Research 12 (2011), https://jmlr.org/papers/v12/weng11a.html.
"""

import dataclasses
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import fields
from podium.numerics import weng_lin as kernel
from podium.numerics.normal import normal_cdf
from podium.systems import declared, places
from podium.systems.base import BASE_FIELDS, Field, Floats, IfPlaced, Performances, parameter
from podium.systems.compiled import Compiled, Rows, teams_and_shares
from podium.systems.explained import LESS_CERTAIN, Phrases
from podium.systems.search import OneOf, by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class WengLin(declared.Cautious, Compiled):
    """Matches and contests of players or teams: Bayesian, by closed formulas, like OpenSkill.

    `model` says how standings come about. In the Bradley-Terry and Thurstone-Mosteller models
    they are matches, with logistic or normal noise: of everybody against everybody ("full"), or
    only against the next above and below ("part"), averaged over all orders of those who tie.
    In the Plackett-Luce model the best is chosen among all, then the next among the rest.

    A team is the sum of its members; someone with a share of the contest adds that share of
    their skill, as if their seat were empty for the rest, and is updated accordingly. A weight
    multiplies what a contest says, as if it had taken place so many times.
    """

    name: ClassVar[str] = "weng-lin"
    reference: ClassVar[str] = (
        "Weng and Lin, A Bayesian Approximation Method for Online Ranking, JMLR 12, 2011"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS]
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(no_limits=LESS_CERTAIN)
    takes_teams: ClassVar[bool] = True

    model: str = parameter(
        "bradley-terry-full",
        f"how standings come about: {', '.join(kernel.MODELS)}",
        choices=kernel.MODELS,
    )
    contest: str = declared.contest(
        "what a contest of more than two counts: mean, one match; sum, as published, all its "
        "matches at once, for a handful of competitors"
    )
    gamma: str = parameter(
        "sigma/c",
        "how fast uncertainty falls, the factor gamma of the paper: 1, fastest; sigma/c, less for "
        "those who are certain already; 1/k, less with every competitor",
        choices=kernel.GAMMAS,
        search=OneOf(kernel.GAMMAS),
    )
    beta: float = declared.beta("the noise of one performance, in rating points")
    draw_margin: float = parameter(
        0.1,
        "by how much a performance must be better to win, in rating points; Thurstone-Mosteller",
        low=0.0,
        high=1e6,
    )
    tau: float = declared.tau("uncertainty that each contest adds, in rating points")
    drift_per_day: float = declared.drift_per_day(by_factors(0.0001, 0.05, 0.0, 0.005))
    kappa: float = parameter(
        1e-4, "the least part of a variance that one contest leaves", low=1e-12, high=1.0
    )
    mu_new: float = declared.mu_new(25.0)
    sigma_new: float = declared.sigma_new(25.0 / 3.0)
    caution: float = declared.caution(3.0)

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Mean, deviation and, if skills drift, when they were last seen."""
        return declared.moments(self)

    def performances(self, field: Field) -> Performances:
        """Normal, or such that two differ by a logistic variable of scale c.

        All of a field under Plackett-Luce share one scale, and follow Luce's rule.
        """
        variance = field.variance + self.beta**2
        if self._is_normal:
            return Performances(fields.NORMAL, field.mu, np.sqrt(variance))
        if self.model == "plackett-luce":
            total = variance.mean() * 2.0 if self.contest == "mean" else variance.sum()
            return Performances(fields.GUMBEL, field.mu, np.full(len(variance), np.sqrt(total)))
        return Performances(fields.LOGISTIC, field.mu, np.sqrt(variance))

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        """Only under Thurstone-Mosteller can a match be drawn: within the margin."""
        if not self._is_normal:
            return super().chances(field, side)
        c = float(np.sqrt(field.variance.sum() + 2.0 * self.beta**2))
        gap = float(field.mu[0] - field.mu[1])
        win = normal_cdf((gap - self.draw_margin) / c)
        loss = normal_cdf((-gap - self.draw_margin) / c)
        return win, max(1.0 - win - loss, 0.0)

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        """Under every model c is that of the two, whoever else takes part."""
        lead = first.mu - second.mu
        c = np.sqrt(first.variance + second.variance + 2.0 * self.beta**2)
        expected: Floats
        if self._is_normal:
            margin = np.full(len(lead), self.draw_margin)
            expected = fields.exceeding_by_margin(lead, c, margin)
        else:
            expected = fields.exceeding_pairs(fields.GUMBEL, lead, c, c, fields.NO_TABLE)
        return expected

    @property
    def _is_normal(self) -> bool:
        return self.model.startswith("thurstone-mosteller")

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        return teams_and_shares(columns, first, last)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """What every opponent does to the player, beaten or not, added up along the standings."""
        own, parts = teams_and_shares(columns, 0, 1)
        players, ranks, time, weight, _ = Rows.of(columns, 0)
        n, state, (settings,) = len(players), beliefs.copy(), self._settings
        theta, var, seen = *np.empty((2, n)), places.events(n)
        count, _ = kernel.gather(
            state.table, settings, players, ranks, own, parts, 0, 0, n, time, theta, var,
            np.empty(n + 1, np.int64), seen,
        )  # fmt: skip
        number = own if len(own) else np.arange(n)
        heads = np.unique(number, return_index=True)[1]
        me = int(number[row])
        order = np.append(me, np.delete(np.arange(count), me))
        pull, info = self._at_all_places(theta[order], var[order], ranks[heads[order[1:]]])
        is_head = np.isin(np.arange(n), heads)[number != me]
        passed = np.append(0, np.cumsum(is_head))
        part = parts[row : row + 1]

        def placed(ahead: NDArray[np.int64]) -> Floats:
            place, k = passed[ahead], len(ahead)
            table, ids = places.copies(state, int(players[row]), k)
            happened = places.events(k)
            happened[:] = seen[:, row : row + 1]
            kernel.conclude(
                table, settings, ids, own[:0], np.repeat(part, k), 0, 0, k, weight, pull[place],
                info[place], happened,
            )  # fmt: skip
            return happened

        return placed

    def _at_all_places(
        self, theta: Floats, var: Floats, ranks: NDArray[np.int32]
    ) -> tuple[Floats, Floats]:
        """Pull and info of the first, by how many of the others are ahead; those have `ranks`.

        Places in the middle of a tie of others are of no use.
        """
        count = len(theta)
        bounds = np.append(np.flatnonzero(np.diff(ranks, prepend=0)), count - 1)
        size, factor = np.diff(bounds), np.ones(count)
        if self.model == "plackett-luce":
            pull, info = self._chosen(theta, var, bounds)
            factor *= 0.25 / (1.0 - np.sum(1.0 / np.arange(1, count + 1)) / count)
        else:
            won, lost = self._matches(theta, var), self._matches(-theta, var)
            lost[0] *= -1.0
            if self.model.endswith("part"):
                won, lost = (np.add.reduceat(each, bounds[:-1], axis=1) for each in (won, lost))
                pull, info = np.zeros((2, count))
                for row, sums in enumerate((pull, info)):
                    sums[bounds[:-1]] += won[row] / size
                    sums[bounds[1:]] += lost[row] / size
                factor[1:-1] /= 2.0
            else:
                nothing = np.zeros((2, 1))
                ahead = np.hstack((nothing, np.cumsum(lost, axis=1)))
                pull, info = ahead + np.hstack((np.cumsum(won[:, ::-1], axis=1)[:, ::-1], nothing))
                factor /= count - 1
        if self.contest == "mean":
            pull, info = factor * pull, factor * info
        damping = {"sigma/c": math.sqrt(var[0]), "1/k": 1.0 / count}
        return pull, info * damping.get(self.gamma, 1.0)

    def _matches(self, theta: Floats, var: Floats) -> Floats:
        """Pull and info of the first by one match each, all of them won."""
        count = len(theta)
        found = np.zeros((2, count))
        starts = np.array((0, 1, count))
        kernel.meet_all(*self._settings, theta, var, starts, count, 0, 1, *found)
        found[0] *= -1.0  # it is that of the others
        return found[:, 1:]

    def _chosen(
        self, theta: Floats, var: Floats, bounds: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """The same where the best of all is chosen, then the best of the others, and so on."""
        count = len(theta)
        c2 = float(np.sum(var + self.beta**2)) * (2.0 / count if self.contest == "mean" else 1.0)
        c = math.sqrt(c2)
        left = np.append(np.logaddexp.accumulate(theta[:0:-1] / c)[::-1][bounds[:-1]], -np.inf)
        with np.errstate(over="ignore"):
            chance = 1.0 / (1.0 + np.exp(left - theta[0] / c))
        pull, info = np.zeros((2, count))
        once, twice = np.cumsum(chance), np.cumsum(chance * chance)
        pull[bounds] = (1.0 - once) / c
        info[bounds] = np.maximum(once - twice, 0.0) / c2
        return pull, info / c if self.gamma == "sigma/c" else info

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """One contest in which everybody meets everybody, with threads sharing the matches."""
        own, parts = teams_and_shares(columns, contest, contest + 1)
        players, ranks, time, weight, _ = Rows.of(columns, contest)
        n, table, (settings,) = len(players), beliefs.table, self._settings
        theta, var = np.empty((2, n))
        starts = np.empty(n + 1, np.int64)
        count, groups = kernel.gather(
            table, settings, players, ranks, own, parts, 0, 0, n, time, theta, var, starts, seen
        )
        pull, info = kernel.rate_in_threads(
            settings, theta[:count], var[:count], starts[: groups + 1], threads
        )
        kernel.conclude(table, settings, players, own, parts, 0, 0, n, weight, pull, info, seen)

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        settings = self._record(
            model=kernel.MODELS.index(self.model),
            gamma=kernel.GAMMAS.index(self.gamma),
            mean=self.contest == "mean",
        )
        return (settings,)
