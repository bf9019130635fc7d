"""Matches of teams, and of more than two: who has waited longest is served first.

Around a ticket, those are taken whose forecasts are nearest to it, as long as they fit: into teams
with their parties, into the roles that are still to be filled (of single players these are the
nearest that can fill them: such sets are a matroid, so taking the nearest that fits is best),
beside everybody that is in already. If nothing comes of that, parties of like size are tried first.
Then the most even line-up is found, and the match is made if the rules allow it. If not, the ticket
waits, may be taken by another one, and is tried again when somebody who would have been with it is
gone.

So at every moment the match is made of who has waited longest of those around whom one can be made.
Which tickets are looked at together depends on who is there and not on how long they have waited:
where limits widen with waiting, as those of latency do, groups are made for fixed limits, and then
it is asked whether everybody has waited for theirs. Hence a ticket that waits longer is matched
with or before the match that it had, and until then nothing changes for anybody.
"""

import heapq
import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from podium.matchmaking.lineups import Needs, Wanted, line_up, roles_of
from podium.matchmaking.outcomes import Match, Reason
from podium.matchmaking.pairs import Allow
from podium.matchmaking.queue import (
    CODES,
    OK,
    ONE_SIDED,
    QUALITY,
    SPREAD,
    Booleans,
    Integers,
    Queue,
)
from podium.matchmaking.schedules import Schedule
from podium.matchmaking.tickets import MOST_LATENCY

_REACH = 4
"""At first, tickets for so many matches are looked at; then four times as many."""


@dataclass
class _Group:
    """Tickets for one match, so far."""

    tickets: list[int]
    sizes: tuple[int, ...]
    able: Integers


class _Pool(NamedTuple):
    """Among whom to look for a match: who they are does not depend on waits."""

    inside: Booleans | None
    """Who of all tickets is in it; None for everybody."""
    region: int | None
    """Where they are to play, if tickets say how far that is."""


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
        self.able_of_ticket = np.add.reduceat(self.able, queue.starts[:-1])
        self.free = sizes <= rules.team_size
        self.has_parties = bool((sizes[self.free] > 1).any())
        row = np.lexsort((np.arange(len(queue)), queue.level))
        self.row = row[self.free[row]]
        """Those who are free, by what is expected of them."""
        self.apart = dict.fromkeys(queue.met.tolist(), "rematch")
        self.apart |= dict.fromkeys(queue.avoided.tolist(), "avoid")
        """Pairs that must not meet, and why."""
        self.latencies = _steps(rules.latency)

    def all(self) -> tuple[list[Match], dict[str, Reason]]:
        """Every match, and why others wait."""
        queue = self.queue
        made: list[Match] = []
        reasons = {
            int(ticket): Reason("impossible", float(queue.wait[ticket]))
            for ticket in np.flatnonzero(~self.free)
        }
        turns = np.lexsort((np.arange(len(queue)), -queue.wait)).tolist()
        due = list(range(len(turns)))
        """Turns of those who are to be tried, as a heap."""
        turn_of = {ticket: turn for turn, ticket in enumerate(turns)}
        tried: dict[int, set[int]] = {}
        """With whom a ticket would have been when there was no match around it."""
        tried_with: dict[int, set[int]] = defaultdict(set)
        while due:
            anchor = turns[heapq.heappop(due)]
            if not self.free[anchor]:
                continue
            others: set[int] = set()
            found = self._match(anchor, others)
            if isinstance(found, Reason):
                reasons[anchor] = found
                tried[anchor] = others
                for ticket in others:
                    tried_with[ticket].add(anchor)
                continue
            match, tickets = found
            self.free[tickets] = False
            self.row = self.row[self.free[self.row]]
            for ticket in tickets:
                reasons.pop(ticket, None)
                for other in sorted(tried_with.pop(ticket, ())):
                    if self.free[other] and ticket in tried.get(other, ()):
                        del tried[other]
                        heapq.heappush(due, turn_of[other])
            made.append(match)
        made.sort(key=lambda match: -match.reason.waited)
        return made, {queue.tickets[ticket].id: reasons[ticket] for ticket in sorted(reasons)}

    def _match(self, anchor: int, others: set[int]) -> tuple[Match, list[int]] | Reason:
        """The match around a ticket, or why there is none, with the `others` that were tried."""
        refused: Reason | None = None
        missing = ""
        for pool in self._pools(anchor):
            for group, lacks in self._groups(anchor, pool):
                others.update(group)
                if lacks:
                    missing = missing or lacks
                    continue
                found = self._lined_up(anchor, group, pool.region)
                if not isinstance(found, Reason):
                    return found
                refused = refused or found
        others.discard(anchor)
        waited = float(self.queue.wait[anchor])
        if refused is None and len(self.queue) == 1:
            missing = "alone"
        return refused or Reason(missing or "latency", waited)

    def _pools(self, anchor: int) -> Iterator[_Pool]:
        """Among whom to look for those who are to be with a ticket: the nearest regions first."""
        queue, rules = self.queue, self.queue.rules
        classes: list[Booleans | None] = [None]
        if rules.newcomers == "protect":
            # Those of its kind, who may always meet; if it is new, the others; then anybody.
            new = queue.newcomer
            classes = [new, ~new, None] if new[anchor] else [~new, None]
        if not queue.regions:
            yield from (_Pool(each, None) for each in classes)
            return
        far = queue.latency[anchor]
        regions = [each for each in np.argsort(far, kind="stable") if queue.reachable[anchor, each]]
        for limit, region in itertools.product(self.latencies, regions):
            if far[region] <= limit:
                near = queue.latency[:, region] <= limit
                for each in classes:
                    yield _Pool(near if each is None else near & each, int(region))

    def _groups(self, anchor: int, pool: _Pool) -> Iterator[tuple[list[int], str]]:
        """Tickets for a match, the nearest first, then of like parties; and what is missing."""
        reach = _REACH * self.queue.rules.players
        while True:
            near, lacks, whole = self._near(anchor, pool, reach)
            group, missing = self._filled(anchor, near)
            if not missing or whole:
                break
            reach *= 4
        yield group, missing and (lacks if missing == "few" and lacks else missing)
        if self.has_parties:
            near, _, _ = self._near(anchor, pool, len(self.row))
            like = np.abs(self.queue.sizes[near] - self.sizes[anchor])
            yield self._filled(anchor, near[np.argsort(like, kind="stable")])

    def _near(self, anchor: int, pool: _Pool, reach: int) -> tuple[Integers, str, bool]:
        """Free tickets that may be in a match with one, the nearest first; what others lack.

        There are no nearer ones than these; at last, whether these are all.
        """
        queue = self.queue
        level = queue.level[anchor]
        place = int(np.searchsorted(queue.level[self.row], level))
        low, high = max(0, place - reach), min(place + reach, len(self.row))
        near = self.row[low:high]
        distance = np.abs(queue.level[near] - level)
        whole = low == 0 and high == len(self.row)
        if not whole:
            ends = (
                distance[0] if low > 0 else np.inf,
                distance[-1] if high < len(self.row) else np.inf,
            )
            near, distance = near[distance < min(ends)], distance[distance < min(ends)]
        kept = near != anchor
        if pool.inside is not None:
            kept &= pool.inside[near]
        near, distance = near[kept], distance[kept]
        obstacle = queue.lasting_obstacles(np.full(len(near), anchor), near)
        lacks = ""
        if (obstacle != OK).any():
            lacks = CODES[int(np.bincount(obstacle[obstacle != OK]).argmax())]
            near, distance = near[obstacle == OK], distance[obstacle == OK]
        return near[np.lexsort((near, distance))], lacks, whole

    def _filled(self, anchor: int, near: Integers) -> tuple[list[int], str]:
        """The first tickets that fit together until a match is full, and what is missing."""
        rules = self.queue.rules
        group = _Group([anchor], (self.sizes[anchor],), self.able_of_ticket[anchor])
        missing = "few"
        seats = rules.players - self.sizes[anchor]
        wanted = rules.teams * self.needs.wanted
        if len(wanted) and (group.able + np.minimum(seats, self._can(near)) < wanted).any():
            return [anchor], "roles"
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
            lacks = self._beside(group.tickets, ticket)
            if lacks:
                missing = lacks
                continue
            group.tickets.append(ticket)
            group.sizes, group.able = sizes, able
            seats -= size
        return group.tickets, "" if seats == 0 else missing

    def _can(self, tickets: Integers) -> Integers:
        """How many of these can play something of each set of roles."""
        can: Integers = self.able_of_ticket[tickets].sum(axis=0)
        return can

    def _beside(self, group: list[int], ticket: int) -> str:
        """What keeps a ticket from those that are in already, if anything does."""
        count = len(self.queue)
        if self.apart:
            for other in group:
                code = min(ticket, other) * count + max(ticket, other)
                if code in self.apart:
                    return self.apart[code]
        if self.allow is not None:
            tickets = self.queue.tickets
            for other in group:
                one, two = tickets[ticket], tickets[other]
                if not (self.allow(one, two) and self.allow(two, one)):
                    return "own"
        return ""

    def _lined_up(
        self, anchor: int, group: list[int], region: int | None
    ) -> tuple[Match, list[int]] | Reason:
        queue, rules = self.queue, self.queue.rules
        tickets = sorted(group)
        if region is not None and not queue.reachable[tickets, region].all():
            return Reason("latency", float(queue.wait[anchor]))
        new, guarded = queue.newcomer[tickets], queue.guarded[tickets]
        if rules.newcomers == "protect" and guarded.any() and not new.all():
            return Reason("newcomers", float(queue.wait[anchor]))
        refused: Reason | None = None
        for sides in self._line_ups(tickets):
            found = self._judged(anchor, tickets, sides)
            if not isinstance(found, Reason):
                return found, tickets
            refused = refused or found
        lacks = "roles" if rules.roles else "newcomers"
        missing = lacks if rules.party_gap is None else "parties"
        return refused or Reason(missing, float(queue.wait[anchor]))

    def _line_ups(self, tickets: list[int]) -> Iterator[list[Integers]]:
        """The most even line-up of these tickets, then others if the rules refuse it.

        Those are the most even ones where parties are more alike, or newcomers spread: what who
        waits less would be given.
        """
        queue, rules = self.queue, self.queue.rules
        longest, deciding = self._waits(tickets)
        sizes = [self.sizes[ticket] for ticket in tickets]
        gaps = [np.inf]
        if rules.party_gap is not None:
            widest = min(int(rules.party_gap.at(deciding)), max(sizes) - 1)
            gaps = list(range(widest, -1, -1))
        evens = [rules.newcomers == "spread"]
        if evens[0] and longest >= rules.newcomers_after:
            evens = [False, True]
        players = np.concatenate([queue.members(ticket) for ticket in tickets])
        new = queue.forecasts.contests[players] < rules.newcomer_contests
        party = np.repeat(np.arange(len(tickets)), sizes)
        able, mu = self.able[players], queue.forecasts.field.mu[players]
        seen = set()
        for even, gap in itertools.product(evens, gaps):
            wanted = Wanted(
                rules.teams, rules.team_size, party, able, self.needs.wanted, new, gap, even
            )
            team = line_up(mu, wanted)
            if team is not None and team.tobytes() not in seen:
                seen.add(team.tobytes())
                yield [players[team == each] for each in range(rules.teams)]

    def _waits(self, tickets: list[int]) -> tuple[float, float]:
        """The longest wait of these tickets, and the one that widens tolerances."""
        waits = self.queue.wait[tickets]
        longest = float(waits.max())
        by_longest = self.queue.rules.consent == "longest"
        return longest, longest if by_longest else float(waits.min())

    def _judged(self, anchor: int, tickets: list[int], sides: list[Integers]) -> Match | Reason:
        """The match of these sides, or why the rules do not allow it."""
        queue, rules = self.queue, self.queue.rules
        longest, deciding = self._waits(tickets)
        chances, quality = queue.forecasts.of_teams(sides)
        players = np.sort(np.concatenate(sides))
        mu = queue.forecasts.field.mu[players]
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
        place, latency = queue.place(np.array(tickets))
        names = [[self.names[each] for each in side.tolist()] for side in sides]
        roles: dict[str, str] = {}
        for side, named in zip(sides, names, strict=True):
            plays = [self.plays[each] for each in side.tolist()]
            roles |= roles_of(named, plays, rules.roles)
        worth = float(queue.worth(np.array(quality), np.array(longest)))
        return Match(
            tuple(map(tuple, names)),
            tuple(queue.tickets[ticket].id for ticket in tickets),
            tuple(chances.tolist()),
            quality,
            Reason("matched", longest, *(told or ())),
            place,
            latency,
            roles,
            worth,
        )


def _steps(latency: Schedule | None) -> list[float]:
    """Limits for which groups are made: those at the points of a schedule, and between them.

    Example:
        >>> _steps(Schedule.of([[0, 60], [30, 120]]))
        [60.0, 90.0, 120.0]
    """
    if latency is None:
        return [MOST_LATENCY]
    values = sorted({value for _, value in latency.points})
    between = [0.5 * (one + two) for one, two in itertools.pairwise(values)]
    return sorted({*values, *between})


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
