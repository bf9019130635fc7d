"""Where a function of one number is lowest, in few evaluations and without chance."""

import math
from collections.abc import Callable

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


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
