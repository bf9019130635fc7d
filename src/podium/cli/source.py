"""Where ratings come from: a folder of them, results that are rated on the spot, or a league."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from podium.cli.compiling import announce_compilation
from podium.cli.console import note
from podium.cli.groups import Group, option
from podium.cli.leagues import is_league, refuse_what_is_none
from podium.cli.options import Choice, Rating, pairs, shown_size, size
from podium.errors import InputError, NotFoundError
from podium.progress import progress_bar
from podium.texts import spelled
from podium.wording import listed

if TYPE_CHECKING:
    from podium import Contests, Rated, Scan
    from podium.results.understanding import Understanding


_NOTED = 3
_NOT_OF_READING = ("keep_order", "ignore_teams", "ladder", "ignore_ladders", "isolated")
"""Options that `podium.read` has under another name or not at all."""


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
    contest: Annotated[
        str | None, option("NAME", "What the contest is called, if the file does not say.")
    ] = None
    time: Annotated[str | None, option("DATE", "When it took place, if the file does not say.")] = (
        None
    )
    from_name: Annotated[
        bool,
        typer.Option(
            "--from-name",
            help="Take the contest's name and date from the name of the file or sheet.",
        ),
    ] = False
    wide: Annotated[
        bool,
        typer.Option("--wide", help="A row for each player and a column for each contest."),
    ] = False
    unfinished: Annotated[
        str,
        option(
            "error|last|drop",
            "What to do with DNF, DSQ and empty ranks: last ties those who started behind all "
            "others, drop leaves them out.",
        ),
    ] = "error"
    dates: Annotated[
        str | None,
        option("dmy|mdy|ymd|excel|unix", "How to read dates, where there are two ways."),
    ] = None
    zone: Annotated[
        str | None,
        option("NAME", "The zone of times that name none, e.g. Europe/Berlin; UTC if not given."),
    ] = None
    decimal: Annotated[
        str | None, option("point|comma", "The decimal sign of numbers, where it can be doubted.")
    ] = None
    delimiter: Annotated[
        str | None, option("SIGN", "What separates values, if it is not recognised.")
    ] = None
    encoding: Annotated[
        str | None, option("NAME", "The encoding of a text, if it is not recognised.")
    ] = None
    sheet: Annotated[
        str | None, option("NAME", "Which sheet of a workbook; '*' for all of them.")
    ] = None
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

    def said(self) -> dict[str, Any]:
        """The options as `podium.read` takes them."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        own = {name: value for name, value in own.items() if name not in _NOT_OF_READING}
        columns = pairs(self.columns, "--columns OURS=THEIRS") or None
        return {**own, "columns": columns, "sort": not self.keep_order}

    def read(self, given: Path | Sequence[Path]) -> "Contests":
        """The contests in files, folders and what patterns match."""
        from podium.results.options import Options
        from podium.results.reading import read_understood

        if self.ladder is not None and self.ignore_ladders:
            raise InputError("--ladder takes one ladder and --ignore-ladders all; say one of them.")
        paths = [given] if isinstance(given, Path) else given
        refuse_leagues(paths)
        with progress_bar(f"Reading {shown_name(paths)}"):
            said = Options.of(self.said())
            contests, report = read_understood(paths, said, isolated=self.isolated)
        note_assumptions(report)
        return self.chosen(contests, paths[0])

    def piecewise(self, paths: Sequence[Path], memory: str | None) -> int | None:
        """The bytes that results may take piece by piece, if they need more than there is."""
        from podium.results.scanning import MEMORY, size_of

        refuse_leagues(paths)
        if self.isolated:
            if memory is not None:
                raise InputError("--isolated reads whole files, so --memory does not apply.")
            return None
        limit = _half_of_all() if memory is None else size(memory)
        if size_of(paths, self.format) <= limit:
            return None
        limit = min(limit, MEMORY) if memory is None else limit
        note(f"Note: these results are rated piece by piece, {shown_size(limit)} at a time.")
        return limit

    def scan(self, paths: Sequence[Path], memory: int) -> "Scan":
        """The contests in files, folders and what patterns match, piece by piece."""
        import podium

        if self.ladder is not None and self.ignore_ladders:
            raise InputError("--ladder takes one ladder and --ignore-ladders all; say one of them.")
        scan = podium.scan(paths, memory=memory, **self.said())
        return scan.through(lambda piece: self._chosen_of(piece, paths[0]))

    def refuse_no_ladder(self, paths: Sequence[Path]) -> None:
        """Raise if one ladder is asked for, of which no piece had anything."""
        if self.ladder is not None:
            raise NotFoundError(f"{paths[0]}: there is no ladder {self.ladder!r}.")

    def _chosen_of(self, piece: "Contests", path: Path) -> "Contests | None":
        """As `chosen`; nothing of a piece that has none of the ladder."""
        names = piece.ladders
        if (
            self.ladder is not None
            and names is not None
            and spelled(self.ladder, names) not in names
        ):
            return None
        return self.chosen(piece, path)

    def chosen(self, contests: "Contests", path: Path) -> "Contests":
        """Those of the contests of a file that are meant, as they are meant."""
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
        for field in fields(self):
            option, value = f"--{field.name.replace('_', '-')}", getattr(self, field.name)
            if value is True:
                said.append(option)
            elif isinstance(value, str) and value != field.default:
                said += [option, value]
        return said


def refuse_leagues(paths: Sequence[Path]) -> None:
    """Raise if one of them is no file of results, but a league."""
    for path in paths:
        if is_league(str(path)):
            raise InputError(
                f"{path}: is a league, which has its ratings already, and no file of results; "
                f"podium leaderboard {path} shows them."
            )


def _half_of_all() -> int:
    """Bytes of memory, of which a half is used."""
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return 4 * 2**30
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def note_assumptions(report: "Understanding") -> None:
    """Say in a line what was taken for granted, if anything was."""
    assumed = report.assumptions
    if assumed:
        more = f" (and {len(assumed) - _NOTED} more: podium check)" * (len(assumed) > _NOTED)
        note(
            "Taken for granted: "
            + " ".join(each.rstrip(".") + ";" for each in assumed[:_NOTED]).rstrip(";")
            + more
            + "."
        )


def shown_name(paths: Sequence[Path]) -> str:
    """What titles call the results."""
    return paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"


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


def ratings_from(
    source: str, rating: Rating, reading: Reading, *, history: bool, calibrated: bool = False
) -> "Rated":
    """The ratings in a folder, or those of the results in a file."""
    import podium
    from podium.results.sources import table_files

    path = Path(source)
    folder = ratings_folder(path, reading.ladder)
    if folder is not None:
        refuse_rating_options(str(path), rating, replace(reading, ladder=None))
        with progress_bar(f"Reading {path.name}"):
            return podium.Rated.load(folder)
    if path.is_dir() and not any(path.rglob("*.json")) and not table_files(path):
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
            contests,
            chosen,
            history=history,
            calibrated=calibrated,
            progress=progress,
            threads=rating.threads,
        )
