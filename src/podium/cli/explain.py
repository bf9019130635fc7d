"""``podium explain``: why a rating is what it is after a contest."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import note, output, print_json
from podium.cli.leagues import is_league, opened
from podium.cli.progress import progress_bar
from podium.cli.source import Reading, ratings_folder
from podium.errors import InputError

if TYPE_CHECKING:
    from podium import Explanation

EXAMPLES = """\
[bold]Examples[/]

$ podium explain results.csv spring-3 ann
$ podium explain results.csv spring-3 ann --system glicko2 --json
$ podium explain league.db spring-3 ann --png ann.png
"""

_WIDEST = 88


def command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="LEAGUE|PATH",
            help="A league, by its file or URL, or results of which all before are rated.",
            show_default=False,
        ),
    ],
    contest: Annotated[
        str,
        typer.Argument(metavar="CONTEST", help="The contest's identifier.", show_default=False),
    ],
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="The player's name.", show_default=False)
    ],
    json: options.Json = False,
    png: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Draw whom the player met, past performances and the change of the rating.",
            show_default=False,
        ),
    ] = None,
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
    """Explain a result: the performance, what it changed and why, and what might have been."""
    reading = Reading(
        columns, format, lowest_score_wins, rerank, keep_order, ignore_teams, ladder, ignore_ladders
    )
    if is_league(source):
        if system or settings or threads or reading != Reading():
            raise InputError(
                "a league has its own system and results, so options for rating or reading "
                "results do not apply."
            )
        found = _of_league(source, contest, player)
    else:
        found = _of_results(Path(source), contest, player, reading, system, settings, threads)
    if png is not None:
        found.picture(png)
        note(f"The picture is in {png}.")
    if json:
        print_json(found.document())
    else:
        print(found.text(min(_WIDEST, output().width)))


def _of_league(source: str, contest: str, player: str) -> "Explanation":
    with opened(source) as league:
        announce_compilation(league.system)
        return league.explain(contest, player)


def _of_results(
    path: Path,
    contest: str,
    player: str,
    reading: Reading,
    system: str | None,
    settings: list[str] | None,
    threads: int | None,
) -> "Explanation":
    import podium

    if ratings_folder(path, reading.ladder) is not None:
        raise InputError(
            f"{path}: holds the latest ratings only, not those before a contest; give the "
            f"results instead."
        )
    chosen = options.chosen_system(system, settings)
    contests = reading.read(path)
    announce_compilation(chosen)
    with progress_bar("Rating") as progress:
        return podium.explain_result(
            contests, contest, player, chosen, progress=progress, threads=threads
        )
