"""``podium seasons``: the seasons of a league."""

from pathlib import Path
from typing import TYPE_CHECKING

from podium.cli import options
from podium.cli.console import Column, note, print_json
from podium.cli.leagues import asking
from podium.cli.tables import Form, Table, dates
from podium.texts import sentence
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
[bold]Examples[/]

$ podium seasons league.db
$ podium seasons league.db --json
$ podium leaderboard league.db --season 2025
"""


def command(where: options.League, *, form: Form) -> None:
    """List the seasons of a league, and the resets that they begin with."""
    from podium.league import documents

    with asking(where) as view:
        seasons = view.seasons()
    if form.json:
        print_json(documents(seasons))
        return
    if not form.for_terminal:
        form.print(_table(where, seasons))
    elif seasons.height:
        _table(where, seasons).print()
    else:
        note("There are no seasons; podium season LEAGUE NAME --from DATE begins one.")


def _table(where: str, seasons: "pl.DataFrame") -> Table:
    return Table(
        f"Seasons of {sentence(Path(where).name)}",
        (
            Column("season", style="bold", names=True),
            Column("from"),
            Column("until"),
            Column("pull", right=True),
            Column("toward", right=True),
            Column("least sigma", right=True),
        ),
        (
            seasons["name"],
            dates(seasons["start"]),
            dates(seasons["end"]),
            *(
                [NOTHING if each is None else f"{each:g}" for each in seasons[name]]
                for name in ("pull", "toward", "sigma")
            ),
        ),
        seasons,
        caption=f"{counted(seasons.height, 'season')}, each until the next one begins.",
    )
