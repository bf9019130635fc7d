"""Rating systems, by name or as classes: ``build("elo-mmr", rho=1)`` or ``EloMMR(rho=1)``.

Classes are imported when they are first asked for, because compiled kernels come with them.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from podium.systems.base import System
    from podium.systems.codeforces import Codeforces as Codeforces
    from podium.systems.elo import Elo as Elo
    from podium.systems.elo_mmr import EloMMR as EloMMR
    from podium.systems.elo_mmr import EloMMX as EloMMX
    from podium.systems.elo_r import EloR as EloR
    from podium.systems.elo_r_draft import EloRDraft as EloRDraft
    from podium.systems.glicko import Glicko as Glicko
    from podium.systems.glicko2 import Glicko2 as Glicko2
    from podium.systems.luck import Luck as Luck
    from podium.systems.performance import PerformanceModel as PerformanceModel
    from podium.systems.search import Between as Between
    from podium.systems.search import OneOf as OneOf
    from podium.systems.topcoder import Topcoder as Topcoder
    from podium.systems.trueskill import TrueSkill as TrueSkill
    from podium.systems.weng_lin import WengLin as WengLin

_BY_NAME = {
    "elo-mmr": "EloMMR",
    "elo-mmx": "EloMMX",
    "elo-r": "EloR",
    "elo-r-draft": "EloRDraft",
    "codeforces": "Codeforces",
    "topcoder": "Topcoder",
    "trueskill": "TrueSkill",
    "weng-lin": "WengLin",
    "glicko": "Glicko",
    "glicko2": "Glicko2",
    "elo": "Elo",
    "luck": "Luck",
}
_MODULES = {
    "Between": "podium.systems.search",
    "Codeforces": "podium.systems.codeforces",
    "Elo": "podium.systems.elo",
    "EloMMR": "podium.systems.elo_mmr",
    "EloMMX": "podium.systems.elo_mmr",
    "EloR": "podium.systems.elo_r",
    "EloRDraft": "podium.systems.elo_r_draft",
    "Glicko": "podium.systems.glicko",
    "Glicko2": "podium.systems.glicko2",
    "Luck": "podium.systems.luck",
    "OneOf": "podium.systems.search",
    "PerformanceModel": "podium.systems.performance",
    "System": "podium.systems.base",
    "Topcoder": "podium.systems.topcoder",
    "TrueSkill": "podium.systems.trueskill",
    "WengLin": "podium.systems.weng_lin",
}


def names() -> list[str]:
    """The names of all systems."""
    return list(_BY_NAME)


def with_teams() -> list[str]:
    """The names of the systems in whose contests teams can take places."""
    return [name for name in _BY_NAME if by_name(name).takes_teams]


def with_scores() -> list[str]:
    """The names of the systems whose matches can have any score from 0 to 1."""
    return [name for name in _BY_NAME if by_name(name).takes_scores]


def of_any_size() -> list[str]:
    """The names of the systems in whose contests any number of players can take part."""
    return [name for name in _BY_NAME if by_name(name).most_players is None]


def by_name(name: str) -> "type[System]":
    """The class of the system with this name."""
    if not isinstance(name, str) or name not in _BY_NAME:
        from podium.wording import suggestion

        hint = suggestion(name, _BY_NAME)
        raise NotFoundError(f"there is no system {name!r}{hint}; there are {', '.join(_BY_NAME)}.")
    found: type[System] = __getattr__(_BY_NAME[name])
    return found


def build(name: str, /, **parameters: Any) -> "System":
    """The system with this name and these parameters.

    Example:
        >>> import podium
        >>> podium.system("elo-mmr", rho=0.5).rho
        0.5
    """
    return by_name(name).build(parameters)


def as_system(system: "str | System", parameters: Mapping[str, Any]) -> "System":
    """The system with this name and these parameters, or the given one, which has its own."""
    from podium.systems.base import System

    if not isinstance(system, System):
        return build(system, **parameters)
    if parameters:
        raise InputError(
            f"the system is given as an object, so its parameters are set already; "
            f"{', '.join(parameters)} cannot be given too."
        )
    return system


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
