"""``podium hide``: a player of a league who is not to be shown."""

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium hide league.db ann
$ podium hide league.db ann --who bob --why "asked by mail"
"""


def command(where: options.League, player: options.Player, *, asked: Asked) -> None:
    """Let a player be in no output but your own: leaderboards, pages, files and answers of a site.

    Results stay and count for others; in standings, an anonymous row takes their place. Your own
    commands show hidden players with --with-hidden, and exports and the log have them.
    """
    asked.make(where, lambda league, how: league.hide(player, **how))
