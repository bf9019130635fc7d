"""``podium record``: results into a league."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import is_league, refuse_what_is_none
from podium.cli.source import Reading
from podium.errors import InputError

if TYPE_CHECKING:
    from podium import Contests

EXAMPLES = """\
[bold]Examples[/]

$ podium record league.db week-1.csv
$ podium record league.db week-2.csv week-3.csv --dry-run
$ podium record league.db friendly.csv --unrated --who ann --why "a friendly match"
$ podium record league.db division-2.csv --ceiling 1600
$ podium record league.db season.csv --leave-known
$ podium record league.db races.csv --columns player=driver --lowest-score-wins

A contest that is in the league already, with the same results, is left as it is, so that a file \
can be recorded again when it has grown. Contests may come in late: those that follow are rated \
again, and the ratings are those of all contests in the order of their times.
"""


def command(
    where: options.League,
    files: Annotated[
        list[Path],
        argument("FILE…", "Results: .csv, .parquet, .jsonl or a folder of contest files."),
    ],
    *,
    unrated: Annotated[
        bool, typer.Option("--unrated", help="Keep the results, but rate nobody by them.")
    ] = False,
    floor: Annotated[
        float | None, option("R", "Only players whose rating is at least R are rated.")
    ] = None,
    ceiling: Annotated[
        float | None, option("R", "Only players whose rating is below R are rated.")
    ] = None,
    leave_known: Annotated[
        bool,
        typer.Option(
            "--leave-known",
            help="Leave contests that are in the league as they are, even if the file has other "
            "results of them.",
        ),
    ] = False,
    asked: Asked,
    reading: Annotated[Reading, Without("keep_order")],
) -> None:
    """Record results in a league and rate them: all files, or nothing if one of them is wrong."""
    refuse_what_is_none(where)
    results = results_in(files, reading)
    asked.make(
        where,
        lambda league, how: league.record(
            results, rated=not unrated, floor=floor, ceiling=ceiling, leave_known=leave_known, **how
        ),
    )


def results_in(files: list[Path], reading: Reading) -> "Contests":
    """The contests of all files."""
    import podium

    for file in files:
        if is_league(str(file)):
            raise InputError(f"{file}: is a league; results are needed to record them.")
    parts = [reading.read(file) for file in files]
    _refuse_what_stands_twice(files, parts)
    return parts[0] if len(parts) == 1 else podium.Contests.concat(parts)


def _refuse_what_stands_twice(files: list[Path], parts: "list[Contests]") -> None:
    """Raise if two files have the same contest."""
    seen: dict[str, Path] = {}
    for file, part in zip(files, parts, strict=True):
        for contest in part.ids.to_list() if part.ladders is None else ():
            if contest in seen:
                raise InputError(
                    f"{seen[contest]} and {file}: contest {contest!r} stands in both; give one of "
                    f"the files, or one of the contests another identifier."
                )
            seen[contest] = file
