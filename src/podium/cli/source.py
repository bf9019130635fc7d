"""Where ratings come from: a folder of them, results that are rated on the spot, or a league."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from podium.cli.compiling import announce_compilation
from podium.cli.groups import Group, option
from podium.cli.leagues import refuse_what_is_none
from podium.cli.options import Choice, Rating, pairs
from podium.errors import InputError, NotFoundError
from podium.progress import progress_bar
from podium.texts import spelled
from podium.wording import listed

if TYPE_CHECKING:
    from podium import Contests, Rated


@dataclass(frozen=True, slots=True)
class Reading(Group):
    """How to read results."""

    panel: ClassVar[str] = "How to read results"

    columns: Annotated[
        list[str] | None,
        option(
            "OURS=THEIRS",
            "What a column is called in the file, e.g. player=handle; can be repeated.",
            "--columns",
        ),
    ] = None
    format: Annotated[
        str | None, option("NAME", "The format of the file, if its name does not say it.")
    ] = None
    lowest_score_wins: Annotated[
        bool,
        typer.Option(
            "--lowest-score-wins", help="The best score is the lowest, as in golf or a race."
        ),
    ] = False
    rerank: Annotated[
        bool,
        typer.Option(
            "--rerank",
            help="Use only the order of the ranks, for standings from which players were removed.",
        ),
    ] = False
    keep_order: Annotated[
        bool,
        typer.Option(
            "--keep-order",
            help="Rate contests in the order of the file instead of sorting them by time.",
        ),
    ] = False
    ignore_teams: Annotated[
        bool,
        typer.Option(
            "--ignore-teams",
            help="Rate every player alone, although the results have a column team.",
        ),
    ] = False
    ladder: Annotated[
        str | None,
        option("NAME", "Only this ladder, of those that the column ladder names.", "--ladder"),
    ] = None
    ignore_ladders: Annotated[
        bool,
        typer.Option(
            "--ignore-ladders",
            help="Rate all contests together, although the results have a column ladder.",
        ),
    ] = False
    unlimited: Annotated[
        bool,
        typer.Option(
            "--unlimited",
            help="Lift the limits on how far a compressed file unpacks, how long a name is and "
            "how deep JSON goes.",
        ),
    ] = False
    future: Annotated[
        bool,
        typer.Option("--future", help="Take times of more than two years from now."),
    ] = False
    isolated: Annotated[
        bool,
        typer.Option(
            "--isolated",
            help="Read in a process of its own with a limit on its memory, as files of strangers "
            "should be.",
        ),
    ] = False

    def read(self, path: Path) -> "Contests":
        """The contests in a file or folder."""
        import podium

        if self.ladder is not None and self.ignore_ladders:
            raise InputError("--ladder takes one ladder and --ignore-ladders all; say one of them.")
        columns = pairs(self.columns, "--columns OURS=THEIRS")
        with progress_bar(f"Reading {path.name}"):
            contests = podium.read(
                path,
                columns=columns or None,
                format=self.format,
                sort=not self.keep_order,
                lowest_score_wins=self.lowest_score_wins,
                rerank=self.rerank,
                unlimited=self.unlimited,
                future=self.future,
                isolated=self.isolated,
            )
        if self.ignore_teams:
            contests = contests.without_teams()
        if self.ignore_ladders:
            contests = contests.without_ladders()
        return contests if self.ladder is None else _one_ladder(path, contests, self.ladder)

    def arguments(self) -> list[str]:
        """The options that say so.

        Example:
            >>> Reading(["player=handle"], rerank=True).arguments()
            ['--columns', 'player=handle', '--rerank']
        """
        said = [part for pair in self.columns or () for part in ("--columns", pair)]
        if self.format is not None:
            said += ["--format", self.format]
        if self.ladder is not None:
            said += ["--ladder", self.ladder]
        switches = [field.name for field in fields(self) if getattr(self, field.name) is True]
        said += [f"--{name.replace('_', '-')}" for name in switches]
        return said


def _one_ladder(path: Path, contests: "Contests", name: str) -> "Contests":
    if contests.ladders is None:
        raise InputError(f"{path}: has no column ladder, so --ladder does not apply.")
    return contests.by_ladder()[check_ladder(path, name, contests.ladders)]


def check_ladder(path: Path, name: str, names: Sequence[str]) -> str:
    """The ladder of that name; raise if there is none."""
    from podium.wording import suggestion

    name = spelled(name, names)
    if name not in names:
        raise NotFoundError(
            f"{path}: there is no ladder {name!r}{suggestion(name, names)}; there are "
            f"{listed(names)}."
        )
    return name


def ratings_folder(path: Path, ladder: str | None) -> Path | None:
    """The folder that ``podium rate --out`` wrote, or in it that of a ladder; None for results."""
    from podium.ratings.ladders import ladder_folders

    if is_ratings_folder(path):
        if ladder is not None:
            raise InputError(f"{path}: holds the ratings of one ladder, so --ladder is not needed.")
        return path
    folders = ladder_folders(path)
    if not folders:
        return None
    if ladder is None:
        raise InputError(
            f"{path}: holds ratings of the ladders {listed(folders)}; choose one with --ladder "
            f"NAME, or give its folder, e.g. {next(iter(folders.values()))}."
        )
    return folders[check_ladder(path, ladder, list(folders))]


def is_ratings_folder(path: Path) -> bool:
    """Whether ``podium rate --out`` wrote it."""
    return (path / "beliefs.npz").is_file()


def refuse_rating_options(source: str, rating: Choice, reading: Reading) -> None:
    """Raise if something is said that ratings cannot heed, because they are there."""
    if rating.said or reading != Reading():
        raise InputError(
            f"{source}: holds ratings already, so options for rating or reading results "
            f"do not apply; give the results instead to rate them anew."
        )


def ratings_from(source: str, rating: Rating, reading: Reading, *, history: bool) -> "Rated":
    """The ratings in a folder, or those of the results in a file."""
    import podium

    path = Path(source)
    folder = ratings_folder(path, reading.ladder)
    if folder is not None:
        refuse_rating_options(str(path), rating, replace(reading, ladder=None))
        with progress_bar(f"Reading {path.name}"):
            return podium.Rated.load(folder)
    if path.is_dir() and not any(path.rglob("*.json")):
        raise NotFoundError(
            f"{path}: holds neither ratings, which podium rate PATH --out FOLDER writes, "
            f"nor files of contests."
        )
    if path.suffix in (".db", ".sqlite"):
        refuse_what_is_none(source)
    chosen = rating.chosen()
    contests = reading.read(path)
    if contests.ladders is not None and len(contests.ladders) > 1:
        raise InputError(
            f"{path}: is of the ladders {listed(contests.ladders)}; choose one with --ladder NAME, "
            f"or take all together with --ignore-ladders."
        )
    announce_compilation(chosen)
    with progress_bar("Rating") as progress:
        return podium.rate(
            contests, chosen, history=history, progress=progress, threads=rating.threads
        )
