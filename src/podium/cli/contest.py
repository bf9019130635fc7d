"""``podium contest``: how one contest of a league ended, and what it did to ratings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.board import CHANGE
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.wording import NOTHING, counted, listed, step

if TYPE_CHECKING:
    from podium import Contests
    from podium.league import Result

EXAMPLES = """\
[bold]Examples[/]

$ podium contest league.db week-3
$ podium contest league.db week-3 --top 0 --json
$ podium contest league.db week-3 --out week-3.csv
"""


def command(
    where: options.League,
    contest: options.Contest,
    top: Annotated[int, option("N", "The first N; 0 for all.", "--top", "-n", min=0)] = 0,
    json: options.Json = False,
    out: Annotated[
        Path | None,
        option("FILE", "Write its results instead, as podium amend takes them: .csv or .parquet."),
    ] = None,
) -> None:
    """Show one contest: who came where, how well that was, and how the ratings moved."""
    with asking(where) as view:
        if out is not None:
            write_results(view.results(contest), out)
            return
        result = view.result(contest)
    if json:
        print_json(result.document(top or None))
        return
    standings, digits = result.standings, result.system.decimals
    shown = standings.head(top) if top else standings
    output().print(f"{_headline(result)}\n")
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


def write_results(results: "Contests", out: Path) -> None:
    """Write results with all that was given of them, and say so."""
    from podium.ratings.fold import write_table

    write_table(results.frame(given=True), out)
    note(f"{out}: {counted(results.rows, 'result')} of {listed(results.ids)}.")


def _headline(result: "Result") -> str:
    parts = [
        result.contest if result.name is None else f"{result.contest}, {result.name}",
        f"{result.time:%Y-%m-%d}",
        counted(result.players, "player"),
    ]
    if result.weight != 1.0:
        parts.append(f"weight {result.weight:g}")
    if not result.rated:
        parts.append("unrated")
    if limits := limits_of(result.rating_floor, result.rating_ceiling):
        parts.append(f"for ratings {limits}")
    return f"{', '.join(parts)}."


def limits_of(floor: float | None, ceiling: float | None) -> str:
    """Which ratings a contest is for, or an empty text for all.

    Example:
        >>> limits_of(1200.0, 1600.0)
        'from 1200, below 1600'
    """
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
