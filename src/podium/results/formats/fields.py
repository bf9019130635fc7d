"""What came from a site as JSON: fields of the right kind, or a sentence, and its results."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import polars as pl

from podium.errors import InputError, PodiumError
from podium.results.times import to_microseconds
from podium.results.understanding.report import Table
from podium.wording import counted

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
        raise InputError(f"{where}: {key} {_shown(value)} is not a whole number from {low} on.")
    return value


def value_of(where: str, record: Any, key: str) -> Any:
    """The value, of any kind, or None if there is none."""
    if not isinstance(record, dict):
        raise InputError(f"{where}: should be an object, but is {_shown(record)}.")
    return record.get(key)


def text_or_none(where: str, record: Any, key: str) -> str | None:
    """The text, or None if there is none."""
    return None if value_of(where, record, key) is None else str(field(where, record, key, str))


def object_or_empty(where: str, record: Any, key: str) -> dict[str, Any]:
    """The object, or an empty one if there is none."""
    if value_of(where, record, key) is None:
        return {}
    value: dict[str, Any] = field(where, record, key, dict)
    return value


def identifier(where: str, record: Any, key: str) -> str:
    """A number or a text by which something is known."""
    value = record.get(key) if isinstance(record, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | str) or len(_shown(value)) > 200:
        raise InputError(f"{where}: {key} should be a number or a text, but is {_shown(value)}.")
    return str(value)


def number_or_none(where: str, record: Any, key: str) -> float | None:
    """A finite number, also one in a text, or None if there is none."""
    value = value_of(where, record, key)
    if value is None:
        return None
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        number = float(value)
        if not math.isfinite(number):
            raise ValueError
    except (ValueError, OverflowError):
        raise InputError(f"{where}: {key} should be a number, but is {_shown(value)}.") from None
    return number


def unix_time(where: str, record: Any, key: str) -> int:
    """Microseconds since 1970 of a field in unix seconds, of which a part is rounded."""
    value = record.get(key) if isinstance(record, dict) else None
    if not isinstance(value, float):
        value = field(where, record, key, int)
    try:
        return to_microseconds(round(value))
    except (PodiumError, ValueError, OverflowError):  # the latter two: not finite
        raise InputError(f"{where}: {key} {_shown(value)} is not in unix seconds.") from None


def time_or_none(where: str, record: Any, *keys: str) -> int | None:
    """Microseconds since 1970 of the first of the fields that is there, a date or unix seconds."""
    for key in keys:
        value = value_of(where, record, key)
        if isinstance(value, str):
            try:
                return to_microseconds(value.strip())
            except PodiumError:
                raise InputError(f"{where}: {key} {_shown(value)} is not a time.") from None
        if value is not None:
            return unix_time(where, record, key)
    return None


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, list | dict):
        return _KINDS[type(value)]
    try:
        shown = repr(value)
    except ValueError:  # Python writes out no number of 5,000 digits
        return "a number of many digits"
    return shown if len(shown) <= 100 else f"{shown[:99]}…"


class Part(NamedTuple):
    """A file of several that belong together."""

    label: str
    """What messages call it."""
    stem: str
    document: Any


class Result(NamedTuple):
    """A row of standings, and its number where it came from."""

    contest: str | None
    time: int | None
    player: str
    rank: int
    name: str | None
    number: int
    team: str | None = None
    score: float | None = None


class Match(NamedTuple):
    """A row of a match list, and its number where it came from."""

    contest: str
    time: int | None
    player_a: str
    player_b: str
    outcome: float
    score_a: float | None
    score_b: float | None
    name: str | None
    number: int


def best_of_each(results: Iterable[Result]) -> list[Result]:
    """Without those who stand twice in a contest: the better rank counts."""
    best: dict[tuple[str | None, str], Result] = {}
    for result in results:
        who = result.contest, result.player
        if who not in best or result.rank < best[who].rank:
            best[who] = result
    return list(best.values())


def table_of(
    results: list[Result],
    locate: Callable[[str, int], str],
    format: str = "a table",
    assumptions: Iterable[str] = (),
    called: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """One row each, at the first time of its contest; ranks are derived anew from their order."""
    frame = _frame(Result, results).with_columns(
        pl.col("time").min().over("contest"),
        pl.col("rank").rank("min").over("contest").cast(pl.Int64),
    )
    return _table(frame, locate, format, assumptions)._replace(called=called)


def matches_of(
    matches: list[Match],
    locate: Callable[[str, int], str],
    format: str,
    assumptions: Iterable[str] = (),
    called: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """One row each; scores only if every match has both, and otherwise that is said."""
    frame = _frame(Match, matches)
    said = list(assumptions)
    lacking = int((frame["score_a"].is_null() | frame["score_b"].is_null()).sum())
    if lacking:
        frame = frame.drop("score_a", "score_b")
        said += without_scores(lacking, frame.height)
    return _table(frame, locate, format, said)._replace(called=called)


def without_scores(lacking: int, count: int) -> list[str]:
    """What is said if scores are not used because some matches have none."""
    if not 0 < lacking < count:
        return []
    some = f"{lacking:,} of {count:,} matches {'has' if lacking == 1 else 'have'} none"
    return [f"Scores and margins are not used, because {some}."]


def _frame(kind: type[Result] | type[Match], rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    schema: dict[str, Any] = dict.fromkeys(kind._fields, pl.String)
    for name in schema:
        if name in ("time", "rank", "number"):
            schema[name] = pl.Int64
        elif name.startswith(("score", "outcome")):
            schema[name] = pl.Float64
    frame = pl.DataFrame(rows, schema, orient="row").with_columns(
        pl.col("time").cast(pl.Datetime("us"))
    )
    return frame.with_columns(
        whole_if_all(frame[name]) for name in schema if name.startswith("score")
    )


def whole_if_all(scores: pl.Series) -> pl.Series:
    """Scores as whole numbers, if all of them are."""
    is_whole = ((scores == scores.round()) & (scores.abs() < 2**53)).fill_null(True).all()
    return scores.cast(pl.Int64) if is_whole else scores


def _table(
    frame: pl.DataFrame,
    locate: Callable[[str, int], str],
    format: str,
    assumptions: Iterable[str],
) -> Table:
    contests, numbers = frame["contest"], frame["number"]
    return Table(
        frame.drop("number"),
        lambda row: locate(contests[row], numbers[row]),
        format,
        tuple(assumptions),
    )


def left_out(count: int, what: str, why: str = "") -> list[str]:
    """A sentence on what was left out, if anything was.

    Example:
        >>> left_out(2, "match", " without a result")
        ['2 matches without a result are left out.']
    """
    if not count:
        return []
    things = counted(count, what).replace("matchs", "matches")
    return [f"{things}{why} {'is' if count == 1 else 'are'} left out."]
