"""TrueSkill: Bayesian ratings for matches, teams and free-for-alls, with draws.

Choose TrueSkill for games between teams whose members change, and wherever draws have a
probability of their own: a match of two sides is rated in a closed form, and a contest of many
by expectation propagation, at any size. A team performs as the sum of its members, each counting
for the share of the game that they played.

Two things to know. The model wants neighbours in the standings to be a draw's margin apart, all
the way from the first place to the last, and compares those who tie in pairs, in the order of
their names. That suits a few competitors. For contests of dozens or more, choose a `draw_rate`
of 0: then a tie means equal performances, and the order within it does not matter. And one
surprising result moves a rating without limit; Elo-MMR is the robust choice.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("trueskill")
    >>> ladder.record(["ann", "bob"])
    >>> round(ladder["ann"].mu, 3), round(ladder["ann"].sigma, 3)
    (29.396, 7.171)

Reference: Ralf Herbrich, Tom Minka and Thore Graepel, *TrueSkill: A Bayesian Skill Rating
System*, Advances in Neural Information Processing Systems 19, 2006,
https://papers.nips.cc/paper/3079-trueskilltm-a-bayesian-skill-rating-system.
"""

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import chain_places, fields, propagation
from podium.numerics import trueskill as kernel
from podium.numerics.normal import normal_cdf
from podium.systems import declared, places
from podium.systems.base import (
    BASE_FIELDS,
    Competitor,
    Field,
    Floats,
    IfPlaced,
    Performances,
    parameter,
)
from podium.systems.compiled import Compiled, Rows, teams_and_shares
from podium.systems.explained import Phrases, unlimited
from podium.systems.search import Between, by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrueSkill(declared.Cautious, Compiled):
    """Matches between players or teams, draws included; members may play part of the time.

    A contest of weight w counts like w contests: its evidence is taken to the power of w, and
    `tau` adds w times its square. The performance of a player is the mean of what the model
    believes it was, given all results of the contest; the new rating lies between it and
    the old one. Players or teams with the same rank have drawn: their performances differ by at
    most the margin that belongs to `draw_rate`, or not at all if that is 0.
    """

    name: ClassVar[str] = "trueskill"
    reference: ClassVar[str] = (
        "Herbrich, Minka and Graepel, TrueSkill: A Bayesian Skill Rating System, NIPS 2006"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = BASE_FIELDS
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(
        performance="the mean of what the performance is believed to have been, given all results",
        no_limits=unlimited("it believes every result as it is"),
    )
    takes_teams: ClassVar[bool] = True

    beta: float = declared.beta("how far a player's performances scatter, as a standard deviation")
    tau: float = declared.tau(
        "how far a skill may move from contest to contest, as a standard deviation"
    )
    drift_per_day: float = declared.drift_per_day(by_factors(0.0001, 0.05, 0.0, 0.005, 0.02))
    draw_rate: float = parameter(
        0.1,
        "how often players of equal skill draw; with 0, a tie means equal performances",
        low=0.0,
        high=0.999,
        search=Between(0.0, 0.5, grid=(0.0, 0.1, 0.3)),
    )
    mu_new: float = declared.mu_new(25.0)
    sigma_new: float = declared.sigma_new(25.0 / 3.0)
    caution: float = declared.caution(3.0)

    @property
    def looks_at(self) -> tuple[str, ...]:
        """Mean, deviation and, if skills drift, when they were last seen."""
        return declared.moments(self)

    def performances(self, field: Field) -> Performances:
        """The sum of the members' skills and noise in a contest of weight 1."""
        noise = field.size * (self.beta**2 + self.tau**2)
        return Performances(fields.NORMAL, field.mu, np.sqrt(field.variance + noise))

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        """One wins by more than the margin, or they draw."""
        _, location, scale, _ = self.performances(field)
        spread = math.hypot(*scale)
        gap = location[0] - location[1]
        margin = self._margin * math.sqrt(field.size.sum())
        win, loss = (float(normal_cdf((d - margin) / spread)) for d in (gap, -gap))
        return win, max(0.0, 1.0 - (win + loss)) if margin > 0.0 else 0.0

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        """With draws within the margin."""
        _, location, scale, _ = self.performances(first)
        _, other_location, other_scale, _ = self.performances(second)
        margin = self._margin * np.sqrt(first.size + second.size)
        expected: Floats = fields.exceeding_by_margin(
            location - other_location, np.hypot(scale, other_scale), margin
        )
        return expected

    def quality(
        self,
        beliefs: "Beliefs",
        competitors: Sequence[Competitor],
        *,
        time: int | None = None,
        side: int = 0,
    ) -> float:
        """TrueSkill's match quality: the chance that all draw, relative to equals known for sure.

        It is 1 at most, and falls with uncertainty and with the number of competitors, so it
        compares contests of the same size.
        """
        field = self.field(beliefs, competitors, time)
        return float(kernel.quality(field.mu, field.variance, field.size * self.beta**2))

    def pair_qualities(self, first: Field, second: Field, expected: Floats) -> Floats:
        """The same for many pairs."""
        noise = self.beta**2 * (first.size + second.size)
        spread = noise + first.variance + second.variance
        lead = first.mu - second.mu
        return np.sqrt(noise / spread) * np.exp(-0.5 * lead * lead / spread)

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced | None:
        """The others are propagated once, and then what is around each place.

        How wide that is follows from an estimate of the error; see `podium.numerics.chain_places`.
        """
        side, part = teams_and_shares(columns, 0, 1)
        players, ranks, time, weight, _ = Rows.of(columns, 0)
        n, state, (settings,) = len(players), beliefs.copy(), self._settings
        number = side if len(side) else np.arange(n)
        me, sides = int(number[row]), int(number.max()) + 1
        seen = places.events(n)
        kernel.diffuse(state.table, settings, players, time, weight, sides, seen)
        chain = propagation.new_chain(sides)
        kernel.line_up(state.table, settings, players, ranks, side, part, sides, chain)
        own = chain[[propagation.M, propagation.S2, propagation.SIZE], me]
        others = propagation.new_chain(sides - 1)
        for field in propagation.OF_A_COMPETITOR:
            others[field, : sides - 1] = np.delete(chain[field, :sides], me)
        kernel.link(settings, others, sides - 1)
        answers = chain_places.propagate_others(others, sides - 1)
        is_head = np.zeros(n, np.int64)
        is_head[np.unique(number, return_index=True)[1]] = 1
        passed = np.append(0, np.cumsum(is_head[number != me]))

        def placed(ahead: NDArray[np.int64]) -> Floats:
            k = len(ahead)
            found = np.empty((2, k))
            chain_places.at_places(
                others, sides - 1, answers, own, self._margin, passed[ahead], found
            )
            ends = np.empty((propagation.FIELDS, k))
            ends[propagation.S2], ends[propagation.SIZE] = own[1], own[2]
            ends[propagation.SHIFT], ends[propagation.KEPT] = found
            table, ids = places.copies(state, int(players[row]), k)
            happened = places.events(k)
            happened[:] = seen[:, row : row + 1]
            shares = np.repeat(part[row : row + 1], k)
            kernel.conclude(table, settings, ids, side[:0], shares, weight, ends, happened)
            kernel.conclude_events(table, ids, happened)
            return happened

        return placed

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        return teams_and_shares(columns, first, last)

    @property
    def _margin(self) -> float:
        """The margin of a draw, in terms of the root of the number of players."""
        return self.beta * NormalDist().inv_cdf(0.5 * (1.0 + self.draw_rate))

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        return (self._record(beta2=self.beta**2, tau2=self.tau**2, margin=self._margin),)
