"""``podium learned``: what a system has learned from everybody's results."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium import systems
from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json
from podium.cli.groups import option
from podium.cli.options import Choice
from podium.cli.source import Reading
from podium.cli.tables import Form, Table
from podium.errors import InputError
from podium.extras import require
from podium.progress import progress_bar
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    from podium import Learned
    from podium.systems.lessons import Curve, Line

EXAMPLES = """\
[bold]Examples[/]

$ podium learned results.csv
$ podium learned results.csv --png learned.png
$ podium learned matches.csv --set forgetting=0.005 --json

What is learned is about all players: what experience and absence do to them, how good newcomers \
are, what the side is worth. docs/podium-system.md has pictures, and says what they show.
"""

_MOST_ROWS = 24
"""Of a curve, in a terminal."""


@dataclass(frozen=True, slots=True)
class LearningSystem(Choice):
    """The one that learns."""

    system: Annotated[
        str | None,
        option("NAME", "The system that learns.", "--system", "-s", autocompletion=systems.names),
    ] = "podium"


def command(
    paths: options.ManyResults,
    *,
    png: Annotated[Path | None, option("FILE", "Draw the curves.")] = None,
    form: Form,
    choice: LearningSystem,
    reading: Reading,
) -> None:
    """Show what podium's own system learns from all results: curves and numbers.

    A forecast is a rating and what such players do: newcomers, those who were
    away, those who play often. After ± stands the standard error, as if
    results were independent of each other.
    """
    import podium

    if png is not None:
        if png.suffix.lower() != ".png":
            raise InputError(f"{png}: the picture is a PNG, so its name must end in .png.")
        require("matplotlib")
    chosen = choice.chosen()
    contests = reading.read(paths)
    announce_compilation(chosen)
    with progress_bar("Learning") as progress:
        found = podium.learned(contests, chosen, progress=progress)
    try:
        if png is not None:
            found.picture(png)
    finally:  # a picture that cannot be written does not lose what was learned
        if form.json:
            print_json(found.document())
        elif form.for_terminal:
            _print(found)
        else:
            form.print(*_tables(found))
    if png is not None and form.for_terminal:
        note(f"\nThe picture is in {png}.")


def _print(found: "Learned") -> None:
    for place, table in enumerate(_tables(found)):
        cells = [list(column) for column in table.cells]
        step = -(-len(cells[0]) // _MOST_ROWS)
        left_out = "" if step == 1 else f", every {step} rows; --csv has all"
        output().print(f"{chr(10) * (place > 0)}{table.title}{left_out}")
        replace(table, cells=[column[::-step][::-1] for column in cells]).print()


def _tables(found: "Learned") -> list[Table]:
    """The numbers, and each curve; the first has all values."""
    from podium.ratings.learned import shown

    whose = f"{counted(found.contests, 'contest')} of {counted(found.players, 'player')}"
    numbers = Table(
        f"Learned by {found.system.name} from {whose}",
        [Column("number", names=True), Column("value", right=True), Column("meaning")],
        (
            [each.name for each in found.numbers],
            [shown(each) for each in found.numbers],
            [each.meaning for each in found.numbers],
        ),
        found.table,
    )
    return [numbers, *(_table(each, found) for each in found.curves)]


def _table(curve: "Curve", found: "Learned") -> Table:
    """A row for each x, and a column for each line."""
    import polars as pl

    x = sorted({each for line in curve.lines for each in line.x.tolist()})
    heads = [line.name or curve.along for line in curve.lines]
    return Table(
        f"{curve.title}: {curve.along}",
        [Column(curve.across, right=True), *(Column(each, right=True) for each in heads)],
        [[f"{each:g}" for each in x], *(_cells(line, x, curve.decimals) for line in curve.lines)],
        found.table.filter(pl.col("curve") == curve.name),
    )


def _cells(line: "Line", x: list[float], decimals: int) -> list[str]:
    values = zip(line.x.tolist(), line.value.tolist(), line.error.tolist(), strict=True)
    texts = {}
    for at, value, error in values:
        known = "" if error != error else f" ± {error:.{decimals}f}"
        texts[at] = f"{value:+.{decimals}f}{known}"
    return [texts.get(each, NOTHING) for each in x]
