"""``podium predict``: how a contest may end, and what one that still runs does to ratings."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.board import CHANGE
from podium.cli.chart import line_chart, shows_braille
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_address, is_league
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_folder, ratings_from
from podium.errors import InputError, NotFoundError
from podium.wording import counted, step

if TYPE_CHECKING:
    import polars as pl

    from podium import Contests, Curve, Prediction, Rated
    from podium.league import View
    from podium.ratings.chances import Chances

EXAMPLES = """\
[bold]Examples[/]

$ podium predict ratings ann bob
$ podium predict ratings ann bob cat dan --top 2
$ podium predict results.csv ann bob --system glicko2 --at 2027-01-01 --json
$ podium predict results.csv ann bob --system trueskill --calibrated
$ podium predict matches.csv ann bob --system luck --set side_advantage=0.4 --home ann
$ podium predict ratings --standings now.csv
$ podium predict ratings now.csv --player ann --goal 1900 --goal 2100 --png ann.png
"""

_SHOWN = 10
_WIDEST_CHART = 72


def command(
    source: options.Source,
    names: Annotated[
        list[str] | None, argument("NAME NAME…", "Who takes part; or a file of standings.")
    ] = None,
    *,
    standings: Annotated[
        Path | None,
        option(
            "FILE",
            "A contest as it stands: results of one, a table of player and rank or score, "
            "or names in a .txt file, best first. Shows the ratings if it ended so.",
        ),
    ] = None,
    player: Annotated[
        str | None, option("NAME", "With standings: the rating of this player at every rank.")
    ] = None,
    goals: Annotated[
        list[float] | None,
        option(
            "RATING", "With --player: the rank that this rating needs; can be repeated.", "--goal"
        ),
    ] = None,
    top: Annotated[
        int | None,
        option(
            "N",
            f"The chance to be among N, 3 if not given; of standings, the first N rows, "
            f"{_SHOWN} if not given and 0 for all.",
            "--top",
            "-n",
            min=0,
        ),
    ] = None,
    at: Annotated[
        str | None,
        option(
            "TIME", "When they meet, if later than the last contest: uncertainty may have grown."
        ),
    ] = None,
    home: Annotated[
        str | None,
        option("NAME", "Who of two has the side (home, white); for systems that know sides."),
    ] = None,
    calibrated: options.Calibrated = False,
    png: Annotated[
        Path | None, option("FILE", "With --player: draw the rating against the rank.")
    ] = None,
    json: options.Json = False,
    rating: Rating,
    reading: Reading,
) -> None:
    """Predict a contest: everybody's chances, or what standings do to ratings. Nothing is changed.

    Options on reading say how results are read, or, where ratings are given, how standings are.
    """
    file, named = _standings_file(names or [], standings)
    _refuse_what_does_not_apply(file, player, goals, png, home)
    with ExitStack() as stack:
        known, reading = _known(source, rating, reading, file, stack, calibrated)
        if file is None:
            chances = _chances(known, named, 3 if top is None else top, at, home, calibrated)
        else:
            contest = _read(file, reading, at, known.last)
            prediction = known.predict(contest)
            curve = None if player is None else known.curve(contest, player, goals)
    if file is None:
        if json:
            print_json(chances.document())
        else:
            _print_chances(chances)
        return
    if curve is not None and png is not None:
        curve.picture(png)
        note(f"The picture is in {png}.")
    if json:
        print_json(prediction.document(top or None, curve))
        return
    _print_prediction(prediction, _SHOWN if top is None else top)
    if curve is not None:
        _print_curve(curve)


def _standings_file(names: list[str], given: Path | None) -> tuple[Path | None, list[str]]:
    """The file of standings, which may be the only name; and the names otherwise."""
    if given is not None:
        if names:
            raise InputError(
                "who takes part stands in the file of --standings, so no names are needed."
            )
        return given, []
    if len(names) == 1 and Path(names[0]).is_file():
        return Path(names[0]), []
    if len(names) == 1:
        raise NotFoundError(
            f"{names[0]}: there is no such file of standings, and a contest to predict needs at "
            f"least two players."
        )
    if not names:
        raise InputError(
            "a contest to predict needs at least two players, or standings: --standings FILE."
        )
    return None, names


def _refuse_what_does_not_apply(
    file: Path | None,
    player: str | None,
    goals: Sequence[float] | None,
    png: Path | None,
    home: str | None,
) -> None:
    """Raise if an option is given without the one that it belongs to."""
    if file is None and player is not None:
        raise InputError("--player is for standings, which --standings FILE gives.")
    if player is None and (goals or png is not None):
        option = "--goal" if goals else "--png"
        raise InputError(f"{option} is for one player of standings; say who with --player NAME.")
    if file is not None and home is not None:
        raise InputError("--home is for names; standings have a column side.")


@dataclass(frozen=True, slots=True)
class _Known:
    """Ratings of whatever origin, and what can be asked of them."""

    players: "Rated | View"
    last: int
    """When the last contest took place, in microseconds."""
    predict: "Callable[[Contests], Prediction]"
    curve: "Callable[[Contests, str, list[float] | None], Curve]"


def _known(
    source: str,
    rating: Rating,
    reading: Reading,
    file: Path | None,
    stack: ExitStack,
    calibrated: bool,
) -> tuple[_Known, Reading]:
    """What is known, and how standings are read: as said, unless it was said of the results."""
    import podium

    if is_league(source):
        if rating.said:
            raise InputError(f"{source}: is a league, which has its own rating system.")
        _refuse_reading(source, reading, file)
        # whoever is named is known by those who name them, hidden or not
        view = stack.enter_context(asking(source, with_hidden=not is_address(source)))
        predict = partial(view.predict, calibrated=calibrated)
        return _Known(view, view.beliefs_of([]).time or 0, predict, view.curve), reading
    path = Path(source)
    of_standings = Reading()
    if file is not None and ratings_folder(path, reading.ladder) is not None:
        _refuse_reading(source, replace(reading, ladder=None), file)
        of_standings, reading = reading, Reading(ladder=reading.ladder)
    rated = ratings_from(source, rating, reading, history=False, calibrated=calibrated)
    beliefs = rated.beliefs
    return (
        _Known(
            rated,
            beliefs.time or 0,
            lambda contest: podium.predict(
                beliefs, contest, calibrated=calibrated, threads=rating.threads
            ),
            lambda contest, player, goals: podium.curve(
                beliefs, contest, player, goals=goals or ()
            ),
        ),
        of_standings,
    )


def _refuse_reading(source: str, reading: Reading, file: Path | None) -> None:
    """Raise if an option on reading is not about the standings where ratings are known already."""
    about_results = reading
    if file is not None:
        about_results = replace(
            reading,
            columns=None,
            format=None,
            lowest_score_wins=False,
            rerank=False,
            ignore_teams=False,
            unlimited=False,
            isolated=False,
        )
    if about_results != Reading():
        raise InputError(
            f"{source}: holds ratings already, so options for reading results do not apply."
        )


def _read(file: Path, reading: Reading, at: str | None, last: int) -> "Contests":
    """The standings, at their own time, at that of ``--at``, or at that of the last contest."""
    import podium
    from podium.results.times import from_microseconds, to_microseconds

    moment = last if at is None else to_microseconds(at)
    said = reading.said()
    said["time"] = said["time"] or from_microseconds(moment)
    contest = podium.read_standings(file, **said, isolated=reading.isolated)
    if at is not None and contest.columns.time[0] != moment:
        raise InputError(f"{file}: says itself when the contest is, so --at does not apply.")
    return contest.without_teams() if reading.ignore_teams else contest


def _print_prediction(prediction: "Prediction", top: int) -> None:
    table, digits = prediction.table, prediction.system.decimals
    shown = table.head(top) if top else table
    columns = (
        Column("rank", right=True, style="dim"),
        Column("player", style="bold"),
        Column("rating", right=True, style="bold cyan"),
        CHANGE,
        Column("performance", right=True),
        Column("expected rank", right=True),
        Column("", style="dim"),
    )
    print_table(columns, [_row(row, digits) for row in shown.iter_rows(named=True)])
    note(
        f"\n{shown.height:,} of {counted(table.height, 'player')}, "
        f"{counted(int(table['newcomer'].sum()), 'newcomer')} among them, if it ended so; "
        f"rated by {prediction.system.name}{_calibrated(prediction.temperature)}."
    )


def _row(row: dict[str, Any], digits: int) -> tuple[str, ...]:
    before, after, change = step(row["rating_before"], row["rating"], digits)
    return (
        f"{row['rank']:,}",
        row["player"],
        f"{before} → {after}",
        change,
        "–" if row["performance"] is None else f"{row['performance']:.{digits}f}",
        f"{row['expected_rank']:,.1f}",
        "new" if row["newcomer"] else "",
    )


def _print_curve(curve: "Curve") -> None:
    console, digits = output(), curve.system.decimals
    before = f"{curve.rating_before:.{digits}f}"
    if curve.rank is None or curve.rating is None:
        now = f"would be one of {curve.participants:,}, rated {before} now."
    else:
        _, after, change = step(curve.rating_before, curve.rating, digits)
        now = f"rank {curve.rank:,} of {curve.participants:,}, {before} → {after} ({change})."
    console.print(f"\n{curve.player}: {now}")
    ranks, ratings = curve.table["rank"].to_list(), curve.table["rating"].to_list()
    if len(ranks) > 1 and shows_braille():
        width = min(_WIDEST_CHART, console.width - 10)
        lines = line_chart(ranks, ratings, width=width, height=6, digits=digits)
        for line in lines:
            console.print(line, style="cyan")
        gutter = lines[0].index("┤") + 1
        console.print(f"{'':{gutter}}{'rank 1'}{ranks[-1]:>{width - 6},}", style="dim")
    best = f"{curve.best:.{digits}f}"
    if curve.keep is None:
        console.print(f"No rank keeps {before}: the first gives {best}.")
    else:
        console.print(f"{_at_least(curve.keep)} keeps {before}.")
    for goal in curve.goals:
        if goal.rank is None:
            console.print(f"{goal.rating:g} is out of reach: the first place gives {best}.")
        else:
            console.print(f"{_at_least(goal.rank)} reaches {goal.rating:g}.")
    if not curve.exact:
        note(
            f"\nUnder {curve.system.name} a worse rank may give a higher rating, and not all ranks "
            f"were tried: a rank that is worse still may do as well."
        )


def _at_least(rank: int) -> str:
    return "Rank 1" if rank == 1 else f"Rank {rank:,} or better"


def _chances(
    known: _Known, names: list[str], top: int, at: str | None, home: str | None, calibrated: bool
) -> "Chances":
    """The chances of these players."""
    from podium.ratings.chances import Chances

    names = [known.players[name].name for name in names]
    home = None if home is None else known.players[home].name
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"player {twice!r} is named twice.")
    return Chances.of(known.players, names, top=top, at=at, home=home, calibrated=calibrated)


def _print_chances(chances: "Chances") -> None:
    system, names = chances.system, chances.players
    if chances.win is None or chances.draw is None:
        _print_field(chances.table, chances.top)
    else:
        verb = "expects" if system.counts_draws_half else "wins"
        _print_pair(names, chances.win, chances.draw, verb)
        if chances.stronger is not None:
            output().print(f"{names[0]} is the stronger one: {chances.stronger:.1%}")
        if system.counts_draws_half:
            note("\nExpected scores: a draw counts half.")
    by = f"{system.name}{_calibrated(chances.temperature)}"
    note(f"\nMatch quality {chances.quality:.0%}, predicted by {by}.")


def _calibrated(temperature: float | None) -> str:
    """That predictions are calibrated, and by what."""
    return "" if temperature is None else f", calibrated: at a temperature of {temperature:.3g}"


def _print_pair(names: Sequence[str], win: float, draw: float, verb: str) -> None:
    """Where draws count half, what is expected is a score."""
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
