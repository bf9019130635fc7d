"""Line-ups: which of the players of a match play together, so that teams are as even as can be.

Up to ten players, every division into teams is looked at, as columns: the one whose strongest and
weakest team are nearest is taken, among those that leave parties together, can fill their roles
(Hall's condition, for every set of roles at once) and obey what else is said. Above ten, parties
are dealt out, the strongest first, each to the weakest team with room; then two of the same size
change places between the strongest and the weakest team as long as that brings them nearer. Who
plays which role is an assignment by SciPy, with the least sum of preferences.
"""

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.extras import require

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

EXACT = 10
"""Players up to which every division is looked at."""
_NEVER = 1e6
_TRIED = 20
"""Exchanges that are looked at, those that would leave two teams the most even."""
_MOST_EXCHANGES = 200


class Needs(NamedTuple):
    """The roles that a team needs, and every set of them."""

    roles: tuple[str, ...]
    sets: Integers
    """Sets of roles, as bits."""
    wanted: Integers
    """How many players of a team each set needs."""

    @classmethod
    def of(cls, roles: Mapping[str, int]) -> "Needs":
        """What these roles need."""
        names = tuple(roles)
        sets = np.arange(1, 1 << len(names))
        count = np.array([roles[name] for name in names], np.int64)
        has = (sets[:, None] >> np.arange(len(names))) & 1
        return cls(names, sets, (has * count).sum(axis=1))

    def able(self, plays: Sequence[Sequence[str] | None]) -> Integers:
        """Who (rows) can play something of which set (columns), as 0 and 1; None plays anything."""
        everything = (1 << len(self.roles)) - 1
        bits = np.array(
            [
                everything
                if each is None
                else sum(1 << self.roles.index(role) for role in set(each) if role in self.roles)
                for each in plays
            ],
            np.int64,
        )
        can: Integers = ((bits[:, None] & self.sets) != 0).astype(np.int64)
        return can


class Wanted(NamedTuple):
    """What a line-up must be like."""

    teams: int
    size: int
    party: Integers
    """Of every player, the number of the party."""
    able: Integers
    needed: Integers
    """As in `Needs`."""
    newcomer: NDArray[np.bool_]
    party_gap: float
    """By how many the largest parties of teams may differ."""
    even_newcomers: bool
    """Whether numbers of newcomers may differ by one at most."""


@lru_cache(maxsize=64)
def divisions(teams: int, size: int) -> NDArray[np.int8]:
    """Every division of players into teams of one size: a row has everybody's team.

    Teams are numbered by their first player.

    Example:
        >>> divisions(2, 2).tolist()
        [[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]]
    """
    found = []

    def fill(labels: list[int], team: int) -> None:
        free = [player for player, each in enumerate(labels) if each < 0]
        if not free:
            found.append(labels)
            return
        for others in itertools.combinations(free[1:], size - 1):
            filled = list(labels)
            for player in (free[0], *others):
                filled[player] = team
            fill(filled, team + 1)

    fill([-1] * (teams * size), 0)
    return np.array(found, np.int8)


def line_up(strength: Floats, wanted: Wanted) -> Integers | None:
    """Everybody's team in the most even line-up that is as wanted; None if there is none.

    Example:
        >>> nobody = np.zeros((4, 0), np.int64)
        >>> wanted = Wanted(2, 2, np.arange(4), nobody, nobody[0], np.zeros(4, bool), 9.0, False)
        >>> line_up(np.array([9.0, 5.0, 4.0, 1.0]), wanted).tolist()
        [0, 1, 1, 0]
    """
    if len(strength) > EXACT:
        return _dealt(strength, wanted)
    labels = divisions(wanted.teams, wanted.size)
    good = np.ones(len(labels), np.bool_)
    first = _firsts(wanted.party)
    if len(np.unique(first)) < len(first):
        good = (labels == labels[:, first]).all(axis=1)
        labels = labels[good]
        good = np.ones(len(labels), np.bool_)
    in_team = [labels == team for team in range(wanted.teams)]
    for team in in_team:
        if wanted.able.shape[1]:
            good &= ((team.astype(np.int64) @ wanted.able) >= wanted.needed).all(axis=1)
    if wanted.party_gap < wanted.size:
        sizes = np.bincount(wanted.party)[wanted.party]
        largest = np.stack([np.where(team, sizes, 0).max(axis=1) for team in in_team])
        good &= np.ptp(largest, axis=0) <= wanted.party_gap
    if wanted.even_newcomers:
        counts = np.stack([team @ wanted.newcomer.astype(np.int64) for team in in_team])
        good &= np.ptp(counts, axis=0) <= 1
    if not good.any():
        return None
    sums = np.stack([team @ strength for team in in_team])
    gap = np.where(good, np.ptp(sums, axis=0), np.inf)
    best: Integers = labels[int(np.argmin(gap))].astype(np.int64)
    return best


def _firsts(party: Integers) -> Integers:
    """The first player of everybody's party."""
    _, first, inverse = np.unique(party, return_index=True, return_inverse=True)
    return first[inverse]


def _dealt(strength: Floats, wanted: Wanted) -> Integers | None:
    """The heuristic for many players."""
    parties = [np.flatnonzero(wanted.party == each) for each in np.unique(wanted.party)]
    parties.sort(key=lambda each: (-len(each), -float(strength[each].sum()), int(each[0])))
    team = np.full(len(strength), -1)
    sums, room = np.zeros(wanted.teams), np.full(wanted.teams, wanted.size)
    for members in parties:
        fits = np.flatnonzero(room >= len(members))
        if not len(fits):
            return None
        # Fewest first, so that large parties are spread; then the weakest.
        best = min(fits.tolist(), key=lambda each: (-room[each], sums[each], each))
        team[members] = best
        sums[best] += strength[members].sum()
        room[best] -= len(members)
    state = _state(team, strength, wanted)
    for _ in range(_MOST_EXCHANGES):
        better = _exchanged(team, strength, wanted, parties, state)
        if better is None:
            break
        team, state = better
    return team if state[0] == 0 else None


def _state(team: Integers, strength: Floats, wanted: Wanted) -> tuple[int, float]:
    """How many players too few there are for what is wanted, and how uneven the teams are."""
    wrong = 0
    one_hot = (team == np.arange(wanted.teams)[:, None]).astype(np.int64)
    if wanted.able.shape[1]:
        wrong += int(np.maximum(wanted.needed - one_hot @ wanted.able, 0).sum())
    if wanted.party_gap < wanted.size:
        sizes = np.bincount(wanted.party)[wanted.party]
        wrong += int(max(0.0, np.ptp((one_hot * sizes).max(axis=1)) - wanted.party_gap))
    if wanted.even_newcomers:
        wrong += int(max(0, np.ptp(one_hot @ wanted.newcomer.astype(np.int64)) - 1))
    return wrong, float(np.ptp(one_hot @ strength))


def _exchanged(
    team: Integers,
    strength: Floats,
    wanted: Wanted,
    parties: list[Integers],
    state: tuple[int, float],
) -> tuple[Integers, tuple[int, float]] | None:
    """The line-up after the best exchange of two parties of one size; None if none is better."""
    sums = np.bincount(team, strength, wanted.teams)
    strongest, weakest = int(np.argmax(sums)), int(np.argmin(sums))
    best: tuple[Integers, tuple[int, float]] | None = None
    sides = range(wanted.teams) if state[0] else (strongest, weakest)
    of_team = {side: [each for each in parties if team[each[0]] == side] for side in sides}
    for one, two in itertools.combinations(sides, 2):
        pairs = [
            (abs(sums[one] - sums[two] - 2.0 * (strength[a].sum() - strength[b].sum())), a, b)
            for a, b in itertools.product(of_team[one], of_team[two])
            if len(a) == len(b)
        ]
        pairs.sort(key=lambda each: each[0])
        for _, members, others in pairs if state[0] else pairs[:_TRIED]:
            tried = team.copy()
            tried[members], tried[others] = two, one
            found = _state(tried, strength, wanted)
            if found < (state if best is None else best[1]):
                best = tried, found
    return best


def roles_of(
    players: Sequence[str], plays: Sequence[Sequence[str] | None], roles: Mapping[str, int]
) -> dict[str, str]:
    """Who of a team plays which role, by the least sum of preferences; others play anything.

    Example:
        >>> roles_of(["ann", "bob"], [["tank", "healer"], ["tank"]], {"healer": 1, "tank": 1})
        {'ann': 'healer', 'bob': 'tank'}
    """
    if not roles:
        return {}
    require("scipy")
    from scipy.optimize import linear_sum_assignment

    slots = [role for role, count in roles.items() for _ in range(count)]
    cost = np.zeros((len(players), len(players)))
    for row, each in enumerate(plays):
        if each is not None:
            order = {role: place for place, role in reversed(list(enumerate(each)))}
            cost[row, : len(slots)] = [order.get(slot, _NEVER) for slot in slots]
    rows, columns = linear_sum_assignment(cost)
    given = zip(rows.tolist(), columns.tolist(), strict=True)
    return {players[row]: slots[column] for row, column in given if column < len(slots)}
