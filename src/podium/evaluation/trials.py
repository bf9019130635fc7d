"""Trials: one set of parameters each, scored on the same contests."""

import dataclasses
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium import systems
from podium.contests import Contests
from podium.errors import PodiumError
from podium.evaluation.arguments import check_number, check_whole
from podium.evaluation.measures import MEASURES
from podium.evaluation.scoring import score
from podium.evaluation.spaces import Space, space_of
from podium.evaluation.studies import Trial
from podium.systems.base import System, suggestion
from podium.systems.search import Search
from podium.wording import counted


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
    check_whole("min_contests", min_contests, 0)
    kind = systems.by_name(system)
    tunable = [name for name, each in MEASURES.items() if each.best in ("highest", "lowest")]
    if measure not in tunable:
        raise PodiumError(
            f"there is no measure {measure!r}{suggestion(measure, tunable)} to tune by; "
            f"there are {', '.join(tunable)}."
        )
    values = {name: kind.checked(name, value) for name, value in fixed.items()}
    part = first_of(contests, split)
    return Plan(
        part, kind, measure, min_contests, values, space_of(kind, part.columns, values, search)
    )


def first_of(contests: Contests, split: float) -> Contests:
    """The first contests, with the players who took part in them and no others."""
    if not isinstance(contests, Contests):
        raise PodiumError(f"contests are needed, not {type(contests).__name__}.")
    check_number("split", split, 0.0, 1.0)
    number = math.floor(split * len(contests) + 1e-9)
    if number == 0:
        raise PodiumError(
            f"of {counted(len(contests), 'contest')}, a share of {split:g} is none; "
            f"tuning needs more contests or a larger share."
        )
    parts = contests[:number].parts
    played, player = np.unique(parts.columns.player, return_inverse=True)
    columns = parts.columns._replace(player=player.astype(np.int32))
    # Workers get copies, which they could write to; kernels are then compiled for nothing else.
    owned: dict[str, Any] = {
        name: None if column is None else np.array(column)
        for name, column in columns._asdict().items()
    }
    return Contests(
        parts._replace(
            columns=columns._replace(**owned), players=parts.players.gather(played), about=None
        )
    )


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
        raise PodiumError(
            f"there is nothing to score by {plan.measure} in the first "
            f"{counted(len(plan.contests), 'contest')} among players with at least "
            f"{counted(plan.min_contests, 'earlier contest')}; "
            f"take a larger share of the contests, or demand fewer."
        )
    return Trial(0, values, number)


def scored_trial(
    contests: Contests,
    number: int,
    parameters: dict[str, Any],
    kind: type[System],
    fixed: dict[str, Any],
    measure: str,
    min_contests: int,
) -> Trial:
    """A trial, on one thread. This is what workers do."""
    try:
        system = kind(**{**fixed, **parameters})
        value = score(contests, system, measure, min_contests=min_contests, threads=1)
    except (PodiumError, ArithmeticError) as error:
        return Trial(number, parameters, None, str(error))
    if math.isnan(value):
        return Trial(number, parameters, None, "the score is not a number.")
    return Trial(number, parameters, float(value))


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
    return digest.hexdigest()[:16]
