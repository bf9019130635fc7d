"""``podium migrate``: a league of an earlier podium."""

from podium.cli import options
from podium.cli.changes import sentence
from podium.cli.console import output
from podium.cli.leagues import refuse_what_is_none
from podium.progress import progress_bar

EXAMPLES = """\
[bold]Examples[/]

$ podium migrate league.db
$ podium migrate postgresql://localhost/league
"""


def command(where: options.League) -> None:
    """Bring a league that an earlier podium made up to date; nothing that it holds is lost."""
    import podium

    refuse_what_is_none(where)
    with progress_bar("Migrating"):
        change = podium.League.migrate(where)
    output().print(sentence(change.what))
