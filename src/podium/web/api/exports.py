"""Whole tables, sent as they are read: from one state, with little memory, in a thread.

Whoever organises a league may have all of it, and who owns it a copy of the league itself. How many
are on their way at once, `podium.web.security` limits.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import anyio
from anyio import from_thread, to_thread
from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from podium.web import bulk, copies
from podium.web.api.asking import OWN, Hosted, Reading, asking
from podium.web.caching import STATE
from podium.web.doors import Needs

router = APIRouter(prefix="/leagues/{key}", tags=["whole tables"], route_class=Reading)

PATIENCE = 60.0
"""Seconds within which a client has to take a piece."""


class _Stopped(Exception):  # noqa: N818 - nobody sees it
    """Ends the reading of a table that nobody wants any more."""


class Table(Response):
    """A table on its way.

    The view is opened, asked and closed by one thread. Whoever hangs up, or takes nothing for a
    minute, ends it, lest they hold a state of the league for ever.
    """

    def __init__(self, hosted: Any, table: str, form: str) -> None:
        self._hosted, self._table, self._form = hosted, table, form
        self.status_code = 200
        self.background = None
        name = bulk.file_name(hosted.key, table, form)
        self.init_headers(
            {
                "Content-Type": bulk.MEDIA_TYPES[form],
                "Content-Disposition": f'attachment; filename="{name}"',
            }
        )

    def _read(self) -> Iterator[bytes]:
        with asking(self._hosted) as view:
            if self._hosted.with_hidden:
                self.headers.update(OWN)
            else:
                self.headers[STATE] = view.state
            yield from bulk.stream(view, self._table, self._form)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Send it."""
        gone = False

        async def push(piece: bytes) -> None:
            with anyio.fail_after(PATIENCE):
                await send({"type": "http.response.body", "body": piece, "more_body": True})

        async def start() -> None:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )

        def work() -> None:
            begun = False
            for piece in self._read():
                if not begun:
                    begun = True
                    from_thread.run(start)
                if gone:
                    raise _Stopped
                from_thread.run(push, piece)

        async def watch() -> None:
            nonlocal gone
            while (await receive())["type"] != "http.disconnect":
                pass
            gone = True

        error: BaseException | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch)
            try:
                await to_thread.run_sync(work)
            except (_Stopped, TimeoutError):
                gone = True
            except Exception as found:  # to be raised outside of the group, as it is
                error = found
            tasks.cancel_scope.cancel()
        if error is not None:
            raise error
        if not gone:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


@router.get(
    "/export/{table}.{form}",
    response_class=Response,
    responses={
        200: {
            "description": "The whole table.",
            "content": {
                "text/csv": {"schema": {"type": "string"}},
                "application/x-ndjson": {"schema": {"type": "string"}},
                "application/vnd.apache.parquet": {
                    "schema": {"type": "string", "contentMediaType": "application/octet-stream"}
                },
            },
        }
    },
)
def export(
    hosted: Hosted,
    table: Annotated[
        Literal["leaderboard", "history", "standings", "contests"],
        Path(
            description="Which: the leaderboard; the history of all players, contest by contest; "
            "the standings of all contests; or the contests."
        ),
    ],
    form: Annotated[
        Literal["csv", "ndjson", "parquet"],
        Path(description="A table of CSV, a document to a line, or Parquet."),
    ],
) -> Response:
    """A whole table, as it is at one moment; the columns are the fields of the documents."""
    return Table(hosted, table, form)


def _file(kind: str, what: str) -> dict[int | str, dict[str, Any]]:
    """What is answered: a file of some kind."""
    bytes_of_it = {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
    return {200: {"description": what, "content": {kind: bytes_of_it}}}


@router.get(
    "/export.zip",
    response_class=Response,
    dependencies=[Depends(Needs("organise"))],
    responses=_file(copies.ZIP, "All tables in one archive."),
)
def export_all(
    hosted: Hosted,
    format: Annotated[
        Literal["csv", "parquet"], Query(description="The format of the tables.")
    ] = "parquet",
) -> Response:
    """All that the league holds, enough to build the same again by podium init --from."""
    return copies.exported(hosted, format)


@router.get(
    "/backup.db",
    response_class=Response,
    dependencies=[Depends(Needs("own"))],
    responses=_file(copies.SQLITE, "A league in one file."),
)
def backup(hosted: Hosted) -> Response:
    """A copy of the league that is a league, with tokens, webhooks and all."""
    return copies.copied(hosted)
