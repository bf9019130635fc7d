"""What programs read: times, infinities and what is no number, as JSON can say them."""

import datetime
import math
from collections.abc import Mapping
from typing import Any


def plain(value: Any) -> Any:
    """What JSON can say: times in ISO format, infinity as a text, and null for not a number.

    Example:
        >>> plain({"sigma": float("nan"), "limits": (1.0, float("inf"))})
        {'sigma': None, 'limits': [1.0, 'inf']}
    """
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime.datetime):
        return iso(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, str | int | float | None):
        return value
    return str(value)


def as_document(parts: Mapping[str, Any]) -> dict[str, Any]:
    """An object of JSON: what ``--json`` prints, and a service can return."""
    return {key: plain(value) for key, value in parts.items()}


def iso(time: datetime.datetime) -> str:
    """A moment, which podium keeps in UTC, for programs.

    Example:
        >>> iso(datetime.datetime(2026, 5, 1, 18, 30))
        '2026-05-01T18:30:00Z'
    """
    return f"{time.isoformat()}Z"
