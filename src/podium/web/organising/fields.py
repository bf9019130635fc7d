"""Forms made of what has to be said for a change: each field of an operation as a field of a form.

What is typed stays a text until the operation takes it, so that a form that was wrong is shown
again as it was.
"""

import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from starlette.datastructures import FormData

from podium.errors import InputError
from podium.web.operations import Operation
from podium.web.organising.desk import checked_text
from podium.web.problems import wrong

Values = dict[str, Any]
"""What is in a form: texts by the names of fields, lists where there are several."""

LABELS = {
    "called": "Name of the contest",
    "contest": "Contest",
    "entry": "Number in the log",
    "floor": "Only rated from this rating on",
    "ceiling": "Only rated below this rating",
    "future": "The time is really more than two years ahead",
    "define": "Columns that the league has no attribute for become some",
    "guest": "A guest, who is not rated in what is recorded from now on",
    "guests": "Guests",
    "hidden_until": "On the leaderboard from so many contests on",
    "hide_provisional": "Whoever is provisional is not on the leaderboard",
    "into": "Is really",
    "keep_titles": "Titles are kept once they are reached",
    "leave_known": "Contests that are there already stay as they are, whatever the file says",
    "lowest_score_wins": "The lowest score is the best",
    "new": "Add players whom nobody knows, without results",
    "provisional_sigma": "Provisional until the uncertainty is below",
    "provisional_until": "Provisional until so many contests",
    "keep_old": "Results may go on to use the old name",
    "player": "Player",
    "public": "Everybody may see it",
    "pull": "Reset: pull ratings by this part (0 to 1)",
    "rated": "Rated: the results count",
    "revision": "Revision",
    "season": "Season",
    "sigma": "Least uncertainty then",
    "start": "Begins",
    "time": "Date or time",
    "to": "New name",
    "toward": "Toward",
    "weight": "Weight",
}
"""What fields are called on pages; others by their names."""
_LONG = 20_000
_KINDS = {"contest": "contest", "player": "player", "into": "player", "start": "date"}
_KINDS |= {"time": "date"}
_LESS_USED = ("future", "lowest_score_wins", "removing")


class FormError(InputError):
    """What is wrong with the fields of a form, by name."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__(next(iter(problems.values()), "the form is wrong."))
        self.problems = dict(problems)


@dataclass(frozen=True)
class Field:
    """A field of a form."""

    name: str
    label: str
    kind: str
    """text, contest, player, number, whole, flag, choice, date or lines."""
    meaning: str = ""
    required: bool = False
    choices: tuple[tuple[str, str], ...] = ()
    default: Any = ""
    example: str = ""
    less_used: bool = False
    value: Any = field(default="", compare=False)

    def filled(self, values: Mapping[str, Any]) -> "Field":
        """The same with what is in it."""
        return replace(self, value=values.get(self.name, self.default))


def label_of(name: str) -> str:
    """What a field is called on pages.

    Example:
        >>> label_of("birth_year"), label_of("to")
        ('Birth year', 'New name')
    """
    words = name.replace("_", " ")
    return LABELS.get(name, words[:1].upper() + words[1:])


def fields_of(operation: type[Operation], without: Iterable[str] = ()) -> list[Field]:
    """The fields of an operation that a plain form can have.

    Example:
        >>> from podium.web.operations import Rename
        >>> [(each.name, each.kind) for each in fields_of(Rename)]
        [('player', 'player'), ('to', 'text'), ('keep_old', 'flag')]
    """
    found = []
    for name, info in operation.model_fields.items():
        kind = _kind(name, info)
        if name in without or kind is None:
            continue
        default = "" if info.default in (None, PydanticUndefined) else info.default
        found.append(
            Field(
                name,
                label_of(name),
                kind,
                str(info.description or "").partition(";")[0] if kind != "flag" else "",
                required=info.is_required(),
                choices=_choices(info.annotation),
                default=("on" if default else "") if kind == "flag" else str(default),
                example=_example(info),
                less_used=name in _LESS_USED,
            )
        )
    return found


def _example(info: FieldInfo) -> str:
    first = (info.examples or [""])[0]
    return str(first) if isinstance(first, str | int | float) else ""


def _types(annotation: Any) -> list[Any]:
    """The types that a value may have, none of them None."""
    if get_origin(annotation) in (Union, types.UnionType):
        return [
            found
            for each in get_args(annotation)
            if each is not type(None)
            for found in _types(each)
        ]
    if hasattr(annotation, "__metadata__"):
        return _types(annotation.__origin__)
    return [annotation]


def _kind(name: str, info: FieldInfo) -> str | None:
    found = _types(info.annotation)
    optional = type(None) in get_args(info.annotation)
    if found == [bool]:
        return "maybe" if optional else "flag"
    if found == [int]:
        return "whole"
    if found == [float]:
        return "number"
    if found == [str]:
        return _KINDS.get(name, "text")
    if len(found) == 1 and get_origin(found[0]) is Literal:
        return "choice"
    if len(found) == 1 and get_origin(found[0]) is list and _types(get_args(found[0])[0]) == [str]:
        return "lines"
    return None


def _choices(annotation: Any) -> tuple[tuple[str, str], ...]:
    for each in _types(annotation):
        if get_origin(each) is Literal:
            return tuple((value, value) for value in get_args(each))
    return ()


def typed(form: FormData) -> Values:
    """All texts of a form, as they were typed; files are left out."""
    found: Values = {}
    for name, value in form.multi_items():
        if not isinstance(value, str):
            continue
        text = checked_text(name, value, 2**22)
        found[name] = [*found[name], text] if name in found else [text]
    return {name: texts[0] if len(texts) == 1 else texts for name, texts in found.items()}


def several(values: Values, name: str) -> list[str]:
    """The texts of fields of one name."""
    found = values.get(name, [])
    return list(found) if isinstance(found, list) else [found]


def one(values: Values, name: str) -> str:
    """The text of a field."""
    return next(iter(several(values, name)), "")


def said(values: Values, fields: Iterable[Field]) -> dict[str, Any]:
    """What a form says, as an operation takes it; what is empty is not said.

    Example:
        >>> said({"player": "ann", "keep_old": ""},
        ...      [Field("player", "", "player"), Field("keep_old", "", "flag")])
        {'player': 'ann', 'keep_old': False}
    """
    found: dict[str, Any] = {}
    for each in fields:
        text = one(values, each.name)
        if each.kind == "flag":
            found[each.name] = bool(text)
        elif each.kind == "maybe":
            if text:
                found[each.name] = text == "yes"
        elif each.kind == "lines":
            lines = [line.strip() for line in text[:_LONG].splitlines() if line.strip()]
            if lines or each.required:
                found[each.name] = lines
        elif each.kind == "number" and text.strip():
            found[each.name] = text.strip().replace("\u2212", "-")
        elif text.strip() or each.required:
            found[each.name] = text.strip()
    return found


def operation_of(operation: type[Operation], given: Mapping[str, Any]) -> Operation:
    """The change that a form asks for; raise if something is wrong with its fields."""
    try:
        return operation.model_validate(dict(given))
    except ValidationError as error:
        problems: dict[str, str] = {}
        for each in error.errors():
            name = str(each["loc"][0]) if each["loc"] else ""
            problems.setdefault(name, _told(name, each))
        raise FormError(problems) from None


def _told(name: str, error: Any) -> str:
    """What is wrong with a field, as a sentence that starts with what it is called."""
    if error["type"] in ("missing", "string_too_short", "too_short"):
        return f"{label_of(name)}: this is needed."
    text = wrong({**error, "loc": ("body", name)})
    return f"{label_of(name)}{text.removeprefix(name)}."
