"""``podium contest``: how one contest of a league ended, and what it did to ratings."""

from typing import Annotated, Any

from podium.cli import options
from podium.cli.board import CHANGE
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import option
from podium.cli.leagues import opened
from podium.wording import NOTHING, counted, step

EXAMPLES = """\
[bold]Examples[/]

$ podium contest league.db week-3
$ podium contest league.db week-3 --top 0 --json
"""


def command(
    where: options.League,
    contest: options.Contest,
    top: Annotated[int, option("N", "The first N; 0 for all.", "--top", "-n", min=0)] = 0,
    json: options.Json = False,
) -> None:
    """Show one contest: who came where, how well that was, and how the ratings moved."""
    with opened(where) as league:
        standings = league.contest(contest)
        about = league.contests(contest).row(0, named=True)
        system = league.system
    shown, digits = standings.head(top) if top else standings, system.decimals
    if json:
        print_json({**about, "system": system.name, "standings": shown.to_dicts()})
        return
    output().print(f"{_headline(about)}\n")
    teams = standings["team"].count() > 0
    print_table(
        (
            Column("rank", right=True),
            Column("player", style="bold"),
            *([Column("team")] if teams else []),
            Column("performance", right=True),
            Column("rating", right=True),
            CHANGE,
        ),
        [_row(row, teams, digits) for row in shown.iter_rows(named=True)],
    )
    if shown.height < standings.height:
        note(f"\nThe first {shown.height:,} of {standings.height:,} players; --top 0 shows all.")


def _headline(about: dict[str, Any]) -> str:
    parts = [
        about["contest"] if about["name"] is None else f"{about['contest']}, {about['name']}",
        f"{about['time']:%Y-%m-%d}",
        counted(about["players"], "player"),
    ]
    if about["weight"] != 1.0:
        parts.append(f"weight {about['weight']:g}")
    if not about["rated"]:
        parts.append("unrated")
    if limits := limits_of(about):
        parts.append(f"for ratings {limits}")
    return f"{', '.join(parts)}."


def limits_of(contest: dict[str, Any]) -> str:
    """Which ratings a contest is for, or an empty text for all.

    Example:
        >>> limits_of({"rating_floor": 1200.0, "rating_ceiling": 1600.0})
        'from 1200, below 1600'
    """
    floor, ceiling = contest["rating_floor"], contest["rating_ceiling"]
    parts = [] if floor is None else [f"from {floor:g}"]
    return ", ".join(parts if ceiling is None else [*parts, f"below {ceiling:g}"])


def _row(row: dict[str, Any], teams: bool, digits: int) -> tuple[str, ...]:
    performance = row["performance"]
    before, after, change = step(row["rating_before"], row["rating"], digits)
    return (
        f"{row['rank']:,}",
        row["player"],
        *([row["team"] or NOTHING] if teams else []),
        NOTHING if performance is None else f"{performance:.{digits}f}",
        NOTHING if row["rating"] is None else f"{before} → {after}",
        "unrated" if row["rating"] is None else change,
    )
