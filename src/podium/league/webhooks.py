"""Where notices of a league are sent to, and which of them are on their way.

What is due is sent by a site, one process at a time; whatever comes of an attempt is noted here.
"""

import base64
import json
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from sqlalchemy import Connection, and_, case, delete, func, insert, select, update

from podium.errors import ConflictError, InputError, NotFoundError, StorageError
from podium.league import schema
from podium.league.database import check_text, fetch, last, now
from podium.sites import site_of
from podium.wording import listed, suggestion

MOST = 50
"""Webhooks that a league has."""
PREFIX = "whsec_"
_BYTES = 32
_TIMES = ("created", "time", "due", "delivered")
_HOOKS = {
    "id": pl.Int64,
    "address": pl.String,
    "kinds": pl.List(pl.String),
    "active": pl.Boolean,
    "created": pl.Int64,
    "creator": pl.String,
    "waiting": pl.Int64,
    "failed": pl.Int64,
    "delivered": pl.Int64,
}
_DELIVERIES = {
    "webhook": pl.Int64,
    "notice": pl.Int64,
    "kind": pl.String,
    "entry": pl.Int64,
    "time": pl.Int64,
    "attempts": pl.Int64,
    "due": pl.Int64,
    "delivered": pl.Int64,
    "status": pl.Int64,
    "problem": pl.String,
}


@dataclass(frozen=True)
class Webhook:
    """A program that is told of changes."""

    id: int
    address: str
    secret: str
    """What its messages are signed with."""
    kinds: tuple[str, ...]
    active: bool

    @property
    def shown(self) -> str:
        """Where it is, without what may be secret of its address."""
        return site_of(self.address).shown


@dataclass(frozen=True)
class Delivery:
    """A notice on its way to a webhook."""

    webhook: Webhook
    notice: int
    attempts: int
    """How often it was tried."""


def checked_kinds(kinds: Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """Kinds of notices, in the order in which they are known; all of them if nothing is said."""
    if kinds is None:
        return list(known)
    wanted = [kinds] if isinstance(kinds, str) else list(kinds)
    for each in wanted:
        if each not in known:
            raise InputError(
                f"{each!r} is nothing that a webhook is told{suggestion(each, known)}; it can be "
                f"{listed(known)}."
            )
    if not wanted:
        raise InputError(f"a webhook is told something: {listed(known)}.")
    return [each for each in known if each in wanted]


def add(
    connection: Connection, address: str, kinds: Sequence[str], creator: str
) -> tuple[Webhook, str]:
    """Let a program be told; what it is, and the secret by which it knows what is ours."""
    check_text("the address of a webhook", address)
    site_of(address)
    w = schema.webhooks
    if (connection.execute(select(func.count()).select_from(w)).scalar() or 0) >= MOST:
        raise ConflictError(f"a league has at most {MOST} webhooks; remove one of them first.")
    secret = PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()
    made = Webhook(1 + last(connection, w.c.id), address, secret, tuple(kinds), active=True)
    connection.execute(
        insert(w).values(
            id=made.id,
            address=address,
            secret=secret,
            kinds=json.dumps(list(kinds)),
            created=now(),
            creator=creator,
            active=True,
        )
    )
    return made, secret


def remove(connection: Connection, number: int) -> Webhook:
    """Let a program be told nothing any more; what was on its way does not arrive."""
    found = of_number(connection, number)
    w, d = schema.webhooks, schema.deliveries
    connection.execute(delete(d).where(d.c.webhook_id == number))
    connection.execute(delete(w).where(w.c.id == number))
    return found


def set_active(connection: Connection, number: int, active: bool) -> Webhook:
    """Let a program be told of changes from now on, or of none."""
    if not isinstance(active, bool):
        raise InputError(f"active must be True or False, not {active!r}.")
    found = of_number(connection, number)
    if found.active == active:
        raise ConflictError(f"webhook {number} is {'' if active else 'in'}active already.")
    w = schema.webhooks
    connection.execute(update(w).where(w.c.id == number).values(active=active))
    return found


def of_number(connection: Connection, number: int) -> Webhook:
    """The webhook of that number; an unknown one is an error."""
    w = schema.webhooks
    row = None
    if isinstance(number, int) and 0 < number < 2**31:
        row = connection.execute(select(w).where(w.c.id == number)).first()
    if row is None:
        raise NotFoundError(
            f"there is no webhook {number}; podium webhook LEAGUE list shows all of them."
        )
    return _webhook(row)


def _webhook(row: Any) -> Webhook:
    return Webhook(row.id, row.address, row.secret, tuple(_kinds(row.kinds)), bool(row.active))


def _kinds(text: str) -> list[str]:
    try:
        kinds = json.loads(text)
    except (TypeError, ValueError):
        kinds = None
    if not isinstance(kinds, list) or not all(isinstance(each, str) for each in kinds):
        raise StorageError("the database is damaged: what a webhook is told cannot be read.")
    return kinds


def all_webhooks(connection: Connection) -> pl.DataFrame:
    """All webhooks, without their secrets: how many notices wait, have failed, and arrived when."""
    w, d = schema.webhooks, schema.deliveries
    waiting = func.count(d.c.due)
    failed = func.count(d.c.notice_id) - func.count(d.c.due) - func.count(d.c.delivered)
    rows = connection.execute(
        select(
            *(w.c[each] for each in ("id", "address", "kinds", "active", "created", "creator")),
            waiting,
            failed,
            func.max(d.c.delivered),
        )
        .select_from(w)
        .join(d, d.c.webhook_id == w.c.id, isouter=True)
        .group_by(w.c.id)
        .order_by(w.c.id)
    ).all()
    return _table([(*row[:2], _kinds(row[2]), *row[3:]) for row in rows], _HOOKS)


def all_deliveries(
    connection: Connection, webhook: int | None, most: int, *, failed: bool = False
) -> pl.DataFrame:
    """Notices on their way and those that arrived, the latest first; or only those given up."""
    d, n = schema.deliveries, schema.notices
    asked = (
        select(
            d.c.webhook_id,
            d.c.notice_id,
            n.c.kind,
            n.c.entry,
            n.c.time,
            *(d.c[each] for each in ("attempts", "due", "delivered", "status", "problem")),
        )
        .join(n, n.c.id == d.c.notice_id)
        .order_by(d.c.notice_id.desc(), d.c.webhook_id)
        .limit(most)
    )
    if webhook is not None:
        asked = asked.where(d.c.webhook_id == of_number(connection, webhook).id)
    if failed:
        asked = asked.where(_given_up())
    return _table(connection.execute(asked).all(), _DELIVERIES)


def _given_up() -> Any:
    d = schema.deliveries
    return and_(d.c.due.is_(None), d.c.delivered.is_(None))


def _table(rows: Sequence[Any], kinds: dict[str, Any]) -> pl.DataFrame:
    columns: Iterable[Any] = zip(*rows, strict=True) if rows else [()] * len(kinds)
    found = pl.DataFrame(
        [
            pl.Series(name, list(values), kind)
            for (name, kind), values in zip(kinds.items(), columns, strict=True)
        ]
    )
    return found.with_columns(
        pl.col(each).cast(pl.Datetime("us")) for each in _TIMES if each in kinds
    )


def next_due(connection: Connection, busy: Collection[int] = ()) -> int | None:
    """When the next attempt is to be made, to others than those who are busy; None for never."""
    return connection.execute(
        select(func.min(schema.deliveries.c.due)).where(_awaited(busy))
    ).scalar()


def due(connection: Connection, busy: Collection[int] = ()) -> list[Delivery]:
    """Of every webhook that is not busy, the earliest notice that is due."""
    d, w = schema.deliveries, schema.webhooks
    first = (
        select(d.c.webhook_id, func.min(d.c.notice_id).label("notice_id"))
        .where(d.c.due <= now(), _awaited(busy))
        .group_by(d.c.webhook_id)
        .subquery()
    )
    same = (d.c.webhook_id == first.c.webhook_id) & (d.c.notice_id == first.c.notice_id)
    asked = (
        select(w, d.c.notice_id, d.c.attempts)
        .join(d, d.c.webhook_id == w.c.id)
        .join(first, same)
        .order_by(d.c.due)
    )
    rows = connection.execute(asked)
    return [Delivery(_webhook(row), row.notice_id, row.attempts) for row in rows]


def _awaited(busy: Collection[int]) -> Any:
    """The condition that something is on its way, to somebody who takes it and is not busy."""
    d, w = schema.deliveries, schema.webhooks
    active = d.c.webhook_id.in_(select(w.c.id).where(w.c.active))
    return and_(d.c.due.is_not(None), active, d.c.webhook_id.not_in(list(busy)))


def note_arrival(connection: Connection, delivery: Delivery, status: int | None) -> None:
    """A notice has arrived; without a status, nothing was left of it to be sent."""
    attempts = delivery.attempts + (status is not None)
    _note(connection, delivery, due=None, delivered=now(), status=status, attempts=attempts)


def note_failure(
    connection: Connection, delivery: Delivery, problem: str, status: int | None, due: int | None
) -> None:
    """An attempt has failed; when the next one is, or None if there is to be none."""
    attempts = delivery.attempts + 1
    _note(connection, delivery, due=due, status=status, problem=problem, attempts=attempts)


def note_silence(
    connection: Connection, delivery: Delivery, problem: str, due: int, most: int
) -> None:
    """Nobody answers there: for all else that is due, that was an attempt of at `most` so many."""
    d = schema.deliveries
    others = (d.c.webhook_id == delivery.webhook.id) & (d.c.notice_id != delivery.notice)
    tried = d.c.attempts + 1
    connection.execute(
        update(d)
        .where(others, d.c.due <= now())
        .values(attempts=tried, due=case((tried < most, due), else_=None), problem=problem)
    )


def _note(connection: Connection, delivery: Delivery, **what: Any) -> None:
    d = schema.deliveries
    this = (d.c.webhook_id == delivery.webhook.id) & (d.c.notice_id == delivery.notice)
    connection.execute(update(d).where(this).values(**{"problem": None, **what}))


def send_again(connection: Connection, number: int, notice: int | None) -> int:
    """Let a notice be sent again, or all that were given up; how many they are."""
    found = of_number(connection, number)
    d = schema.deliveries
    wanted = (d.c.webhook_id == found.id) & (
        _given_up() if notice is None else d.c.notice_id == notice
    )
    again = update(d).where(wanted).values(due=now(), attempts=0, delivered=None)
    count = connection.execute(again).rowcount
    if notice is not None and not count:
        kept = fetch(connection, select(func.max(d.c.notice_id)).where(d.c.webhook_id == found.id))[
            0
        ][0]
        hint = "none is kept of it" if kept is None else f"the latest is {kept}"
        raise NotFoundError(f"webhook {number} has no notice {notice} to be sent again; {hint}.")
    return count
