"""Changes of what is known of players: attributes, what they are shown as, who is hidden."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from sqlalchemy import Connection, select

from podium.errors import ConflictError, InputError, NotFoundError
from podium.league import people, players, schema
from podium.league.attributes import OWN, Attribute
from podium.league.changes import Change, did_you_mean
from podium.league.database import mapping, within
from podium.league.edits import NO_MOVES, Changing
from podium.league.people import Fields
from podium.ratings.conditions import as_word
from podium.results import tables
from podium.results.near import near
from podium.texts import LONGEST, normalised, too_long
from podium.wording import counted, listed, suggestion

REMOVES = "-"
"""What removes a value in a table of players."""
_PLAYER = "player"
_PASSED_OVER = ("id", "aliases", "contests")
"""Columns of podium's own tables of players that say nothing to be kept."""
_NAMED = 3
_DIGITS = 15


def define(
    change: Changing, attributes: Sequence[Attribute], removed: Sequence[str] = ()
) -> Change:
    """Let the league have more attributes, or others in the place of those of the same name.

    Those that are removed go with all their values. A new kind has to fit all values.
    """
    connection = change.connection
    known = people.defined(connection)
    gone = [people.named(known, as_word(str(name))).name for name in removed]
    wanted = {name: each for name, each in known.items() if name not in gone}
    wanted |= {each.name: each for each in attributes}
    touched = [name for name in {**known, **wanted} if known.get(name) != wanted.get(name)]
    if not touched:
        return Change("the attributes are so already", False)
    new: dict[str, Fields] = {}
    for name, values in _values(connection, touched).items():
        for player, value in values.items():
            kept = None if name not in wanted else _fitting(wanted[name], player, value)
            if kept != value:
                new.setdefault(player, {})[name] = kept
    before = {
        "attributes": people.definitions_of(known, touched),
        "people": _before(connection, new),
    }
    if change.writes:
        people.define(connection, wanted)
        _put(connection, new)
    lost = sum(value is None for fields in new.values() for value in fields.values())
    said = {"attributes": touched, "removed": gone, "values": lost} if gone else {}
    change.note(
        "attributes", details=said or {"attributes": touched}, moves=NO_MOVES, before=before
    )
    done = []
    if added := [name for name in touched if name in wanted]:
        done.append(f"defined the {_which('attribute', added)}")
    if gone:
        done.append(f"removed the {_which('attribute', gone)} with {counted(lost, 'value')}")
    return Change(" and ".join(done), True)


def _which(what: str, names: Sequence[str]) -> str:
    return f"{what}{'' if len(names) == 1 else 's'} {listed(names)}"


def _values(connection: Connection, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """What players have of some attributes, by the names of both."""
    a, p = schema.attributes, schema.players
    return {
        name: mapping(
            connection,
            select(p.c.name, a.c.value)
            .join(p, p.c.id == a.c.player_id)
            .where(a.c.attribute == name)
            .order_by(p.c.id),
        )
        for name in names
    }


def _fitting(attribute: Attribute, player: str, value: str) -> str:
    try:
        return attribute.checked(value)
    except InputError as error:
        raise ConflictError(f"{player!r}: {error}") from None


def describe(
    change: Changing,
    described: Mapping[str, Mapping[str, Any]],
    *,
    new: bool = False,
    defining: Sequence[Attribute] = (),
) -> Change:
    """Let these be known of players: values by field, by name or alias; None removes.

    Args:
        change: The change under way.
        described: What is to be known.
        new: Whether players may be added whom the league does not know.
        defining: Attributes that the league gets by it.
    """
    connection = change.connection
    known = people.defined(connection)
    defined = [each for each in defining if each.name not in known]
    attributes = known | {each.name: each for each in defined}
    wanted, newcomers = _by_number(connection, described, new=new)
    fields = {
        number: {
            field: _checked(attributes, called, field, value) for field, value in given.items()
        }
        for number, (called, given) in wanted.items()
    }
    for number, given in fields.items():  # nobody is shown as what they are called anyway
        if given.get("display") == wanted[number][0]:
            given["display"] = None
    now = people.of(connection, list(fields))
    changed = {
        number: {field: value for field, value in given.items() if now[number].get(field) != value}
        for number, given in fields.items()
    }
    changed = {number: each for number, each in changed.items() if each or number in newcomers}
    if not changed and not defined:
        which = f"{next(iter(described))!r} is" if len(described) == 1 else "all players are"
        return Change(f"{which} known so already", False)
    names = {number: wanted[number][0] for number in changed}
    before: dict[str, Any] = {
        "people": {
            names[number]: {field: now[number].get(field) for field in each}
            for number, each in changed.items()
        }
    }
    if defined:
        before["attributes"] = people.definitions_of(known, [each.name for each in defined])
    if change.writes:
        players.add(connection, newcomers)
        people.define(connection, attributes)
        people.put(connection, changed)
    added = sorted(newcomers.values())
    touched = [
        name for name in (*OWN, *attributes) if any(name in each for each in changed.values())
    ]
    one = next(iter(names.values())) if len(names) == 1 else None
    change.note(
        "describe",
        player=one,
        details={"described": len(names), "fields": touched},
        moves=NO_MOVES,
        before=before,
        after={"newcomers": added},
    )
    what = f"described {counted(len(names), 'player')}" if one is None else f"described {one!r}"
    if touched:
        what += f": {listed(touched)}"
    if defined:
        what += f"; defined the {_which('attribute', [each.name for each in defined])}"
    return Change(what, True, newcomers=added)


def _by_number(
    connection: Connection, described: Mapping[str, Mapping[str, Any]], *, new: bool
) -> tuple[dict[int, tuple[str, Mapping[str, Any]]], dict[int, str]]:
    """Players by number, each with their name and what is said, and who is new."""
    for name in described:
        if not isinstance(name, str) or not normalised(name) or "\0" in name:
            raise InputError(f"the name of a player is needed, not {name!r}.")
    known = players.known(connection, list(described))
    missing = [name for name in described if name not in known]
    if missing and not new:
        _refuse_unknown(connection, missing)
    if long := next((name for name in missing if len(name) > LONGEST), None):
        raise InputError(too_long("the name of a new player", long))
    following = players.next_number(connection)
    newcomers = dict(enumerate(map(normalised, missing), following))
    numbers = known | dict(zip(missing, newcomers, strict=True))
    names = {
        **newcomers,
        **players.names_of(connection, np.array(sorted(set(known.values())), np.int64)),
    }
    found: dict[int, tuple[str, Mapping[str, Any]]] = {}
    there = set[str]()
    for name, given in described.items():
        number = numbers[name]
        if names[number] in there:
            raise InputError(f"{names[number]!r} stands there twice, also as {name!r}.")
        there.add(names[number])
        found[number] = names[number], given
    return found, newcomers


def _refuse_unknown(connection: Connection, names: Sequence[str]) -> None:
    """Raise for players whom the league does not know."""
    if len(names) == 1:
        try:
            players.number_of(connection, names[0])
        except NotFoundError as error:
            said = str(error).removesuffix(".")
            raise NotFoundError(f"{said}; new=True or --new adds them without results.") from None
    alike = did_you_mean(near(pl.Series(names, dtype=pl.String), players.every_name(connection)))
    who = ", ".join(alike[:_NAMED]) if alike else listed(names, _NAMED)
    raise NotFoundError(
        f"the league does not know {len(names):,} of these players, {who} among them; new=True or "
        f"--new adds them without results."
    )


def _checked(attributes: Mapping[str, Attribute], player: str, field: str, given: Any) -> Any:
    """A value as it is kept, or None if it is to be removed."""
    if field not in OWN:
        people.named(attributes, field)
    if given is None:
        return None
    try:
        return people.checked(attributes, field, given)
    except InputError as error:
        raise InputError(f"{player!r}: {error}") from None


def fields_of(given: Mapping[str, Any]) -> Fields:
    """What is said of a player, by the names of fields as they are compared."""
    if not isinstance(given, Mapping):
        raise InputError(
            f"values by attribute are needed, such as {{'country': 'NO'}}, not {given!r}."
        )
    found = {as_word(name): value for name, value in given.items() if isinstance(name, str)}
    if len(found) < len(given):
        raise InputError(
            "an attribute stands there twice, or is called by something else than a text."
        )
    return found


def of_table(table: Any) -> tuple[dict[str, Fields], list[str]]:
    """What a table says of players, by name, and which fields it has.

    An empty cell says nothing, and `REMOVES` that there is no value.
    """
    frame = tables.as_polars(table)
    words = [as_word(name) for name in frame.columns]
    if _PLAYER not in words:
        raise InputError(
            f"a table of players needs the column 'player'{suggestion(_PLAYER, words)}; there is "
            f"{listed(frame.columns)}."
        )
    if twice := [word for word in words if words.count(word) > 1]:
        raise InputError(f"two columns are called {twice[0]!r}.")
    frame = frame.rename(dict(zip(frame.columns, words, strict=True)))
    fields = [name for name in frame.columns if name != _PLAYER and name not in _PASSED_OVER]
    fields = [name for name in fields if frame[name].null_count() < frame.height or name in OWN]
    found: dict[str, Fields] = {}
    columns = [frame[name].to_list() for name in fields]
    names = frame[_PLAYER].cast(pl.String).to_list()
    for row, (name, *values) in enumerate(zip(names, *columns, strict=True), 1):
        if name is None or not normalised(name):
            raise InputError(f"row {row}: there is no player.")
        if name in found:
            raise InputError(f"row {row}: {name!r} stands there twice.")
        found[name] = {
            field: None if value == REMOVES else value
            for field, value in zip(fields, values, strict=True)
            if value is not None and not (isinstance(value, str) and not normalised(value))
        }
    return found, fields


def kinds_in(
    described: Mapping[str, Fields], fields: Sequence[str], known: Mapping[str, Attribute]
) -> list[Attribute]:
    """Attributes for those fields that the league does not have, by what all values are."""
    return [
        Attribute(field, _kind(_given(described, field)))
        for field in fields
        if field not in known and field not in OWN
    ]


def _given(described: Mapping[str, Fields], field: str) -> list[Any]:
    """All values of a field that are there."""
    return [each[field] for each in described.values() if each.get(field) is not None]


def _is_code(value: Any) -> bool:
    """Whether a text of digits is more than a number: one that begins with 0, or is very long."""
    text = normalised(value) if isinstance(value, str) else ""
    return text.isdigit() and (len(text) > _DIGITS or text != text.lstrip("0") != "")


def _kind(values: Sequence[Any]) -> str:
    kinds = ["date", "link"] if any(map(_is_code, values)) else ["number", "date", "link"]
    for kind in kinds:
        attribute = Attribute("value", kind)
        try:
            for value in values:
                attribute.checked(value)
        except InputError:
            continue
        if values:
            return kind
    return "text"


def describe_all(
    change: Changing,
    described: Mapping[str, Fields],
    fields: Sequence[str],
    *,
    define: bool,
    new: bool,
) -> Change:
    """Let what a table says be known of its players."""
    known = people.defined(change.connection)
    unknown = [name for name in fields if name not in known and name not in OWN]
    if unknown and not define:
        raise InputError(
            f"the league does not have the {_which('attribute', unknown)}"
            f"{suggestion(unknown[0], list(known))}; define=True or --define lets it have "
            f"{'it' if len(unknown) == 1 else 'them'}."
        )
    return describe(change, described, new=new, defining=kinds_in(described, fields, known))


def hide(change: Changing, player: str, *, hidden: bool) -> Change:
    """Let a player be in no output but the organiser's, or in all of them again."""
    connection = change.connection
    number = players.number_of(connection, player)
    name = players.name_of(connection, number)
    was = people.of(connection, [number])[number].get("hidden")
    if bool(was) == hidden:
        return Change(f"{name!r} is {'hidden' if hidden else 'shown'} already", False)
    if change.writes:
        people.put(connection, {number: {"hidden": hidden or None}})
    change.note(
        "hide" if hidden else "show",
        player=name,
        details={},
        moves=NO_MOVES,
        before={"people": {name: {"hidden": was}}},
    )
    return Change(f"{'hid' if hidden else 'showed'} {name!r}", True)


def _before(connection: Connection, new: Mapping[str, Fields]) -> dict[str, Fields]:
    """What is known now of the same players and fields."""
    numbers = _numbers(connection, list(new))
    now = people.of(connection, list(numbers.values()))
    return {
        name: {field: now[numbers[name]].get(field) for field in fields}
        for name, fields in new.items()
    }


def _put(connection: Connection, new: Mapping[str, Fields]) -> None:
    numbers = _numbers(connection, list(new))
    people.put(connection, {numbers[name]: fields for name, fields in new.items()})


def _numbers(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    p = schema.players
    return mapping(connection, select(p.c.name, p.c.id).where(within(connection, p.c.name, names)))
