"""What came from a site as JSON: fields of the right kind, or a sentence, and its results."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import polars as pl

from podium.errors import InputError, PodiumError
from podium.results.formats.selection import Table
from podium.results.times import to_microseconds

_KINDS = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}


def field(where: str, record: Any, key: str, kind: type) -> Any:
    """The value, which is of the kind; a truth value is not a number."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{where}: {key} should be {_KINDS[kind]}, but is {_shown(value)}.")
    return value


def whole_number(where: str, record: Any, key: str, low: int) -> int:
    """The value, a number of 32 bits that is not too low."""
    value: int = field(where, record, key, int)
    if not low <= value < 2**31:
        raise InputError(f"{where}: {key} {value} is not a whole number from {low} on.")
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


class Result(NamedTuple):
    """A row of the table, and its number where it came from."""

    contest: str
    time: int
    player: str
    rank: int
    name: str | None
    number: int
    team: str | None = None


def best_of_each(results: Iterable[Result]) -> list[Result]:
    """Without those who stand twice in a contest: the better rank counts."""
    best: dict[tuple[str, str], Result] = {}
    for result in results:
        who = result.contest, result.player
        if who not in best or result.rank < best[who].rank:
            best[who] = result
    return list(best.values())


def table_of(results: list[Result], locate: Callable[[str, int], str]) -> Table:
    """One row each, at the first time of its contest; ranks are derived anew from their order."""
    types = dict.fromkeys(Result._fields, pl.String)
    schema = types | dict.fromkeys(("time", "rank", "number"), pl.Int64)
    frame = pl.DataFrame(results, schema, orient="row").with_columns(
        pl.col("time").min().over("contest").cast(pl.Datetime("us")),
        pl.col("rank").rank("min").over("contest").cast(pl.Int64),
    )
    contests, numbers = frame["contest"], frame["number"]
    return Table(frame.drop("number"), lambda row: locate(contests[row], numbers[row]))
