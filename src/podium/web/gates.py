"""What a site has to say of a change, in the transaction in which it is made.

Who asks for it may still do so; what was done before is not done twice; nobody does too much; and
the answer is written down with the change, so that either both are there or none is.
"""

import dataclasses
import json
from typing import Any

import polars as pl
from sqlalchemy import Connection

from podium.errors import AccessError, ConflictError
from podium.league import Change, access, hiding, schema
from podium.league.access import Token
from podium.league.database import last, state
from podium.web.doors import refuse_too_many
from podium.web.problems import SignInError

EVERY, BURST = 0.1, 600
"""A token changes a league every so many seconds in the long run, and so often in a row."""


class RepeatedError(ConflictError):
    """Ends a transaction of a request that has been answered."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("this was asked for before, and is answered as it was then.")
        self.answer = answer


@dataclasses.dataclass
class Gate:
    """The guard of one change: see `podium.League.guarded`."""

    token: Token
    """Who makes it."""
    role: str
    """What they must be allowed to do."""
    top: int | None = None
    """Of how many moves the answer tells; None for all."""
    key: str | None = None
    """What they call the request, if they may repeat it."""
    request: bytes = b""
    """A digest of all that it says."""
    answer: bytes = b""
    """The document of the change, once it is made."""

    _entry: int = 0
    _state: str = ""

    def before(self, connection: Connection, dry_run: bool) -> None:
        """Raise if the change is not to be made, or was."""
        token = still(connection, self.token, self.role)
        if not dry_run:
            self.recall(connection)
            refuse_too_many(access.spend(connection, subject(token), EVERY, BURST))
            self._entry = last(connection, schema.log.c.id)
        self._state = state(connection)

    def recall(self, connection: Connection) -> None:
        """Raise what was answered, if the same was asked for before."""
        if self.key is not None:
            kept = access.answered(connection, self.token, self.key, self.request)
            if kept is not None:
                raise RepeatedError(kept)

    def after(self, connection: Connection, change: Change) -> None:
        """Write down what is answered."""
        entry = last(connection, schema.log.c.id)
        self._state = state(connection)
        self.conclude(connection, change, entry if entry != self._entry else None)
        if self.key is not None:
            access.keep_answer(connection, self.token, self.key, self.request, self.answer)

    def conclude(self, connection: Connection, change: Change, entry: int | None = None) -> None:
        """Make the answer: the change, its number in the log, and the state that it led to.

        Whoever may not see hidden players is not told what became of them.
        """
        shown = change if self.token.allows("organise") else _public(connection, change)
        said = {**shown.document(self.top), "entry": entry, "state": self._state}
        self.answer = as_bytes(said)


@dataclasses.dataclass(frozen=True)
class Watch:
    """The guard of what is no change of ratings, and counted elsewhere."""

    token: Token
    """Who does it."""
    role: str
    """What they must be allowed to do."""

    def before(self, connection: Connection, dry_run: bool) -> None:  # noqa: ARG002
        """Raise if they may not any more."""
        still(connection, self.token, self.role)

    def after(self, connection: Connection, change: Change) -> None:
        """Nothing is to be said of it."""


def still(connection: Connection, token: Token, role: str) -> Token:
    """The token as it is in this transaction, which may have waited; raise if it is good no more.

    Whoever was let in a moment ago may have been shut out since.
    """
    try:
        found = access.current(connection, token)
    except AccessError as error:
        raise SignInError(str(error)) from None
    found.require(role)
    return found


def subject(token: Token) -> str:
    """What is counted of a token that changes something."""
    return f"change {token.id}"


def as_bytes(document: Any) -> bytes:
    """A document as it is sent."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _public(connection: Connection, change: Change) -> Change:
    """The same without hidden players, as far as whoever asks has not named them."""
    names = {*change.moves["player"].to_list(), *change.near["like"].to_list()}
    hidden = hiding.hidden_among(connection, names) if names else set()
    if not hidden:
        return change
    return dataclasses.replace(
        change,
        moves=change.moves.filter(~pl.col("player").is_in(hidden)),
        near=change.near.filter(~pl.col("like").is_in(hidden)),
    )
