"""``podium record``: results into a league."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import is_league, refuse_what_is_none
from podium.cli.source import Reading, note_assumptions
from podium.errors import InputError
from podium.extras import is_installed

if TYPE_CHECKING:
    from podium import League
    from podium.league import Change

EXAMPLES = """\
[bold]Examples[/]

$ podium record league.db week-1.csv
$ podium record league.db week-2.csv week-3.csv --dry-run
$ podium record league.db friendly.csv --unrated --who ann --why "a friendly match"
$ podium record league.db division-2.csv --ceiling 1600
$ podium record league.db week-4.csv --guest "Ann Lee" --guest bob
$ podium record league.db season.csv --leave-known
$ podium record league.db week-4.csv --strict
$ podium record league.db 'seasons/*.parquet' --memory 2GB
$ podium record league.db races.csv --columns player=driver --lowest-score-wins

A contest that is in the league already, with the same results, is left as it is, so that a file \
can be recorded again when it has grown. Contests may come in late: those that follow are rated \
again, and the ratings are those of all contests in the order of their times.
"""


def command(
    where: options.League,
    files: Annotated[
        list[Path],
        argument("FILE…", "Results: files, folders of them, or quoted patterns: 'week-*.csv'."),
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
    guest: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Somebody who takes part in these contests as a guest, not rated and not counting for "
            "the others; can be repeated.",
        ),
    ] = None,
    leave_known: Annotated[
        bool,
        typer.Option(
            "--leave-known",
            help="Leave contests that are in the league as they are, even if the file has other "
            "results of them.",
        ),
    ] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Record nothing if a newcomer is almost called as somebody in the league.",
        ),
    ] = False,
    memory: options.Memory = None,
    asked: Asked,
    reading: Annotated[Reading, Without("keep_order")],
) -> None:
    """Record results in a league and rate them: all files, or nothing if one of them is wrong."""
    refuse_what_is_none(where)
    refuse_leagues(files)
    limit = reading.piecewise(files, memory)
    scan = None if limit is None else reading.scan(files, limit)
    results = reading.read(files) if scan is None else scan
    said: dict[str, Any] = {
        "rated": not unrated,
        "floor": floor,
        "ceiling": ceiling,
        "guests": guest or (),
        "leave_known": leave_known,
        "near": is_installed("rapidfuzz"),
        "strict": strict,
    }

    def ask(league: "League", how: dict[str, Any]) -> "Change":
        change = league.record(results, **said, **how)
        if not change.recorded and not change.known:
            reading.refuse_no_ladder(files)
        return change

    asked.make(where, ask)
    if scan is not None:
        note_assumptions(scan.understanding)


def refuse_leagues(files: Sequence[Path]) -> None:
    """Raise if one of them is a league."""
    for file in files:
        if is_league(str(file)):
            raise InputError(f"{file}: is a league; results are needed to record them.")
