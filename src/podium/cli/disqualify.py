"""``podium disqualify``: take a player out of a contest of a league."""

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium disqualify league.db week-3 ann --dry-run
$ podium disqualify league.db week-3 ann --who bob --why "two accounts"
"""


def command(
    where: options.League, contest: options.Contest, player: options.Player, *, asked: Asked
) -> None:
    """Take a player out of a contest; those who came behind move up.

    All contests from then on are rated again; the table says who moves.
    """
    asked.make(where, lambda league, how: league.disqualify(contest, player, **how))
