"""Changes of a league: how they are asked for, and who moves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli.board import CHANGE
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Group, argument, option
from podium.cli.leagues import is_address, opened
from podium.cli.options import Json
from podium.progress import progress_bar
from podium.wording import counted, listed, stated, step

if TYPE_CHECKING:
    import polars as pl

    from podium import League
    from podium.league import Change

    Ask = Callable[[League, dict[str, Any]], Change]

MOVES_SHOWN = 10
_LOG = "For the log"
Moves = Annotated[
    int | None,
    option(
        "N",
        f"Show the N largest moves, 0 for all; by default {MOVES_SHOWN}, in JSON all.",
        "--top",
        "-n",
        min=0,
    ),
]
Who = Annotated[
    str | None,
    option("NAME", "Who makes the change, for the log; by default the login name.", panel=_LOG),
]
Why = Annotated[str | None, option("TEXT", "The reason, for the log.", panel=_LOG)]
Entry = Annotated[
    int | None,
    argument("[ENTRY]", "The number of the change in podium log; if not given, the last."),
]
_MOVES = (
    Column("player", style="bold"),
    Column("before", right=True),
    Column("after", right=True, style="bold cyan"),
    CHANGE,
)
_NAMED = 12
"""Of so many contests or players all are named."""
_NEAR_SHOWN = 10
"""So many newcomers who are almost known are asked about."""


@dataclass(frozen=True, slots=True)
class Asked(Group):
    """How a league is to be changed, and what is said of it."""

    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False
    top: Moves = None
    json: Json = False
    who: Who = None
    why: Why = None

    def make(self, where: str, ask: "Ask") -> None:
        """Open the league, let `ask` change it, and say what was done and who moves.

        `ask` takes the league, and the keyword arguments that every change takes.
        """
        with opened(where) as league:
            system = league.system
            if not is_address(where):
                announce_compilation(system)
            with progress_bar("Rating") as progress:
                change = ask(
                    league,
                    {
                        "who": self.who,
                        "why": self.why,
                        "dry_run": self.dry_run,
                        "progress": progress,
                    },
                )
            digits = max(system.decimals, league.system.decimals)
        if self.json:
            print_json(change.document(self.top or None))
        else:
            self._print(change, digits)

    def _print(self, change: "Change", digits: int) -> None:
        output().print(stated(f"dry run: {change.what}" if self.dry_run else change.what))
        if change.recorded:
            for which, contests in (("New", change.recorded), ("Known already", change.known)):
                if 0 < len(contests) <= _NAMED:
                    output().print(f"{which}: {listed(contests)}.")
        if change.newcomers:
            print_newcomers(change.newcomers, change.near)
        if len(change.removed) > 1:
            output().print(f"Removed: {listed(change.removed, _NAMED)}.")
        if change.moves.height:
            output().print()
            print_moves(change.moves, MOVES_SHOWN if self.top is None else self.top, digits)
        moved, rated = counted(change.moves.height, "player"), counted(change.replayed, "contest")
        note(f"\n{moved} moved, {rated} rated.")
        if self.dry_run:
            note("Nothing was changed.")


def print_newcomers(newcomers: "Sequence[str]", near: "pl.DataFrame") -> None:
    """How many are new, and who of them may be somebody known."""
    from podium.league.changes import did_you_mean

    output().print(f"{counted(len(newcomers), 'newcomer')}.")
    questions = did_you_mean(near)
    for each in questions[:_NEAR_SHOWN]:
        output().print(f"  {each}")
    if len(questions) > _NEAR_SHOWN:
        note(f"  … and {len(questions) - _NEAR_SHOWN:,} more; --json lists all.")


def print_moves(moves: "pl.DataFrame", top: int, digits: int) -> None:
    """The first `top` moves as a table, 0 for all, with a note if there are more."""
    shown = moves.head(top) if top else moves
    rows = [
        (player, *step(before, after, digits))
        for player, before, after in shown.select("player", "before", "after").iter_rows()
    ]
    if rows:
        print_table(_MOVES, rows)
    if shown.height < moves.height:
        note(f"\nThe largest {shown.height:,} of {moves.height:,} moves; --top 0 shows all.")
