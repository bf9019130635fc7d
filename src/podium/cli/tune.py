"""``podium tune``: the parameters that suit your results."""

import shlex
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from podium import systems
from podium.cli import INTERRUPTED, options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Group, option
from podium.cli.options import Choice, Workers, pairs
from podium.cli.source import Reading
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    from podium import Contests
    from podium.evaluation.studies import Trial
    from podium.evaluation.tuning import Tuned

EXAMPLES = """\
[bold]Examples[/]

$ podium tune results.csv
$ podium tune results.csv --system trueskill --budget 300 --study trueskill.jsonl
$ podium tune results.csv --system elo-mmx --search weight_limit=0.1..0.5 --set sig_limit=80
$ podium tune matches.csv --system elo --measure pair-inversion --grid --split 0.3
$ podium tune results.csv --backend dask --scheduler tcp://head:8786

podium systems NAME shows which parameters are tuned, and where. The first tenth of the contests \
(of every ladder) is used, so that the others can say what the result is worth.
"""


@dataclass(frozen=True, slots=True)
class Scoring(Group):
    """What trials are scored by, and where they are kept."""

    measure: Annotated[str, option("NAME", "What to score by.", "--measure", "-m")] = (
        "rank-deviation"
    )
    split: Annotated[
        float, option("SHARE", "The share of the contests to tune on, the first of every ladder.")
    ] = 0.1
    min_contests: Annotated[
        int, option("N", "Count only players with so many earlier contests.")
    ] = 5
    study: Annotated[
        Path | None,
        option("FILE", "Keep every trial in this file, and go on from those that it has."),
    ] = None


@dataclass(frozen=True, slots=True)
class Trials(Group):
    """Which parameters to try."""

    panel: ClassVar[str] = "What to try"

    budget: Annotated[
        int | None, option("N", "How many sets of parameters to try, 100 if not given.")
    ] = None
    grid: Annotated[
        bool,
        typer.Option(
            "--grid", help="Try all combinations of a few values instead, as in the Elo-MMR paper."
        ),
    ] = False
    search: Annotated[
        list[str] | None,
        option(
            "KEY=VALUES",
            "Where to look for a parameter: rho=0.1..10 or rho=0.1,1,inf; can be repeated.",
            "--search",
        ),
    ] = None
    seed: options.Seed = 0
    batch: Annotated[
        int, option("N", "How many trials are chosen at once: more than there are cores.")
    ] = 20


def command(
    path: options.Results,
    *,
    scoring: Scoring,
    top: Annotated[int, option("N", "Show the best N trials.", "--top", "-n", min=1)] = 10,
    json: options.Json = False,
    trials: Trials,
    workers: Workers,
    choice: Choice,
    reading: Reading,
) -> None:
    """Find the parameters with which a system does best on the first of your contests."""
    from podium.evaluation.spaces import from_texts
    from podium.evaluation.trials import warm
    from podium.evaluation.tuning import TuningInterrupted, tune
    from podium.workers import check_workers

    backend = workers.backend or "local"
    check_workers(workers.jobs, backend, workers.scheduler)
    kind = systems.by_name(choice.system or "elo-mmr")
    fixed = {key: kind.parse_value(key, text) for key, text in choice.parameters.items()}
    wanted = from_texts(kind, pairs(trials.search, "--search KEY=VALUES"))
    announce_compilation(kind())
    with warm(kind, workers.jobs, backend):
        contests = reading.read(path)
    started = time.perf_counter()
    try:
        with progress_bar(f"Tuning {kind.name}") as progress:
            tuned = tune(
                contests,
                kind.name,
                **asdict(scoring),
                **{**asdict(trials), "search": wanted},
                **workers.given,
                fixed=fixed,
                progress=progress,
            )
    except TuningInterrupted as interrupt:
        tuned = interrupt.tuned
    seconds = time.perf_counter() - started
    using = _command(path, tuned, reading)
    if json:
        print_json(tuned.document(seconds=seconds, command=using))
    else:
        _print_trials(tuned, top)
        _print_gain(tuned, contests, seconds)
        output().print(f"\n{using}", soft_wrap=True)
    if not tuned.finished:
        note(f"podium: interrupted after {_how_many(tuned)}; {_how_to_go_on(scoring.study)}.")
        raise typer.Exit(INTERRUPTED)


def _command(path: Path, tuned: "Tuned", reading: Reading) -> str:
    """How to rate with what was found."""
    from podium.systems.describing import setting

    words = ["podium", "rate", str(path), "--system", tuned.plan.kind.name]
    for name, value in tuned.parameters.items():
        words += ["--set", f"{name}={setting(value)}"]
    return shlex.join([*words, *reading.arguments()])


def _print_trials(tuned: "Tuned", top: int) -> None:
    """The best trials, and the default below them if it is not among them."""
    names = list(tuned.plan.space)
    shown = tuned.ranking[:top]
    if tuned.default not in shown:
        shown.append(tuned.default)
    columns = [Column("trial"), Column(tuned.plan.measure, right=True, style="bold")]
    columns += [Column(name, right=True) for name in names]
    print_table(columns, [_row(trial, names) for trial in shown])


def _row(trial: "Trial", names: list[str]) -> list[str]:
    from podium.systems.describing import setting

    score = "failed" if trial.score is None else f"{trial.score:.6f}"
    values = [setting(trial.parameters[name], exact=False) for name in names]
    return [str(trial.number) if trial.number else "default", score, *values]


def _print_gain(tuned: "Tuned", contests: "Contests", seconds: float) -> None:
    failed = sum(trial.failure is not None for trial in tuned.trials[1:])
    ladders = len(contests.ladders or ())
    said = [
        f"{tuned.plan.kind.name} on the first {len(tuned.plan.contests):,} of "
        f"{counted(len(contests), 'contest')}{f' of {ladders:,} ladders' if ladders > 1 else ''}: "
        f"{_how_many(tuned)} in {seconds:.1f} s" + (f", {failed:,} failed" if failed else "")
    ]
    best, default = tuned.best.score, tuned.default.score
    if best is not None and default is not None:
        said.append(
            "the default is the best"
            if tuned.best.number == 0
            else f"{tuned.plan.measure} {best:.6f}, by default {default:.6f}"
        )
    output().print(f"\n{'; '.join(said)}.")


def _how_many(tuned: "Tuned") -> str:
    done = len(tuned.trials) - 1
    return counted(done, "trial") if tuned.finished else f"{done:,} of {tuned.count:,} trials"


def _how_to_go_on(study: Path | None) -> str:
    if study is None:
        return "with --study FILE they would have been kept"
    return f"they are in {study}, and the same command goes on from there"
