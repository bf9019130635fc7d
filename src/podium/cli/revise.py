"""``podium revise``: another system, or other parameters, for a league."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.options import system_like
from podium.errors import InputError

EXAMPLES = """\
[bold]Examples[/]

$ podium revise league.db --set drift_per_day=5 --dry-run
$ podium revise league.db --system glicko2 --set tau=0.5 --name "season 2" --why "a vote"
$ podium rollback league.db

The ratings before stay in the league: podium revisions lists them, and podium rollback goes back.
"""


def command(
    where: options.League,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to call the new ratings, for podium revisions and podium rollback.",
            show_default=False,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    top: options.Moves = None,
    json: options.Json = False,
    system: options.SystemName = None,
    settings: options.Settings = None,
    who: options.Who = None,
    why: options.Why = None,
) -> None:
    """Rate all contests of a league anew, by another system or with other parameters.

    Without --system, the league's own is kept with the parameters that are not given.
    """
    if not system and not settings:
        raise InputError("there is nothing to revise; give --system, --set or both.")
    Asked(who, why, dry_run, top, json).make(
        where,
        lambda league, how: league.revise(
            system_like(league.system, system, settings), name=name, **how
        ),
    )
