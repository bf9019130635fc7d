"""Rating systems, by name or as classes: ``build("elo-mmr", rho=1)`` or ``EloMMR(rho=1)``.

Classes are imported when they are first asked for, because compiled kernels come with them.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from podium.errors import ConflictError, InputError, NotFoundError, PodiumError, StorageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints

    from podium.systems.atcoder import AtCoder as AtCoder
    from podium.systems.base import BASE_FIELDS as BASE_FIELDS
    from podium.systems.base import Field as Field
    from podium.systems.base import Performances as Performances
    from podium.systems.base import Reset as Reset
    from podium.systems.base import Standings as Standings
    from podium.systems.base import System as System
    from podium.systems.base import parameter as parameter
    from podium.systems.codeforces import Codeforces as Codeforces
    from podium.systems.elo import Elo as Elo
    from podium.systems.elo_mmr import EloMMR as EloMMR
    from podium.systems.elo_mmr import EloMMX as EloMMX
    from podium.systems.elo_r import EloR as EloR
    from podium.systems.elo_r_draft import EloRDraft as EloRDraft
    from podium.systems.explained import Limits as Limits
    from podium.systems.explained import Mean as Mean
    from podium.systems.explained import Phrases as Phrases
    from podium.systems.explained import Result as Result
    from podium.systems.glicko import Glicko as Glicko
    from podium.systems.glicko2 import Glicko2 as Glicko2
    from podium.systems.luck import Luck as Luck
    from podium.systems.performance import PerformanceModel as PerformanceModel
    from podium.systems.podium import Podium as Podium
    from podium.systems.search import Between as Between
    from podium.systems.search import OneOf as OneOf
    from podium.systems.topcoder import Topcoder as Topcoder
    from podium.systems.trueskill import TrueSkill as TrueSkill
    from podium.systems.weng_lin import WengLin as WengLin

_BUILT_IN = {
    "elo-mmr": "EloMMR",
    "elo-mmx": "EloMMX",
    "elo-r": "EloR",
    "elo-r-draft": "EloRDraft",
    "codeforces": "Codeforces",
    "topcoder": "Topcoder",
    "atcoder": "AtCoder",
    "trueskill": "TrueSkill",
    "weng-lin": "WengLin",
    "glicko": "Glicko",
    "glicko2": "Glicko2",
    "elo": "Elo",
    "luck": "Luck",
    "podium": "Podium",
}
_HOMES = {
    "AtCoder": "atcoder",
    "BASE_FIELDS": "base",
    "Between": "search",
    "Codeforces": "codeforces",
    "Elo": "elo",
    "EloMMR": "elo_mmr",
    "EloMMX": "elo_mmr",
    "EloR": "elo_r",
    "EloRDraft": "elo_r_draft",
    "Field": "base",
    "Glicko": "glicko",
    "Glicko2": "glicko2",
    "Limits": "explained",
    "Luck": "luck",
    "Mean": "explained",
    "OneOf": "search",
    "PerformanceModel": "performance",
    "Performances": "base",
    "Phrases": "explained",
    "Podium": "podium",
    "Reset": "base",
    "Result": "explained",
    "Standings": "base",
    "System": "base",
    "Topcoder": "topcoder",
    "TrueSkill": "trueskill",
    "WengLin": "weng_lin",
    "parameter": "base",
}
_FUNCTIONS = (
    "as_system",
    "build",
    "built_in",
    "by_name",
    "names",
    "of_any_size",
    "register",
    "restored",
    "with_scores",
    "with_teams",
)
__all__ = [*_HOMES, *_FUNCTIONS]

_registered: "dict[str, type[System]]" = {}
_Kind = TypeVar("_Kind", bound="type[System]")


def register(kind: _Kind) -> _Kind:
    """Let a system of one's own be found by its name, in this process; also as a decorator.

    A package that is installed needs no call: its entry points in the group ``podium.systems``
    are found. See docs/own-system.md.

    Example:
        >>> import podium
        >>> @podium.systems.register
        ... class Slow(podium.systems.Elo):
        ...     '''Elo that takes its time.'''
        ...     name = "slow"
        >>> podium.system("slow", k=4.0).k
        4.0
    """
    from podium.systems.base import refuse_unfinished

    refuse_unfinished(kind)
    known = _registered.get(kind.name)
    again = known is not None and _home(known) == _home(kind)  # as when a cell runs again
    if kind.name in _BUILT_IN or (known is not None and not again):
        raise ConflictError(f"there is a system {kind.name!r} already; choose another name.")
    _registered[kind.name] = kind
    return kind


def _home(kind: type) -> tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _offers() -> "EntryPoints":
    from importlib.metadata import entry_points

    return entry_points(group="podium.systems")


def _loaded(name: str, offers: "EntryPoints") -> "type[System]":
    """The class behind an entry point; whatever is wrong with it is said in one sentence."""
    packages = [offer.dist.name if offer.dist else offer.module for offer in offers]
    if len(packages) > 1:
        both = " and ".join(sorted(packages))
        raise ConflictError(f"there are several systems {name!r}, of the packages {both}.")
    (offer,) = offers
    try:
        kind: type[System] = offer.load()
        if getattr(kind, "name", name) != name:
            raise InputError(f"the name of {kind.__name__} is {kind.name!r}, not {name!r}")
        return register(kind)
    except (Exception, SystemExit) as error:  # whatever somebody else's module does
        what = str(error) if isinstance(error, PodiumError) else f"{type(error).__name__}: {error}"
        raise StorageError(
            f"the system {name!r} of the package {packages[0]} cannot be loaded from "
            f"{offer.value}: {what.rstrip('.')}."
        ) from error


def built_in() -> list[str]:
    """The names of the systems that come with podium."""
    return list(_BUILT_IN)


def names() -> list[str]:
    """The names of all systems: podium's, those registered, those of installed packages."""
    offered = sorted(offer.name for offer in _offers())
    return list(dict.fromkeys([*_BUILT_IN, *_registered, *offered]))


def _all() -> "Iterator[type[System]]":
    """All systems, but for those of packages that are broken."""
    for name in names():
        with suppress(StorageError, ConflictError):
            yield by_name(name)


def with_teams() -> list[str]:
    """The names of the systems in whose contests teams can take places."""
    return [kind.name for kind in _all() if kind.takes_teams]


def with_scores() -> list[str]:
    """The names of the systems whose matches can have any score from 0 to 1."""
    return [kind.name for kind in _all() if kind.takes_scores]


def of_any_size() -> list[str]:
    """The names of the systems in whose contests any number of players can take part."""
    return [kind.name for kind in _all() if kind.most_players is None]


def by_name(name: str) -> "type[System]":
    """The class of the system with this name."""
    if isinstance(name, str):
        if name in _BUILT_IN:
            found: type[System] = __getattr__(_BUILT_IN[name])
            return found
        if name in _registered:
            return _registered[name]
        if offers := _offers().select(name=name):
            return _loaded(name, offers)
    from podium.wording import suggestion

    known = names()
    hint = suggestion(name, known)
    raise NotFoundError(f"there is no system {name!r}{hint}; there are {', '.join(known)}.")


def restored(name: str, parameters: Mapping[str, Any], what: str) -> "System":
    """The system that something stored is of: `what` says it, as in "these beliefs are"."""
    try:
        return by_name(name).build(parameters)
    except NotFoundError:
        raise NotFoundError(
            f"{what} of the system {name!r}, which is not known here; install the package that "
            f"has it, or register it before."
        ) from None


if TYPE_CHECKING:
    from podium.systems.typed import build as build
else:

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
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
