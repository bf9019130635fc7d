"""A change under way: what is in force, who makes it, and what it does."""

import json
import time as clock
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, func, insert, select

from podium.league import applying, reading, revisions, schema
from podium.league.applying import Edit
from podium.league.changes import NO_MOVES
from podium.league.database import Meter, check_text, user_name
from podium.league.folding import Folded
from podium.league.kept import Kept
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.rating import Progress


class Changing:
    """A change under way: what is in force, and who makes it."""

    def __init__(
        self,
        connection: Connection,
        writes: bool,
        who: str | None,
        why: str | None,
        progress: Progress | None,
    ) -> None:
        check_reason(who, why)
        self.connection = connection
        self.writes = writes
        self.revision = revisions.in_force(connection)
        self.rules = rules_of(connection)
        self.replayed = 0
        self.meter = Meter(progress)
        self._who = who
        self._why = why

    def make(self, edit: Edit) -> pl.DataFrame:
        """Make an edit; whose rating changes."""
        connection, start = self.connection, edit.start
        if start is None:
            if self.writes:
                applying.write_edit(connection, edit)
            return NO_MOVES
        task = applying.prepare(connection, self.revision, edit, start)
        self.meter.expect(len(edit.put.columns.player) * self.writes)
        with ThreadPoolExecutor(1) as beside:  # kernels, and SQLite, need no interpreter
            folding = beside.submit(self.fold, task)
            if self.writes:
                applying.write_edit(connection, edit, self.meter)
            folded = folding.result()
        outcome = applying.conclude(connection, task, folded)
        moved = applying.moves(connection, self.revision, self.rules, outcome, edit)
        if self.writes:
            self.keep(outcome, self.revision)
            revisions.mark_stale(connection, self.revision.id, *start)
        return moved

    def fold(self, task: applying.Task) -> Folded:
        """Fold what a task holds."""
        rows = len(task.contests.columns.player)
        self.meter.expect(rows * (1 + self.writes))
        folded = task.folded(self.meter)
        self.replayed += len(folded.rated.contest)
        return folded

    def keep(self, outcome: applying.Outcome, revision: Revision) -> None:
        """Write what came of a change."""
        applying.write_outcome(self.connection, revision, self.rules, outcome, self.meter)

    def eligible(self, contest: Kept, players: NDArray[Any]) -> NDArray[Any]:
        """Whether players may be rated in a contest, by their rating just before it."""
        floor, ceiling = float(contest.floor[0]), float(contest.ceiling[0])
        everybody = np.unique(players)
        known = reading.known_before(self.connection, self.revision, contest.order(0), everybody)
        shown = self.rules.shown_of(self.revision.system, known.packed.table)
        shown = shown[np.searchsorted(known.player, players)]
        above = np.isnan(floor) | (shown >= floor)
        flags: NDArray[Any] = above & (np.isnan(ceiling) | (shown < ceiling))
        return flags

    def settled(self, old: Kept, new: Kept) -> NDArray[Any]:
        """Who is eligible in an amended contest: as before, and newly judged who was not in it."""
        player = new.columns.player.astype(np.int64)
        before = dict(zip(old.columns.player.tolist(), old.eligible.tolist(), strict=True))
        flags = np.array([before.get(each, True) for each in player.tolist()], np.bool_)
        joined = ~np.isin(player, old.columns.player)
        limited = not (np.isnan(old.floor[0]) and np.isnan(old.ceiling[0]))
        if limited and joined.any():
            flags[joined] = self.eligible(old, player[joined])
        return flags

    def note(
        self,
        action: str,
        *,
        contest: str | None = None,
        player: str | None = None,
        details: dict[str, Any],
    ) -> None:
        """Add to the log."""
        if self.writes:
            write_log(self.connection, action, self._who, self._why, contest, player, details)


def check_reason(who: object, why: object) -> None:
    """Raise if the log cannot keep who makes a change and why."""
    for what, text in (("who", who), ("why", why)):
        if text is not None:
            check_text(what, text)


def write_log(
    connection: Connection,
    action: str,
    who: str | None,
    why: str | None,
    contest: str | None = None,
    player: str | None = None,
    details: dict[str, Any] | None = None,
) -> None:
    """Add to the log of a league."""
    connection.execute(
        insert(schema.log).values(
            id=1 + last(connection, schema.log.c.id),
            time=now(),
            who=who or user_name(),
            action=action,
            contest=contest,
            player=player,
            why=why,
            details=json.dumps(details or {}, ensure_ascii=False),
        )
    )


def now() -> int:
    """The moment, in microseconds since 1970."""
    return clock.time_ns() // 1000


def last(connection: Connection, column: Any) -> int:
    """The largest number in a column, or 0."""
    return int(connection.execute(select(func.max(column))).scalar() or 0)


def rules_of(connection: Connection) -> Rules:
    """The rules in force."""
    return Rules.from_text(connection.execute(select(schema.league.c.rules)).scalar_one())
