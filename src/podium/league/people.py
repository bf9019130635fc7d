"""What is known of players besides names: what they are shown as, whether hidden, attributes.

The log keeps parts of it as states: `attributes`, definitions by name, and `people`, fields by the
names of players; None stands for what was not there. `put` writes such a state, `state_of` says
what there is now of the same parts.
"""

import json
import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, Double, Select, bindparam, case, cast, delete, select, update
from sqlalchemy.exc import MultipleResultsFound, NoResultFound

from podium.errors import InputError, NotFoundError, PodiumError, StorageError
from podium.league import hiding, schema
from podium.league.attributes import OWN, Attribute, as_stored, checked_display, checked_hidden
from podium.league.database import fetch, insert, mapping, within
from podium.ratings.conditions import Condition
from podium.wording import listed, suggestion

Fields = dict[str, Any]
"""What is known of a player, or parts of it, by the names of fields; None for what is not there."""

_MANY = 2000
"""Of more players, all of a table is read rather than looked up."""


def defined(connection: Connection) -> dict[str, Attribute]:
    """The attributes that the league has, in their order."""
    try:
        text = connection.execute(select(schema.league.c.attributes)).scalar_one()
        return {each["name"]: Attribute(**each) for each in json.loads(text)}
    except (TypeError, ValueError, KeyError, RecursionError, NoResultFound, MultipleResultsFound):
        raise StorageError("the league is damaged: its attributes cannot be read.") from None


def public(connection: Connection) -> dict[str, Attribute]:
    """Those of them that everybody may see."""
    return {name: each for name, each in defined(connection).items() if each.public}


def define(connection: Connection, attributes: Mapping[str, Attribute]) -> None:
    """Let the league have these attributes, and no others."""
    stored = as_stored(list(attributes.values()))
    connection.execute(update(schema.league).values(attributes=stored))


def named(attributes: Mapping[str, Attribute], name: str) -> Attribute:
    """The attribute of that name; an unknown one is an error."""
    if name not in attributes:
        there = f"there is {listed(list(attributes))}" if attributes else "it has none"
        raise NotFoundError(
            f"the league has no attribute {name!r}{suggestion(name, list(attributes))}; {there}."
        )
    return attributes[name]


def checked(attributes: Mapping[str, Attribute], field: str, given: Any) -> Any:
    """The value of a field as it is kept."""
    if field == "display":
        return checked_display(given)
    if field == "hidden":
        return checked_hidden(given) or None
    return attributes[field].checked(given)


def of(connection: Connection, numbers: Collection[int]) -> dict[int, Fields]:
    """All that is known of players, by number; those of whom nothing is known are there, too."""
    found: dict[int, Fields] = {each: {} for each in numbers}
    p, a = schema.players, schema.attributes
    people = select(p.c.id, p.c.display, p.c.hidden).where(p.c.hidden | p.c.display.is_not(None))
    values = select(a.c.player_id, a.c.attribute, a.c.value)
    if len(found) <= _MANY:
        people = people.where(within(connection, p.c.id, sorted(found)))
        values = values.where(within(connection, a.c.player_id, sorted(found)))
    for number, display, hidden in zip(*fetch(connection, people), strict=True):
        if number in found:
            own = {"display": display, "hidden": hidden or None}
            found[number] |= {name: each for name, each in own.items() if each is not None}
    for number, attribute, value in zip(*fetch(connection, values), strict=True):
        if number in found:
            found[number][attribute] = value
    return found


def described(connection: Connection, numbers: Iterable[int]) -> set[int]:
    """Those of these players of whom something is known."""
    return {number for number, fields in of(connection, list(numbers)).items() if fields}


def put(connection: Connection, people: Mapping[int, Fields]) -> None:
    """Let fields of players, by number, be these; None removes. Others are left as they are."""
    p, a = schema.players, schema.attributes
    for column in (p.c.display, p.c.hidden):
        own = [
            {"number": number, "kept": fields[column.name]}
            for number, fields in people.items()
            if column.name in fields
        ]
        if own:
            kept = bindparam("kept", type_=column.type)
            if column is p.c.hidden:
                own = [{**each, "kept": bool(each["kept"])} for each in own]
            statement = update(p).where(p.c.id == bindparam("number")).values({column: kept})
            connection.execute(statement, own)
    cells = [
        (number, field, value)
        for number, fields in people.items()
        for field, value in fields.items()
        if field not in OWN
    ]
    for field in {field for _, field, _ in cells}:
        whose = [number for number, name, _ in cells if name == field]
        theirs = within(connection, a.c.player_id, whose)
        connection.execute(delete(a).where(a.c.attribute == field, theirs))
    there = [cell for cell in cells if cell[2] is not None]
    if there:
        numbers, fields, values = map(list, zip(*there, strict=True))
        insert(connection, a, {"player_id": numbers, "attribute": fields, "value": values})


def with_definitions(
    attributes: Mapping[str, Attribute], state: Mapping[str, Any]
) -> dict[str, Attribute]:
    """The attributes of a league once those of a state, which the log keeps, are as there."""
    found = [each for name, each in attributes.items() if name not in state]
    try:
        wanted = [(each["place"], each) for each in state.values() if each is not None]
        for place, each in sorted(wanted, key=lambda pair: pair[0]):
            kept = Attribute(each["name"], each["kind"], each["public"])
            found.insert(place, kept)
    except (TypeError, KeyError, PodiumError):
        raise StorageError("the log is damaged: attributes cannot be read.") from None
    return {each.name: each for each in found}


def definitions_of(attributes: Mapping[str, Attribute], names: Iterable[str]) -> dict[str, Any]:
    """Attributes as a state of the log has them; None for those that the league does not have."""
    places = {name: place for place, name in enumerate(attributes)}
    return {
        name: None
        if name not in attributes
        else {**attributes[name].document(), "place": places[name]}
        for name in names
    }


# What is shown


def columns(
    connection: Connection, numbers: NDArray[np.int64], attributes: Mapping[str, Attribute]
) -> dict[str, pl.Series]:
    """What players, by number, are shown as, and their attributes: `display`, and one for each."""
    p, a, many = schema.players, schema.attributes, len(numbers) > _MANY
    shown = select(p.c.id, p.c.display).where(p.c.display.is_not(None))
    if not many:
        shown = shown.where(within(connection, p.c.id, numbers.tolist()))
    display = mapping(connection, shown)
    who = numbers.tolist()
    found = {"display": pl.Series([display.get(each) for each in who], dtype=pl.String)}
    for name, attribute in attributes.items():
        values = select(a.c.player_id, a.c.value).where(a.c.attribute == name)
        if not many:
            values = values.where(within(connection, a.c.player_id, who))
        known = mapping(connection, values)
        texts = pl.Series([known.get(each) for each in who], dtype=pl.String)
        found[name] = texts.cast(pl.Float64) if attribute.kind == "number" else texts
    return found


def displays(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """What players are shown as, by name, if that is not the name."""
    p = schema.players
    shown = select(p.c.name, p.c.display).where(
        p.c.display.is_not(None),
        within(connection, p.c.name, names),
        *hiding.is_other(connection, p.c.id, hiding.unseen(connection)),
    )
    return mapping(connection, shown)


def values_of(
    attributes: Mapping[str, Attribute], fields: Mapping[str, Any]
) -> dict[str, str | int | float | None]:
    """What is known of a player, for programs, in the order of the attributes."""
    return {
        name: None if fields.get(name) is None else each.typed(fields[name])
        for name, each in attributes.items()
    }


def distinct_values(connection: Connection, attribute: str, most: int) -> list[str] | None:
    """The values that players who are shown have, or None if there are more than that."""
    a = schema.attributes
    hidden = hiding.off_board(connection, with_hidden=False)
    values = select(a.c.value).where(
        a.c.attribute == attribute, *hiding.is_other(connection, a.c.player_id, hidden)
    )
    found = fetch(connection, values.distinct().limit(most + 1))[0]
    return sorted(found) if len(found) <= most else None


# Conditions


def meeting(
    connection: Connection, conditions: Sequence[Condition]
) -> list[tuple[Select[Any], bool]]:
    """For each condition, numbers of players, and whether one has to be among them or must not."""
    if not conditions:
        return []
    known = defined(connection) if hiding.sees_hidden(connection) else public(connection)
    return [_meeting(connection, named(known, each.attribute), each) for each in conditions]


def _meeting(
    connection: Connection, attribute: Attribute, condition: Condition
) -> tuple[Select[Any], bool]:
    a, sign = schema.attributes, condition.sign
    try:
        value = attribute.checked(condition.value)
    except InputError as error:
        raise InputError(f"{condition}: {error}") from None
    theirs = select(a.c.player_id).where(a.c.attribute == attribute.name)
    if sign in ("=", "!="):
        return theirs.where(a.c.value == value), sign == "="
    if attribute.kind not in ("number", "date"):
        raise InputError(
            f"{condition}: {attribute.name} is a {attribute.kind}, which is the same or not; = and "
            f"!= ask for that."
        )
    compare = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    if attribute.kind == "date":
        is_server = connection.dialect.name == "postgresql"
        kept: Any = a.c.value.collate("C") if is_server else a.c.value
        return theirs.where(compare(kept, value)), True
    # of what others have no number can be made, and a database may look at that first
    kept = case((a.c.attribute == attribute.name, cast(a.c.value, Double)), else_=None)
    return theirs.where(compare(kept, float(value))), True
