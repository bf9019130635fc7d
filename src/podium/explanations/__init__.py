"""Why a player's rating is what it is after a contest, in words, numbers and pictures."""

from podium.explanations.averages import Average
from podium.explanations.explaining import explain, explain_result
from podium.explanations.explanation import Change, Explanation, Side
from podium.explanations.limits import Limits
from podium.explanations.places import Place

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
