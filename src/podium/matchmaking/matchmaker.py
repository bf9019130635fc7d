"""The front: tickets in, matches out."""

from collections.abc import Iterable
from operator import attrgetter

import numpy as np

from podium import systems
from podium.errors import InputError
from podium.extras import require
from podium.matchmaking import pairs
from podium.matchmaking.forecasts import Forecasts, Known, as_known
from podium.matchmaking.outcomes import Match, Reason, Round
from podium.matchmaking.pairs import Allow
from podium.matchmaking.queue import Queue
from podium.matchmaking.rules import Rules
from podium.matchmaking.teams import Teams
from podium.matchmaking.tickets import Ticket, all_seconds, refuse_twice, seconds
from podium.results.times import Time
from podium.systems.base import System


class Matchmaker:
    """Makes matches of tickets by rules, asking whoever knows ratings.

    It keeps nothing from one round to the next: the same tickets, in any order, at the same moment
    and with the same ratings give the same matches. Threads may share it.

    Args:
        rules: What matches are like.
        beliefs: Whom to ask: a `Ladder`, `Rated`, a `League` or a view of one, `Beliefs`, or
            anything that can be consulted (`forecasts.Consultant`). It is asked again in every
            round, and who is not known is a newcomer.
        allow: A rule of one's own: whether two tickets may be in one match. It must answer the same
            each time, and be wider the longer they wait, if it looks at that at all.
        calibrated: Whether predictions are at the temperature that results have taught.

    Example:
        >>> import podium
        >>> ladder = podium.Ladder("elo-mmr")
        >>> for _ in range(5):
        ...     ladder.record(["ann", "bob", "cat", "dan"])
        >>> matchmaker = Matchmaker(Rules(one_sided=[[0, 0.75], [60, 0.9]]), ladder)
        >>> tickets = [Ticket(name) for name in ("ann", "bob", "cat", "dan")]
        >>> round = matchmaker.match(tickets, now=20)
        >>> [match.teams for match in round.matches]
        [(('ann',), ('bob',)), (('cat',), ('dan',))]
        >>> round.matches[0].reason.text
        'waited 20 s: tolerance 75 % → 80 %'
    """

    def __init__(
        self,
        rules: Rules,
        beliefs: Known,
        *,
        allow: Allow | None = None,
        calibrated: bool = False,
    ) -> None:
        if not isinstance(rules, Rules):
            raise InputError(f"rules must be podium.matchmaking.Rules, not {type(rules).__name__}.")
        require("rustworkx", "scipy")
        self.rules = rules
        self._known = as_known(beliefs)
        self._allow, self._calibrated = allow, calibrated

    def match(self, tickets: Iterable[Ticket], now: Time, *, at: Time | None = None) -> Round:
        """The matches of these tickets at a moment, and why others wait on.

        Args:
            tickets: Who waits. No player and no id may stand in two of them.
            now: The moment, by the clock of `Ticket.since`.
            at: When they meet, for systems in which uncertainty grows with absence; by default, at
                the time of the last contest.
        """
        queue = self._queue(tickets, seconds(now), at)
        system = queue.forecasts.beliefs.system
        made: list[Match]
        waiting: dict[str, Reason]
        exact = False
        if len(queue) == 0:
            made, waiting, exact = [], {}, True
        elif self.rules.is_of_pairs:
            made, waiting, exact = self._pairs(queue)
        else:
            made, waiting = Teams(queue, self._allow).all()
        return Round(seconds(now), tuple(made), waiting, system.name, exact)

    def _queue(self, tickets: Iterable[Ticket], now: float, at: Time | None) -> Queue:
        given = list(tickets)
        if not set(map(type, given)) <= {Ticket}:
            raise InputError("tickets must be podium.matchmaking.Ticket.")
        refuse_twice(given)
        given.sort(key=attrgetter("id"))
        since = all_seconds([each.since for each in given])
        names = [name for each in given for name in each.players]
        known = Forecasts.of(self._known, names, at, self._calibrated)
        refuse_system(known.beliefs.system, self.rules)
        return Queue.of(self.rules, given, np.maximum(now - since, 0.0), known)

    def _pairs(self, queue: Queue) -> tuple[list[Match], dict[str, Reason], bool]:
        able = np.flatnonzero(queue.sizes == 1)
        exact = len(able) <= self.rules.exact_up_to
        seen, found = (pairs.exact if exact else pairs.near)(queue, able, self._allow)
        is_left = np.ones(len(queue), np.bool_)
        is_left[found.a] = is_left[found.b] = False
        too_large = np.flatnonzero(queue.sizes > 1)
        is_left[too_large] = False
        waiting = pairs.waiting(queue, seen, np.flatnonzero(is_left))
        for ticket in too_large.tolist():
            reason = Reason("impossible", float(queue.wait[ticket]))
            waiting[queue.tickets[ticket].id] = reason
        return pairs.matches(queue, pairs.in_turn(queue, found)), waiting, exact


def refuse_system(system: System, rules: Rules) -> None:
    """Raise if a system cannot predict matches by these rules."""
    if rules.team_size > 1 and not system.takes_teams:
        raise InputError(
            f"{system.name} rates players, not teams, so team_size must be 1; "
            f"{', '.join(systems.with_teams())} take teams."
        )
    most = system.most_players
    if most is not None and rules.players > most:
        raise InputError(
            f"{system.name} predicts contests of at most {most} players, not of {rules.players}."
        )
