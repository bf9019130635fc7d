"""Figures, tables and claims of the papers behind the rating systems, computed anew."""

from podium.errors import NotFoundError
from podium.papers import elo_mmr, elo_r, luck
from podium.papers.targets import Target
from podium.wording import suggestion

TARGETS: tuple[Target, ...] = (*elo_mmr.TARGETS, *elo_r.TARGETS, *luck.TARGETS)


def names() -> list[str]:
    """The names of all targets."""
    return [target.name for target in TARGETS]


def by_name(name: str) -> Target:
    """The target with this name."""
    for target in TARGETS:
        if target.name == name:
            return target
    raise NotFoundError(
        f"there is no target {name!r}{suggestion(name, names())}; there are {', '.join(names())}."
    )
