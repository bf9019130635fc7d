"""Webhooks on organisers' pages: which programs are told of changes, and whether it arrives."""

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from podium.errors import InputError, PodiumError
from podium.league import documents
from podium.league.notices import KINDS
from podium.web import sending
from podium.web.organising.desk import Desk, Owner, told, working
from podium.web.organising.fields import Values, one, several, typed
from podium.web.organising.operating import MEANT

router = APIRouter(include_in_schema=False)

MEANINGS = {
    "contest.rated": "contests were rated",
    "rating.changed": "ratings changed",
    "title.reached": "somebody has a higher title",
    "correction.made": "something was put right",
}
"""What each kind of message says."""
_SHOWN = 200


@router.get("/{key}/organise/webhooks")
def webhooks(request: Request, visitor: Owner) -> Response:
    """Which programs are told of changes."""
    return _page(Desk(request, visitor), {})


def _page(
    desk: Desk,
    values: Values,
    error: PodiumError | None = None,
    made: tuple[int, str] | None = None,
) -> Response:
    with desk.snapshot() as view:
        hooks, deliveries = documents(view.webhooks()), documents(view.deliveries(n=_SHOWN))
    return desk.show(
        "webhooks.html",
        "tokens",
        hooks=hooks,
        deliveries=deliveries,
        kinds=[(kind, MEANINGS[kind]) for kind in KINDS],
        chosen=several(values, "kind"),
        values=values,
        problem=told(error),
        made=made,
        said=desk.asked("said"),
    )


@router.post("/{key}/organise/webhooks")
async def change_webhooks(request: Request, visitor: Owner) -> Response:
    """Add a webhook, whose secret is shown once, or do something to one."""
    answer: Response = await working(_change)(request, visitor)
    return answer


def _change(desk: Desk, form: FormData) -> Response:
    values = typed(form)
    step = one(values, "step")
    try:
        if step == "add":
            kinds = several(values, "kind")
            if not kinds:
                raise InputError("a webhook is told of something; choose at least one.")
            outside, address = desk.request.app.state.outside, one(values, "address").strip()
            made = sending.add(desk.hosted, outside, address, kinds, desk.visitor.name)
            return _page(desk, {}, made=made)
        return desk.go("webhooks", said=_done(desk, step, _number(values)))
    except MEANT as error:
        return _page(desk, values if step == "add" else {}, error)


def _number(values: Values) -> int:
    text = one(values, "id")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError("the number of a webhook is needed.")
    return int(text)


def _done(desk: Desk, step: str, number: int) -> str:
    """Do something to a webhook; what was done."""
    who = desk.visitor.name
    if step == "remove":
        desk.league.remove_webhook(number, who=who)
        return f"webhook {number} is removed"
    if step in ("pause", "resume"):
        desk.league.set_webhook(number, step == "resume", who=who)
        return f"webhook {number} is told {'of changes again' if step == 'resume' else 'nothing'}"
    if step == "again":
        count = desk.league.send_again(number)
        desk.changed()
        return f"{count:,} messages are sent again"
    if step == "test":
        outcome = sending.send_test(desk.hosted, desk.request.app.state.outside, number)
        if outcome.problem is not None:
            raise InputError(f"the message did not arrive: {outcome.problem}")
        return f"webhook {number} has taken the message"
    raise InputError("nothing is known that could be done so to a webhook.")
