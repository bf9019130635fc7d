"""Files that were given to a site to be recorded, until somebody confirms it.

A draft belongs to the token by which it was given, and nobody else finds it. It is kept for a day;
of one token there are only so many, of which the oldest makes room, and all of them together take
only so much space.
"""

import json
import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from podium.errors import BusyError, InputError, NotFoundError
from podium.league import schema
from podium.league.database import now

LARGEST = 32 * 2**20
"""Bytes of one of them."""
MOST = 20
"""Of one token."""
ALL = 512 * 2**20
"""Bytes of all drafts of a league together."""
LONGEST = 256 * 2**10
"""Characters of what is said of one."""
_DAY = 86_400 * 10**6
_BYTES = 16


@dataclass(frozen=True)
class Draft:
    """Files that wait."""

    id: str
    token: int
    about: dict[str, Any]
    """What was said of them."""
    content: bytes


def keep(connection: Connection, token: int, about: dict[str, Any], content: bytes) -> str:
    """Keep files for a day; what they are found by."""
    if len(content) > LARGEST:
        raise InputError(
            f"the files have {len(content):,} bytes together; at most {LARGEST:,} are taken."
        )
    t, moment = schema.drafts, now()
    connection.execute(delete(t).where(t.c.time < moment - _DAY))
    mine = select(t.c.id).where(t.c.token_id == token).order_by(t.c.time.desc(), t.c.id)
    older = [row.id for row in connection.execute(mine.offset(MOST - 1))]
    connection.execute(delete(t).where(t.c.id.in_(older)))
    size = connection.execute(select(func.sum(func.length(t.c.content)))).scalar() or 0
    if size + len(content) > ALL:
        raise BusyError("too many files wait to be confirmed; record or discard some of them.")
    called = secrets.token_urlsafe(_BYTES)
    connection.execute(
        insert(t).values(
            id=called, token_id=token, time=moment, about=_written(about), content=content
        )
    )
    return called


def find(connection: Connection, token: int, id: str) -> Draft:
    """The draft of that name; one of somebody else, or of yesterday, is not found."""
    t = schema.drafts
    mine = (t.c.id == id) & (t.c.token_id == token) & (t.c.time >= now() - _DAY)
    row = connection.execute(select(t).where(mine)).first()
    if row is None:
        raise NotFoundError(
            "these files are here no more: they were recorded or discarded, or waited for longer "
            "than a day."
        )
    return Draft(row.id, row.token_id, json.loads(row.about), bytes(row.content))


def say(connection: Connection, draft: Draft, about: dict[str, Any]) -> None:
    """Let something else be said of a draft."""
    t = schema.drafts
    connection.execute(update(t).where(t.c.id == draft.id).values(about=_written(about)))


def _written(about: dict[str, Any]) -> str:
    text = json.dumps(about)
    if len(text) > LONGEST:
        raise InputError(f"{len(text):,} characters are said of a file; {LONGEST:,} is most.")
    return text


def drop(connection: Connection, id: str) -> bool:
    """Forget a draft; whether it was there."""
    t = schema.drafts
    return bool(connection.execute(delete(t).where(t.c.id == id)).rowcount)


def waiting(connection: Connection, token: int) -> list[dict[str, Any]]:
    """What waits for somebody, the latest first: id, time, and what was said of each."""
    t = schema.drafts
    mine = (t.c.token_id == token) & (t.c.time >= now() - _DAY)
    asked = select(t.c.id, t.c.time, t.c.about).where(mine).order_by(t.c.time.desc(), t.c.id)
    return [
        {"id": row.id, "time": row.time, "about": json.loads(row.about)}
        for row in connection.execute(asked)
    ]
