"""Attacks on rating systems: what can be gained by doing worse on purpose."""

from podium.evaluation.attacks.contests import Farming, farming
from podium.evaluation.attacks.matches import Matchmaking, matchmaking
from podium.evaluation.attacks.reversals import Reversal, compare, search

__all__ = ["Farming", "Matchmaking", "Reversal", "compare", "farming", "matchmaking", "search"]
