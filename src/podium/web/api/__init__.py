"""The API, under /api/v1: the documents that ``--json`` prints, from one state each.

`router` is all of it. `asking` says what a request may ask and how it is answered, `paging` how
long tables come in pages; `leagues`, `ratings`, `contests`, `reasons` and `exports` are the
questions, and `organising` those of organisers. `writing` says how something is sent, `changing`
has all changes of a league, with `describing`, `tokens` says who may make them, `live` has contests
that run, `matchmaking` who should meet whom; and `reference` describes everything, to programs and
to people.
"""

from typing import Any

from fastapi import APIRouter, Depends

from podium.web import problems, schemas
from podium.web.api import (
    changing,
    contests,
    events,
    exports,
    leagues,
    live,
    matches,
    matchmaking,
    organising,
    ratings,
    reasons,
    reference,
    tokens,
    webhooks,
)
from podium.web.api.asking import Document, Reading, refuse_unknown

__all__ = ["Document", "router"]


def _responses() -> dict[int | str, dict[str, Any]]:
    """The problems that every question may have."""
    told: dict[int, list[str]] = {}
    for kind in problems.KINDS:
        told.setdefault(kind.status, []).append(kind.title)
    return {
        status: {
            "description": "; ".join(titles) + ".",
            "content": {
                problems.MEDIA_TYPE: {"schema": {"$ref": f"#/components/schemas/{_PROBLEM}"}}
            },
        }
        for status, titles in told.items()
    }


_PROBLEM = schemas.Problem.__name__

router = APIRouter(
    prefix="/api/v1",
    route_class=Reading,
    dependencies=[Depends(refuse_unknown)],
    responses=_responses(),
    generate_unique_id_function=lambda route: route.name,
)
for each in (
    matches,  # which come by the thousands, and are looked for first
    *(leagues, ratings, contests, reasons, exports, organising),
    *(changing, webhooks, events),
):
    router.include_router(each.router)
for routes in (live.reading, live.posting, matchmaking.router, tokens.asked, tokens.router):
    router.include_router(routes)
reference.describe(router)
