"""``podium rank``: everybody at once, by all matches, votes or rankings."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.compiling import announce_kernels
from podium.cli.console import Column, note, print_json
from podium.cli.groups import Without, option
from podium.cli.source import Reading, note_assumptions, refuse_leagues, shown_name
from podium.cli.tables import Form, Table, fixed, whole
from podium.errors import InputError
from podium.extras import require
from podium.progress import progress_bar
from podium.texts import visible
from podium.wording import NOTHING

if TYPE_CHECKING:
    from podium import Ranking

EXAMPLES = """\
[bold]Examples[/]

$ podium rank matches.csv
$ podium rank votes.parquet --model davidson --html > ranking.html
$ podium rank votes.csv --covariate length --bootstrap 1000 --csv
$ podium rank races.csv --min-results 20 --top 20 --png races.png
$ podium rank votes.csv --chances --json

Results need not say when they were. Votes on language models are read as arenas write them: \
model_a, model_b, and winner as model_a, model_b or tie. docs/hindsight.md has more.
"""
_MOST_CHANCES = 40


def command(
    paths: options.ManyResults,
    *,
    model: Annotated[
        str | None,
        option(
            "NAME",
            "bradley-terry (a tie is half a win), davidson (a tie is an outcome of its own) or "
            "plackett-luce (rankings of any size); the first, or the last where more than two "
            "compete, if not given.",
        ),
    ] = None,
    covariates: Annotated[
        list[str] | None,
        option(
            "COLUMN",
            "A column of numbers that counts too: of a match, what speaks for the first of the "
            "two; can be repeated. A side always counts.",
            "--covariate",
        ),
    ] = None,
    ridge: Annotated[
        float | None,
        option(
            "X", "Draw all scores together; not at all if not given, unless some only win or lose."
        ),
    ] = None,
    bootstrap: Annotated[
        int | None,
        option("N", "Find intervals by N resamples, instead of from derivatives.", min=10),
    ] = None,
    confidence: Annotated[float, typer.Option(help="The confidence level of intervals.")] = 0.95,
    seed: options.Seed = 0,
    min_results: Annotated[int, option("N", "Leave out whoever has fewer results.", min=1)] = 1,
    top: options.Top = 0,
    chances: Annotated[
        bool, typer.Option("--chances", help="Show who would win against whom, of those shown.")
    ] = False,
    png: Annotated[Path | None, option("FILE", "Draw the ratings with their intervals.")] = None,
    form: Form,
    reading: Annotated[Reading, Without("isolated", "keep_order")],
) -> None:
    """Rank players, teams or models by all results at once, whenever they were.

    Intervals of ratings hold one by one, those of ranks for all at once: places whose intervals
    overlap cannot be told apart. A tier ends where the next is clearly below its best.
    """
    from podium.hindsight import comparing
    from podium.hindsight.ranking import ranked
    from podium.numerics import comparisons
    from podium.results.options import Options

    if png is not None:
        if png.suffix.lower() != ".png":
            raise InputError(f"{png}: the picture is a PNG, so its name must end in .png.")
        require("matplotlib")
    refuse_leagues(paths)
    said = Options.of(reading.said())
    with progress_bar(f"Reading {shown_name(paths)}"):
        compared, report = comparing.of_files(
            paths, said, covariates or (), chosen=lambda found: reading.chosen(found, paths[0])
        )
    note_assumptions(report)
    is_of_two = isinstance(compared, comparing.Pairs) and model != "plackett-luce"
    announce_kernels(comparisons.add_up_pairs if is_of_two else comparisons.add_up_rankings)
    with progress_bar("Resampling") as progress:
        found = ranked(
            compared,
            model=model,
            ridge=ridge,
            interval="sandwich" if bootstrap is None else "bootstrap",
            resamples=bootstrap or 500,
            confidence=confidence,
            seed=seed,
            min_results=min_results,
            progress=progress,
        )
    shown = top or None
    if png is not None:
        found.picture(png, shown)
    if form.json:
        print_json(found.document(shown, chances=chances))
        return
    tables = _tables(found, f"Ranking of {shown_name(paths)}", top, chances)
    if form.for_terminal:
        for place, table in enumerate(tables):
            if place:
                print()
            table.print()
    else:
        form.print(*tables)
    for each in (*found.notes, tables[0].caption):
        note(f"\n{each}")
    if png is not None and form.for_terminal:
        note(f"\nThe picture is in {png}.")


def _tables(found: "Ranking", title: str, top: int, chances: bool) -> list[Table]:
    from podium.hindsight.drawing import ranking_svg
    from podium.hindsight.ranking import summary

    rows = found.table.head(top) if top else found.table
    left = f"The first {rows.height:,} of " if rows.height < found.table.height else ""
    caption = (
        f"{left}{summary(found)}; intervals of {100.0 * found.confidence:.6g} % by "
        f"{found.interval}, of ranks for all at once."
    )
    ranks = zip(rows["rank_low"], rows["rank_high"], strict=True)
    columns = [
        Column("place", right=True, style="dim"),
        Column("player", style="bold", names=True),
        Column("rating", right=True, style="bold cyan"),
        Column("low", right=True),
        Column("high", right=True),
        Column("ranks", right=True),
        Column("tier", right=True),
        Column("results", right=True, style="dim"),
    ]
    cells = [
        whole(rows["place"]),
        rows["player"].to_list(),
        *(fixed(rows[name], 0) for name in ("rating", "low", "high")),
        [f"{low}" if low == high else f"{low}–{high}" for low, high in ranks],
        whole(rows["tier"]),
        whole(rows["results"]),
    ]
    if found.groups > 1:
        columns.append(Column("group", right=True))
        cells.append(whole(rows["group"]))
    picture = ranking_svg(found, top or None)
    ranking = Table(title, columns, cells, rows, found.notes, caption, picture)
    return [ranking, *([_chances(found, rows.height)] if chances else [])]


def _chances(found: "Ranking", count: int) -> Table:
    """Who would win against whom."""
    if count > _MOST_CHANCES:
        raise InputError(
            f"--chances shows a column for each player, up to {_MOST_CHANCES} of them; --top N "
            f"says how many, and --json and Ranking.chances() have all."
        )
    frame = found.chances().head(count)
    names = frame["player"].to_list()
    cells = [
        [NOTHING if each is None else f"{100.0 * each:.0f}" for each in frame[name]]
        for name in names
    ]
    return Table(
        "Chances",
        [Column("wins, %", names=True), *(Column(visible(name), right=True) for name in names)],
        [names, *cells],
        frame.select("player", *names),
        caption="The chance, in per cent, that who stands on the left wins against who is above.",
    )
