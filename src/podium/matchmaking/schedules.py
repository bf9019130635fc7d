"""Tolerances that widen with waiting: points of seconds and values, straight lines between them."""

import itertools
import numbers
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A number that depends on how long somebody has waited.

    Before the first point it is that of the first, and after the last that of the last.

    Example:
        >>> Schedule(((0, 0.6), (60, 0.75))).at(30)
        0.675
        >>> Schedule.of(0.9).at(1000)
        0.9
    """

    points: tuple[tuple[float, float], ...]
    """Seconds of waiting, and the value from then on."""

    @classmethod
    def of(cls, said: Any) -> "Schedule":
        """What a number says, or a list of pairs of seconds and numbers; an error if neither.

        Example:
            >>> Schedule.of([[0, 50], [30, 120]])
            Schedule(points=((0.0, 50.0), (30.0, 120.0)))
        """
        if isinstance(said, Schedule):
            return said
        if _is_number(said):
            return cls(((0.0, float(said)),))
        pairs = said if isinstance(said, Sequence) and not isinstance(said, str) else ()
        good = [
            isinstance(pair, Sequence) and len(pair) == 2 and all(_is_number(each) for each in pair)
            for pair in pairs
        ]
        if not good or not all(good):
            raise InputError(
                f"must be a number, or a list of [seconds, number] such as [[0, 0.6], [60, 0.75]], "
                f"not {said!r}."
            )
        points = tuple((float(seconds), float(value)) for seconds, value in pairs)
        seconds = [point[0] for point in points]
        if seconds[0] < 0.0 or any(one >= two for one, two in itertools.pairwise(seconds)):
            raise InputError(f"must have seconds from 0 on that rise, not {said!r}.")
        return cls(points)

    @property
    def start(self) -> float:
        """What holds for who has just come."""
        return self.points[0][1]

    def at(self, seconds: float) -> float:
        """What holds after so many seconds of waiting."""
        return float(self.after(np.array((seconds,)))[0])

    def after(self, seconds: Floats) -> Floats:
        """What holds after each of these waits."""
        when, value = zip(*self.points, strict=True)
        found: Floats = np.interp(seconds, when, value)
        return found

    def reaches(self, value: float) -> float | None:
        """After how many seconds it is as wide as this; None if never.

        Example:
            >>> Schedule(((0, 40), (60, 100))).reaches(70)
            30.0
        """
        rises = self.points[-1][1] >= self.start
        sign = 1.0 if rises else -1.0
        if sign * self.start >= sign * value:
            return 0.0
        for (before, low), (then, high) in itertools.pairwise(self.points):
            if sign * high >= sign * value:
                return before + (then - before) * (value - low) / (high - low)
        return None

    def refuse(self, low: float, high: float, *, rises: bool) -> None:
        """Raise unless values are in a range, and waiting widens what is allowed."""
        values = [value for _, value in self.points]
        for value in values:
            if not low <= value <= high:
                raise InputError(f"must be from {low:g} to {high:g}, not {value:g}.")
        steps = itertools.pairwise(values)
        if any((two < one) if rises else (two > one) for one, two in steps):
            word = "rise" if rises else "fall"
            raise InputError(
                f"must {word} with waiting, or stay, so that waiting never narrows what is "
                f"allowed; {values} does not."
            )

    def said(self) -> float | list[list[float]]:
        """As a file of rules says it."""
        return self.start if len(self.points) == 1 else [list(point) for point in self.points]


def _is_number(value: Any) -> bool:
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return number and abs(value) <= sys.float_info.max
