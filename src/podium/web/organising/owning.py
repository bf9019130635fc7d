"""What only owners do: tokens, who sees the league, and copies of everything."""

import datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from starlette.datastructures import FormData

from podium.errors import InputError, PodiumError
from podium.league import League, documents
from podium.league.access import PRIVATE, PUBLIC, ROLES
from podium.web import copies
from podium.web.gates import Watch
from podium.web.organising.desk import Desk, Organiser, Owner, told, working
from podium.web.organising.fields import Values, one, typed
from podium.web.organising.operating import MEANT

router = APIRouter(include_in_schema=False)

MEANINGS = {
    "read": "sees the league, also when it is private",
    "record": "records results and posts live standings",
    "organise": "makes every other change, sees hidden players and the whole log, exports",
    "own": "gives tokens, says who sees the league, makes copies",
}
"""What each role may do."""


@router.get("/{key}/organise/tokens")
def tokens(request: Request, visitor: Owner) -> Response:
    """Who may do what."""
    return _tokens(Desk(request, visitor), {})


def _tokens(
    desk: Desk, values: Values, error: PodiumError | None = None, made: str = ""
) -> Response:
    with desk.snapshot() as view:
        found, access = documents(view.tokens()), view.access
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    for each in found:
        each["state"] = _state(each, now)
    return desk.show(
        "tokens.html",
        "tokens",
        tokens=found,
        access=access,
        roles=[(role, MEANINGS[role]) for role in ROLES],
        values=values,
        problem=told(error),
        made=made,
        said=desk.asked("said"),
        tomorrow=(now + datetime.timedelta(days=1)).date().isoformat(),
    )


def _state(token: dict[str, Any], now: datetime.datetime) -> str:
    if token["revoked"] is not None:
        return "revoked"
    expires = token["expires"]
    if expires is not None and datetime.datetime.fromisoformat(expires.rstrip("Z")) <= now:
        return "expired"
    return "good"


def _in_charge(desk: Desk) -> League:
    """The league, for an owner who still is one when something is done."""
    return desk.league.guarded(Watch(desk.visitor.token, "own"))


@router.post("/{key}/organise/tokens")
async def change_tokens(request: Request, visitor: Owner) -> Response:
    """Make a token, which is shown once, or revoke one."""
    answer: Response = await working(_change_tokens)(request, visitor)
    return answer


def _change_tokens(desk: Desk, form: FormData) -> Response:
    values = typed(form)
    who = desk.visitor.name
    try:
        if one(values, "step") == "revoke":
            number = one(values, "id")
            if not number.isdigit() or len(number) > 9:
                raise InputError("the number of a token is needed.")
            if int(number) == desk.visitor.token.id and not one(values, "sure"):
                raise InputError(
                    "this is the token by which you are signed in; tick that you are sure."
                )
            _in_charge(desk).revoke_token(int(number), who=who)
            return desk.go("tokens", said=f"token {number} is revoked")
        expires = one(values, "expires").strip() or None
        name = one(values, "name").strip()
        text = _in_charge(desk).create_token(name, one(values, "role"), expires=expires, who=who)
    except MEANT as error:
        return _tokens(desk, values, error)
    return _tokens(desk, {}, made=text)


@router.post("/{key}/organise/access")
async def change_access(request: Request, visitor: Owner) -> Response:
    """Let everybody see the league, or only who has a token."""
    answer: Response = await working(_change_access)(request, visitor)
    return answer


def _change_access(desk: Desk, form: FormData) -> Response:
    to = one(typed(form), "access")
    try:
        _in_charge(desk).set_access(to, who=desk.visitor.name)
    except MEANT as error:
        return _tokens(desk, {}, error)
    seen = {PUBLIC: "everybody sees the league", PRIVATE: "only who has a token sees the league"}
    return desk.go("tokens", said=seen[to])


@router.get("/{key}/organise/export.zip")
async def export(request: Request, visitor: Organiser) -> Response:
    """All that the league holds, as tables."""
    desk = Desk(request, visitor)
    form = desk.asked("format") or "csv"
    return await run_in_threadpool(copies.exported, desk.hosted, form)


@router.get("/{key}/organise/backup.db")
async def backup(request: Request, visitor: Owner) -> Response:
    """A copy of the league that is a league."""
    return await run_in_threadpool(copies.copied, Desk(request, visitor).hosted)
