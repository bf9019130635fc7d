"""``podium rollback``: a league goes back to earlier ratings."""

from typing import Annotated

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument

EXAMPLES = """\
[bold]Examples[/]

$ podium rollback league.db --dry-run
$ podium rollback league.db "season 1" --who ann --why "the vote was repeated"
"""


def command(
    where: options.League,
    revision: Annotated[
        str | None, argument("[REVISION]", "The name of the revision, the one before if not given.")
    ] = None,
    *,
    asked: Asked,
) -> None:
    """Go back to the ratings of an earlier revision, with all contests recorded since."""
    asked.make(where, lambda league, how: league.rollback(revision, **how))
