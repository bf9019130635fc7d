"""What a match must be like: rules, and the file that they are written in.

    # duels.toml
    teams = 2
    team_size = 1
    one_sided = [[0, 0.60], [60, 0.75]]   # who is favoured wins at most so often
    latency = [[0, 60], [30, 120]]        # milliseconds

A limit that is a list widens with waiting: pairs of seconds and values, straight lines between.
"""

import numbers
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from podium.errors import InputError, NotFoundError
from podium.files import as_path
from podium.matchmaking.schedules import Schedule
from podium.matchmaking.tickets import LATEST
from podium.numerics.matching import FARTHEST
from podium.wording import suggestion

NEWCOMERS = ("any", "protect", "spread")
CONSENT = ("longest", "all")
MOST_PLAYERS = 200
"""In one match."""
_LONGEST = 1_000_000
"""Characters of a file of rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What every match obeys, and what a good round is.

    Limits take a number, or a `Schedule` or list of ``[seconds, value]`` that widens with waiting.

    Example:
        >>> rules = Rules(one_sided=[[0, 0.6], [60, 0.75]], rematch=2)
        >>> rules.one_sided.at(20)
        0.65
        >>> Rules(teams=1)
        Traceback (most recent call last):
            ...
        podium.errors.InputError: teams must be a whole number from 2 to 200, not 1.
    """

    teams: int = 2
    """How many teams, or players, meet."""
    team_size: int = 1
    """How many play in each."""
    roles: Mapping[str, int] = field(default_factory=dict)
    """How many of a team must play each role; others of it play anything."""
    quality: Schedule = Schedule.of(0.0)
    """The least quality of a match, as the rating system says it, from 0 to 1."""
    one_sided: Schedule = Schedule.of(1.0)
    """The highest chance that the likeliest winner may have; a draw counts half."""
    spread: Schedule = Schedule.of(1.0)
    """The highest chance that the best player of a match may have against the worst."""
    latency: Schedule | None = None
    """The most milliseconds that a ticket may have to the region of its match, by its own wait."""
    party_gap: Schedule | None = None
    """By how many the largest parties of two teams may differ; None if that does not matter."""
    rematch: int = 0
    """Nobody meets somebody of the last so many matches that the ticket names."""
    newcomers: str = "any"
    """"protect": they meet newcomers only; "spread": pairs have one at most, and numbers of them
    in teams differ by one at most."""
    newcomer_contests: int = 10
    """Who has fewer contests is a newcomer."""
    newcomers_after: float = 60.0
    """After so many seconds, a newcomer may meet anybody."""
    same: tuple[str, ...] = ()
    """What tickets say beside (`Ticket.extra`) that must be the same in a match: mode, platform."""
    consent: str = "longest"
    """Whose wait widens quality, one_sided, spread and party_gap: that of the "longest" waiting of
    a match, or "all", so that the shortest decides."""
    patience: float = 60.0
    """Seconds of waiting that weigh as much as a perfect match; twice as long, four times."""
    neighbours: int = 16
    """In large queues, among how many others by forecast each is looked at for a match at a time;
    the time that takes doubles with every two more."""
    exact_up_to: int = 500
    """Pairs are matched exactly among so many tickets, and near to it above."""

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, check in _CHECKS.items():
            try:
                put(self, name, check(getattr(self, name)))
            except InputError as error:
                raise InputError(f"{name} {error}") from None
            except ValueError:  # Python writes out no number of 5,000 digits
                raise InputError(f"{name} has too many digits.") from None
        if self.teams * self.team_size > MOST_PLAYERS:
            raise InputError(
                f"team_size is too large: {self.teams} teams of {self.team_size} are more than "
                f"{MOST_PLAYERS} players in a match."
            )
        if sum(self.roles.values()) > self.team_size:
            raise InputError(
                f"roles need {sum(self.roles.values())} players, more than the {self.team_size} "
                f"of a team."
            )

    @property
    def players(self) -> int:
        """In a match."""
        return self.teams * self.team_size

    @property
    def is_of_pairs(self) -> bool:
        """Whether a match is between two players who need no roles."""
        return self.players == 2 and not self.roles

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """The rules in a file of TOML; what is wrong with them is said with its line."""
        file = as_path(path)
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            raise NotFoundError(f"{file}: there is no such file of rules.") from None
        except UnicodeDecodeError:
            raise InputError(f"{file}: rules are text in UTF-8, and this is not.") from None
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror}.") from None
        return cls.from_text(text, str(file))

    @classmethod
    def from_text(cls, text: str, where: str = "the rules") -> Self:
        """The same of a text in TOML.

        Example:
            >>> Rules.from_text("team = 2", "it")
            Traceback (most recent call last):
                ...
            podium.errors.InputError: it, line 1: there is no rule 'team' (did you mean 'teams'?).
        """
        if len(text) > _LONGEST:
            raise InputError(f"{where}: rules of more than {_LONGEST:,} characters are none.")
        try:
            said = tomllib.loads(text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            told = str(error) or "nested too deeply"
            found = re.fullmatch(
                r"(.*) \(at (?:line (\d+),|end of) \w+(?: \d+)?\)", told, re.DOTALL
            )
            last = text.rstrip().count("\n") + 1
            line = f", line {found[2] or last}" if found else ""
            raise InputError(f"{where}{line}: is no TOML: {found[1] if found else told}.") from None
        except ValueError:  # Python reads no number of 5,000 digits
            raise InputError(f"{_digits(where, text)}: a number has too many digits.") from None
        return cls.from_said(said, lambda name: _place(where, text, name))

    @classmethod
    def from_said(
        cls, said: Mapping[str, Any], place: Callable[[str], str] = lambda _: "the rules"
    ) -> Self:
        """The same of what was read already; `place` says where something stands."""
        known = [each.name for each in fields(cls)]
        for name in said:
            if name not in known:
                raise InputError(
                    f"{place(name)}: there is no rule {name!r}{suggestion(name, known)}."
                )
        try:
            return cls(**said)
        except InputError as error:
            name = str(error).partition(" ")[0]
            raise InputError(f"{place(name)}: {error}") from None

    def said(self) -> dict[str, Any]:
        """What differs from the defaults, as a file says it.

        Example:
            >>> Rules(team_size=5, quality=0.8).said()
            {'team_size': 5, 'quality': 0.8}
        """
        default = type(self)()
        found = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value != getattr(default, each.name):
                found[each.name] = _plain(value)
        return found


def _plain(value: Any) -> Any:
    if isinstance(value, Schedule):
        return value.said()
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _place(where: str, text: str, name: str) -> str:
    """The file and the line in which a rule is said, or a table of it begins."""
    return _line(where, text, rf"""\s*(?:\[\s*){{0,2}}["']?{re.escape(name)}["']?\s*(?:[=.\]])""")


def _digits(where: str, text: str) -> str:
    """The file and the line of the first number that is too long."""
    return _line(where, text, r".*[\d_]{4000}")


def _line(where: str, text: str, begin: str) -> str:
    """The file and the first line that begins so; lines as TOML has them."""
    said = re.compile(begin)
    for number, line in enumerate(text.split("\n"), 1):
        if said.match(line):
            return f"{where}, line {number}"
    return where


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not good or not low <= value <= high:
            raise InputError(f"must be a whole number from {low} to {high:,}, not {value!r}.")
        return int(value)

    return check


def _seconds(low: float) -> Callable[[Any], float]:
    def check(value: Any) -> float:
        good = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not good or not low <= value <= LATEST:
            raise InputError(
                f"must be a number of seconds from {low:g} to {LATEST:g}, not {value!r}."
            )
        return float(value)

    return check


def _choice(choices: tuple[str, ...]) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise InputError(f"must be one of {', '.join(choices)}, not {value!r}.")
        return value

    return check


def _schedule(
    low: float, high: float, *, rises: bool, may_miss: bool = False
) -> Callable[[Any], Schedule | None]:
    def check(value: Any) -> Schedule | None:
        if value is None and may_miss:
            return None
        found = Schedule.of(value)
        found.refuse(low, high, rises=rises)
        return found

    return check


def _roles(value: Any) -> dict[str, int]:
    if not isinstance(value, Mapping):
        raise InputError(f"must be a table such as {{tank = 1, healer = 2}}, not {value!r}.")
    for name, count in value.items():
        good = isinstance(count, numbers.Integral) and not isinstance(count, bool)
        if not isinstance(name, str) or not name or not good or not 1 <= count <= MOST_PLAYERS:
            raise InputError(f"must say how many of each, at least 1, not {name!r}: {count!r}.")
    if len(value) > _MOST_ROLES:
        raise InputError(f"must be {_MOST_ROLES} kinds at most, not {len(value)}.")
    return {name: int(value[name]) for name in sorted(value)}


def _names(value: Any) -> tuple[str, ...]:
    good = isinstance(value, list | tuple)
    if not good or not all(isinstance(each, str) and each for each in value):
        raise InputError(f"must be a list of names, not {value!r}.")
    return tuple(value)


_MOST_ROLES = 8
"""Every set of roles is looked at when a team is made up."""
_CHECKS: dict[str, Callable[[Any], Any]] = {
    "teams": _whole(2, MOST_PLAYERS),
    "team_size": _whole(1, MOST_PLAYERS),
    "roles": _roles,
    "quality": _schedule(0.0, 1.0, rises=False),
    "one_sided": _schedule(0.0, 1.0, rises=True),
    "spread": _schedule(0.5, 1.0, rises=True),
    "latency": _schedule(0.0, 1e6, rises=True, may_miss=True),
    "party_gap": _schedule(0.0, float(MOST_PLAYERS), rises=True, may_miss=True),
    "rematch": _whole(0, 1000),
    "newcomers": _choice(NEWCOMERS),
    "newcomer_contests": _whole(0, 1_000_000),
    "newcomers_after": _seconds(0.0),
    "same": _names,
    "consent": _choice(CONSENT),
    "patience": _seconds(0.001),
    "neighbours": _whole(2, 2 * FARTHEST),
    "exact_up_to": _whole(0, 5000),
}
