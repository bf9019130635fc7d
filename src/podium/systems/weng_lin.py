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
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import fields
from podium.numerics import weng_lin as kernel
from podium.numerics.normal import normal_cdf
from podium.systems import declared
from podium.systems.base import BASE_FIELDS, Field, Floats, Performances, parameter
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
