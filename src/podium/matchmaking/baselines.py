"""What others do, to compare with: neighbours by rating, and a window that widens with waiting.

Both look at ratings and at nothing else, and make matches of two players.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from podium.errors import InputError
from podium.matchmaking.forecasts import Integers, Known
from podium.matchmaking.matchmaker import Matchmaker
from podium.matchmaking.outcomes import Match, Reason, Round
from podium.matchmaking.pairs import Pairs, matches
from podium.matchmaking.queue import Queue
from podium.matchmaking.rules import Rules
from podium.matchmaking.schedules import Schedule
from podium.matchmaking.tickets import Ticket, seconds
from podium.results.times import Time


class Neighbours:
    """Everybody who waits is sorted by rating, and neighbours meet; one may be left over.

    Args:
        beliefs: Whom to ask.
        after: A round is made when somebody has waited so many seconds: what buys nearer
            neighbours.
        patience: As in `Rules`, by which the worth of matches is told.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo")
        >>> ladder.record(["ann", "bob", "cat", "dan"])
        >>> tickets = [Ticket(name) for name in ("dan", "ann", "cat", "bob")]
        >>> [match.tickets for match in Neighbours(ladder).match(tickets, 0).matches]
        [('ann', 'bob'), ('cat', 'dan')]
    """

    def __init__(self, beliefs: Known, *, after: float = 0.0, patience: float = 60.0) -> None:
        self._after = after
        self._columns = Matchmaker(Rules(patience=patience), beliefs)

    def match(self, tickets: Iterable[Ticket], now: Time) -> Round:
        """The matches of these tickets at a moment."""
        queue = _of_players(self._columns, tickets, now)
        order = np.lexsort((np.arange(len(queue)), queue.level))
        if queue.wait.max(initial=0.0) < self._after:
            order = order[:0]
        count = len(order) // 2
        # From the top, so that it is the worst who waits.
        pairs = order[len(order) - 2 * count :].reshape(-1, 2)
        return _round(queue, now, pairs[:, 0], pairs[:, 1])


@dataclass(frozen=True)
class Window:
    """Who has waited longest meets the nearest in rating within a window that widens.

    Args:
        beliefs: Whom to ask.
        points: How far apart ratings may be, by the wait of who has waited longer.
        patience: As in `Rules`, by which the worth of matches is told.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo")
        >>> ladder.record(["ann", "bob", "cat", "dan"])
        >>> tickets = [Ticket(name) for name in ("dan", "ann", "cat", "bob")]
        >>> [match.tickets for match in Window(ladder, Schedule.of(100)).match(tickets, 0).matches]
        [('ann', 'bob'), ('cat', 'dan')]
    """

    beliefs: Known
    points: Schedule
    patience: float = 60.0

    def match(self, tickets: Iterable[Ticket], now: Time) -> Round:
        """The matches of these tickets at a moment."""
        columns = Matchmaker(Rules(patience=self.patience), self.beliefs)
        queue = _of_players(columns, tickets, now)
        order = np.lexsort((np.arange(len(queue)), queue.level))
        level = queue.level[order]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        # Links between those who are still there, so that the nearest is found without a search.
        before, after = np.arange(-1, len(order) - 1), np.arange(1, len(order) + 1)
        free = np.ones(len(order), np.bool_)
        reach = self.points.after(queue.wait)
        found: list[tuple[int, int]] = []
        for ticket in np.lexsort((np.arange(len(queue)), -queue.wait)).tolist():
            here = int(place[ticket])
            if not free[here]:
                continue
            sides = [
                each for each in (int(before[here]), int(after[here])) if 0 <= each < len(order)
            ]
            near = min(sides, key=lambda each: abs(level[each] - level[here]), default=-1)
            if near < 0 or abs(level[near] - level[here]) > reach[ticket]:
                continue
            found.append((ticket, int(order[near])))
            for gone in (here, near):
                free[gone] = False
                left, right = int(before[gone]), int(after[gone])
                if left >= 0:
                    after[left] = right
                if right < len(order):
                    before[right] = left
        pairs = np.array(found, np.int64).reshape(-1, 2)
        return _round(queue, now, pairs.min(axis=1), pairs.max(axis=1))


def _of_players(columns: Matchmaker, tickets: Iterable[Ticket], now: Time) -> Queue:
    queue = columns._queue(tickets, seconds(now), None)
    if (queue.sizes > 1).any():
        raise InputError("a party is in the queue, and what is compared with makes matches of two.")
    return queue


def _round(queue: Queue, now: Time, a: Integers, b: Integers) -> Round:
    a, b = np.minimum(a, b), np.maximum(a, b)
    score = queue.forecasts.scores(a, b)
    quality = queue.forecasts.qualities(a, b, score)
    longest = np.maximum(queue.wait[a], queue.wait[b])
    obstacle = np.zeros(len(a), np.int8)
    found = Pairs(a, b, score, quality, queue.worth(quality, longest), obstacle)
    made: list[Match] = matches(queue, found.among(np.lexsort((a, -longest))))
    left = np.ones(len(queue), np.bool_)
    left[a] = left[b] = False
    waiting = {
        queue.tickets[each].id: Reason("few", float(queue.wait[each]))
        for each in np.flatnonzero(left).tolist()
    }
    system = queue.forecasts.beliefs.system.name
    return Round(seconds(now), tuple(made), waiting, system, False)
