"""A rating system in which every contest changes what all players share, and is changed by it."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

from podium.numerics import fields
from podium.systems.base import BASE_FIELDS, Field, Performances, System, parameter


@dataclasses.dataclass(frozen=True)
class Tides(System):
    """Ratings move by a pace that all contests have learned, on a sea that rises with upsets."""

    name: ClassVar[str] = "tides"
    table_fields: ClassVar[list[tuple[str, str]]] = BASE_FIELDS
    reference: ClassVar[str] = "the tests"
    pace: float = parameter(30.0, "by how much the first contest moves ratings", above=0.0)

    def new_shared(self) -> Any:
        return np.array([self.pace, 0.0, 0.0])

    def newcomer(self) -> dict[str, float]:
        return {"mu": 1500.0, "sigma": 100.0}

    def rating(self, mu: Any, sigma: Any, contests: Any) -> Any:  # noqa: ARG002
        return mu - 0.5 * sigma

    def performances(self, field: Field) -> Performances:
        scale = np.sqrt(field.variance + 100.0**2 * field.size)
        return Performances(fields.LOGISTIC, field.mu, scale)

    def fold(self, beliefs: Any, columns: Any, first: int, last: int, events: Any) -> int:
        table, shared = beliefs.table, beliefs.shared
        for contest in range(first, last):
            rows = slice(columns.offsets[contest], columns.offsets[contest + 1])
            players, rank = columns.player[rows], columns.rank[rows]
            mu, sigma = table["mu"][players], table["sigma"][players]
            score = np.sign(rank[None, :] - rank[:, None]).mean(axis=1)
            surprise = score - np.tanh((mu - mu.mean()) / 200.0)
            after = mu + columns.weight[contest] * shared[0] * surprise + 0.1 * shared[1]
            if events.shape[1]:
                events[:, rows] = (mu + 100.0 * score, mu, sigma, after, 0.97 * sigma)
            table["mu"][players], table["sigma"][players] = after, 0.97 * sigma
            table["contests"][players] += 1
            table["last_time"][players] = columns.time[contest]
            upset = float(np.abs(surprise).sum())
            shared[0] = 10.0 + 0.9 * (shared[0] - 10.0) + np.log1p(upset)
            shared[1] += upset / (1.0 + shared[2])
            shared[2] += 1.0
        return last
