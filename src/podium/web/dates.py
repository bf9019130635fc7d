"""Dates as people write them into addresses."""

import datetime
import re

from podium.results.times import from_microseconds, to_microseconds

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def moment(at: str | None) -> datetime.datetime | None:
    """When a text says, in UTC: of a day its last moment, so that its contests are part of it.

    Example:
        >>> moment("2025-12-31").isoformat(), moment("2025-12-31T12:00:00").isoformat()
        ('2025-12-31T23:59:59.999999', '2025-12-31T12:00:00')
    """
    if at is None:
        return None
    found = from_microseconds(to_microseconds(at))
    if _DAY.fullmatch(at):
        return datetime.datetime.combine(found.date(), datetime.time.max)
    return found
