"""Matches of two: the heaviest matching of all pairs that the rules allow.

What is maximised is the sum, over matches, of the quality and of ``(w / patience)²``, where w is
the longer of the two waits. That is the longest wait, not the sum of waits: two who have waited
long count twice in two matches and once in one, so each of them is given somebody who suits; and
because it is squared, who waits longest weighs more than many who have just come. Waiting adds to
pairs of that ticket only, so in the exact optimum it never costs a ticket its match.
"""

from collections.abc import Callable, Sequence
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
_TIES = 1e-9
"""So much at most decides between pairs that are worth the same, by a number of the two tickets."""
_SCALE = 2.0**40
"""Weights are whole numbers where they are matched exactly."""
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


def looked_at(queue: Queue, able: Integers, allow: Allow | None, exact: bool) -> Pairs:
    """All pairs of those who are able to play, or those of neighbours; judged by the rules."""
    a, b = _all_pairs(able) if exact else neighbours(queue, able)
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


def _all_pairs(able: Integers) -> tuple[Integers, Integers]:
    first, second = np.triu_indices(len(able), 1)
    return able[first], able[second]


def neighbours(queue: Queue, able: Integers) -> tuple[Integers, Integers]:
    """Pairs of those whose forecasts are next to each other, each with about so many others.

    Among those who want the same and can reach the same region; where newcomers meet others only,
    among those and next to them among the others, too.
    """
    half = max(1, queue.rules.neighbours // 2)
    groups: list[Integers] = []
    for kind in np.unique(queue.kind[able]).tolist() if queue.rules.same else [None]:
        of_kind = able if kind is None else able[queue.kind[able] == kind]
        groups.append(of_kind)
        if queue.rules.latency is not None:
            groups += [
                of_kind[queue.reachable[of_kind, region]] for region in range(len(queue.regions))
            ]
    found = [_next_to_each_other(queue, group, half) for group in groups]
    if queue.rules.newcomers != "any":
        for group in groups:
            new = queue.newcomer[group]
            parts = group[new], group[~new]
            found += [_next_to_each_other(queue, part, half) for part in parts]
            if queue.rules.newcomers == "spread":
                found.append(_beside(queue, *parts, half))
    codes = np.concatenate([queue.code(a, b) for a, b in found])
    if len(found) > 1:
        codes = np.unique(codes)
    return codes // max(1, len(queue)), codes % max(1, len(queue))


def _next_to_each_other(queue: Queue, group: Integers, half: int) -> tuple[Integers, Integers]:
    order = group[np.lexsort((group, queue.level[group]))]
    count = len(order)
    steps = [np.arange(count - step) for step in range(1, min(half, count - 1) + 1)]
    if not steps:
        return group[:0], group[:0]
    first = np.concatenate(steps)
    second = np.concatenate([rows + step for step, rows in enumerate(steps, 1)])
    return order[first], order[second]


def _beside(queue: Queue, few: Integers, others: Integers, half: int) -> tuple[Integers, Integers]:
    """Pairs of each of the few with those of the others who are next to it.

    Many newcomers are expected to be alike: so each begins one farther than the one before.
    """
    if not len(few) or not len(others):
        return few[:0], few[:0]
    few = few[np.lexsort((few, queue.level[few]))]
    others = others[np.lexsort((others, queue.level[others]))]
    level = queue.level[few]
    first_alike = np.searchsorted(level, level, "left")
    alike = np.searchsorted(level, level, "right") - first_alike
    turn = np.arange(len(few)) - first_alike - alike // 2
    middle = np.searchsorted(queue.level[others], level) + turn
    near = middle[:, None] + np.arange(-half, half)
    near = np.clip(near, 0, len(others) - 1)
    return np.repeat(few, 2 * half), others[near.ravel()]


def chosen(queue: Queue, pairs: Pairs, exact: bool) -> Pairs:
    """The pairs that become matches, who has waited longest first."""
    allowed = pairs.among(pairs.obstacle == OK)
    weight = allowed.worth + _TIES * _draws(allowed.a, allowed.b)
    if exact:
        taken = _heaviest(allowed, weight, len(queue))
    else:
        mate = matching.heavy(allowed.a, allowed.b, weight, len(queue))
        taken = np.flatnonzero(mate[allowed.a] == allowed.b)
    found = allowed.among(taken)
    longest = np.maximum(queue.wait[found.a], queue.wait[found.b])
    return found.among(np.lexsort((found.a, -longest)))


def _heaviest(pairs: Pairs, weight: Floats, count: int) -> Integers:
    """The rows of the matching of the highest weight."""
    require("rustworkx")
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(count))
    numbers = np.rint(weight * _SCALE).astype(object) if weight.max(initial=0.0) > 1e6 else None
    whole = np.rint(weight * _SCALE).astype(np.int64) if numbers is None else numbers
    graph.add_edges_from(list(zip(pairs.a.tolist(), pairs.b.tolist(), whole.tolist(), strict=True)))
    found = rustworkx.max_weight_matching(graph, max_cardinality=False, weight_fn=int)
    mate = np.full(count, -1)
    for a, b in found:
        mate[a], mate[b] = b, a
    return np.flatnonzero(mate[pairs.a] == pairs.b)


def _draws(a: Integers, b: Integers) -> Floats:
    """A number from 0 to 1 for every pair, always the same."""
    mixed = (a * 2_654_435_761 + b * 40_503 + 12_345) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 15)) * 2_246_822_519) & 0xFFFFFFFF
    mixed = ((mixed ^ (mixed >> 13)) * 3_266_489_917) & 0xFFFFFFFF
    return (mixed ^ (mixed >> 16)) / 2.0**32


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
