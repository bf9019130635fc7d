"""``podium backup``: a league in one file, while others may change it."""

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.console import output, print_json
from podium.cli.groups import argument
from podium.cli.leagues import opened
from podium.progress import progress_bar
from podium.texts import sentence
from podium.wording import counted

EXAMPLES = """\
[bold]Examples[/]

$ podium backup league.db copy.db
$ podium backup league.db nightly.db --force
$ podium backup postgresql://localhost/league copy.db --json

The copy is a league of its own, one file with all that the league holds; podium verify says
whether it is sound.
"""


def command(
    where: options.League,
    file: Annotated[Path, argument("FILE", "Where to copy it.")],
    force: Annotated[
        bool, typer.Option("--force", help="Replace a league that is there; never another file.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Copy one state of a league to a file, safely while others change it.

    The file appears when it is complete. A league on a server becomes one in a file, too.
    """
    with opened(where) as league, progress_bar(f"Copying to {file.name}") as progress:
        copy = league.backup(file, replace=force, progress=progress)
    if json:
        print_json(copy.document())
        return
    contests = counted(copy.contests, "contest")
    output().print(
        f"{sentence(where)} is copied to {file}: {contests}, {counted(copy.bytes, 'byte')}."
    )
