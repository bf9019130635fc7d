"""``podium redo``: make a change of a league again that was taken back."""

from podium.cli import options
from podium.cli.changes import Asked, Entry

EXAMPLES = """\
[bold]Examples[/]

$ podium redo league.db --dry-run
$ podium redo league.db 17 --who ann --why "it was right after all"
"""


def command(where: options.League, entry: Entry = None, *, asked: Asked) -> None:
    """Make the change again that podium undo took back last, or another one that it did."""
    asked.make(where, lambda league, how: league.redo(entry, **how))
