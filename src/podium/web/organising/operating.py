"""Every change by a form: filled in, looked at, confirmed."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from podium.errors import (
    ConflictError,
    DifferenceError,
    InputError,
    NotFoundError,
    PodiumError,
    RemovalError,
)
from podium.league import drafts
from podium.web import uploads
from podium.web.doors import Needs, Visitor, limited
from podium.web.operations import OPERATIONS, Amend, Operation
from podium.web.organising import forms, people, ruling
from podium.web.organising.desk import Desk, common, working
from podium.web.organising.fields import FormError, Values, one, several, typed
from podium.web.organising.forms import Form
from podium.web.organising.people import Merging
from podium.web.organising.trying import FIRST, ChangedMeanwhile, Make, Preview, made, tried
from podium.web.organising.uploads import Upload, packed, uploads_in

router = APIRouter(include_in_schema=False)

MEANT = (InputError, NotFoundError, ConflictError)
"""Errors that whoever fills in a form can put right there."""
_OURS = ("csrf", "step", "why", "expecting", "removing", "posted")
"""Fields of a form that are not about the change."""
_STARTS = "Who, how good, and if it is known how uncertain and as of when."
_PEOPLE = (
    "A row for each player: player, by any of their names, display, hidden (yes or no) and "
    "attributes. An empty value changes nothing, and - removes one."
)


def _form(name: str, *without: str, **more: Any) -> Form:
    return Form(OPERATIONS[name], *without, **more)


FORMS: dict[str, Form] = {
    "amend": forms.Amending(OPERATIONS["amend"], here="contests"),
    "add": forms.Adding(OPERATIONS["add"], "rows", here="contests"),
    "disqualify": _form("disqualify", here="contests"),
    "reinstate": _form("reinstate", here="contests"),
    "remove": _form("remove", here="contests"),
    "rename": _form("rename", here="players"),
    "merge": Merging(OPERATIONS["merge"], "keep", here="players"),
    "guest": _form("guest", here="players"),
    "describe": people.Describing(OPERATIONS["describe"], here="players"),
    "describe-players": forms.Tabled(OPERATIONS["describe-players"], (), _PEOPLE, here="players"),
    "attributes": people.Defining(OPERATIONS["attributes"], here="players"),
    "remove-attributes": _form("remove-attributes", here="players"),
    "hide": _form("hide", here="players"),
    "show": _form("show", here="players"),
    "season": ruling.Beginning(OPERATIONS["season"], here="seasons"),
    "remove-season": _form("remove-season", here="seasons"),
    "start": forms.Tabled(
        OPERATIONS["start"], ("player", "rating", "sigma", "time"), _STARTS, here="seasons"
    ),
    "remove-start": _form("remove-start", here="seasons"),
    "undo": _form("undo", here="log", at_once=True),
    "redo": _form("redo", here="log", at_once=True),
    "rules": ruling.Ruling(OPERATIONS["rules"], here="rules"),
    "revise": ruling.Revising(OPERATIONS["revise"], here="revisions"),
    "rollback": _form("rollback", here="revisions"),
}
"""The form of every change but that of recording, which takes several steps."""


def _asked(desk: Desk) -> Values:
    """What the address fills in."""
    pairs: Values = {}
    for name in dict.fromkeys(desk.request.query_params):
        pairs[name] = desk.asked(name)
    return {name: value for name, value in pairs.items() if name not in _OURS}


def show_form(
    desk: Desk,
    form: Form,
    values: Values,
    error: PodiumError | None = None,
) -> Response:
    """The form, with what is in it and what is wrong with that."""
    with desk.snapshot() as view:
        try:
            content = form.content(view, values)
        except MEANT as problem:  # of a contest or a player that is not there
            error = error or problem
            content = form.content(view, {})
        content |= common(view)
    problems = error.problems if isinstance(error, FormError) else {}
    known = {each.name for each in content["fields"]}
    at_top = "" if error is None or problems.keys() & known else _sentence(error)
    if isinstance(error, DifferenceError) and isinstance(form, Merging):
        content["differences"] = form.differences(error, values)
    return desk.show(
        form.template,
        form.here,
        operation=form.operation,
        problem=at_top,
        problems=problems,
        **content,
    )


def _sentence(error: PodiumError) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]


def kept_fields(values: Values) -> list[tuple[str, str]]:
    """What a preview carries on, so that nothing that was typed is lost."""
    return [
        (name, each)
        for name in values
        if name not in _OURS
        for each in several(values, name)
        if each
    ]


def show_preview(
    desk: Desk, form: Form, preview: Preview, error: PodiumError | None = None, **more: Any
) -> Response:
    """What a change would do, to be confirmed."""
    with desk.snapshot() as view:
        content = common(view)
        named = [each["player"] for each in preview.moves[:FIRST]]
        links = desk.links.showing(view.displays(named))
    removed = len(preview.change.removed) if form.operation is Amend else 0
    return desk.show(
        "preview.html",
        form.here,
        links=links,
        operation=form.operation,
        preview=preview,
        removed=removed,
        first=FIRST,
        problem="" if error is None else _sentence(error),
        **{"why": "", "back": None, **content, **more},
    )


def show_done(desk: Desk, said: str, number: int | None) -> Response:
    """Lead on to what was done."""
    if number is None:
        return desk.go("", said=said)
    return desk.go(f"log/{number}", done="yes")


def _get(desk: Desk, form: Form) -> Response:
    values = _asked(desk)
    if form.at_once and values:
        return _look(desk, form, values)
    return show_form(desk, form, values)


def _look(desk: Desk, form: Form, values: Values) -> Response:
    """The preview of what a form says, or the form with what is wrong."""
    try:
        operation = _read(desk, form, values)
        return show_preview(desk, form, tried(desk, operation.make), **_carried(desk, form, values))
    except MEANT as error:
        return show_form(desk, form, values, error)


def _carried(desk: Desk, form: Form, values: Values) -> dict[str, Any]:
    """What a preview says and carries on of a form."""
    with desk.snapshot() as view:
        return {"kept": kept_fields(values), "said": form.told(view, values)}


def _read(desk: Desk, form: Form, values: Values) -> Operation:
    with desk.snapshot() as view:
        return form.read(view, values)


def _post(desk: Desk, form: Form, given: FormData) -> Response:
    values = typed(given)
    step = one(values, "step")
    if step in ("edit", "more"):
        return show_form(desk, form, values)
    try:
        files = uploads_in(given) if form.operation.takes else []
        if files:
            return _waiting(desk, form, values, files)
    except MEANT as error:
        return show_form(desk, form, values, error)
    if step != "confirm":
        return _look(desk, form, values)
    try:
        operation = _read(desk, form, values)
        more = _carried(desk, form, values)
        return confirmed(desk, form, operation.make, values, **more)
    except MEANT as error:
        return show_form(desk, form, values, error)


def confirmed(
    desk: Desk, form: Form, make: Make, values: Values, draft: str | None = None, **more: Any
) -> Response:
    """Make a change that was looked at; if it is not what was looked at, it is shown anew."""
    why, expecting = one(values, "why"), one(values, "expecting")
    try:
        change, number = made(
            desk, make, form.operation.role, expecting=expecting, why=why, draft=draft
        )
    except (ChangedMeanwhile, RemovalError) as error:
        return show_preview(desk, form, tried(desk, make), error, why=why, **more)
    return show_done(desk, change.what, number)


def _waiting(desk: Desk, form: Form, values: Values, files: list[Upload]) -> Response:
    """Keep files until they are confirmed, and lead to what was understood of them."""
    name = form.operation.name
    draft = keep_files(desk, name, files, _without_rows(values))
    return desk.go(f"{name}/{draft}")


def keep_files(desk: Desk, name: str, files: list[Upload], values: Values) -> str:
    """Keep files with what was said of them; what they are found by."""
    who = f"file {desk.visitor.token.id}"
    limited(desk.hosted, who, every=uploads.EVERY, burst=uploads.BURST)
    about, content = packed(files)
    said = {"operation": name, "files": about, "values": values}
    with desk.league.noting() as connection:
        return drafts.keep(connection, desk.visitor.token.id, said, content)


def _without_rows(values: Values) -> Values:
    """What was typed, but for what the file takes the place of."""
    left_out = (*_OURS, "pasted")
    kept = {name: each for name, each in values.items() if not name.startswith("row-")}
    return {name: each for name, each in kept.items() if name not in left_out}


def _routes(name: str, form: Form) -> None:
    """The addresses of one change."""
    role = OPERATIONS[name].role

    def page(request: Request, visitor: Annotated[Visitor, Depends(Needs(role))]) -> Response:
        return _get(Desk(request, visitor), form)

    async def post(request: Request, visitor: Annotated[Visitor, Depends(Needs(role))]) -> Response:
        work = working(lambda desk, given: _post(desk, form, given))
        return await work(request, visitor)  # type: ignore[no-any-return]

    address = f"/{{key}}/organise/{name}"
    router.add_api_route(address, page, methods=["GET"], name=f"organise-{name}")
    router.add_api_route(address, post, methods=["POST"], name=f"organise-{name}-post")


for _name, _each in FORMS.items():
    _routes(_name, _each)
