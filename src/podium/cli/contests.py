"""``podium contests``: what a league has recorded."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.console import Column, note, print_json
from podium.cli.contest import limits_of
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.cli.tables import Form, Table, dates, whole, words
from podium.texts import sentence
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
[bold]Examples[/]

$ podium contests league.db
$ podium contests league.db --last 5 --json
"""


def command(
    where: options.League,
    *,
    last: Annotated[int, option("N", "Show the last N contests; 0 for all.", min=0)] = 0,
    form: Form,
) -> None:
    """List the contests of a league in the order in which they are rated."""
    from podium.league import documents

    with asking(where) as view:
        contests = view.contests()
    shown = contests.tail(last) if last else contests
    if form.json:
        print_json(documents(shown))
        return
    table = _table(where, shown, contests.height)
    if form.for_terminal:
        table.print()
    else:
        form.print(table)
    if shown.height < contests.height:
        note(f"\n{table.caption}")


def _table(where: str, shown: "pl.DataFrame", height: int) -> Table:
    named = shown["name"].count() > 0
    limits = [limits_of(*row) for row in shown.select("rating_floor", "rating_ceiling").iter_rows()]
    limited = any(limits)
    caption = f"{counted(height, 'contest')}, in the order in which they are rated."
    if shown.height < height:
        caption = f"The last {shown.height:,} of {height:,} contests."
    return Table(
        f"Contests of {sentence(Path(where).name)}",
        (
            Column("date", style="dim"),
            Column("contest", style="bold", names=True),
            *([Column("name")] if named else []),
            Column("players", right=True),
            Column("weight", right=True),
            Column("rated"),
            *([Column("for ratings")] if limited else []),
        ),
        (
            dates(shown["time"]),
            shown["contest"],
            *([words(shown["name"])] if named else []),
            whole(shown["players"]),
            [f"{each:g}" for each in shown["weight"]],
            ["yes" if each else "no" for each in shown["rated"]],
            *([[each or NOTHING for each in limits]] if limited else []),
        ),
        shown,
        caption=caption,
    )
