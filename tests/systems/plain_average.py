"""A system as somebody else may write it: Elo against the average of the others."""

import dataclasses
import math

from podium.systems import Between, Performances, System, parameter


@dataclasses.dataclass(frozen=True, kw_only=True)
class Average(System):
    """Elo against the average opponent, as somebody else would write it."""

    name = "average"

    k: float = parameter(
        32.0, "what a surprise of one point counts", low=0.0, search=Between(8.0, 128.0, log=True)
    )
    mu_new: float = parameter(1500.0, "the rating of a newcomer")

    def rate_contest(self, players, standings):
        mu = players["mu"]
        others = (mu.sum() - mu) / (len(mu) - 1)
        expected = 1.0 / (1.0 + 10.0 ** ((others - mu) / 400.0))
        players["mu"] += standings.weight * self.k * (standings.scores - expected)

    def performances(self, field):
        return Performances.gumbel(field.mu, 400.0 / math.log(10.0))
