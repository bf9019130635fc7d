"""A reproduction as files: a picture, its numbers, and a page of Markdown that says it all.

The page is written last. Where it is, everything that it speaks of is there too.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium import pictures
from podium.files import replacing
from podium.papers.targets import Data, Reproduction, Target
from podium.progress import Report, unseen

if TYPE_CHECKING:
    import polars as pl


def page(target: Target, folder: Path) -> Path:
    """Where the page of a target is."""
    return folder / f"{target.name}.md"


def is_written(target: Target, data: Iterable[str], folder: Path) -> bool:
    """Whether the folder has the page of a target, as computed from data sets of these names."""
    path = page(target, folder)
    return path.is_file() and f"\n{_command(target, data)}\n" in path.read_text("utf-8", "replace")


def _command(target: Target, data: Iterable[str]) -> str:
    given = [f"--data {name}=PATH" for name in target.data if name in set(data)]
    return f"    {' '.join(['podium reproduce', target.name, *given])}"


def reproduce(
    target: Target, data: Data, folder: Path, progress: Report = unseen
) -> tuple[Reproduction, list[Path]]:
    """Compute a target and write it to a folder; what came out, and the paths of all files.

    If that fails or is interrupted, the folder is as it was, but for the trials of a target that
    keeps them: it goes on from there.
    """
    with replacing(folder, folder=True, stale=[page(target, folder).name]) as temporary:
        kept = {"kept": folder / f"{target.name}-trials"} if target.keeps else {}
        result = target.function(data, progress, **kept)
        names = _write_parts(target, result, temporary)
    with replacing(page(target, folder)) as temporary:
        text = markdown(target, data, result, names)
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return result, [page(target, folder), *(folder / name for name in names)]


def _write_parts(target: Target, result: Reproduction, folder: Path) -> list[str]:
    names = []
    if result.figure is not None:
        names.append(f"{target.name}.png")
        pictures.save(result.figure, folder / names[-1], math=True)
    for part, table in result.numbers.items():
        names.append(f"{'-'.join(filter(None, (target.name, part)))}.csv")
        with replacing(folder / names[-1]) as temporary:
            table.write_csv(temporary)
    return names


def markdown(
    target: Target, data: Iterable[str], result: Reproduction, names: Sequence[str]
) -> str:
    """The page: table, remarks and what was written beside it, by these names."""
    parts = [f"# {target.title}", f"{target.paper}.", _command(target, data)]
    parts += [f"![{target.title}]({name})" for name in names if name.endswith(".png")]
    parts.append(markdown_table(result.findings))
    if result.remarks:
        parts.append("\n".join(f"- {remark}" for remark in result.remarks))
    numbers = [f"[{name}]({name})" for name in names if name.endswith(".csv")]
    if numbers:
        parts.append(f"The numbers: {', '.join(numbers)}.")
    return "\n\n".join(parts) + "\n"


def markdown_table(table: "pl.DataFrame") -> str:
    """A table in Markdown, numbers on the right.

    Example:
        >>> import polars as pl
        >>> print(markdown_table(pl.DataFrame({"in_paper": ["48"], "here": [47.93]})))
        | in paper | here |
        | --- | ---: |
        | 48 | 47.93 |
    """
    rules = ["---:" if kind.is_numeric() else "---" for kind in table.dtypes]
    rows = [heads(table), rules, *([as_text(cell) for cell in row] for row in table.iter_rows())]
    escaped = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in escaped)


def heads(table: "pl.DataFrame") -> list[str]:
    """The names of the columns in words."""
    return [name.replace("_", " ") for name in table.columns]


def as_text(value: Any) -> str:
    """A cell of a table: numbers to four digits, or to the whole if they are large.

    Example:
        >>> as_text(0.66247), as_text(229.812), as_text(10000.0), as_text(12345)
        ('0.6625', '229.8', '10,000', '12,345')
        >>> as_text("elo"), as_text(None)
        ('elo', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
