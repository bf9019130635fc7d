"""``podium attack``: what can be gained by doing worse on purpose."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from podium import systems
from podium.cli import INTERRUPTED, options
from podium.cli.board import CHANGE
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Group, argument, grouped, option
from podium.cli.options import Choice
from podium.cli.source import Reading
from podium.errors import InputError
from podium.extras import require
from podium.files import replacing
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.evaluation.attacks import Farming, Matchmaking, Reversal
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium attack farming results.csv --player ann --system topcoder --transfer elo-mmr
$ podium attack matchmaking --system glicko2 --beside elo
$ podium attack search --system trueskill --others react
"""
FARMING_EXAMPLES = """\
[bold]Examples[/]

$ podium attack farming results.csv --player ann
$ podium attack farming results.csv --player ann --transfer elo-mmr --png ann.png

The experiment of the Elo-MMR paper, on results of Codeforces:

$ podium attack farming codeforces.parquet --player tourist --threshold 2975 --transfer elo-mmr \
--set variant=papers --set mu_new=1500 --set sigma_new=350
"""
MATCHMAKING_EXAMPLES = """\
[bold]Examples[/]

$ podium attack matchmaking
$ podium attack matchmaking --beside glicko --beside elo --beside elo-mmr --png farming.png
$ podium attack matchmaking --set volatility_max=0.1
"""
SEARCH_EXAMPLES = """\
[bold]Examples[/]

$ podium attack search --system topcoder
$ podium attack search --system elo-mmr --set opponents=4 --histories 2000
$ podium attack search --system glicko2 --others react --json
"""

app = typer.Typer(epilog=EXAMPLES, rich_markup_mode="rich", no_args_is_help=False)

GAIN = replace(CHANGE, header="gain")
Attacked = Annotated[
    str | None,
    option("NAME", "The attacked system.", "--system", "-s", autocompletion=systems.names),
]
Picture = Annotated[Path | None, option("FILE", "Draw the ratings.")]


@dataclass(frozen=True, slots=True)
class FarmedSystem(Choice):
    """The one to farm."""

    system: Attacked = "topcoder"


@dataclass(frozen=True, slots=True)
class Plan(Group):
    """When a player comes last on purpose."""

    threshold: Annotated[
        float | None,
        option(
            "RATING",
            "Contests are thrown when rated above; by default, the median of the ratings "
            "in the first honest contests.",
        ),
    ] = None
    honest_first: Annotated[int, option("N", "So many contests stay as they were.")] = 45
    farming: Annotated[int, option("N", "In so many, some are thrown.")] = 45
    honest_last: Annotated[int, option("N", "So many stay as they were again.")] = 15


@dataclass(frozen=True, slots=True)
class MatchedSystem(Choice):
    """The one whose ratings make the matches."""

    system: Attacked = "glicko2"


@dataclass(frozen=True, slots=True)
class Play(Group):
    """Who loses matches on purpose, when, and how often it is tried."""

    skill: Annotated[float, option("RATING", "The true skill of the player.")] = 1500.0
    threshold: Annotated[
        float | None,
        option(
            "RATING", "Matches are thrown when rated above; by default, 500 points below the skill."
        ),
    ] = None
    stop_at: Annotated[
        float | None,
        option("RATING", "A rating to be content with; by default, 200 points above the skill."),
    ] = None
    honest_first: Annotated[int, option("N", "So many honest rating periods come first.")] = 20
    farming: Annotated[int, option("N", "In so many periods, matches may be thrown.")] = 100
    honest_last: Annotated[int, option("N", "So many honest periods come last.")] = 40
    matches: Annotated[int, option("N", "The matches of a period until then.")] = 15
    matches_last: Annotated[int, option("N", "The matches of the last, honest periods.")] = 3
    runs: Annotated[int, option("N", "How many farmers and honest twins.")] = 100
    seed: options.Seed = 0


@dataclass(frozen=True, slots=True)
class Tries(Group):
    """Which histories are searched."""

    others: Annotated[
        str,
        option(
            "fixed|react",
            "Whether the others' ratings are those of honest play, as in Theorem 5.5 of the "
            "Elo-MMR paper, or follow from the altered results, too.",
        ),
    ] = "fixed"
    histories: Annotated[int, option("N", "How many histories to try.")] = 10_000
    players: Annotated[int, option("N", "The most players of a history.")] = 8
    contests: Annotated[int, option("N", "The most contests of a history.")] = 12
    seed: options.Seed = 0


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Attack a rating system: see what can be gained by doing worse on purpose."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command("farming", epilog=FARMING_EXAMPLES)
@grouped
def farming_command(
    data: Annotated[Path, argument("DATA", "Results, as podium rate takes them.")],
    player: Annotated[str, option("NAME", "Who attacks.")],
    *,
    transfer: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Another system for the same altered results; can be repeated.",
            autocompletion=systems.names,
        ),
    ] = None,
    plan: Plan,
    png: Picture = None,
    out: Annotated[Path | None, option("CSV", "Write every rating on the way.")] = None,
    json: options.Json = False,
    choice: FarmedSystem,
    reading: Reading,
) -> None:
    """Let a player come last on purpose for a while, to make later results count more.

    The ratings at the end are compared with those of the results as they
    were. In systems with a volatility the attack may pay.
    """
    from podium.evaluation import attacks

    _check_ending(png, ".png", "picture")
    _check_ending(out, ".csv", "table")
    chosen = choice.chosen()
    others = [systems.build(name) for name in transfer or ()]
    contests = reading.read(data)
    announce_compilation(chosen, *others)
    with progress_bar(f"Attacking {chosen.name}") as progress:
        attack = attacks.farming(contests, chosen, player, **asdict(plan), progress=progress)
    transferred = []
    for each in others:
        with progress_bar(f"Rating by {each.name}") as progress:
            transferred.append((each, attack.transferred(each, progress=progress)))
    try:
        if out is not None:
            _write_farming([(chosen, attack.table), *transferred], out)
        if png is not None:
            from podium import pictures
            from podium.evaluation.attacks.figures import farming_figure

            pictures.save(farming_figure(attack, [(chosen, attack.table), *transferred]), png)
    finally:  # a file that cannot be written does not lose what was found
        if json:
            print_json(attack.document(transferred))
        else:
            _print_farming(attack, transferred)
    _note_written(json, png, out)


def _note_written(json: bool, *paths: Path | None) -> None:
    for path in paths:
        if path is not None and not json:
            note(f"{path} is written.")


def _check_ending(path: Path | None, ending: str, what: str) -> None:
    if path is not None and path.suffix.lower() != ending:
        raise InputError(
            f"{path}: the {what} is a {ending[1:].upper()}, so its name must end in {ending}."
        )
    if path is not None and ending == ".png":
        require("matplotlib")


def _write_farming(tables: "Sequence[tuple[System, pl.DataFrame]]", path: Path) -> None:
    import polars as pl

    parts = [
        table.select(pl.lit(system.name).alias("system"), pl.all()) for system, table in tables
    ]
    with replacing(path) as temporary:
        pl.concat(parts).write_csv(temporary)


def _print_farming(attack: "Farming", transferred: "Sequence[tuple[System, pl.DataFrame]]") -> None:
    columns = (
        Column("system", style="bold cyan"),
        Column("honest", right=True),
        Column("attacked", right=True),
        GAIN,
        Column(f"in the last {attack.honest_last}", right=True),
    )
    rows = []
    kinds = (attack.system, *(system for system, _ in transferred))
    for system, row in zip(kinds, attack.outcomes(transferred), strict=True):
        d = system.decimals
        ends = (f"{row[key]:.{d}f}" for key in ("control", "attacked"))
        gains = (f"{row[key]:+.{d}f}" for key in ("gain", "climb"))
        rows.append((system.name, *ends, *gains))
    print_table(columns, rows)
    note(
        f"\n{attack.player} came last on purpose in {attack.thrown} of "
        f"{counted(attack.farming, 'contest')}, whenever rated above "
        f"{attack.threshold:.{attack.system.decimals}f} by {attack.system.name}."
    )


@app.command("matchmaking", epilog=MATCHMAKING_EXAMPLES)
@grouped
def matchmaking_command(
    *,
    beside: Annotated[
        list[str] | None,
        option(
            "NAME",
            "Another system, attacked in the same way; can be repeated.",
            autocompletion=systems.names,
        ),
    ] = None,
    play: Play,
    png: Picture = None,
    json: options.Json = False,
    choice: MatchedSystem,
) -> None:
    """Let simulated players lose matches on purpose for a while; the honest twin never does.

    Opponents are rated about as the player is, and are as good as their
    ratings say. Ratings are on Elo's scale. Systems that can have rating
    periods have periods of a day.
    """
    from podium.evaluation import attacks

    _check_ending(png, ".png", "picture")
    chosen = [choice.chosen(), *map(systems.build, beside or ())]
    announce_compilation(*chosen)
    found = []
    for each in chosen:
        with progress_bar(f"Attacking {each.name}") as progress:
            found.append(attacks.matchmaking(each, **asdict(play), progress=progress))
    try:
        if png is not None:
            from podium import pictures
            from podium.evaluation.attacks.figures import matchmaking_figure

            pictures.save(matchmaking_figure(found), png)
    finally:
        if json:
            print_json([attack.document() for attack in found])
        else:
            _print_matchmaking(found)
    _note_written(json, png)


def _print_matchmaking(found: "Sequence[Matchmaking]") -> None:
    columns = (
        Column("system", style="bold cyan"),
        Column("rating"),
        Column("honest", right=True),
        Column("farmer", right=True),
        GAIN,
        Column("95 %", right=True, style="dim"),
    )
    rows = []
    for attack in found:
        names = {
            "end": "at the end",
            "stop": f"stopping at {attack.stop_at:g}",
            "peak": "highest of the last periods",
        }
        for measure, honest, farmer, gain, low, high in attack.summary.iter_rows():
            numbers = (f"{honest:.0f}", f"{farmer:.0f}", f"{round(gain):+}")
            rows.append(
                (attack.system.name, names[measure], *numbers, f"{low:+.0f} to {high:+.0f}")
            )
    print_table(columns, rows)
    attack = found[0]
    honest, farmer = attack.highest
    note(
        f"\nMeans of {counted(len(attack.honest), 'run')}. Of all, the highest by "
        f"{attack.system.name} in the last periods: a farmer {farmer:.0f} above the true skill, "
        f"an honest player {honest:.0f}."
    )


@app.command("search", epilog=SEARCH_EXAMPLES)
@grouped
def search_command(
    *,
    tries: Tries,
    out: Annotated[
        Path | None,
        option("FOLDER", "Write both histories as results: honest.csv and attacked.csv."),
    ] = None,
    json: options.Json = False,
    choice: Choice,
) -> None:
    """Search for a history in which a worse rank in one contest ends in a higher rating.

    Small histories are varied at random, step by step to the largest gain. A
    gain proves that doing worse can pay; that none is found proves nothing.
    Ctrl-C ends the search with what it has found by then.
    """
    from podium.evaluation import attacks

    chosen = choice.chosen()
    announce_compilation(chosen)
    with progress_bar(f"Attacking {chosen.name}") as progress:
        found = attacks.search(chosen, **asdict(tries), progress=progress)
    try:
        if out is not None:
            with replacing(out, folder=True) as temporary:
                for name in ("honest", "attacked"):
                    getattr(found, name).frame().write_csv(temporary / f"{name}.csv")
    finally:
        if json:
            print_json(found.document())
        else:
            _print_search(found)
    if out is not None and not json:
        note(f"Both histories are in {out}.")
    if found.interrupted:
        note("podium: interrupted.")
        raise typer.Exit(INTERRUPTED)


def _print_search(found: "Reversal") -> None:
    others = {"fixed": "others as in honest play", "react": "others react"}[found.others]
    tried = "1 history" if found.tried == 1 else f"{found.tried:,} histories"
    if not found.is_reversal:
        output().print(
            f"{found.system.name}, {others}: in none of {tried} did a worse rank end higher; the "
            f"least that it cost was {max(-found.gain, 0.0):.4g} points."
        )
        return
    digits = found.system.decimals + 1
    output().print(
        f"{found.system.name}, {others}: doing worse in {found.contest} ends "
        f"{found.gain:.{digits}f} points higher, at {found.attacked_rating:.{digits}f} instead of "
        f"{found.honest_rating:.{digits}f}.\n"
    )
    columns = (
        Column("contest", style="bold cyan", whole=True),
        Column("date", style="dim", whole=True),
        Column("honest", whole=True),
        Column("attacked", whole=True),
    )
    rows = [
        (contest, f"{time:%Y-%m-%d}", honest, attacked if attacked != honest else "the same")
        for contest, time, honest, attacked in found.table.iter_rows()
    ]
    print_table(columns, rows)
    note(f"\nThe largest gain in {tried}.")
