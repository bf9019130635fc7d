"""The Codeforces rating system: everybody moves halfway to the rating that their place deserves.

A player's expected place (the seed) follows from Elo's win probabilities against all others. The
rating that deserves the geometric mean of the expected and the actual place is where the player
is going, and half of the way is taken at once. Made for contests of hundreds or thousands;
among few players, favourites gain from every expected win. Choose it to
compare with Codeforces, or where its simplicity counts: one number a player, no uncertainty.

``variant="site"`` is what the site published: the rank of a tie is its last place, a player is
compared with the others, and two corrections keep ratings from inflating. ``variant="papers"`` is
the model of the Elo-MMR papers: middle ranks, sums that include oneself, no corrections. (The
program that was published with the text of 2015 puts a player against all, oneself too, when it
looks for the deserved rating; the text does not, nor do programs that predict the site's numbers.)

For accounts as they are since May 2020, which start low and are raised over six contests, use
``mu_new=1400, display_offsets=(1400, 900, 550, 300, 150, 50)``. For whole ratings as on the site,
``whole_numbers=True``.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("codeforces")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1626, 1475)

Reference: Mike Mirzayanov, *Open Codeforces Rating System*, 2015,
https://codeforces.com/blog/entry/20762, and on new accounts, 2020,
https://codeforces.com/blog/entry/77890. The papers: Aram Ebtekar and Paul Liu, *Elo-MMR: A
Rating System for Massive Multiplayer Competitions*, 2021, https://doi.org/10.1145/3442381.3450091.
"""

import dataclasses
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import codeforces as kernel
from podium.numerics import fields, pair_sums
from podium.numerics.chebyshev import NODES
from podium.numerics.threads import in_chunks
from podium.systems import declared
from podium.systems.base import BASE_FIELDS, Field, Floats, Numbers, Performances, parameter
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Mean, Phrases, Result, unlimited
from podium.systems.search import by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class Codeforces(Compiled):
    """Large contests as on Codeforces: simple, but one result can move a rating without limit.

    The performance in the history is the rating that deserves the geometric mean of seed and
    rank; a `perf_ceiling` caps it. A contest of weight c is averaged in with c times the weight:
    ``mu + f * change`` with ``f = c / (1 - share + c * share)``, corrections included.
    Sigma is NaN: the system knows no uncertainty.
    """

    name: ClassVar[str] = "codeforces"
    reference: ClassVar[str] = (
        "Mirzayanov, Open Codeforces Rating System, 2015, codeforces.com/blog/entry/20762"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = BASE_FIELDS
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(
        performance="the rating that deserves a place between the expected and the actual one",
        no_limits=unlimited("it goes a fixed part of the way to the performance, wherever that is"),
    )

    variant: str = declared.variant(
        "site: the published system, ties at their last place; papers: the Elo-MMR papers' model"
    )
    corrections: bool | None = parameter(
        None,
        "shift all changes so that neither all players nor the best gain on average; by default, "
        "in the site's variant",
        kind=bool,
    )
    whole_numbers: bool = parameter(
        False, "round as the site does: ratings deserved are whole, from 1 to 7,999, so are changes"
    )
    share: float = parameter(
        0.5,
        "the part of the way to the deserved rating that is taken",
        low=1e-4,
        high=1.0,
        search=by_factors(0.05, 1.0, 0.1, 0.2, 0.3, 0.5, 0.7),
    )
    scale: float = parameter(
        400.0, "the gap in points at which the odds to win are ten to one", low=1e-2, high=1e6
    )
    mu_new: float = declared.mu_new()
    display_offsets: tuple[float, ...] = parameter(
        (),
        "how much lower a rating is shown after 0, 1, 2, … contests, e.g. 1400,900,550,300,150,50",
        low=-1e6,
        high=1e6,
    )

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The rating."""
        return declared.moments(self)

    @property
    def falls_with_rank(self) -> bool:
        """With corrections too, which take no more back than was gained."""
        return True

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """Lower than `mu` for the first contests if there are `display_offsets`."""
        offsets = np.array([*self.display_offsets, 0.0])
        shown: Numbers = mu - offsets[np.minimum(contests, len(self.display_offsets))]
        return shown

    def mean(self, result: Result) -> Mean:
        """By the share and the weight; the corrections are for all."""
        part = kernel.factor_of(result.weight, self.share) * self.share
        return Mean.step(result.mu, part, result.performance)

    def performances(self, field: Field) -> Performances:
        """Luce's rule: two are compared by Elo's formula."""
        return Performances(fields.GUMBEL, field.mu, np.full(len(field.mu), self._points))

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """Seeds, deserved ratings and corrections step by step."""
        players, ranks, time, weight, ceiling = Rows.of(columns, contest)
        n, papers, table = len(players), self.variant == "papers", beliefs.table
        z, x, places = np.empty((3, n))
        kernel.ratings_in_scales(table, players, self._points, z)
        kernel.ranks_counted(ranks, papers, places)
        left, width, panels = kernel.grid(z)
        below, sums = np.empty((0, 2)), np.empty((0, NODES))
        if panels > 0:
            below, sums = pair_sums.tabulated_in_threads(
                z, np.ones(n), left, width, panels, threads
            )

        def solve(first: int, last: int) -> None:
            kernel.solve(z, places, papers, left, width, below, sums, first, last, x)

        in_chunks(solve, n, threads)
        change = np.empty(n)
        kernel.conclude(table, *self._settings, players, time, weight, ceiling, x, change, seen)

    @property
    def _points(self) -> float:
        """One scale of the logistic in rating points."""
        return self.scale / math.log(10.0)

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        corrections = self.variant == "site" if self.corrections is None else self.corrections
        papers = self.variant == "papers"
        return (self._record(points=self._points, papers=papers, corrections=corrections),)
