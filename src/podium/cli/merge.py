"""``podium merge``: two names of a league that are one player."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium merge league.db ann_2 ann --dry-run
$ podium merge league.db ann_2 ann --who bob --why "a second account"
"""


def command(
    where: options.League,
    player: options.Player,
    into: Annotated[
        str,
        typer.Argument(metavar="INTO", help="The player who it really is.", show_default=False),
    ],
    dry_run: options.DryRun = False,
    top: options.Moves = None,
    json: options.Json = False,
    who: options.Who = None,
    why: options.Why = None,
) -> None:
    """Make two players one, with the contests of both.

    All contests from the first one concerned are rated again; the table says who moves.
    """
    Asked(who, why, dry_run, top, json).make(
        where, lambda league, how: league.merge(player, into, **how)
    )
