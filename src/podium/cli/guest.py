"""``podium guest``: somebody who takes part in a league without being rated."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium guest league.db ann --why "visits from another club"
$ podium guest league.db ann --no-longer
$ podium record league.db week-4.csv --guest ann

The last one is for a single recording.
"""


def command(
    where: options.League,
    player: options.Player,
    *,
    no_longer: Annotated[
        bool, typer.Option("--no-longer", help="Rate the player again from now on.")
    ] = False,
    asked: Asked,
) -> None:
    """Make a player a guest: not rated in results from now on, and not counting for the others.

    Results that are in the league stay as they are. A guest who was never rated is on no
    leaderboard.
    """
    asked.make(where, lambda league, how: league.set_guest(player, not no_longer, **how))
