"""``podium evaluate``: which system predicts these contests best."""

import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium import systems as registry
from podium.cli import INTERRUPTED, options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_text
from podium.cli.groups import Group, Without, option
from podium.cli.source import Reading, note_assumptions, shown_name
from podium.cli.tables import Form, Table, refuse_two_forms
from podium.errors import InputError, PodiumError
from podium.extras import require
from podium.files import replacing
from podium.progress import progress_bar
from podium.texts import visible
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    import polars as pl

    from podium import Contests, Evaluation, Scan
    from podium.evaluation.hidden import HiddenEvaluation
    from podium.evaluation.measures import Measure
    from podium.evaluation.report.tables import Estimate
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium evaluate results.csv --system elo-mmr --system codeforces --system topcoder
$ podium evaluate results.csv --system "elo-mmr rho=0.5" --system elo-mmr --html report.html
$ podium evaluate matches.csv --system all --min-contests 10 --json
$ podium evaluate 'seasons/*.parquet' --system elo --system glicko
$ podium evaluate seasons --system elo --memory 2GB
$ podium evaluate results.csv --system all --baseline best --latex > table.tex
$ podium evaluate results.csv --system podium --hindsight

Every contest is predicted from the ratings before it, then rated. podium tune finds parameters.
"""
_MARK = "*"
_BEGINNING = 64
_PRINTED = "-"
"""The file that stands for standard output."""
_LEFT = (Column("players", whole=True), Column("measure", whole=True, names=True))
_WIDEST = 22
_WIDEST_DIFFERENCE = 34
"""Characters of a value, and of a difference, with its interval."""
_VERDICTS = {"better": "better", "worse": "worse", "no telling": "≈"}


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
    baseline: Annotated[
        str | None,
        option(
            "NAME",
            "Compare the others with this system, or with the best by each measure; the first if "
            "not given.",
        ),
    ] = None


def command(
    paths: options.ManyResults,
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
    hindsight: Annotated[
        bool,
        typer.Option(
            "--hindsight",
            help="Hide some results, and compare what is believed before them, between them and "
            "by looking back.",
        ),
    ] = False,
    share: Annotated[
        float | None, option("X", "With --hindsight: the share of results that is hidden, 0.03.")
    ] = None,
    tune: Annotated[
        bool,
        typer.Option("--tune", help="With --hindsight: look for the parameters of looking back."),
    ] = False,
    measuring: Measuring,
    html: Annotated[
        Path | None,
        option("FILE", "Write a report with pictures to this file; --html - prints it instead."),
    ] = None,
    form: Annotated[Form, Without("html")],
    threads: options.Threads = None,
    memory: options.Memory = None,
    reading: Reading,
) -> None:
    """Compare rating systems: how well each predicts contests from the ratings before them.

    Every measure has an interval, from contests resampled with replacement, unless there is one
    contest only. The best value of each is marked, and the time that rating took is below. Then
    come the differences, and which are significant after Holm's correction for their number.
    """
    import podium
    from podium.evaluation.comparison import labelled

    if hindsight:
        _refuse_beside_hindsight(measuring, memory)
        _check_forms(html, form)
        results = reading.read(paths)
        hidden = _hidden(results, list(system or ["elo-mmr"]), share, tune, measuring)
        _show(
            html,
            form,
            paths,
            partial(_hidden_report, hidden, results),
            partial(_print_hidden, hidden, form),
        )
        return
    if share is not None or tune:
        raise InputError("--share and --tune are for --hindsight.")
    _check_forms(html, form)
    wanted = list(system or ["elo-mmr"])
    if "all" not in wanted:
        labelled(wanted)
    limit = reading.piecewise(paths, memory)
    contests = reading.read(paths) if limit is None else reading.scan(paths, limit)
    if limit is not None and reading.ladder is not None and next(iter(contests), None) is None:
        reading.refuse_no_ladder(paths)
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
    whole = None
    if isinstance(contests, podium.Contests):
        whole = contests
    else:
        note_assumptions(contests.understanding)
    _show(
        html,
        form,
        paths,
        partial(_report, found, whole),
        partial(_print_found, found, form, paths, html),
    )
    if found.interrupted:
        note("podium: interrupted; what is shown is of the systems that were done.")
        raise typer.Exit(INTERRUPTED)


def _check_forms(html: Path | None, form: Form) -> None:
    """Raise if a report cannot be written, or something is to be printed beside one."""
    if html is not None:
        _check_report(html)
        asked = [
            f"--{each}" for each in ("json", "csv", "markdown", "latex") if getattr(form, each)
        ]
        refuse_two_forms(*["--html -"] * (str(html) == _PRINTED), *asked)


def _show(
    html: Path | None,
    form: Form,
    paths: list[Path],
    report: Callable[..., str],
    show: Callable[[], None],
) -> None:
    """Write or print a report, if one is wanted, and show what was measured."""
    printed = html is not None and str(html) == _PRINTED
    try:
        if html is not None:
            page = report(
                title=visible(f"Rating systems on {shown_name(paths)}"),
                command=visible(shlex.join(["podium", *sys.argv[1:]])),
            )
            if printed:
                print_text(page)
            else:
                with replacing(html) as temporary:
                    temporary.write_bytes(page.encode())
    finally:  # a report that cannot be written does not lose what was measured
        if not printed:
            show()
    if html is not None and not printed and form.for_terminal:
        note(f"\nThe report is in {html}.")


def _report(found: "Evaluation", contests: "Contests | None", **words: str) -> str:
    from podium.evaluation.report import report

    return report(found, contests=contests, **words)


def _hidden_report(found: "HiddenEvaluation", contests: "Contests", **words: str) -> str:
    from podium.evaluation.report import hidden_report

    return hidden_report(found, contests=contests, **words)


def _print_found(found: "Evaluation", form: Form, paths: list[Path], html: Path | None) -> None:
    if form.json:
        print_json(found.document(data=" ".join(map(str, paths)), html=html))
    elif not form.for_terminal:
        form.print(*_tables(found, shown_name(paths)))
    else:
        _print(found)


def _refuse_beside_hindsight(measuring: Measuring, memory: str | None) -> None:
    """Raise if something is asked for that hidden results do not have."""
    usual = Measuring()
    said = [
        f"--{name.replace('_', '-')}"
        for name in ("skip", "weighting", "top", "baseline")
        if getattr(measuring, name) != getattr(usual, name)
    ]
    said += ["--memory"] * (memory is not None)
    if said:
        raise InputError(f"{said[0]} does not apply to --hindsight.")


def _hidden(
    contests: "Contests",
    wanted: list[str],
    share: float | None,
    tune: bool,
    measuring: Measuring,
) -> "HiddenEvaluation":
    """What is believed of hidden results, before them, between them and by looking back."""
    from podium.evaluation.comparison import labelled
    from podium.evaluation.hidden import evaluate_hidden

    wanted = _with_all(wanted, contests)
    announce_compilation(*labelled(wanted).values())
    with progress_bar("Evaluating") as progress:
        return evaluate_hidden(
            contests,
            wanted,
            **({} if share is None else {"share": share}),
            tune=tune,
            min_contests=measuring.min_contests,
            confidence=measuring.confidence,
            resamples=measuring.resamples,
            seed=measuring.seed,
            progress=progress,
        )


def _print_hidden(found: "HiddenEvaluation", form: Form) -> None:
    if form.json:
        print_json(found.document())
        return
    table = _hidden_table(found)
    if form.for_terminal:
        for fact in table.facts:
            output().print(fact)
        print()
        table.print()
        output().print(f"\n{table.caption}")
    else:
        form.print(table)


def _hidden_table(found: "HiddenEvaluation") -> Table:
    from podium.evaluation.measures import MEASURES

    names = found.table["belief"].unique(maintain_order=True).to_list()
    rows = []
    for (players, measure), group in found.table.group_by(
        ["players", "measure"], maintain_order=True
    ):
        about = MEASURES[str(measure)]
        values = {row["belief"]: row for row in group.iter_rows(named=True)}
        known = [row["value"] for row in values.values() if row["value"] is not None]
        best = (max if about.best == "highest" else min)(known, default=0.0)
        cells = [_cell(values[name], about.percent, best, True) for name in names]
        rows.append([str(players), _named(about), *cells])
    caption = (
        f"{_MARK} marks the best; in brackets, intervals at "
        f"{_percent(found.settings['confidence'])}."
    )
    fact = (
        f"{counted(found.hidden, 'hidden result')} in {counted(found.contests, 'contest')}, each "
        f"scored against the others of its contest"
    )
    columns = [*_LEFT, *(Column(name, right=True, style=_style) for name in names)]
    return Table(
        "Hidden results", columns, list(zip(*rows, strict=True)), found.table, [fact], caption
    )


def _check_report(path: Path) -> None:
    """Raise if no report can be written there, before a long run."""
    require("matplotlib")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; give the name of a file for the report.")
    if path.is_file() and not _may_be_replaced(path):
        raise InputError(
            f"{path}: is there already and no page of HTML, so the report does not take its place; "
            f"--html FILE names a file for it, and --html - prints it."
        )
    parent = next(folder for folder in path.absolute().parents if folder.exists())
    if not parent.is_dir():
        raise InputError(f"{path}: cannot be written, because {parent} is a file.")


def _may_be_replaced(path: Path) -> bool:
    """Whether a file is empty or a page, and nobody's results."""
    with path.open("rb") as file:
        start = file.read(_BEGINNING).strip().lower()
    return not start or start.startswith((b"<!doctype html", b"<html"))


def _with_all(wanted: Sequence[str], contests: "Contests | Scan") -> list[str]:
    """The systems asked for, with all that take these results in place of "all"."""
    from podium.evaluation.pieces import Pieces, Survey

    if "all" not in wanted:
        return list(wanted)
    others: dict[str, System] = {}
    for name in filter(lambda name: name not in wanted, registry.names()):
        with suppress(PodiumError):
            others[name] = registry.build(name)
    survey = Survey(Pieces(contests), others)
    found: list[str] = []
    for name in wanted:
        if name != "all":
            found.append(name)
            continue
        for each in others:
            with suppress(PodiumError):
                survey.refuse(each)
                found.append(each)
    return found


def _print(found: "Evaluation") -> None:
    for line in _facts(found):
        output().print(line)
    print()
    names = found.systems["system"].to_list()
    fitting = _fitting(names, _WIDEST)
    for start in range(0, len(names), fitting):
        if start:
            print()
        _value_table(found, names[start : start + fitting]).print()
    if found.differences.height:
        _print_differences(found, _compared(found))


def _print_differences(found: "Evaluation", names: Sequence[str]) -> None:
    fitting = _fitting(names, _WIDEST_DIFFERENCE)
    for start in range(0, len(names), fitting):
        table = _difference_table(found, names[start : start + fitting])
        output().print(f"\n{table.facts[0]}")
        table.print()
    output().print(f"\n{table.caption}")


def _tables(found: "Evaluation", data: str) -> list[Table]:
    """Values and, of several systems, differences; the first has all numbers."""
    values = _value_table(found, found.systems["system"].to_list(), data)
    return [values, _difference_table(found, _compared(found))] if _compared(found) else [values]


def _facts(found: "Evaluation") -> list[str]:
    """What was measured."""
    lines = []
    for row in found.counted.iter_rows(named=True):
        who = "all players"
        if row["players"] == "experienced":
            many = counted(found.settings["min_contests"], "contest")
            who = f"experienced players, with at least {many} before"
        what = counted(row["contests"], "contest"), counted(row["participations"], "participation")
        lacks = "; one contest has no interval" if row["contests"] == 1 else ""
        lines.append(f"{who}: {', '.join(what)}{lacks}")
    return lines


def _fitting(names: Sequence[str], widest: int) -> int:
    """How many columns of systems the terminal has room for, at least one."""
    width = max(widest, *(len(name) for name in names)) + 2
    return max(1, (output().width - 36) // width)


def _compared(found: "Evaluation") -> list[str]:
    return found.differences["system"].unique(maintain_order=True).to_list()


def _value_table(found: "Evaluation", names: Sequence[str], data: str = "") -> Table:
    """Each measure of these systems, the best of all marked, and the time that rating took."""
    from podium.evaluation.comparison import TEMPERATURES
    from podium.evaluation.measures import MEASURES

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
        rows.append([str(players), _named(about), *cells])
    seconds = dict(found.systems.select("system", "cpu_seconds").iter_rows())
    rows.append(["", "CPU time, s", *(f"{seconds[name]:.2f}" for name in names)])
    for column, players in TEMPERATURES.items():
        learned = dict(found.systems.select("system", column).iter_rows())
        rows.append([players, "temperature", *(f"{learned[name]:.3g}" for name in names)])
    marked = f"{_MARK} marks the best; in" if found.systems.height > 1 else "In"
    caption = f"{marked} brackets, intervals at {_percent(found.settings['confidence'])}."
    return Table(
        f"Rating systems on {data}",
        [*_LEFT, *(Column(name, right=True, style=_style) for name in names)],
        list(zip(*rows, strict=True)),
        _values(found),
        _facts(found),
        caption,
    )


def _difference_table(found: "Evaluation", names: Sequence[str]) -> Table:
    """How far these systems are from the baseline, and whether that is more than chance."""
    from podium.evaluation.measures import MEASURES
    from podium.evaluation.report.sections import baseline, significance
    from podium.evaluation.report.tables import estimates

    differences = estimates(found.differences)
    rows = []
    for players in found.differences["players"].unique(maintain_order=True):
        for measure in MEASURES.values():
            those = (differences.get((players, measure.name, name)) for name in names)
            cells = [_difference(each, measure) for each in those]
            if cells != [NOTHING] * len(names):
                rows.append([players, _named(measure), *cells])
    return Table(
        f"Differences from {baseline(found)}",
        [*_LEFT, *(Column(name, right=True, style=_verdict_style) for name in names)],
        list(zip(*rows, strict=True)) or [()] * (len(_LEFT) + len(names)),
        found.differences,
        [f"Differences from {baseline(found)}:"],
        significance(found),
    )


def _values(found: "Evaluation") -> "pl.DataFrame":
    """All numbers: every measure of every system, beside its difference from the baseline."""
    differences = found.differences.rename({"low": "difference_low", "high": "difference_high"})
    keys = ["players", "measure", "system"]
    return found.table.join(differences, on=keys, how="left", maintain_order="left")


def _named(measure: "Measure") -> str:
    return f"{measure.name}{', %' if measure.percent else ''}"


def _difference(found: "Estimate | None", measure: "Measure") -> str:
    """A difference with its interval, and whether it is better, worse or neither."""
    from podium.evaluation.report.tables import figure, verdict

    if found is None:
        return "best"
    if not found.known:
        return NOTHING
    value, low, high = (figure(each, measure, signed=True) for each in found[:3])
    interval = "" if isnan(found.low) else f" ({low} to {high})"
    return f"{value}{interval} {_VERDICTS[verdict(found, measure)]}"


def _verdict_style(cell: str) -> str:
    return {"better": "green", "worse": "red", "best": "bold green"}.get(cell.split()[-1], "")


def _percent(share: float) -> str:
    return f"{100.0 * share:.6g} %"


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
