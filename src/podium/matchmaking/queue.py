"""A queue as columns: what the rules look at, one entry for each ticket, in the order of ids."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.matchmaking.forecasts import Forecasts
from podium.matchmaking.rules import Rules
from podium.matchmaking.schedules import Schedule
from podium.matchmaking.tickets import MOST_LATENCY, Ticket

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

OK, SAME, AVOID, REMATCH, LATENCY, NEWCOMERS, OWN, ONE_SIDED, QUALITY, SPREAD = range(10)
CODES = (
    *("ok", "same", "avoid", "rematch", "latency", "newcomers", "own"),
    *("one_sided", "quality", "spread"),
)
"""What is in the way of two who might meet; the first that applies."""
MOST_REGIONS = 100
"""That tickets may name, together."""
MOST_URGENT = 1000.0
"""Waits beyond so many times the patience weigh no more."""


@dataclass(frozen=True)
class Queue:
    """Tickets, and what is known of them."""

    rules: Rules
    tickets: Sequence[Ticket]
    forecasts: Forecasts
    """Of all players, ticket after ticket."""
    starts: Integers
    """Where the players of every ticket begin, and end."""
    wait: Floats
    level: Floats
    """The mean forecast of the players of a ticket."""
    newcomer: Booleans
    """Whether one of its players is one."""
    guarded: Booleans
    """Whether the rule for newcomers still holds for it."""
    regions: tuple[str, ...]
    latency: Floats
    """Milliseconds of every ticket to every region; infinite where it has none."""
    reachable: Booleans
    """Whether a region is near enough to a ticket, by its own wait."""
    kind: Integers
    """Tickets of one kind say the same of what rules want to be the same."""
    avoided: Integers
    met: Integers
    """Pairs that must not meet, as numbers: see `code`."""

    @classmethod
    def of(cls, rules: Rules, tickets: Sequence[Ticket], wait: Floats, known: Forecasts) -> "Queue":
        """The columns of tickets, in this order."""
        sizes = np.array([len(each.players) for each in tickets], np.int64)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        level = known.field.mu
        newcomer = known.contests < rules.newcomer_contests
        if len(known.ids) > len(tickets):
            level = np.add.reduceat(level, starts[:-1]) / sizes
            newcomer = np.logical_or.reduceat(newcomer, starts[:-1])
        regions, latency = _latencies(tickets)
        limit = np.full(len(tickets), MOST_LATENCY)
        if rules.latency is not None:
            limit = rules.latency.after(wait)
        reachable = latency <= limit[:, None]
        return cls(
            rules,
            tickets,
            known,
            starts,
            wait,
            level,
            newcomer,
            newcomer & (wait < rules.newcomers_after),
            regions,
            latency,
            reachable,
            _kinds(tickets, rules.same),
            *_apart(tickets, rules.rematch),
        )

    def __len__(self) -> int:
        return len(self.tickets)

    @property
    def sizes(self) -> Integers:
        """How many players every ticket has."""
        return np.diff(self.starts)

    def members(self, ticket: int) -> Integers:
        """The numbers of the players of a ticket."""
        return np.arange(self.starts[ticket], self.starts[ticket + 1])

    def deciding(self, a: Integers, b: Integers) -> Floats:
        """The wait of two that widens tolerances."""
        longest = self.rules.consent == "longest"
        return (np.maximum if longest else np.minimum)(self.wait[a], self.wait[b])

    def worth(self, quality: Floats, longest: Floats) -> Floats:
        """What matches are worth: their quality, and how urgent their longest wait is."""
        found: Floats = quality + np.minimum(longest / self.rules.patience, MOST_URGENT) ** 2
        return found

    def obstacles(self, a: Integers, b: Integers) -> NDArray[np.int8]:
        """What keeps two tickets out of one match, whatever is expected of it; 0 if nothing."""
        found = np.zeros(len(a), np.int8)
        rules = self.rules
        if rules.newcomers == "protect":
            found[self.guarded[a] & ~self.newcomer[b]] = NEWCOMERS
            found[self.guarded[b] & ~self.newcomer[a]] = NEWCOMERS
        elif rules.newcomers == "spread" and rules.is_of_pairs:
            found[self.guarded[a] & self.guarded[b]] = NEWCOMERS
        if self.regions:
            found[~(self.reachable[a] & self.reachable[b]).any(axis=1)] = LATENCY
        lasting = self.lasting_obstacles(a, b)
        return np.where(lasting == OK, found, lasting)

    def lasting_obstacles(self, a: Integers, b: Integers) -> NDArray[np.int8]:
        """The same, of what no waiting changes."""
        found = np.zeros(len(a), np.int8)
        for pairs, what in ((self.met, REMATCH), (self.avoided, AVOID)):
            if len(pairs):
                found[np.isin(self.code(a, b), pairs)] = what
        if self.rules.same:
            found[self.kind[a] != self.kind[b]] = SAME
        return found

    def code(self, a: Integers, b: Integers) -> Integers:
        """Two tickets as one number, in either order."""
        return np.minimum(a, b) * len(self) + np.maximum(a, b)

    def limits(self, wait: Floats) -> dict[int, tuple[Schedule, Floats]]:
        """What is to be expected at most, or of quality at least, after these waits."""
        rules = self.rules
        named = {ONE_SIDED: rules.one_sided, QUALITY: rules.quality, SPREAD: rules.spread}
        return {what: (each, each.after(wait)) for what, each in named.items()}

    def place(self, tickets: Integers) -> tuple[str | None, float | None]:
        """The region that is nearest for who is farthest, and how far; of those all can reach."""
        if not self.regions:
            return None, None
        worst = self.latency[tickets].max(axis=0)
        worst = np.where(self.reachable[tickets].all(axis=0), worst, np.inf)
        best = int(np.argmin(worst))
        return self.regions[best], float(worst[best])


def _latencies(tickets: Sequence[Ticket]) -> tuple[tuple[str, ...], Floats]:
    said = [number for number, each in enumerate(tickets) if each.latency]
    regions = tuple(sorted({region for number in said for region in tickets[number].latency}))
    if len(regions) > MOST_REGIONS:
        raise InputError(
            f"tickets name {len(regions):,} regions, of which there may be {MOST_REGIONS}."
        )
    latency = np.zeros((len(tickets), len(regions)))
    for number in said:
        of = tickets[number].latency
        latency[number] = [of.get(region, np.inf) for region in regions]
    return regions, latency


def _kinds(tickets: Sequence[Ticket], same: tuple[str, ...]) -> Integers:
    if not same:
        return np.zeros(len(tickets), np.int64)
    numbers: dict[str, int] = {}
    return np.array(
        [
            numbers.setdefault(repr([each.extra.get(name) for name in same]), len(numbers))
            for each in tickets
        ],
        np.int64,
    )


def _apart(tickets: Sequence[Ticket], rematch: int) -> tuple[Integers, Integers]:
    """Pairs of tickets that avoid each other, and that have met."""
    avoiding = [(number, each.avoid) for number, each in enumerate(tickets) if each.avoid]
    meeting = [
        (number, [name for met in each.recent[:rematch] for name in _several(met)])
        for number, each in enumerate(tickets)
        if rematch and each.recent
    ]
    if not avoiding and not meeting:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    holder = {name: number for number, each in enumerate(tickets) for name in each.players}
    avoided, met = (
        {
            (min(number, other), max(number, other))
            for number, names in pairs
            for name in names
            if (other := holder.get(name, number)) != number
        }
        for pairs in (avoiding, meeting)
    )
    count = len(tickets)
    return (
        np.array(sorted(a * count + b for a, b in avoided), np.int64),
        np.array(sorted(a * count + b for a, b in met), np.int64),
    )


def _several(names: str | Sequence[str]) -> Sequence[str]:
    return (names,) if isinstance(names, str) else names
