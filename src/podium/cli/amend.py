"""``podium amend``: put a contest of a league right."""

from pathlib import Path
from typing import Annotated, Any

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.leagues import refuse_what_is_none
from podium.cli.record import results_in
from podium.cli.source import Reading
from podium.errors import InputError

EXAMPLES = """\
[bold]Examples[/]

$ podium amend league.db week-3 week-3-corrected.csv --dry-run
$ podium amend league.db week-3 week-3-corrected.csv --who ann --why "cat was scored twice"
$ podium amend league.db week-3 --unrated --why "the server was down"
$ podium amend league.db week-3 --time 2026-01-18 --weight 0.5
"""


def command(
    where: options.League,
    contest: options.Contest,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="Its results as they should be; of several contests in the file, this one.",
            show_default=False,
        ),
    ] = None,
    rated: Annotated[
        bool | None,
        typer.Option(
            "--rated/--unrated", help="Whether ratings follow from it.", show_default=False
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="When it took place.", show_default=False),
    ] = None,
    weight: Annotated[
        float | None, typer.Option(metavar="X", help="How much it counts.", show_default=False)
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What it is called.", show_default=False)
    ] = None,
    dry_run: options.DryRun = False,
    top: options.Moves = None,
    json: options.Json = False,
    who: options.Who = None,
    why: options.Why = None,
    columns: options.Columns = None,
    format: options.Format = None,
    lowest_score_wins: options.LowestScoreWins = False,
    rerank: options.Rerank = False,
    ignore_teams: options.IgnoreTeams = False,
    ladder: options.Ladder = None,
    ignore_ladders: options.IgnoreLadders = False,
) -> None:
    """Put a contest right: other results, another time or weight, rated or not.

    All contests from then on are rated again; the table says who moves.
    """
    reading = Reading(
        columns, format, lowest_score_wins, rerank, False, ignore_teams, ladder, ignore_ladders
    )
    changes: dict[str, Any] = {"rated": rated, "time": time, "weight": weight, "name": name}
    if file is None and all(each is None for each in changes.values()):
        raise InputError(
            "there is nothing to put right; give a file of results, --rated, --unrated, --time, "
            "--weight or --name."
        )
    if file is None and reading != Reading():
        raise InputError("options for reading results need a file of results.")
    refuse_what_is_none(where)
    results = None if file is None else results_in([file], reading)
    Asked(who, why, dry_run, top, json).make(
        where, lambda league, how: league.amend(contest, results, **changes, **how)
    )
