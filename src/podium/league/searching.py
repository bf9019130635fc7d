"""Texts that are looked for in names, whatever their capitals and accents."""

from typing import Any

from sqlalchemy import Connection, Select, and_, case, func, literal_column, or_, select

from podium.league import schema
from podium.league.database import fetch
from podium.texts import folded

_DECOMPOSED: Any = literal_column("NFKD")
_ACCENTS = "[\u0300-\u036f]"
_WILDCARDS = str.maketrans({each: f"\\{each}" for each in "\\%_"})


def contains(connection: Connection, column: Any, text: str) -> Any:
    """The condition that a column has a text in it, in capitals or not, with accents or without.

    SQLite folds the letters of ASCII only, so that names with others are folded by `folded`, a
    function that `podium.league.sqlite` gives to it; PostgreSQL takes accents off by itself.
    """
    pattern = f"%{folded(text).translate(_WILDCARDS)}%"
    if connection.dialect.name == "postgresql":
        plain = func.regexp_replace(func.normalize(column, _DECOMPOSED), _ACCENTS, "", "g")
        given = f"%{text.translate(_WILDCARDS)}%"
        return or_(func.lower(plain).like(pattern, escape="\\"), column.ilike(given, escape="\\"))
    has_others = column.op("GLOB")("*[^ -~]*")
    shown = case((has_others, func.folded(column)), else_=column)
    return shown.like(pattern, escape="\\")


def _is_called(connection: Connection, text: str) -> Any:
    """The condition that the name of a player, or what they are shown as, has a text in it."""
    p = schema.players
    shown = and_(p.c.display.is_not(None), contains(connection, p.c.display, text))
    return or_(contains(connection, p.c.name, text), shown)


def _numbers(connection: Connection, text: str) -> tuple[Select[Any], Select[Any]]:
    p, a = schema.players, schema.aliases
    names = select(p.c.id).where(_is_called(connection, text))
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
    return or_(_is_called(connection, text), alias.exists())
