"""Changes of a league: one route for each of `podium.web.operations`, and what checks a file."""

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from pydantic.fields import FieldInfo
from starlette.responses import Response

from podium.errors import BusyError, InputError, PodiumError
from podium.web import answers, gates, uploads
from podium.web.api.asking import Document, Hosted, refuse_names
from podium.web.api.describing import described, identifier, parameters
from podium.web.api.writing import Key, Said, Writing, checked, parsed, quickly
from podium.web.doors import Needs, Visitor, limited, writing
from podium.web.gates import Gate, RepeatedError
from podium.web.operations import OPERATIONS, Operation
from podium.web.uploads import HowToRead

router = APIRouter(prefix="/leagues/{key}", tags=["changes"], route_class=Writing)

REPEATED = "Idempotent-Replayed"
"""The header of an answer to what was asked for before."""
_SHARED = ("lowest_score_wins", "future")
"""What is said of a change and of reading its file at once."""


def _changing(operation: type[Operation]) -> Any:
    """What answers a request for a change of that kind."""

    async def change(
        request: Request,
        hosted: Hosted,
        visitor: Annotated[Visitor, Depends(Needs(operation.role))],
        once: Key = None,
    ) -> Response:
        body = await request.body()
        name = _file_name(request, operation)
        if name is None:
            wanted, said = await quickly(body, _of_json, operation, body)
        else:
            wanted, said = await run_in_threadpool(
                _of_file, operation, request, hosted, visitor, name, body
            )
        gate = Gate(visitor.token, operation.role, said.top, None if said.dry_run else once)
        gate.request = _digest(operation.name, str(request.query_params), body)
        lane = request.app.state.lanes[hosted.key]
        if not await lane.enter():
            raise BusyError("others are changing the league.")
        try:
            made = await run_in_threadpool(_made, hosted, visitor, wanted, said, gate)
        finally:
            lane.leave()
        if not said.dry_run:
            request.app.state.streams.stir(hosted)
            request.app.state.chores.wake(hosted)
        return made

    change.says_what_it_takes = True  # type: ignore[attr-defined]
    return change


def _made(hosted: Any, visitor: Visitor, operation: Operation, said: Said, gate: Gate) -> Response:
    """Make a change; the answer that tells of it."""
    league, subject = writing(hosted), gates.subject(visitor.token)
    if said.dry_run:
        limited(hosted, subject, every=gates.EVERY, burst=gates.BURST)
    try:
        if gate.key is not None:  # before anything is asked that has changed by it
            with hosted.snapshot() as view:
                gate.recall(view._connection)
        change = operation.make(
            league.guarded(gate),
            who=visitor.name,
            why=said.why,
            dry_run=said.dry_run,
            expecting=said.expecting,
        )
    except RepeatedError as repeated:
        return _document(repeated.answer, {REPEATED: "true"})
    except PodiumError:
        if not said.dry_run:  # what came to nothing was counted by nobody
            limited(hosted, subject, every=gates.EVERY, burst=gates.BURST)
        raise
    if said.dry_run:
        with hosted.league.snapshot(with_hidden=True) as view:
            gate.conclude(view._connection, change)
    return _document(gate.answer)


def _document(body: bytes, headers: Mapping[str, str] | None = None) -> Response:
    return Response(body, headers=headers, media_type="application/json")


def _digest(*parts: str | bytes) -> bytes:
    """What tells requests apart."""
    found = hashlib.sha256()
    for each in parts:
        data = each.encode() if isinstance(each, str) else each
        found.update(b"%d:" % len(data))
        found.update(data)
    return found.digest()


def _of_json(operation: type[Operation], body: bytes) -> tuple[Operation, Said]:
    """What a body of JSON asks for."""
    said = parsed(body)
    refuse_names(said, [*operation.model_fields, *Said.model_fields], "field")
    return checked(operation, said), checked(Said, said)


def _file_name(request: Request, operation: type[Operation] | None) -> str | None:
    """What the file is called that the body of a request is; None if it is none."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    name = request.query_params.get("name")
    if kind in ("application/json", "") and name is None and operation is not None:
        if request.query_params:
            first = next(iter(request.query_params))
            raise InputError(f"{first} stands in the body, which is JSON; parameters are of files.")
        return None
    if operation is not None and operation.takes is None:
        takers = ", ".join(each.name for each in OPERATIONS.values() if each.takes)
        raise InputError(
            f"{operation.name} takes JSON of the type application/json, not {kind}; files are for "
            f"{takers}."
        )
    if name is None and kind not in uploads.NAMES:
        raise InputError(f"podium does not know files of the type {kind}; ?name=week-3.csv tells.")
    return uploads.NAMES[kind] if name is None else name


def _of_file(
    operation: type[Operation],
    request: Request,
    hosted: Any,
    visitor: Visitor,
    name: str,
    body: bytes,
) -> tuple[Operation, Said]:
    """What a file, and the parameters of the address, ask for."""
    assert operation.takes is not None
    said = parameters_in(request, parameters(operation))
    told = checked(Said, said)
    own = {each for each in operation.model_fields if each != operation.takes}
    how = {key: each for key, each in said.items() if key not in own or key in _SHARED}
    options = checked(HowToRead, how).options()
    count_file(hosted, visitor)
    found, _ = uploads.read(operation, name, body, options)
    wanted = {key: each for key, each in said.items() if key in own}
    return checked(operation, {**wanted, operation.takes: found}), told


def count_file(hosted: Any, visitor: Visitor) -> None:
    """Count a file that somebody sends; raise if there were many."""
    subject = f"file {visitor.token.id}"
    limited(hosted, subject, every=uploads.EVERY, burst=uploads.BURST)


def parameters_in(request: Request, known: Mapping[str, FieldInfo]) -> dict[str, Any]:
    """The parameters of an address, of which those that can be said again are lists or objects."""
    found: dict[str, Any] = {}
    refuse_names(request.query_params, ["name", *known], "parameter")
    for name in {*request.query_params} - {"name"}:
        values = request.query_params.getlist(name)
        kind = str(known[name].annotation)
        if "dict[" in kind:
            found[name] = dict(_pair(name, each) for each in values)
        elif "list[" in kind:
            found[name] = values
        elif len(values) > 1:
            raise InputError(f"{name} is given twice, and can be given once.")
        else:
            found[name] = values[0]
    return found


def _pair(name: str, text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise InputError(f"{name} is a pair such as player=handle, not {text!r}.")
    return key, value


async def check(
    request: Request, hosted: Hosted, visitor: Annotated[Visitor, Depends(Needs("record"))]
) -> Response:
    """What would be read of a file, and what the league knows of it; nothing is recorded."""
    body = await request.body()
    name = _file_name(request, None)
    assert name is not None
    return await run_in_threadpool(_checked, request, hosted, visitor, name, body)


def _checked(request: Request, hosted: Any, visitor: Visitor, name: str, body: bytes) -> Response:
    options = checked(HowToRead, parameters_in(request, parameters(None))).options()
    count_file(hosted, visitor)
    with hosted.snapshot() as view:
        found = {**uploads.check(name, body, options, view), "state": view.state}
    return _document(gates.as_bytes(found))


check.says_what_it_takes = True  # type: ignore[attr-defined]


for each in OPERATIONS.values():
    router.add_api_route(
        f"/{each.name}",
        _changing(each),
        methods=["POST"],
        name=identifier(each),
        description=each.__doc__,
        response_model=answers.Made,
        response_class=Document,
        openapi_extra=described(each),
    )
router.add_api_route(
    "/check",
    check,
    methods=["POST"],
    name="check",
    response_model=answers.Check,
    response_class=Document,
    openapi_extra=described(None),
)
