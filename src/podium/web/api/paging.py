"""Pages of long tables: a cursor says where one ended, and in which state of the league."""

import base64
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from podium.errors import ConflictError, InputError
from podium.league import View

_MOST = 2**40


def cursor(state: str, position: int) -> str:
    """Where a page ended.

    Example:
        >>> position("7-a3", cursor("7-a3", 100))
        100
    """
    text = json.dumps([state, position], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def position(state: str, after: str | None) -> int:
    """The rows that earlier pages had, if they are of the same state."""
    if after is None:
        return 0
    try:
        padded = after + "=" * (-len(after) % 4)
        found = json.loads(base64.b64decode(padded.encode("ascii"), b"-_", validate=True))
        was, skip = found
        whole = isinstance(was, str) and type(skip) is int and 0 <= skip <= _MOST
    except (ValueError, TypeError, RecursionError):
        whole = False
    if not whole:
        raise InputError(
            "after is not what the header Link of a page says; without it, the first page comes."
        )
    if was != state:
        raise ConflictError("the league has changed since the first page; begin again.")
    return int(skip)


def following(
    request: Request, view: View, skip: int, shown: int, in_all: int
) -> Mapping[str, str]:
    """The header that leads to the next page, if there is one."""
    return next_page(request, view.state, skip, shown, in_all)


def next_page(
    request: Request, state: str, skip: int, shown: int, in_all: int
) -> Mapping[str, str]:
    """The same of what is in some state.

    It is a reference to the same path, and so right behind any proxy.
    """
    end = skip + shown
    if end >= in_all or not shown:
        return {}
    kept: list[tuple[str, Any]] = [
        (name, value) for name, value in request.query_params.multi_items() if name != "after"
    ]
    query = urlencode([*kept, ("after", cursor(state, end))], errors="replace")
    return {"Link": f'<?{query}>; rel="next"'}
