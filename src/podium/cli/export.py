"""``podium export``: all that a league holds, as tables."""

from pathlib import Path
from typing import Annotated

from podium.cli import options
from podium.cli.console import output
from podium.cli.groups import argument, option
from podium.cli.leagues import asking
from podium.progress import progress_bar
from podium.texts import sentence

EXAMPLES = """\
[bold]Examples[/]

$ podium export league.db backup
$ podium export league.db tables --format csv
$ podium init copy.db --from backup
"""


def command(
    where: options.League,
    folder: Annotated[Path, argument("FOLDER", "Where to write.")],
    format: Annotated[str, option("NAME", "The format of the tables: parquet or csv.")] = "parquet",
) -> None:
    """Write contests, ratings, history and log to a folder, from which podium init makes a copy."""
    with asking(where) as view, progress_bar(f"Writing {folder.name}"):
        written = view.export(folder, format=format)
    output().print(f"{sentence(where)} is exported to {folder}: {', '.join(written)}.")
