"""``podium undo``: take back a change of a league."""

from podium.cli import options
from podium.cli.changes import Asked, Entry

EXAMPLES = """\
[bold]Examples[/]

$ podium undo league.db --dry-run
$ podium undo league.db --who ann --why "the wrong file"
$ podium undo league.db 17

podium log league.db has the numbers of the changes, and podium redo makes a change again.
"""


def command(where: options.League, entry: Entry = None, *, asked: Asked) -> None:
    """Take back the last change, or an earlier one on which no later one depends.

    The league is then as before it, to the bit. A later change depends on it that touches the same
    contest, or a player whom it renamed or merged, or is a revision: that is taken back first.
    """
    asked.make(where, lambda league, how: league.undo(entry, **how))
