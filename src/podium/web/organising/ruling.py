"""Forms about how a league rates and shows ratings: rules, systems and seasons."""

from dataclasses import replace
from typing import Any

from podium import systems
from podium.league import View
from podium.league.rules import COLOURS, Rules
from podium.systems.describing import setting, shown_default
from podium.web.organising.fields import Field, Values, one, several
from podium.web.organising.forms import Form, Row, rows_in, with_blank

_TITLES = ("lowest", "title", "colour")
_NUMBERS = ("caution", "hidden_until", "provisional_until", "provisional_sigma")
_DISPLAYS = (
    ("system", "as the system says"),
    ("mean", "the mean"),
    ("conservative", "the mean less some uncertainty"),
)
_FLAGS = ("keep_titles", "hide_provisional")


class Ruling(Form):
    """The rules as they are, to be typed over."""

    template = "rules.html"
    telling = ("display", *_NUMBERS, *_FLAGS)

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """All rules, with titles as rows."""
        now = _as_texts(view.rules)
        posted = "posted" in values
        titles = rows_in(values, _TITLES) if posted else _titles(view.rules)
        fields = {
            each.name: replace(
                each,
                value=one(values, each.name) if posted else now[each.name],
                kind="flag" if each.name in _FLAGS else each.kind,
                meaning="" if each.name in _FLAGS else each.meaning,
                choices=_DISPLAYS if each.name == "display" else each.choices,
                required=each.name == "display",
            )
            for each in super().fields(view, values)
            if each.name != "titles"
        }
        return {
            "rule": fields,
            "fields": list(fields.values()),
            "rows": with_blank(titles, _TITLES, values),
            "colours": COLOURS,
        }

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """What is to be other than it is."""
        now, given = _as_texts(view.rules), dict[str, Any]()
        if one(values, "display") and one(values, "display") != now["display"]:
            given["display"] = one(values, "display")
        for name in _NUMBERS:
            if name in values and one(values, name).strip() != now[name]:
                given[name] = one(values, name).strip() or "0"
        for name in _FLAGS:
            if bool(one(values, name)) != bool(now[name]):
                given[name] = bool(one(values, name))
        rows = rows_in(values, _TITLES)
        if "row-title" in values and rows != _titles(view.rules):
            given["titles"] = [_title(row) for row in rows]
        return given

    def told(self, view: View, values: Values) -> list[str]:
        """The rules that are to be others."""
        titles = self.said(view, values).get("titles")
        return [
            *super().told(view, values),
            *([] if titles is None else [_titles_in_words(titles)]),
        ]


def _title(row: Row) -> list[Any]:
    """A title as the operation takes it; what is no number is refused there."""
    lowest = float(row["lowest"]) if _is_number(row["lowest"]) else row["lowest"]
    return [lowest, row["title"], *([row["colour"]] if row["colour"] else [])]


def _titles_in_words(titles: list[list[Any]]) -> str:
    """Titles, as a sentence.

    Example:
        >>> _titles_in_words([[1200.0, "Pupil", "green"], [1600.0, "Expert"]])
        'Titles: Pupil from 1200 (green), Expert from 1600.'
    """
    said = [
        f"{title} from {lowest:g}" + "".join(f" ({each})" for each in colour)
        if isinstance(lowest, float)
        else str(title)
        for lowest, title, *colour in titles
    ]
    return f"Titles: {', '.join(said) or 'none'}."


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_texts(rules: Rules) -> dict[str, str]:
    numbers = {name: f"{getattr(rules, name):g}" for name in _NUMBERS}
    flags = {name: "on" if getattr(rules, name) else "" for name in _FLAGS}
    return {"display": rules.display, **numbers, **flags}


def _titles(rules: Rules) -> list[Row]:
    colours = dict(rules.colours)
    return [
        {"lowest": f"{lowest:g}", "title": title, "colour": colours.get(title, "")}
        for lowest, title in rules.titles
    ]


class Revising(Form):
    """Another system, or other parameters of the one in force."""

    template = "revise.html"
    PARAMETER = "parameter-"

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """The system that is looked at, with what its parameters do."""
        now = view.system
        name = one(values, "system") or now.name
        chosen = systems.by_name(name)
        before = now.stored_parameters() if name == now.name else {}
        posted = "posted" in values
        parameters = []
        for each in chosen.document()["parameters"]:
            default = shown_default(each["default"])
            value = setting(before[each["name"]]) if each["name"] in before else default
            called = f"{self.PARAMETER}{each['name']}"
            typed = one(values, called) if posted else value
            parameters.append({**each, "field": called, "value": typed, "usual": default})
        return {
            "systems": systems.names(),
            "system": name,
            "now": now.name,
            "described": chosen.document(),
            "parameters": parameters,
            "revision": one(values, "revision"),
            "fields": [],
        }

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """The system, and what is other than it was."""
        now = view.system
        name = one(values, "system") or now.name
        chosen = systems.by_name(name)
        before = (now if name == now.name else chosen.build({})).stored_parameters()
        given = {}
        for key in before:
            text = one(values, f"{self.PARAMETER}{key}").strip()
            if text and text != setting(before[key]):
                given[key] = chosen.parse_value(key, text)
        found: dict[str, Any] = {"parameters": given}
        if name != now.name:
            found["system"] = name
        if one(values, "revision").strip():
            found["revision"] = one(values, "revision").strip()
        return found


class Beginning(Form):
    """A season, new or to be put right."""

    def fields(self, view: View, values: Values) -> list[Field]:
        """What the season has, if it is there, unless something else was typed."""
        known = {each["name"]: each for each in view.seasons().to_dicts()}
        found = known.get(one(values, "season"))
        fields = super().fields(view, values)
        if found is None or "posted" in values or several(values, "start"):
            return fields
        start = f"{found['start']:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")
        texts = {
            key: "" if found[key] is None else f"{found[key]:g}"
            for key in ("pull", "toward", "sigma")
        }
        texts |= {"season": found["name"], "start": start}
        return [replace(each, value=texts.get(each.name, each.value)) for each in fields]
