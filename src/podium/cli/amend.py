"""``podium amend``: put a contest of a league right."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import refuse_what_is_none
from podium.cli.record import refuse_leagues
from podium.cli.source import Reading
from podium.errors import ConflictError, InputError, RemovalError
from podium.texts import visible

EXAMPLES = """\
[bold]Examples[/]

$ podium amend league.db week-3 week-3-corrected.csv --dry-run
$ podium amend league.db week-3 week-3-corrected.csv --who ann --why "cat was scored twice"
$ podium contest league.db week-3 --out week-3.csv    # to be put right, and then amended by
$ podium amend league.db week-3 --unrated --why "the server was down"
$ podium amend league.db week-3 --time 2026-01-18 --weight 0.5
"""


def command(
    where: options.League,
    contest: options.Contest,
    file: Annotated[
        Path | None,
        argument(
            "[FILE]", "Its results as they should be; of several contests in the file, this one."
        ),
    ] = None,
    *,
    rated: Annotated[
        bool | None, typer.Option("--rated/--unrated", help="Whether ratings follow from it.")
    ] = None,
    time: Annotated[str | None, option("TIME", "When it took place.")] = None,
    weight: Annotated[float | None, option("X", "How much it counts.")] = None,
    name: Annotated[str | None, option("TEXT", "What it is called.")] = None,
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Remove more than a tenth of its results without asking."),
    ] = False,
    asked: Asked,
    reading: Annotated[Reading, Without("keep_order", "contest", "time")],
) -> None:
    """Put a contest right: other results, another time or weight, rated or not.

    A file replaces all results of the contest. If more than a tenth of its players would be gone,
    you are asked on a terminal; elsewhere --yes is needed. All contests from then on are rated
    again; the table says who moves.
    """
    changes: dict[str, Any] = {"rated": rated, "time": time, "weight": weight, "name": name}
    if file is None and all(each is None for each in changes.values()):
        raise InputError(
            "there is nothing to put right; give a file of results, --rated, --unrated, --time, "
            "--weight or --name."
        )
    if file is None and replace(reading, future=False) != Reading():
        raise InputError("options for reading results need a file of results.")
    refuse_what_is_none(where)
    refuse_leagues([] if file is None else [file])
    results = None if file is None else reading.read(file)

    def amend(*, removing: bool) -> None:
        changes.update(removing=removing, future=reading.future)
        asked.make(where, lambda league, how: league.amend(contest, results, **changes, **how))

    try:
        amend(removing=yes)
    except RemovalError as error:
        if not sys.stdin.isatty():
            raise
        loss = str(error).partition(";")[0]
        if not typer.confirm(visible(f"{loss[:1].upper()}{loss[1:]}. Go on?"), err=True):
            raise ConflictError(f"contest {contest!r} was left as it is.") from None
        amend(removing=True)
