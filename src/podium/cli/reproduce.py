"""``podium reproduce``: figures, tables and claims of papers, computed anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Without, argument, option
from podium.cli.source import Reading
from podium.errors import InputError
from podium.extras import require
from podium.progress import progress_bar

if TYPE_CHECKING:
    import polars as pl

    from podium import Contests
    from podium.papers.targets import Reproduction, Target

EXAMPLES = """\
[bold]Examples[/]

$ podium reproduce
$ podium reproduce elo-mmr-figure-1 elo-r-step --out figures
$ podium reproduce luck-football --data football.parquet
$ podium reproduce all --data codeforces=codeforces.parquet --resume
"""

ALL = "all"
_OF_RESULTS_ALONE = ("lowest_score_wins", "rerank", "ignore_teams", "ladder", "ignore_ladders")
"""How to read results, but not those of a paper."""


def _names() -> list[str]:
    from podium import papers

    return [*papers.names(), ALL]


def command(
    names: Annotated[
        list[str] | None,
        argument(
            "TARGET|all",
            "What to reproduce; without it, all targets are listed.",
            autocompletion=_names,
        ),
    ] = None,
    *,
    out: Annotated[
        Path,
        option("FOLDER", "Where pages, pictures and numbers go, each target's when it is done."),
    ] = Path("reproduced"),
    data: Annotated[
        list[str] | None,
        option(
            "NAME=PATH",
            "Results to use, in any format that podium rate reads, e.g. codeforces=PATH; can "
            "be repeated. A target that takes a single data set needs no NAME. A PATH that looks "
            "like NAME=PATH is written ./PATH.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Skip targets whose page, of the same data sets, is in the folder already.",
        ),
    ] = False,
    json: options.Json = False,
    reading: Annotated[Reading, Without(*_OF_RESULTS_ALONE)],
) -> None:
    """Compute figures, tables and claims of papers anew, beside the papers' own numbers.

    Each writes a page with a table and what differs from the paper, a picture, and its numbers.

    Where a paper's data is not public, simulated results take its place, or yours (--data).
    """
    from podium import papers

    if not names:
        _list(papers.TARGETS, json)
        return
    require("matplotlib")
    targets = _chosen(names)
    paths = _paths(data or (), targets)
    skipped = _skipped(targets, paths, out, resume=resume, skip_needy=ALL in names)
    to_do = [target for target in targets if target.name not in skipped]
    if not paths and reading != Reading():
        raise InputError("options for reading results need --data NAME=PATH.")
    used = {name for target in to_do for name in target.data}
    contests = {name: reading.read(path) for name, path in paths.items() if name in used}
    documents = []
    for target in targets:
        if target.name in skipped:
            note(f"{target.name}: skipped, because {skipped[target.name]}.")
            documents.append({**target.document(), "skipped": skipped[target.name]})
            continue
        result, files = _reproduced(target, contests, out)
        documents.append({**target.document(), **result.document(files)})
        if not json:
            _print(target, result)
            note(f"{target.name}: in {', '.join(map(str, files))}.")
    if json:
        print_json(documents[0] if names == [targets[0].name] else documents)


def _chosen(names: Sequence[str]) -> "list[Target]":
    """The targets of these names, each once."""
    from podium import papers

    if ALL in names:
        for name in set(names) - {ALL}:
            papers.by_name(name)
        return list(papers.TARGETS)
    return [papers.by_name(name) for name in dict.fromkeys(names)]


def _paths(texts: Sequence[str], targets: "Sequence[Target]") -> dict[str, Path]:
    """What was given with ``--data``, by the name of the data set."""
    found: dict[str, Path] = {}
    for text in texts:
        name, path = _named(text, targets)
        if not any(name in target.data for target in targets):
            raise InputError(f"--data {text}: {_usable(targets)}.")
        if name in found:
            raise InputError(f"--data {text}: {name!r} is given twice.")
        found[name] = path
    return found


def _named(text: str, targets: "Sequence[Target]") -> tuple[str, Path]:
    """The data set that is meant, and where it is."""
    from podium.papers.targets import DATA_SETS
    from podium.wording import suggestion

    name, equals, path = text.partition("=")
    if equals and name in DATA_SETS:
        if not path:
            raise InputError(f"--data {text}: write it as --data {name}=PATH.")
        return name, Path(path)
    if equals and not Path(text).exists():
        raise InputError(
            f"--data {text}: there is no data set {name!r}{suggestion(name, DATA_SETS)}; "
            f"there are {', '.join(DATA_SETS)}."
        )
    if len(targets) > 1:
        raise InputError(f"--data {text}: say which data set it is, as in --data NAME={text}.")
    if len(targets[0].data) != 1:
        raise InputError(f"--data {text}: {_usable(targets)}.")
    return targets[0].data[0], Path(text)


def _usable(targets: "Sequence[Target]") -> str:
    """Which data sets the targets take."""
    names = list(dict.fromkeys(name for target in targets for name in target.data))
    who = targets[0].name if len(targets) == 1 else "these targets"
    uses, take = ("uses", "takes") if len(targets) == 1 else ("use", "take")
    if not names:
        return f"{who} {uses} no results, so --data does not apply"
    return f"{who} {take} {', '.join(f'--data {name}=PATH' for name in names)}"


def _skipped(
    targets: "Sequence[Target]",
    paths: Mapping[str, Path],
    out: Path,
    *,
    resume: bool,
    skip_needy: bool,
) -> dict[str, str]:
    """Why targets are left out, by name; those that lack data are refused unless `skip_needy`."""
    from podium.papers import report
    from podium.papers.targets import DATA_SETS

    reasons: dict[str, str] = {}
    for target in targets:
        missing = next((name for name in target.needs if name not in paths), None)
        if resume and report.is_written(target, paths, out):
            reasons[target.name] = f"{report.page(target, out)} is there already"
        elif missing is not None and skip_needy:
            reasons[target.name] = f"it needs {DATA_SETS[missing]}: --data {missing}=PATH"
        elif missing is not None:
            raise InputError(
                f"{target.name} needs {DATA_SETS[missing]}; give them with --data {missing}=PATH."
            )
    return reasons


def _reproduced(
    target: "Target", contests: "Mapping[str, Contests]", out: Path
) -> "tuple[Reproduction, list[Path]]":
    from podium import systems
    from podium.papers import report

    announce_compilation(*map(systems.build, target.systems))
    given = {name: contests[name] for name in target.data if name in contests}
    with progress_bar(target.name) as progress:
        return report.reproduce(target, given, out, progress)


def _list(targets: "Sequence[Target]", json: bool) -> None:
    if json:
        print_json([target.document() for target in targets])
        return
    columns = (Column("target", style="bold cyan"), Column("what it shows"), Column("takes --data"))
    print_table(columns, [(each.name, each.title, _data(each)) for each in targets])


def _data(target: "Target") -> str:
    return ", ".join([*(f"{name} (needed)" for name in target.needs), *target.takes]) or "–"


def _print(target: "Target", result: "Reproduction") -> None:
    console = output()
    console.print(f"{target.title}\n", style="bold")
    _print_findings(result.findings)
    console.print()
    for remark in result.remarks:
        console.print(f"{remark}\n")


def _print_findings(findings: "pl.DataFrame") -> None:
    from podium.papers.report import as_text, heads

    columns = [
        Column(head, right=kind.is_numeric())
        for head, kind in zip(heads(findings), findings.dtypes, strict=True)
    ]
    print_table(columns, [[as_text(value) for value in row] for row in findings.iter_rows()])
