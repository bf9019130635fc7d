"""All that can be done to a league by way of a site, each as what has to be said for it.

One list serves the API, whose bodies these are, organisers' pages, whose forms they are, and the
command line, which sends them to the address of a league. What each does is what the command of the
same name does, in the same words.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Unpack

import polars as pl
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from podium import systems
from podium.errors import InputError
from podium.extras import is_installed
from podium.league import Change, How, League, Rules
from podium.ratings.adjustments import Starts
from podium.results.contests import Contests
from podium.results.tables import as_polars
from podium.texts import LONGEST, normalised
from podium.web.schemas import KEPT

MOST_ROWS = 100_000
"""Rows of results in one request; more come as a file."""


def _of(meaning: str, *examples: Any, **more: Any) -> Any:
    return Field(description=meaning, examples=list(examples) or None, **more)


Text = Annotated[str, Field(min_length=1, max_length=LONGEST), KEPT]
Contest = Annotated[Text, _of("the identifier of the contest", "week-3")]
Player = Annotated[Text, _of("the player, by name or another name that results may use", "eve")]
Moment = Annotated[str, Field(min_length=1, max_length=40)]
"""A date, or a time of ISO 8601."""
Row = dict[str, JsonValue]
Rows = Annotated[list[Row], Field(max_length=MOST_ROWS)]


class Operation(BaseModel):
    """A change that can be asked for."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    name: ClassVar[str]
    """What it is called in addresses: as the command."""
    title: ClassVar[str]
    """What it is called on pages."""
    role: ClassVar[str] = "organise"
    """Whoever may at least do this may do it."""
    takes: ClassVar[Literal["results", "rows", None]] = None
    """What of it a file may be given for, in the field of that name."""

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Make the change."""
        raise NotImplementedError


class Record(Operation):
    """Record contests or matches and rate them; what is there with the same results stays."""

    name = "record"
    title = "Record results"
    role = "record"
    takes = "results"

    results: Rows | Contests = _of(
        "a row for each participation, with contest, time, player and rank or score, or for each "
        "match, with time, player_a, player_b and outcome; whatever tables may have",
        [
            {"contest": "week-4", "time": "2026-01-26", "player": "dan", "rank": 1},
            {"contest": "week-4", "time": "2026-01-26", "player": "ann", "rank": 2},
        ],
    )
    lowest_score_wins: bool = _of("whether the lowest score is the best", default=False)
    rated: bool = _of("whether the contests count", default=True)
    floor: float | None = _of(
        "only players whose rating, just before, is not below are rated", default=None
    )
    ceiling: float | None = _of(
        "only players whose rating, just before, is below are rated", default=None
    )
    guests: list[Text] = _of(
        "who takes part without being rated", default_factory=list, max_length=1000
    )
    leave_known: bool = _of("whether contests that are there stay as they are", default=False)
    near: bool = _of(
        "whether newcomers who are almost called as somebody known are looked for", default=False
    )
    strict: bool = _of(
        "whether nothing is recorded if a newcomer is almost called as somebody known",
        default=False,
    )
    same: dict[Text, Text] = _of(
        "names in the results that mean somebody who is called otherwise",
        {"Anne": "ann"},
        default_factory=dict,
    )
    future: bool = _of("whether times of more than two years from now are meant", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Record the results."""
        return league.record(
            called(self.contests, self.same),
            rated=self.rated,
            floor=self.floor,
            ceiling=self.ceiling,
            guests=self.guests,
            leave_known=self.leave_known,
            near=self.near,
            strict=self.strict,
            **how,
        )

    @property
    def contests(self) -> Contests:
        """The results as contests."""
        if isinstance(self.results, Contests):
            return self.results
        best = {"lowest_score_wins": self.lowest_score_wins, "future": self.future}
        return Contests.from_records(self.results, **best)


def called(contests: Contests, names: Mapping[str, str]) -> Contests:
    """Contests in which some are called by the names that they have in the league.

    Example:
        >>> rows = [{"contest": "1", "time": "2026-05-01", "player": each, "rank": 1}
        ...         for each in ("Anne", "bob")]
        >>> called(Contests.from_records(rows), {"Anne": "ann"}).players.to_list()
        ['ann', 'bob']
    """
    meant = {normalised(name): normalised(other) for name, other in names.items()}
    unknown = sorted(meant.keys() - set(contests.players.to_list()))
    if unknown:
        raise InputError(f"the results have no player {unknown[0]!r}, who is to be another.")
    if not meant:
        return contests
    frame = contests.frame(given=True).with_columns(pl.col("player").replace(meant))
    return Contests.from_frame(frame, unlimited=True, future=True)


class Amend(Operation):
    """Put a contest right: all of its results, whether it is rated, its time, weight or name."""

    name = "amend"
    title = "Put a contest right"
    takes = "results"

    contest: Contest
    results: Rows | Contests | None = _of(
        "all results that it should have had; null to leave them as they are", default=None
    )
    lowest_score_wins: bool = _of("whether the lowest score is the best", default=False)
    rated: bool | None = _of("whether it counts; null for as before", default=None)
    time: Moment | None = _of("when it took place; null for as before", default=None)
    weight: float | None = _of("how much it counts; null for as before", default=None)
    called: Annotated[str, Field(max_length=LONGEST), KEPT] | None = _of(
        "what it is called, empty for no name; null for as before", default=None
    )
    removing: bool = _of(
        "whether more than a tenth of its results may be removed by that", default=False
    )
    future: bool = _of("whether times of more than two years from now are meant", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Amend the contest."""
        said = (self.results, self.rated, self.time, self.weight, self.called)
        if all(each is None for each in said):
            raise InputError("there is nothing to put right; give results, or what else is wrong.")
        return league.amend(
            self.contest,
            self.contests(league),
            rated=self.rated,
            time=self.time,
            weight=self.weight,
            name=self.called,
            removing=self.removing,
            future=self.future,
            **how,
        )

    def contests(self, league: League) -> Contests | None:
        """The results as contests; rows need not say which contest they are of, or when it was."""
        if self.results is None or isinstance(self.results, Contests):
            return self.results
        with league.snapshot() as view:
            view.contest(self.contest)  # which raises if there is none
            about = view.contests(self.contest).select("contest", "time").to_dicts()[0]
        rows = [{**about, **row} for row in self.results]
        best = {"lowest_score_wins": self.lowest_score_wins, "future": True}
        return Contests.from_records(rows, **best)


class Add(Operation):
    """Put late results into a contest; who is in it already is refused."""

    name = "add"
    title = "Add late results"
    takes = "rows"

    contest: Contest
    rows: Rows | pl.DataFrame = _of(
        "a row for each player: player, and rank among all or score", [{"player": "eve", "rank": 3}]
    )
    tied: bool | None = _of(
        "whether who has the rank of somebody else ties with them (true) or comes before (false)",
        default=None,
    )
    lowest_score_wins: bool = _of("whether the lowest score is the best", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Add the results."""
        return league.add(
            self.contest,
            self.rows,
            tied=self.tied,
            lowest_score_wins=self.lowest_score_wins,
            **how,
        )


class Disqualify(Operation):
    """Take a player out of a contest; those who came behind move up."""

    name = "disqualify"
    title = "Disqualify a player"

    contest: Contest
    player: Player

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Disqualify the player."""
        return league.disqualify(self.contest, self.player, **how)


class Reinstate(Operation):
    """Put who was disqualified back, at the place that they had."""

    name = "reinstate"
    title = "Reinstate a player"

    contest: Contest
    player: Player

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Reinstate the player."""
        return league.reinstate(self.contest, self.player, **how)


class Remove(Operation):
    """Take a contest out of the league."""

    name = "remove"
    title = "Remove a contest"

    contest: Contest

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Remove the contest."""
        return league.remove(self.contest, **how)


class Rename(Operation):
    """Give a player another name; results may go on to use the old one."""

    name = "rename"
    title = "Rename a player"

    player: Player
    to: Text = _of("the new name", "eva")
    keep_old: bool = _of("whether results may go on to use the old name", default=True)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Rename the player."""
        return league.rename(self.player, self.to, keep_old=self.keep_old, **how)


class Merge(Operation):
    """Make one player of two who are the same person; results may go on to use both names."""

    name = "merge"
    title = "Merge two players"

    player: Player
    into: Text = _of("the player who it really is", "ann")
    keep: str | dict[str, str] | None = _of(
        "whose details stay where they differ: first, second or a name, for all or by attribute",
        "second",
        default=None,
    )

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Merge the players."""
        return league.merge(self.player, self.into, keep=self.keep, **how)


class Guest(Operation):
    """Make a player a guest, who is not rated in what is recorded from now on, or a member."""

    name = "guest"
    title = "Guests"

    player: Player
    guest: bool = _of("true for a guest, false for a member again", default=True)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Say whether the player is a guest."""
        return league.set_guest(self.player, self.guest, **how)


class DefineAttributes(Operation):
    """Let players have attributes: what is known of them besides names."""

    name = "attributes"
    title = "Define attributes"

    attributes: Annotated[list[Text], Field(min_length=1, max_length=100)] = _of(
        "as country or birth_year:number; kinds are text, number, date and link",
        ["country", "birth_year:number"],
    )
    public: bool = _of("whether everybody may see them, or only organisers", default=True)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Define the attributes."""
        return league.define_attributes(*self.attributes, public=self.public, **how)


class RemoveAttributes(Operation):
    """Let players no longer have attributes; all their values are removed, too."""

    name = "remove-attributes"
    title = "Remove attributes"

    attributes: Annotated[list[Text], Field(min_length=1, max_length=100)] = _of(
        "their names", ["country"]
    )

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Remove the attributes."""
        return league.remove_attributes(*self.attributes, **how)


class Describe(Operation):
    """Say what is known of a player: attributes, and what the player is shown as."""

    name = "describe"
    title = "Describe a player"

    player: Player
    values: dict[Text, str | float | None] = _of(
        "by attribute, and display; null removes a value", {"country": "NO", "display": "Ann Lee"}
    )
    new: bool = _of("whether a player whom nobody knows is added, without results", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Describe the player."""
        return league.describe(self.player, self.values, new=self.new, **how)


class DescribeAll(Operation):
    """Say what is known of many players, all of it or nothing."""

    name = "describe-players"
    title = "Describe players by a table"
    takes = "rows"

    rows: Rows | pl.DataFrame = _of(
        "a row for each player: player, display, hidden and attributes; an empty value changes "
        "nothing, and - removes one",
        [{"player": "ann", "country": "NO"}],
    )
    define: bool = _of(
        "whether columns that the league has no attribute for become some", default=False
    )
    new: bool = _of("whether players whom nobody knows are added, without results", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Describe the players."""
        return league.describe_all(table(self.rows), define=self.define, new=self.new, **how)


def table(rows: Rows | pl.DataFrame) -> pl.DataFrame:
    """Rows as a table."""
    if isinstance(rows, pl.DataFrame):
        return rows
    if not rows:
        raise InputError("there are no rows.")
    try:
        return as_polars(pl.DataFrame(rows, infer_schema_length=None))
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError):
        raise InputError(
            "the rows do not make a table: each is an object of plain values."
        ) from None


class Hide(Operation):
    """Let a player be in no output but the organiser's own; results stay, and count for others."""

    name = "hide"
    title = "Hide a player"

    player: Player

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Hide the player."""
        return league.hide(self.player, **how)


class Show(Operation):
    """Let a player who is hidden be seen by everybody again."""

    name = "show"
    title = "Show a hidden player"

    player: Player

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Show the player."""
        return league.show(self.player, **how)


class SetSeason(Operation):
    """Let a season begin, with a reset if there is a pull, or put right one of that name."""

    name = "season"
    title = "Begin a season"

    season: Text = _of("what the season is called", "2026")
    start: Moment = _of("when it begins: before contests of that moment", "2026-01-05")
    pull: float | None = _of(
        "for a reset: the part of the way that every rating is pulled, 0 to 1", 0.5, default=None
    )
    toward: float | None = _of("where to; null for where newcomers begin", 1500, default=None)
    sigma: float | None = _of(
        "the least uncertainty then; null for between that and a newcomer's", 200, default=None
    )
    future: bool = _of("whether a time of more than two years from now is meant", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Begin the season."""
        return league.season(
            self.season,
            self.start,
            pull=self.pull,
            toward=self.toward,
            sigma=self.sigma,
            future=self.future,
            **how,
        )


class RemoveSeason(Operation):
    """Take a season out of the league, and its reset with it."""

    name = "remove-season"
    title = "Remove a season"

    season: Text = _of("what the season is called", "2026")

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Remove the season."""
        return league.remove_season(self.season, **how)


class Start(Operation):
    """Give players ratings from elsewhere, with which they begin; unknown players become known."""

    name = "start"
    title = "Give starting ratings"
    takes = "rows"

    rows: Rows | pl.DataFrame = _of(
        "a row for each: player and rating, and sigma and time if they are known",
        [{"player": "fay", "rating": 1650, "sigma": 60}],
    )
    time: Moment | None = _of(
        "as of when, where a row does not say; null for before all contests", default=None
    )
    future: bool = _of("whether times of more than two years from now are meant", default=False)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Give the ratings."""
        given = Starts.from_frame(table(self.rows), self.time, future=self.future)
        return league.start(given, near=is_installed("rapidfuzz"), **how)


class RemoveStart(Operation):
    """Take the starting ratings of a player back, or that of a time."""

    name = "remove-start"
    title = "Remove a starting rating"

    player: Player
    time: Moment | None = _of("as of when it was; null for all", default=None)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Remove the rating."""
        return league.remove_start(self.player, self.time, **how)


class Undo(Operation):
    """Take back the last change, or an earlier one on which no later one depends."""

    name = "undo"
    title = "Undo a change"

    entry: int | None = _of("its number in the log; null for the last", default=None, ge=1)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Undo the change."""
        return league.undo(self.entry, **how)


class Redo(Operation):
    """Make again what was taken back last, or another change that was taken back."""

    name = "redo"
    title = "Redo a change"

    entry: int | None = _of("its number in the log; null for the last", default=None, ge=1)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Redo the change."""
        return league.redo(self.entry, **how)


class SetRules(Operation):
    """Show ratings by other rules; what is not said stays as it is, and nothing is rated again."""

    name = "rules"
    title = "Change the rules of display"

    display: Literal["system", "mean", "conservative"] | None = _of(
        "which number is the rating", default=None
    )
    caution: float | None = _of("how many sigmas a conservative rating takes off", default=None)
    hidden_until: int | None = _of(
        "players with fewer contests are not on the leaderboard", default=None
    )
    titles: list[list[float | str]] | None = _of(
        "the lowest rating, its title and if wanted its colour, each",
        [[1200, "Pupil", "green"]],
        default=None,
    )
    keep_titles: bool | None = _of("whether titles are kept once reached", default=None)
    provisional_until: int | None = _of(
        "ratings are provisional until so many contests", default=None
    )
    provisional_sigma: float | None = _of(
        "ratings are provisional until sigma is below", default=None
    )
    hide_provisional: bool | None = _of(
        "whether whoever is provisional is not on the leaderboard", default=None
    )

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Set the rules."""
        said: dict[str, Any] = {
            name: value for name, value in self.model_dump().items() if value is not None
        }
        if "titles" in said:
            said["titles"] = [tuple(each) for each in said["titles"]]
            said["colours"] = ()
        before = {name: getattr(league.rules, name) for name in Rules.__dataclass_fields__}
        return league.set_rules(Rules(**{**before, **said}), **how)


class Revise(Operation):
    """Rate all contests anew, by another system or with other parameters, as a new revision."""

    name = "revise"
    title = "Rate by another system"

    system: Text | None = _of("the system; null for the one in force", "glicko2", default=None)
    parameters: dict[Text, JsonValue] = _of(
        "its parameters, as far as they are not those that it has; inf is a text",
        {"tau": 0.5},
        default_factory=dict,
    )
    revision: Text | None = _of("what to call the new ratings", "season 2", default=None)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Revise the league."""
        if self.system is None and not self.parameters:
            raise InputError("there is nothing to revise; give a system, parameters or both.")
        reserved = sorted({"system", "name", *How.__annotations__} & self.parameters.keys())
        if reserved:
            raise InputError(f"no system has a parameter {reserved[0]!r}.")
        system = systems.by_name(self.system or league.system.name)
        said = {
            name: system.parse_value(name, value) if isinstance(value, str) else value
            for name, value in self.parameters.items()
        }
        return league.revise(self.system, name=self.revision, **said, **how)


class Rollback(Operation):
    """Put an earlier revision in force; what has changed since is rated by it, too."""

    name = "rollback"
    title = "Go back to an earlier revision"

    revision: Text | None = _of("its name; null for the one before", "first", default=None)

    def make(self, league: League, **how: Unpack[How]) -> Change:
        """Roll back to the revision."""
        return league.rollback(self.revision, **how)


OPERATIONS: dict[str, type[Operation]] = {
    each.name: each
    for each in (
        *(Record, Amend, Add, Disqualify, Reinstate, Remove),
        *(Rename, Merge, Guest, Describe, DescribeAll, DefineAttributes, RemoveAttributes),
        *(Hide, Show, SetSeason, RemoveSeason, Start, RemoveStart),
        *(Undo, Redo, SetRules, Revise, Rollback),
    )
}
"""All of them, by what they are called in addresses."""
