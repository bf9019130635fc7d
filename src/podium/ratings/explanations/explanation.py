"""An explanation: the numbers, and ways to show them."""

import datetime
import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from podium.documents import as_document
from podium.files import as_path
from podium.markup import element, joined
from podium.ratings.explanations.averages import Average
from podium.ratings.explanations.places import Place
from podium.results.columns import taken
from podium.systems.base import System
from podium.systems.explained import Limits
from podium.wording import step

FEW = 3
"""So many opponents are named in each direction."""


@dataclass(frozen=True, slots=True)
class Change:
    """How the rating that is shown has changed, and why.

    The three parts add up to ``rating - rating_before``.
    """

    rating_before: float
    rating: float
    mu_before: float
    mu: float
    sigma_before: float | None
    """None if the system knows no uncertainty."""
    sigma_grown: float | None
    """What the uncertainty had become by the time of the contest."""
    sigma: float | None
    by_skill: float
    """Because another skill is believed."""
    by_certainty: float
    """Because podium is more, or less, sure of it."""
    by_experience: float
    """Because of the number of contests alone, in systems that show newcomers lower."""


@dataclass(frozen=True, slots=True)
class Side:
    """Those opponents who moved a performance in one direction, or whose results surprised."""

    few: tuple[dict[str, Any], ...]
    """The most important ones: rows of `Explanation.opponents`."""
    others: int
    """How many more there are."""
    others_sum: float
    """What they come to together, in terms of `Explanation.measure`."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a player's rating is what it is after a contest."""

    player: str
    contest: str
    name: str | None
    """What the contest is called, if that is known."""
    time: datetime.datetime
    system: System
    rank: int
    tied_with: int
    """How many others share the rank."""
    competitors: int
    """How many players, or teams, took part, of those who are rated by it."""
    overall: tuple[int, int] | None
    """The rank among how many players, if there were more than those."""
    team: str | None
    """The team that the player was in, if it competed as one."""
    contests_before: int
    forecast: str | None
    """What was expected other than the rating says, if the system forecasts."""
    performance: float | None
    """None if the contest, or the system, shows none."""
    without_ceiling: float | None
    """What the performance would be, if the contest did not have a limit that it reached."""
    own_pull: float | None
    """How the performance is pulled towards what was believed of the player before."""
    opponents: pl.DataFrame
    """All of them: player, rank, skill, rating, score, expected, surprise and pull."""
    average: Average | None
    """What the new mu is an average of; None if no performances are in it."""
    change: Change
    limits: Limits | None
    """The most that mu could have changed; None where no limit is known."""
    better: Place | None
    """What one place better would have given; None for the first."""
    worse: Place | None
    adjusted: str | None = None
    """What became of the rating since the contest before, in a sentence: resets, a new start."""

    @property
    def is_newcomer(self) -> bool:
        """Whether it was the player's first contest."""
        return self.contests_before == 0

    @property
    def measure(self) -> str:
        """What tells which opponents mattered: their pull, or how much their results surprised."""
        return "surprise" if self.own_pull is None else "pull"

    @property
    def up(self) -> Side:
        """Who pulled the performance up, or against whom the player did better than expected."""
        return self._side(-1)

    @property
    def down(self) -> Side:
        """Who pulled the performance down, or against whom the player did worse than expected."""
        return self._side(1)

    def _side(self, sign: int) -> Side:
        measured = self.opponents[self.measure].to_numpy() * sign
        order = np.lexsort((self.opponents["rank"].to_numpy(), measured))
        ordered = taken(self.opponents, order[: np.count_nonzero(measured < 0.0)])
        rest = ordered[FEW:]
        return Side(
            tuple(ordered[:FEW].to_dicts()), rest.height, float(rest[self.measure].sum() or 0.0)
        )

    @property
    def score(self) -> float:
        """The player's score against all opponents; a tie counts half."""
        return float(self.opponents["score"].sum())

    @property
    def expected_score(self) -> float:
        """What it was expected to be, from what was believed before."""
        return float(self.opponents["expected"].sum())

    @property
    def expected_rank(self) -> float:
        """The rank that goes with it."""
        return 1.0 + self.opponents.height - self.expected_score

    def text(self, width: int = 80) -> str:
        """The explanation in short paragraphs of plain text, in lines of at most `width`."""
        from podium.ratings.explanations.words import paragraphs, wrapped

        return wrapped(paragraphs(self).values(), width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        before, after, change = step(
            self.change.rating_before, self.change.rating, self.system.decimals
        )
        return (
            f"<Explanation of {self.player!r} in contest {self.contest!r} by {self.system.name}: "
            f"rank {self.rank:,} of {self.competitors:,}, {before} → {after} ({change})>"
        )

    def _repr_html_(self) -> str:
        from podium.ratings.explanations.words import paragraphs

        return joined(*(element("p", each) for each in paragraphs(self).values()))

    def document(self) -> dict[str, Any]:
        """Everything as a dictionary that JSON can say, with the paragraphs of the text."""
        from podium.ratings.explanations.words import paragraphs

        words = paragraphs(self)
        average, limits = self.average, self.limits
        found: dict[str, Any] = {
            "player": self.player,
            "contest": self.contest,
            "name": self.name,
            "time": self.time,
            "system": self.system.name,
            "parameters": self.system.stored_parameters(),
            "rank": self.rank,
            "tied_with": self.tied_with,
            "competitors": self.competitors,
            "overall": self.overall,
            "team": self.team,
            "contests_before": self.contests_before,
            "text": words["headline"],
            "performance": {
                "text": words["performance"],
                "value": self.performance,
                "without_ceiling": self.without_ceiling,
                "score": self.score,
                "expected_score": self.expected_score,
                "expected_rank": self.expected_rank,
                "measure": self.measure,
                "own_pull": self.own_pull,
                "up": asdict(self.up),
                "down": asdict(self.down),
            },
            **({"forecast": {"text": words["forecast"]}} if self.forecast else {}),
            "average": {"text": words["average"]},
            "change": {"text": words["change"], **asdict(self.change)},
            "limits": {"text": words["limits"], **(asdict(limits) if limits else {})},
            "places": {
                "text": words["places"],
                "better": asdict(self.better) if self.better else None,
                "worse": asdict(self.worse) if self.worse else None,
            },
        }
        if average is not None:
            found["average"] |= {
                "base": average.base,
                "base_share": average.base_share,
                "correction": average.correction,
                "performances": average.performances.to_dicts(),
            }
        return as_document(found)

    def picture(self, path: str | os.PathLike[str]) -> None:
        """Write a PNG: whom the player met, what the new rating is an average of, the change."""
        from podium.ratings.explanations.picture import draw

        draw(self, as_path(path))
