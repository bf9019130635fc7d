"""What organisers fill in for each change: the fields, what is in them, and what they mean."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from podium.league import View
from podium.results.contests import Contests
from podium.web.operations import Operation
from podium.web.organising.fields import (
    Field,
    Values,
    fields_of,
    label_of,
    one,
    operation_of,
    said,
    several,
)

BLANK = 8
"""Rows of a table that is empty."""
Row = dict[str, str]


class Form:
    """A form that is made of the fields of an operation.

    Args:
        operation: What is asked for.
        without: Fields that the form does not have.
    """

    template = "form.html"
    here = ""
    """The page of the navigation that it belongs to."""
    at_once = False
    """Whether it needs nothing else once its fields are in the address."""
    telling: tuple[str, ...] = ()
    """Fields of the operation whose values the preview says."""

    def __init__(
        self, operation: type[Operation], *without: str, here: str = "", at_once: bool = False
    ) -> None:
        self.operation = operation
        self.without = without
        self.here = here
        self.at_once = at_once

    def fields(self, view: View, values: Values) -> list[Field]:
        """The fields, with what is in them."""
        fields = fields_of(self.operation, self.without)
        return [_choosing(view, each).filled(_texts(values)) for each in fields]

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """What the page says."""
        return {"fields": self.fields(view, values)}

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """What is asked for, as the operation takes it."""
        return said(values, self.fields(view, values))

    def told(self, view: View, values: Values) -> list[str]:
        """What is asked for, in words, where a preview would not tell it."""
        if not self.telling:
            return []
        asked = self.said(view, values)
        return [in_words(name, asked[name]) for name in self.telling if name in asked]

    def read(self, view: View, values: Values, **given: Any) -> Operation:
        """The change that is asked for; `given` is what came out of files."""
        return operation_of(self.operation, {**self.said(view, values), **given})


def in_words(name: str, value: Any) -> str:
    """What is to become of a field, as a sentence.

    Example:
        >>> in_words("weight", "2"), in_words("called", ""), in_words("keep_titles", True)
        ('Weight: 2.', 'Name of the contest: none.', 'Titles are kept once they are reached: yes.')
    """
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return f"{label_of(name)}: {'none' if value in ('', None) else value}."


def _texts(values: Values) -> Values:
    """Texts by names, of which a form that was posted has all, flags that are not set too."""
    if "posted" not in values:
        return values
    return _Posted(values)


class _Posted(dict[str, Any]):
    """What was posted: what is not there is empty, not as before."""

    def get(self, name: str, default: Any = "") -> Any:  # noqa: ARG002
        return super().get(name, "")


def _choosing(view: View, field: Field) -> Field:
    """A field with what the league has to choose from."""
    choices: Sequence[str] = ()
    if field.name == "season" and field.meaning.startswith("what the season"):
        names = view.seasons()["name"].to_list()
        return replace(field, choices=tuple((each, each) for each in names), kind="suggested")
    if field.name == "revision":
        choices = view.revisions()["name"].to_list()
        return replace(field, choices=tuple((each, each) for each in choices), kind="suggested")
    return field


def rows_in(values: Values, columns: Sequence[str]) -> list[Row]:
    """The rows of a table that was typed, without those that are empty."""
    texts = [several(values, f"row-{each}") for each in columns]
    most = max(map(len, texts), default=0)
    rows = [
        {
            name: (column[number].strip() if number < len(column) else "")
            for name, column in zip(columns, texts, strict=True)
        }
        for number in range(most)
    ]
    return [row for row in rows if any(row.values())]


def with_blank(rows: Sequence[Row], columns: Sequence[str], values: Values) -> list[Row]:
    """The same with empty rows to fill in."""
    asked = one(values, "step") == "more"
    blank = BLANK if asked or not rows else 3
    return [*rows, *(dict.fromkeys(columns, "") for _ in range(blank))]


class Amending(Form):
    """A contest with all that can be wrong about it."""

    template = "amend.html"
    telling = ("called", "time", "weight", "rated")
    MOST = 200
    """Rows of standings that are shown to be typed over; larger contests come as files."""

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """The contest as it is, with what was typed instead."""
        contest = one(values, "contest")
        if not contest:
            return {"fields": [_contest_field()], "contest": None}
        about, columns, rows = _as_is(view, contest)
        posted = "posted" in values
        fields = [
            each.filled(_texts(values) if posted else about)
            for each in fields_of(self.operation, ("contest", "results", *_READ_BY_FILES))
        ]
        small = len(rows) <= self.MOST
        shown = rows_in(values, columns) if posted else rows
        return {
            "fields": [replace(each, meaning=_AMENDED.get(each.name, "")) for each in fields],
            "contest": about,
            "columns": columns,
            "rows": with_blank(shown, columns, values) if small else [],
            "count": len(rows),
            "pasted": one(values, "pasted"),
        }

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """What is to be other than it is."""
        about, columns, before = _as_is(view, one(values, "contest"))
        given: dict[str, Any] = {"contest": about["contest"]}
        for name in ("time", "weight", "called"):
            if name in values and one(values, name).strip() != about[name]:
                given[name] = one(values, name).strip()
        rated = one(values, "rated")
        if rated and rated != about["rated"]:
            given["rated"] = rated == "yes"
        rows = rows_in(values, columns)
        if rows and rows != before:
            same = _of_all_rows(view.results(about["contest"]))
            given["results"] = [{**same, **_typed_row(row)} for row in rows]
        for name in ("removing", "future"):
            given[name] = bool(one(values, name))
        return given


_READ_BY_FILES = ("lowest_score_wins", "removing")
_AMENDED = {"weight": "how much it counts, 1 as usual", "called": "empty for no name"}


def _contest_field() -> Field:
    return Field("contest", "Contest", "contest", "its identifier", required=True)


def _as_is(view: View, contest: str) -> tuple[Row, list[str], list[Row]]:
    """What is known of a contest, and its standings, as texts."""
    found = view.results(contest)
    about = view.contests(contest).to_dicts()[0]
    time = f"{about['time']:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
    said = {
        "contest": str(about["contest"]),
        "called": about["name"] or "",
        "time": time,
        "weight": f"{about['weight']:g}",
        "rated": "yes" if about["rated"] else "no",
    }
    frame = _standings(found)
    rows = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in frame.to_dicts()
    ]
    return said, frame.columns, rows


_OF_CONTESTS = ("contest", "time", "weight", "name", "ladder", "perf_ceiling", "margin")
"""Columns that say the same in all rows of a contest."""


def _of_all_rows(contests: Contests) -> dict[str, Any]:
    """What all rows of a contest say, which is not typed with each of them."""
    frame = contests.frame(given=True)
    said = frame.head(1).to_dicts()[0]
    return {key: said[key] for key in _OF_CONTESTS[2:] if said.get(key) is not None}


def _standings(contests: Contests) -> pl.DataFrame:
    """The columns of standings that are about players."""
    frame = contests.frame(given=True)
    kept = [each for each in frame.columns if each not in _OF_CONTESTS]
    first = [each for each in ("rank", "player") if each in kept]
    return frame.select(*first, *(each for each in kept if each not in first))


class Adding(Form):
    """Late results of a contest."""

    template = "add.html"
    COLUMNS = ("rank", "player", "score")

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """The contest, and rows to fill in."""
        contest = one(values, "contest")
        if not contest:
            return {"fields": [_contest_field()], "contest": None}
        about, _, before = _as_is(view, contest)
        return {
            "fields": self.fields(view, values)[1:],
            "contest": about,
            "count": len(before),
            "first": before[:10],
            "columns": self.COLUMNS,
            "rows": with_blank(rows_in(values, self.COLUMNS), self.COLUMNS, values),
            "pasted": one(values, "pasted"),
        }

    def fields(self, view: View, values: Values) -> list[Field]:
        """Who ties with whom is a choice of words."""
        choices = (
            ("", "if it matters, ask"),
            ("yes", "tie with them"),
            ("no", "come before them"),
        )
        return [
            replace(
                each,
                kind="maybe",
                choices=choices,
                label="Who has the rank of somebody else",
                meaning="",
            )
            if each.name == "tied"
            else each
            for each in super().fields(view, values)
        ]

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """The rows that were typed."""
        rows = rows_in(values, self.COLUMNS)
        return {**super().said(view, values), "rows": [_typed_row(row) for row in rows]}


def _typed_row(row: Row) -> dict[str, Any]:
    """What was typed in a row, with numbers where numbers are."""
    return {name: _value(name, text) for name, text in row.items() if text}


def _value(name: str, text: str) -> Any:
    """A number where numbers are, if it is one."""
    if name in _NUMBERS:
        try:
            return int(text) if name == "rank" else float(text)
        except ValueError:
            return text
    return text


_NUMBERS = ("rank", "rating", "sigma", "score", "share", "outcome", "side")


class Tabled(Form):
    """A table that is typed, pasted or given as a file."""

    template = "table.html"

    def __init__(
        self, operation: type[Operation], columns: Sequence[str], about: str, here: str = ""
    ) -> None:
        super().__init__(operation, "rows", here=here)
        self.columns = tuple(columns)
        self.about = about

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """Rows to fill in."""
        rows = rows_in(values, self.columns)
        return {
            **super().content(view, values),
            "columns": self.columns,
            "rows": with_blank(rows, self.columns, values)[: max(len(rows) + 3, 5)],
            "about": self.about,
            "pasted": one(values, "pasted"),
        }

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """The rows that were typed."""
        rows = rows_in(values, self.columns)
        return {**super().said(view, values), "rows": [_typed_row(row) for row in rows]}
