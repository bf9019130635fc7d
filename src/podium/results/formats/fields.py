"""Fields of JSON objects that came from a site: of the right kind, or a sentence."""

from typing import Any

from podium.errors import InputError, PodiumError
from podium.results.times import to_microseconds

_KINDS = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def field(where: str, record: Any, key: str, kind: type) -> Any:
    """The value, which is of the kind; a truth value is not a number."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{where}: {key} should be {_KINDS[kind]}, but is {_shown(value)}.")
    return value


def text_or_none(where: str, record: dict[str, Any], key: str) -> str | None:
    """The text, or None if there is none."""
    return None if record.get(key) is None else str(field(where, record, key, str))


def unix_time(where: str, record: Any, key: str) -> int:
    """Microseconds since 1970 of a field in unix seconds, of which a part is rounded."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, float):
        value = field(where, record, key, int)
    try:
        return to_microseconds(round(value))
    except (PodiumError, ValueError, OverflowError):  # the latter two: not finite
        raise InputError(f"{where}: {key} {value} is not in unix seconds.") from None


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return _KINDS[type(value)] if isinstance(value, list | dict) else repr(value)
