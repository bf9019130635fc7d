"""How a change is worked out, and how it gets into the database."""

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, select

from podium.league import kept, people, schema, stretches
from podium.league.changes import NO_MOVES, moves_table
from podium.league.database import UNWATCHED, Meter, fetch, insert, replace, within
from podium.league.folding import Folded, contests_from, fold, known_at, stretch_at
from podium.league.kept import Kept, Order, order_of
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.stretches import Known, Stretch, distinct
from podium.numerics.columns import appearance_numbers
from podium.systems.base import EVENTS

BEGINNING = (-(2**62), "")
"""Before all contests."""


@dataclass(frozen=True)
class Edit:
    """Contests that go, and contests that come; a contest that is put right does both."""

    dropped: Kept = field(default_factory=Kept.none)
    put: Kept = field(default_factory=Kept.none)
    newcomers: dict[int, str] = field(default_factory=dict)

    @property
    def start(self) -> tuple[int, str] | None:
        """The first contest that is or was rated, by time and identifier."""
        turns = [
            (each.order(contest), (int(each.columns.time[contest]), each.contest[contest]))
            for each in (self.dropped, self.put)
            for contest in np.flatnonzero(each.rated)[:1].tolist()
        ]
        return min(turns)[1] if turns else None


@dataclass(frozen=True)
class Outcome:
    """What an edit makes of the ratings of one revision."""

    folded: Folded
    first: int
    """The first of the folded contests whose events change."""
    before: list[Stretch]
    """The stretches that there were."""
    after: list[Stretch]
    touched: NDArray[np.int64]
    """Players whose rating may change."""
    was: pl.DataFrame
    """Their shown ratings until now: player_id, shown."""
    is_new: bool
    """Whether the revision had no ratings."""


@dataclass(frozen=True)
class Task:
    """Contests to fold, and from what: all that working out an edit needs of the database."""

    revision: Revision
    contests: Kept
    before: Known
    history: list[Stretch]
    first: int
    """The number of the stretch that the contests begin with."""
    order: Order
    """The turn from which on something changes."""
    missed: NDArray[np.int64]
    """Players who took part in what is no longer there."""

    def folded(self, meter: Meter = UNWATCHED) -> Folded:
        """Fold the contests."""
        system, earlier = self.revision.system, self.history[: self.first]
        return fold(system, self.contests, self.before, earlier, meter=meter)


def prepare(
    connection: Connection,
    revision: Revision,
    edit: Edit,
    start: tuple[int, str],
    *,
    catching_up: bool = False,
) -> Task:
    """What is to be folded for an edit, from the stretch in which it begins.

    A revision that is `catching_up` has missed edits from there on, and whoever took part then.
    """
    history = stretches.load(connection, revision.id)
    order = order_of(*start)
    if len(edit.put) and not len(edit.dropped) and kept.is_past(connection, order):
        first = len(history)
        contests = edit.put
    else:
        first = stretch_at(history, order)
        contests = contests_from(connection, history[first] if first else None)
        gone = np.isin(contests.number, edit.dropped.number)
        contests = Kept.concat([contests.take(np.flatnonzero(~gone)), edit.put])
    missed = edit.dropped.columns.player.astype(np.int64)
    if catching_up:
        then = [each.known(connection, revision.system).player for each in history[first:]]
        missed = np.concatenate((missed, *then))
    everybody = distinct(contests.columns.player, missed)
    if first == 0:
        before = stretches.newcomers(revision.system, everybody)
    else:
        tail = history[first:]
        before = known_at(connection, revision.id, revision.system, tail, everybody)
    return Task(revision, contests, before, history, first, order, missed)


def conclude(connection: Connection, task: Task, folded: Folded) -> Outcome:
    """What the contests of a task make of the ratings."""
    revision, history, contests = task.revision, task.history, task.contests
    together = [*history[: task.first], *folded.stretches]
    after = stretches.merged(connection, revision.system, together)
    unchanged = itertools.takewhile(
        lambda contest: contests.order(contest) < task.order, folded.rated.contest.tolist()
    )
    changed = sum(1 for _ in unchanged)
    rows = folded.rated.columns.player[folded.rated.columns.offsets[changed] :]
    touched = distinct(rows, task.missed)
    was = _shown_now(connection, revision.id, touched) if history else _NOTHING_SHOWN
    return Outcome(folded, changed, history, after, touched, was, not history)


_NOTHING_SHOWN = pl.DataFrame(schema={"player_id": pl.Int64, "shown": pl.Float64})


def _shown_now(connection: Connection, revision: int, players: NDArray[np.int64]) -> pl.DataFrame:
    r = schema.ratings
    found = fetch(
        connection,
        select(r.c.player_id, r.c.shown).where(
            r.c.revision_id == revision, within(connection, r.c.player_id, players.tolist())
        ),
    )
    columns = dict(zip(_NOTHING_SHOWN.columns, found, strict=True))
    return pl.DataFrame(columns, _NOTHING_SHOWN.schema)


def moves(
    connection: Connection, revision: Revision, rules: Rules, outcome: Outcome, edit: Edit
) -> pl.DataFrame:
    """Whose shown rating changes."""
    known = outcome.folded.after.of(outcome.touched)
    table = known.packed.table
    after = pl.DataFrame(
        {
            "player_id": known.player,
            "contests": table["contests"].copy(),
            "after": rules.shown_of(revision.system, table),
        }
    ).filter(pl.col("contests") > 0)
    both = (
        pl.DataFrame({"player_id": outcome.touched})
        .join(outcome.was, on="player_id", how="left", maintain_order="left")
        .join(after, on="player_id", how="left", maintain_order="left")
        .filter(pl.col("shown").ne_missing(pl.col("after")))
    )
    if not both.height:
        return NO_MOVES
    old = [each for each in both["player_id"].to_list() if each not in edit.newcomers]
    names = {**edit.newcomers, **people.names_of(connection, np.array(old, np.int64))}
    called = [names[each] for each in both["player_id"].to_list()]
    return moves_table(called, both["shown"], both["after"])


def write_edit(connection: Connection, edit: Edit, meter: Meter = UNWATCHED) -> None:
    """Keep the players and contests of an edit."""
    if edit.newcomers:
        columns = {"id": list(edit.newcomers), "name": list(edit.newcomers.values())}
        insert(connection, schema.players, columns)
    if len(edit.dropped):
        kept.delete_contests(connection, edit.dropped.number)
    edit.put.save(connection, meter)


def write_outcome(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    outcome: Outcome,
    meter: Meter = UNWATCHED,
) -> None:
    """Keep what came of an edit for one revision."""
    _write_events(connection, revision, outcome, meter)
    known = outcome.folded.after.of(outcome.touched)
    plays = known.packed.table["contests"] > 0
    if not outcome.is_new:
        gone = known.player[~plays].tolist()
        for table in (schema.ratings, schema.beliefs):
            theirs = within(connection, table.c.player_id, gone)
            connection.execute(delete(table).where(table.c.revision_id == revision.id, theirs))
    known = known.take(plays)
    columns = rating_columns(revision, rules, known)
    if outcome.is_new:
        insert(connection, schema.ratings, columns)
    else:
        replace(connection, schema.ratings, ("revision_id", "player_id"), columns)
    stretches.save_now(connection, revision.id, known, is_new=outcome.is_new)
    stretches.save(connection, revision.id, outcome.before, outcome.after)


def _write_events(
    connection: Connection, revision: Revision, outcome: Outcome, meter: Meter
) -> None:
    """Keep what happened in the contests that changed, or that come after one that did."""
    folded, e = outcome.folded, schema.events
    rated, number = folded.rated, folded.contests.number
    if not outcome.is_new:
        again = within(connection, e.c.contest_id, number[rated.contest[outcome.first :]].tolist())
        connection.execute(delete(e).where(e.c.revision_id == revision.id, again))
    insert(connection, e, event_columns(revision, folded, outcome.first), meter)


def rating_columns(revision: Revision, rules: Rules, known: Known) -> dict[str, Any]:
    """What the table of ratings keeps of players."""
    table = known.packed.table
    mu, sigma, contests = (table[field].copy() for field in ("mu", "sigma", "contests"))
    return {
        "revision_id": revision.id,
        "player_id": known.player,
        "rating": revision.system.rating(mu, sigma, contests),
        "mu": mu,
        "sigma": sigma,
        "contests": contests,
        "last_time": table["last_time"].copy(),
        "shown": rules.shown_of(revision.system, table),
    }


def event_columns(revision: Revision, folded: Folded, first: int = 0) -> dict[str, Any]:
    """What the table of events keeps of contests, from number `first` of those that are rated."""
    rated, columns = folded.rated, folded.rated.columns
    player = folded.after.places(columns.player)
    so_far = appearance_numbers(player, folded.after.packed.table["contests"].copy())
    happened = dict(zip(EVENTS, folded.events, strict=True))
    rating = revision.system.rating(happened["mu"], happened["sigma"], so_far)
    rows = slice(columns.offsets[first], None)
    contest = np.repeat(rated.contest, np.diff(columns.offsets))[rows]
    return {
        "revision_id": revision.id,
        "contest_id": folded.contests.number[contest],
        "position": 1 + rated.row[rows] - folded.contests.columns.offsets[contest],
        "number": so_far[rows],
        **{name: values[rows] for name, values in happened.items()},
        "rating": rating[rows],
    }
