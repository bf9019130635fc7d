"""What tuning looks through: the values of some parameters of a system."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

from podium.errors import InputError
from podium.results.columns import Columns
from podium.systems.base import System
from podium.systems.search import Between, OneOf, Search

Space = dict[str, Search]
"""Where to look for the value of each parameter that is not fixed."""

_FACTOR = 10.0
"""Ranges of a parameter that declares none are searched by factors if they span so much."""
_MOST_COMBINATIONS = 100_000


def space_of(
    system: type[System],
    columns: Columns,
    fixed: Mapping[str, Any],
    wanted: Mapping[str, Search],
) -> Space:
    """What the system declares and these contests can tell, but for what is fixed or wanted.

    Example:
        >>> from podium import simulate, systems
        >>> columns = simulate(players=3, rounds=2).columns
        >>> space_of(systems.Elo, columns, {"k_new": None}, {"k": systems.OneOf((16, 32))})
        {'k': OneOf(values=(16, 32), needs='')}
    """
    space = {
        name: search
        for name, search in declared(system).items()
        if not search.needs or getattr(columns, search.needs) is not None
    }
    for name, search in wanted.items():
        if name in fixed:
            raise InputError(f"{name} cannot be both fixed and searched for.")
        _check(system, name, search)
        space[name] = search
    space = {name: search for name, search in space.items() if name not in fixed}
    if not space:
        raise InputError(
            f"nothing is left to tune: {system.name} declares "
            f"{', '.join(declared(system))}, and all of it is fixed."
        )
    return space


def declared(system: type[System]) -> Space:
    """Where the system's own parameters say that tuning should look."""
    rules = {field.name: field.metadata["search"] for field in dataclasses.fields(system)}
    return {name: search for name, search in rules.items() if search is not None}


def combinations(space: Space) -> Iterator[dict[str, Any]]:
    """All points of the grid."""
    count = math.prod(len(search.grid) for search in space.values())
    if count > _MOST_COMBINATIONS:
        raise InputError(
            f"the grid has {count:,} combinations, more than {_MOST_COMBINATIONS:,}; fix or "
            f"narrow some of {', '.join(space)}."
        )
    for values in itertools.product(*(search.grid for search in space.values())):
        yield dict(zip(space, values, strict=True))


def from_texts(system: type[System], texts: Mapping[str, str]) -> Space:
    """Searches as on a command line: ``low..high``, or values with commas between.

    Example:
        >>> from podium.systems import EloMMX
        >>> found = from_texts(EloMMX, {"weight_limit": "0.1..0.5", "sig_limit": "60,80"})
        >>> found["weight_limit"].low, found["sig_limit"].values
        (0.1, (60.0, 80.0))
    """
    return {name: _from_text(system, name, text) for name, text in texts.items()}


def _from_text(system: type[System], name: str, text: str) -> Search:
    kind = _kind(system, name)
    low, dots, high = text.partition("..")
    if not dots:
        values = tuple(system.parse_value(name, part.strip()) for part in text.split(","))
        return OneOf(tuple(dict.fromkeys(values)))
    if kind not in (int, float):
        raise InputError(f"{system.name}: {name} has no range; give its values, as in {name}=a,b.")
    first, last = (system.parse_value(name, end.strip()) for end in (low, high))
    if first is None or last is None:
        raise InputError(f"{system.name}: {name} cannot go from or to none.")
    usual = declared(system).get(name)
    wide = last >= _FACTOR * first
    log = first > 0 and (usual.log if isinstance(usual, Between) else wide)
    return Between(first, last, log=log, whole=kind is int)


def _kind(system: type[System], name: str) -> type:
    """The type of a parameter that can be searched for."""
    kind: type = system.declaration(name).metadata["kind"]
    if kind is tuple:
        raise InputError(f"{system.name}: {name} is a list, which can be fixed but not searched.")
    return kind


def _check(system: type[System], name: str, search: Search) -> None:
    """Raise if some of the values cannot be, whatever the other parameters are."""
    if not isinstance(search, Between | OneOf):
        raise InputError(
            f"{name}: a podium.systems.Between or OneOf says where to search, not {search!r}."
        )
    if isinstance(search, OneOf) and len(search.values) < 2:
        raise InputError(f"{name}: at least two values are needed to search; one can be fixed.")
    kind = _kind(system, name)
    ends: tuple[Any, ...] = ()
    if isinstance(search, Between):
        ends = (search.low, search.high)
        if search.whole != (kind is int):
            what = "a whole number" if kind is int else "no whole number"
            raise InputError(f"{system.name}: {name} is {what}; say whole={kind is int}.")
    for value in (*ends, *search.grid):
        system.checked(name, value)
