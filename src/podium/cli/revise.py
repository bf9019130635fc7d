"""``podium revise``: another system, or other parameters, for a league."""

from typing import Annotated

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import option
from podium.cli.options import Choice
from podium.errors import InputError

EXAMPLES = """\
[bold]Examples[/]

$ podium revise league.db --set drift_per_day=5 --dry-run
$ podium revise league.db --system glicko2 --set tau=0.5 --name "season 2" --why "a vote"
$ podium rollback league.db

The ratings before stay in the league: podium revisions lists them, and podium rollback goes back.
"""


def command(
    where: options.League,
    *,
    name: Annotated[
        str | None,
        option("NAME", "What to call the new ratings, for podium revisions and podium rollback."),
    ] = None,
    choice: Choice,
    asked: Asked,
) -> None:
    """Rate all contests of a league anew, by another system or with other parameters.

    Without --system, the league's own is kept with the parameters that are not given.
    """
    if not choice.said:
        raise InputError("there is nothing to revise; give --system, --set or both.")
    asked.make(
        where, lambda league, how: league.revise(choice.like(league.system), name=name, **how)
    )
