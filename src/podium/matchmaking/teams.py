"""Matches of teams, and of more than two: who has waited longest is served first.

For the ticket that has waited longest, those are taken whose forecasts are nearest to it, as long
as they fit: into teams with their parties, into the roles that are still to be filled (of single
players these are the nearest that can fill them: such sets are a matroid, so taking the nearest
that fits is best), into a region that all can reach, beside everybody that is in already. If it
does not come out, parties of like size are tried first. Then the most even line-up is found, and
the match is made if the rules allow it; if not, the ticket waits, and may still be taken by another
one.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from podium.matchmaking.lineups import Needs, Wanted, line_up, roles_of
from podium.matchmaking.outcomes import Match, Reason
from podium.matchmaking.pairs import Allow
from podium.matchmaking.queue import CODES, OK, ONE_SIDED, QUALITY, SPREAD, Integers, Queue

_REACH = 4
"""At first, tickets for so many matches are looked at; then four times as many."""


@dataclass
class _Group:
    """Tickets for one match, so far."""

    tickets: list[int]
    sizes: tuple[int, ...]
    reachable: np.ndarray
    able: np.ndarray
    apart: set[int] = field(default_factory=set)


class Teams:
    """The matches of a queue, one after the other."""

    def __init__(self, queue: Queue, allow: Allow | None) -> None:
        self.queue, self.allow, rules = queue, allow, queue.rules
        self.needs = Needs.of(rules.roles)
        names = [name for each in queue.tickets for name in each.players]
        roles = [each.roles.get(name) for each in queue.tickets for name in each.players]
        self.names, self.plays = names, roles
        self.able = self.needs.able(roles)
        sizes = queue.sizes
        self.sizes: list[int] = sizes.tolist()
        self.able_of_ticket = (
            np.add.reduceat(self.able, queue.starts[:-1])
            if len(sizes)
            else np.zeros((0, len(self.needs.sets)), np.int64)
        )
        self.free = sizes <= rules.team_size
        self.order = np.lexsort((np.arange(len(queue)), queue.level))
        self.apart = set(queue.avoided.tolist()) | set(queue.met.tolist())

    def all(self) -> tuple[list[Match], dict[str, Reason]]:
        """Every match, and why others wait."""
        queue = self.queue
        made: list[tuple[int, Match]] = []
        reasons = {
            int(ticket): Reason("impossible", float(queue.wait[ticket]))
            for ticket in np.flatnonzero(~self.free)
        }
        for anchor in np.lexsort((np.arange(len(queue)), -queue.wait)).tolist():
            if not self.free[anchor]:
                continue
            found = self._match(anchor)
            if isinstance(found, Reason):
                reasons[anchor] = found
                continue
            match, tickets = found
            self.free[tickets] = False
            self.order = self.order[self.free[self.order]]
            for ticket in tickets:
                reasons.pop(ticket, None)
            made.append((anchor, match))
        waiting = {queue.tickets[ticket].id: reasons[ticket] for ticket in sorted(reasons)}
        return [match for _, match in made], waiting

    def _match(self, anchor: int) -> tuple[Match, list[int]] | Reason:
        """The match around a ticket, or why there is none."""
        refused: Reason | None = None
        missing = "few"
        for group, lacks in self._groups(anchor):
            if lacks:
                missing = lacks
                continue
            found = self._lined_up(anchor, group)
            if not isinstance(found, Reason):
                return found
            refused = refused or found
        waited = float(self.queue.wait[anchor])
        if refused is None and len(self.queue) == 1:
            missing = "alone"
        return refused or Reason(missing, waited)

    def _groups(self, anchor: int) -> Iterator[tuple[list[int], str]]:
        """Tickets for a match, the nearest first, then of like parties; or what is missing."""
        reach = _REACH * self.queue.rules.players
        while True:
            near, lacks, whole = self._near(anchor, reach)
            group, missing = self._filled(anchor, near)
            if not missing or whole:
                break
            reach *= 4
        yield group, missing and (lacks if missing == "few" and lacks else missing)
        sizes = self.queue.sizes[near]
        if (len(near) and (sizes != sizes[0]).any()) or self.sizes[anchor] > 1:
            like = np.abs(sizes - self.sizes[anchor])
            group, missing = self._filled(anchor, near[np.argsort(like, kind="stable")])
            yield group, missing

    def _near(self, anchor: int, reach: int) -> tuple[Integers, str, bool]:
        """Free tickets that may be in a match with one, the nearest first; what others lack."""
        queue = self.queue
        place = int(np.searchsorted(queue.level[self.order], queue.level[anchor]))
        low, high = max(0, place - reach), place + reach
        near = self.order[low:high]
        whole = low == 0 and high >= len(self.order)
        near = near[near != anchor]
        obstacle = queue.obstacles(np.full(len(near), anchor), near)
        lacks = ""
        if (obstacle != OK).any():
            lacks = CODES[int(np.bincount(obstacle[obstacle != OK]).argmax())]
        near = near[obstacle == OK]
        distance = np.abs(queue.level[near] - queue.level[anchor])
        return near[np.lexsort((near, distance))], lacks, whole

    def _filled(self, anchor: int, near: Integers) -> tuple[list[int], str]:
        """The first tickets that fit together until a match is full; or what is missing."""
        queue, rules = self.queue, self.queue.rules
        group = _Group(
            [anchor],
            (self.sizes[anchor],),
            queue.reachable[anchor].copy(),
            self.able_of_ticket[anchor].copy(),
        )
        missing = "few"
        seats = rules.players - self.sizes[anchor]
        wanted = rules.teams * self.needs.wanted
        if (group.able + seats < wanted).any():
            return [], "roles"
        for ticket in near.tolist():
            if seats == 0:
                break
            size = self.sizes[ticket]
            sizes = tuple(sorted((*group.sizes, size), reverse=True))
            if size > seats or not _packs(sizes, rules.teams, rules.team_size):
                missing = "parties"
                continue
            able = group.able + self.able_of_ticket[ticket]
            if len(wanted) and (able + (seats - size) < wanted).any():
                missing = "roles"
                continue
            reachable = group.reachable & queue.reachable[ticket]
            if queue.regions and not reachable.any():
                missing = "latency"
                continue
            lacks = self._beside(group.tickets, ticket)
            if lacks:
                missing = lacks
                continue
            group.tickets.append(ticket)
            group.sizes, group.able, group.reachable = sizes, able, reachable
            seats -= size
        return (group.tickets, "") if seats == 0 else ([], missing)

    def _beside(self, group: list[int], ticket: int) -> str:
        """What keeps a ticket from those that are in already, if anything does."""
        count = len(self.queue)
        if self.apart:
            for other in group:
                code = min(ticket, other) * count + max(ticket, other)
                if code in self.apart:
                    return "avoid"
        if self.queue.rules.newcomers == "protect":
            others = np.array(group)
            if self.queue.obstacles(np.full(len(others), ticket), others).any():
                return "newcomers"
        if self.allow is not None:
            tickets = self.queue.tickets
            for other in group:
                one, two = tickets[ticket], tickets[other]
                if not (self.allow(one, two) and self.allow(two, one)):
                    return "own"
        return ""

    def _lined_up(self, anchor: int, group: list[int]) -> tuple[Match, list[int]] | Reason:
        queue, rules = self.queue, self.queue.rules
        tickets = sorted(group)
        players = np.concatenate([queue.members(ticket) for ticket in tickets])
        party = np.repeat(np.arange(len(tickets)), [self.sizes[ticket] for ticket in tickets])
        waits = queue.wait[tickets]
        longest = float(waits.max())
        deciding = longest if rules.consent == "longest" else float(waits.min())
        gap = np.inf if rules.party_gap is None else rules.party_gap.at(deciding)
        contests = queue.forecasts.contests[players]
        spread_out = rules.newcomers == "spread" and longest < rules.newcomers_after
        mu = queue.forecasts.field.mu[players]
        wanted = Wanted(
            rules.teams,
            rules.team_size,
            party,
            self.able[players],
            self.needs.wanted,
            contests < rules.newcomer_contests,
            gap,
            spread_out,
        )
        team = line_up(mu, wanted)
        if team is None:
            lacks = "roles" if rules.roles else "newcomers" if spread_out else "parties"
            return Reason("parties" if gap < rules.team_size else lacks, float(queue.wait[anchor]))
        sides = [players[team == each] for each in range(rules.teams)]
        chances, quality = queue.forecasts.of_teams(sides)
        best, worst = players[[int(np.argmax(mu))]], players[[int(np.argmin(mu))]]
        apart = float(queue.forecasts.scores(best, worst)[0]) if rules.spread.start < 1.0 else 0.5
        values = {
            ONE_SIDED: (float(chances.max()), 1.0),
            QUALITY: (quality, 0.0),
            SPREAD: (max(apart, 1.0 - apart), 1.0),
        }
        told: tuple[str, float, float, float] | None = None
        for what, (value, loosest) in values.items():
            schedule = getattr(rules, CODES[what])
            now = schedule.at(deciding)
            if value < now if what == QUALITY else value > now:
                return Reason(
                    CODES[what],
                    float(queue.wait[anchor]),
                    CODES[what],
                    value,
                    schedule.start,
                    now,
                    None,
                    schedule.reaches(value),
                )
            if told is None and schedule.start != loosest:
                told = CODES[what], value, schedule.start, now
        region, latency = queue.place(np.array(tickets))
        names = [[self.names[each] for each in side.tolist()] for side in sides]
        roles: dict[str, str] = {}
        for side, named in zip(sides, names, strict=True):
            plays = [self.plays[each] for each in side.tolist()]
            roles |= roles_of(named, plays, rules.roles)
        worth = float(queue.worth(np.array(quality), np.array(longest)))
        match = Match(
            tuple(map(tuple, names)),
            tuple(queue.tickets[ticket].id for ticket in tickets),
            tuple(chances.tolist()),
            quality,
            Reason("matched", longest, *(told or ())),
            region,
            latency,
            roles,
            worth,
        )
        return match, tickets


@lru_cache(maxsize=65_536)
def _packs(sizes: tuple[int, ...], teams: int, room: int) -> bool:
    """Whether parties of these sizes, the largest first, fit into teams of so much room.

    Example:
        >>> _packs((3, 3, 2, 2), 2, 5), _packs((4, 4, 2), 2, 5)
        (True, False)
    """
    if all(size == 1 for size in sizes):
        return len(sizes) <= teams * room
    return _fit(sizes, (room,) * teams)


@lru_cache(maxsize=65_536)
def _fit(sizes: tuple[int, ...], rooms: tuple[int, ...]) -> bool:
    if not sizes or sizes[0] == 1:
        return len(sizes) <= sum(rooms)
    for number, room in enumerate(rooms):
        if room >= sizes[0] and (number == 0 or rooms[number - 1] != room):
            left = (*rooms[:number], room - sizes[0], *rooms[number + 1 :])
            if _fit(sizes[1:], tuple(sorted(left, reverse=True))):
                return True
    return False
