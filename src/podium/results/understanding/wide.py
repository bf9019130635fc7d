"""Wide tables: a row for each player and a column for each contest."""

import numpy as np
import polars as pl

from podium.errors import InputError
from podium.results.options import Options
from podium.results.tables import natural
from podium.results.understanding import headers, statuses, stems, words
from podium.results.understanding.naming import refuse_cross_table
from podium.results.understanding.report import Table, Understanding
from podium.wording import listed

_KEPT = ("player", "team")
_ATTRIBUTES = words.ATTRIBUTE | words.CLUB | words.TEAM | words.MAYBE_LADDER
_RANKS, _SCORES = words.RANK, words.SCORE | words.TOTAL
_SUMS = words.TOTAL | words.RANK | words.SCORE | {
    "average", "avg", "mean", "best", "worst", "schnitt", "durchschnitt", "moyenne", "media",
    "played", "games", "wins", "wertung", "bonus", "no", "nr", "bib", "startnr", "#",
}  # fmt: skip
"""Columns that sum up or number, and are no contests."""


def as_long(table: Table, options: Options, report: Understanding) -> Table:
    """A row for each cell that says something: who, in which contest, and what came of it."""
    frame = table.frame
    if "player" not in frame.columns:
        raise InputError(
            f"there is no column 'player' among {listed(frame.columns)}; if it has another name, "
            f"say columns={{'player': NAME}} or --columns player=NAME."
        )
    others = [name for name in frame.columns if name not in _KEPT]
    empty = [name for name in others if _is_empty(frame[name])]
    sums = [name for name in others if words.key(name) in _SUMS and name not in empty]
    rest = [name for name in others if name not in (*empty, *sums)]
    about = [name for name in rest if words.key(name) in _ATTRIBUTES or _is_text(frame[name])]
    contests, other_kind = _of_one_kind([name for name in rest if name not in about], options)
    players = set(frame["player"].cast(pl.String).str.strip_chars().drop_nulls())
    refuse_cross_table(contests, players)
    _refuse_numbered_cross_table(frame, contests)
    if len(contests) == 0:
        raise InputError(f"there is no column of a contest among {listed(frame.columns)}.")
    kind = _kind(frame, contests, options)
    found = stems.dated(contests, options.dates)
    if sums:
        report.assumptions.append(f"no contests but sums or numbers: {listed(sums)}.")
    if about:
        report.assumptions.append(f"no contests but about the players: {listed(about)}.")
    if other_kind:
        report.assumptions.append(f"left out, as was said: {listed(other_kind)}.")
    report.assumptions.append(
        f"each of {listed(contests, 3)} is a contest, and the cells are {kind}s; an empty cell is "
        f"somebody who did not take part."
    )
    report.unused = [name for name in report.unused if name not in contests]
    report.explain("contest", f"the {len(contests)} columns from {contests[0]!r} on")
    report.explain(kind, "the cells")
    return _melted(table, contests, kind, _names(contests, found), _times(found, contests, options))


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column) or bool(
        column.dtype == pl.String and (column.drop_nulls().str.strip_chars() == "").all()
    )


def _is_text(column: pl.Series) -> bool:
    """Whether cells are words, which say nothing of a result."""
    texts = column.cast(pl.String).drop_nulls().str.strip_chars()
    words_only = texts.filter((texts != "") & statuses.kinds(texts).is_null())
    return len(words_only) > 0 and not texts.str.contains(r"\d").any()


def _of_one_kind(columns: list[str], options: Options) -> tuple[list[str], list[str]]:
    """The columns to read, if every contest has one for its ranks and one for its scores."""
    split = {name: _without_kind(name) for name in columns}
    kinds: dict[str, dict[str, str]] = {}
    for name, (contest, kind) in split.items():
        kinds.setdefault(contest, {})[kind] = name
    both = next((each for each in kinds.values() if {"rank", "score"} <= each.keys()), None)
    if both is None:
        return columns, []
    said = _said_kind(options)
    if said is None:
        raise InputError(
            f"{both['rank']!r} and {both['score']!r} are of one contest; say columns={{'rank': "
            f"'*'}} or --columns 'rank=*', or score."
        )
    kept = [name for name in columns if split[name][1] == said]
    return kept, [name for name in columns if name not in kept]


def _without_kind(header: str) -> tuple[str, str]:
    """A header such as 'Week 1 Place' without the word that says what its cells are."""
    parts = header.replace("_", " ").split()
    for place in (-1, 0) if len(parts) > 1 else ():
        rest = " ".join(parts[:-1] if place else parts[1:])
        for kind, known in (("rank", _RANKS), ("score", _SCORES)):
            if words.key(parts[place]) in known:
                return rest, kind
    return header, ""


def _refuse_numbered_cross_table(frame: pl.DataFrame, contests: list[str]) -> None:
    """Raise if columns are numbered like the rows, and nobody meets themselves."""
    size = frame.height
    if (
        len(contests) != size
        or size < 2
        or [words.key(each) for each in contests] != [str(number + 1) for number in range(size)]
    ):
        return
    own = [frame[name].cast(pl.String)[row] for row, name in enumerate(contests)]
    if all(each is None or each.strip().lower() in ("", "x", "*", "-", "–", "#") for each in own):
        refuse_cross_table(contests, set(contests))


def _kind(frame: pl.DataFrame, contests: list[str], options: Options) -> str:
    """Whether cells are ranks or scores."""
    said = _said_kind(options)
    if said is not None:
        return said
    if options.lowest_score_wins:
        return "score"
    columns = [
        frame[name].cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
        for name in contests
    ]
    if all(map(_are_ranks, columns)):
        return "rank"
    most = frame.height
    if all(
        len(each) and (each == each.floor()).all() and each.min() == 1 and (each <= most).all()
        for each in columns
    ):
        raise InputError(
            "the cells may be ranks or scores; say columns={'rank': '*'} or --columns 'rank=*', or "
            "score."
        )
    return "score"


def _said_kind(options: Options) -> str | None:
    """What `columns` says that cells are."""
    said = [ours for ours, name in (options.columns or {}).items() if name == headers.CELLS]
    if said and said[0] not in ("rank", "score"):
        raise InputError(f"the cells of a wide table are 'rank' or 'score', not {said[0]!r}.")
    return said[0] if said else None


def _are_ranks(numbers: pl.Series) -> bool:
    """Whether each number is one more than how many are smaller."""
    return len(numbers) > 0 and bool((numbers.rank("min") == numbers).all())


def _names(contests: list[str], found: list[stems.Dated]) -> list[str]:
    names = [each.name for each in found]
    return names if len(set(names)) == len(names) else [name.strip() for name in contests]


def _times(found: list[stems.Dated], contests: list[str], options: Options) -> list[object] | None:
    """The dates in the headers; without any, all are of the time that is said."""
    dates = [each.date for each in found]
    if None not in dates:
        return list(dates)
    if any(dates):
        raise InputError(
            f"{stems.listed_without_dates(contests, found)} have no date, as others have."
        )
    if options.time is None and not options.from_name:
        raise InputError(
            f"the columns {listed(contests, 3)} name no dates; call them e.g. "
            f"'{contests[0].strip()} (2026-01-05)', or say time=DATE or --time DATE for all of "
            f"them, in their order."
        )
    names = _names(contests, found)
    if sorted(names, key=natural) != names and len(names) > 1:
        raise InputError(
            f"the columns {listed(contests, 3)} name no dates, and contests of one time are rated "
            f"in the order of their names, which is another; call them e.g. "
            f"'{contests[0].strip()} (2026-01-05)'."
        )
    return None


def _melted(
    table: Table, contests: list[str], kind: str, names: list[str], times: list[object] | None
) -> Table:
    frame, count = table.frame, table.frame.height
    kept = [name for name in _KEPT if name in frame.columns]
    cells = pl.concat([frame[name].cast(pl.String).alias(kind) for name in contests])
    rows = np.tile(np.arange(count), len(contests))
    column = np.repeat(np.arange(len(contests)), count)
    long = frame.select(kept)[rows].with_columns(
        cells, pl.Series("contest", names, pl.String).gather(column)
    )
    if times is not None:
        long = long.with_columns(pl.Series("time", times, pl.Date).gather(column))
    played = cells.is_not_null() & (cells.str.strip_chars() != "")
    return table.filtered(long, played, rows)
