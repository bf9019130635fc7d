"""Arguments that are numbers, and the sentences about those that cannot be right."""

import math
import numbers
from collections.abc import Collection

from podium.errors import InputError
from podium.wording import suggestion


def check_whole(low: int, /, **values: int) -> None:
    """Raise unless the values, by name, are whole numbers that are not too low."""
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < low:
            raise InputError(f"{name} must be a whole number of at least {low}, not {value!r}.")


def check_number(low: float, high: float = math.inf, /, **values: float) -> None:
    """Raise unless the values, by name, are finite numbers in this range."""
    wanted = "a finite number" if low == -math.inf else f"a finite number of at least {_plain(low)}"
    if high < math.inf:
        wanted = f"a number from {_plain(low)} to {_plain(high)}"
    for name, value in values.items():
        usable = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not usable or not math.isfinite(value) or not low <= value <= high:
            raise InputError(f"{name} must be {wanted}, not {value!r}.")


def _plain(number: float) -> str:
    """A limit as it is written: 1,000,000 and 0.001, not 1e+06 and 1e-03."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:g}"


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Raise unless the value is one of these words."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(
            f"{name} must be one of {', '.join(choices)}, not {value!r}"
            f"{suggestion(value, choices)}."
        )
