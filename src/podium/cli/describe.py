"""``podium describe``: what is known of players of a league besides their names."""

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument, option
from podium.cli.leagues import refuse_what_is_none
from podium.cli.record import refuse_leagues
from podium.errors import InputError
from podium.progress import progress_bar

EXAMPLES = """\
[bold]Examples[/]

$ podium describe league.db ann country=NO birth_year=2005 display="Ann Lee"
$ podium describe league.db ann club=    # removes a value
$ podium describe league.db people.csv --dry-run
$ podium describe league.db people.xlsx --define --new --who bob

A file has a row for each player: player, by any of their names, display, hidden (yes or no) and \
attributes. An empty cell changes nothing, and - removes a value. podium players league.db --csv \
prints such a table.
"""


def command(
    where: options.League,
    what: Annotated[
        str, argument("PLAYER|FILE", "A player, with values; or a table of players without any.")
    ],
    values: Annotated[
        list[str] | None,
        argument("[NAME=VALUE…]", "Attributes of the player, or display=NAME; NAME= removes one."),
    ] = None,
    *,
    define: Annotated[
        bool,
        typer.Option(
            "--define",
            help="Columns that the league has no attribute for become some, by what they hold.",
        ),
    ] = False,
    new: Annotated[
        bool,
        typer.Option("--new", help="Add players whom the league does not know, without results."),
    ] = False,
    sheet: Annotated[str | None, option("NAME", "Which sheet of a workbook.")] = None,
    asked: Asked,
) -> None:
    """Say what is known of a player, or of all players in a table: country, club, a name to show.

    What the league may know, podium attributes says. No rating changes.
    """
    refuse_what_is_none(where)
    if values:
        if define or sheet is not None:
            raise InputError("--define and --sheet are for tables of players.")
        said = options.pairs(values, "NAME=VALUE")
        given = {name: value or None for name, value in said.items()}
        asked.make(where, lambda league, how: league.describe(what, given, new=new, **how))
        return
    from podium.results.options import Options
    from podium.results.reading import plain_rows

    path = Path(what)
    if not path.exists():
        raise InputError(
            f"there is nothing to say of {what!r}: give values, such as country=NO, or the file of "
            f"a table of players."
        )
    refuse_leagues([path])
    with progress_bar(f"Reading {path.name}"):
        rows = plain_rows(path, Options(sheet=sheet))
    asked.make(where, lambda league, how: league.describe_all(rows, define=define, new=new, **how))
