"""Elo-R: the robust system from which Elo-MMR grew.

Choose Elo-R to rate contests, races or leagues in which players are ranked and flukes are common:
a single outlier moves a rating very little, but the system remembers it, and believes it once
later results agree. Elo-MMR does the same with a faster and provably incentive-compatible
way to let the past fade, so prefer that unless you want these ratings in particular.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("elo-r")
    >>> ladder.record(["ann", ("bob", "cat"), "dan"], time="2026-05-01")
    >>> round(ladder["ann"].mu), round(ladder["bob"].mu)
    (1696, 1500)

Reference: Aram Ebtekar, *Elo-R Competition Rating System*, 2015, revised 2020,
https://github.com/EbTech/EloR.
"""

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import elo_r as kernel
from podium.numerics import fields
from podium.systems import declared
from podium.systems.base import BASE_FIELDS, Field, Floats, Performances, parameter
from podium.systems.explained import LESS_CERTAIN, Forces, Phrases, Result
from podium.systems.search import by_factors
from podium.systems.two_phases import UNLIMITED, Settling

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs


@dataclasses.dataclass(frozen=True, kw_only=True)
class EloR(Settling):
    """Contests of any number of players: very robust, one fluke moves little until repeated.

    Past performances are factors of the belief about a player. Before each contest that the
    player takes part in, skill gains noise in one of two ways. "freeze-in", which the paper
    recommends, reduces the pull of every past performance equally: the rating stays, and an old
    outlier stays one. "simple" widens every factor equally: an old outlier regains weight, but
    a rating never falls when a past performance is improved, which "freeze-in" cannot promise.

    All uncertainties, `sigma` among them, are in the paper's unit: sqrt(12)/pi = 1.10 times
    a standard deviation. Ties are half a win and half a loss. A contest of weight w counts, in the
    long run, w times as much against all earlier ones: with a = 1/(sig_performance^2/sig_limit^2 -
    1) times w, its performances scatter by (1 + 1/a) sig_limit^2 and its noise is a sig_limit^2,
    so that the uncertainty still settles at sig_limit.
    """

    name: ClassVar[str] = "elo-r"
    reference: ClassVar[str] = (
        "Ebtekar, Elo-R Competition Rating System, 2015, revised 2020, github.com/EbTech/EloR"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(no_limits=LESS_CERTAIN)
    on_reset: ClassVar[str] = (
        "The whole belief moves as far as mu does, past performances too, and gains `noise` as "
        "before a contest until it has the new sigma: the past counts less."
    )

    sig_limit: float = declared.sig_limit(100.0, by_factors(30.0, 200.0, 50.0, 75.0, 100.0, 150.0))
    sig_performance: float = parameter(
        250.0,
        "how far performances scatter about a skill, from 1.01 to 100 times sig_limit",
        low=1e-3,
        high=1e8,
        search=by_factors(205.0, 800.0, 205.0, 250.0, 350.0, 500.0),
    )
    noise: str = parameter(
        "freeze-in",
        "how the past fades: freeze-in leaves ratings where they are, simple is faster",
        choices=("freeze-in", "simple"),
    )
    drift_per_day: float = declared.drift_per_day(by_factors(0.3, 60.0, 0.0, 10.0))
    history: int | None = declared.history()
    mu_new: float = declared.mu_new()
    sigma_new: float = declared.sigma_new(
        meaning="the uncertainty of a newcomer, at most 10,000 times sig_limit"
    )
    caution: float = declared.caution(2.0, "(sigma - sig_limit)")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1.01 * self.sig_limit <= self.sig_performance <= 100.0 * self.sig_limit:
            raise InputError(
                f"{self.name}: sig_performance must be from 1.01 to 100 times sig_limit, "
                f"not {self.sig_performance:g} with a sig_limit of {self.sig_limit:g}."
            )

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """Translated, and with the noise that is lacking."""
        kernel.move(beliefs.table, beliefs.pool, *self._settings, players, mu, sigma)

    def _forces(self, result: Result) -> Forces:
        table, pool = result.after.table, result.after.pool
        record = table[result.player]
        scratch = kernel.scratch_for(table, result.columns.player, result.row, result.row + 1)[0]
        kernel.load_factors(record, pool, scratch)
        p, inverse = scratch[:2, : record["count"]]
        return Forces(
            float(record["p0"]), float(record["w0"]), p, inverse, inverse, inverse * inverse
        )

    def performances(self, field: Field) -> Performances:
        """Skill and noise in a contest of weight 1; half of a barred scale is a logistic one."""
        noise = self._share * self.sig_limit**2 + self.sig_performance**2
        return Performances(fields.LOGISTIC, field.mu, 0.5 * np.sqrt(field.variance + noise))

    @property
    def _share(self) -> float:
        """How much a contest of weight 1 counts, in the long run, against all earlier ones."""
        return 1.0 / ((self.sig_performance / self.sig_limit) ** 2 - 1.0)

    @cached_property
    def _settings(self) -> tuple[NDArray[Any]]:
        settings = self._record(
            share=self._share,
            reach=4.0 * self.sig_performance,
            history=UNLIMITED if self.history is None else self.history,
            freeze_in=self.noise == "freeze-in",
        )
        return (settings,)
