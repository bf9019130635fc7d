"""Glicko: Elo with an uncertainty for every rating, which grows with absence.

Choose Glicko for matches of two, with draws, when players come and go: those of whom little is
known move fast, and move their opponents little. It knows rating periods. Contests
of more players count as one game, the mean of the games of all pairs, or as all these games.

Example:
    >>> import podium
    >>> ladder = podium.Ladder("glicko", period_days=30)
    >>> ladder.record(["ann", "bob"], time="2026-05-01")
    >>> ladder.record([("ann", "cat")], time="2026-05-04")
    >>> round(ladder["ann"].mu), round(ladder["ann"].sigma)
    (1624, 253)

Reference: Mark E. Glickman, *Parameter estimation in large dynamic paired comparison experiments*,
Applied Statistics 48 (1999), 377-394, https://doi.org/10.1111/1467-9876.00159; with the
worked example in his *The Glicko system*, http://www.glicko.net/glicko/glicko.pdf.
"""

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.numerics import fields, pair_sums
from podium.numerics import glicko as kernel
from podium.numerics.columns import MICROSECONDS_PER_DAY
from podium.numerics.threads import in_chunks
from podium.systems import declared, places
from podium.systems.base import (
    ANY,
    BASE_FIELDS,
    NOT_NEGATIVE,
    Field,
    Floats,
    IfPlaced,
    Performances,
    parameter,
)
from podium.systems.compiled import Compiled, Rows
from podium.systems.explained import LESS_CERTAIN, Phrases
from podium.systems.search import by_factors

if TYPE_CHECKING:
    from podium.ratings.beliefs import Beliefs
    from podium.results.columns import Columns

_FORMS = {"mean": kernel.MEAN, "sum": kernel.SUM, "one-match": kernel.ONE_MATCH}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Periodic(declared.Cautious, Compiled):
    """What Glicko and Glicko-2 have in common: rating periods, and contests as games of all pairs.

    A contest of weight w counts as w games with the same result.
    """

    kernel: ClassVar[Any] = kernel
    phrases: ClassVar[Phrases] = Phrases(no_limits=LESS_CERTAIN)
    counts_draws_half: ClassVar[bool] = True
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {
        "sigma_start": NOT_NEGATIVE,
        "information": NOT_NEGATIVE,
        "volatility": NOT_NEGATIVE,
        "volatility_start": NOT_NEGATIVE,
        **dict.fromkeys(("mu_start", "gradient"), ANY),
    }
    lasting: ClassVar[tuple[str, ...]] = ("period",)
    on_reset: ClassVar[str] = (
        "Mu and sigma move. An open rating period ends with it: contests of the same period go on "
        "from the new numbers."
    )
    on_start: ClassVar[str] = (
        "The player is a newcomer of that mu and sigma, from now on and not from the start of an "
        "open rating period."
    )

    period_days: float = declared.period_days("contest")
    drift_per_day: float = declared.drift_per_day(
        meaning="without rating periods: variance that skill gains per day between contests"
    )
    contest: str = declared.contest()
    mu_new: float = declared.mu_new()
    sigma_new: float = declared.sigma_new(
        high=1e4, search=by_factors(100.0, 1000.0, 200.0, 350.0, 600.0)
    )
    sigma_min: float = parameter(
        0.0, "uncertainty never falls below; Glickman suggests 30", low=0.0, high=1e4
    )
    sigma_max: float | None = parameter(
        None,
        "uncertainty never grows beyond; by default, that of a newcomer",
        kind=float,
        low=1e-3,
        infinite=True,
    )
    caution: float = declared.caution(0.0, high=1e3)

    def __post_init__(self) -> None:
        super().__post_init__()
        declared.refuse_short_periods(self, self.period_days)
        if self.period_days > 0.0 and self.drift_per_day > 0.0:
            raise InputError(
                f"{self.name}: drift_per_day is for contests without rating periods; "
                f"with period_days={self.period_days:g}, skill drifts from period to period."
            )
        if not self.sigma_min <= self.sigma_new <= self._ceiling:
            raise InputError(
                f"{self.name}: sigma_new must lie between sigma_min and sigma_max, "
                f"not {self.sigma_new:g} with {self.sigma_min:g} and {self._ceiling:g}."
            )

    @property
    @abstractmethod
    def _tau(self) -> float | None:
        """Glicko-2's constant; None for Glicko."""

    @property
    def _ceiling(self) -> float:
        return self.sigma_new if self.sigma_max is None else self.sigma_max

    @property
    def _period(self) -> int:
        """In microseconds."""
        return round(self.period_days * MICROSECONDS_PER_DAY)

    @abstractmethod
    def _growth(self, table: NDArray[Any], periods: NDArray[np.int64]) -> Floats:
        """The variance that so many new rating periods bring."""

    def move(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """With what an open rating period has begun with."""
        super().move(beliefs, players, mu, sigma)
        self._close(beliefs.table, players)

    def start(
        self, beliefs: "Beliefs", players: NDArray[np.int64], mu: Floats, sigma: Floats
    ) -> None:
        """In the rating period of the last contest, if there was one."""
        super().start(beliefs, players, mu, sigma)
        self._close(beliefs.table, players)

    def _close(self, table: NDArray[Any], players: NDArray[np.int64]) -> None:
        """Let the rating period of these players go on from what is believed, as if it began."""
        played = players[table["contests"][players] > 0]
        for name in ("mu", "sigma", "volatility"):
            if name in (table.dtype.names or ()):
                table[f"{name}_start"][played] = table[name][played]
        table["information"][played] = table["gradient"][played] = 0.0

    def _refuse_newcomer(self, mu: float | None, sigma: float | None) -> None:
        super()._refuse_newcomer(mu, sigma)
        if sigma is not None and sigma > self._ceiling:
            raise InputError(
                f"no player can begin there: {self.name} knows no sigma above {self._ceiling:g}, "
                f"which {sigma:g} is; sigma_max raises that."
            )

    def begin_time(self, beliefs: "Beliefs", time: int) -> None:
        """In one rating period with the first contest that has a time."""
        super().begin_time(beliefs, time)
        if self._period > 0:
            table = beliefs.table[: len(beliefs)]
            table["period"][table["contests"] > 0] = time // self._period

    def flaw(self, beliefs: "Beliefs") -> str | None:
        """The rating period too."""
        table = beliefs.table[: len(beliefs)]
        if self._period > 0:
            played = table["contests"] > 0
            if (table["period"] != table["last_time"] // self._period)[played].any():
                return "a rating period is not that of the last contest"
        return super().flaw(beliefs)

    def aged(
        self, beliefs: "Beliefs", players: "NDArray[Any] | slice", time: int | None = None
    ) -> tuple[Floats, Floats]:
        """Uncertainty grows with the rating periods, or days, that have passed."""
        mu, sigma = super().aged(beliefs, players)
        if time is None:
            return mu, sigma
        table = beliefs.table[players]
        played = table["contests"] > 0
        if self._period > 0:
            passed = time // self._period - table["period"]
            growth = self._growth(table, np.where(played, np.maximum(passed, 0), 0))
        else:
            days = (time - table["last_time"]) / MICROSECONDS_PER_DAY
            growth = self.drift_per_day * np.where(played, np.maximum(days, 0.0), 0.0)
        return mu, np.minimum(np.sqrt(sigma * sigma + growth), self._ceiling)

    def performances(self, field: Field) -> Performances:
        """Two compare by Glickman's formula for expected scores, with both uncertainties."""
        scale = np.sqrt(0.5 * kernel.SCALE**2 + 3.0 / math.pi**2 * field.variance)
        return Performances(fields.LOGISTIC, field.mu, scale)

    def _besides(self, columns: "Columns", first: int, last: int) -> tuple[Any, ...]:
        return ()

    def if_placed(self, beliefs: "Beliefs", columns: "Columns", row: int) -> IfPlaced:
        """Only who of the opponents has been beaten changes with the place."""
        players, _, time, weight, _ = Rows.of(columns, 0)
        n, state, settings = len(players), beliefs.copy(), self._settings
        prior, seen = np.empty((2, n)), places.events(n)
        kernel.prepare(state.table, *settings, players, time, 0, n, prior, seen)
        expected, slope = pair_sums.direct(prior[0], prior[1], prior[0, row])
        beaten = np.append(1.0 / np.delete(prior[1], row), 0.5 / prior[1, row])
        gradient = np.cumsum(beaten[::-1])[::-1] - expected
        table, ids = places.copies(state, int(players[row]), n)
        own = np.repeat(prior[:, row : row + 1], n, axis=1)
        happened = places.events(n)
        happened[:] = seen[:, row : row + 1]
        kernel.conclude(
            table, *settings, ids, time, weight, 0, n, own, gradient, np.full(n, slope), happened
        )
        return lambda ahead: happened[:, ahead]

    def fold_large(
        self, beliefs: "Beliefs", columns: "Columns", contest: int, seen: Floats, threads: int
    ) -> None:
        """One contest with threads sharing the sums over opponents."""
        players, ranks, time, weight, _ = Rows.of(columns, contest)
        n, state = len(players), (beliefs.table, *self._settings, players, time)
        prior, value, slope = np.empty((2, n)), np.empty(n), np.empty(n)

        def prepare(first: int, last: int) -> None:
            kernel.prepare(*state, first, last, prior, seen)

        def conclude(first: int, last: int) -> None:
            kernel.conclude(*state, weight, first, last, prior, value, slope, seen)

        in_chunks(prepare, n, threads)
        pair_sums.at_own_ratings_in_threads(prior[0], prior[1], value, slope, threads)
        kernel.to_gradients(prior[1], ranks, value)
        in_chunks(conclude, n, threads)

    @property
    @abstractmethod
    def _own_settings(self) -> dict[str, float]:
        """Those of the settings that only one of the two has."""

    @cached_property
    def _settings(self) -> tuple[NDArray[Any], float | None]:
        settings = self._record(
            period=self._period,
            sigma_max=self._ceiling,
            form=_FORMS[self.contest],
            **self._own_settings,
        )
        return settings, self._tau


@dataclasses.dataclass(frozen=True, kw_only=True)
class Glicko(Periodic):
    """Matches with draws and absences: Elo with an uncertainty, in rating periods if you like.

    All games of a rating period are judged by the ratings at its start, and its end is shown as
    if it came now. From period to period the uncertainty grows by `drift`; without
    periods, before every contest that one takes part in, and by `drift_per_day` with time.

    `contest` says what a contest of more than two counts: "mean", as one game whose result is the
    mean over all opponents; "sum", as a game against everyone by the published formulas, which
    are far too certain, and then far off, after contests of hundreds; "one-match", as the
    authors of Elo-MMR had it.

    A predicted win counts a draw as half.
    """

    name: ClassVar[str] = "glicko"
    reference: ClassVar[str] = (
        "Glickman, Parameter estimation in large dynamic paired comparison experiments, 1999, "
        "doi.org/10.1111/1467-9876.00159"
    )
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]

    drift: float = parameter(
        34.6,
        "the standard deviation that skill gains per rating period, or per contest without them",
        low=0.0,
        high=1e4,
        search=by_factors(2.0, 300.0, 10.0, 20.0, 35.0, 70.0, 140.0),
    )
    contest: str = declared.contest(
        f"{declared.MEAN_OR_SUM}; one-match, as in the comparisons of the Elo-MMR paper",
        tuple(_FORMS),
    )

    @property
    def looks_at(self) -> tuple[str, ...] | None:
        """Mean and deviation; in rating periods, also what has come together since their start."""
        return declared.moments(self) if self._period == 0 else None

    @property
    def _tau(self) -> None:
        return None

    def _growth(self, table: NDArray[Any], periods: NDArray[np.int64]) -> Floats:
        grown: Floats = periods.astype(np.float64) * self.drift**2
        return grown

    def performances(self, field: Field) -> Performances:
        """With the drift of the contest to come, if every contest is a rating period."""
        if self._period == 0:
            grown = np.minimum(field.variance + self.drift**2, self._ceiling**2)
            field = field._replace(variance=grown)
        return super().performances(field)

    @property
    def _own_settings(self) -> dict[str, float]:
        return {"drift": self.drift**2, "volatility_max": 0.0}
