"""``podium rate``: results in, ratings out."""

import itertools
import time
import warnings
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.board import board_table
from podium.cli.compiling import announce_compilation
from podium.cli.console import note, output, print_json
from podium.cli.groups import option
from podium.cli.options import Rating, Workers
from podium.cli.source import Reading, check_ladder, is_ratings_folder, note_assumptions
from podium.errors import InputError, NotFoundError, PodiumError
from podium.progress import progress_bar
from podium.wording import counted, listed

if TYPE_CHECKING:
    import polars as pl

    from podium import Beliefs, Contests, Rated
    from podium.ratings.ladders import Pieces, Run
    from podium.systems.base import System

ONE = ""
"""Stands for all contests where they are rated as one ladder; no ladder is called that."""
_LADDERS_SHOWN = 5

EXAMPLES = """\
[bold]Examples[/]

$ podium rate results.csv --out ratings
$ podium rate races.csv --columns player=driver --lowest-score-wins
$ podium rate results.parquet --system elo-mmx --set sig_limit=60 --top 25
$ podium rate this-week.csv --resume ratings --out ratings
$ podium rate results.csv --columns ladder=region --out ratings
$ podium rate 2024.csv 2025.csv 'archive/**/*.parquet' --out ratings
$ podium rate seasons --memory 2GB --out ratings

Results have one row for each participation, with the columns contest, time, player and rank or \
score, or one row for each match, with time, player_a, player_b and outcome (1, 0.5, 0 or a \
score between) or score_a and score_b. \
With a column team, teams take places; see podium systems for those that rate them. \
With a column ladder (a region, a season, a way to play), every ladder is rated by itself and \
written to a folder of its own in that of --out.
"""


def command(
    paths: options.ManyResults,
    *,
    out: Annotated[
        Path | None,
        option("FOLDER", "Write ratings, history and beliefs to this folder.", "--out", "-o"),
    ] = None,
    resume: Annotated[
        Path | None,
        option(
            "FOLDER|FILE",
            "Go on from the ratings in this folder, or from a beliefs.npz; "
            "the result is that of one run over everything.",
        ),
    ] = None,
    top: options.Top = 10,
    no_history: Annotated[
        bool, typer.Option("--no-history", help="Do not keep what happened in every contest.")
    ] = False,
    calibrated: Annotated[
        bool,
        typer.Option(
            "--calibrated",
            help="Learn beside the ratings how sure predictions should be, for podium predict "
            "--calibrated; who goes on from them goes on learning.",
        ),
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write the tables as CSV instead of Parquet.")
    ] = False,
    json: options.Json = False,
    memory: options.Memory = None,
    rating: Rating,
    reading: Reading,
    workers: Workers,
) -> None:
    """Rate contests: show the best players, and write everybody's ratings and their history."""
    from podium.ratings.fold import Saving
    from podium.ratings.ladders import Run

    started = time.perf_counter()
    earlier = {} if resume is None else _earlier(resume, reading.ladder)
    before = next(iter(earlier.values()), None)
    chosen = rating.chosen() if before is None else rating.like(before.beliefs.system)
    history = out is not None and not no_history
    limit = reading.piecewise(paths, memory)
    contests: Contests | Pieces
    if limit is None:
        contests = whole = reading.read(paths)
        ladders = None if reading.ladder is not None else whole.ladders
        names = [ONE] if ladders is None else ladders
    else:
        contests = _streamed(
            paths, reading, limit, chosen, earlier, resume, rating, history, calibrated
        )
        rated, names = contests.rated, list(contests.rated)
    _refuse_other_ladders(paths[0], names, resume, earlier)
    if names == [ONE] and workers.given:
        raise InputError(
            f"{paths[0]}: is rated as one ladder, so --jobs, --backend and --scheduler do not "
            f"apply."
        )
    if out is not None and names != [ONE]:
        _check_folder(out, {**earlier, **dict.fromkeys(names)})
    format, written = "csv" if csv else "parquet", list[str]()
    alongside = out if history and limit is None and names == [ONE] else None
    if before is not None and before.history is not None:
        alongside = None  # the earlier history comes first
    with nullcontext() if alongside is None else Saving(alongside, format=format) as saving:
        if limit is None:
            announce_compilation(chosen)
            with progress_bar("Rating") as progress:
                how = {"progress": progress, "threads": rating.threads, **workers.given}
                how |= {"calibrated": calibrated}
                how |= {"history": history} if saving is None else {"saving": saving}
                rated = _rated(whole, names, chosen, earlier, how)
        seconds = time.perf_counter() - started
        if out is not None:
            with progress_bar(f"Writing {out.name}"):
                if saving is None:
                    written = _write(rated, earlier, out, history=history, format=format)
                else:
                    written = saving.finish()
    if json:
        print_json(Run(contests, rated, seconds, out).document(top or None))
    else:
        _print_summary(Run(contests, rated, seconds))
        _print_boards(rated, top)
        _note_what_next(out, names, written)


def _streamed(
    paths: Sequence[Path],
    reading: Reading,
    limit: int,
    system: "System",
    earlier: "dict[str, Earlier]",
    resume: Path | None,
    rating: Rating,
    history: bool,
    calibrated: bool,
) -> "Pieces":
    """Ratings of what does not fit into memory."""
    from podium.ratings.arithmetic import ArithmeticWarning
    from podium.ratings.ladders import rate_pieces

    scan = reading.scan(paths, limit)
    announce_compilation(system)
    beliefs = {name: before.beliefs for name, before in earlier.items()}
    for said in filter(None, dict.fromkeys(each.mixture for each in beliefs.values())):
        note(f"Note: {said}")
    with progress_bar("Rating") as progress, warnings.catch_warnings():
        warnings.simplefilter("ignore", ArithmeticWarning)
        found = rate_pieces(
            scan,
            system,
            beliefs=beliefs,
            history=history,
            calibrated=calibrated,
            progress=progress,
            threads=rating.threads,
            one=reading.ladder is not None,
            seen=lambda names: _refuse_other_ladders(paths[0], list(names), resume, earlier),
        )
    note_assumptions(scan.understanding)
    if not found.rated:
        reading.refuse_no_ladder(paths)
    return found


@dataclass(frozen=True, slots=True)
class Earlier:
    """What to go on from: beliefs, and the folder of ratings that they were in, if any."""

    beliefs: "Beliefs"
    rated: "Rated | None" = None

    @property
    def history(self) -> "pl.DataFrame | None":
        """What led to the beliefs, if it was kept."""
        try:
            return None if self.rated is None else self.rated.history
        except PodiumError:
            return None


def _earlier(resume: Path, ladder: str | None) -> dict[str, Earlier]:
    """What to go on from, by ladder; `ONE` is what is of no ladder, or of the one asked for."""
    import podium
    from podium.ratings.ladders import ladder_folders

    if not resume.is_dir():
        return {ONE: Earlier(podium.Beliefs.load(resume))}
    folders = ladder_folders(resume)
    if not folders:
        if not is_ratings_folder(resume):
            raise NotFoundError(f"{resume}: there are no ratings to go on from, no beliefs.npz.")
        folders = {ONE: resume}
    elif ladder is not None:
        ladder = check_ladder(resume, ladder, list(folders))
        folders = {ONE: folders[ladder]}
    found = {name: podium.Rated.load(folder) for name, folder in folders.items()}
    return {name: Earlier(rated.beliefs, rated) for name, rated in found.items()}


def _refuse_other_ladders(
    path: Path, names: Sequence[str], resume: Path | None, earlier: dict[str, Earlier]
) -> None:
    """Raise if one ladder would go on from many, or many from one."""
    if resume is None or (ONE in earlier) == (ONE in names):
        return
    if ONE in earlier:
        raise InputError(
            f"{resume}: holds the ratings of one ladder, but {path} is of the ladders "
            f"{listed(names)}; choose one with --ladder NAME."
        )
    raise InputError(
        f"{resume}: holds ratings of the ladders {listed(earlier)}, but {path} has no column "
        f"ladder; go on from one of them, e.g. {resume / next(iter(earlier))}."
    )


def _check_folder(out: Path, ladders: Iterable[str]) -> None:
    from podium.ratings.ladders import check_folder

    check_folder(out, ladders)


def _rated(
    contests: "Contests",
    names: Sequence[str],
    system: "System",
    earlier: dict[str, Earlier],
    how: dict[str, Any],
) -> "dict[str, Rated]":
    """The ratings of every ladder, or of everything as `ONE`."""
    import podium
    from podium.ratings.arithmetic import ArithmeticWarning

    beliefs = {name: before.beliefs for name, before in earlier.items()}
    given = {key: value for key, value in how.items() if value is not None}
    rate = given.pop("saving").rate if "saving" in given else podium.rate
    going_on = [beliefs[name].mixture for name in names if name in beliefs]
    for said in filter(None, dict.fromkeys(going_on)):
        note(f"Note: {said}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ArithmeticWarning)
        if names != [ONE]:
            return podium.rate_ladders(contests, system, beliefs=beliefs, **given)
        return {ONE: rate(contests, system, beliefs=beliefs.get(ONE), **given)}


def _write(
    rated: "dict[str, Rated]", earlier: dict[str, Earlier], out: Path, *, history: bool, format: str
) -> list[str]:
    """Write everything; ladders without new contests stay as they were. Says what it wrote."""
    from podium.ratings.ladders import save_ladders

    for name, ratings in rated.items():
        before = earlier[name].history if history and name in earlier else None
        if before is not None:
            ratings.put_before(before)
    if ONE in rated:
        return rated[ONE].save(out, format=format)
    kept = {name: before.rated for name, before in earlier.items() if before.rated is not None}
    save_ladders({**kept, **rated}, out, format=format)
    return list({**kept, **rated})


def _print_summary(run: "Run") -> None:
    counts = [
        counted(len(run.contests), "contest"),
        counted(run.players, "player"),
        counted(run.contests.rows, "row"),
    ]
    if ONE not in run.rated:
        counts.insert(0, counted(len(run.rated), "ladder"))
    output().print(f"{', '.join(counts)}: rated by {run.system.name} in {run.seconds:.1f} s.\n")


def _print_boards(rated: "dict[str, Rated]", top: int) -> None:
    """The best of everybody, or of the first ladders."""
    for number, (name, ratings) in enumerate(itertools.islice(rated.items(), _LADDERS_SHOWN)):
        if name != ONE:
            space = "\n" if number else ""
            output().print(f"{space}{name}", style="bold")
        board_table(ratings.leaderboard(top or None), ratings.system).print()
    if len(rated) > _LADDERS_SHOWN:
        note(
            f"\nThe first {_LADDERS_SHOWN} of {len(rated):,} ladders; --ladder NAME shows another."
        )


def _note_what_next(out: Path | None, names: Sequence[str], written: Sequence[str]) -> None:
    if out is None:
        note("\nNothing was written; --out FOLDER keeps the ratings.")
    elif ONE in names:
        note(f"\nIn {out}: {', '.join(written)}.")
    else:
        note(
            f"\nIn {out}: a folder for each ladder; podium leaderboard {out / names[0]} reads one."
        )
