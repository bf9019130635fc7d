"""Finding the parameters with the lowest loss, in few evaluations and without chance."""

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)
_FIRST_STEP = 0.25
_LAST_STEP = 1.0 / 64.0


class Range(NamedTuple):
    """The values that a parameter may have."""

    low: float
    high: float
    logarithmic: bool = False
    """Whether steps are factors."""

    def value(self, place: float) -> float:
        """The value at a place from 0, the lowest, to 1, the highest."""
        value = self.low + (self.high - self.low) * place
        if self.logarithmic:
            value = self.low * math.exp(place * math.log(self.high / self.low))
        return min(max(value, self.low), self.high)

    def place(self, value: float) -> float:
        """Where a value stands; one outside counts as the nearest inside."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def coordinate_search(
    loss: Callable[[dict[str, float]], float],
    ranges: Mapping[str, Range],
    start: Mapping[str, float],
    *,
    evaluations: int = 100,
) -> dict[str, float]:
    """The parameters with the lowest loss that steps along one parameter at a time find.

    From `start`, each parameter in turn goes a quarter of its range up or down if that lowers the
    loss; once no parameter does, steps are halved, down to 1/64. It ends there, or after so many
    evaluations of the loss.

    Example:
        >>> bowl = lambda at: (at["x"] - 3.0) ** 2 + (at["y"] - 5.0) ** 2
        >>> coordinate_search(bowl, {"x": Range(0, 8), "y": Range(0, 8)}, {"x": 0, "y": 0})
        {'x': 3.0, 'y': 5.0}
    """
    known: dict[tuple[float, ...], float] = {}
    names = list(ranges)

    def values(places: tuple[float, ...]) -> dict[str, float]:
        return {name: ranges[name].value(p) for name, p in zip(names, places, strict=True)}

    def at(places: tuple[float, ...]) -> float:
        if places not in known:
            if len(known) == evaluations:
                return math.inf
            known[places] = loss(values(places))
        return known[places]

    best = tuple(ranges[name].place(start[name]) for name in names)
    lowest = at(best)
    step = _FIRST_STEP
    while step >= _LAST_STEP and len(known) < evaluations:
        before = best
        for i in range(len(names)):
            for sign in (1.0, -1.0):
                moved = min(max(best[i] + sign * step, 0.0), 1.0)
                tried = (*best[:i], moved, *best[i + 1 :])
                if at(tried) < lowest:
                    best, lowest = tried, at(tried)
                    break
        if best == before:
            step *= 0.5
    return values(best)


def golden_section(
    function: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """Where a function with one minimum between `low` and `high` is lowest.

    Example:
        >>> round(golden_section(lambda x: (x - 0.3) ** 2, 0.0, 1.0, 1e-4), 3)
        0.3
    """
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    values = [function(x) for x in inner]
    while high - low > tolerance:
        if values[0] <= values[1]:
            high = inner[1]
            inner = [high - _GOLDEN * (high - low), inner[0]]
            values = [function(inner[0]), values[0]]
        else:
            low = inner[0]
            inner = [inner[1], low + _GOLDEN * (high - low)]
            values = [values[1], function(inner[1])]
    return 0.5 * (low + high)
