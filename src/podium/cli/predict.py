"""``podium predict``: how a contest may end."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.source import Reading, ratings_from
from podium.errors import PodiumError

if TYPE_CHECKING:
    import polars as pl

    from podium import Ladder

EXAMPLES = """\
[bold]Examples[/]

$ podium predict ratings ann bob
$ podium predict ratings ann bob cat dan --top 2
$ podium predict results.csv ann bob --system glicko2 --at 2027-01-01 --json
$ podium predict matches.csv ann bob --system luck --set side_advantage=0.4 --home ann
"""


def command(
    source: options.Source,
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME NAME…", help="Who takes part.", show_default=False),
    ],
    top: Annotated[
        int, typer.Option("--top", "-n", min=1, metavar="N", help="The chance to be among N.")
    ] = 3,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When they meet, if later than the last contest: uncertainty may have grown.",
            show_default=False,
        ),
    ] = None,
    home: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Who of two has the side (home, white); for systems that know sides.",
            show_default=False,
        ),
    ] = None,
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
    ladder_name: options.Ladder = None,
    ignore_ladders: options.IgnoreLadders = False,
) -> None:
    """Predict a contest: everybody's chances, and how open it is. Nothing is changed."""
    import podium

    if len(names) < 2:
        raise PodiumError("a contest to predict needs at least two players.")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PodiumError(f"player {twice!r} is named twice.")
    reading = Reading(
        columns,
        format,
        lowest_score_wins,
        rerank,
        keep_order,
        ignore_teams,
        ladder_name,
        ignore_ladders,
    )
    rated = ratings_from(source, system, settings, reading, threads=threads, history=False)
    ladder = podium.Ladder.from_beliefs(rated.beliefs, copy=False)
    chances = ladder.rank_probabilities(names, top=top, time=at, home=home)
    quality = ladder.quality(names, time=at, home=home)
    side = None if home is None else ("home" if home == names[0] else "away")
    document: dict[str, Any] = {"system": ladder.system.name, "quality": quality}
    if len(names) == 2:
        document["win_probability"] = ladder.win_probability(*names, time=at, side=side)
        document["draw_probability"] = ladder.draw_probability(*names, time=at, side=side)
        document["stronger_probability"] = _stronger(ladder, names, at)
    if json:
        print_json({**document, "top": top, "players": chances.to_dicts()})
        return
    if len(names) == 2:
        _print_pair(names, document, "expects" if ladder.system.counts_draws_half else "wins")
    else:
        _print_field(chances, top)
    if len(names) == 2 and document["stronger_probability"] is not None:
        output().print(f"{names[0]} is the stronger one: {document['stronger_probability']:.1%}")
    if len(names) == 2 and ladder.system.counts_draws_half:
        note("\nExpected scores: a draw counts half.")
    note(f"\nMatch quality {quality:.0%}, predicted by {ladder.system.name}.")


def _stronger(ladder: "Ladder", names: list[str], at: str | None) -> float | None:
    """How sure it is that the first is better, if the system has a notion of that."""
    if any(math.isnan(ladder[name].sigma) for name in names):
        return None
    return ladder.stronger_probability(*names, time=at)


def _print_pair(names: list[str], chances: dict[str, Any], verb: str) -> None:
    """Where draws count half, what is expected is a score."""
    win, draw = chances["win_probability"], chances["draw_probability"]
    parts = [f"{names[0]} {verb} {win:.1%}", f"{names[1]} {verb} {1.0 - win - draw:.1%}"]
    if draw > 0.0:
        parts.insert(1, f"a draw {draw:.1%}")
    output().print(", ".join(parts))


def _print_field(chances: "pl.DataFrame", top: int) -> None:
    shown = (
        Column("player", style="bold"),
        Column("first", right=True, style="bold cyan"),
        Column(f"best {top}", right=True),
        Column("expected rank", right=True),
    )
    rows = [
        (player, f"{first:.1%}", f"{best:.1%}", f"{rank:.2f}")
        for player, first, best, rank in chances.iter_rows()
    ]
    print_table(shown, rows)
