"""Options that several commands share, declared once, and what their values mean."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium import systems
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.systems.base import System

RESULTS = "How to read results"
RATING = "How to rate"
WORKERS = "Many cores"
LOG = "For the log"
DISPLAY = "How ratings are shown"
MOVES_SHOWN = 10

Source = Annotated[
    str,
    typer.Argument(
        metavar="FOLDER|LEAGUE|PATH",
        help="A folder written by podium rate --out, a league, or results to rate on the spot.",
        show_default=False,
    ),
]
League = Annotated[
    str,
    typer.Argument(
        metavar="LEAGUE",
        help="The league: a file such as league.db, or the URL of a database, e.g. "
        "postgresql://host/name.",
        show_default=False,
    ),
]
Contest = Annotated[
    str,
    typer.Argument(metavar="CONTEST", help="The identifier of the contest.", show_default=False),
]
Player = Annotated[
    str, typer.Argument(metavar="PLAYER", help="The name of the player.", show_default=False)
]
Results = Annotated[
    Path,
    typer.Argument(
        metavar="PATH",
        help="The results: .csv, .parquet, .jsonl or a folder of contest files.",
        show_default=False,
    ),
]
SystemName = Annotated[
    str | None,
    typer.Option(
        "--system",
        "-s",
        metavar="NAME",
        help="The rating system, elo-mmr if not given; podium systems lists them.",
        autocompletion=systems.names,
        rich_help_panel=RATING,
        show_default=False,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="A parameter of the system, e.g. rho=inf or noob_delay=0.6,0.8; can be repeated.",
        rich_help_panel=RATING,
        show_default=False,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Threads for large contests, one for each core if not given; ratings are the same.",
        rich_help_panel=RATING,
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="OURS=THEIRS",
        help="What a column is called in the file, e.g. player=handle; can be repeated.",
        rich_help_panel=RESULTS,
        show_default=False,
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="The format of the file, if its name does not say it.",
        rich_help_panel=RESULTS,
        show_default=False,
    ),
]
OutputFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format, if the name of the file does not say it.",
        show_default=False,
    ),
]
LowestScoreWins = Annotated[
    bool,
    typer.Option(
        "--lowest-score-wins",
        help="The best score is the lowest, as in golf or a race.",
        rich_help_panel=RESULTS,
    ),
]
Rerank = Annotated[
    bool,
    typer.Option(
        "--rerank",
        help="Use only the order of the ranks, for standings from which players were removed.",
        rich_help_panel=RESULTS,
    ),
]
KeepOrder = Annotated[
    bool,
    typer.Option(
        "--keep-order",
        help="Rate contests in the order of the file instead of sorting them by time.",
        rich_help_panel=RESULTS,
    ),
]
IgnoreTeams = Annotated[
    bool,
    typer.Option(
        "--ignore-teams",
        help="Rate every player alone, although the results have a column team.",
        rich_help_panel=RESULTS,
    ),
]
Ladder = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        metavar="NAME",
        help="Only this ladder, of those that the column ladder names.",
        rich_help_panel=RESULTS,
        show_default=False,
    ),
]
IgnoreLadders = Annotated[
    bool,
    typer.Option(
        "--ignore-ladders",
        help="Rate all contests together, although the results have a column ladder.",
        rich_help_panel=RESULTS,
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="N",
        help="Processes that share the work, one for each core if not given; results are the same.",
        rich_help_panel=WORKERS,
        show_default=False,
    ),
]
Backend = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Where the processes are: local (if not given), dask or ray.",
        rich_help_panel=WORKERS,
        show_default=False,
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A cluster of Dask or Ray, e.g. tcp://10.0.0.5:8786; without one they work on this "
        "machine.",
        rich_help_panel=WORKERS,
        show_default=False,
    ),
]
Top = Annotated[
    int, typer.Option("--top", "-n", min=0, metavar="N", help="Show the best N players; 0 for all.")
]
Page = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Show the Nth so many players, as --top says."),
]
Who = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Who makes the change, for the log; by default the login name.",
        rich_help_panel=LOG,
        show_default=False,
    ),
]
Why = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="The reason, for the log.", rich_help_panel=LOG, show_default=False
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
]
Moves = Annotated[
    int | None,
    typer.Option(
        "--top",
        "-n",
        min=0,
        metavar="N",
        help=f"Show the N largest moves, 0 for all; by default {MOVES_SHOWN}, in JSON all.",
        show_default=False,
    ),
]
Titles = Annotated[
    str | None,
    typer.Option(
        metavar="RATING=TITLE,…",
        help="Titles by the rating from which they are held, e.g. 1200=Pupil,1400=Specialist; "
        "an empty text for none.",
        rich_help_panel=DISPLAY,
        show_default=False,
    ),
]
HiddenUntil = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        help="Leave players off the leaderboard until they have N contests.",
        rich_help_panel=DISPLAY,
        show_default=False,
    ),
]
Display = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which number is shown as the rating: that of the system, the mean, or a "
        "conservative one, the mean less so many sigmas; say system, mean or conservative.",
        rich_help_panel=DISPLAY,
        show_default=False,
    ),
]
Caution = Annotated[
    float | None,
    typer.Option(
        metavar="K",
        help="How many sigmas a conservative rating is below the mean.",
        rich_help_panel=DISPLAY,
        show_default=False,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document, with numbers that are not rounded."),
]


def pairs(texts: Sequence[str] | None, form: str) -> dict[str, str]:
    """What was given in the form ``--option KEY=VALUE``, any number of times.

    Example:
        >>> pairs(["rho=inf", "noob_delay=0.6,0.8"], "--set KEY=VALUE")
        {'rho': 'inf', 'noob_delay': '0.6,0.8'}
    """
    option = form.split()[0]
    found: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{option} {text}: write it as {form}.")
        if key.strip() in found:
            raise InputError(f"{option} {text}: {key.strip()!r} is given twice.")
        found[key.strip()] = value.strip()
    return found


def chosen_system(
    name: str | None, settings: Sequence[str] | None, default: str = "elo-mmr"
) -> "System":
    """The system that ``--system`` and ``--set`` ask for."""
    texts = pairs(settings, "--set KEY=VALUE")
    return systems.by_name(name or default).parse(texts)


def system_like(before: "System", name: str | None, settings: Sequence[str] | None) -> "System":
    """The system that ``--system`` and ``--set`` ask for; what is not said is as in `before`."""
    from dataclasses import replace

    if name is None and not settings:
        return before
    asked = chosen_system(name, settings, default=before.name)
    if asked.name != before.name:
        return asked
    said = pairs(settings, "--set KEY=VALUE")
    return replace(before, **{key: getattr(asked, key) for key in said})
