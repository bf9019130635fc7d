"""Glicko-2: Glicko with a volatility for every player, which says how erratic the results are.

Choose it where everybody expects it, for matches of two in rating periods of ten to fifteen games
each, and where nobody would lose on purpose: losses that raise the volatility pay off later.
A lower `volatility_max`, such as 0.1, takes most of that gain away.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("glicko2", period_days=30)
    >>> ladder.record(["ann", "bob"], time="2026-05-01")
    >>> ladder.record([("ann", "cat")], time="2026-05-04")
    >>> round(ladder["ann"].mu), round(ladder["ann"].sigma)
    (1624, 253)

Reference: Mark E. Glickman, *Dynamic paired comparison models with stochastic variances*, Journal
of Applied Statistics 28 (2001), 673-689, https://doi.org/10.1080/02664760120059219; the algorithm
in his *Example of the Glicko-2 system* (2012), http://www.glicko.net/glicko/glicko2.pdf.
"""

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import glicko as kernel
from podium.systems.base import BASE_FIELDS, Floats, parameter
from podium.systems.glicko import Periodic
from podium.systems.search import Search, by_factors


def _volatility(default: float, meaning: str, search: Search | None = None) -> Any:
    return parameter(default, meaning, low=1e-6, high=100.0, search=search)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Glicko2(Periodic):
    """Matches with draws and absences: Glicko with a volatility; it can pay to lose on purpose.

    All games of a rating period are judged by the ratings at its start, and its end is shown as
    if it came now. The uncertainty grows by the volatility from period to period; without
    periods, with every contest that one takes part in, and by `drift_per_day` with time.

    The new volatility is found to full precision, not to a tolerance. It has a limit, unlike the
    published one, which may leap to thousands of rating points after a bad period.

    A predicted win counts a draw as half.
    """

    name: ClassVar[str] = "glicko2"
    reference: ClassVar[str] = (
        "Glickman, Example of the Glicko-2 system, 2012, glicko.net/glicko/glicko2.pdf"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [
        *BASE_FIELDS,
        *kernel.VOLATILITY_FIELDS,
        *kernel.FIELDS,
    ]

    on_reset: ClassVar[str] = f"{Periodic.on_reset} The volatility stays."
    on_start: ClassVar[str] = f"{Periodic.on_start} The volatility is a newcomer's."

    tau: float = parameter(
        0.5,
        "how much the volatility itself may change; Glickman: 0.3 to 1.2",
        low=0.0,
        high=10.0,
        search=by_factors(0.1, 2.0, 0.3, 0.5, 1.2),
    )
    volatility_new: float = _volatility(
        0.06, "the volatility of a newcomer", by_factors(0.01, 1.0, 0.03, 0.06, 0.15, 0.4)
    )
    volatility_max: float = _volatility(
        1.0, "the volatility never grows beyond; 1 is 174 rating points a period"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.volatility_new > self.volatility_max:
            raise InputError(
                f"{self.name}: volatility_new must be at most volatility_max, "
                f"not {self.volatility_new:g} with {self.volatility_max:g}."
            )

    @property
    def _tau(self) -> float:
        return self.tau

    def newcomer(self) -> dict[str, float]:
        """The published start."""
        return {**super().newcomer(), "volatility": self.volatility_new}

    def _growth(self, table: NDArray[Any], periods: NDArray[np.int64]) -> Floats:
        """The period that is shown as ended already has its share."""
        grown: Floats = np.maximum(periods - 1, 0) * (kernel.SCALE * table["volatility"]) ** 2
        return grown

    @property
    def _own_settings(self) -> dict[str, float]:
        return {"drift": 0.0, "volatility_max": self.volatility_max}
