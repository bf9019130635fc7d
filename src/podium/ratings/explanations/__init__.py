"""Why a player's rating is what it is after a contest, in words, numbers and pictures."""

from podium.ratings.explanations.averages import Average
from podium.ratings.explanations.explaining import explain, explain_result
from podium.ratings.explanations.explanation import Change, Explanation, Side
from podium.ratings.explanations.places import Place
from podium.systems.explained import Limits

__all__ = [
    "Average",
    "Change",
    "Explanation",
    "Limits",
    "Place",
    "Side",
    "explain",
    "explain_result",
]
