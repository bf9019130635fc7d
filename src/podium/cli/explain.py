"""``podium explain``: why a rating is what it is after a contest."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import note, output, print_json
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import asking, is_league
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_folder
from podium.errors import InputError
from podium.progress import progress_bar

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
        argument(
            "LEAGUE|PATH", "A league, by its file or URL, or results of which all before are rated."
        ),
    ],
    contest: Annotated[str, argument("CONTEST", "The contest's identifier.")],
    player: Annotated[str, argument("PLAYER", "The player's name.")],
    *,
    with_hidden: options.WithHidden = False,
    json: options.Json = False,
    png: Annotated[
        Path | None,
        option("FILE", "Draw whom the player met, past performances and the change of the rating."),
    ] = None,
    rating: Rating,
    reading: Annotated[Reading, Without("contest")],
) -> None:
    """Explain a result: the performance, what it changed and why, and what might have been."""
    if is_league(source):
        if rating != Rating() or reading != Reading():
            raise InputError(
                "a league has its own system and results, so options for rating or reading "
                "results do not apply."
            )
        found = _of_league(source, contest, player, with_hidden)
    else:
        found = _of_results(Path(source), contest, player, rating, reading)
    if png is not None:
        found.picture(png)
        note(f"The picture is in {png}.")
    if json:
        print_json(found.document())
    else:
        print(found.text(min(_WIDEST, output().width)))


def _of_league(source: str, contest: str, player: str, with_hidden: bool) -> "Explanation":
    with asking(source, with_hidden=with_hidden) as view:
        announce_compilation(view.system)
        return view.explain(contest, player)


def _of_results(
    path: Path, contest: str, player: str, rating: Rating, reading: Reading
) -> "Explanation":
    import podium

    if ratings_folder(path, reading.ladder) is not None:
        raise InputError(
            f"{path}: holds the latest ratings only, not those before a contest; give the "
            f"results instead."
        )
    chosen = rating.chosen()
    contests = reading.read(path)
    announce_compilation(chosen)
    with progress_bar("Rating") as progress:
        return podium.explain_result(
            contests, contest, player, chosen, progress=progress, threads=rating.threads
        )
