"""``podium fetch``: results from the web."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.console import note, output, print_json
from podium.cli.groups import option
from podium.errors import NotFoundError
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    from podium.results.fetching.client import Client
    from podium.results.fetching.keeping import Fetched

EXAMPLES = """\
[bold]Examples[/]

$ podium fetch codeforces --out rounds --since 2024-01-01
$ podium fetch ctftime --out events --since 2022
$ podium rate rounds --out ratings
"""
_CODEFORCES_EXAMPLES = """\
[bold]Examples[/]

$ podium fetch codeforces --out rounds --since 2024-01-01 --until 2024-12-31
$ podium fetch codeforces --out everybody --since 2025-06-01 --standings
$ podium rate rounds --out ratings
"""
_CTFTIME_EXAMPLES = """\
[bold]Examples[/]

$ podium fetch ctftime --out events --since 2022
$ podium rate events --out ratings
"""
app = typer.Typer()

Out = Annotated[
    Path,
    option(
        "FOLDER",
        "Where the answers go; what is there already is not asked for again.",
        "--out",
        "-o",
    ),
]
Interval = Annotated[
    float,
    option(
        "SECONDS", "The time between two requests, at least 2 unless --base-url leads elsewhere."
    ),
]
BaseUrl = Annotated[str | None, option("URL", "A mirror to ask instead of the site.")]


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Download results from a site, slowly, into a folder that podium rate reads."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("codeforces", epilog=_CODEFORCES_EXAMPLES)
def codeforces_command(
    out: Out,
    since: Annotated[str | None, option("DATE", "Only contests that start then or later.")] = None,
    until: Annotated[
        str | None, option("DATE", "Only contests that start on that day or earlier.")
    ] = None,
    standings: Annotated[
        bool,
        typer.Option(
            "--standings",
            help="Fetch standings of all contests instead of the rating changes of rated ones.",
        ),
    ] = False,
    interval: Interval = 2.0,
    base_url: BaseUrl = None,
    json: options.Json = False,
) -> None:
    """Download finished contests of Codeforces, one file each.

    An interrupted download goes on where it was when the command is given again.
    """
    from podium.results.fetching import codeforces

    client = _client(base_url or codeforces.BASE_URL, interval)
    with progress_bar("Fetching contests") as progress:
        fetched = codeforces.fetch(
            out, since=since, until=until, standings=standings, client=client, progress=progress
        )
    _show(fetched, "contest", out, json)


@app.command("ctftime", epilog=_CTFTIME_EXAMPLES)
def ctftime_command(
    out: Out,
    since: Annotated[int, option("YEAR", "The first year.")] = 2011,
    until: Annotated[int | None, option("YEAR", "The last year; this one if not given.")] = None,
    interval: Interval = 2.0,
    base_url: BaseUrl = None,
    json: options.Json = False,
) -> None:
    """Download the results of all events on CTFtime, one file for each year.

    Players are teams, called by their numbers on CTFtime.
    """
    from podium.results.fetching import ctftime

    client = _client(base_url or ctftime.BASE_URL, interval)
    with progress_bar("Fetching years") as progress:
        fetched = ctftime.fetch(out, since=since, until=until, client=client, progress=progress)
    _show(fetched, "year", out, json)


def _client(base_url: str, interval: float) -> "Client":
    from podium.results.fetching.client import Client

    return Client(base_url, interval=interval, report=note)


def _show(fetched: "Fetched", what: str, out: Path, json: bool) -> None:
    """Say what became of everything, and exit with an error if something is missing."""
    if json:
        print_json(fetched.document(out))
    else:
        counts = (
            f"{counted(len(fetched.downloaded), what)} downloaded",
            f"{len(fetched.already_there):,} already there",
            f"{len(fetched.unrated):,} without ratings or results",
            f"{len(fetched.failed):,} failed",
        )
        output().print(f"{', '.join(counts)}: in {out}.")
    for name, reason in fetched.failed.items():
        note(f"podium: {what} {name}: {reason}.")
    if fetched.failed:
        raise typer.Exit(NotFoundError.exit_code)
