"""``podium init``: a new league."""

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Who
from podium.cli.console import note, output
from podium.cli.display import Display
from podium.cli.groups import option
from podium.cli.leagues import is_url
from podium.cli.options import Choice
from podium.errors import ConflictError, InputError
from podium.progress import progress_bar
from podium.texts import sentence
from podium.wording import counted

EXAMPLES = """\
[bold]Examples[/]

$ podium init league.db
$ podium init league.db --system elo-mmr --set drift_per_day=5 --hidden-until 3
$ podium init chess.db --system glicko2 --titles 1200=Pupil,1400=Specialist,1600=Expert
$ podium init postgresql://localhost/league --display conservative --caution 2
$ podium init copy.db --from export
"""


def command(
    where: options.League,
    *,
    source: Annotated[
        Path | None,
        option(
            "FOLDER",
            "Make it from what podium export wrote: all contests, rules and the log.",
            "--from",
        ),
    ] = None,
    private: Annotated[
        bool,
        typer.Option(
            "--private",
            help="Let nobody but its owner read the file; by default the umask says who can.",
        ),
    ] = False,
    choice: Choice,
    display: Display,
    who: Who = None,
) -> None:
    """Make a league: ratings that live in a database, where results are recorded and corrected.

    A league that is there is never overwritten.
    """
    import podium
    from podium.league import Rules

    path = Path(where)
    if not is_url(where) and path.exists() and path.stat().st_size:  # SQLite may leave it empty
        raise ConflictError(f"{where}: is there already; a league is made under a new name.")
    if source is not None:
        if choice.said or display != Display():
            raise InputError(
                f"{source}: an export has its system and its rules, so options for them do not "
                f"apply; podium revise and podium rules change them afterwards."
            )
        with progress_bar(f"Reading {source.name}") as progress:
            league = podium.League.restore(source, where, progress=progress, private=private)
    else:
        rules = display.over(Rules())
        league = podium.League.create(where, choice.chosen(), rules=rules, who=who, private=private)
    shown = sentence(where)
    with league:
        contests = counted(len(league), "contest")
        output().print(f"{shown}: a league of {contests}, rated by {league.system.name}.")
    if source is None:
        note(f"\npodium record {shown} FILE records results.")
