"""``podium log``: who changed what in a league, and why."""

from typing import Annotated, Any

from podium.cli import options
from podium.cli.console import Column, print_json, print_table
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.wording import NOTHING

EXAMPLES = """\
[bold]Examples[/]

$ podium log league.db
$ podium log league.db --last 20 --json
$ podium log league.db --contest week-3
$ podium log league.db --player ann
"""


def command(
    where: options.League,
    contest: Annotated[str | None, option("CONTEST", "Only what concerns it.")] = None,
    player: Annotated[str | None, option("PLAYER", "Only what concerns them.")] = None,
    last: Annotated[int, option("N", "Show the last N changes; 0 for all.", min=0)] = 0,
    json: options.Json = False,
) -> None:
    """Show who changed a league, when, what and why, the latest first."""
    from podium.league import documents

    with asking(where) as view:
        entries = view.log(last or None, contest=contest, player=player)
    if json:
        print_json(documents(entries))
        return
    print_table(
        (
            Column("number", right=True, style="dim"),
            Column("time", style="dim"),
            Column("who"),
            Column("action", style="bold"),
            Column("contest"),
            Column("player"),
            Column("why"),
        ),
        [_row(entry) for entry in entries.iter_rows(named=True)],
    )


def _row(entry: dict[str, Any]) -> tuple[str, ...]:
    return (
        str(entry["number"]),
        f"{entry['time']:%Y-%m-%d %H:%M}",
        *(entry[key] or NOTHING for key in ("who", "action", "contest", "player", "why")),
    )
