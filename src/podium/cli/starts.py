"""``podium starts``: the ratings that players of a league were given."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli import options
from podium.cli.console import Column, note, print_json
from podium.cli.leagues import asking
from podium.cli.tables import Form, Table, dates, fixed
from podium.texts import sentence
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
[bold]Examples[/]

$ podium starts league.db
$ podium starts league.db --csv > given.csv
"""


def command(where: options.League, *, form: Form) -> None:
    """List the ratings that players of a league were given, by player and time."""
    from podium.league import documents

    with asking(where) as view:
        starts, digits = view.starts(), view.system.decimals
    if form.json:
        print_json(documents(starts))
        return
    if not form.for_terminal:
        form.print(_table(where, starts, digits))
    elif starts.height:
        _table(where, starts, digits).print()
    else:
        note("Nobody was given a rating; podium start LEAGUE FILE does that.")


def _table(where: str, starts: "pl.DataFrame", digits: int) -> Table:
    return Table(
        f"Starting ratings of {sentence(Path(where).name)}",
        (
            Column("player", style="bold", names=True),
            Column("from"),
            Column("rating", right=True, style="bold cyan"),
            Column("± sigma", right=True),
        ),
        (
            starts["player"],
            dates(starts["time"]),
            fixed(starts["rating"], digits),
            fixed(starts["sigma"], digits, "± "),
        ),
        starts,
        caption=f"{counted(starts.height, 'starting rating')}; without a date, before all "
        f"contests.",
    )
