"""The Topcoder rating system: a rating, and a volatility that makes erratic players move more.

Ratings and volatilities say which rank to expect of everybody. A performance is the rating plus
what separates the actual from the expected rank, both as quantiles of the normal distribution, in
units of the contest's spread. The rating moves towards it, less with experience, and never by
more than a cap. Choose it to compare with Topcoder, not for a ladder of your own: volatility can
be farmed, and who does badly on purpose now and then may end higher than who always tries.

``variant="papers"`` is the program of the Elo-MMR papers, with ``mu_new=1500, sigma_new=350`` as in
their experiments: there, volatility grows by what a rating would have changed without the cap.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("topcoder")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1555, 1200)

Reference: Topcoder, *Algorithm Competition Rating System*,
https://www.topcoder.com/community/competitive-programming/how-to-compete/ratings. On its
volatility: Aram Ebtekar and Paul Liu, *Elo-MMR: A Rating System for Massive Multiplayer
Competitions*, 2021, section 5.1, https://doi.org/10.1145/3442381.3450091.
"""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium.numerics import fields
from podium.numerics import topcoder as kernel
from podium.numerics.normal_sums import CHUNK, expected_ranks_in_threads, term_by_term
from podium.numerics.threads import in_chunks
from podium.systems import declared, places
from podium.systems.base import BASE_FIELDS, POSITIVE, Field, Floats, IfPlaced, Performances
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Limits, Mean, Phrases, Result
from podium.systems.search import Between, by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class Topcoder(Compiled):
    """Contests as on Topcoder: bounded changes, but doing badly on purpose can pay in the end.

    Sigma is the volatility. The performance in the history is PerfAs; a `perf_ceiling` caps it.
    A contest of weight c has c times the weight, in the rating and in the volatility; the
    cap on changes stays. The site rates the experienced without the newcomers of a contest;
    here, as in the Elo-MMR papers, all meet all.
    """

    name: ClassVar[str] = "topcoder"
    reference: ClassVar[str] = (
        "Topcoder, Algorithm Competition Rating System, 2008; Ebtekar and Liu 2021, section 5.1"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = BASE_FIELDS
    kernel: ClassVar[Any] = kernel
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {"sigma": POSITIVE}
    phrases: ClassVar[Phrases] = Phrases(
        performance="the rating, moved by how much better or worse the place is than expected, "
        "in terms of how far apart the field is",
        sigma="volatility",
        correction="the limit on changes",
    )
    on_reset: ClassVar[str] = (
        "Mu moves, and the volatility, which is sigma, grows. How much a contest counts goes by "
        "the number of contests, which count on."
    )
    on_start: ClassVar[str] = (
        "The player has that mu, and sigma as volatility; contests count as much as after those "
        "that were played."
    )

    variant: str = declared.variant(
        "site: the published system; papers: volatility grows by the change before the cap, and a "
        "rating of exactly 2500 counts as above it"
    )
    mu_new: float = declared.mu_new(1200.0, Between(500.0, 2500.0, grid=(800.0, 1200.0, 1600.0)))
    sigma_new: float = declared.sigma_new(
        515.0,
        "the volatility of a newcomer",
        search=by_factors(100.0, 1500.0, 200.0, 350.0, 515.0, 800.0),
    )

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Rating, volatility and number of contests."""
        return declared.moments(self)

    def mean(self, result: Result) -> Mean:
        """By the weight of the contest against all earlier ones."""
        record = result.before.table[result.player]
        w = kernel.against_past(record, result.weight, *self._settings)
        return Mean.step(result.mu, w / (1.0 + w), result.performance)

    def limits(self, result: Result) -> Limits:
        """The cap on changes."""
        mu, most = result.mu[0], kernel.most(result.before.table[result.player])
        return Limits(mu - most, mu + most)

    def performances(self, field: Field) -> Performances:
        """Volatility is the standard deviation of a performance."""
        return Performances(fields.NORMAL, field.mu, np.sqrt(field.variance))

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced:
        """The rank that was expected is the same at all places."""
        players, _, time, weight, ceiling = Rows.of(columns, 0)
        n, (papers,) = len(players), self._settings
        mu, variance, expected, performance = np.empty((4, n))
        factor = kernel.prepare(beliefs.table, players, mu, variance)
        expected[:] = 0.0
        term_by_term(mu, variance, np.arange(n), row, row + 1, expected)
        mu[:], expected[:] = mu[row], expected[row]
        kernel.performances(places.every(n), mu, factor, expected, 0, n, performance)
        table, ids = places.copies(beliefs, int(players[row]), n)
        seen = places.events(n)
        kernel.conclude(table, ids, papers, time, weight, ceiling, performance, 0, n, seen)
        return lambda ahead: seen[:, ahead]

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """Expected ranks, performances, new ratings and volatilities step by step."""
        table, (papers,) = beliefs.table, self._settings
        players, ranks, time, weight, ceiling = Rows.of(columns, contest)
        n = len(players)
        mu, variance, expected, performance = np.empty((4, n))
        factor = kernel.prepare(table, players, mu, variance)
        expected_ranks_in_threads(mu, variance, expected, threads)

        def conclude(first: int, last: int) -> None:
            kernel.performances(ranks, mu, factor, expected, first, last, performance)
            kernel.conclude(
                table, players, papers, time, weight, ceiling, performance, first, last, seen
            )

        in_chunks(conclude, n, threads, CHUNK)

    @property
    def _settings(self) -> tuple[bool]:
        return (self.variant == "papers",)
