"""Podium's own model (prototype)."""

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.numerics import crew, fields, roots
from podium.numerics import podium as kernel
from podium.systems import declared
from podium.systems.base import BASE_FIELDS, NOBODY_ASKS, Field, Floats, Performances, parameter
from podium.systems.compiled import Compiled

_NO_SIDES = np.empty(0, np.int8)
_UNASKED = np.empty((2, 0))


@dataclasses.dataclass(frozen=True, kw_only=True)
class Podium(Compiled):
    """Contests of any size: forecasts that know what experience, absence and practice do."""

    name: ClassVar[str] = "podium"
    table_fields: ClassVar[list[tuple[str, str]]] = [*BASE_FIELDS, *kernel.FIELDS]
    kernel: ClassVar[Any] = kernel
    counts_draws_half: ClassVar[bool] = True

    beta: float = declared.positive(200.0, "how performances scatter around skill")
    noise: float = parameter(20.0, "what a contest adds to the deviation", low=0.0)
    drift_per_day: float = parameter(1.24, "variance per day", low=0.0)
    drift_new: float = parameter(43.0, "variance per day of newcomers", low=0.0)
    robustness: float = parameter(4.0, "rho of robust steps", low=0.1)
    forgetting: float = parameter(0.01, "forgetting of shared sums", low=0.0)
    split_ties: bool = parameter(False, "count a tie as half a win and half a loss")
    mu_new: float = declared.mu_new()
    sigma_new: float = declared.sigma_new()

    def new_shared(self) -> Floats:
        return kernel.new_shared(self.mu_new)

    @cached_property
    def _settings(self):
        return (self._record(mean=True),)

    def _fold(self, beliefs, columns, events, forecasts, first, last, threads):
        end = len(columns.offsets) - 1 if last is None else last
        if first == end:
            return
        largest = int(np.diff(columns.offsets[first : end + 1]).max())
        c = columns
        side = _NO_SIDES if c.side is None else c.side
        arguments = (
            beliefs.table, beliefs.shared, *self._settings, c.offsets, c.player, side,
            np.empty(0), c.time, c.weight, c.perf_ceiling, c.offsets, c.rank,
            np.empty(0, np.int32), first, end,
            NOBODY_ASKS if events is None else events, forecasts,
            roots.room_for(largest), kernel.room_for(largest),
        )
        crew.run(kernel.fold_contests, arguments, threads if largest > 256 else 1)

    def update_many(self, beliefs, columns, events=None, *, first=0, last=None, threads=1):
        self._fold(beliefs, columns, events, _UNASKED, first, last, threads)

    def fold(self, beliefs, columns, first, last, events):
        self._fold(beliefs, columns, events, _UNASKED, first, last, 1)
        return last

    def beliefs_before(self, beliefs, columns, events, *, first=0, last=None, threads=1):
        end = len(columns.offsets) - 1 if last is None else last
        told = np.empty((2, len(columns.player)))
        self._fold(beliefs, columns, events, told, first, end, threads)
        rows = slice(columns.offsets[first], columns.offsets[end])
        return told[0, rows], told[1, rows]

    def performances(self, field: Field) -> Performances:
        return Performances(fields.LOGISTIC, field.mu, np.sqrt(field.variance) * np.sqrt(3.0) / np.pi)

    def expected_scores(self, first: Field, second: Field, side: Floats) -> Floats:
        z = (np.pi / np.sqrt(3.0)) * (first.mu - second.mu) / np.sqrt(first.variance + second.variance)
        return 1.0 / (1.0 + np.exp(-np.clip(z, -700.0, 700.0)))

    def chances(self, field: Field, side: int = 0) -> tuple[float, float]:
        pair = [field.among(slice(k, k + 1)) for k in (0, 1)]
        return float(self.expected_scores(*pair, np.zeros(1))[0]), 0.0
