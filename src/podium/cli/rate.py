"""``podium rate``: results in, ratings out."""

import dataclasses
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.board import board_document, print_board
from podium.cli.compiling import announce_compilation
from podium.cli.console import note, output, print_json
from podium.cli.options import chosen_system, pairs
from podium.cli.progress import progress_bar
from podium.cli.source import Reading, is_ratings_folder
from podium.errors import PodiumError
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from podium import Beliefs, Contests, Rated
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium rate results.csv --out ratings
$ podium rate races.csv --columns player=driver --lowest-score-wins
$ podium rate results.parquet --system elo-mmx --set sig_limit=60 --top 25
$ podium rate this-week.csv --resume ratings --out ratings

Results have one row for each participation, with the columns contest, time, player and rank or \
score, or one row for each match, with time, player_a, player_b and outcome (1, 0.5, 0 or a \
score between) or score_a and score_b. \
With a column team, teams take places; see podium systems for those that rate them.
"""


def command(
    path: options.Results,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Write ratings, history and beliefs to this folder.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER|FILE",
            help="Go on from the ratings in this folder, or from a beliefs.npz; "
            "the result is that of one run over everything.",
            show_default=False,
        ),
    ] = None,
    top: options.Top = 10,
    no_history: Annotated[
        bool, typer.Option("--no-history", help="Do not keep what happened in every contest.")
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write the tables as CSV instead of Parquet.")
    ] = False,
    json: options.Json = False,
    system: options.SystemName = None,
    settings: options.Settings = None,
    threads: options.Threads = None,
    columns: options.Columns = None,
    format: options.Format = None,
    lowest_score_wins: options.LowestScoreWins = False,
    rerank: options.Rerank = False,
    keep_order: options.KeepOrder = False,
    ignore_teams: options.IgnoreTeams = False,
) -> None:
    """Rate contests: show the best players, and write everybody's ratings and their history."""
    import polars as pl

    import podium

    started = time.perf_counter()
    beliefs, earlier = (None, None) if resume is None else _earlier(resume)
    chosen = _system(system, settings, beliefs)
    reading = Reading(columns, format, lowest_score_wins, rerank, keep_order, ignore_teams)
    contests = reading.read(path)
    announce_compilation(chosen)
    history = out is not None and not no_history
    with progress_bar("Rating") as progress:
        rated = podium.rate(
            contests, chosen, beliefs=beliefs, history=history, progress=progress, threads=threads
        )
    seconds = time.perf_counter() - started
    if out is not None:
        if history and earlier is not None:
            rated.history = pl.concat([earlier, rated.history], how="vertical_relaxed")
        with progress_bar(f"Writing {out.name}"):
            rated.write(out, format="csv" if csv else "parquet")
    board = rated.leaderboard(top or None)
    if json:
        print_json(_document(rated, contests, seconds, out, board))
    else:
        _print_summary(rated, contests, seconds)
        print_board(board, rated.system)
        _note_what_next(out)


def _earlier(resume: Path) -> "tuple[Beliefs, pl.DataFrame | None]":
    """The beliefs to go on from, and the history that led to them, if it was kept."""
    import podium

    if not resume.is_dir():
        return podium.Beliefs.load(resume), None
    if not is_ratings_folder(resume):
        raise PodiumError(f"{resume}: there are no ratings to go on from, no beliefs.npz.")
    rated = podium.Rated.read(resume)
    try:
        return rated.beliefs, rated.history
    except PodiumError:
        return rated.beliefs, None


def _system(
    name: str | None, settings: Sequence[str] | None, beliefs: "Beliefs | None"
) -> "System":
    """The system asked for; what is not said is as in the beliefs to go on from."""
    if beliefs is None:
        return chosen_system(name, settings)
    if name is None and not settings:
        return beliefs.system
    asked = chosen_system(name, settings, default=beliefs.system.name)
    if asked.name != beliefs.system.name:
        return asked
    said = pairs(settings, "--set KEY=VALUE")
    return dataclasses.replace(beliefs.system, **{key: getattr(asked, key) for key in said})


def _print_summary(rated: "Rated", contests: "Contests", seconds: float) -> None:
    counts = (
        counted(len(contests), "contest"),
        counted(len(rated.beliefs), "player"),
        counted(contests.rows, "row"),
    )
    output().print(f"{', '.join(counts)}: rated by {rated.system.name} in {seconds:.1f} s.\n")


def _note_what_next(out: Path | None) -> None:
    if out is None:
        note("\nNothing was written; --out FOLDER keeps the ratings.")
    else:
        files = ", ".join(sorted(file.name for file in out.iterdir()))
        note(f"\nIn {out}: {files}.")


def _document(
    rated: "Rated", contests: "Contests", seconds: float, out: Path | None, board: "pl.DataFrame"
) -> dict[str, object]:
    return {
        "system": rated.system.name,
        "parameters": rated.system.stored_parameters(),
        "contests": len(contests),
        "contests_in_all": rated.beliefs.rounds,
        "players": len(rated.beliefs),
        "rows": contests.rows,
        "seconds": seconds,
        "out": None if out is None else str(out),
        "leaderboard": board_document(board),
    }
