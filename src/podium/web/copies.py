"""Copies of a whole league, as files that are sent: all of its tables, or the league itself."""

import datetime
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from fastapi.responses import Response, StreamingResponse
from starlette.background import BackgroundTask

from podium.web.catalogue import Hosted

_PIECE = 2**18
ZIP, SQLITE = "application/zip", "application/vnd.sqlite3"
"""What the files are."""


def exported(hosted: Hosted, form: str) -> Response:
    """All that a league holds, as tables of a form in one archive."""

    def write(folder: Path, whole: Path) -> None:
        tables = folder / "tables"
        with hosted.snapshot(with_hidden=True) as view:
            view.export(tables, format=form)
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(tables.rglob("*")):
                if path.is_file():
                    archive.write(path, f"{hosted.key}/{path.relative_to(tables).as_posix()}")

    return _made(write, f"{hosted.key}-export.zip", ZIP)


def copied(hosted: Hosted) -> Response:
    """A copy of a league that is a league."""
    day = datetime.datetime.now(datetime.UTC).date()
    return _made(lambda _, whole: hosted.league.backup(whole), f"{hosted.key}-{day}.db", SQLITE)


def _made(write: Callable[[Path, Path], object], name: str, kind: str) -> Response:
    """A file that is there until it is sent, or nobody wants it any more."""
    folder = tempfile.TemporaryDirectory(prefix="podium-")
    path = Path(folder.name, "whole")
    try:
        write(Path(folder.name), path)
    except BaseException:
        folder.cleanup()
        raise

    def pieces() -> Iterator[bytes]:
        try:
            with path.open("rb") as file:
                while piece := file.read(_PIECE):
                    yield piece
        finally:
            folder.cleanup()

    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Content-Length": str(path.stat().st_size),
        "Cache-Control": "no-store",
    }
    gone = BackgroundTask(folder.cleanup)
    return StreamingResponse(pieces(), media_type=kind, headers=headers, background=gone)
