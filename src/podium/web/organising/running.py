"""Contests that run, on organisers' pages: standings are posted, or fetched from an address."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData

from podium.errors import AccessError, InputError, PodiumError
from podium.league.live import LATEST, SOONEST
from podium.results.options import Options
from podium.web import uploads
from podium.web.organising.desk import Desk, Recorder, told, working
from podium.web.organising.fields import Values, one, typed
from podium.web.organising.operating import MEANT
from podium.web.organising.options import options_of, reading_fields
from podium.web.organising.uploads import Reading, uploads_in
from podium.wording import counted

router = APIRouter(include_in_schema=False)

_USUALLY = 30
"""Seconds from one fetching to the next."""


@router.get("/{key}/organise/live")
def live(request: Request, visitor: Recorder) -> Response:
    """The contests that run, and how their standings come."""
    return _page(Desk(request, visitor), {})


def _page(desk: Desk, values: Values, error: PodiumError | None = None) -> Response:
    with desk.snapshot() as view:
        found = [_listed(each, desk) for each in view.live_contests()]
    asked, others = reading_fields("live", values, Reading(error=str(error or "")))
    return desk.show(
        "live.html",
        "live",
        running=found,
        values=values,
        contest=one(values, "contest") or desk.asked("contest"),
        asked=asked,
        others=others,
        problem=told(error),
        said=desk.asked("said"),
        usually=_USUALLY,
        soonest=SOONEST,
        latest=LATEST,
    )


def _listed(live: Any, desk: Desk) -> dict[str, Any]:
    """A contest that runs; from where it is fetched is for who may say so."""
    may = desk.allows("organise")
    names = ("source", "every", "problem")
    return {**live.about(), **{name: getattr(live, name) if may else None for name in names}}


@router.post("/{key}/organise/live")
async def change_live(request: Request, visitor: Recorder) -> Response:
    """Post standings, say where they are fetched, or that a contest runs no longer."""
    answer: Response = await working(_change)(request, visitor)
    return answer


def _change(desk: Desk, form: FormData) -> Response:
    values = typed(form)
    try:
        said = _done(desk, one(values, "step"), values, form)
    except MEANT as error:
        return _page(desk, values, error)
    desk.changed()
    return desk.go("live", said=said)


def _done(desk: Desk, step: str, values: Values, form: FormData) -> str:
    """Do something to a contest; what was done."""
    contest, who = one(values, "contest").strip(), desk.visitor.name
    if not contest:
        raise InputError("the identifier of the contest is needed, by which it is recorded later.")
    if step == "post":
        return _posted(desk, contest, values, form)
    if step == "end":
        desk.league.end_live(contest, who=who)
        return f"contest {contest} is live no more"
    if step not in ("fetch", "stop"):
        raise InputError("nothing is known that could be done so to a contest that runs.")
    if not desk.allows("organise"):
        raise AccessError("from where standings are fetched is said by who may organise.")
    if step == "stop":
        desk.league.poll_live(contest, None, who=who)
        return f"the standings of contest {contest} are fetched no longer"
    address, every = one(values, "address").strip(), one(values, "every").strip() or str(_USUALLY)
    if not (every.isascii() and every.isdigit() and len(every) < 6):
        raise InputError(f"seconds are a whole number, not {every!r}.")
    desk.request.app.state.outside.check(address)
    how = _options(values).document()
    desk.league.poll_live(contest, address, every=int(every), who=who, **how)
    return f"the standings of contest {contest} are fetched every {every} seconds"


def _posted(desk: Desk, contest: str, values: Values, form: FormData) -> str:
    files = uploads_in(form)
    if len(files) != 1:
        raise InputError("the standings are one file, or one table that is pasted.")
    league, given = desk.league, _options(values)
    time = given.time if given.time is not None else str(league.live_time(contest))
    options = Options.of({**given.document(), "time": time, "future": True})
    standings = uploads.standings(files[0].name, files[0].data, options)
    name = one(values, "name").strip() or None
    found = league.post_live(contest, standings, name=name, who=desk.visitor.name)
    players = counted(found.participants, "player")
    return f"contest {contest} is live: {players}, version {found.version}"


def _options(values: Values) -> Options:
    return options_of(values)[0]
