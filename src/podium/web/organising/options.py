"""How files are to be read, as fields of a form: what an error asks for is offered first."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from podium.errors import InputError
from podium.results.options import Options
from podium.web.organising.fields import Field, Values, one
from podium.web.organising.uploads import Reading

PREFIX = "read-"
_NO_CHOICE = ("", "as it is recognised")
_FIELDS = (
    Field("contest", "What the contest is called", "text", "if the file does not say"),
    Field("time", "When it took place", "date", "if the file does not say"),
    Field("from_name", "Take name and date of the contest from the name of the file", "flag"),
    Field(
        "dates",
        "How dates are written",
        "choice",
        choices=(
            _NO_CHOICE,
            ("dmy", "day first: 31.12.2026"),
            ("mdy", "month first: 12/31/2026"),
            ("ymd", "year first: 2026-12-31"),
            ("excel", "numbers of a spreadsheet: 46387"),
            ("unix", "seconds since 1970"),
        ),
    ),
    Field(
        "unfinished",
        "Who has no rank (DNF, DSQ, empty)",
        "choice",
        choices=(
            ("", "is an error"),
            ("last", "ties behind all others, if they started"),
            ("drop", "is left out"),
        ),
    ),
    Field("lowest_score_wins", "The lowest score is the best", "flag"),
    Field("rerank", "Use only the order of the ranks, because players were taken out", "flag"),
    Field("wide", "A row for each player and a column for each contest", "flag"),
    Field("sheet", "Sheet of the workbook", "text", "* for all of them"),
    Field(
        "decimal",
        "Decimal sign",
        "choice",
        choices=(_NO_CHOICE, ("point", "a point: 1.5"), ("comma", "a comma: 1,5")),
    ),
    Field("delimiter", "What stands between values", "text", "one sign, or tab"),
    Field("encoding", "Encoding of the text", "text", "such as utf-8 or windows-1252"),
    Field("zone", "Time zone", "text", "such as Europe/Berlin, of times that name none"),
    Field("ladder", "Only this ladder", "text"),
    Field("ignore_ladders", "Take all ladders together", "flag"),
    Field("ignore_teams", "Rate every player alone, although there are teams", "flag"),
    Field("future", "Times of more than two years from now are meant", "flag"),
)
"""All that can be said about reading, the most needed first."""
CHOOSING = ("ladder", "ignore_ladders", "ignore_teams")
"""What says which of the contests that were read are meant."""
COLUMNS = {
    "results": (
        *("player", "rank", "score", "contest", "time", "name", "team", "status"),
        *("player_a", "player_b", "outcome", "score_a", "score_b", "weight", "ladder"),
    ),
    "add": ("player", "rank", "score", "team", "status"),
    "live": ("player", "rank", "score", "team", "status"),
    "start": ("player", "rating", "sigma", "time"),
    "describe-players": (),
}
"""Columns that may be called otherwise in a file, by what it is for."""
_FOR = {
    "add": ("decimal", "delimiter", "encoding", "sheet", "lowest_score_wins", "unfinished"),
    "live": (
        *("lowest_score_wins", "unfinished", "time", "dates", "decimal", "delimiter", "encoding"),
        *("sheet", "zone"),
    ),
    "start": ("dates", "decimal", "delimiter", "encoding", "sheet", "zone", "future"),
    "describe-players": ("sheet", "delimiter", "encoding"),
}
_ASKED = re.compile(r"--([a-z][a-z-]*)|\b([a-z_]+)=")
_MAPPED = re.compile(r"--columns '?([a-z_]+)=|columns=\{'([a-z_]+)'")
_TAB = {"tab": "\t", "\\t": "\t"}


def options_of(values: Values) -> tuple[Options, dict[str, Any]]:
    """How files are to be read, and which of their contests are meant."""
    said: dict[str, Any] = {}
    for each in _FIELDS:
        text = one(values, PREFIX + each.name)
        if each.kind == "flag":
            said[each.name] = bool(text)
        elif text.strip():
            said[each.name] = _TAB.get(text.strip(), text.strip() or text)
    columns = {
        name.removeprefix(f"{PREFIX}column-"): one(values, name)
        for name in values
        if name.startswith(f"{PREFIX}column-") and one(values, name)
    }
    chosen = {name: said.pop(name) for name in CHOOSING if name in said}
    if len(said.get("delimiter", ",")) != 1:
        raise InputError(f"{said['delimiter']!r} is not one sign that stands between values.")
    return Options.of({**said, "columns": columns or None}), chosen


def reading_fields(
    operation: str, values: Values, reading: Reading
) -> tuple[list[Field], list[Field]]:
    """The fields for what is asked for, and all others."""
    wanted = _asked_for(reading.error or "")
    every = [
        replace(each, name=PREFIX + each.name, value=one(values, PREFIX + each.name))
        for each in _FIELDS
        if each.name in _FOR.get(operation, (each.name,))
    ]
    every += _column_fields(operation, values, reading)
    asked = [each for each in every if each.name in wanted]
    return asked, [each for each in every if each.name not in wanted]


def _asked_for(error: str) -> set[str]:
    """What an error asks for, as names of fields.

    Example:
        >>> sorted(_asked_for("say dates='dmy' or --dates dmy, or --columns rank=NAME."))
        ['read-column-rank', 'read-dates']
    """
    named = {(one or other).replace("-", "_") for one, other in _ASKED.findall(error)}
    mapped = {f"column-{one or other}" for one, other in _MAPPED.findall(error)}
    known = {each.name for each in _FIELDS}
    return {f"{PREFIX}{each}" for each in (named & known) | mapped}


def _column_fields(operation: str, values: Values, reading: Reading) -> list[Field]:
    """What each of podium's columns is called in the file."""
    theirs = _theirs(reading)
    ours = COLUMNS.get(operation, COLUMNS["results"])
    found = []
    for each in ours:
        name = f"{PREFIX}column-{each}"
        value = one(values, name)
        names = list(dict.fromkeys([*theirs, *([value] if value else [])]))
        choices = (_NO_CHOICE, *((other, other) for other in names)) if names else ()
        kind = "choice" if choices else "text"
        found.append(
            Field(
                name,
                f"Column with: {each.replace('_', ' ')}",
                kind,
                "",
                False,
                choices,
                "",
                value=value,
            )
        )
    return found


def _theirs(reading: Reading) -> Iterable[str]:
    """What the columns are called in the file."""
    reports = [] if reading.understanding is None else [reading.understanding]
    found: dict[str, None] = {}
    if reading.report is not None:
        reports = [each.understanding for each in reading.report.files]
        for file in reading.report.files:
            if file.error is not None and file.first.columns != ["line"]:
                found |= dict.fromkeys(file.first.columns)
    for report in reports:
        found |= dict.fromkeys([each.theirs for each in report.columns if each.theirs])
        found |= dict.fromkeys(report.unused)
    return found
