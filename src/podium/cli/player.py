"""``podium player``: the story of one player."""

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.board import CHANGE
from podium.cli.chart import line_chart, shows_braille
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import is_league, opened
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_folder, ratings_from, refuse_rating_options
from podium.errors import InputError, NotFoundError
from podium.progress import progress_bar
from podium.wording import NOTHING, counted, step

if TYPE_CHECKING:
    import polars as pl

    from podium import League, Rated
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium player ratings ann
$ podium player ratings ann --last 50 --png ann.png
$ podium player results.csv "Ann Lee" --columns player=name --json
$ podium player matches.csv ann --system luck --belief belief.png
"""

_SHOWN = 15
_WIDEST_CHART = 72
_COLUMNS = (
    Column("date", style="dim"),
    Column("contest"),
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
        option("N", f"The last N contests, 0 for all; by default {_SHOWN}, in JSON all.", min=0),
    ] = None,
    png: Annotated[
        Path | None, option("FILE", "Draw rating, uncertainty and performances over time.")
    ] = None,
    belief: Annotated[
        Path | None,
        option("FILE", "Draw the whole belief over time as a heat map; for results rated by luck."),
    ] = None,
    json: options.Json = False,
    rating: Rating,
    reading: Reading,
) -> None:
    """Show one player: place and rating, how they came about, and every contest."""
    source, name = _in_order(source, name)
    if is_league(source):
        refuse_rating_options(source, rating, reading)
        with opened(source) as league:
            story = tell_of_league(league, name)
    else:
        rated = ratings_from(source, rating, reading, history=True)
        story = tell(rated, name)
    if png is not None:
        from podium.cli.figure import draw

        draw(f"{story.name}, rated by {story.system.name}", story.history, png)
        note(f"The picture is in {png}.")
    if belief is not None:
        _draw_belief(source, reading, story, belief)
    if json:
        print_json(_document(story, last or None))
        return
    _print_headline(story)
    _print_chart(story)
    _print_contests(story, _SHOWN if last is None else last)
    if story.history.height < story.now["contests"]:
        note(f"\nThe history begins after the first of {story.now['contests']} contests.")


def _in_order(first: str, second: str) -> tuple[str, str]:
    """The source and the name, which may be given the other way round: what is there is the source.

    If both are there, the first is the source.
    """
    there = [is_league(each) or Path(each).exists() for each in (first, second)]
    if not any(there):
        raise NotFoundError(
            f"neither {first!r} nor {second!r} is a file, a folder or a league; the source stands "
            f"first, as in podium player ratings ann."
        )
    return (first, second) if there[0] else (second, first)


def _draw_belief(source: str, reading: Reading, story: "Story", path: Path) -> None:
    """Rate the results once more, and look at every belief on the way."""
    import podium
    from podium.cli.figure import draw_beliefs

    if is_league(source) or ratings_folder(Path(source), reading.ladder) is not None:
        raise InputError(
            f"{source}: holds the latest beliefs only; give the results instead, with "
            f"--system {story.system.name}, to see how they came about."
        )
    contests = reading.read(Path(source))
    with progress_bar("Looking at beliefs") as progress:
        beliefs = podium.belief_history(contests, story.name, story.system, progress=progress)
    draw_beliefs(beliefs, path)
    note(f"The picture of beliefs is in {path}.")


@dataclass(frozen=True, slots=True)
class Story:
    """All there is to say about a player."""

    name: str
    system: "System"
    place: int | None
    """None if the rules of a league hide the player."""
    players: int
    now: dict[str, Any]
    """The row of the ratings."""
    history: "pl.DataFrame"
    """The rows of the history, with `participants`, `rating_before` and `change`."""

    @property
    def digits(self) -> int:
        """How many behind the point its ratings need."""
        return self.system.decimals

    @property
    def best(self) -> tuple[float, datetime.datetime]:
        """The highest rating, and when it was reached."""
        row = self.history.row(int(self.history["rating"].arg_max() or 0), named=True)
        return row["rating"], row["time"]


def tell(rated: "Rated", name: str) -> Story:
    """Collect what ratings and history know of a player.

    Example:
        >>> import podium
        >>> rated = podium.rate(podium.simulate(players=20, rounds=10))
        >>> story = tell(rated, "player-0007")
        >>> story.players, story.history.height
        (20, 10)
    """
    import numpy as np
    import polars as pl

    contests = rated.history_of(name)
    if contests.height == 0:
        raise InputError(
            f"the history that was kept does not reach back to a contest of {name!r}; rate all "
            f"contests with their history to see them."
        )
    now = rated.ratings.row(by_predicate=pl.col("player") == name, named=True)
    sizes = (
        rated.history.lazy()
        .filter(pl.col("contest").is_in(contests["contest"].implode()))
        .group_by("contest", "time")
        .agg(participants=pl.len())
        .collect()
    )
    earlier = now["contests"] - contests.height
    before = rated.system.rating(
        contests["mu_before"].to_numpy(),
        contests["sigma_before"].to_numpy(),
        np.arange(earlier, now["contests"]),
    )
    history = (
        contests.join(sizes, on=["contest", "time"], how="left", maintain_order="left")
        .with_columns(rating_before=pl.Series(before))
        .with_columns(change=pl.col("rating") - pl.col("rating_before"))
        .drop("player")
    )
    place = 1 + int((rated.ratings["rating"] > now["rating"]).sum())
    return Story(name, rated.system, place, len(rated.beliefs), now, history)


def tell_of_league(league: "League", name: str) -> Story:
    """The same of a player of a league, whose history is kept with all that is needed."""
    with league.snapshot() as view:
        player, history = view.player(name), view.history(name)
        system, players = view.system, view.count()
    if history.height == 0:
        raise NotFoundError(f"{player.name!r} has no rated contest in the league.")
    document = player.document()
    now = {
        "player": player.name,
        "title": player.title,
        **{key: document[key] for key in ("rating", "mu", "sigma", "contests", "last_time")},
    }
    return Story(player.name, system, player.place, players, now, history)


def _document(story: Story, last: int | None) -> dict[str, Any]:
    history = story.history if last is None else story.history.tail(last)
    rating, time = story.best
    return {
        **story.now,
        "system": story.system.name,
        "place": story.place,
        "players": story.players,
        "best_rating": rating,
        "best_time": time,
        "history": history.to_dicts(),
    }


def _print_headline(story: Story) -> None:
    from rich.text import Text

    rating, time = story.best
    now, digits = story.now, story.digits
    belief = f" ({now['mu']:.{digits}f} ± {now['sigma']:.{digits}f})" if now["sigma"] else ""
    output().print(
        Text.assemble(
            (story.name, "bold"),
            f": {_standing(story)}, rating ",
            (f"{now['rating']:.{digits}f}", "bold cyan"),
            f"{belief} after {counted(now['contests'], 'contest')}; "
            f"best {rating:.{digits}f} on {time:%Y-%m-%d}.\n",
        )
    )


def _standing(story: Story) -> str:
    place = "not on the leaderboard yet"
    if story.place is not None:
        place = f"place {story.place:,} of {story.players:,}"
    title = story.now.get("title")
    return place if title is None else f"{title}, {place}"


def _print_chart(story: Story) -> None:
    if story.history.height < 2 or not shows_braille():
        return
    console = output()
    times = story.history["time"]
    moments = times.dt.epoch("us").to_list()
    if moments[0] == moments[-1]:
        moments = list(range(len(moments)))
    width = min(_WIDEST_CHART, console.width - 10)
    ratings = story.history["rating"].to_list()
    lines = line_chart(moments, ratings, width=width, height=7, digits=story.digits)
    for line in lines:
        console.print(line, style="cyan")
    gutter = lines[0].index("┤") + 1
    first, last = (f"{time:%Y-%m-%d}" for time in (times[0], times[-1]))
    console.print(f"{'':{gutter}}{first}{last:>{width - len(first)}}\n", style="dim")


def _print_contests(story: Story, last: int) -> None:
    shown = story.history.tail(last) if last else story.history
    print_table(_COLUMNS, [_row(contest, story.digits) for contest in shown.iter_rows(named=True)])
    if shown.height < story.history.height:
        note(f"\nThe last {shown.height} of {story.history.height} contests; --last 0 shows all.")


def _row(contest: dict[str, Any], digits: int) -> tuple[str, ...]:
    performance = contest["performance"]
    before, after, change = step(contest["rating_before"], contest["rating"], digits)
    return (
        f"{contest['time']:%Y-%m-%d}",
        contest["contest"],
        f"{contest['rank']:,} of {contest['participants']:,}",
        NOTHING if performance is None else f"{performance:.{digits}f}",
        f"{before} → {after}",
        change,
    )
