"""``podium player``: the story of one player."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.board import CHANGE, rating_steps
from podium.cli.chart import line_chart, shows_braille
from podium.cli.console import Column, note, output, print_json
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_league
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_folder, ratings_from, refuse_rating_options
from podium.cli.tables import Form, Table, dates, fixed, whole
from podium.errors import InputError, NotFoundError
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from podium.ratings.careers import Career

EXAMPLES = """\
[bold]Examples[/]

$ podium player ratings ann
$ podium player ratings ann --last 50 --png ann.png
$ podium player league.db ann --at 2026-01-31
$ podium player results.csv "Ann Lee" --columns player=name --json
$ podium player matches.csv ann --system luck --belief belief.png
"""

STANDARD_INPUT = "-"
_SHOWN = 15
_WIDEST_CHART = 72
_COLUMNS = (
    Column("date", style="dim"),
    Column("contest", names=True),
    Column("rank", right=True),
    Column("performance", right=True),
    Column("rating", right=True),
    CHANGE,
)


def command(
    source: options.Source,
    name: Annotated[str, argument("NAME", "The player.")],
    *,
    last: Annotated[
        int | None,
        option(
            "N",
            f"The last N contests, 0 for all; by default {_SHOWN}, in another form all.",
            min=0,
        ),
    ] = None,
    png: Annotated[
        Path | None, option("FILE", "Draw rating, uncertainty and performances over time.")
    ] = None,
    belief: Annotated[
        Path | None,
        option("FILE", "Draw the whole belief over time as a heat map; for results rated by luck."),
    ] = None,
    at: Annotated[
        str | None,
        option("TIME", "As of a date after the last contest; of a league, also one in the past."),
    ] = None,
    form: Form,
    rating: Rating,
    reading: Reading,
) -> None:
    """Show one player: place and rating, how they came about, and every contest."""
    from podium.ratings.careers import Career

    source, name = _in_order(source, name)
    if is_league(source):
        refuse_rating_options(source, rating, reading)
        with asking(source) as view:
            career = view.career(name, at=at)
    else:
        career = Career.of(ratings_from(source, rating, reading, history=True), name, at)
    if png is not None:
        from podium.cli.figure import draw

        draw(f"{career.player.name}, rated by {career.system.name}", career.history, png)
        note(f"The picture is in {png}.")
    if belief is not None:
        _draw_belief(source, reading, career, belief)
    if form.json:
        print_json(career.document(last or None))
        return
    if last is None and form.for_terminal:
        last = _SHOWN
    shown = career.history.tail(last) if last else career.history
    table = _table(career, shown, at)
    if form.for_terminal:
        _print_headline(career)
        _print_chart(career)
        table.print()
    else:
        form.print(table)
    if shown.height < career.history.height:
        note(f"\n{table.caption.removesuffix('.')}; --last 0 shows all.")
    if career.history.height < career.player.contests:
        note(f"\nThe history begins after the first of {career.player.contests} contests.")


def _in_order(first: str, second: str) -> tuple[str, str]:
    """The source and the name, which may be given the other way round: what is there is the source.

    If both are there, the first is the source.
    """
    there = [
        each == STANDARD_INPUT or is_league(each) or Path(each).exists() for each in (first, second)
    ]
    if not any(there):
        raise NotFoundError(
            f"neither {first!r} nor {second!r} is a file, a folder or a league; the source stands "
            f"first, as in podium player ratings ann."
        )
    return (first, second) if there[0] else (second, first)


def _draw_belief(source: str, reading: Reading, career: "Career", path: Path) -> None:
    """Rate the results once more, and look at every belief on the way."""
    import podium
    from podium.cli.figure import draw_beliefs

    if is_league(source) or ratings_folder(Path(source), reading.ladder) is not None:
        raise InputError(
            f"{source}: holds the latest beliefs only; give the results instead, with "
            f"--system {career.system.name}, to see how they came about."
        )
    if source == STANDARD_INPUT:
        raise InputError("--belief reads the results twice, so they have to be in a file.")
    contests = reading.read(Path(source))
    with progress_bar("Looking at beliefs") as progress:
        beliefs = podium.belief_history(
            contests, career.player.name, career.system, progress=progress
        )
    draw_beliefs(beliefs, path)
    note(f"The picture of beliefs is in {path}.")


def _headline(career: "Career") -> tuple[str, str, str, str]:
    """Who it is and how good: the name, where they stand, the rating, and what else is known."""
    rating, time = career.best
    player, digits = career.player, career.system.decimals
    belief = f" ({player.mu:.{digits}f} ± {player.sigma:.{digits}f})" if player.sigma > 0 else ""
    expected = ""
    if player.forecast is not None:
        expected = f"{player.forecast:.{digits}f} ± {player.spread:.{digits}f}"
        expected = f"expected in the next contest: {expected}; "
    return (
        player.name,
        f": {_standing(career)}, rating ",
        f"{player.rating:.{digits}f}",
        f"{belief} after {counted(player.contests, 'contest')}; {expected}"
        f"best {rating:.{digits}f} on {time:%Y-%m-%d}.",
    )


def _print_headline(career: "Career") -> None:
    from rich.text import Text

    styles = ("bold", "", "bold cyan", "")
    parts = zip(_headline(career), styles, strict=True)
    output().print(Text.assemble(*parts, "\n"))


def _standing(career: "Career") -> str:
    place = "not on the leaderboard yet"
    player = career.player
    if player.place is not None:
        place = f"place {player.place:,} of {career.players:,}"
    return place if player.title is None else f"{player.title}, {place}"


def _print_chart(career: "Career") -> None:
    if career.history.height < 2 or not shows_braille():
        return
    console = output()
    times = career.history["time"]
    moments = times.dt.epoch("us").to_list()
    if moments[0] == moments[-1]:
        moments = list(range(len(moments)))
    width = min(_WIDEST_CHART, console.width - 10)
    ratings = career.history["rating"].to_list()
    lines = line_chart(moments, ratings, width=width, height=7, digits=career.system.decimals)
    for line in lines:
        console.print(line, style="cyan")
    gutter = lines[0].index("┤") + 1
    first, last = (f"{time:%Y-%m-%d}" for time in (times[0], times[-1]))
    console.print(f"{'':{gutter}}{first}{last:>{width - len(first)}}\n", style="dim")


def _table(career: "Career", shown: "pl.DataFrame", at: str | None) -> Table:
    as_of = "" if at is None else f", as of {at}"
    digits, height = career.system.decimals, career.history.height
    caption = f"Rated by {career.system.name}{as_of}."
    if shown.height < height:
        caption = f"The last {shown.height} of {height} contests{as_of}."
    places = zip(whole(shown["rank"]), whole(shown["participants"]), strict=True)
    return Table(
        career.player.name,
        _COLUMNS,
        (
            dates(shown["time"]),
            shown["contest"],
            [f"{rank} of {participants}" for rank, participants in places],
            fixed(shown["performance"], digits),
            *rating_steps(shown, digits),
        ),
        shown,
        ("".join(_headline(career)),),
        caption,
    )
