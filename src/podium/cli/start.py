"""``podium start``: ratings that players of a league are given."""

from pathlib import Path
from typing import Annotated

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import refuse_what_is_none
from podium.cli.record import refuse_leagues
from podium.cli.source import Reading, note_assumptions
from podium.errors import InputError
from podium.progress import progress_bar

EXAMPLES = """\
[bold]Examples[/]

$ podium start league.db federation.csv --dry-run
$ podium start league.db federation.xlsx --time 2026-01-01 --columns rating=Elo
$ podium start league.db --remove ann
$ podium start league.db --remove ann --time 2026-01-01

The file has a row for each rating: player and rating, and sigma and time if they are known. \
Without a time it counts from before all contests, without a sigma it is as uncertain as that of \
a newcomer.
"""


def command(
    where: options.League,
    file: Annotated[
        Path | None, argument("[FILE]", "The ratings: .csv, .xlsx, .parquet, .jsonl or .json.")
    ] = None,
    *,
    time: Annotated[
        str | None,
        option("DATE", "As of when, where the file does not say: before contests of that moment."),
    ] = None,
    remove: Annotated[
        str | None,
        option("PLAYER", "Take the starting ratings of a player back, or that of --time."),
    ] = None,
    asked: Asked,
    reading: Annotated[
        Reading,
        Without(
            *("lowest_score_wins", "rerank", "contest", "time", "from_name", "wide", "unfinished"),
            *("keep_order", "ignore_teams", "ladder", "ignore_ladders", "isolated"),
        ),
    ],
) -> None:
    """Give players ratings from elsewhere, with which they begin; who is not known becomes known.

    Contests from then on are rated again; the table says who moves.
    """
    from podium.ratings.adjustments import Starts
    from podium.results.options import Options
    from podium.results.starting import ratings_understood

    refuse_what_is_none(where)
    if remove is not None:
        if file is not None:
            raise InputError("--remove takes ratings back, so no file is read; say one of them.")
        asked.make(where, lambda league, how: league.remove_start(remove, time, **how))
        return
    if file is None:
        raise InputError(
            "a file of ratings is needed, as in podium start LEAGUE FILE, or --remove PLAYER."
        )
    refuse_leagues([file])
    with progress_bar(f"Reading {file.name}"):
        rows, report = ratings_understood(file, Options.of(reading.said()))
    note_assumptions(report)
    starts = Starts.from_frame(rows, time, future=reading.future)
    asked.make(where, lambda league, how: league.start(starts, near=True, **how))
