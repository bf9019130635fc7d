"""Forms as a browser without scripts would fill them in and send them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.testclient import TestClient

import podium

SECRET = b"a secret of tests, which is long enough"


@dataclass
class Form:
    """A form on a page: where it goes, and what is in it."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def values(self, name: str) -> list[str]:
        """What is in the fields of a name."""
        return [value for key, value in self.fields if key == name]

    def filled(self, values: dict[str, Any]) -> dict[str, Any]:
        """The fields as they are sent, some of them filled in; None leaves one out."""
        found: dict[str, Any] = {}
        for key, value in self.fields:
            found.setdefault(key, []).append(value)
        for key, value in values.items():
            if value is None:
                found.pop(key, None)
            else:
                found[key] = value
        return found


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.text: list[str] = []
        self._form: Form | None = None
        self._area: str | None = None
        self._select: tuple[str, list[tuple[str, bool]]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        about = {key: value or "" for key, value in attrs}
        if tag == "form":
            self._form = Form(about.get("action", ""), about.get("method", "get"))
            self.forms.append(self._form)
        if self._form is None:
            return
        name = about.get("name", "")
        if tag == "input" and name and about.get("type") not in ("file",):
            ticked = about.get("type") in ("checkbox", "radio")
            if not ticked or "checked" in about:
                self._form.fields.append((name, about.get("value", "on" if ticked else "")))
        elif tag == "textarea":
            self._area = name
            self._form.fields.append((name, ""))
        elif tag == "select":
            self._select = (name, [])
        elif tag == "option" and self._select is not None:
            self._select[1].append((about.get("value", ""), "selected" in about))
        elif tag == "button" and name:
            self._form.buttons.append((name, about.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._area = None
        elif tag == "select" and self._select is not None and self._form is not None:
            name, options = self._select
            chosen = [value for value, selected in options if selected] or [options[0][0]]
            self._form.fields.append((name, chosen[0]))
            self._select = None

    def handle_data(self, data: str) -> None:
        if self._area is not None and self._form is not None:
            name, value = self._form.fields[-1]
            self._form.fields[-1] = (name, value + data)
        self.text.append(data)


class Page:
    """What came back."""

    def __init__(self, visitor: "Visitor", answer: Any) -> None:
        self._visitor = visitor
        self.status: int = answer.status_code
        self.path: str = urlsplit(str(answer.url)).path
        self.source: str = answer.text
        self.headers = answer.headers
        parser = _Parser()
        parser.feed(answer.text)
        self.forms = parser.forms
        self.text = " ".join(" ".join(parser.text).split())

    def form(self, with_field: str) -> Form:
        """The form that has a field, or a button, of that name."""
        return next(
            each
            for each in self.forms
            if with_field in {name for name, _ in each.fields}
            or with_field in {value for _, value in each.buttons}
        )

    def send(
        self, with_field: str, files: Any = None, /, step: str | None = None, **values: Any
    ) -> "Page":
        """Fill in a form, and send it by the button of a step."""
        form = self.form(with_field)
        given = form.filled({key.replace("__", "-"): value for key, value in values.items()})
        if step is not None:
            given["step"] = step
        return self._visitor.send(form, given, files)


class Visitor:
    """Somebody with a browser of their own."""

    def __init__(self, app: FastAPI) -> None:
        self.client = TestClient(app, follow_redirects=True)

    def signed_in(self, token: str) -> "Visitor":
        """The same, signed in."""
        answer = self.client.post("/club/sign-in", data={"token": token})
        assert answer.status_code == 200, answer.text
        return self

    def open(self, path: str = "", **parameters: Any) -> Page:
        """A page of the organisers'."""
        address = f"/club/organise{path and f'/{path}'}"
        return Page(self, self.client.get(address, params=parameters or None))

    def send(self, form: Form, given: dict[str, Any], files: Any = None) -> Page:
        """Send a form."""
        if form.method == "get":
            return Page(self, self.client.get(form.action, params=given))
        return Page(self, self.client.post(form.action, data=given, files=files))


Sign = Callable[[str], Visitor]
"""Signs somebody of a role in."""


def tokens_of(path: Path) -> dict[str, str]:
    """A token for each role of a league, each called as the role does."""
    names = {"read": "rita", "record": "rick", "organise": "olga", "own": "omar"}
    with podium.League(path) as league:
        return {role: league.create_token(name, role) for role, name in names.items()}


def last_entry(path: Path) -> dict[str, Any]:
    """The last entry of a league's log."""
    with podium.League(path) as league:
        return league.log(1).to_dicts()[0]


def csv_of(*rows: str, name: str = "week-3.csv") -> dict[str, Any]:
    """A file of these rows, as a form takes it."""
    return {"files": (name, "\n".join(rows).encode(), "text/csv")}


WEEK_3 = ("contest,time,player,rank", "week-3,2026-05-03,ann,1", "week-3,2026-05-03,bob,2")


def upload(visitor: Visitor, files: Any, **values: Any) -> Page:
    """Give files to be recorded; what was understood of them."""
    return visitor.open("record").send("pasted", files, **values)
