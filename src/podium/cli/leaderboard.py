"""``podium leaderboard``: who is best."""

from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.board import board_document, print_board
from podium.cli.console import note, print_json
from podium.cli.source import Reading, ratings_from
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
[bold]Examples[/]

$ podium leaderboard ratings --top 50
$ podium leaderboard ratings --active-since 2026-01-01 --min-contests 5
$ podium leaderboard results.csv --system glicko2 --as-of 2027-01-01
$ podium leaderboard results.csv --system elo-mmx --json
$ podium leaderboard ratings --ladder europe
"""


def command(
    source: options.Source,
    top: options.Top = 10,
    active_since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Only players whose last contest is not earlier: a date, a datetime or unix "
            "seconds.",
            show_default=False,
        ),
    ] = None,
    as_of: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Ratings as of a date after the last contest: where a system lets uncertainty "
            "grow with absence, those who have not played fall behind.",
            show_default=False,
        ),
    ] = None,
    min_contests: Annotated[
        int, typer.Option(min=0, metavar="N", help="Only players with at least N contests.")
    ] = 0,
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
    ladder: options.Ladder = None,
    ignore_ladders: options.IgnoreLadders = False,
) -> None:
    """Show the best players, with their places among those who pass the conditions."""
    reading = Reading(
        columns, format, lowest_score_wins, rerank, keep_order, ignore_teams, ladder, ignore_ladders
    )
    earliest = None if active_since is None else _microseconds(active_since)
    rated = ratings_from(source, system, settings, reading, threads=threads, history=False)
    ratings = rated.ratings if as_of is None else rated.ratings_at(as_of)
    board = _board(ratings, earliest, min_contests)
    shown = board.head(top) if top else board
    if json:
        document = {
            "system": rated.system.name,
            "parameters": rated.system.stored_parameters(),
            "contests": rated.beliefs.rounds,
            "players": len(rated.beliefs),
            "eligible": board.height,
            "leaderboard": board_document(shown),
        }
        print_json(document)
        return
    print_board(shown, rated.system)
    if as_of is not None and ratings.equals(rated.ratings):
        note(f"\nAbsence changes nothing under {rated.system.name} with these parameters.")
    note(f"\n{shown.height:,} of {counted(board.height, 'player')}, rated by {rated.system.name}.")


def _microseconds(time: str) -> int:
    from podium.times import to_microseconds

    return to_microseconds(time)


def _board(ratings: "pl.DataFrame", earliest: int | None, min_contests: int) -> "pl.DataFrame":
    import polars as pl

    from podium.rating import with_places

    board = ratings.filter(pl.col("contests") >= min_contests)
    if earliest is not None:
        board = board.filter(pl.col("last_time").dt.epoch("us") >= earliest)
    return with_places(board)
