"""The log of a league as its organisers see it: who changed what, and what can be taken back."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select

from podium.documents import iso
from podium.league import hiding, schema
from podium.league.database import as_object, fetch
from podium.league.entries import FINAL, TOGGLES, Entries
from podium.league.views import View, question
from podium.results.times import from_microseconds


@dataclass(frozen=True)
class Noted:
    """An entry of the log."""

    number: int
    time: str
    who: str
    action: str
    contest: str | None
    player: str | None
    why: str | None
    said: str
    """What it is, in a few words."""
    of: int | None
    """Of what takes back or makes again: the number of the change."""
    turn: str | None
    """What can be asked for of it: ``undo`` or ``redo``; None if nothing can."""
    by: int | None
    """The entry by which it was taken back, if it was."""
    details: dict[str, Any]


@question
def journal(view: View, n: int, skip: int = 0) -> tuple[list[Noted], int]:
    """Entries of the log, the latest first, and how many there are.

    Args:
        view: The league, with hidden players: it is the organiser's own.
        n: How many.
        skip: How many later ones to leave out.
    """
    t = schema.log
    count = view._connection.execute(select(func.count()).select_from(t)).scalar_one()
    numbers = fetch(view._connection, select(t.c.id).order_by(t.c.id.desc()).limit(n).offset(skip))[
        0
    ]
    return _noted(view, numbers), int(count)


@question
def noted(view: View, number: int) -> Noted:
    """One entry of the log; raise if there is none of that number."""
    Entries(view._connection).find(number)
    return _noted(view, [number])[0]


def _noted(view: View, numbers: list[int]) -> list[Noted]:
    connection, t = view._connection, schema.log
    with hiding.everybody(connection):
        entries = Entries(connection)
        roots = {each: entries.root(each) for each in numbers}
        known = {each.number: each for each in entries.these([*{*numbers, *roots.values()}])}
        columns = select(t.c.id, t.c.time, t.c.who, t.c.why, t.c.details)
        rows = {row.id: row for row in connection.execute(columns.where(t.c.id.in_(numbers)))}
    found = []
    for number in numbers:
        entry, root, row = known[number], roots[number], rows[number]
        turned = entry.action in TOGGLES
        said = known[root].said
        if turned:
            said = f"{'took back' if entry.action == 'undo' else 'made again'} the {said}"
        stands = entries.stands(root)
        by = entries.latest(root)
        found.append(
            Noted(
                number,
                iso(from_microseconds(row.time)),
                row.who,
                entry.action,
                entry.contest,
                entry.player,
                row.why,
                said,
                root if turned else None,
                _turn(known[root].action, turned, stands),
                None if turned or stands else by,
                as_object(row.details),
            )
        )
    return found


def _turn(action: str, turned: bool, stands: bool) -> str | None:
    if turned or action in FINAL:
        return None
    return "undo" if stands else "redo"
