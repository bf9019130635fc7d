"""``podium add``: late results into a contest of a league."""

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import Without, argument
from podium.cli.leagues import refuse_what_is_none
from podium.cli.record import refuse_leagues
from podium.cli.source import Reading, note_assumptions
from podium.progress import progress_bar

EXAMPLES = """\
[bold]Examples[/]

$ podium add league.db week-3 late.csv --dry-run
$ podium add league.db week-3 late.csv --ahead --who ann --why "the card was found"
$ podium add league.db week-3 late.csv --tied

The file has a row for each late result: player and rank, or score if the contest was recorded by \
scores. A rank is that among all, the late ones included; who stands behind moves down.
"""


def command(
    where: options.League,
    contest: options.Contest,
    file: Annotated[
        Path, argument("FILE", "The late results; of several contests in the file, this one's.")
    ],
    *,
    tied: Annotated[
        bool | None,
        typer.Option(
            "--tied/--ahead",
            help="Whether those whose rank somebody else has tie with them, or come before them.",
        ),
    ] = None,
    asked: Asked,
    reading: Annotated[
        Reading,
        Without(
            *("rerank", "contest", "time", "from_name", "wide", "keep_order", "ladder"),
            *("ignore_ladders", "future", "isolated"),
        ),
    ],
) -> None:
    """Put late results, one or many, into a contest; who is in it already is refused.

    All contests from then on are rated again; the table says who moves.
    """
    from podium.results.options import Options
    from podium.results.reading import rows_understood

    refuse_what_is_none(where)
    refuse_leagues([file])
    with progress_bar(f"Reading {file.name}"):
        rows, report = rows_understood(file, Options.of(reading.said()))
    note_assumptions(report)
    if reading.ignore_teams and "team" in rows.columns:
        rows = rows.rename({"team": "given_team"})
    asked.make(
        where,
        lambda league, how: league.add(
            contest, rows, tied=tied, lowest_score_wins=reading.lowest_score_wins, **how
        ),
    )
