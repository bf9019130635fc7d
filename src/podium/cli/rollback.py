"""``podium rollback``: a league goes back to earlier ratings."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium rollback league.db --dry-run
$ podium rollback league.db "season 1" --who ann --why "the vote was repeated"
"""


def command(
    where: options.League,
    revision: Annotated[
        str | None,
        typer.Argument(
            metavar="[REVISION]",
            help="The name of the revision, the one before if not given.",
            show_default=False,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    top: options.Moves = None,
    json: options.Json = False,
    who: options.Who = None,
    why: options.Why = None,
) -> None:
    """Go back to the ratings of an earlier revision, with all contests recorded since."""
    Asked(who, why, dry_run, top, json).make(
        where, lambda league, how: league.rollback(revision, **how)
    )
