"""``podium player``: the story of one player."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.board import CHANGE, rating_steps, title_style
from podium.cli.chart import line_chart, shows_braille
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_league
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_folder, ratings_from, refuse_rating_options
from podium.cli.tables import Form, Table, dates, fixed, whole
from podium.errors import InputError, NotFoundError
from podium.progress import progress_bar
from podium.texts import visible
from podium.wording import counted, step

if TYPE_CHECKING:
    import polars as pl

    from podium.ratings.careers import Career

EXAMPLES = """\
[bold]Examples[/]

$ podium player ratings ann
$ podium player ratings ann --last 50 --png ann.png
$ podium player league.db ann --at 2026-01-31
$ podium player league.db ann --season 2025
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
_SEASONS = (
    Column("season", style="bold", names=True),
    Column("from", style="dim"),
    Column("contests", right=True),
    Column("rating at its end", right=True),
    Column("best", right=True),
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
    season: Annotated[
        str | None, option("NAME", "Of a league: only the contests of this season.")
    ] = None,
    with_hidden: options.WithHidden = False,
    form: Form,
    rating: Rating,
    reading: Reading,
) -> None:
    """Show one player: place and rating, how they came about, and every contest."""
    from podium.ratings.careers import Career

    source, name = _in_order(source, name)
    if is_league(source):
        refuse_rating_options(source, rating, reading)
        with asking(source, with_hidden=with_hidden) as view:
            career = view.career(name, at=at)
        if season is not None:
            career = replace(career, listed=career.in_season(season))
    elif season is not None:
        raise InputError("seasons are those of a league; here there are none.")
    else:
        career = Career.of(ratings_from(source, rating, reading, history=True), name, at)
    if png is not None:
        from podium.cli.figure import draw

        if not career.history.height:
            raise InputError(f"{career.player.name!r} has no rated contest yet, so none is drawn.")
        title = f"{career.player.name}, rated by {career.system.name}"
        draw(title, career.history, png, career.boundaries())
        note(f"The picture is in {png}.")
    if belief is not None:
        _draw_belief(source, reading, career, belief)
    if form.json:
        print_json(career.document(last or None))
        return
    if last is None and form.for_terminal:
        last = _SHOWN
    contests = career.history if career.listed is None else career.listed
    shown = contests.tail(last) if last else contests
    table = _table(career, shown, contests.height, at, season)
    if form.for_terminal:
        _print_headline(career)
        _print_chart(career)
        _print_seasons(career)
        if shown.height:
            table.print()
    else:
        form.print(table)
    if season is not None and not contests.height:
        note(f"\nNo contest of theirs was rated in season {season!r}.")
    if shown.height < contests.height:
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


def _headline(career: "Career") -> tuple[str, ...]:
    """Who it is and how good: name, title, where they stand, the rating, and what else is known."""
    rating, time = career.best
    player, digits = career.player, career.system.decimals
    belief = f" ({player.mu:.{digits}f} ± {player.sigma:.{digits}f})" if player.sigma > 0 else ""
    expected = ""
    if player.forecast is not None:
        expected = f"{player.forecast:.{digits}f} ± {player.spread:.{digits}f}"
        expected = f"expected in the next contest: {expected}; "
    provisional = ", provisional" if player.provisional else ""
    called = "" if player.display is None else f" ({player.name})"
    played = f"{belief} after {counted(player.contests, 'contest')}{provisional}; {expected}"
    if rating is None or time is None:
        played = f"{belief}{provisional}, from a starting rating; {expected}no rated contest yet."
    else:
        played += f"best {rating:.{digits}f} on {time:%Y-%m-%d}."
    return (
        player.display or player.name,
        f"{called}: ",
        player.title or "",
        f"{', ' if player.title else ''}{_standing(career)}, rating ",
        f"{player.rating:.{digits}f}{'?' if player.provisional else ''}",
        played + _known(career),
        "".join(f" {each[0].upper()}{each[1:]}." for each in career.decay()),
    )


def _known(career: "Career") -> str:
    """What else a league knows of the player: ' Country: NO; club: Blue.'."""
    known = {
        name.replace("_", " "): value
        for name, value in (career.player.attributes or {}).items()
        if value is not None
    }
    said = "; ".join(f"{name}: {value}" for name, value in known.items())
    return f" {said[:1].upper()}{said[1:]}." if said else ""


def _print_headline(career: "Career") -> None:
    from rich.text import Text

    title = title_style(career.colours)(visible(career.player.title or ""))
    styles = ("bold", "", title, "", "bold cyan", "", "dim")
    parts = zip(_headline(career), styles, strict=True)
    output().print(Text.assemble(*parts, "\n"))


def _standing(career: "Career") -> str:
    if career.player.place is None:
        return "not on the leaderboard"
    return f"place {career.player.place:,} of {career.players:,}"


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


def _print_seasons(career: "Career") -> None:
    """What they did in each season, if the league has any."""
    if career.seasons is None or not career.seasons.height:
        return
    seasons, digits = career.seasons, career.system.decimals
    before = seasons["rating"] - seasons["change"]
    steps = zip(before, seasons["rating"], strict=True)
    rows = zip(
        seasons["name"],
        dates(seasons["start"]),
        whole(seasons["contests"]),
        fixed(seasons["rating"], digits),
        fixed(seasons["best_rating"], digits),
        [step(*each, digits)[2] for each in steps],
        strict=True,
    )
    print_table(_SEASONS, list(rows))
    output().print()


def _table(
    career: "Career", shown: "pl.DataFrame", height: int, at: str | None, season: str | None
) -> Table:
    as_of = "" if at is None else f", as of {at}"
    if season is not None:
        as_of = f" of season {season!r}{as_of}"
    digits = career.system.decimals
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
