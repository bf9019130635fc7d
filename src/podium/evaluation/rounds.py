"""One round of a synthetic population: who is there, who meets whom, and how it ends."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]

_NEWEST = 0.25
"""What the newest performance counts in a player's form: it then scatters by 0.38 times as much."""


class Streams(NamedTuple):
    """Random numbers, one stream for each purpose, so that no option changes another's draws.

    The order decides which numbers a purpose gets: new ones go to the end.
    """

    skill: np.random.Generator
    performance: np.random.Generator
    presence: np.random.Generator
    ties: np.random.Generator
    drift: np.random.Generator
    calendar: np.random.Generator
    turnover: np.random.Generator
    sandbagging: np.random.Generator
    form: np.random.Generator
    luck: np.random.Generator

    @classmethod
    def from_seed(cls, seed: int) -> Self:
        """All streams of one population."""
        return cls(*np.random.default_rng(seed).spawn(len(cls._fields)))


def _gumbel(draws: np.random.Generator, mean: Floats, sd: float) -> Floats:
    scale = sd * math.sqrt(6.0) / math.pi
    return draws.gumbel(mean - np.euler_gamma * scale, scale)


PERFORMANCES: dict[str, Callable[[np.random.Generator, Floats, float], Floats]] = {
    "normal": lambda draws, mean, sd: draws.normal(mean, sd),
    "logistic": lambda draws, mean, sd: draws.logistic(mean, sd * math.sqrt(3.0) / math.pi),
    "gumbel": _gumbel,
}
"""How performances scatter around their means, by name."""


class Turnover(NamedTuple):
    """When players come and go."""

    joined: NDArray[np.int64]
    """The first round in which each is there."""
    left: NDArray[np.int64]
    """The first round in which they no longer are."""

    @classmethod
    def drawn(
        cls,
        draws: np.random.Generator,
        players: int,
        rounds: int,
        newcomers: float,
        leavers: float,
    ) -> Self:
        """Some join after the first round, some leave after at least one round."""
        comes, when, goes, until = draws.random((4, players))
        later = 1 + (when * (rounds - 1)).astype(np.int64)
        joined = np.where(lowest(comes, newcomers), np.minimum(later, rounds - 1), 0)
        end = joined + 1 + (until * (rounds - 1 - joined)).astype(np.int64)
        return cls(joined, np.where(lowest(goes, leavers), end, rounds))

    def away(self, number: int) -> Flags:
        """Who is not there in this round."""
        return (self.joined > number) | (self.left <= number)


def lowest(draw: Floats, share: float) -> Flags:
    """A share of all, those whose draw is lowest."""
    chosen = np.zeros(len(draw), np.bool_)
    chosen[np.argsort(draw, kind="stable")[: round(share * len(draw))]] = True
    return chosen


def participants(draw: Floats, away: Flags, participation: float) -> Ids:
    """Who takes part: those whose draw is low enough, and at least the two with the lowest.

    Those who are away come last: they take part only if fewer than two are there.
    """
    draw = draw + 2.0 * away
    needed = np.partition(draw, 1)[1]
    return np.flatnonzero(draw <= max(participation, needed)).astype(np.int32)


def divided(present: Ids, form: Floats, divisions: int) -> list[Ids]:
    """Those present in divisions of about the same size, of at least two, best form first."""
    count = min(divisions, len(present) // 2)
    if count == 1:
        return [present]
    order = present[np.argsort(-form[present], kind="stable")]
    return [np.sort(part) for part in np.array_split(order, count)]


def lucky_means(
    draws: np.random.Generator, skill: Floats, contests: Sequence[Ids], luck: float
) -> Floats:
    """Around what each performs: their skill, or by luck that of anybody in the same contest."""
    mean = skill.copy()
    lucky = draws.random(len(skill)) < luck
    whose = draws.random(len(skill))
    for ids in contests:
        hit = ids[lucky[ids]]
        mean[hit] = skill[ids[(whose[hit] * len(ids)).astype(np.int64)]]
    return mean


def standings(
    present: Ids, performance: Floats, gives_up: Flags, ties: float, draws: np.random.Generator
) -> tuple[Ids, NDArray[np.int32]]:
    """Players and ranks, best first; those who are tied by name, as everywhere in podium.

    Who gives up comes behind all others.
    """
    n = len(present)
    ids = present[np.lexsort((-performance[present], gives_up[present]))]
    place = np.arange(1, n + 1, dtype=np.int32)
    if ties == 0.0:
        return ids, place
    first_of_group = np.ones(n, np.bool_)
    first_of_group[1:] = draws.random(n - 1) < _chance_apart(n, ties)
    ranks = np.maximum.accumulate(np.where(first_of_group, place, np.int32(0)))
    return ids[np.lexsort((ids, ranks))], ranks


def _chance_apart(n: int, ties: float) -> float:
    """The chance u that neighbours are not tied, so that a share `ties` of n rows is in a tie.

    A row stands alone if it is apart from both neighbours, or from the one that the first and the
    last have: (n - 2) u² + 2 u = n (1 - ties).
    """
    alone = n * (1.0 - ties)
    return alone / (1.0 + math.sqrt(1.0 + (n - 2) * alone))


def update_form(form: Floats, present: Ids, performance: Floats, gives_up: Flags) -> None:
    """Count the newest performances; who gave up showed the lowest of the contest."""
    shown = performance[present]
    shown = np.where(gives_up[present], shown.min(), shown)
    form[present] += _NEWEST * (shown - form[present])
