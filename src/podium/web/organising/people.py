"""Forms about players: who is whom, and what is known of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from podium.errors import DifferenceError
from podium.league import View
from podium.web.organising.fields import Field, Values, fields_of, one
from podium.web.organising.forms import Form, in_words


class Merging(Form):
    """Two players who are one, and whose details stay where they differ."""

    template = "merge.html"
    KEEP = "keep-"

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """Both, and what was chosen."""
        return {**super().content(view, values), "differences": {}}

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """Who, and whose details stay."""
        keep = {
            name.removeprefix(self.KEEP): one(values, name)
            for name in values
            if name.startswith(self.KEEP) and one(values, name)
        }
        return {**super().said(view, values), "keep": keep or None}

    def differences(self, error: DifferenceError, values: Values) -> list[dict[str, str]]:
        """What has to be chosen between."""
        return [
            {
                "name": f"{self.KEEP}{name}",
                "label": name,
                "first": str(first),
                "second": str(second),
                "value": one(values, f"{self.KEEP}{name}"),
            }
            for name, (first, second) in error.fields.items()
        ]


class Describing(Form):
    """All that may be known of a player."""

    template = "describe.html"
    VALUE = "value-"

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """What is known, with what was typed instead."""
        name = one(values, "player")
        new = bool(one(values, "new"))
        choose = [replace(each, value=name) for each in fields_of(self.operation, ("new",))][:1]
        if not name:
            return {"fields": choose, "player": None, "new": new}
        known = _known(view, name, new=new)
        fields = [
            Field(
                f"{self.VALUE}{each}",
                _LABELS.get(each, each.replace("_", " ").capitalize()),
                kind,
                meaning,
                value=one(values, f"{self.VALUE}{each}") if "posted" in values else known[each],
            )
            for each, kind, meaning in _describable(view)
        ]
        return {"fields": fields, "player": known["player"], "new": new}

    def said(self, view: View, values: Values) -> dict[str, Any]:
        """What is to be other than it is."""
        new = bool(one(values, "new"))
        known = _known(view, one(values, "player"), new=new)
        given = {
            each: one(values, f"{self.VALUE}{each}").strip() or None
            for each, _, _ in _describable(view)
            if f"{self.VALUE}{each}" in values
            and one(values, f"{self.VALUE}{each}").strip() != known[each]
        }
        return {"player": known["player"], "values": given, "new": new}

    def told(self, view: View, values: Values) -> list[str]:
        """What is to be known."""
        return [in_words(name, text) for name, text in self.said(view, values)["values"].items()]


_LABELS = {"display": "Shown as"}


def _describable(view: View) -> list[tuple[str, str, str]]:
    """What may be said of a player: names, kinds of fields, and who sees it."""
    found = [("display", "text", "a name for pages, in place of the player's own")]
    for each in view.attributes:
        kind = {"number": "number", "date": "date", "link": "link"}.get(each.kind, "text")
        found.append((each.name, kind, "" if each.public else "only organisers see it"))
    return found


def _known(view: View, name: str, *, new: bool) -> dict[str, str]:
    """What is known of a player, as texts."""
    if new and name not in view:
        return {"player": name, **{each: "" for each, _, _ in _describable(view)}}
    called = view.player(name).name
    people = view.people(matching=called, with_hidden=True).filter(pl.col("player") == called)
    row: Mapping[str, Any] = people.to_dicts()[0]
    texts = {
        each: "" if row.get(each) is None else plain(row[each]) for each, _, _ in _describable(view)
    }
    return {"player": called, **texts}


def plain(value: Any) -> str:
    """A value as one types it."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


class Defining(Form):
    """One more attribute, beside those that there are."""

    template = "attributes.html"

    def content(self, view: View, values: Values) -> dict[str, Any]:
        """All of them, and a form for one."""
        asked = one(values, "name")
        known = {each.name: each for each in view.attributes}
        before = known.get(asked)
        posted = "posted" in values
        return {
            "attributes": view.attributes,
            "name": asked,
            "kind": one(values, "kind") or (before.kind if before else "text"),
            "public": bool(one(values, "public")) if posted or not before else before.public,
            "fields": [],
            "changing": before is not None,
        }

    def said(self, view: View, values: Values) -> dict[str, Any]:  # noqa: ARG002
        """The attribute, as the operation takes it."""
        name, kind = one(values, "name").strip(), one(values, "kind") or "text"
        given = [f"{name}:{kind}"] if name else []
        return {"attributes": given, "public": bool(one(values, "public"))}
