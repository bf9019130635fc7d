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
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import codeforces as kernel
from podium.numerics import fields, pair_sums
from podium.numerics.chebyshev import NODES
from podium.numerics.threads import in_chunks
from podium.systems import declared, places
from podium.systems.base import (
    BASE_FIELDS,
    EVENTS,
    Field,
    Floats,
    IfPlaced,
    Numbers,
    Performances,
    parameter,
)
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Mean, Phrases, Result, unlimited
from podium.systems.search import by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


_FEW = 0.25
"""A table has no place that deserves fewer others in front or behind."""
_NO_TABLE = np.empty((0, 2)), np.empty((0, NODES))


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
    on_reset: ClassVar[str] = (
        "Mu moves; there is no sigma. What is taken off the rating shown goes by contests, which "
        "count on."
    )
    on_start: ClassVar[str] = (
        "The player has that mu; there is no sigma to start with. What is taken off the rating "
        "shown still goes by contests."
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

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced:
        """One table for all places; for corrections, the others are one place lower, or are not."""
        players, ranks, _, weight, ceiling = Rows.of(columns, 0)
        mu, others = beliefs.table["mu"][players], np.delete(np.arange(len(players)), row)
        own, z = mu[row], mu / self._points
        factor = kernel.factor_of(weight, self.share)
        deserved, corrections = self._deserved(z, row), None
        if self._settings[0]["corrections"][0]:
            x = self._deserved_by_others(np.append(z[others], z[row]), ranks[others])
            changes = self._changes(self._performances(x, ceiling), mu[others])
            corrections = _corrections(changes, mu[others], own, self._rounded)

        def placed(ahead: NDArray[np.int64]) -> Floats:
            seen = np.full((len(EVENTS), len(ahead)), own)
            seen[0] = self._performances(deserved(ahead), ceiling)
            seen[2] = seen[4] = beliefs.table["sigma"][players[row]]
            change = self._changes(seen[0], own)
            if corrections is not None:
                change = change + corrections(ahead, change)
            seen[3] += self._rounded(factor * change)
            return seen

        return placed

    def _deserved(self, z: Floats, row: int) -> places.ByPlace:
        """The ratings that places deserve, in scales, as `kernel.solve` has them."""
        n, papers = len(z), self.variant == "papers"
        others = np.delete(z, row)
        seed = 1.0 + pair_sums.direct(-others, np.ones(n - 1), -z[row])[0]
        counted = z if papers else others
        left, width, panels = kernel.grid(counted)
        table = pair_sums.tabulated(counted, np.ones(len(counted)), left, width, panels)

        def deserved(ahead: NDArray[np.int64]) -> Floats:
            in_front = np.sqrt((ahead + 1.0) * seed) - (0.5 if papers else 1.0)
            behind = len(counted) - in_front
            few = np.minimum(in_front, behind) < _FEW
            if panels == 0:
                few[:] = True
            x = np.empty(len(ahead))
            x[~few] = pair_sums.inverses(behind[~few], left, width, *table)
            found, counts = np.empty(n), np.empty(n)
            for k in np.flatnonzero(few).tolist():
                counts[row] = ahead[k] + 1.0
                kernel.solve(z, counts, papers, left, width, *_NO_TABLE, row, row + 1, found)
                x[k] = found[row]
            return x

        return deserved

    def _deserved_by_others(self, z: Floats, ranks: NDArray[np.int32]) -> Floats:
        """The same for all but the last, if that one is behind them, and if it is ahead of them."""
        n, papers = len(z), self.variant == "papers"
        x, counts = np.empty((2, n)), np.ones(n)
        kernel.ranks_counted(ranks, papers, counts)
        left, width, panels = kernel.grid(z)
        table = _NO_TABLE
        if panels > 0:
            table = pair_sums.tabulated(z, np.ones(n), left, width, panels)
        for each in x:
            kernel.solve(z, counts, papers, left, width, *table, 0, n - 1, each)
            counts += 1.0
        return x[:, :-1]

    def _performances(self, x: Floats, ceiling: float) -> Floats:
        """Of ratings deserved, in scales."""
        shown: Floats = np.minimum(self._points * x, ceiling)
        if not self.whole_numbers:
            return shown
        whole: Floats = np.clip(np.floor(shown + kernel.ROUNDING), kernel.LOWEST, kernel.HIGHEST)
        return whole

    def _changes(self, performance: Floats, mu: float | Floats) -> Floats:
        return self._rounded(self.share * (performance - mu))

    def _rounded(self, change: Floats) -> Floats:
        return np.trunc(change) if self.whole_numbers else change

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


def _corrections(
    changes: Floats, mu: Floats, own: float, rounded: Callable[[Floats], Floats]
) -> Callable[[NDArray[np.int64], Floats], Floats]:
    """What is added to everybody's change, from how many are ahead of a player and their change.

    The others are in the order of the standings; `changes` has a row for those who are ahead, and
    one for those who are behind. See `podium.numerics.codeforces` for what the best are.
    """
    rows = len(mu) + 1
    best = min(4 * math.floor(math.sqrt(rows) + 0.5), rows)
    lowest = np.sort(np.append(mu, own))[-best]
    equals = best - int(np.count_nonzero(mu > lowest)) - int(own > lowest)
    number = np.cumsum(mu == lowest)

    def sums(counted: NDArray[np.bool_]) -> Floats:
        ahead, behind = np.where(counted, changes, 0.0)
        after: Floats = np.append(np.cumsum(behind[::-1])[::-1], 0.0)
        return np.append(0.0, np.cumsum(ahead)) + after

    def of_best(equals: int) -> Floats:
        return sums((mu > lowest) | ((mu == lowest) & (number <= equals)))

    total, are_best = sums(mu == mu), of_best(equals)
    is_best = np.full(rows, own > lowest)
    if own == lowest:  # then who comes first is taken
        is_best = np.append(0, number) < equals
        are_best = np.where(is_best, of_best(equals - 1), are_best)

    def shift(ahead: NDArray[np.int64], change: Floats) -> Floats:
        first = rounded(-(total[ahead] + change) / rows) - 1.0
        second = are_best[ahead] + np.where(is_best[ahead], change, 0.0) + best * first
        shifted: Floats = first + np.clip(rounded(-second / best), -10.0, 0.0)
        return shifted

    return shift
