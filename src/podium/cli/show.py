"""``podium show``: a player of a league who is to be shown again."""

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium show league.db ann
$ podium show league.db ann --who bob --why "asked by mail"
"""


def command(where: options.League, player: options.Player, *, asked: Asked) -> None:
    """Let a player who is hidden be seen by everybody again."""
    asked.make(where, lambda league, how: league.show(player, **how))
