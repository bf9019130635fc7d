"""``podium leaderboard``: who is best."""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.board import board_document, print_board
from podium.cli.console import note, print_json
from podium.cli.groups import option
from podium.cli.leagues import is_league, opened
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_from, refuse_rating_options
from podium.errors import InputError, NotFoundError
from podium.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from podium import League, Rated
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium leaderboard ratings --top 50
$ podium leaderboard ratings --active-since 2026-01-01 --min-contests 5
$ podium leaderboard results.csv --system glicko2 --at 2027-01-01
$ podium leaderboard results.csv --system elo-mmx --json
$ podium leaderboard ratings --ladder europe
$ podium leaderboard league.db --top 50 --page 2
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
    json: options.Json = False,
    rating: Rating,
    reading: Reading,
) -> None:
    """Show the best players, with their places among those who pass the conditions."""
    if page > 1 and not top:
        raise InputError("--top 0 shows all players, so there is one page only.")
    if at is not None and as_of is not None:
        raise InputError("--at and --as-of mean the same; give one of them.")
    wanted = Wanted(top, page, _moment(active_since), _moment(at or as_of), min_contests)
    if is_league(source):
        refuse_rating_options(source, rating, reading)
        with opened(source) as league:
            board = wanted.of_league(league)
    else:
        rated = ratings_from(source, rating, reading, history=False)
        board = wanted.of_ratings(rated)
    pages = max(1, -(-board.eligible // top)) if top else 1
    if page > pages:
        raise NotFoundError(
            f"there is no page {page} of {counted(board.eligible, 'player')}, {top} on a page; "
            f"the last is {pages}."
        )
    if json:
        document = {
            "system": board.system.name,
            "parameters": board.system.stored_parameters(),
            "contests": board.contests,
            "players": board.players,
            "eligible": board.eligible,
            "leaderboard": board_document(board.shown),
        }
        print_json(document)
        return
    print_board(board.shown, board.system)
    if not board.aged:
        note(f"\nAbsence changes nothing under {board.system.name} with these parameters.")
    shown, eligible = f"{board.shown.height:,}", counted(board.eligible, "player")
    if page > 1:
        shown = f"Page {page:,} of {pages:,}: {shown}"
    note(f"\n{shown} of {eligible}, rated by {board.system.name}{_hidden(board)}.")


def _moment(time: str | None) -> datetime.datetime | None:
    from podium.results.times import from_microseconds, to_microseconds

    return None if time is None else from_microseconds(to_microseconds(time))


def _hidden(board: "Board") -> str:
    if not board.hidden:
        return ""
    verb = "is" if board.hidden == 1 else "are"
    return f"; {board.hidden:,} more {verb} hidden until {counted(board.hidden_until, 'contest')}"


@dataclass(frozen=True, slots=True)
class Board:
    """The players to show, and among how many they have their places."""

    shown: "pl.DataFrame"
    eligible: int
    players: int
    contests: int
    system: "System"
    aged: bool
    """Whether ratings are as wanted; not if absence was to change them, and did not."""
    hidden: int = 0
    """How many more there are, whom the rules of the league hide."""
    hidden_until: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which players, as the options say it."""

    top: int
    page: int
    active_since: datetime.datetime | None
    as_of: datetime.datetime | None
    min_contests: int | None

    def of_ratings(self, rated: "Rated") -> Board:
        """The board of a folder of ratings, or of results."""
        import polars as pl

        from podium.ratings.rankings import with_places

        ratings = rated.leaderboard(None, at=self.as_of).drop("place")
        aged = self.as_of is None or not ratings.equals(rated.ratings)
        passing = ratings.filter(pl.col("contests") >= (self.min_contests or 0))
        if self.active_since is not None:
            passing = passing.filter(pl.col("last_time") >= self.active_since)
        shown = self._page(with_places(passing))
        players, contests = len(rated.beliefs), rated.beliefs.rounds
        return Board(shown, passing.height, players, contests, rated.system, aged)

    def of_league(self, league: "League") -> Board:
        """The board of a league."""
        from podium.results.times import from_microseconds

        conditions: dict[str, Any] = {
            "active_since": self.active_since,
            "min_contests": self.min_contests,
        }
        aged = True
        if self.as_of is None:
            n, skip = (self.top, (self.page - 1) * self.top) if self.top else (None, 0)
            shown = league.leaderboard(n, skip=skip, **conditions)
            eligible = league.count(**conditions)
            hidden = league.count(**conditions, with_hidden=True) - eligible
        else:
            hidden = 0
            passing = league.leaderboard(None, at=self.as_of, **conditions)
            last = league.beliefs_of([]).time
            is_past = last is None or from_microseconds(last) >= self.as_of
            aged = is_past or not passing.equals(league.leaderboard(None, **conditions))
            shown, eligible = self._page(passing), passing.height
        return Board(
            shown,
            eligible,
            league.count(),
            len(league),
            league.system,
            aged,
            hidden,
            league.rules.hidden_until,
        )

    def _page(self, board: "pl.DataFrame") -> "pl.DataFrame":
        return board.slice((self.page - 1) * self.top, self.top) if self.top else board
