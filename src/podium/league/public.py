"""The log of a league as everybody may see it."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import not_, select

from podium.documents import iso
from podium.league import hiding, schema
from podium.league.database import as_object, fetch, within
from podium.league.entries import TOGGLES
from podium.league.views import View, question
from podium.results.times import Time, from_microseconds, to_microseconds

Entry = dict[str, Any]
_NOT_TOLD = ("hide", "show", "access", "token", "webhook", "live")
"""Changes that are the organiser's own."""
_SHOWN = ("contests", "system", "to", "guest", "moved", "of", "action")
"""What is told of all actions that have it."""
_TOLD = {"season": ("season", "start", "removed"), "start": ("players", "removed")}
"""What else is told of some actions; of ratings that were given, how many."""


@question
def public_log(view: View, n: int | None = None, *, at: Time | None = None) -> list[Entry]:
    """What was changed, when and why, the latest first; neither by whom nor what was before.

    Players have the names that they have now: of who was renamed or merged, the old name is not
    told, not even by entries from before. Hidden players have none, and that they were hidden is
    not told. Each entry has number, time, action, contest,
    contest_name, contest_is_there, player, why and details, of which everything is left out that
    would tell more.

    Args:
        view: The league.
        n: The last so many; None for all.
        at: Only changes that were made by then.
    """
    t, moment = schema.log, None if at is None else to_microseconds(at)
    columns = ("id", "time", "action", "contest", "player", "why", "details")
    statement = select(*(t.c[each] for each in columns)).order_by(t.c.id.desc())
    statement = statement.where(t.c.action.not_in(_NOT_TOLD), *map(_is_not_of, _NOT_TOLD))
    if n is not None and moment is None:
        statement = statement.limit(n)
    rows = zip(*fetch(view._connection, statement), strict=True)
    entries = [
        {"number": number, "time": iso(from_microseconds(time)), **said}
        for (number, time, *_), said in _by_names_of_today(rows)
        if moment is None or time <= moment
    ][:n]
    entries = _without_hidden(view, entries)
    c = schema.contests
    those = sorted({each["contest"] for each in entries} - {None})
    known = within(view._connection, c.c.contest, those)
    titles = dict(
        zip(*fetch(view._connection, select(c.c.contest, c.c.name).where(known)), strict=True)
    )
    return [
        {
            **each,
            "contest_name": titles.get(each["contest"]),
            "contest_is_there": each["contest"] in titles,
        }
        for each in entries
    ]


def _is_not_of(action: str) -> Any:
    """The condition that an entry neither takes back nor makes again what such a change did.

    Quotes within a text have backslashes in JSON, so that no text looks like it.
    """
    t = schema.log
    turns = t.c.details.contains(f'"action": "{action}"', autoescape=True)
    return not_(t.c.action.in_(TOGGLES) & turns)


def _without_hidden(view: View, entries: list[Entry]) -> list[Entry]:
    """Entries that name nobody who is hidden."""
    hidden = hiding.names_of_unseen(view._connection)
    if not hidden:
        return entries
    redaction = hiding.redaction(view._connection)
    for each in entries:
        if each["player"] in hidden:
            each["player"] = hiding.ANONYMOUS
        if each["why"] is not None:
            each["why"] = redaction.of(each["why"])
        moves = each["details"]["moves"]
        each["details"]["moves"] = [move for move in moves if move["player"] not in hidden]
    return entries


def _by_names_of_today(rows: Iterator[Any]) -> Iterator[tuple[Any, Entry]]:
    """Rows of the log, the latest first, with what they say of players and ratings."""
    today: dict[str, str] = {}
    turned: dict[int, str] = {}
    for row in rows:
        number, _, action, contest, player, why, text = row
        details = as_object(text)
        kind, root = action, number
        if action in TOGGLES:
            kind, root = details.get("action"), details.get("of", number)
        stands = turned.setdefault(root, action) != "undo"
        gone = details.get("player") if kind == "merge" and stands and action != "undo" else None
        moves = [
            {**each, "player": today.get(each["player"], each["player"])}
            for each in details.get("moves") or ()
            if each["player"] != gone
        ]
        shown = {key: details[key] for key in (*_SHOWN, *_TOLD.get(kind, ())) if key in details}
        yield (
            row,
            {
                "action": action,
                "contest": contest,
                "player": None if kind == "start" else today.get(player, player),
                "why": why,
                "details": {**shown, "moves": moves},
            },
        )
        if kind == "rename" and "from" in details:
            called = today.pop(player, player)
            today[details["from"]] = called
        elif gone is not None:
            today[gone] = today.get(player, player)
