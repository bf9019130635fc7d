"""What can be reproduced, and what doing so gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import polars as pl

from podium import pictures
from podium.contests import Contests
from podium.files import replacing
from podium.rating import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def unseen(done: int, total: int) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Reproduction:
    """A picture, the numbers in it, and what they say."""

    findings: pl.DataFrame
    """A short table."""
    figure: "Figure"
    numbers: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """What is plotted; the names tell several tables apart, and that of a single one is empty."""

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write the picture as PNG and the numbers as CSV; the paths, that of the picture first."""
        paths = [folder / f"{name}.png"]
        pictures.save(self.figure, paths[0])
        for part, table in self.numbers.items():
            paths.append(folder / f"{'-'.join(filter(None, (name, part)))}.csv")
            with replacing(paths[-1]) as temporary:
                table.write_csv(temporary)
        return paths


@dataclass(frozen=True)
class Target:
    """A figure or a claim of a paper."""

    name: str
    title: str
    function: Callable[[Contests | None, Progress], Reproduction]
    """Takes the results to use, None for its own, and whom to tell of its progress."""
    data: Literal["none", "optional", "needed"]
    """Whether results of one's own can be used."""
