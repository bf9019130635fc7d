"""Hidden players: who is not shown by which connection, and what stands in their place.

A view that is opened for the public, or for an organiser who did not ask for hidden players, says
so of its connection (`restrict`). Wherever numbers become names or names become numbers, and
wherever a leaderboard is put together, that is asked for here. Changes, exports and replays use
connections of which nothing was said, and see everybody.
"""

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, not_, select

from podium.league import schema
from podium.league.database import fetch, within

ANONYMOUS = "hidden player"
"""What stands in the place of a name."""
_SEEN = "podium_people_seen"
_SHORTEST = 2
"""Characters of names that are looked for in other texts."""


class Seen:
    """Who is seen.

    Args:
        hidden: Gives the numbers of all hidden players, if somebody asks.
        also_hidden: Whether they are seen nevertheless, because the organiser asks.
    """

    def __init__(self, hidden: Callable[[], frozenset[int]], *, also_hidden: bool) -> None:
        self._load = hidden
        self.also_hidden = also_hidden
        self.names: dict[str, int] = {}
        """All names of those who are not seen, once somebody has asked for them."""

    @cached_property
    def hidden(self) -> frozenset[int]:
        """The numbers of all hidden players."""
        return self._load()


_EVERYBODY = Seen(frozenset, also_hidden=True)


def load(connection: Connection, among: Collection[int] | None = None) -> frozenset[int]:
    """The numbers of all hidden players, or of those among some."""
    p = schema.players
    asked = select(p.c.id).where(p.c.hidden)
    if among is not None:
        asked = asked.where(within(connection, p.c.id, list(among)))
    return frozenset(fetch(connection, asked)[0])


def hidden_among(connection: Connection, names: Collection[str]) -> set[str]:
    """Which of these names are of hidden players."""
    p = schema.players
    named = within(connection, p.c.name, sorted(names))
    return set(fetch(connection, select(p.c.name).where(p.c.hidden, named))[0])


def hidden_names(connection: Connection) -> frozenset[str]:
    """The names of all hidden players."""
    p = schema.players
    return frozenset(fetch(connection, select(p.c.name).where(p.c.hidden))[0])


def restrict(connection: Connection, seen: Seen) -> None:
    """Let a connection show who is seen."""
    connection.execution_options(**{_SEEN: seen})


def _seen(connection: Connection) -> Seen:
    found: Seen = connection.get_execution_options().get(_SEEN, _EVERYBODY)
    return found


def sees_hidden(connection: Connection) -> bool:
    """Whether a connection shows hidden players, and what else is only the organiser's."""
    return _seen(connection).also_hidden


def unseen(connection: Connection) -> frozenset[int]:
    """The numbers of those whom a connection does not show."""
    seen = _seen(connection)
    return frozenset() if seen.also_hidden else seen.hidden


def off_board(connection: Connection, *, with_hidden: bool) -> frozenset[int]:
    """The numbers of those who are not on leaderboards, unless the organiser wants them there."""
    seen = _seen(connection)
    return frozenset() if with_hidden and seen.also_hidden else seen.hidden


@contextmanager
def everybody(connection: Connection) -> Iterator[None]:
    """Let a connection see everybody for a while: what is done then is the organiser's own."""
    before = _seen(connection)
    connection.execution_options(**{_SEEN: _EVERYBODY})
    try:
        yield
    finally:
        connection.execution_options(**{_SEEN: before})


def is_other(connection: Connection, column: Any, numbers: Collection[int]) -> list[Any]:
    """The condition, if there is one, that a column has none of these numbers."""
    return [not_(within(connection, column, sorted(numbers)))] if numbers else []


def with_stand_ins(
    connection: Connection, names: Mapping[int, str], *, alike: bool = False
) -> dict[int, str]:
    """Names by number, with others in the place of those who are not shown.

    Each of those has one of their own, or all have the same if they may be `alike`.
    """
    named = dict(names)
    hidden = sorted(unseen(connection).intersection(named))
    if not hidden:
        return named
    for each in hidden:
        named[each] = ANONYMOUS
    if not alike:
        others = {name for number, name in names.items() if number not in set(hidden)}
        free = (name for name in _stand_ins() if name not in others)
        named |= dict(zip(hidden, free, strict=False))
    return named


def _stand_ins() -> Iterator[str]:
    yield ANONYMOUS
    yield from (f"{ANONYMOUS} {number}" for number in itertools.count(2))


def is_anonymous(name: object) -> bool:
    """Whether a name stands in the place of a hidden player's.

    Example:
        >>> is_anonymous("hidden player"), is_anonymous("hidden player 2"), is_anonymous("ann")
        (True, True, False)
    """
    if not isinstance(name, str) or not name.startswith(ANONYMOUS):
        return False
    rest = name[len(ANONYMOUS) :]
    return not rest or (rest[0] == " " and rest[1:].isdigit())


def names_of_unseen(connection: Connection) -> dict[str, int]:
    """All names, old and shown ones too, of those whom a connection does not show."""
    numbers, found = sorted(unseen(connection)), _seen(connection).names
    if not numbers or found:
        return found
    p, a = schema.players, schema.aliases
    for name, number in (
        (p.c.name, p.c.id),
        (p.c.display, p.c.id),
        (a.c.name, a.c.player_id),
    ):
        statement = select(name, number).where(within(connection, number, numbers))
        owners = zip(*fetch(connection, statement), strict=True)
        found.update({each: owner for each, owner in owners if each is not None})
    return found


def redaction(connection: Connection, numbers: Collection[int] | None = None) -> "Redaction":
    """What takes names out of texts: those of all who are not shown, or of some of them."""
    names = names_of_unseen(connection)
    return Redaction(name for name, owner in names.items() if numbers is None or owner in numbers)


class Redaction:
    """Texts without names: whole words that are the name of somebody are replaced.

    Example:
        >>> Redaction(["eve", "Eve Lee"]).of("eve lee had help, not Steve")
        'hidden player had help, not Steve'
    """

    def __init__(self, names: Iterable[str]) -> None:
        longest = sorted((each for each in names if len(each) >= _SHORTEST), key=len, reverse=True)
        words = "|".join(map(re.escape, longest))
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    def of(self, text: str) -> str:
        """The text without the names."""
        return text if self._words is None else self._words.sub(ANONYMOUS, text)
