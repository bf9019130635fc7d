"""What comes of a round: matches, those who wait on, and the reasons for both."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from podium.documents import as_document
from podium.wording import counted

_SAID = {
    "one_sided": "the likeliest winner would win {value} of the time",
    "quality": "the quality would be {value}",
    "spread": "the best would beat the worst {value} of the time",
}
_TOLERANCE = {"one_sided": "tolerance", "quality": "least quality", "spread": "spread"}
_PLAIN = {
    "alone": "nobody else waits",
    "few": "too few wait for a match",
    "impossible": "a party of this size fits into no team",
    "taken": "all who could have come were needed in other matches",
    "same": "nobody waits for the same",
    "avoid": "who would come is avoided, or avoids",
    "rematch": "who would come was met a short time ago",
    "latency": "no region is near enough to all",
    "newcomers": "newcomers do not meet those who would come yet",
    "own": "a rule of one's own refuses those who would come",
    "parties": "parties of like size are missing",
    "roles": "players of the roles that are needed are missing",
}
NO_ROLES: Mapping[str, str] = MappingProxyType({})
REASONS = (*_SAID, *_PLAIN, "matched")


def _percent(share: float | None, digits: int) -> str:
    return f"{share:.{digits}%}".replace("%", " %")


class Reason(NamedTuple):
    """Why there is a match, or why there is none yet: for logs, and as a sentence.

    Example:
        >>> Reason("matched", 41.0, "one_sided", 0.55, 0.62, 0.69).text
        'waited 41 s: tolerance 62 % → 69 %'
        >>> Reason("one_sided", 12.0, "one_sided", 0.71, 0.60, 0.63, "bob", 44.0).text
        'waits 12 s: the likeliest winner would win 71 % of the time against bob, tolerance 60 % \
→ 63 %; 71 % is allowed after 44 s'
    """

    code: str
    """"matched", or what is in the way: one of `REASONS`."""
    waited: float
    """Seconds; of a match, those of the ticket that has waited longest."""
    limit: str | None = None
    """The rule whose tolerance is told."""
    value: float | None = None
    """What the match has, or the best that was refused would have."""
    start: float | None = None
    """The tolerance of that rule for who has just come."""
    now: float | None = None
    """The tolerance after this wait."""
    other: str | None = None
    """The ticket of the best match that was refused."""
    after: float | None = None
    """After how many seconds of waiting it would be allowed, if it ever is."""

    @property
    def text(self) -> str:
        """As a sentence for people."""
        waits = f"{'waited' if self.code == 'matched' else 'waits'} {self.waited:.0f} s"
        tolerance = self._tolerance()
        if self.code == "matched":
            return f"{waits}: {tolerance}" if tolerance else waits
        if self.code in _PLAIN:
            return f"{waits}: {_PLAIN[self.code]}"
        digits = self._digits()
        value = _percent(self.value, digits)
        said, tolerance = _SAID[self.code].format(value=value), self._tolerance(digits)
        against = "" if self.other is None else f" against {self.other}"
        then = "" if self.after is None else f"; {value} is allowed after {self.after:.0f} s"
        return f"{waits}: {said}{against}, {tolerance}{then}"

    def _digits(self) -> int:
        """Decimals that tell what was refused from the tolerance."""
        apart = (n for n in range(3) if _percent(self.value, n) != _percent(self.now, n))
        return next(apart, 3)

    def _tolerance(self, digits: int = 0) -> str:
        if self.limit is None or self.start is None or self.now is None:
            return ""
        start, now = _percent(self.start, digits), _percent(self.now, digits)
        return f"{_TOLERANCE[self.limit]} {start}" + ("" if start == now else f" → {now}")

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        refused = {"other": self.other, "after": self.after}
        return as_document(
            {
                "code": self.code,
                "text": self.text,
                "waited": self.waited,
                "limit": self.limit,
                "value": self.value,
                "start": self.start,
                "now": self.now,
                **({} if self.code == "matched" else refused),
            }
        )

    @classmethod
    def from_document(cls, said: Mapping[str, Any]) -> "Reason":
        """What a document says, which may be that of a site."""
        return cls(**{name: said.get(name) for name in cls._fields})  # type: ignore[arg-type]


class Match(NamedTuple):
    """Who is to meet, where, and what is expected of it."""

    teams: tuple[tuple[str, ...], ...]
    """The players of each side."""
    tickets: tuple[str, ...]
    """The ids of the tickets that it takes."""
    chances: tuple[float, ...]
    """Of each side to win, a draw counting half."""
    quality: float
    """As the rating system says it."""
    reason: Reason
    region: str | None = None
    """Where it is nearest to be played for who is farthest."""
    latency: float | None = None
    """The most milliseconds that a ticket has to there."""
    roles: Mapping[str, str] = NO_ROLES
    """Who is to play which role, of those that teams need."""
    worth: float = 0.0
    """Its part of what the round maximises."""

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(
            {
                "teams": self.teams,
                "tickets": self.tickets,
                "chances": self.chances,
                "quality": self.quality,
                "region": self.region,
                "latency": self.latency,
                "roles": dict(self.roles),
                "worth": self.worth,
                "reason": self.reason.document(),
            }
        )

    @classmethod
    def from_document(cls, said: Mapping[str, Any]) -> "Match":
        """What a document says."""
        given = {name: said[name] for name in cls._fields}
        given["teams"] = tuple(map(tuple, said["teams"]))
        given["tickets"], given["chances"] = tuple(said["tickets"]), tuple(said["chances"])
        given["reason"] = Reason.from_document(said["reason"])
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Round:
    """What comes of tickets at a moment: disjoint matches, and who waits on and why."""

    now: float
    matches: tuple[Match, ...]
    """Who has waited longest first."""
    waiting: Mapping[str, Reason]
    """By the id of the ticket."""
    system: str
    exact: bool
    """Whether no other matches of these tickets have a higher objective."""

    @property
    def objective(self) -> float:
        """The sum of the worth of the matches."""
        return float(sum(match.worth for match in self.matches))

    def __repr__(self) -> str:
        made = "1 match" if len(self.matches) == 1 else f"{len(self.matches):,} matches"
        return f"<Round: {made}, {counted(len(self.waiting), 'ticket')} waiting>"

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return {
            "now": self.now,
            "system": self.system,
            "exact": self.exact,
            "objective": self.objective,
            "matches": [match.document() for match in self.matches],
            "waiting": [
                {"ticket": ticket, "reason": reason.document()}
                for ticket, reason in self.waiting.items()
            ],
        }

    @classmethod
    def from_document(cls, said: Mapping[str, Any]) -> "Round":
        """What a document says.

        Example:
            >>> given = Round(0.0, (), {"ann": Reason("alone", 4.0)}, "elo", True)
            >>> Round.from_document(given.document()) == given
            True
        """
        return cls(
            float(said["now"]),
            tuple(Match.from_document(each) for each in said["matches"]),
            {each["ticket"]: Reason.from_document(each["reason"]) for each in said["waiting"]},
            str(said["system"]),
            bool(said["exact"]),
        )
