"""``podium remove``: take a contest out of a league."""

from podium.cli import options
from podium.cli.changes import Asked

EXAMPLES = """\
[bold]Examples[/]

$ podium remove league.db week-3 --dry-run
$ podium remove league.db week-3 --who ann --why "played twice"

To keep the results and rate nobody by them, podium amend league.db week-3 --unrated.
"""


def command(where: options.League, contest: options.Contest, *, asked: Asked) -> None:
    """Take a contest out of the league, as if it had never been.

    All later contests are rated again; the table says who moves.
    """
    asked.make(where, lambda league, how: league.remove(contest, **how))
