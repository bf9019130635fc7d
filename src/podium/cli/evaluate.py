"""``podium evaluate``: which system predicts these contests best."""

import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium import systems as registry
from podium.cli import INTERRUPTED, options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Group, option
from podium.cli.source import Reading
from podium.errors import InputError, PodiumError
from podium.extras import require
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    from podium import Contests, Evaluation

EXAMPLES = """\
[bold]Examples[/]

$ podium evaluate results.csv --system elo-mmr --system codeforces --system topcoder
$ podium evaluate results.csv --system "elo-mmr rho=0.5" --system elo-mmr --html report.html
$ podium evaluate matches.csv --system all --min-contests 10 --json

Every contest is predicted from the ratings before it, then rated. podium tune finds parameters.
"""
_MARK = "*"


def _completed(incomplete: str) -> list[str]:
    return [name for name in ("all", *registry.names()) if name.startswith(incomplete)]


@dataclass(frozen=True, slots=True)
class Measuring(Group):
    """What is measured, and how sure it is."""

    skip: Annotated[
        float,
        typer.Option(
            help="The share of contests, from the first on, that is rated but not scored."
        ),
    ] = 0.1
    min_contests: Annotated[int, option("N", "Who has so many contests before is experienced.")] = 5
    weighting: Annotated[
        str, option("NAME", "What counts the same: every participation or contest.")
    ] = "participation"
    top: Annotated[int, option("N", "How many are the top, for measures of the top.")] = 10
    confidence: Annotated[float, typer.Option(help="The confidence level of intervals.")] = 0.95
    resamples: Annotated[int, option("N", "How often contests are resampled for intervals.")] = 1000
    seed: options.Seed = 0


def command(
    path: options.Results,
    *,
    system: Annotated[
        list[str] | None,
        option(
            '"NAME KEY=VALUE …"',
            "A rating system, with parameters if they are not the usual ones; can be "
            "repeated. all: every system that takes these results. elo-mmr if not given.",
            "--system",
            "-s",
            autocompletion=_completed,
        ),
    ] = None,
    measuring: Measuring,
    html: Annotated[
        Path | None, option("FILE", "Write a report with pictures to this file.")
    ] = None,
    json: options.Json = False,
    threads: options.Threads = None,
    reading: Reading,
) -> None:
    """Compare rating systems: how well each predicts contests from the ratings before them.

    Every measure has an interval, from contests resampled with replacement, unless there is one
    contest only. The best value of each is marked, and the time that rating took is below.
    """
    import podium
    from podium.evaluation.comparison import labelled

    if html is not None:
        _check_report(html)
    wanted = list(system or ["elo-mmr"])
    if "all" not in wanted:
        labelled(wanted)
    contests = reading.read(path)
    chosen = labelled(_with_all(wanted, contests))
    announce_compilation(*chosen.values())
    with progress_bar("Evaluating") as progress:
        found = podium.evaluate(
            contests,
            list(chosen),
            **asdict(measuring),
            progress=progress,
            threads=threads,
            keep_interrupted=True,
        )
    try:
        if html is not None:
            from podium.evaluation.report import write_report

            command_line = shlex.join(["podium", *sys.argv[1:]])
            title = f"Rating systems on {path.name}"
            write_report(found, html, title=title, contests=contests, command=command_line)
    finally:  # a report that cannot be written does not lose what was measured
        if json:
            print_json(found.document(data=path, html=html))
        else:
            _print(found)
    if html is not None and not json:
        note(f"\nThe report is in {html}.")
    if found.interrupted:
        note("podium: interrupted; what is shown is of the systems that were done.")
        raise typer.Exit(INTERRUPTED)


def _check_report(path: Path) -> None:
    """Raise if no report can be written there, before a long run."""
    require("matplotlib")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give the name of a file for the report.")
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if not parent.is_dir():
        raise InputError(f"{path}: cannot be written, because {parent} is a file.")


def _with_all(wanted: Sequence[str], contests: "Contests") -> list[str]:
    """The systems asked for, with all that take these results in place of "all"."""
    from podium.evaluation.scoring import ladders
    from podium.ratings.fold import ready_to_fold

    found: list[str] = []
    for name in wanted:
        if name != "all":
            found.append(name)
            continue
        for each in registry.names():
            try:
                for part in ladders(contests):
                    ready_to_fold(part, each, None, {})
            except PodiumError:
                continue
            if each not in wanted:
                found.append(each)
    return found


def _print(found: "Evaluation") -> None:
    for row in found.counted.iter_rows(named=True):
        who = "all players"
        if row["players"] == "experienced":
            many = counted(found.settings["min_contests"], "contest")
            who = f"experienced players, with at least {many} before"
        what = counted(row["contests"], "contest"), counted(row["participations"], "participation")
        lacks = "; one contest has no interval" if row["contests"] == 1 else ""
        output().print(f"{who}: {', '.join(what)}{lacks}")
    print()
    names = found.systems["system"].to_list()
    fitting = _fitting(names)
    for start in range(0, len(names), fitting):
        if start:
            print()
        _print_block(found, names[start : start + fitting])


def _fitting(names: Sequence[str]) -> int:
    """How many columns of systems the terminal has room for, at least one."""
    width = max(22, *(len(name) for name in names)) + 2
    return max(1, (output().width - 36) // width)


def _print_block(found: "Evaluation", names: Sequence[str]) -> None:
    from podium.evaluation.measures import MEASURES

    columns = [
        Column("players", whole=True),
        Column("measure", whole=True),
        *(Column(name, right=True, style=_style) for name in names),
    ]
    rows = []
    for (players, measure), group in found.table.group_by(
        ["players", "measure"], maintain_order=True
    ):
        about = MEASURES[str(measure)]
        values = {row["system"]: row for row in group.iter_rows(named=True)}
        known = [row["value"] for row in values.values() if row["value"] is not None]
        if not known:
            continue
        best = max(known) if about.best == "highest" else min(known)
        cells = [_cell(values[name], about.percent, best, len(values) > 1) for name in names]
        rows.append([str(players), f"{measure}{', %' if about.percent else ''}", *cells])
    seconds = dict(found.systems.select("system", "cpu_seconds").iter_rows())
    rows.append(["", "CPU time, s", *(f"{seconds[name]:.2f}" for name in names)])
    print_table(columns, rows)


def _style(cell: str) -> str:
    return "bold green" if cell.startswith(_MARK) else ""


def _cell(row: dict[str, Any], percent: bool, best: float, several: bool) -> str:
    """A value with its interval, if it has one, marked if it is the best of several."""
    if row["value"] is None:
        return "–"
    factor, digits = (100.0, 2) if percent else (1.0, 4)
    mark = _MARK if several and row["value"] == best else ""
    shown = f"{mark}{factor * row['value']:.{digits}f}"
    if row["low"] is None:
        return shown
    low, high = (f"{factor * row[key]:.{digits}f}" for key in ("low", "high"))
    return f"{shown} ({low}–{high})"
