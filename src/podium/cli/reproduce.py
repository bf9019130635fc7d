"""``podium reproduce``: figures and claims of papers, computed anew."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.console import Column, note, print_json, print_table
from podium.cli.progress import progress_bar
from podium.cli.source import Reading
from podium.errors import PodiumError
from podium.files import replacing

if TYPE_CHECKING:
    import polars as pl

    from podium.papers.targets import Target

EXAMPLES = """\
[bold]Examples[/]

$ podium reproduce
$ podium reproduce luck-figure-3.1 --out figures
$ podium reproduce luck-football --data football.parquet
"""

_DATA = {"none": "no", "optional": "if you like", "needed": "yes"}


def _names() -> list[str]:
    from podium import papers

    return papers.names()


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="TARGET",
            help="What to reproduce; without it, all targets are listed.",
            autocompletion=_names,
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Where the picture and its numbers go."),
    ] = Path("reproduced"),
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Matches of two to use, in any format that podium rate reads.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    columns: options.Columns = None,
    format: options.Format = None,
    keep_order: options.KeepOrder = False,
) -> None:
    """Compute a figure or a claim of a paper anew: a picture, its numbers, and a short table.

    Where a paper's own data is not public, simulated matches take its place, or those of --data.
    """
    from podium import papers

    if name is None:
        _list(papers.TARGETS, json)
        return
    target = papers.by_name(name)
    _check(target, data)
    reading = Reading(columns, format, keep_order=keep_order)
    if data is None and reading != Reading():
        raise PodiumError("options for reading results need --data PATH.")
    contests = None if data is None else reading.read(data)
    with replacing(out, folder=True) as temporary:
        with progress_bar(target.name) as progress:
            result = target.function(contests, progress)
        files = [out / path.name for path in result.write(temporary, target.name)]
    if json:
        print_json(
            {
                **_document(target),
                "findings": result.findings.to_dicts(),
                "files": [str(path) for path in files],
            }
        )
        return
    _print_findings(result.findings)
    note(f"\n{target.title}: in {', '.join(map(str, files))}.")


def _check(target: "Target", data: Path | None) -> None:
    if target.data == "needed" and data is None:
        raise PodiumError(f"{target.name} needs matches of two; give them with --data PATH.")
    if target.data == "none" and data is not None:
        raise PodiumError(f"{target.name} uses no results, so --data does not apply.")


def _list(targets: "tuple[Target, ...]", json: bool) -> None:
    if json:
        print_json([_document(target) for target in targets])
        return
    columns = (Column("target", style="bold cyan"), Column("what it shows"), Column("takes --data"))
    print_table(columns, [(each.name, each.title, _DATA[each.data]) for each in targets])


def _document(target: "Target") -> dict[str, Any]:
    return {"target": target.name, "title": target.title, "data": target.data}


def _print_findings(findings: "pl.DataFrame") -> None:
    columns = [
        Column(name.replace("_", " "), right=kind.is_numeric())
        for name, kind in findings.schema.items()
    ]
    print_table(columns, [[_cell(value) for value in row] for row in findings.iter_rows()])


def _cell(value: Any) -> str:
    """A number to four digits.

    Example:
        >>> _cell(0.66247), _cell(229.812), _cell(12345), _cell("elo"), _cell(None)
        ('0.6625', '229.8', '12,345', 'elo', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
