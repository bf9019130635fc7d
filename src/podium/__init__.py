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

from podium.errors import BusyError as BusyError
from podium.errors import ConflictError as ConflictError
from podium.errors import InputError as InputError
from podium.errors import NotFoundError as NotFoundError
from podium.errors import PodiumError as PodiumError
from podium.errors import StorageError as StorageError

if TYPE_CHECKING:
    from podium import luck as luck
    from podium import systems as systems
    from podium import testing as testing
    from podium.evaluation.comparison import Evaluation as Evaluation
    from podium.evaluation.comparison import evaluate as evaluate
    from podium.evaluation.populations import simulate as simulate
    from podium.evaluation.populations import simulate_matches as simulate_matches
    from podium.evaluation.tuning import tune as tune
    from podium.league import League as League
    from podium.league import Rules as Rules
    from podium.ratings.beliefs import Beliefs as Beliefs
    from podium.ratings.explanations import Explanation as Explanation
    from podium.ratings.explanations import explain as explain
    from podium.ratings.explanations import explain_result as explain_result
    from podium.ratings.fold import Rated as Rated
    from podium.ratings.fold import rate as rate
    from podium.ratings.histories import BeliefHistory as BeliefHistory
    from podium.ratings.histories import belief_history as belief_history
    from podium.ratings.ladder import Ladder as Ladder
    from podium.ratings.ladders import rate_ladders as rate_ladders
    from podium.ratings.player import Player as Player
    from podium.ratings.predictions import Curve as Curve
    from podium.ratings.predictions import Prediction as Prediction
    from podium.ratings.predictions import curve as curve
    from podium.ratings.predictions import predict as predict
    from podium.results.contests import Contest as Contest
    from podium.results.contests import Contests as Contests
    from podium.results.reading import read as read
    from podium.results.reading import read_standings as read_standings
    from podium.systems import build as system  # noqa: F401

__version__ = "0.1.0"

_HOMES = {
    "BeliefHistory": ("podium.ratings.histories", "BeliefHistory"),
    "Beliefs": ("podium.ratings.beliefs", "Beliefs"),
    "belief_history": ("podium.ratings.histories", "belief_history"),
    "Contest": ("podium.results.contests", "Contest"),
    "Contests": ("podium.results.contests", "Contests"),
    "Curve": ("podium.ratings.predictions", "Curve"),
    "curve": ("podium.ratings.predictions", "curve"),
    "Evaluation": ("podium.evaluation.comparison", "Evaluation"),
    "evaluate": ("podium.evaluation.comparison", "evaluate"),
    "Explanation": ("podium.ratings.explanations", "Explanation"),
    "explain": ("podium.ratings.explanations", "explain"),
    "explain_result": ("podium.ratings.explanations", "explain_result"),
    "Ladder": ("podium.ratings.ladder", "Ladder"),
    "League": ("podium.league", "League"),
    "Player": ("podium.ratings.player", "Player"),
    "Prediction": ("podium.ratings.predictions", "Prediction"),
    "predict": ("podium.ratings.predictions", "predict"),
    "Rated": ("podium.ratings.fold", "Rated"),
    "Rules": ("podium.league", "Rules"),
    "rate": ("podium.ratings.fold", "rate"),
    "rate_ladders": ("podium.ratings.ladders", "rate_ladders"),
    "read": ("podium.results.reading", "read"),
    "read_standings": ("podium.results.reading", "read_standings"),
    "simulate": ("podium.evaluation.populations", "simulate"),
    "simulate_matches": ("podium.evaluation.populations", "simulate_matches"),
    "system": ("podium.systems", "build"),
    "tune": ("podium.evaluation.tuning", "tune"),
}
_PARTS = ("luck", "systems", "testing")
_ERRORS = (
    "BusyError",
    "ConflictError",
    "InputError",
    "NotFoundError",
    "PodiumError",
    "StorageError",
)
__all__ = [*_ERRORS, *_PARTS, *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"podium.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
