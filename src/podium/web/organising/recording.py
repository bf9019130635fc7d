"""Recording results: files or what was typed, what was understood of it, what would change."""

import datetime
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from podium.checking import CheckedLeague, in_league
from podium.errors import InputError, PodiumError
from podium.extras import is_installed
from podium.league import View, drafts
from podium.league.drafts import Draft
from podium.web.doors import Needs, Visitor
from podium.web.operations import OPERATIONS, Operation, Record
from podium.web.organising.desk import Desk, Recorder, common, told, working
from podium.web.organising.fields import (
    Field,
    Values,
    fields_of,
    one,
    operation_of,
    said,
    several,
    typed,
)
from podium.web.organising.forms import BLANK, Form, rows_in, with_blank
from podium.web.organising.operating import (
    FORMS,
    MEANT,
    confirmed,
    keep_files,
    show_preview,
)
from podium.web.organising.options import PREFIX, options_of, reading_fields
from podium.web.organising.trying import tried
from podium.web.organising.typing import COLUMNS, typed_results
from podium.web.organising.uploads import Reading, Readings, uploads_in

router = APIRouter(include_in_schema=False)

RECORD = Form(Record, here="record")
_SHOWN = 100
"""Newcomers and contests that are listed."""
_SAME, _NAMED = "same-", "named-"
_CHOSEN = ("rated", "floor", "ceiling", "guests", "leave_known")


@router.get("/{key}/organise/record")
def record_page(request: Request, visitor: Recorder) -> Response:
    """Where results are given."""
    return _start(Desk(request, visitor), {})


def _start(desk: Desk, values: Values, error: PodiumError | None = None) -> Response:
    with desk.snapshot() as view:
        content = common(view)
        free = _free_identifier(view)
        matches = view.system.most_players == 2
    with desk.league.noting() as connection:
        waiting = drafts.waiting(connection, desk.visitor.token.id)
    problem = told(error)
    return desk.show(
        "record.html",
        "record",
        operation=Record,
        problem=problem,
        values=values,
        rows=with_blank(rows_in(values, COLUMNS), COLUMNS, values)[: max(BLANK, _rows(values))],
        today=datetime.datetime.now(datetime.UTC).date().isoformat(),
        free=free,
        only_matches=matches,
        typing=one(values, "way"),
        waiting=[_listed(each) for each in waiting],
        **content,
    )


def _rows(values: Values) -> int:
    return len(rows_in(values, COLUMNS)) + (BLANK if one(values, "step") == "more" else 3)


def _listed(draft: dict[str, Any]) -> dict[str, Any]:
    about = draft["about"]
    return {
        "address": f"{about['operation']}/{draft['id']}",
        "title": OPERATIONS[about["operation"]].title,
        "files": [each["name"] for each in about["files"]],
        "time": datetime.datetime.fromtimestamp(draft["time"] / 1e6, datetime.UTC),
    }


def _free_identifier(view: View) -> str:
    """A name for a contest of today that is not taken."""
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    taken = set(view.contest_page(_SHOWN, matching=day)[0]["contest"].to_list())
    number, name = 1, day
    while name in taken:
        number += 1
        name = f"{day}-{number}"
    return name


@router.post("/{key}/organise/record")
async def record(request: Request, visitor: Recorder) -> Response:
    """Take files, or what was typed, and lead to what was understood."""
    answer: Response = await working(_given)(request, visitor)
    return answer


def _given(desk: Desk, form: FormData) -> Response:
    values = typed(form)
    if one(values, "step") == "more":
        return _start(desk, values)
    try:
        files = [*uploads_in(form), *typed_results(values)]
        if not files:
            raise InputError("there are no results yet; choose a file, paste a table or type them.")
        draft = keep_files(desk, "record", files, _options_in(values))
    except MEANT as error:
        return _start(desk, values, error)
    return desk.go(f"record/{draft}")


def _options_in(values: Values) -> Values:
    return {name: each for name, each in values.items() if name.startswith(PREFIX)}


def _found(desk: Desk, name: str, id: str) -> Draft:
    with desk.league.noting() as connection:
        draft = drafts.find(connection, desk.visitor.token.id, id)
    if draft.about["operation"] != name:
        raise InputError("these files were given for something else.")
    return draft


def _reading(desk: Desk, draft: Draft, values: Values) -> Reading:
    readings: Readings = desk.request.app.state.readings
    try:
        options, chosen = options_of(values)
    except PodiumError as error:
        return Reading(error=str(error))
    return readings.of(draft, options, chosen)


def _operation(desk: Desk, name: str, reading: Reading, values: Values) -> Operation:
    """The change that files and what was said of them ask for."""
    if reading.error is not None:
        raise InputError(reading.error)
    given = reading.contests if reading.rows is None else reading.rows
    if name != "record":
        with desk.snapshot() as view:
            what = OPERATIONS[name].takes or "results"
            lowest = bool(one(values, f"{PREFIX}lowest_score_wins"))
            extra = {"lowest_score_wins": lowest} if name == "add" else {}
            return FORMS[name].read(view, values, **{what: given}, **extra)
    chosen = said(values, _record_fields(values)) if "chose" in values else {}
    near = is_installed("rapidfuzz")
    return operation_of(Record, {**chosen, "results": given, "same": same_in(values), "near": near})


def same_in(values: Values) -> dict[str, str]:
    """Who is meant by names that are almost known, as it was chosen.

    Example:
        >>> same_in({"named-0": "Anne", "same-0": "ann", "named-1": "Bo", "same-1": ""})
        {'Anne': 'ann'}
    """
    found = {}
    for name in values:
        if name.startswith(_NAMED):
            number = name.removeprefix(_NAMED)
            meant = one(values, f"{_SAME}{number}")
            if meant == "?":
                meant = one(values, f"other-{number}").strip()
            if meant:
                found[one(values, name)] = meant
    return found


def _draft_page(desk: Desk, name: str, id: str) -> Response:
    draft = _found(desk, name, id)
    values: Values = draft.about["values"]
    if desk.asked("step") == "preview":
        return _preview(desk, name, draft, values)
    return _understood(desk, name, draft, values)


def _preview(desk: Desk, name: str, draft: Draft, values: Values) -> Response:
    reading = _reading(desk, draft, values)
    try:
        operation = _operation(desk, name, reading, values)
        preview = tried(desk, operation.make)
    except MEANT as error:
        return _understood(desk, name, draft, values, error)
    return show_preview(desk, _form_of(name), preview, **_of_preview(desk, name, draft, values))


def _form_of(name: str) -> Form:
    return RECORD if name == "record" else FORMS[name]


def _of_preview(desk: Desk, name: str, draft: Draft, values: Values) -> dict[str, Any]:
    return {
        "kept": [],
        "back": desk.links.organise(f"{name}/{draft.id}"),
        "said": _summary(values) if name == "record" else [],
        "files": [each["name"] for each in draft.about["files"]],
    }


def _summary(values: Values) -> list[str]:
    """What was said besides the results, in words."""
    found = [f"{name} is {other}." for name, other in same_in(values).items()]
    if "chose" in values and not one(values, "rated"):
        found.append("Kept, but nobody is rated.")
    if one(values, "floor").strip():
        found.append(f"Only players whose rating is at least {one(values, 'floor')} are rated.")
    if one(values, "ceiling").strip():
        found.append(f"Only players whose rating is below {one(values, 'ceiling')} are rated.")
    guests = [each.strip() for each in one(values, "guests").splitlines() if each.strip()]
    if guests:
        found.append(f"Guests, who are not rated: {', '.join(guests)}.")
    if one(values, "leave_known"):
        found.append("Contests that are there already stay as they are.")
    return found


def _understood(
    desk: Desk, name: str, draft: Draft, values: Values, error: PodiumError | None = None
) -> Response:
    reading = _reading(desk, draft, values)
    with desk.snapshot() as view:
        content = common(view)
        read = [] if reading.report is None else reading.report.files
        contests = [each.contests for each in read if each.contests is not None]
        league = in_league(view, contests) if name == "record" and contests else None
        at = _as_of(reading, league)
    asked, others = reading_fields(name, values, reading)
    problem = reading.error or ("" if error is None else str(error))
    return desk.show(
        "understood.html",
        _form_of(name).here,
        operation=_form_of(name).operation,
        draft=draft,
        files=draft.about["files"],
        found=reading.plain(_documents(reading)),
        readable=reading.error is None,
        problem=problem,
        asked=asked,
        others=others,
        fields=_record_fields(values) if name == "record" else [],
        questions=_questions(league, values),
        newcomers=[] if league is None else league.newcomers[:_SHOWN],
        newcomer_count=0 if league is None else len(league.newcomers),
        league=league,
        kept=[(key, each) for key in _said_before(name, values) for each in several(values, key)],
        **at,
        **content,
    )


def _said_before(name: str, values: Values) -> list[str]:
    """What was said in the form before the file, which the page about the file carries on."""
    return [] if name == "record" else [key for key in values if not key.startswith(PREFIX)]


def _as_of(reading: Reading, league: CheckedLeague | None) -> dict[str, Any]:
    report = reading.report
    alike = [] if report is None else report.near.rows()
    known = set() if league is None else set(league.near["name"].to_list())
    return {
        "alike": [each for each in alike if not known & set(each)][:_SHOWN],
        "twice": [] if report is None else report.in_two_files.rows()[:_SHOWN],
    }


def _documents(reading: Reading) -> list[dict[str, Any]]:
    if reading.report is not None:
        return [each.document() for each in reading.report.files]
    if reading.understanding is None:
        return []
    rows = reading.rows
    first = [] if rows is None else rows.head(5).to_dicts()
    return [
        {
            "path": "",
            "error": None,
            **reading.understanding.document(),
            "results": 0 if rows is None else rows.height,
            "contests": None,
            **dict.fromkeys(("from_name", "repeated_rows"), None),
            **{key: [] for key in ("odd_dates", "small_contests", "same_results")},
            "first": [{key: str(value) for key, value in row.items()} for row in first],
        }
    ]


def _record_fields(values: Values) -> list[Field]:
    """Who is to be rated, as it was chosen, or as it usually is."""
    chose = "chose" in values
    return [
        replace(each, value=one(values, each.name) if chose else each.default, meaning="")
        for each in fields_of(Record)
        if each.name in _CHOSEN
    ]


def _questions(league: CheckedLeague | None, values: Values) -> list[dict[str, Any]]:
    """Names that are almost known, with who may be meant, and what was chosen."""
    if league is None:
        return []
    before = same_in(values)
    meant: dict[str, list[str]] = {}
    for name, like in league.near.iter_rows():
        meant.setdefault(name, []).append(like)
    return [
        {"name": name, "likes": likes[:5], "chosen": before.get(name, "")}
        for name, likes in list(meant.items())[:_SHOWN]
    ]


def _post(desk: Desk, name: str, id: str, form: FormData) -> Response:
    draft = _found(desk, name, id)
    given = typed(form)
    step = one(given, "step")
    if step == "discard":
        with desk.league.noting() as connection:
            drafts.drop(connection, draft.id)
        return desk.go("", said="the files were discarded")
    if step == "confirm":
        return _confirm(desk, name, draft, given)
    ours = ("csrf", "step")
    values = {key: each for key, each in given.items() if key not in ours}
    with desk.league.noting() as connection:
        drafts.say(connection, draft, {**draft.about, "values": values})
    more = {"step": "preview"} if step == "preview" else {}
    return desk.go(f"{name}/{id}", **more)


def _confirm(desk: Desk, name: str, draft: Draft, given: Values) -> Response:
    values: Values = draft.about["values"]
    reading = _reading(desk, draft, values)
    try:
        said_before = {**values, "removing": one(given, "removing")}
        operation = _operation(desk, name, reading, said_before)
        more = _of_preview(desk, name, draft, values)
        return confirmed(desk, _form_of(name), operation.make, given, draft.id, **more)
    except MEANT as error:
        return _understood(desk, name, draft, values, error)


def _routes(name: str) -> None:
    """The addresses of files that wait for one kind of change."""
    role = OPERATIONS[name].role

    def page(
        request: Request, visitor: Annotated[Visitor, Depends(Needs(role))], draft: str
    ) -> Response:
        return _draft_page(Desk(request, visitor), name, draft)

    async def post(
        request: Request, visitor: Annotated[Visitor, Depends(Needs(role))], draft: str
    ) -> Response:
        work = working(lambda desk, given: _post(desk, name, draft, given))
        return await work(request, visitor)  # type: ignore[no-any-return]

    address = f"/{{key}}/organise/{name}/{{draft}}"
    router.add_api_route(address, page, methods=["GET"], name=f"organise-{name}-draft")
    router.add_api_route(address, post, methods=["POST"], name=f"organise-{name}-draft-post")


for _each in OPERATIONS.values():
    if _each.takes:
        _routes(_each.name)
