"""Trials: one set of parameters each, scored on the same contests."""

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import systems
from podium.arguments import check_number, check_whole
from podium.errors import InputError, PodiumError
from podium.evaluation.measures import MEASURES
from podium.evaluation.populations import simulate
from podium.evaluation.scoring import ladders, score, skipped
from podium.evaluation.spaces import Space, space_of
from podium.evaluation.studies import Trial
from podium.numerics.compiled import is_kept
from podium.ratings.fold import rate
from podium.results.contests import Contests
from podium.systems.base import System
from podium.systems.search import Search
from podium.wording import counted, suggestion
from podium.workers import workers


@dataclass(frozen=True)
class Plan:
    """What all trials have in common."""

    contests: Contests
    kind: type[System]
    measure: str
    min_contests: int
    fixed: dict[str, Any]
    space: Space

    @property
    def highest(self) -> bool:
        """Whether a high score is good."""
        return MEASURES[self.measure].best == "highest"

    def description(self) -> dict[str, Any]:
        """What tells it from other plans, in numbers and words."""
        return {
            "results": _digest(self.contests),
            "system": self.kind.name,
            "measure": self.measure,
            "min_contests": self.min_contests,
            "fixed": {name: _described(value) for name, value in self.fixed.items()},
            "search": {name: dataclasses.asdict(search) for name, search in self.space.items()},
        }


def planned(
    contests: Contests,
    system: str,
    measure: str,
    split: float,
    min_contests: int,
    fixed: Mapping[str, Any],
    search: Mapping[str, Search],
) -> Plan:
    """A plan for these arguments of `tune`, or an error."""
    check_whole(0, min_contests=min_contests)
    kind = systems.by_name(system)
    if measure not in MEASURES:
        raise InputError(
            f"there is no measure {measure!r}{suggestion(measure, MEASURES)} to tune by; "
            f"there are {', '.join(MEASURES)}."
        )
    values = {name: kind.checked(name, value) for name, value in fixed.items()}
    part = first_of(contests, split)
    return Plan(
        part, kind, measure, min_contests, values, space_of(kind, part.columns, values, search)
    )


def first_of(contests: Contests, split: float) -> Contests:
    """The first contests of every ladder, with the players who took part in them and no others.

    They are those that an evaluation leaves out with the same share to skip.
    """
    check_number(0.0, 1.0, split=split)
    found = ladders(contests)
    first = [part[: skipped(split, len(part))] for part in found]
    if not any(map(len, first)):
        most = counted(max(map(len, found), default=0), "contest")
        every = f"of {most}" if len(found) == 1 else f"of ladders of {most} at most"
        raise InputError(
            f"{every}, a share of {split:g} is none; tuning needs more contests or a larger share."
        )
    together = first[0] if len(first) == 1 else Contests.concat(first)
    parts = together.with_own_players().parts
    # Workers get copies, which they could write to; kernels are then compiled for nothing else.
    owned: dict[str, Any] = {
        name: None if column is None else np.array(column)
        for name, column in parts.columns._asdict().items()
    }
    return Contests(parts._replace(columns=parts.columns._replace(**owned), about=None))


def default_trial(plan: Plan) -> Trial:
    """Trial 0, which changes nothing but what is fixed; an error if there is nothing to score."""
    usual = {field.name: field.default for field in dataclasses.fields(plan.kind)}
    values = {name: usual[name] for name in plan.space}
    try:
        system = plan.kind(**plan.fixed)
    except PodiumError as error:
        # What is fixed does not go with the defaults of the others, but may with other values.
        return Trial(0, values, None, str(error))
    number = score(plan.contests, system, plan.measure, min_contests=plan.min_contests)
    if math.isnan(number):
        raise InputError(
            f"there is nothing to score by {plan.measure} in the first "
            f"{counted(len(plan.contests), 'contest')} among players with at least "
            f"{counted(plan.min_contests, 'earlier contest')}; "
            f"take a larger share of the contests (split or --split), or demand fewer earlier "
            f"ones (min_contests or --min-contests)."
        )
    return Trial(0, values, number)


def scored_trial(numbered: tuple[int, dict[str, Any]], plan: Plan) -> Trial:
    """A trial, on one thread. This is what workers do."""
    number, parameters = numbered
    try:
        system = plan.kind(**{**plan.fixed, **parameters})
        value = score(plan.contests, system, plan.measure, min_contests=plan.min_contests)
    except (PodiumError, ArithmeticError) as error:
        return Trial(number, parameters, None, str(error))
    if math.isnan(value):
        return Trial(number, parameters, None, "the score is not a number.")
    return Trial(number, parameters, float(value))


@contextmanager
def warm(kind: type[System], jobs: int | None, backend: str) -> Iterator[None]:
    """Let processes of this machine start and get ready for trials while the block is run."""
    with workers(None, jobs if backend == "local" else 1) as pool, pool.warm(get_ready, kind):
        yield


def get_ready(kind: type[System], _shared: object) -> None:
    """Load the kernels of a system, if they are compiled already."""
    system = kind()
    if system.entry is not None and is_kept(system.entry):
        rate(simulate(players=2, rounds=1), system, threads=1)


def _described(value: Any) -> Any:
    """A value as JSON can say it; a model of one's own by its name."""
    if isinstance(value, str | int | float | tuple | None):
        return value
    return str(getattr(value, "name", value))


def _digest(contests: Contests) -> str:
    digest = hashlib.sha256()
    for name, column in contests.columns._asdict().items():
        if column is not None:
            digest.update(f"{name} {column.dtype} {len(column)}\n".encode())
            digest.update(column.tobytes())
    if contests.ladder is not None:
        digest.update("\0".join(contests.ladder).encode())
    return digest.hexdigest()[:16]
