"""How sure predictions should be: one temperature, learned from results as they come.

A system may order players well and yet be far too sure of its favourites, or not sure enough,
because its scale does not fit the data. The differences between ratings are then multiplied by a
temperature, above 1 for surer predictions. All else stays as the system has it: how performances
scatter, how often equals draw, what a side is worth. It is learned from all contests in order, each
time after a contest has been predicted, so that nothing comes from the future.

What one pair of each participant says is added up, until there are enough of them; then the
logarithm of the temperature moves by one step of Newton's method. What was seen long ago counts
less: a pair as the square of its place in the history, so that the last fifth says half of all.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.numerics import temperature as kernel
from podium.results.columns import Columns
from podium.systems.base import Field, Floats, System

_PRIOR = 50.0
"""As much is known at the start as some two hundred pairs tell."""
_ENOUGH = 64
_PART = 32
"""Pairs that move the temperature: so many, or so small a part of all that were seen."""
_KEPT = 1.0 - 2.0 / _PART
"""Of what earlier pairs said, with every move."""
_STEP = 0.05
"""By how much the logarithm differs where chances are compared."""
_FARTHEST, _FARTHEST_SURE = 1.0, 4.0
"""The most that it moves at once, and where all pairs were beyond what chances can say."""
_RANGE = (math.log(1e-4), math.log(1e4))


class Before(NamedTuple):
    """What was believed of the competitors of contests just before each of them."""

    system: System
    columns: Columns
    """One row for each competitor."""
    field: Field
    expected: Floats | None
    """What was expected of the first of every two, where that is more than mu and sigma say."""

    def scores(
        self, contest: NDArray[np.int64], a: NDArray[np.int64], b: NDArray[np.int64]
    ) -> Floats:
        """What a scored against b: 1 if ahead, ½ if tied, 0 if behind, or as was given."""
        lead = self.columns.rank[b].astype(np.int64) - self.columns.rank[a]
        by_rank: Floats = 0.5 + 0.5 * np.sign(lead)
        if self.columns.score is None:
            return by_rank
        given = self.columns.score[contest]
        return np.where(np.isnan(given), by_rank, given)

    def expected_scores(
        self,
        contest: NDArray[np.int64],
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        *temperatures: float | Floats | None,
    ) -> list[Floats]:
        """What a was expected to score against b, at each of these temperatures.

        One that all pairs share, one for each pair, or None for what the system says itself.
        """
        if self.expected is not None:
            own = self.expected[contest]
            return [
                own if each is None else kernel.tempered(own, each * np.ones(len(own)))
                for each in temperatures
            ]
        side = np.zeros(len(a))
        if self.columns.side is not None:
            side = 0.5 * (self.columns.side[a].astype(np.float64) - self.columns.side[b])
        met = self.field.among(a), self.field.among(b), side
        return [
            self.system.expected_scores(*met)
            if each is None
            else self.system.tempered_scores(*met, each)
            for each in temperatures
        ]


@dataclasses.dataclass(frozen=True)
class Calibration:
    """What is known of the temperature after some contests; it is learned on from there."""

    logarithm: float = 0.0
    """Of the temperature."""
    information: float = _PRIOR
    """How much is known of it."""
    contests: int = 0
    pairs: int = 0
    """How many were seen, but for those that wait."""
    waiting: int = 0
    """Pairs since the last move."""
    slope: float = 0.0
    curvature: float = 0.0
    sure: float = 0.0
    """What they say; see `podium.numerics.temperature.add_up_evidence`."""

    @property
    def temperature(self) -> float:
        """By what differences between ratings are multiplied."""
        return math.exp(self.logarithm)

    def after(
        self, before: Before, key: NDArray[np.integer], base: Floats | None = None
    ) -> "tuple[Calibration, Floats]":
        """What is known after contests, and the temperature just before each of them.

        Whom the competitors of a contest are compared with, their keys say, which must not depend
        on the result. Where every contest has a temperature already, its `base`, what is learned
        is by what to multiply that.
        """
        offsets = before.columns.offsets
        a, b, ends = kernel.partners(offsets, key, self.contests)
        contest = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        temperatures = np.empty(len(ends))
        state, first, done = self, 0, 0
        while first < len(ends):
            goal = done + state._enough - state.waiting
            last = min(int(np.searchsorted(ends, goal)) + 1, len(ends))
            temperatures[first:last] = state.temperature
            pairs = slice(done, int(ends[last - 1]))
            own = 1.0 if base is None else base[contest[pairs]]
            state = state._told(before, contest[pairs], a[pairs], b[pairs], own)
            state = dataclasses.replace(state, contests=state.contests + last - first)
            first, done = last, pairs.stop
        return state, temperatures if base is None else base * temperatures

    @property
    def _enough(self) -> int:
        """Pairs after which the temperature moves."""
        return max(_ENOUGH, self.pairs // _PART)

    def _told(
        self,
        before: Before,
        contest: NDArray[np.int64],
        a: NDArray[np.int64],
        b: NDArray[np.int64],
        base: float | Floats,
    ) -> "Calibration":
        """With what pairs say that move it at most once."""
        either = (base * math.exp(self.logarithm + step) for step in (_STEP, -_STEP))
        above, below = before.expected_scores(contest, a, b, *either)
        sums = np.array((self.slope, self.curvature, self.sure))
        kernel.add_up_evidence(before.scores(contest, a, b), above, below, _STEP, sums)
        slope, curvature, sure = sums.tolist()
        waiting = self.waiting + len(a)
        told = dataclasses.replace(
            self, waiting=waiting, slope=slope, curvature=curvature, sure=sure
        )
        return told if waiting < self._enough else told._moved()

    def _moved(self) -> "Calibration":
        """One step of Newton's method, and not too far."""
        information = _KEPT * self.information + self.curvature
        farthest = _FARTHEST + (_FARTHEST_SURE - _FARTHEST) * self.sure / self.waiting
        step = min(max(self.slope / information, -farthest), farthest)
        logarithm = min(max(self.logarithm + step, _RANGE[0]), _RANGE[1])
        return Calibration(logarithm, information, self.contests, self.pairs + self.waiting)

    def stored(self) -> list[float]:
        """As a file has it, exactly."""
        return list(dataclasses.astuple(self))

    @classmethod
    def restored(cls, stored: object) -> "Calibration":
        """What `stored` gave; a `ValueError` or `TypeError` if it cannot be."""
        if not isinstance(stored, list):
            raise TypeError("a calibration is a list of numbers")
        found = cls(*stored)
        for field in dataclasses.fields(cls):
            if type(getattr(found, field.name)) is not field.type:
                raise TypeError(f"{field.name} is of another type")
        numbers = dataclasses.astuple(found)
        sound = all(map(math.isfinite, numbers)) and min(numbers[1:5] + numbers[6:]) >= 0
        if not sound or not _RANGE[0] <= found.logarithm <= _RANGE[1] or not found.information:
            raise ValueError("a number is out of range")
        return found
