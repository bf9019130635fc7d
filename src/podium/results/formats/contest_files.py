"""Contest files as Elo-MMR's reference implementation keeps them: one JSON file for each contest.

    {"name": "Round 1", "time_seconds": 1266588000, "standings": [["ann", 0, 1], ["bob", 0, 1]]}

A standing is a player and the range of places, from 0 on, that those tied with them share.
`weight` and `perf_ceiling` are optional. The name of the file, without .json, is the identifier of
the contest. There is no place for teams, shares, margins, sides, scores, ladders or parts of a
second.
"""

import json
import math
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from podium.errors import InputError, PodiumError
from podium.results.times import to_microseconds
from podium.results.understanding.report import Table

if TYPE_CHECKING:
    from podium.results.contests import Contest, Contests

_STANDING = {"player": pl.String, "low": pl.Int64, "high": pl.Int64}
_SECOND = 1_000_000
_EARLIEST_IN_ZIP = (1980, 1, 1, 0, 0, 0)


def recognises(document: Any) -> bool:
    """Whether it has the keys of a contest."""
    return isinstance(document, dict) and {"standings", "time_seconds"} <= document.keys()


def parse(label: str, stem: str, document: dict[str, Any], rerank: bool) -> Table:
    """The rows of one contest; with `rerank`, the ranges need not be complete."""
    standings = _standings(label, document["standings"])
    _check_ranges(label, standings, complete=not rerank)
    name = document.get("name")
    if name is not None and not isinstance(name, str):
        raise InputError(f"{label}: name {name!r} is not a text.")
    frame = standings.select(
        pl.lit(stem).alias("contest"),
        pl.lit(_time(label, document["time_seconds"])).cast(pl.Datetime("us")).alias("time"),
        "player",
        (pl.col("low") + 1).alias("rank"),
        pl.lit(_number(label, document, "weight"), pl.Float64).alias("weight"),
        pl.lit(_number(label, document, "perf_ceiling"), pl.Float64).alias("perf_ceiling"),
        pl.lit(name or None, pl.String).alias("name"),
    )
    return Table(frame, lambda row: _place(label, row), "Elo-MMR contest files")


def write_folder(contests: "Contests", folder: Path) -> None:
    """One file for each contest."""
    for name, content in _files(contests):
        with open(folder / name, "x", encoding="utf-8", newline="\n") as file:
            file.write(content)


def write_zip(contests: "Contests", path: Path) -> None:
    """The same files in a .zip, which is the same to the byte whenever it is written."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in _files(contests):
            entry = zipfile.ZipInfo(name, _EARLIEST_IN_ZIP)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def file_name(contest: str) -> str:
    """The name of a contest's file, from which its identifier is read again."""
    if contest.startswith(".") or any(sign in contest for sign in "/\\\0"):
        raise InputError(
            f"contest {contest!r} cannot be the name of a contest file, because of a slash in it "
            f"or a dot in front; write a table, e.g. .csv or .parquet."
        )
    return f"{contest}.json"


def check_writable(contests: "Contests") -> None:
    """Raise if contest files cannot hold everything that is known of the contests."""
    columns = contests.columns
    for what, held in (
        ("teams", columns.team is not None and bool((columns.team >= 0).any())),
        ("shares", columns.share is not None and bool((columns.share != 1.0).any())),
        ("margins", columns.margin is not None and bool((columns.margin >= 0.0).any())),
        ("sides", columns.side is not None and bool(columns.side.any())),
        ("scores", columns.score is not None),
        ("ladders", contests.ladder is not None),
        ("parts of a second", bool((columns.time % _SECOND).any())),
    ):
        if held:
            raise InputError(
                f"contest files have no place for {what}; write a table, e.g. .csv or .parquet."
            )


def _standings(label: str, given: Any) -> pl.DataFrame:
    if not isinstance(given, list) or not given:
        raise InputError(f"{label}: standings is not a list of [player, low, high].")
    try:
        columns = zip(*given, strict=True)
        return pl.DataFrame(dict(zip(_STANDING, columns, strict=True)), _STANDING)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        wrong = next((row for row, entry in enumerate(given) if not _is_standing(entry)), 0)
        raise InputError(
            f"{_place(label, wrong)}: {_shortened(given[wrong])} is not [player, low, high], "
            f"a text and two whole numbers."
        ) from None


def _is_standing(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    player, *bounds = entry
    whole = all(type(bound) is int and abs(bound) < 2**63 for bound in bounds)
    return isinstance(player, str) and whole


def _shortened(entry: Any) -> str:
    shown = repr(entry)
    return shown if len(shown) <= 60 else shown[:59] + "…"


def _check_ranges(label: str, standings: pl.DataFrame, *, complete: bool) -> None:
    """A range goes up from 0 or later and, if complete, is as long as the tie it stands for."""
    ordered = (pl.col("low") >= 0) & (pl.col("low") <= pl.col("high"))
    length = pl.col("high") - pl.col("low") + 1
    checks = standings.with_columns(
        ordered.fill_null(False).alias("ordered"), pl.len().over("low").alias("tied")
    ).with_columns((length == pl.col("tied")).alias("whole"))
    row = checks["ordered"].arg_min()
    if row is not None and not checks["ordered"][row]:
        player, low, high = standings.row(row)
        raise InputError(
            f"{_place(label, row)}: the range {low} to {high} of {player!r} is not one of places "
            f"from 0 on, the lower first."
        )
    row = checks["whole"].arg_min()
    if complete and row is not None and not checks["whole"][row]:
        player, low, high = standings.row(row)
        tied = checks["tied"][row]
        raise InputError(
            f"{_place(label, row)}: the range {low} to {high} of {player!r} is one of "
            f"{high - low + 1}, but {tied} {'starts' if tied == 1 else 'start'} at {low} "
            f"(say rerank=True or --rerank to use only the order)."
        )


def _time(label: str, given: Any) -> int:
    try:
        if isinstance(given, str):
            raise InputError("a text")
        return to_microseconds(given)
    except PodiumError:
        raise InputError(f"{label}: time_seconds {given!r} is not in unix seconds.") from None


def _number(label: str, document: dict[str, Any], key: str) -> float | None:
    """A number, or None where the default holds; no ceiling may also be written as infinity."""
    given = document.get(key)
    if given is None or (key == "perf_ceiling" and given == math.inf):
        return None
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or abs(given) > sys.float_info.max:
        raise InputError(f"{label}: {key} {given!r} is not a number.")
    return float(given)


def _place(label: str, row: int) -> str:
    return f"{label}, standing {row + 1}"


def _files(contests: "Contests") -> Iterator[tuple[str, str]]:
    for contest in contests:
        yield file_name(contest.id), json.dumps(_document(contest), ensure_ascii=False) + "\n"


def _document(contest: "Contest") -> dict[str, Any]:
    """The contest as JSON; a name always, because Elo-MMR's own reader needs one."""
    document: dict[str, Any] = {"name": contest.name or ""}
    document["time_seconds"] = to_microseconds(contest.time) // _SECOND
    if contest.weight != 1.0:
        document["weight"] = contest.weight
    if contest.perf_ceiling is not None:
        document["perf_ceiling"] = contest.perf_ceiling
    low = contest.rank - 1
    high = np.searchsorted(contest.rank, contest.rank, side="right") - 1
    document["standings"] = list(zip(contest.players, low.tolist(), high.tolist(), strict=True))
    return document
