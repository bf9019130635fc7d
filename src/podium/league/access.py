"""Who may do what to a league by way of the web: tokens with roles, sessions and limits.

A token is a text that its owner keeps, and of which the league keeps a digest: whoever reads the
database cannot sign in by it. The secret part is as long as a key, so that a quick digest does.
"""

import hashlib
import hmac
import secrets
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl
from sqlalchemy import Connection, case, delete, func, insert, select, update

from podium.documents import as_document
from podium.errors import AccessError, ConflictError, InputError, NotFoundError
from podium.league import schema
from podium.league.database import check_text, insert_or_update, last, now
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.texts import LONGEST
from podium.wording import listed

ROLES = ("read", "record", "organise", "own")
"""What a token lets one do, each all that those before it do: see what is private; record results
and post live standings; change whatever can be changed, and see hidden players; say who may do
what, and have a copy of everything."""
PUBLIC, PRIVATE = "public", "private"
_PREFIX = "podium"
_BYTES = 32
_SESSION = 12 * 3600 * 10**6
"""Microseconds that somebody stays signed in."""


@dataclass(frozen=True)
class Token:
    """Somebody who may do something."""

    id: int
    name: str
    """Whose it is; changes are made in this name."""
    role: str
    expires: int | None
    """In microseconds since 1970; None if it does not."""

    def document(self) -> dict[str, Any]:
        """What it is, as JSON says it: not its text."""
        expires = None if self.expires is None else from_microseconds(self.expires)
        said = {"id": self.id, "name": self.name, "role": self.role, "expires": expires}
        return as_document(said)

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires is not None and self.expires <= now()

    def allows(self, role: str) -> bool:
        """Whether it lets one do what a role does.

        Example:
            >>> Token(1, "ann", "organise", None).allows("record")
            True
        """
        return ROLES.index(role) <= ROLES.index(self.role)

    def require(self, role: str) -> None:
        """Raise unless it does."""
        if not self.allows(role):
            raise AccessError(
                f"the token of {self.name!r} lets one {self.role}; to {role} is needed for this."
            )


def checked_role(role: object) -> str:
    """A role; raise for anything else."""
    if role not in ROLES:
        raise InputError(f"the role of a token is one of {listed(ROLES)}, not {role!r}.")
    return str(role)


def checked_access(access: object) -> str:
    """Who may see a league on the web; raise for anything else."""
    if access not in (PUBLIC, PRIVATE):
        raise InputError(f"a league is {PUBLIC} or {PRIVATE}, not {access!r}.")
    return str(access)


def access_of(connection: Connection) -> str:
    """Whether everybody may see the league on the web, or only who has a token."""
    return str(connection.execute(select(schema.league.c.access)).scalar_one())


def add_token(
    connection: Connection, name: str, role: str, expires: Time | None, creator: str
) -> tuple[Token, str]:
    """Make a token; what it is, and the text that its owner keeps."""
    check_text("the name of a token", name)
    if not name.strip() or len(name) > LONGEST:
        raise InputError(f"a token has the name of its owner, of 1 to {LONGEST:,} characters.")
    moment = None if expires is None else to_microseconds(expires)
    if moment is not None and moment <= now():
        raise InputError("a token expires later than now.")
    t, secret = schema.tokens, secrets.token_urlsafe(_BYTES)
    number = 1 + last(connection, t.c.id)
    connection.execute(
        insert(t).values(
            id=number,
            name=name,
            role=checked_role(role),
            digest=digest(secret),
            created=now(),
            creator=creator,
            expires=moment,
        )
    )
    return Token(number, name, role, moment), f"{_PREFIX}_{number}_{secret}"


def revoke(connection: Connection, number: int) -> Token:
    """Let a token be good for nothing from now on, and sign out who came by it."""
    t, s = schema.tokens, schema.sessions
    row = connection.execute(select(t).where(t.c.id == number)).first()
    if row is None:
        raise NotFoundError(f"there is no token {number}; podium token LEAGUE list shows all.")
    if row.revoked is not None:
        raise ConflictError(f"token {number}, of {row.name!r}, is revoked already.")
    connection.execute(update(t).where(t.c.id == number).values(revoked=now()))
    connection.execute(delete(s).where(s.c.token_id == number))
    return Token(row.id, row.name, row.role, row.expires)


def all_tokens(connection: Connection) -> pl.DataFrame:
    """All tokens without their secrets, the latest first."""
    t = schema.tokens
    names = ("id", "name", "role", "created", "creator", "expires", "revoked")
    rows = connection.execute(select(*(t.c[each] for each in names)).order_by(t.c.id.desc())).all()
    columns: Iterable[Any] = zip(*rows, strict=True) if rows else [()] * len(names)
    times = ("created", "expires", "revoked")
    kinds = {"id": pl.Int64, **dict.fromkeys(times, pl.Int64)}
    found = pl.DataFrame(
        [
            pl.Series(name, values, kinds.get(name, pl.String))
            for name, values in zip(names, columns, strict=True)
        ]
    )
    return found.with_columns(pl.col(each).cast(pl.Datetime("us")) for each in times)


def digest(secret: str) -> bytes:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def identified(connection: Connection, text: str) -> Token:
    """Whose token it is; raise if it is nobody's, was revoked or has expired."""
    prefix, _, rest = text.strip().partition("_")
    number, _, secret = rest.partition("_")
    known = prefix == _PREFIX and number.isascii() and number.isdigit() and len(number) < 10
    found = _row(connection, int(number)) if known else None
    kept = b"" if found is None else found.digest
    if not hmac.compare_digest(kept, digest(secret)) or found is None:
        raise AccessError("this is no token of the league.")
    return _valid(found)


def current(connection: Connection, token: Token) -> Token:
    """The same token as it is by now; raise if it was revoked or has expired."""
    found = _row(connection, token.id)
    if found is None:
        raise AccessError("this is no token of the league.")
    return _valid(found)


def _row(connection: Connection, number: int) -> Any:
    return connection.execute(select(schema.tokens).where(schema.tokens.c.id == number)).first()


def _valid(row: Any) -> Token:
    if row.revoked is not None:
        raise AccessError(f"this token, of {row.name!r}, was revoked.")
    if row.expires is not None and row.expires <= now():
        raise AccessError(f"this token, of {row.name!r}, has expired.")
    return Token(row.id, row.name, row.role, row.expires)


def sign_in(connection: Connection, token: Token) -> tuple[str, int]:
    """Begin a session; what stands for it, and until when it lasts."""
    s, secret = schema.sessions, secrets.token_urlsafe(_BYTES)
    connection.execute(delete(s).where(s.c.expires <= now()))
    until = now() + _SESSION if token.expires is None else min(now() + _SESSION, token.expires)
    values = {"digest": digest(secret), "token_id": token.id, "expires": until}
    connection.execute(insert(s).values(**values))
    return secret, until


def signed_in(connection: Connection, session: str) -> Token:
    """Whose session it is; raise if it has ended, or the token is good no more."""
    s = schema.sessions
    asked = select(s).where(s.c.digest == digest(session), s.c.expires > now())
    row = connection.execute(asked).first()
    found = None if row is None else _row(connection, row.token_id)
    if found is None:
        raise AccessError("nobody is signed in, or not any more.")
    return _valid(found)


def sign_out(connection: Connection, session: str) -> None:
    """End a session."""
    s = schema.sessions
    connection.execute(delete(s).where(s.c.digest == digest(session)))


def spend(connection: Connection, subject: str, every: float, burst: int) -> float:
    """Count something that somebody does; 0, or the seconds to wait until it may be done.

    It may be done once `every` so many seconds in the long run, and `burst` times in a row.
    """
    t, moment, step = schema.limits, now(), int(every * 1e6)
    # Rows that another transaction has in its hands are left to it, lest this one wait for it.
    past = select(t.c.subject).where(t.c.free < moment).with_for_update(skip_locked=True)
    connection.execute(delete(t).where(t.c.subject.in_(past)))
    on = insert_or_update(connection)(t).values(subject=subject, free=moment + step)
    since = case((t.c.free > moment, t.c.free), else_=moment)
    counted = on.on_conflict_do_update(
        index_elements=[t.c.subject],
        set_={"free": since + step},
        where=t.c.free <= moment + (burst - 1) * step,
    )
    # SQLAlchemy looks at how many rows a statement inserts only where it is told to.
    if connection.execute(counted.execution_options(preserve_rowcount=True)).rowcount > 0:
        return 0.0
    return waiting(connection, subject, every, burst)


def waiting(connection: Connection, subject: str, every: float, burst: int) -> float:
    """The seconds after which somebody may do something again; 0 if now. See `spend`."""
    t = schema.limits
    free = connection.execute(select(t.c.free).where(t.c.subject == subject)).scalar()
    latest = now() + (burst - 1) * int(every * 1e6)
    return 0.0 if free is None else max(0, free - latest) / 1e6


_KEPT = 24 * 3600 * 10**6
"""Microseconds for which an answer is kept."""


def answered(connection: Connection, token: Token, key: str, request: bytes) -> bytes | None:
    """What was answered to a request that has come before; None if it has not.

    Args:
        connection: To the league.
        token: Whose request it is.
        key: What they call it.
        request: A digest of all that it says.
    """
    t = schema.answers
    asked = select(t.c.request, t.c.answer).where(
        t.c.token_id == token.id, t.c.key == key, t.c.time > now() - _KEPT
    )
    found = connection.execute(asked).first()
    if found is None:
        return None
    if not hmac.compare_digest(bytes(found.request), request):
        raise InputError(
            f"the key {key!r} was used for another request; every request has a key of its own."
        )
    return zlib.decompress(found.answer)


def keep_answer(
    connection: Connection, token: Token, key: str, request: bytes, answer: bytes
) -> None:
    """Remember for a day what was answered to a request."""
    t = schema.answers
    old = t.c.time <= now() - _KEPT
    connection.execute(delete(t).where(old))
    values = {"token_id": token.id, "key": key, "request": request, "time": now()}
    connection.execute(insert(t).values(**values, answer=zlib.compress(answer, 1)))


def is_in_use(connection: Connection) -> bool:
    """Whether the league has any token that is good."""
    t = schema.tokens
    good = t.c.revoked.is_(None) & (t.c.expires.is_(None) | (t.c.expires > now()))
    return bool(connection.execute(select(func.count()).where(good)).scalar_one())
