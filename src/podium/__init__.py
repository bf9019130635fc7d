"""Podium turns results into ratings: who is how good, how sure we are, and why.

    >>> import podium
    >>> ladder = podium.Ladder("elo-mmr")
    >>> ladder.record(["ann", "bob", "cat"])
    >>> ladder["ann"].mu > ladder["cat"].mu
    True

Everything is imported when it is first used, so that ``import podium`` is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium.errors import PodiumError as PodiumError

if TYPE_CHECKING:
    from podium import luck as luck
    from podium import systems as systems
    from podium.beliefs import Beliefs as Beliefs
    from podium.by_ladder import rate_ladders as rate_ladders
    from podium.contests import Contest as Contest
    from podium.contests import Contests as Contests
    from podium.evaluation.comparison import Evaluation as Evaluation
    from podium.evaluation.comparison import evaluate as evaluate
    from podium.evaluation.populations import simulate as simulate
    from podium.evaluation.populations import simulate_matches as simulate_matches
    from podium.evaluation.tuning import tune as tune
    from podium.explanations import Explanation as Explanation
    from podium.explanations import explain as explain
    from podium.explanations import explain_result as explain_result
    from podium.formats import read as read
    from podium.formats import read_standings as read_standings
    from podium.histories import BeliefHistory as BeliefHistory
    from podium.histories import belief_history as belief_history
    from podium.ladder import Ladder as Ladder
    from podium.league import League as League
    from podium.league import Rules as Rules
    from podium.predictions import Curve as Curve
    from podium.predictions import Prediction as Prediction
    from podium.predictions import curve as curve
    from podium.predictions import predict as predict
    from podium.rating import Rated as Rated
    from podium.rating import rate as rate
    from podium.systems import build as system  # noqa: F401

__version__ = "0.1.0"

_HOMES = {
    "BeliefHistory": ("podium.histories", "BeliefHistory"),
    "Beliefs": ("podium.beliefs", "Beliefs"),
    "belief_history": ("podium.histories", "belief_history"),
    "Contest": ("podium.contests", "Contest"),
    "Contests": ("podium.contests", "Contests"),
    "Curve": ("podium.predictions", "Curve"),
    "curve": ("podium.predictions", "curve"),
    "Evaluation": ("podium.evaluation.comparison", "Evaluation"),
    "evaluate": ("podium.evaluation.comparison", "evaluate"),
    "Explanation": ("podium.explanations", "Explanation"),
    "explain": ("podium.explanations", "explain"),
    "explain_result": ("podium.explanations", "explain_result"),
    "Ladder": ("podium.ladder", "Ladder"),
    "League": ("podium.league", "League"),
    "Prediction": ("podium.predictions", "Prediction"),
    "predict": ("podium.predictions", "predict"),
    "Rated": ("podium.rating", "Rated"),
    "Rules": ("podium.league", "Rules"),
    "rate": ("podium.rating", "rate"),
    "rate_ladders": ("podium.by_ladder", "rate_ladders"),
    "read": ("podium.formats", "read"),
    "read_standings": ("podium.formats", "read_standings"),
    "simulate": ("podium.evaluation.populations", "simulate"),
    "simulate_matches": ("podium.evaluation.populations", "simulate_matches"),
    "system": ("podium.systems", "build"),
    "tune": ("podium.evaluation.tuning", "tune"),
}
_PARTS = ("luck", "systems")
__all__ = ["PodiumError", *_PARTS, *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"podium.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
