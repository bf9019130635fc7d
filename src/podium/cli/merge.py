"""``podium merge``: two names of a league that are one player."""

from typing import Annotated

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument

EXAMPLES = """\
[bold]Examples[/]

$ podium merge league.db ann_2 ann --dry-run
$ podium merge league.db ann_2 ann --who bob --why "a second account"
"""


def command(
    where: options.League,
    player: options.Player,
    into: Annotated[str, argument("INTO", "The player who it really is.")],
    *,
    asked: Asked,
) -> None:
    """Make two players one, with the contests of both.

    All contests from the first one concerned are rated again; the table says who moves.
    """
    asked.make(where, lambda league, how: league.merge(player, into, **how))
