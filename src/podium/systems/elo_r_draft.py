"""The first draft of Elo-R: robust ratings without uncertainty.

Choose it for a robust rating that is simple to explain: one number per player, the same
uncertainty for everybody, at most about 50 points per contest. There is no faster start for
newcomers; Elo-R and Elo-MMR have one.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("elo-r-draft")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1528, 1500)

Reference: Aram Ebtekar, *Elo-R Draft*, 20 November 2015, https://github.com/EbTech/EloR.
"""

import dataclasses
import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import elo_r_draft as kernel
from podium.numerics import fields
from podium.systems import declared
from podium.systems.base import (
    ANY,
    BASE_FIELDS,
    Field,
    Floats,
    Performances,
    Reset,
    parameter,
)
from podium.systems.explained import Forces, Mean, Phrases, Result, unlimited
from podium.systems.search import Between, by_factors
from podium.systems.two_phases import TwoPhases

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs

_DEVIATION = math.pi / math.sqrt(3.0)
"""The standard deviation of a logistic distribution of scale one."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class EloRDraft(TwoPhases):
    """Contests of any number of players: robust and simple, one number per player.

    A contest shows each player's performance: the level at which the expected rank is the actual
    one. The rule is "map", the mode of belief and performance, which moves a rating by less than
    s ln((t + s)/(t - s)), s being `skill_scale` and t `performance_scale`, if s is less than
    t; or "proportional", a fixed part of the way to the performance. "map" can also take the last
    `memory` performances together: then one strong performance changes little, a second
    or third one more.

    `sigma` is the standard deviation that belongs to `skill_scale`, the same for everybody. Ties
    are half a win and half a loss. In a contest of weight w, the variance of performances
    is divided by w.
    """

    name: ClassVar[str] = "elo-r-draft"
    reference: ClassVar[str] = (
        "Ebtekar, Elo-R Competition Rating System, first draft, 2015, github.com/EbTech/EloR"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(
        no_limits=unlimited("with these parameters it follows every performance")
    )
    on_reset: ClassVar[str] = (
        "Mu moves, and the performances that are remembered move with it. Sigma is the same for "
        "everybody and stays."
    )
    on_start: ClassVar[str] = (
        "The player has that mu, and remembers no performance. Sigma is the same for everybody."
    )

    skill_scale: float = declared.positive(
        55.0,
        "the logistic scale of what is not known of a skill",
        by_factors(10.0, 250.0, 20.0, 40.0, 55.0, 80.0, 120.0),
    )
    performance_scale: float = declared.positive(
        125.0,
        "the logistic scale of performances about a skill, from 0.01 to 100 times skill_scale",
    )
    rule: str = parameter(
        "map",
        "how a rating follows a performance: map is robust, proportional is not",
        choices=("map", "proportional"),
    )
    memory: int = parameter(
        1,
        "how many performances are taken together by the rule map",
        low=1,
        high=1000,
        search=Between(1, 32, log=True, whole=True, grid=(1, 3, 10)),
    )
    decay: float | None = parameter(
        None,
        "what remains of a remembered performance's weight with each contest after it; "
        "by default, what keeps skill_scale constant",
        kind=float,
        above=0.0,
        high=1.0,
    )
    mu_new: float = declared.mu_new()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.01 * self.skill_scale <= self.performance_scale <= 100.0 * self.skill_scale:
            raise InputError(
                f"{self.name}: performance_scale must be from 0.01 to 100 times skill_scale, not "
                f"{self.performance_scale:g} with a skill_scale of {self.skill_scale:g}."
            )
        if self.memory > 1 and self.rule != "map":
            raise InputError(
                f"{self.name}: memory works with the rule map only, not with {self.rule!r}."
            )
        if self.decay is not None and self.memory == 1:
            raise InputError(f"{self.name}: decay works with a memory of 2 or more only.")

    @property
    def _row_ranges(self) -> dict[int, tuple[float, float]]:
        return {0: ANY, 1: ANY, 2: (1e-6, 1e9)}

    def newcomer(self) -> dict[str, float]:
        """A logistic belief at `mu_new`."""
        return {"mu": self.mu_new, "sigma": self.skill_scale * _DEVIATION}

    def newcomers_at(self, mu: Floats, sigma: Floats) -> dict[str, Any]:
        """All are as uncertain."""
        return super().newcomers_at(mu, np.full(len(mu), math.nan))

    def reset_moments(self, mu: Floats, sigma: Floats, reset: Reset) -> tuple[Floats, Floats]:
        """Sigma stays."""
        return super().reset_moments(mu, sigma, reset)[0], sigma

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """With the performances that are remembered, and what was believed before them."""
        kernel.move(beliefs.table, beliefs.pool, players, mu)

    def performances(self, field: Field) -> Performances:
        """Skill and noise in a contest of weight 1."""
        variance = field.variance / _DEVIATION**2 + self.performance_scale**2
        return Performances(fields.LOGISTIC, field.mu, np.sqrt(variance))

    @property
    def _remembers(self) -> bool:
        return self.memory > 1

    def mean(self, result: Result) -> Mean | None:
        """By the rule "proportional", a part of the way."""
        if self.rule == "map":
            return super().mean(result)
        part = kernel.part(self.skill_scale, self._performance_scale(result))
        return Mean.step(result.mu, part, result.performance)

    def _performance_scale(self, result: Result) -> float:
        prior = self._prepared(result.before, result.columns, result.row).prior
        return float(prior[2, result.row])

    def _forces(self, result: Result) -> Forces | None:
        """The belief before the oldest performance that is remembered, and all since."""
        if self.rule != "map":
            return None
        terms, record, count = kernel.room(self.memory), result.after.table[result.player], 1
        if self._remembers:
            decay = self._settings[0]["decay"][0]
            kernel.remembered_mode(record, result.after.pool, self.skill_scale, decay, terms)
            count = int(record["count"])
        else:
            scale = self._performance_scale(result)
            kernel.set_term(terms, 0, result.performance, 1.0, scale)
            kernel.mode(terms, 1, result.mu[0], 1.0, self.skill_scale)
        p, a, c = terms[:, :count]
        p0, a0, c0 = terms[:, count].tolist()
        return Forces(p0, a0 * c0, p, a, c, a * c, a0)

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        settings = self._record(
            sigma1=self.skill_scale,
            sigma2=self.performance_scale,
            decay=0.0 if self.decay is None else self.decay,
            proportional=self.rule == "proportional",
        )
        return (settings,)
