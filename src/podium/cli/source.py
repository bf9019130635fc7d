"""Where ratings come from: a folder of them, or results that are rated on the spot."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli.compiling import announce_compilation
from podium.cli.options import chosen_system, pairs
from podium.cli.progress import progress_bar
from podium.errors import PodiumError

if TYPE_CHECKING:
    from podium import Contests, Rated


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read results, as the options say it."""

    columns: Sequence[str] | None = None
    format: str | None = None
    lowest_score_wins: bool = False
    rerank: bool = False
    keep_order: bool = False
    ignore_teams: bool = False

    def read(self, path: Path) -> "Contests":
        """The contests in a file or folder."""
        import podium

        columns = pairs(self.columns, "--columns OURS=THEIRS")
        with progress_bar(f"Reading {path.name}"):
            contests = podium.read(
                path,
                columns=columns or None,
                format=self.format,
                sort=not self.keep_order,
                lowest_score_wins=self.lowest_score_wins,
                rerank=self.rerank,
            )
        return contests.without_teams() if self.ignore_teams else contests


def is_ratings_folder(path: Path) -> bool:
    """Whether ``podium rate --out`` wrote it."""
    return (path / "beliefs.npz").is_file()


def ratings_from(
    path: Path,
    system: str | None,
    settings: Sequence[str] | None,
    reading: Reading,
    *,
    threads: int | None = None,
    history: bool,
) -> "Rated":
    """The ratings in a folder, or those of the results in a file."""
    import podium

    if is_ratings_folder(path):
        if system or settings or reading != Reading():
            raise PodiumError(
                f"{path}: holds ratings already, so options for rating or reading results "
                f"do not apply; give the results instead to rate them anew."
            )
        with progress_bar(f"Reading {path.name}"):
            return podium.Rated.read(path)
    if path.is_dir() and not any(path.rglob("*.json")):
        raise PodiumError(
            f"{path}: holds neither ratings, which podium rate PATH --out FOLDER writes, "
            f"nor files of contests."
        )
    chosen = chosen_system(system, settings)
    contests = reading.read(path)
    announce_compilation(chosen)
    with progress_bar("Rating") as progress:
        return podium.rate(contests, chosen, history=history, progress=progress, threads=threads)
