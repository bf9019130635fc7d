"""The players of a league: their numbers, names and aliases."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select, union_all

from podium.errors import InputError, NotFoundError
from podium.league import schema
from podium.league.database import fetch, mapping, suggested, within
from podium.results.contests import Contests
from podium.texts import LONGEST, normalised, spelled, too_long

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Entrants:
    """The players of new results."""

    contests: Contests
    """The results, with every player under the name that the league has for them."""
    number: NDArray[np.int32]
    """The number of each player of the contests."""
    newcomers: dict[int, str] = field(default_factory=dict)
    """Who the league did not know, by the numbers that they get."""


def entrants(connection: Connection, contests: Contests) -> Entrants:
    """Look up the players of results; those who are not known get the next numbers."""
    p, a = schema.players, schema.aliases
    last = connection.execute(select(func.max(p.c.id))).scalar()
    names: list[str] = contests.players.to_list()
    known: dict[Any, Any] = {}
    if last is not None:
        if connection.execute(select(a.c.name).limit(1)).scalar() is not None:
            contests = _under_their_names(connection, contests)
            names = contests.players.to_list()
        found = select(p.c.name, p.c.id).where(within(connection, p.c.name, names))
        known = mapping(connection, found)
    number = np.fromiter(map(known.get, names, itertools.repeat(-1)), np.int32, len(names))
    places = np.flatnonzero(number < 0)
    new = [names[place] for place in places.tolist()]
    if long := next((name for name in new if len(name) > LONGEST), None):
        raise InputError(too_long("the name of a new player", long))
    number[places] = np.arange(len(new)) + 1 + (last or 0)
    return Entrants(contests, number, dict(zip(number[places].tolist(), new, strict=True)))


def _under_their_names(connection: Connection, contests: Contests) -> Contests:
    """The same results with the league's names for those who are called by an alias."""
    import polars as pl

    p, a = schema.players, schema.aliases
    names = contests.players.to_list()
    found = (
        select(a.c.name, p.c.name)
        .join(p, p.c.id == a.c.player_id)
        .where(within(connection, a.c.name, names))
    )
    meant = mapping(connection, found)
    if not meant:
        return contests
    called = [meant.get(name, name) for name in names]
    _refuse_twice(contests, called)
    number = {name: place for place, name in enumerate(sorted(set(called)))}
    c = contests.columns
    player = np.array([number[name] for name in called], np.int32)[c.player]
    rows = np.lexsort((player, c.rank, np.repeat(np.arange(len(contests)), contests.sizes)))
    named = pl.Series(list(number), dtype=pl.String)
    parts = contests.parts._replace(columns=c._replace(player=player), players=named)
    return Contests(parts.take(slice(None), rows, c.offsets))


def _refuse_twice(contests: Contests, called: list[str]) -> None:
    """Raise if somebody takes part twice in a contest, when its players are called so."""
    number = {name: place for place, name in enumerate(dict.fromkeys(called))}
    player = np.array([number[name] for name in called], np.int64)[contests.columns.player]
    contest = np.repeat(np.arange(len(contests)), contests.sizes)
    order = np.lexsort((player, contest))
    twice = np.flatnonzero((np.diff(player[order]) == 0) & (np.diff(contest[order]) == 0))
    if len(twice):
        rows = order[twice[0] : twice[0] + 2]
        one, other = contests.players.gather(contests.columns.player[rows])
        raise InputError(
            f"contest {contests.ids[int(contest[rows[0]])]!r}: {one!r} and {other!r} are one "
            f"player in this league, who cannot take part twice."
        )


def names_of(connection: Connection, players: NDArray[np.int64]) -> dict[int, str]:
    """The names of players by their numbers."""
    p = schema.players
    named = select(p.c.id, p.c.name).where(within(connection, p.c.id, players.tolist()))
    return mapping(connection, named)


def name_of(connection: Connection, player: int) -> str:
    """The name of a player by their number."""
    return names_of(connection, np.array([player]))[player]


def all_names(connection: Connection) -> dict[int, str]:
    """The names of all players by their numbers."""
    return mapping(connection, select(schema.players.c.id, schema.players.c.name))


def near(connection: Connection, names: Sequence[str]) -> "pl.DataFrame":
    """Names or aliases in the league that are almost those of these newcomers: name and like."""
    import polars as pl

    from podium.results.near import near

    return near(pl.Series(list(names), dtype=pl.String), every_name(connection))


def every_name(connection: Connection) -> "pl.Series":
    """All names and aliases."""
    import polars as pl

    every = union_all(select(schema.players.c.name), select(schema.aliases.c.name))
    return pl.Series(fetch(connection, every)[0], dtype=pl.String)


def numbers_of(connection: Connection, names: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of players, given by name or alias; an unknown one is an error."""
    return np.array([number_of(connection, name) for name in names], np.int64)


def number_of(connection: Connection, name: str) -> int:
    """The number of a player, given by name or alias; an unknown one is an error."""
    number = find(connection, name)
    if number is None:
        hint = suggested(connection, schema.players.c.name, name)
        raise NotFoundError(f"there is no player {name!r}{hint} in the league.")
    return number


def all_names_of(connection: Connection, name: str) -> set[str]:
    """The names that a player has, given by one of them; only that one if it is not known."""
    number = find(connection, name)
    if number is None:
        return {name, normalised(name)}
    return {name, name_of(connection, number), *aliases_of(connection, number)}


def aliases_of(connection: Connection, player: int) -> list[str]:
    """The other names of a player."""
    a = schema.aliases
    return sorted(fetch(connection, select(a.c.name).where(a.c.player_id == player))[0])


def drop(connection: Connection, players: Sequence[int]) -> None:
    """Forget players who have no results, with what any revision made of them."""
    p, a = schema.players, schema.aliases
    for column in (schema.ratings.c.player_id, schema.beliefs.c.player_id, a.c.player_id, p.c.id):
        connection.execute(delete(column.table).where(within(connection, column, players)))


def known(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    """The numbers of those of these players, given by name or alias, whom the league knows."""
    p, a = schema.players, schema.aliases
    meant = list(dict.fromkeys((*names, *map(normalised, names))))
    aliases = select(a.c.name, a.c.player_id).where(within(connection, a.c.name, meant))
    own = select(p.c.name, p.c.id).where(within(connection, p.c.name, meant))
    found = {**mapping(connection, aliases), **mapping(connection, own)}
    return {name: found[each] for name in names if (each := spelled(name, found)) in found}


def find(connection: Connection, name: str) -> int | None:
    """The number of a player, given by name or alias, or None."""
    if not isinstance(name, str):
        raise InputError(f"the name of a player is needed, not {name!r}.")
    p = schema.players
    number = connection.execute(select(p.c.id).where(p.c.name == name)).scalar()
    return known(connection, [name]).get(name) if number is None else number
