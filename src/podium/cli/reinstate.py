"""``podium reinstate``: put a player back who was disqualified in a contest of a league."""

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium reinstate league.db week-3 ann --dry-run
$ podium reinstate league.db week-3 ann --who bob --why "the appeal was heard"
"""


def command(
    where: options.League, contest: options.Contest, player: options.Player, *, asked: Asked
) -> None:
    """Put a player who was disqualified back, at the place that they had, ties and all.

    All contests from then on are rated again; the table says who moves.
    """
    asked.make(where, lambda league, how: league.reinstate(contest, player, **how))
