"""The API for reading, under /api/v1: the documents that ``--json`` prints, from one state each.

`router` is all of it. `asking` says what a request may ask and how it is answered, `paging` how
long tables come in pages; `leagues`, `ratings`, `contests`, `reasons` and `exports` are the
questions, and `reference` describes them, to programs and to people.
"""

from typing import Any

from fastapi import APIRouter, Depends

from podium.web import problems, schemas
from podium.web.api import contests, exports, leagues, ratings, reasons, reference
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
for each in (leagues, ratings, contests, reasons, exports):
    router.include_router(each.router)
reference.describe(router)
