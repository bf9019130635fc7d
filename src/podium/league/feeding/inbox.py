"""Matches that wait: late ones for a quiet moment, and those that another process rates.

What is in the inbox is not part of the league. It leaves it in the transaction in which it is
rated, so that it is rated once, whoever dies when.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl
from sqlalchemy import Connection, delete, func, select, update

from podium import errors
from podium.errors import PodiumError
from podium.league import schema
from podium.league.database import asked, fetch, insert_or_update, now, within
from podium.league.feeding.matches import Match

KEPT_FOR = 3600 * 10**6
"""Microseconds for which it can be asked why a match could not be rated."""
_SCHEMA = {"id": pl.String, "time": pl.Int64, "late": pl.Boolean, "problem": pl.String}


@dataclass(frozen=True, slots=True)
class Entered:
    """A match in the inbox."""

    row: int
    match: Match
    defer: bool
    who: str | None


def put(
    connection: Connection, matches: Sequence[tuple[Match, bool, str | None]], *, late: bool
) -> None:
    """Put matches into the inbox, each with whether it may wait and who told of it.

    Those whose identifiers are there already stay as they are, unless they could not be rated: then
    they are told of anew.
    """
    moment = now()
    rows = [
        {
            "contest": match.id,
            "time": match.time,
            "arrived": moment + place,
            "content": match.text(),
            "who": who,
            "defer": may_wait,
            "late": late,
        }
        for place, (match, may_wait, who) in enumerate(matches)
    ]
    rows.sort(key=lambda row: str(row["contest"]))  # so that two never wait for one another
    if rows:
        i, statement = schema.inbox, insert_or_update(connection)(schema.inbox)
        anew = {name: statement.excluded[name] for name in rows[0]} | {
            "problem": None,
            "kind": None,
        }
        refused = i.c.problem.is_not(None)
        statement = statement.on_conflict_do_update(
            index_elements=[i.c.contest], set_=anew, where=refused
        )
        connection.execute(statement, rows)


def take(connection: Connection, *, late: bool, most: int) -> list[Entered]:
    """The first of those that wait to be rated, or that are late and wait for a quiet moment."""
    i = schema.inbox
    found = fetch(
        connection,
        select(i.c.id, i.c.contest, i.c.time, i.c.content, i.c.defer, i.c.who)
        .where(i.c.late == late, i.c.problem.is_(None))
        .order_by(i.c.arrived, i.c.id)
        .limit(most),
    )
    return [
        Entered(row, Match.of_text(content, contest, time, timed=time is not None), defer, who)
        for row, contest, time, content, defer, who in zip(*found, strict=True)
    ]


def contents(connection: Connection, ids: Sequence[str]) -> dict[str, Match]:
    """Those matches of these identifiers that wait."""
    i = schema.inbox
    found = fetch(
        connection,
        select(i.c.contest, i.c.content, i.c.time).where(
            within(connection, i.c.contest, list(ids)), i.c.problem.is_(None)
        ),
    )
    return {
        id: Match.of_text(content, id, time, timed=time is not None)
        for id, content, time in zip(*found, strict=True)
    }


def drop(connection: Connection, rows: Sequence[int]) -> None:
    """Take matches out that are rated."""
    i = schema.inbox
    if rows:
        connection.execute(delete(i).where(within(connection, i.c.id, list(rows))))


def forget(connection: Connection) -> None:
    """Take matches out that could not be rated, once nobody will ask any more."""
    i = schema.inbox
    old = i.c.problem.is_not(None), i.c.arrived < now() - KEPT_FOR, ~i.c.late
    connection.execute(delete(i).where(*old))


def wait(connection: Connection, rows: Sequence[int]) -> None:
    """Note that matches are late and wait."""
    i = schema.inbox
    connection.execute(update(i).where(within(connection, i.c.id, list(rows))).values(late=True))


def refuse(connection: Connection, row: int, problem: Exception) -> None:
    """Note why a match cannot be rated."""
    i, known = schema.inbox, isinstance(problem, PodiumError)
    why, kind = str(problem), type(problem).__name__ if known else PodiumError.__name__
    connection.execute(update(i).where(i.c.id == row).values(problem=why, kind=kind))


@dataclass(frozen=True, slots=True)
class State:
    """What has become of a match in the inbox so far."""

    late: bool
    time: int | None
    problem: PodiumError | None
    refused: Match | None
    """What could not be rated."""


_STATES = (
    "SELECT contest, late, time, problem, kind, "
    "CASE WHEN problem IS NOT NULL THEN content END FROM inbox WHERE contest {among}"
)


def states(connection: Connection, ids: Sequence[str]) -> dict[str, State]:
    """Of matches that are there still, by identifier."""
    return {
        id: State(
            bool(late),
            time,
            None if problem is None else _error(kind, problem),
            None if content is None else Match.of_text(content, id, time, timed=time is not None),
        )
        for id, late, time, problem, kind, content in asked(connection, _STATES, ids)
    }


def _error(kind: str | None, problem: str) -> PodiumError:
    known = getattr(errors, kind or "", None)
    usable = isinstance(known, type) and issubclass(known, PodiumError)
    return known(problem) if usable and known is not None else PodiumError(problem)


def how_many(connection: Connection, *, late: bool) -> int:
    """How many wait, without those that cannot be rated."""
    i = schema.inbox
    waiting = select(func.count()).where(i.c.late == late, i.c.problem.is_(None))
    return int(connection.execute(waiting).scalar_one())


def table(connection: Connection) -> pl.DataFrame:
    """All that is there, the first that came first: id, time, late and problem."""
    i = schema.inbox
    columns = (i.c.contest, i.c.time, i.c.late, i.c.problem)
    found = fetch(connection, select(*columns).order_by(i.c.arrived, i.c.id))
    frame = pl.DataFrame(dict(zip(_SCHEMA, found, strict=True)), _SCHEMA)
    return frame.with_columns(pl.from_epoch("time", "us"))
