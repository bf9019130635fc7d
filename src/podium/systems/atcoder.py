"""AtCoder's rating for algorithm contests: a mean of performances in which good days count more.

From the average of their earlier performances it is known how many of a field are expected to be
ahead of whom; a performance is the average at which one's place would be expected. The rating is
a mean of all performances, in which the last one counts most and 800 points more count twice.
While there are few, up to 1,200 points are taken off, and what falls below 400 stays above 0.
Choose it to compare with AtCoder, or for a ladder that rewards coming back: a bad day is soon
forgotten, a good one is not.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("atcoder")
    >>> for _ in range(10):
    ...     ladder.record(["ann", ("bob", "cat"), "dan"])
    >>> round(ladder["ann"].mu), round(ladder["ann"].rating)
    (1985, 1828)

Reference: AtCoder, *AtCoder Rating System ver. 1.00*.
"""

import dataclasses
import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import atcoder as kernel
from podium.numerics import pair_sums
from podium.numerics.chebyshev import NODES
from podium.numerics.codeforces import grid
from podium.numerics.threads import in_chunks
from podium.systems import declared, places
from podium.systems.base import (
    ANY,
    BASE_FIELDS,
    NOT_NEGATIVE,
    Field,
    Floats,
    IfPlaced,
    Numbers,
    Performances,
    parameter,
)
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import Phrases, unlimited
from podium.systems.search import Between

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_LOW = 400.0
"""Ratings below are shown as what falls to 0 but never reaches it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AtCoder(Compiled):
    """Contests as on AtCoder: the latest and the best performances count most, newcomers start low.

    Mu is the mean of performances by which ratings are made, and by which podium predicts; results
    are expected by their plain average, as on the site. Sigma is what is left of the scatter of
    one performance in a mean of as many, and what newcomers' ratings are lowered by.
    The centre of the site's contests, which is what it expects of newcomers, is 1200 in grand,
    1000 in regular and 800 in beginner contests; here it is `mu_new` in all. The highest
    performance that a contest shows is its `perf_ceiling`. A contest of weight c counts c times in
    all means.
    """

    name: ClassVar[str] = "atcoder"
    reference: ClassVar[str] = "AtCoder, AtCoder Rating System ver. 1.00"
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "average": ANY,
        **dict.fromkeys(("total", "squares"), NOT_NEGATIVE),
    }
    phrases: ClassVar[Phrases] = Phrases(
        performance="the average at which the place would have been expected",
        no_limits=unlimited("every performance counts in its mean, and high ones count more"),
    )
    on_reset: ClassVar[str] = (
        "All performances move as far as mu does, and count as much as fewer would whose mean has "
        "the new sigma: after a whole reset, as one."
    )
    on_start: ClassVar[str] = (
        "The player has performed at mu, so often that the mean has that sigma, or once. Who "
        "starts with the mu and the sigma of newcomers has not performed yet."
    )

    decay: float = parameter(
        0.9,
        "what a performance counts beside the one after it",
        low=0.01,
        high=1.0,
        search=Between(0.5, 1.0, grid=(0.6, 0.7, 0.8, 0.9, 0.95)),
    )
    scale: float = parameter(
        400.0, "the gap in points at which the odds to win are six to one", low=1e-2, high=1e6
    )
    first: float = parameter(
        1.5,
        "how far a first performance counts as being from the centre",
        low=0.1,
        high=10.0,
        search=Between(0.5, 3.0, grid=(1.0, 1.5, 2.0)),
    )
    discount: float = parameter(
        1200.0, "what is taken off the rating shown after one contest", low=0.0, high=1e6
    )
    mu_new: float = declared.mu_new(1200.0, Between(500.0, 2500.0, grid=(800.0, 1200.0, 1600.0)))

    def newcomer(self) -> dict[str, float]:
        """The centre, and a scatter as of one performance."""
        return {"mu": self.mu_new, "sigma": self._deviation, "average": self.mu_new}

    def newcomers_at(self, mu: Floats, sigma: Floats) -> dict[str, Any]:
        """Those who have performed at mu, unless nothing is known of them."""
        known = super().newcomers_at(mu, sigma)
        own = known["sigma"]
        as_usual = (mu == self.mu_new) & (own == self._deviation)
        total = np.where(as_usual, 0.0, 2.0 * self.decay / self._remembered(own))
        squares = (own / self._deviation * total) ** 2
        return {**known, "average": mu, "total": total, "squares": squares}

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """With the average, and the weights of as many performances as have such a sigma."""
        table = beliefs.table
        old_mu, old = (table[name][players] for name in ("mu", "sigma"))
        average, total = (table[name][players] for name in ("average", "total"))
        super().move(beliefs, players, mu, sigma)
        table["average"][players] = average + (mu - old_mu)
        fewer = total * (self._remembered(old) / self._remembered(sigma))
        less = sigma > old
        table["total"][players[less]] = fewer[less]
        squares = (sigma / self._deviation * fewer) ** 2
        table["squares"][players[less]] = squares[less]

    def _remembered(self, sigma: Floats) -> Floats:
        """What the total weight of performances that leave such a sigma is divided by.

        The mean of the last n of weight 1 has ``(sigma / deviation)^2 = (1 + q)(1 - d) / (1 - q)(1
        + d)`` with the decay d and ``q = d^n``, and they weigh ``d (1 - q) / (1 - d)`` in all.
        """
        left: Floats = (sigma / self._deviation) ** 2 * (1.0 + self.decay) + (1.0 - self.decay)
        return left

    @property
    def falls_with_rank(self) -> bool:
        """A worse place shows a lower performance, and means rise with each."""
        return True

    def rating(self, mu: Numbers, sigma: Numbers, contests: Any) -> Numbers:
        """Lower than `mu` while there are few performances, and never negative."""
        settled = math.sqrt((1.0 - self.decay) / (1.0 + self.decay))  # F(∞); F(1) is 1
        early = (sigma / self._deviation - settled) / (1.0 - settled)
        rating = np.asarray(mu - self.discount * early)
        low = _LOW * np.exp(np.minimum(rating, _LOW) / _LOW - 1.0)
        shown: Any = np.where(rating < _LOW, low, rating)[()]
        return shown  # type: ignore[no-any-return]

    def performances(self, field: Field) -> Performances:
        """Luce's rule: two are compared by the formula for expected places."""
        return Performances.gumbel(field.mu, self._points)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced:
        """All places are looked up in one table."""
        players, _, time, weight, ceiling = Rows.of(columns, 0)
        n, ranks, player = len(players), places.every(len(players)), int(players[row])
        z, x = np.empty((2, n))
        kernel.averages(beliefs.table, players, self._points, z)
        left, width, panels = grid(z)
        below, sums = pair_sums.tabulated(z, np.ones(n), left, width, panels)

        def placed(ahead: NDArray[np.int64]) -> Floats:
            for place in ahead.tolist():
                kernel.performances(z, ranks, left, width, below, sums, place, place + 1, x)
            table, ids = places.copies(beliefs, player, len(ahead) + 1)  # lest one were alone
            seen = places.events(len(ids))
            found = np.append(x[ahead], 0.0)
            kernel.conclude(
                table, *self._settings, ids, time, weight, ceiling, found, 0, len(ahead), seen
            )
            return seen[:, :-1]

        return placed

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """Averages, performances and new means step by step."""
        players, ranks, time, weight, ceiling = Rows.of(columns, contest)
        n, table = len(players), beliefs.table
        z, x = np.empty((2, n))
        kernel.averages(table, players, self._points, z)
        left, width, panels = grid(z)
        below, sums = np.empty((0, 2)), np.empty((0, NODES))
        if panels > 0:
            below, sums = pair_sums.tabulated_in_threads(
                z, np.ones(n), left, width, panels, threads
            )

        def conclude(first: int, last: int) -> None:
            kernel.performances(z, ranks, left, width, below, sums, first, last, x)
            kernel.conclude(
                table, *self._settings, players, time, weight, ceiling, x, first, last, seen
            )

        in_chunks(conclude, n, threads)

    @property
    def _points(self) -> float:
        """One scale of the logistic in rating points."""
        return self.scale / math.log(6.0)

    @property
    def _deviation(self) -> float:
        """The standard deviation of a performance."""
        return math.pi / math.sqrt(6.0) * self._points

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        return (self._record(points=self._points, deviation=self._deviation),)
