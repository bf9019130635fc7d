"""``podium leaderboard``: who is best."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from podium.cli import options
from podium.cli.board import board_table
from podium.cli.console import note, print_json
from podium.cli.groups import option
from podium.cli.leagues import asking, is_league
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_from, refuse_rating_options
from podium.cli.tables import Form
from podium.errors import InputError, NotFoundError
from podium.texts import sentence
from podium.wording import counted

if TYPE_CHECKING:
    from podium.ratings.leaderboards import Filters, Leaderboard

EXAMPLES = """\
[bold]Examples[/]

$ podium leaderboard ratings --top 50
$ podium leaderboard ratings --active-since 2026-01-01 --min-contests 5
$ podium leaderboard results.csv --system glicko2 --at 2027-01-01
$ podium leaderboard results.csv --system elo-mmx --json
$ podium leaderboard ratings --ladder europe
$ podium leaderboard league.db --top 50 --page 2
$ podium leaderboard league.db --title Expert
$ podium leaderboard league.db --season 2025
$ podium leaderboard league.db --matching ann
$ podium leaderboard league.db --where country=NO --where "birth_year>=2005"
$ podium leaderboard league.db --top 0 --csv > everybody.csv
$ podium leaderboard league.db --html > best.html
"""


def command(
    source: options.Source,
    *,
    top: options.Top = 10,
    page: options.Page = 1,
    active_since: Annotated[
        str | None,
        option(
            "TIME",
            "Only players whose last contest is not earlier: a date, a datetime or unix seconds.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        option(
            "TIME",
            "Ratings as of a date after the last contest: where a system lets uncertainty "
            "grow with absence, those who have not played fall behind. Of a league, also as of one "
            "in the past.",
        ),
    ] = None,
    as_of: Annotated[str | None, option("TIME", "The same as --at.", hidden=True)] = None,
    min_contests: Annotated[
        int | None,
        option(
            "N",
            "Only players with at least N contests; of a league, by default as its rules say.",
            min=0,
        ),
    ] = None,
    title: Annotated[
        str | None, option("TITLE", "Of a league: only players who have this title.")
    ] = None,
    season: Annotated[
        str | None,
        option(
            "NAME",
            "Of a league: the standings of a season, at its end or, in the last one, of now; only "
            "players who were rated in it.",
        ),
    ] = None,
    matching: Annotated[
        str | None,
        option(
            "TEXT",
            "Only players with this text in their name, in capitals or not; of a league, or in an "
            "alias. Their places are among all who pass the other conditions.",
        ),
    ] = None,
    where: options.Where = None,
    with_hidden: options.WithHidden = False,
    form: Form,
    rating: Rating,
    reading: Reading,
) -> None:
    """Show the best players, with their places among those who pass the conditions."""
    from podium.ratings.leaderboards import Filters, Leaderboard

    if page > 1 and not top:
        raise InputError("--top 0 shows all players, so there is one page only.")
    if at is not None and as_of is not None:
        raise InputError("--at and --as-of mean the same; give one of them.")
    filters = Filters(
        top or None,
        skip=(page - 1) * top,
        at=at or as_of,
        active_since=active_since,
        min_contests=min_contests,
        title=title,
        matching=matching,
        where=where or (),
        with_hidden=with_hidden,
        season=season,
    )
    if is_league(source):
        refuse_rating_options(source, rating, reading)
        with asking(source, with_hidden=with_hidden) as view:
            board = view.board(filters)
    else:
        rated = ratings_from(source, rating, reading, history=False)
        board = Leaderboard.of(rated, filters)
    pages = max(1, -(-board.matching // top)) if top else 1
    if page > pages:
        raise NotFoundError(
            f"there is no page {page} of {counted(board.matching, 'player')}, {top} on a page; "
            f"the last is {pages}."
        )
    if form.json:
        print_json(board.document())
        return
    shown, eligible = f"{board.table.height:,}", counted(board.matching, "player")
    if filters.sought is not None:
        eligible = f"{eligible} called so, among {board.eligible:,}"
    if page > 1:
        shown = f"Page {page:,} of {pages:,}: {shown}"
    said = f"{shown} of {eligible}, rated by {board.system.name}{_hidden(board)}"
    title = f"Leaderboard of {sentence(Path(source).name)}"
    caption = f"{said}{_asked(filters)}."
    named = board.colours, board.attributes
    table = board_table(board.table, board.system, title, caption, *named)
    if form.for_terminal:
        table.print()
    else:
        form.print(table)
    if not board.aged:
        note(f"\nAbsence changes nothing under {board.system.name} with these parameters.")
    note(f"\n{said}.")
    if "provisional" in board.table.columns and board.table["provisional"].any():
        note("A question mark says that a rating is provisional.")


def _asked(filters: "Filters") -> str:
    """The conditions, for those who did not ask."""
    since, fewest, at = filters.active_since, filters.min_contests, filters.at
    return "".join(
        (
            "" if since is None else f"; active since {since}",
            f"; with at least {counted(fewest, 'contest')}" if fewest else "",
            "" if at is None else f"; as of {at}",
            "" if filters.season is None else f"; season {filters.season!r}",
            "" if filters.title is None else f"; with the title {filters.title!r}",
            "" if filters.sought is None else f"; with {filters.sought!r} in their names",
            f"; where {', '.join(map(str, filters.where))}" if filters.where else "",
        )
    )


def _hidden(board: "Leaderboard") -> str:
    if not board.hidden:
        return ""
    verb = "is" if board.hidden == 1 else "are"
    return f"; {board.hidden:,} more {verb} hidden {board.hidden_while}"
