"""Texts that are looked for in names, as far as a database folds capitals."""

from typing import Any

from sqlalchemy import Connection, Select, or_, select

from podium.league import schema
from podium.league.database import fetch

_WILDCARDS = str.maketrans({each: f"\\{each}" for each in "\\%_"})


def contains(connection: Connection, column: Any, text: str) -> Any:
    """The condition that a column has a text in it, in capitals or not.

    SQLite, and PostgreSQL in some locales, fold the letters of ASCII only. Of a text with others
    they also look for its forms in small letters, in capitals, and with capitals in front.
    """
    forms = [text] if text.isascii() else [text, text.lower(), text.upper(), text.title()]
    like = column.ilike if connection.dialect.name == "postgresql" else column.like
    patterns = [f"%{each.translate(_WILDCARDS)}%" for each in dict.fromkeys(forms)]
    return or_(*(like(pattern, escape="\\") for pattern in patterns))


def _numbers(connection: Connection, text: str) -> tuple[Select[Any], Select[Any]]:
    p, a = schema.players, schema.aliases
    names = select(p.c.id).where(contains(connection, p.c.name, text))
    aliases = select(a.c.player_id).where(contains(connection, a.c.name, text))
    return names, aliases


def players_called(connection: Connection, text: str, most: int) -> list[int] | None:
    """The numbers of players with a text in a name or alias; None if there are more than that."""
    found: set[int] = set()
    for numbers in _numbers(connection, text):
        found.update(fetch(connection, numbers.limit(most + 1))[0])
    return sorted(found) if len(found) <= most else None


def is_called(connection: Connection, player: Any, text: str) -> Any:
    """The condition that a column has the number of a player with a text in a name or alias."""
    names, aliases = _numbers(connection, text)
    return player.in_(names.union_all(aliases))


def is_named(connection: Connection, text: str) -> Any:
    """The same of the table of players, for when most of them need not be looked at."""
    p, a = schema.players, schema.aliases
    alias = select(a.c.name).where(a.c.player_id == p.c.id, contains(connection, a.c.name, text))
    return or_(contains(connection, p.c.name, text), alias.exists())
