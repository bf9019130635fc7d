"""Where tuning looks for the value of a parameter: declared with the parameter itself."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from podium.errors import InputError


@dataclass(frozen=True)
class Between:
    """Any number between two.

    Example:
        >>> Between(1.0, 16.0, log=True).grid
        (1.0, 2.0, 4.0, 8.0, 16.0)
    """

    low: float
    high: float
    log: bool = False
    """Whether a factor matters, and not a difference."""
    whole: bool = False
    grid: tuple[float, ...] = ()
    """What a grid tries, which may lie outside: by default, five numbers at equal distances."""
    needs: str = ""
    """The column of contests without which the parameter changes nothing."""

    _STEPS: ClassVar[int] = 4

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(
                f"a search goes from one finite number to a higher one, "
                f"not from {self.low!r} to {self.high!r}."
            )
        if self.log and self.low <= 0.0:
            raise InputError(f"a search by factors cannot begin at {self.low!r}.")
        if not self.grid:
            places = [step / self._STEPS for step in range(self._STEPS + 1)]
            values = dict.fromkeys(self.at(place) for place in places)
            object.__setattr__(self, "grid", tuple(values))

    def at(self, place: float) -> float:
        """The value at a place from 0, the lowest, to 1, the highest; rounded."""
        if self.log:
            return self.rounded(self.low * math.pow(self.high / self.low, place))
        return self.rounded(self.low + (self.high - self.low) * place)

    def rounded(self, value: float) -> float:
        """The value in four digits, so that people can write it down, or as a whole number."""
        short = round(value) if self.whole else float(f"{value:.4g}")
        return min(max(short, self.low), self.high)


def by_factors(low: float, high: float, *grid: float) -> Between:
    """Numbers of which a factor matters; a grid tries those that follow.

    Example:
        >>> by_factors(2.0, 500.0, 16.0, 32.0, 64.0).grid
        (16.0, 32.0, 64.0)
    """
    return Between(low, high, log=True, grid=grid)


@dataclass(frozen=True)
class OneOf:
    """One of a few values."""

    values: tuple[Any, ...]
    needs: str = ""
    """The column of contests without which the parameter changes nothing."""

    @property
    def grid(self) -> tuple[Any, ...]:
        """What a grid tries: all of them."""
        return self.values


Search = Between | OneOf
