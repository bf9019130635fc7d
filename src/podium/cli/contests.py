"""``podium contests``: what a league has recorded."""

from typing import Annotated

from podium.cli import options
from podium.cli.console import Column, note, print_json, print_table
from podium.cli.contest import limits_of
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.wording import NOTHING

EXAMPLES = """\
[bold]Examples[/]

$ podium contests league.db
$ podium contests league.db --last 5 --json
"""


def command(
    where: options.League,
    last: Annotated[int, option("N", "Show the last N contests; 0 for all.", min=0)] = 0,
    json: options.Json = False,
) -> None:
    """List the contests of a league in the order in which they are rated."""
    from podium.league import documents

    with asking(where) as view:
        contests = view.contests()
    shown = contests.tail(last) if last else contests
    if json:
        print_json(documents(shown))
        return
    named = shown["name"].count() > 0
    limits = [limits_of(*row) for row in shown.select("rating_floor", "rating_ceiling").iter_rows()]
    limited = any(limits)
    print_table(
        (
            Column("date", style="dim"),
            Column("contest", style="bold"),
            *([Column("name")] if named else []),
            Column("players", right=True),
            Column("weight", right=True),
            Column("rated"),
            *([Column("for ratings")] if limited else []),
        ),
        [
            (
                f"{row['time']:%Y-%m-%d}",
                row["contest"],
                *([row["name"] or NOTHING] if named else []),
                f"{row['players']:,}",
                f"{row['weight']:g}",
                "yes" if row["rated"] else "no",
                *([limit or NOTHING] if limited else []),
            )
            for row, limit in zip(shown.iter_rows(named=True), limits, strict=True)
        ],
    )
    if shown.height < contests.height:
        note(f"\nThe last {shown.height:,} of {contests.height:,} contests.")
