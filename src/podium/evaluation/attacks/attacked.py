"""The attacked system: as it is asked for, and the ratings that it shows."""

from typing import Any

from podium import systems
from podium.beliefs import Beliefs
from podium.errors import PodiumError
from podium.systems.base import System


def built(system: str | System, parameters: dict[str, Any]) -> System:
    """The system with this name and these parameters, or the given one."""
    if not isinstance(system, System):
        return systems.build(system, **parameters)
    if parameters:
        raise PodiumError(
            f"the system is given as an object, so its parameters are set already; "
            f"{', '.join(parameters)} cannot be given too."
        )
    return system


def shown_rating(beliefs: Beliefs, player: int) -> float:
    """The rating of a player, as tables show it."""
    row = beliefs.table[player]
    return float(beliefs.system.rating(float(row["mu"]), float(row["sigma"]), row["contests"]))
