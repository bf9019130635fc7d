"""Matches of two: the heaviest matching of pairs that the rules allow.

What is maximised is the sum, over matches, of the quality and of ``(w / patience)²``, where w is
the longer of the two waits. That is the longest wait, not the sum of waits: two who have waited
long count twice in two matches and once in one, so each of them is given somebody who suits; and
because it is squared, who waits longest weighs more than many who have just come.

Small queues are matched exactly. Large ones are put in a row by what is expected of them, and
matched exactly among those who stand near each other; then those who are left once more, who have
others near them now. No row depends on waits. Waiting adds to pairs of that ticket only: so by
every row it keeps its match, or is given one, or all others are given what they were given before.
Hence it costs no ticket its match, however many rows there are.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.extras import require
from podium.matchmaking.outcomes import NO_ROLES, Match, Reason
from podium.matchmaking.queue import (
    CODES,
    OK,
    ONE_SIDED,
    OWN,
    QUALITY,
    SPREAD,
    Floats,
    Integers,
    Queue,
)
from podium.matchmaking.tickets import Ticket
from podium.numerics import matching

Allow = Callable[[Ticket, Ticket], bool]
"""A rule of one's own: whether two tickets may be in one match."""
_SCALE, _NEAR_SCALE = 2.0**40, 2.0**24
"""Weights are whole numbers, so that sums are exact; of a whole row they fit into 64 bits."""
_TIE_BITS = 32
"""Below those, a number of the two tickets decides between pairs that are worth the same."""
_ROUNDS = 8
"""So often at most, tickets are put in rows, and those who are left once more."""
_TOLERANCES = (ONE_SIDED, QUALITY, SPREAD)


class Pairs(NamedTuple):
    """Pairs of tickets that were looked at."""

    a: Integers
    b: Integers
    score: Floats
    """What a is expected to score."""
    quality: Floats
    worth: Floats
    obstacle: NDArray[np.int8]
    """What is in the way of it; 0 if nothing."""

    def among(self, rows: Integers | NDArray[np.bool_]) -> "Pairs":
        """Some of them."""
        found: list[NDArray[Any]] = [each[rows] for each in self]
        return Pairs(*found)

    @classmethod
    def joined(cls, parts: "Sequence[Pairs]") -> "Pairs":
        """All of several."""
        return cls(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def looked_at(queue: Queue, a: Integers, b: Integers, allow: Allow | None) -> Pairs:
    """Pairs of tickets, judged by the rules."""
    a, b = np.minimum(a, b), np.maximum(a, b)
    obstacle = queue.obstacles(a, b)
    if allow is not None:
        for row in np.flatnonzero(obstacle == OK).tolist():
            one, two = queue.tickets[a[row]], queue.tickets[b[row]]
            if not (allow(one, two) and allow(two, one)):
                obstacle[row] = OWN
    score = np.full(len(a), np.nan)
    quality = np.full(len(a), np.nan)
    open_ = np.flatnonzero(obstacle == OK)
    one, two = queue.starts[a[open_]], queue.starts[b[open_]]
    score[open_] = queue.forecasts.scores(one, two)
    quality[open_] = queue.forecasts.qualities(one, two, score[open_])
    favourite = np.maximum(score, 1.0 - score)
    limits = queue.limits(queue.deciding(a, b))
    with np.errstate(invalid="ignore"):
        for what, wrong in (
            (SPREAD, favourite > limits[SPREAD][1]),
            (QUALITY, quality < limits[QUALITY][1]),
            (ONE_SIDED, favourite > limits[ONE_SIDED][1]),
        ):
            obstacle[wrong & (obstacle == OK)] = what
    worth = queue.worth(quality, np.maximum(queue.wait[a], queue.wait[b]))
    return Pairs(a, b, score, quality, worth, obstacle)


def exact(queue: Queue, able: Integers, allow: Allow | None) -> tuple[Pairs, Pairs]:
    """All pairs of those who are able to play, and those of the heaviest matching."""
    first, second = np.triu_indices(len(able), 1)
    seen = looked_at(queue, able[first], able[second], allow)
    allowed = seen.among(seen.obstacle == OK)
    return seen, allowed.among(heaviest(allowed, len(queue)))


def near(queue: Queue, able: Integers, allow: Allow | None) -> tuple[Pairs, Pairs]:
    """Pairs of those who stand near each other in rows, and those that are chosen.

    Of several kinds of rows, the matches of the one in which they are worth the most are made.
    """
    seen: list[Pairs] = []
    found: list[Pairs] = []
    left = able
    for _ in range(_ROUNDS):
        rows = [_in_row(queue, kind(queue, left), allow) for kind in _rows(queue)]
        best = max(rows, key=lambda each: each.weight)
        seen += [each.pairs for each in rows]
        found.append(best.chosen)
        left = best.left
        if not len(best.chosen.a):
            break
    return Pairs.joined(seen), Pairs.joined(found)


class _InRow(NamedTuple):
    """What comes of tickets in a row."""

    pairs: Pairs
    chosen: Pairs
    left: Integers
    weight: int


def _in_row(queue: Queue, row: Integers, allow: Allow | None) -> _InRow:
    """The heaviest matching of those who stand near each other in a row."""
    reach = queue.rules.neighbours // 2
    place, back = _steps(len(row), reach)
    pairs = looked_at(queue, row[place], row[place - back], allow)
    allowed = pairs.obstacle == OK
    whole = np.full(len(place), -1)
    whole[allowed] = np.rint(pairs.worth[allowed] * _NEAR_SCALE)
    weight = np.full((len(row), reach), -1)
    weight[place, back - 1] = whole
    mate = matching.heaviest_in_band(weight)
    taken = mate[place] == place - back
    return _InRow(pairs, pairs.among(taken), row[mate < 0], int(whole[taken].sum()))


def _steps(count: int, reach: int) -> tuple[Integers, Integers]:
    """Places in a row, and how far before each the other stands."""
    back = np.repeat(np.arange(1, reach + 1), count)
    place = np.tile(np.arange(count), reach)
    inside = place >= back
    return place[inside], back[inside]


Row = Callable[[Queue, Integers], Integers]
"""Puts tickets in a row, whatever they have waited."""


def _rows(queue: Queue) -> list[Row]:
    """Rows in which to look for matches: first those in which the most are allowed."""
    rules = queue.rules
    kinds: list[Row] = []
    if rules.newcomers != "any":
        if rules.latency is not None:
            kinds.append(partial(_row, by_region=True, by_newcomer=True))
        kinds.append(partial(_row, by_newcomer=True))
    if rules.latency is not None:
        kinds.append(partial(_row, by_region=True))
    return [*kinds, _row]


def _row(
    queue: Queue, tickets: Integers, by_region: bool = False, by_newcomer: bool = False
) -> Integers:
    """Tickets by what they want, maybe by the nearest region, and by what is expected of them.

    Newcomers stand by themselves if they are to meet each other only, and apart from each other if
    they are not to.
    """
    group = queue.kind[tickets]
    if by_region and queue.regions:
        group = group * len(queue.regions) + np.argmin(queue.latency[tickets], axis=1)
    level = queue.level[tickets]
    if by_newcomer and queue.rules.newcomers == "protect":
        group = 2 * group + queue.newcomer[tickets]
    elif by_newcomer:
        level = _apart(group, level, queue.newcomer[tickets])
    return tickets[np.lexsort((tickets, level, group))]


def _apart(group: Integers, level: Floats, new: NDArray[np.bool_]) -> Floats:
    """Places by level, in which newcomers of one level stand among the others around it."""
    order = np.lexsort((new, level, group))
    group, level, new = group[order], level[order], new[order]
    alike = new[1:] & new[:-1] & (level[1:] == level[:-1]) & (group[1:] == group[:-1])
    first = np.concatenate(([True], ~alike))
    block = np.cumsum(first) - 1
    turn = np.arange(len(order)) - np.flatnonzero(first)[block] - np.bincount(block)[block] // 2
    place = np.empty(len(order))
    place[order] = np.cumsum(~new) + np.where(new, turn + 0.5, 0.0)
    return place


def in_turn(queue: Queue, found: Pairs) -> Pairs:
    """Pairs in the order in which they are told: who has waited longest first."""
    longest = np.maximum(queue.wait[found.a], queue.wait[found.b])
    return found.among(np.lexsort((found.a, -longest)))


def heaviest(pairs: Pairs, count: int) -> Integers:
    """The rows of the matching of the highest worth, of pairs among so many tickets."""
    require("rustworkx")
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    worth = np.rint(pairs.worth * _SCALE).astype(np.int64).tolist()
    draws = _draws(pairs.a, pairs.b).tolist()
    weight = [(each << _TIE_BITS) + draw for each, draw in zip(worth, draws, strict=True)]
    graph.add_edges_from(list(zip(pairs.a.tolist(), pairs.b.tolist(), weight, strict=True)))
    found = rustworkx.max_weight_matching(graph, max_cardinality=False, weight_fn=int)
    mate = np.full(count, -1)
    for a, b in found:
        mate[a], mate[b] = b, a
    return np.flatnonzero(mate[pairs.a] == pairs.b)


def _draws(a: Integers, b: Integers) -> Integers:
    """A number of `_TIE_BITS` bits for every pair, always the same."""
    mixed = (a * 2_654_435_761 + b * 40_503 + 12_345) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2_246_822_519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 3_266_489_917) & 0xFFFFFFFF
    return mixed ^ (mixed >> 16)


def matches(queue: Queue, found: Pairs) -> list[Match]:
    """What comes of pairs that were chosen."""
    deciding = queue.deciding(found.a, found.b)
    told, start, now, value = told_limit(queue, found, deciding)
    longest = np.maximum(queue.wait[found.a], queue.wait[found.b])
    regions, latency = _places(queue, found)
    waits = longest.tolist()
    if told is None:
        reasons = [Reason("matched", waited) for waited in waits]
    else:
        reasons = [
            Reason("matched", waited, told, limit, start, at)
            for waited, limit, at in zip(waits, value.tolist(), now.tolist(), strict=True)
        ]
    one = [queue.tickets[each] for each in found.a.tolist()]
    two = [queue.tickets[each] for each in found.b.tolist()]
    return [
        Match(
            (first.players, second.players),
            (first.id, second.id),
            (score, 1.0 - score),
            quality,
            reason,
            region,
            far,
            NO_ROLES,
            worth,
        )
        for first, second, score, quality, worth, reason, region, far in zip(
            one,
            two,
            *(each.tolist() for each in (found.score, found.quality, found.worth)),
            reasons,
            regions,
            latency,
            strict=True,
        )
    ]


def told_limit(
    queue: Queue, found: Pairs, wait: Floats
) -> tuple[str | None, float, Floats, Floats]:
    """The tolerance that reasons speak of: the first that the rules limit."""
    favourite = np.maximum(found.score, 1.0 - found.score)
    values = {ONE_SIDED: favourite, QUALITY: found.quality, SPREAD: favourite}
    for what, (schedule, now) in queue.limits(wait).items():
        loosest = 0.0 if what == QUALITY else 1.0
        if schedule.start != loosest:
            return CODES[what], schedule.start, now, values[what]
    return None, 0.0, wait, favourite


def _places(queue: Queue, found: Pairs) -> tuple[Sequence[str | None], Sequence[float | None]]:
    count = len(found.a)
    if not queue.regions:
        return [None] * count, [None] * count
    worst = np.maximum(queue.latency[found.a], queue.latency[found.b])
    worst = np.where(queue.reachable[found.a] & queue.reachable[found.b], worst, np.inf)
    best = np.argmin(worst, axis=1)
    return [queue.regions[each] for each in best.tolist()], worst[np.arange(count), best].tolist()


def waiting(queue: Queue, pairs: Pairs, left: Integers) -> dict[str, Reason]:
    """Why tickets wait on: what is in the way of the best match that they might have."""
    if len(left) == 0:
        return {}
    alone = len(queue) == 1
    either = np.concatenate((pairs.a, pairs.b))
    other = np.concatenate((pairs.b, pairs.a))
    rows = np.tile(np.arange(len(pairs.a)), 2)
    is_left = np.zeros(len(queue), np.bool_)
    is_left[left] = True
    kept = is_left[either]
    either, other, rows = either[kept], other[kept], rows[kept]
    obstacle = pairs.obstacle[rows]
    # The nearest to a match first: allowed, then within reach of a tolerance, then other rules.
    near = np.where(obstacle == OK, 0, np.where(np.isin(obstacle, _TOLERANCES), 1, 2))
    quality = np.nan_to_num(pairs.quality[rows], nan=-1.0)
    order = np.lexsort((other, -quality, near, either))
    firsts = order[np.unique(either[order], return_index=True)[1]]
    best = {int(either[row]): row for row in firsts}
    found = {}
    for ticket in left.tolist():
        row = best.get(ticket)
        waited = float(queue.wait[ticket])
        if row is None:
            reason = Reason("alone" if alone else "few", waited)
        elif obstacle[row] in _TOLERANCES:
            reason = _refused(queue, pairs, int(rows[row]), int(other[row]), waited)
        else:
            reason = Reason("taken" if obstacle[row] == OK else CODES[obstacle[row]], waited)
        found[queue.tickets[ticket].id] = reason
    return found


def _refused(queue: Queue, pairs: Pairs, row: int, other: int, waited: float) -> Reason:
    what = int(pairs.obstacle[row])
    schedule = getattr(queue.rules, CODES[what])
    score = float(pairs.score[row])
    value = float(pairs.quality[row]) if what == QUALITY else max(score, 1.0 - score)
    ends = pairs.a[row : row + 1], pairs.b[row : row + 1]
    now = schedule.at(float(queue.deciding(*ends)[0]))
    return Reason(
        CODES[what],
        waited,
        CODES[what],
        value,
        schedule.start,
        now,
        queue.tickets[other].id,
        schedule.reaches(value),
    )
