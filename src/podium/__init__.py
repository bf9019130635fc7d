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

from podium import forks  # noqa: F401  (it notes what a fork loses, from now on)
from podium.errors import AccessError as AccessError
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
    from podium.checking import Check as Check
    from podium.checking import check as check
    from podium.evaluation.comparison import Evaluation as Evaluation
    from podium.evaluation.comparison import evaluate as evaluate
    from podium.evaluation.populations import simulate as simulate
    from podium.evaluation.populations import simulate_matches as simulate_matches
    from podium.evaluation.tuning import tune as tune
    from podium.hindsight.looking import LookBack as LookBack
    from podium.hindsight.looking import look_back as look_back
    from podium.hindsight.ranking import Ranking as Ranking
    from podium.hindsight.ranking import rank as rank
    from podium.league import Attribute as Attribute
    from podium.league import Change as Change
    from podium.league import League as League
    from podium.league import Rules as Rules
    from podium.league.feeding.answers import Recorded as Recorded
    from podium.league.feeding.feed import Feed as Feed
    from podium.ratings.adjustments import Season as Season
    from podium.ratings.adjustments import Starts as Starts
    from podium.ratings.beliefs import Beliefs as Beliefs
    from podium.ratings.explanations import Explanation as Explanation
    from podium.ratings.explanations import explain as explain
    from podium.ratings.explanations import explain_result as explain_result
    from podium.ratings.fold import Rated as Rated
    from podium.ratings.fold import rate as rate
    from podium.ratings.histories import BeliefHistory as BeliefHistory
    from podium.ratings.histories import belief_history as belief_history
    from podium.ratings.ladder import Ladder as Ladder
    from podium.ratings.ladders import load_ladders as load_ladders
    from podium.ratings.ladders import rate_ladders as rate_ladders
    from podium.ratings.ladders import save_ladders as save_ladders
    from podium.ratings.leaderboards import Filters as Filters
    from podium.ratings.leaderboards import Leaderboard as Leaderboard
    from podium.ratings.learned import Learned as Learned
    from podium.ratings.learned import learned as learned
    from podium.ratings.player import Player as Player
    from podium.ratings.predictions import Curve as Curve
    from podium.ratings.predictions import Prediction as Prediction
    from podium.ratings.predictions import curve as curve
    from podium.ratings.predictions import predict as predict
    from podium.results.contests import Contest as Contest
    from podium.results.contests import Contests as Contests
    from podium.results.reading import read as read
    from podium.results.reading import read_standings as read_standings
    from podium.results.scanning import Scan as Scan
    from podium.results.scanning import scan as scan
    from podium.systems import build as system  # noqa: F401
    from podium.warming import warm as warm

__version__ = "0.1.0"

_HOMES = {
    "podium.checking": ("Check", "check"),
    "podium.errors": (
        "AccessError",
        "BusyError",
        "ConflictError",
        "InputError",
        "NotFoundError",
        "PodiumError",
        "StorageError",
    ),
    "podium.evaluation.comparison": ("Evaluation", "evaluate"),
    "podium.evaluation.populations": ("simulate", "simulate_matches"),
    "podium.evaluation.tuning": ("tune",),
    "podium.hindsight.looking": ("LookBack", "look_back"),
    "podium.hindsight.ranking": ("Ranking", "rank"),
    "podium.league": ("Attribute", "Change", "League", "Rules"),
    "podium.league.feeding.answers": ("Recorded",),
    "podium.league.feeding.feed": ("Feed",),
    "podium.ratings.adjustments": ("Season", "Starts"),
    "podium.ratings.beliefs": ("Beliefs",),
    "podium.ratings.explanations": ("Explanation", "explain", "explain_result"),
    "podium.ratings.fold": ("Rated", "rate"),
    "podium.ratings.histories": ("BeliefHistory", "belief_history"),
    "podium.ratings.ladder": ("Ladder",),
    "podium.ratings.ladders": ("load_ladders", "rate_ladders", "save_ladders"),
    "podium.ratings.leaderboards": ("Filters", "Leaderboard"),
    "podium.ratings.learned": ("Learned", "learned"),
    "podium.ratings.player": ("Player",),
    "podium.ratings.predictions": ("Curve", "Prediction", "curve", "predict"),
    "podium.results.contests": ("Contest", "Contests"),
    "podium.results.reading": ("read", "read_standings"),
    "podium.results.scanning": ("Scan", "scan"),
    "podium.systems": ("system",),
    "podium.warming": ("warm",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}
_PARTS = ("luck", "systems", "testing")
__all__ = ["__version__", *_PARTS, *_HOME]


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"podium.{name}")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), "build" if name == "system" else name)


def __dir__() -> list[str]:
    return sorted(__all__)
