"""Scales, and where the marks on their axes are: round numbers, and dates that people use."""

import math
from dataclasses import dataclass

from podium.web.charts.lettering import MONTHS, moment, number, seconds

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_EVEN = (
    *(each * _MINUTE for each in (1, 5, 15, 30)),
    *(each * _HOUR for each in (1, 3, 6, 12)),
    *(each * _DAY for each in (1, 2, 7, 14)),
)
"""Steps in seconds that are always the same, up to two weeks."""
_MONTHLY = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24_000)
"""Longer ones, in months."""
_MONTH = 30.4369 * _DAY


@dataclass(frozen=True)
class Scale:
    """Numbers from one end of an axis to the other."""

    low: float
    high: float

    def __call__(self, value: float) -> float:
        """Where a number is: 0 at the low end, 1 at the high one."""
        return (value - self.low) / (self.high - self.low)

    def holds(self, value: float) -> bool:
        """Whether it is between the ends."""
        return self.low <= value <= self.high


def around(values: list[float], *, margin: float, least: float) -> Scale:
    """A scale that holds all values, with a margin at both ends.

    Args:
        values: At least one.
        margin: The part of the width that is added at each end.
        least: How wide it is at least.
    """
    low, high = min(values), max(values)
    pad = max(margin * (high - low), (least - (high - low)) / 2, abs(high) * 1e-9, abs(low) * 1e-9)
    return Scale(low - pad, high + pad)


def number_ticks(scale: Scale, most: int) -> list[tuple[float, str]]:
    """Round numbers on an axis and how they are written, at most so many and one.

    Example:
        >>> number_ticks(Scale(1388.0, 1590.0), 3)
        [(1400.0, '1,400'), (1500.0, '1,500')]
    """
    rough = (scale.high - scale.low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1.0, 2.0, 5.0, 10.0) if each * power >= rough * 0.999)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(scale.low / step), math.floor(scale.high / step)
    return [(each * step, number(each * step, digits)) for each in range(first, last + 1)]


def date_ticks(scale: Scale, most: int) -> list[tuple[float, str]]:
    """Dates on an axis and how they are written, at most so many and one.

    Example:
        >>> first, last = seconds("2025-11-20T00:00:00Z"), seconds("2026-03-10T00:00:00Z")
        >>> [label for _, label in date_ticks(Scale(first, last), 5)]
        ['Dec 2025', 'Jan 2026', 'Feb', 'Mar']
    """
    rough = (scale.high - scale.low) / most
    for step in _EVEN:
        if step >= rough:
            return _even_ticks(scale, step)
    months = next((each for each in _MONTHLY if each * _MONTH >= rough * 0.999), _MONTHLY[-1])
    return _monthly_ticks(scale, months)


def _even_ticks(scale: Scale, step: int) -> list[tuple[float, str]]:
    monday = 4 * _DAY if step >= 7 * _DAY else 0  # 1970 began on a Thursday
    ticks: list[tuple[float, str]] = []
    seen = None
    for count in range(
        math.ceil((scale.low - monday) / step), math.floor((scale.high - monday) / step) + 1
    ):
        since = count * step + monday
        date = moment(since)
        label = f"{date.hour:02}:{date.minute:02}"
        if step >= _DAY or (date.hour == date.minute == 0):
            label = f"{date.day} {MONTHS[date.month - 1]}"
            if seen != date.year:
                label, seen = f"{label} {date.year}", date.year
        ticks.append((since, label))
    return ticks


def _monthly_ticks(scale: Scale, months: int) -> list[tuple[float, str]]:
    begin, end = moment(scale.low), moment(scale.high)
    first = -(-(begin.year * 12 + begin.month - 1) // months) * months
    ticks: list[tuple[float, str]] = []
    seen = None
    for count in range(first, min(end.year * 12 + end.month, 9999 * 12), months):
        year, month = divmod(count, 12)
        since = seconds(f"{year:04}-{month + 1:02}-01T00:00:00")
        if year >= 1 and scale.holds(since):
            label = str(year) if months >= 12 else MONTHS[month]
            if months < 12 and seen != year:
                label, seen = f"{label} {year}", year
            ticks.append((since, label))
    return ticks
