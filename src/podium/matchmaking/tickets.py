"""Tickets: who waits for a match, since when, and what they can and want."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, NotFoundError
from podium.files import as_path
from podium.ratings.asking import as_names
from podium.results.times import Time, to_microseconds
from podium.texts import normalised
from podium.wording import suggestion

_FIELDS = ("id", "players", "since", "roles", "latency", "avoid", "recent", "extra")
_LARGEST = 100_000_000
"""Bytes of a file of tickets."""
LATEST = 1e15
"""Seconds that a time may be before or after 1970, and a limit of rules may be."""
MOST_LATENCY = 1e6
"""Milliseconds that a ticket may say."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A player or a party that waits.

    Example:
        >>> Ticket("ann", since=0)
        Ticket(players=('ann',), since=0, id='ann')
        >>> Ticket(["ann", "bob"], since=5, roles={"ann": ["tank"]}).id
        'ann, bob'
    """

    players: Sequence[str]
    """A name, or the names of a party."""
    since: Time = 0
    """When the wait began, by the clock of `now`; later than `now` counts as now."""
    roles: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """The roles that a member can play, the best first; any if nothing is said."""
    latency: Mapping[str, float] = field(default_factory=dict, repr=False)
    """Milliseconds to regions; of a party, those of the worst. Any region if nothing is said."""
    avoid: Sequence[str] = field(default=(), repr=False)
    """Whom they do not want in their match."""
    recent: Sequence[str | Sequence[str]] = field(default=(), repr=False)
    """Whom they met, the last match first; a list where there were several."""
    extra: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Anything else, for `Rules.same` and for a rule of one's own."""
    id: str = ""
    """What it is called in answers; the names if nothing is said."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        players: tuple[Any, ...] = ()
        if isinstance(self.players, Iterable):
            players = (self.players,) if isinstance(self.players, str) else tuple(self.players)
        if not players or not all(isinstance(name, str) for name in players):
            raise InputError(f"a ticket needs a name or a list of names, not {self.players!r}.")
        players = tuple(as_names(list(players), " of a ticket", ()))
        put(self, "players", players)
        if not self.id:
            put(self, "id", ", ".join(players))
        elif not isinstance(self.id, str):
            raise InputError(f"the id of a ticket must be a text, not {self.id!r}.")
        if len(players) > 1 and len(set(players)) < len(players):
            raise InputError(f"ticket {self.id!r} names a player twice.")
        if self.roles:
            self._check_roles()
        elif self.roles != {}:
            put(self, "roles", {})
        if self.latency:
            self._check_latency()
        elif self.latency != {}:
            put(self, "latency", {})
        if self.avoid:
            put(self, "avoid", _names(self.avoid))
        if self.recent:
            put(self, "recent", _names(self.recent, several=True))
        if self.avoid is None or self.recent is None:
            raise InputError(
                f"ticket {self.id!r}: avoid and recent must be lists of names; what was met in one "
                f"match may be a list in recent."
            )
        if not isinstance(self.extra, Mapping):
            raise InputError(f"ticket {self.id!r}: extra must be a mapping, not {self.extra!r}.")

    def _check_roles(self) -> None:
        roles = self.roles
        if not isinstance(roles, Mapping) and len(self.players) == 1:
            roles = {self.players[0]: roles}
        elif isinstance(roles, Mapping) and not roles.keys() <= set(self.players):
            roles = {
                normalised(name) if isinstance(name, str) else name: each
                for name, each in roles.items()
            }
        object.__setattr__(self, "roles", roles)
        if not isinstance(roles, Mapping):
            raise InputError(
                f"ticket {self.id!r}: roles of a party must be a mapping of names to lists, not "
                f"{roles!r}."
            )
        for name, each in roles.items():
            if name not in self.players:
                raise InputError(
                    f"ticket {self.id!r} has roles of {name!r}, who is not in it"
                    f"{suggestion(name, self.players)}."
                )
            good = isinstance(each, list | tuple)
            if not good or not all(isinstance(role, str) for role in each):
                raise InputError(f"ticket {self.id!r}: roles must be a list, not {each!r}.")

    def _check_latency(self) -> None:
        if not isinstance(self.latency, Mapping):
            raise InputError(
                f"ticket {self.id!r}: latency must be a mapping of regions to milliseconds, not "
                f"{self.latency!r}."
            )
        for region, each in self.latency.items():
            if not isinstance(region, str):
                raise InputError(f"ticket {self.id!r}: a region must be a text, not {region!r}.")
            good = isinstance(each, int | float) and not isinstance(each, bool)
            if not good or not 0.0 <= each <= MOST_LATENCY:
                raise InputError(
                    f"ticket {self.id!r}: the latency to {region!r} must be a number of "
                    f"milliseconds, at most {MOST_LATENCY:,.0f}, not {each!r}."
                )

    @classmethod
    def from_said(cls, said: Any, where: str = "a ticket") -> "Ticket":
        """A ticket as JSON says it: a mapping of its fields; an error says `where` it stands."""
        if not isinstance(said, Mapping):
            raise InputError(f"{where}: a ticket is an object, not {said!r}.")
        for name in said:
            if name not in _FIELDS:
                raise InputError(
                    f"{where}: a ticket has no field {name!r}{suggestion(name, _FIELDS)}."
                )
        if "players" not in said:
            raise InputError(f"{where}: a ticket needs players.")
        try:
            found = cls(**said)
            seconds(found.since)
            return found
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        except (TypeError, ValueError) as error:
            raise InputError(f"{where}: is no ticket: {error}.") from None

    def said(self) -> dict[str, Any]:
        """As JSON says it, what is nothing left out; a time becomes seconds.

        Example:
            >>> Ticket("ann", since="1970-01-01 00:01", avoid="bob").said()
            {'players': ['ann'], 'since': 60.0, 'avoid': ['bob'], 'id': 'ann'}
        """
        found: dict[str, Any] = {"players": list(self.players), "since": seconds(self.since)}
        for name in ("roles", "latency", "avoid", "recent", "extra", "id"):
            value = getattr(self, name)
            if value:
                found[name] = list(value) if isinstance(value, tuple) else value
        return found


def seconds(time: Time) -> float:
    """A moment in seconds.

    Example:
        >>> seconds("1970-01-01 00:01"), seconds(2.5)
        (60.0, 2.5)
    """
    if isinstance(time, int | float) and not isinstance(time, bool):
        if -LATEST <= time <= LATEST:
            return float(time)
        raise InputError(f"a time must be finite, and at most {LATEST:g} seconds, not {time!r}.")
    return to_microseconds(time) / 1e6


def all_seconds(times: Sequence[Time]) -> NDArray[np.float64]:
    """Many moments in seconds, as a column where they are numbers."""
    if set(map(type, times)) <= {int, float}:
        with suppress(OverflowError):
            found = np.array(times, np.float64)
            if (np.abs(found) <= LATEST).all():
                return found
    return np.array([seconds(each) for each in times], np.float64)


def read_tickets(path: str | os.PathLike[str]) -> list[Ticket]:
    """The tickets of a file: CSV, or JSON with a list of them.

    A CSV has the columns players (members of a party apart by ;) and maybe since, id, avoid,
    recent (names apart by ;), roles (of one player apart by ;, or ``ann: tank; bob: healer,
    damage``) and ``latency_REGION``; other columns are `extra`.
    """
    file = as_path(path)
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{file}: there is no such file of tickets.") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}.") from None
    if len(data) > _LARGEST:
        raise InputError(f"{file}: has more than {_LARGEST:,} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{file}: tickets are text in UTF-8, and this is not.") from None
    if file.suffix.lower() == ".json":
        return tickets_from_json(text, str(file))
    return _from_csv(text, str(file))


def tickets_from_json(text: str, where: str) -> list[Ticket]:
    """The tickets in a text of JSON."""
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError(f"{where}, line {line}: is no JSON.") from None
    except ValueError:  # Python reads no number of 5,000 digits
        raise InputError(f"{where}: a number has too many digits.") from None
    return from_list(said, where)


def from_list(said: Any, where: str) -> list[Ticket]:
    """Tickets as JSON says them."""
    if not isinstance(said, list):
        raise InputError(f"{where}: a list of tickets is needed.")
    return [
        Ticket.from_said(each, f"{where}, ticket {number}") for number, each in enumerate(said, 1)
    ]


def _from_csv(text: str, where: str) -> list[Ticket]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [each.strip() for each in next(rows, [])]
        if "player" in header and "players" not in header:
            header[header.index("player")] = "players"
        if "players" not in header:
            raise InputError(f"{where}, line 1: tickets need a column players.")
        if len(set(header)) < len(header):
            raise InputError(f"{where}, line 1: a column stands twice.")
        found = []
        for row in rows:
            if not any(row):
                continue
            place = f"{where}, line {rows.line_num}"
            if len(row) != len(header):
                raise InputError(
                    f"{place}: has {len(row)} cells, and the first line has {len(header)}."
                )
            cells = zip(header, map(str.strip, row), strict=True)
            found.append(_of_row(dict(each for each in cells if each[1]), place))
    except csv.Error as error:
        raise InputError(f"{where}, line {rows.line_num}: is no CSV: {error}.") from None
    return found


def _of_row(row: Mapping[str, str], place: str) -> Ticket:
    said: dict[str, Any] = {"latency": {}, "extra": {}}
    for name, text in row.items():
        if name in ("players", "avoid", "recent"):
            said[name] = _parts(text)
        elif name == "since":
            said[name] = _number_or_text(text)
        elif name == "id":
            said[name] = text
        elif name == "roles":
            said[name] = _roles(text)
        elif name.startswith("latency_"):
            said["latency"][name.removeprefix("latency_")] = _number_or_text(text)
        else:
            said["extra"][name] = text
    return Ticket.from_said(said, place)


def _roles(text: str) -> Any:
    """``tank; healer`` of one player, or ``ann: tank; bob: healer, damage`` of a party."""
    if ":" not in text:
        return _parts(text)
    named = (each.partition(":") for each in _parts(text))
    return {
        name.strip(): [role.strip() for role in roles.split(",") if role.strip()]
        for name, _, roles in named
    }


def _names(said: Any, several: bool = False) -> tuple[Any, ...] | None:
    """A name, or a list of names, in one of which may be several; None if it is neither."""
    if isinstance(said, str):
        return (normalised(said),)
    if not isinstance(said, list | tuple):
        return None
    if several:
        found = tuple(normalised(each) if isinstance(each, str) else _names(each) for each in said)
        return None if None in found else found
    return tuple(map(normalised, said)) if all(isinstance(each, str) for each in said) else None


def _parts(text: str) -> list[str]:
    return [each.strip() for each in text.split(";") if each.strip()]


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def refuse_twice(tickets: Iterable[Ticket]) -> None:
    """Raise if an id or a player stands in two tickets."""
    given = list(tickets)
    everybody = [name for ticket in given for name in ticket.players]
    if len(set(everybody)) == len(everybody) and len({each.id for each in given}) == len(given):
        return
    ids: set[str] = set()
    names: dict[str, str] = {}
    for ticket in given:
        if ticket.id in ids:
            raise InputError(f"there are two tickets {ticket.id!r}.")
        ids.add(ticket.id)
        for name in ticket.players:
            if name in names:
                raise InputError(
                    f"player {name!r} is in two tickets, {names[name]!r} and {ticket.id!r}."
                )
            names[name] = ticket.id
