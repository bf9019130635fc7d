"""``podium contest``: how one contest of a league ended, and what it did to ratings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.board import CHANGE, rating_steps
from podium.cli.console import Column, note, output, print_json
from podium.cli.groups import option
from podium.cli.leagues import asking, is_address
from podium.cli.tables import Form, Table, fixed, whole, words
from podium.wording import counted, listed

if TYPE_CHECKING:
    import polars as pl

    from podium import Contests
    from podium.league import Result

EXAMPLES = """\
[bold]Examples[/]

$ podium contest league.db week-3
$ podium contest league.db week-3 --top 0 --json
$ podium contest league.db week-3 --markdown
$ podium contest league.db week-3 --out week-3.csv
"""
_SAID = {"team": "team", "given_team": "team", "score": "score", "status": "status"}
"""What may have been said of a player in a contest, and its header; a team is one or the other."""


def command(
    where: options.League,
    contest: options.Contest,
    *,
    top: Annotated[int, option("N", "The first N; 0 for all.", "--top", "-n", min=0)] = 0,
    with_hidden: options.WithHidden = False,
    form: Form,
    out: Annotated[
        Path | None,
        option("FILE", "Write its results instead, as podium amend takes them: .csv or .parquet."),
    ] = None,
) -> None:
    """Show one contest: who came where, how well that was, and how the ratings moved."""
    is_own = out is not None and not is_address(where)  # what is to be put right is whole
    with asking(where, with_hidden=with_hidden or is_own) as view:
        if out is not None:
            write_results(view.results(contest), out)
            return
        result = view.result(contest)
    if form.json:
        print_json(result.document(top or None))
        return
    standings = result.standings
    shown = standings.head(top) if top else standings
    table = _table(result, shown)
    if form.for_terminal:
        output().print(f"{table.facts[0]}\n")
        table.print()
    else:
        form.print(table)
    if shown.height < standings.height:
        note(f"\n{table.caption.removesuffix('.')}; --top 0 shows all.")


def _table(result: "Result", shown: "pl.DataFrame") -> Table:
    said = [name for name in _SAID if result.standings[name].count() > 0]
    expected = result.standings["expected_rank"].count() > 0
    digits = result.system.decimals
    caption = f"Ratings by {result.system.name}."
    if shown.height < result.standings.height:
        caption = f"The first {shown.height:,} of {result.standings.height:,} players."
    ratings, changes = rating_steps(shown, digits)
    if not limits_of(result.rating_floor, result.rating_ceiling):  # then only guests are not rated
        guests = zip(changes, shown["eligible"], strict=True)
        changes = [change if eligible else "guest" for change, eligible in guests]
    return Table(
        result.name or result.contest,
        (
            Column("rank", right=True),
            Column("player", style="bold", names=True),
            *(Column(_SAID[name], right=name == "score") for name in said),
            *([Column("expected", right=True, style="dim")] if expected else []),
            Column("performance", right=True),
            Column("rating", right=True),
            CHANGE,
        ),
        (
            whole(shown["rank"]),
            shown["player"],
            *(words(shown[name]) for name in said),
            *([fixed(shown["expected_rank"], 1)] if expected else []),
            fixed(shown["performance"], digits),
            ratings,
            changes,
        ),
        shown,
        (_headline(result),),
        caption,
    )


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
