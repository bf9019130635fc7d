"""Changes that are tried before they are made: what would happen, then what has happened.

A preview is of one state of the league, and goes by that state when it is confirmed: if somebody
else has changed the league meanwhile, nothing is changed, and the preview is made anew.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import polars as pl
from sqlalchemy import Connection

from podium.errors import ConflictError
from podium.league import Change, League, drafts, hiding, schema
from podium.league.changes import did_you_mean
from podium.league.database import last
from podium.web.doors import Visitor
from podium.web.gates import still
from podium.web.organising.desk import Desk
from podium.wording import counted, listed, stated

FIRST = 20
"""Moves that are shown at once …"""
MOST = 1000
"""… and that can be shown at all."""
_NAMED = 12
_NEAR = 10
_ATTEMPTS = 3

Make = Callable[..., Change]
"""Makes a change of a league, given the league and how."""


@dataclass(frozen=True)
class Preview:
    """What a change would do."""

    state: str
    """Of the league, of which that is said."""
    change: Change
    digits: int
    hidden: frozenset[str] = frozenset()
    """Names that whoever looks is not shown."""

    @property
    def sentences(self) -> list[str]:
        """What would happen, as the command line says it."""
        change = self.change
        said = [stated(change.what)]
        if change.recorded:
            for which, contests in (("New", change.recorded), ("Known already", change.known)):
                if 0 < len(contests) <= _NAMED:
                    said.append(f"{which}: {listed(contests)}.")
        if change.newcomers:
            said.append(f"{counted(len(change.newcomers), 'newcomer')}.")
            said += did_you_mean(self._near)[:_NEAR]
        if len(change.removed) > 1:
            said.append(f"Removed: {listed(change.removed, _NAMED)}.")
        moved, rated = counted(change.moves.height, "player"), counted(change.replayed, "contest")
        return [*said, f"{moved} moved, {rated} rated."]

    @property
    def _near(self) -> pl.DataFrame:
        """Newcomers who are almost known, by those who are shown."""
        near = self.change.near
        return near.filter(~pl.col("like").is_in(list(self.hidden))) if self.hidden else near

    @property
    def moves(self) -> list[dict[str, Any]]:
        """Who moves, the largest moves first."""
        return shown_moves(self.change.moves.head(MOST), self.hidden)

    @property
    def moved(self) -> int:
        """How many do."""
        return self.change.moves.height


def shown_moves(moves: pl.DataFrame, hidden: frozenset[str]) -> list[dict[str, Any]]:
    """Moves with a stand-in for those who are not shown."""
    return [
        {**each, "player": hiding.ANONYMOUS if each["player"] in hidden else each["player"]}
        for each in moves.select("player", "before", "after").to_dicts()
    ]


def tried(desk: Desk, make: Make) -> Preview:
    """What a change would do to the league as it is now."""
    league = desk.league
    for attempt in range(_ATTEMPTS):
        state = league.state
        try:
            change = make(league, who=desk.visitor.name, dry_run=True, expecting=state)
        except ConflictError:
            if attempt + 1 < _ATTEMPTS and league.state != state:
                continue
            raise
        with desk.snapshot() as view:
            hidden = frozenset(hiding.names_of_unseen(view._connection))
            return Preview(state, change, view.system.decimals, hidden)
    raise AssertionError("the last attempt returns or raises")


class _Entry:
    """What is written with a change: a draft that is done is there no more.

    Afterwards it has the number of the change in the log.
    """

    def __init__(self, visitor: Visitor, role: str, draft: str | None) -> None:
        self._visitor, self._role, self._draft = visitor, role, draft
        self._before = 0
        self.number: int | None = None

    def before(self, connection: Connection, dry_run: bool) -> None:
        """Look at whether it may still be made, and at where the log ends."""
        still(connection, self._visitor.token, self._role)
        self._before = int(last(connection, schema.log.c.id))
        if self._draft is not None and not dry_run and not drafts.drop(connection, self._draft):
            raise ConflictError("this was confirmed or discarded already.")

    def after(self, connection: Connection, change: Change) -> None:  # noqa: ARG002
        """Look at what was added to it."""
        number = int(last(connection, schema.log.c.id))
        self.number = number if number > self._before else None


class ChangedMeanwhile(ConflictError):  # noqa: N818  it is told to people as it is
    """Somebody else has changed the league since a preview was made."""


def made(
    desk: Desk, make: Make, role: str, *, expecting: str, why: str, draft: str | None = None
) -> tuple[Change, int | None]:
    """Make a change that was looked at; what it did, and its number in the log if it has one."""
    entry = _Entry(desk.visitor, role, draft)
    league: League = desk.league.guarded(entry)
    try:
        change = make(
            league, who=desk.visitor.name, why=why.strip() or None, expecting=expecting or "none"
        )
    except ConflictError as error:
        if desk.league.state != expecting:
            raise ChangedMeanwhile(
                "The league has changed since you looked at this, so nothing was done. This is "
                "what would change now."
            ) from error
        raise
    desk.changed()
    return change, entry.number
