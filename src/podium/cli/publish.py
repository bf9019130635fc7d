"""``podium publish``: a league as a static site."""

from pathlib import Path
from typing import Annotated

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import note, output, print_json
from podium.cli.groups import argument, option
from podium.cli.leagues import refuse_what_is_none
from podium.progress import progress_bar
from podium.texts import sentence
from podium.wording import counted

EXAMPLES = """\
[bold]Examples[/]

$ podium publish club.db site
$ podium publish club.db site --title "The chess club" --base-url https://example.org/club/
$ podium publish club.db site --explanations 500 --badges 50
$ podium publish club.db site --json

The folder can be copied to any web space, and site/index.html opens in a browser as it is. \
Publishing again writes only what changed.
"""


def command(
    where: options.League,
    folder: Annotated[
        Path, argument("FOLDER", "Where to write: a new folder, or one published to before.")
    ],
    *,
    title: Annotated[
        str | None,
        option("TEXT", "What the league is called; by default, what its file is."),
    ] = None,
    about: Annotated[str | None, option("TEXT", "A sentence about it.")] = None,
    base_url: Annotated[
        str | None,
        option(
            "URL",
            "Where the site will be, for the feed and for what other sites show of players.",
        ),
    ] = None,
    explanations: Annotated[
        int | None,
        option(
            "N",
            "How many of the latest results are explained; by default 100, or fewer of large "
            "contests.",
            min=0,
        ),
    ] = None,
    badges: Annotated[
        int,
        option("N", "Of how many of the best, and of the last contest, there are badges.", min=0),
    ] = 100,
    player_pages: Annotated[
        int,
        option(
            "N",
            "Up to so many players have pages that need no script; more share one that does.",
            min=0,
        ),
    ] = 1000,
    json: options.Json = False,
) -> None:
    """Write a league as pages for any web space: leaderboard, players, contests, explanations."""
    from podium.web.catalogue import Catalogue
    from podium.web.publishing import publish

    refuse_what_is_none(where)
    with Catalogue.of([where]) as catalogue:
        (hosted,) = catalogue.values()
        announce_compilation(hosted.league.system)
        with hosted.league.snapshot() as view, progress_bar("Publishing") as progress:
            found = publish(
                view,
                folder,
                title=title or hosted.title,
                about=about,
                base_url=base_url,
                explanations=explanations,
                badges=badges,
                player_pages=player_pages,
                progress=progress,
            )
    if json:
        print_json(found.document())
        return
    size = options.shown_size(found.bytes)
    output().print(
        f"{sentence(where)} is published in {folder}: {counted(found.pages, 'page')}, {size}; "
        f"{counted(found.written, 'file')} written, {found.unchanged:,} unchanged, "
        f"{found.removed:,} removed."
    )
    note(f"\nOpen {folder / 'index.html'} in a browser, or copy the folder to a web space.")
