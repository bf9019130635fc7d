"""``podium verify``: whether a league is what its contests make it."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import output, print_json
from podium.cli.leagues import asking
from podium.progress import progress_bar
from podium.texts import sentence
from podium.wording import counted

EXAMPLES = """\
[bold]Examples[/]

$ podium verify league.db
$ podium verify league.db --json
$ podium verify league.db --export

--export also writes an export of the league, builds another league from it, both in a temporary
folder, and compares all that the two have.

The exit code is 0 if everything agrees, and 1 if anything differs. Ratings of another kind of
machine, which may round otherwise, agree if they do to 1e-9.
"""

NOT_SOUND = 1


_Export = Annotated[
    bool,
    typer.Option("--export", help="Also check that an export builds the same league again."),
]


def command(where: options.League, export: _Export = False, json: options.Json = False) -> None:
    """Rate all contests of a league from nothing, and compare every number with what is stored."""
    with asking(where) as view:
        announce_compilation(view.system)
        with progress_bar("Verifying") as progress:
            found = view.verify(export=export, progress=progress)
    if json:
        print_json(found.document())
    else:
        contests, changes = counted(found.contests, "contest"), counted(found.events, "change")
        about = f"{sentence(where)}: {contests}, {changes} of ratings"
        output().print(f"{about}, {found.verdict}.")
        for difference in found.differences:
            output().print(difference)
    if not found.sound:
        raise typer.Exit(NOT_SOUND)
