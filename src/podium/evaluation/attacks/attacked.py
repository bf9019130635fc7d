"""The ratings that an attacked system shows."""

from podium.ratings.beliefs import Beliefs


def shown_rating(beliefs: Beliefs, player: int) -> float:
    """The rating of a player, as tables show it."""
    row = beliefs.table[player]
    return float(beliefs.system.rating(float(row["mu"]), float(row["sigma"]), row["contests"]))
