"""The players of a league: their numbers, names and aliases."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, func, select, union_all, update

from podium.errors import InputError, NotFoundError
from podium.league import hiding, schema, segments
from podium.league.database import fetch, insert, mapping, suggested, within
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
    p = schema.players
    following = next_number(connection)
    names: list[str] = contests.players.to_list()
    known: dict[Any, Any] = {}
    if following > 1:
        contests = under_their_names(connection, contests)
        names = contests.players.to_list()
        found = select(p.c.name, p.c.id).where(within(connection, p.c.name, names))
        known = _seen(connection, mapping(connection, found))
    number = np.fromiter(map(known.get, names, itertools.repeat(-1)), np.int32, len(names))
    places = np.flatnonzero(number < 0)
    new = [names[place] for place in places.tolist()]
    if long := next((name for name in new if len(name) > LONGEST), None):
        raise InputError(too_long("the name of a new player", long))
    number[places] = np.arange(len(new)) + following
    return Entrants(contests, number, dict(zip(number[places].tolist(), new, strict=True)))


def next_number(connection: Connection) -> int:
    """The number for the next new player, which nobody has or ever had."""
    largest = select(func.max(schema.players.c.id)), select(func.max(schema.league.c.last_player))
    return 1 + max(connection.execute(each).scalar() or 0 for each in largest)


def add(connection: Connection, newcomers: Mapping[int, str]) -> None:
    """Keep new players, by the numbers that they get, which nobody else will get."""
    if not newcomers:
        return
    insert(connection, schema.players, {"id": list(newcomers), "name": list(newcomers.values())})
    last = max(next_number(connection) - 1, *newcomers)
    connection.execute(update(schema.league).values(last_player=last))


def numbered(
    connection: Connection, names: Sequence[str], wanted: Mapping[str, int]
) -> dict[int, str]:
    """Numbers for players who are not there: those that they had, if they are free, or new ones."""
    p = schema.players
    had = [wanted[name] for name in names if name in wanted]
    taken = set(fetch(connection, select(p.c.id).where(within(connection, p.c.id, had)))[0])
    following = itertools.count(max(next_number(connection), 1 + max(had, default=0)))
    numbers: dict[int, str] = {}
    for name in names:
        number = wanted.get(name)
        if number is None or number in taken or number in numbers:
            number = next(following)
        numbers[number] = name
    return numbers


def _seen(connection: Connection, found: dict[Any, Any]) -> dict[Any, Any]:
    """Numbers by name, without those of players who are hidden from a connection."""
    hidden = hiding.unseen(connection)
    return {name: each for name, each in found.items() if each not in hidden} if hidden else found


def under_their_names(connection: Connection, contests: Contests) -> Contests:
    """The same results with the league's names for those who are called by an alias."""
    import polars as pl

    p, a = schema.players, schema.aliases
    if connection.execute(select(a.c.name).limit(1)).scalar() is None:
        return contests
    names = contests.players.to_list()
    found = (
        select(a.c.name, p.c.name)
        .join(p, p.c.id == a.c.player_id)
        .where(within(connection, a.c.name, names))
        .where(*hiding.is_other(connection, p.c.id, hiding.unseen(connection)))
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


def names_of(
    connection: Connection, players: NDArray[np.int64], *, alike: bool = False
) -> dict[int, str]:
    """The names of players by their numbers; hidden ones may be called `alike`."""
    p = schema.players
    named = select(p.c.id, p.c.name).where(within(connection, p.c.id, players.tolist()))
    return hiding.with_stand_ins(connection, mapping(connection, named), alike=alike)


def name_of(connection: Connection, player: int) -> str:
    """The name of a player by their number."""
    return names_of(connection, np.array([player]))[player]


def all_names(connection: Connection) -> dict[int, str]:
    """The names of all players by their numbers."""
    named = mapping(connection, select(schema.players.c.id, schema.players.c.name))
    return hiding.with_stand_ins(connection, named)


def near(connection: Connection, names: Sequence[str]) -> "pl.DataFrame":
    """Names or aliases in the league that are almost those of these newcomers: name and like."""
    import polars as pl

    from podium.results.near import near

    return near(pl.Series(list(names), dtype=pl.String), every_name(connection))


def every_name(connection: Connection) -> "pl.Series":
    """All names and aliases."""
    import polars as pl

    p, a, hidden = schema.players, schema.aliases, hiding.unseen(connection)
    every = union_all(
        select(p.c.name).where(*hiding.is_other(connection, p.c.id, hidden)),
        select(a.c.name).where(*hiding.is_other(connection, a.c.player_id, hidden)),
    )
    return pl.Series(fetch(connection, every)[0], dtype=pl.String)


def numbers_of(connection: Connection, names: Sequence[str]) -> NDArray[np.int64]:
    """The numbers of players, given by name or alias; an unknown one is an error."""
    return np.array([number_of(connection, name) for name in names], np.int64)


def number_of(connection: Connection, name: str) -> int:
    """The number of a player, given by name or alias; an unknown one is an error."""
    number = find(connection, name)
    if number is None:
        p = schema.players
        others = hiding.is_other(connection, p.c.id, hiding.unseen(connection))
        hint = suggested(connection, p.c.name, name, *others)
        raise NotFoundError(f"there is no player {name!r}{hint} in the league.")
    return number


def all_names_of(connection: Connection, name: str) -> set[str]:
    """The names that a player has, given by one of them; only that one if it is not known."""
    number = find(connection, name)
    if number is None:
        return {name, normalised(name)}
    return {name, name_of(connection, number), *aliases_of(connection, number)}


def guests_among(connection: Connection, players: Sequence[int]) -> set[int]:
    """Who of these players, by number, is a guest."""
    p = schema.players
    guests = select(p.c.id).where(p.c.guest, within(connection, p.c.id, players))
    return set(fetch(connection, guests)[0])


def all_guests(connection: Connection) -> dict[int, str]:
    """The names of all guests by their numbers."""
    p = schema.players
    return mapping(connection, select(p.c.id, p.c.name).where(p.c.guest))


def set_guests(connection: Connection, players: Sequence[int], guest: bool) -> None:
    """Note whether players, by number, are guests."""
    p = schema.players
    theirs = within(connection, p.c.id, players)
    connection.execute(update(p).where(theirs).values(guest=guest))


def aliases_of(connection: Connection, player: int) -> list[str]:
    """The other names of a player."""
    a = schema.aliases
    return sorted(fetch(connection, select(a.c.name).where(a.c.player_id == player))[0])


def drop(connection: Connection, players: Sequence[int]) -> None:
    """Forget players who have no results, with what is known and any revision made of them."""
    r = schema.ratings
    segments.forget_ratings(connection, within(connection, r.c.player_id, players))
    tables = (schema.aliases, schema.attributes, schema.starts, schema.look_back_rows)
    for column in (*(each.c.player_id for each in tables), schema.players.c.id):
        connection.execute(delete(column.table).where(within(connection, column, players)))


def known(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    """The numbers of those of these players, given by name or alias, whom the league knows."""
    p, a = schema.players, schema.aliases
    meant = list(dict.fromkeys((*names, *map(normalised, names))))
    aliases = select(a.c.name, a.c.player_id).where(within(connection, a.c.name, meant))
    own = select(p.c.name, p.c.id).where(within(connection, p.c.name, meant))
    found = _seen(connection, {**mapping(connection, aliases), **mapping(connection, own)})
    return {name: found[each] for name in names if (each := spelled(name, found)) in found}


def find(connection: Connection, name: str) -> int | None:
    """The number of a player, given by name or alias, or None."""
    if not isinstance(name, str):
        raise InputError(f"the name of a player is needed, not {name!r}.")
    p = schema.players
    number: int | None = connection.execute(select(p.c.id).where(p.c.name == name)).scalar()
    if number is None or number in hiding.unseen(connection):
        return known(connection, [name]).get(name)
    return number
