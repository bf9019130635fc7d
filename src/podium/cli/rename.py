"""``podium rename``: another name for a player of a league."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument

EXAMPLES = """\
[bold]Examples[/]

$ podium rename league.db ann anna
$ podium rename league.db ann anna --forget-old --who bob --why "a spelling mistake"

Results that come under the old name are those of the same player, unless it is forgotten.
"""


def command(
    where: options.League,
    player: options.Player,
    new_name: Annotated[str, argument("NEW", "The new name.")],
    *,
    forget_old: Annotated[
        bool,
        typer.Option(
            "--forget-old", help="Free the old name: results under it are of somebody else."
        ),
    ] = False,
    asked: Asked,
) -> None:
    """Give a player another name; the old one goes on to mean the same player."""
    asked.make(
        where, lambda league, how: league.rename(player, new_name, keep_old=not forget_old, **how)
    )
