"""The documents of the API, field by field, for whoever reads its description.

They are those of docs/documents.md, and the tests compare them with real answers. Answers are sent
as they are made, without a detour through these types.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, JsonValue

Time = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
"""A moment in UTC."""
Whole = Annotated[int, Field(ge=0)]
"""A count."""
Titled = Annotated[list[float | str], Field(min_length=2, max_length=2)]
"""The lowest rating, and the title that it earns."""
Pair = Annotated[list[int], Field(min_length=2, max_length=2)]
Infinite = Literal["inf", "-inf"]
Colours = dict[str, str]
"""A name such as green, or #1e90ff, by title."""
Parameters = dict[str, JsonValue]


def _of(meaning: str, **more: Any) -> Any:
    return Field(description=meaning, **more)


def _without_zero(text: str | None) -> str | None:
    if text is not None and "\0" in text:
        raise ValueError("holds the character 0, which no name has")
    return text


KEPT = AfterValidator(_without_zero)
"""Of texts that a database is asked for."""


class Rates(BaseModel):
    """By what a league is rated."""

    system: str = _of("the system that rates")
    parameters: Parameters = _of("its parameters")


class Believed(BaseModel):
    """A player, and what is believed of them."""

    player: str = _of("the name, which may be asked for by an alias")
    title: str | None = _of("the title; null if the rating earns none")
    rating: float = _of("the rating that is shown")
    mu: float = _of("the skill that is believed")
    sigma: float | None = _of("its uncertainty; null if the system knows none")
    forecast: float | None = _of(
        "of systems that forecast only: what is expected in the next contest, among the usual "
        "players",
        default=None,
    )
    spread: float | None = _of(
        "of systems that forecast only: how far the performance may be from that", default=None
    )
    contests: int = _of("how many rated contests")
    last_time: Time | None = _of("when the last of them was; null without one")
    id: int = _of("the number that the player keeps, whatever the name")
    display: str | None = _of("what the player is shown as; null if that is the name")
    attributes: dict[str, str | float | None] = _of(
        "what else everybody may know, by attribute; null for what is not known"
    )


class Dated(BaseModel):
    """Which contest, and when."""

    contest: str = _of("the identifier")
    time: Time = _of("when it was")
    name: str | None = _of("what the contest is called; null without a name")


class Told(BaseModel):
    """A part of an explanation."""

    text: str = _of("in words")


class Ranked(BaseModel):
    """What a final rank gives."""

    rank: int = _of("the rank")
    rating: float = _of("the rating after it")
    mu: float = _of("mu after it")


class Problem(BaseModel):
    """What went wrong, as RFC 9457 says it."""

    type: str = _of("which kind of problem it is; the page about the API tells of each")
    title: str = _of("the kind in a few words, always the same")
    status: int = _of("the status of HTTP")
    detail: str = _of("one sentence: what is wrong, and what would be right")
    instance: str = _of("what was asked for, or the number under which the server's log has it")
    fields: dict[str, list[JsonValue]] | None = _of(
        "of two players who are to be one and differ: what differs, with the value of each",
        default=None,
    )
    matches: list[JsonValue] | None = _of(
        "of many matches of which some were not kept: what came of each, in order; of those that "
        "were not, the problem",
        default=None,
    )


class NewRating(BaseModel):
    """What a match made of somebody."""

    player: str = _of("the name")
    rating: float = _of("the rating that is shown, after the match")
    change: float = _of("by how much it has changed")
    mu: float = _of("the skill that is believed")
    sigma: float | None = _of("its uncertainty; null if the system knows none")
    contests: Whole = _of("how many contests were rated, with this one")


class Recorded(BaseModel):
    """What came of a match."""

    id: str = _of("by what the match is known")
    time: Time = _of("when it took place")
    late: bool = _of("whether it waits, to be rated where it belongs; there are no ratings yet")
    known: bool = _of("whether it was there before, so that this is what came of it then")
    ratings: list[NewRating] = _of("the new ratings, of those who are rated and not hidden")


class RecordedMatches(BaseModel):
    """What came of many matches."""

    matches: list[Recorded] = _of("what came of each, in the order in which they were sent")


class ListedLeague(BaseModel):
    """A league among others."""

    key: str = _of("what it is called in addresses")
    title: str = _of("what it is called")
    about: str | None = _of("what it is, in its organiser's words; null if they said nothing")


class Rules(BaseModel):
    """How ratings are shown."""

    display: Literal["system", "mean", "conservative"] = _of("which number is shown")
    caution: float = _of("how many sigmas a conservative rating takes off")
    hidden_until: Whole = _of("from how many contests on players are on the leaderboard")
    titles: list[Titled] = _of("pairs of the lowest rating and its title, in order")
    colours: Colours = _of("the colours of titles that have one of their own, by title")
    keep_titles: bool = _of("whether titles are kept once they are reached")
    provisional_until: Whole = _of("ratings are provisional until so many contests; 0 for none")
    provisional_sigma: float = _of("ratings are provisional until sigma is below; 0 for none")
    hide_provisional: bool = _of("whether whoever is provisional is not on the leaderboard")


class League(Rates, ListedLeague):
    """What there is to know of a league as a whole."""

    rules: Rules = _of("how ratings are shown")
    contests: Whole = _of("how many contests there are")
    players: Whole = _of("how many players have a place")
    created: Time = _of("when the league was made")
    first_time: Time | None = _of("when the first contest was; null if there is none")
    last_time: Time | None = _of("when the last contest was; null if there is none")
    state: str = _of("another text after every change")


class Season(BaseModel):
    """A season of a league."""

    name: str = _of("what it is called")
    start: Time = _of("when it begins, before contests of that moment")
    end: Time | None = _of("when the next one begins; null of the last one")
    pull: float | None = _of(
        "the part of the way that ratings are pulled then; null without a reset"
    )
    toward: float | None = _of("where to, as mu; null for where newcomers begin")
    sigma: float | None = _of("the least uncertainty then; null for what the pull makes of it")


class Placed(Believed):
    """A player who has a place."""

    place: int = _of("the place among the eligible; equal ratings share one")


class Shown(Placed):
    """A row of a leaderboard, with what the player has reached and what is so today."""

    provisional: bool = _of("whether the rating is provisional")
    best_rating: float | None = _of(
        "the highest rating after a contest; null without one, or if more than 5,000 players are "
        "asked for"
    )
    best_time: Time | None = _of("when it was reached; null if that is")
    away: float | None = _of(
        "the days since the last contest, until the league's last rated one or the date; null "
        "without one"
    )
    rating_now: float | None = _of(
        "what absence has made of the rating by then; null if more than 5,000 players are asked for"
    )
    sigma_now: float | None = _of(
        "the same of sigma; null if the system knows none, or `rating_now` is"
    )


class Leaderboard(Rates):
    """The best players."""

    contests: Whole = _of("how many contests there are")
    players: Whole = _of("how many players have a place, whatever the conditions")
    eligible: Whole = _of("how many pass the conditions")
    matching: Whole = _of("how many of those have a name that matches")
    colours: Colours = _of("the colours of titles that have one of their own, by title")
    leaderboard: list[Shown] = _of("those who are shown, the best first")


class Event(Dated):
    """What one contest did to a player."""

    rank: int = _of("the rank")
    participants: int = _of("of how many")
    performance: float | None = _of(
        "how well that was; null if the system or a contest without opponents shows none"
    )
    mu_before: float = _of("mu before the contest")
    sigma_before: float | None = _of("sigma before it; null if the system knows none")
    mu: float = _of("mu after it")
    sigma: float | None = _of("sigma after it; null if the system knows none")
    rating_before: float = _of("the rating before it")
    rating: float = _of("the rating after it")
    change: float = _of("the difference")
    provisional: bool = _of("whether the rating after it is provisional")


class Seen(Dated):
    """A participation in hindsight."""

    participants: int = _of("of how many")
    rank: int = _of("the rank, everybody taken alone")
    estimate: float = _of("the skill by all results, earlier and later")
    sigma: float = _of("its uncertainty")
    without: float = _of("the same without this result")
    without_sigma: float = _of("and its uncertainty")
    believed: float = _of("what was believed after it, on the level of the last contest")
    believed_sigma: float = _of("and how surely")


class LookBack(BaseModel):
    """A player as the look back sees them that the league keeps: no ratings that count."""

    player: str = _of("the name")
    made: Time = _of("when somebody looked")
    entry: Whole = _of("the last entry of the log then")
    until: Time = _of("when the last contest took place that it knows of")
    contests_since: Whole = _of("how many contests were recorded since, which it does not know")
    corrections_since: Whole = _of("how many other changes of results were made since")
    contests: Whole = _of("how many contests it knows")
    participations: Whole = _of("how many participations in them")
    parameters: Parameters = _of("what it believes of all skills")
    weights: str = _of("logistic or gaussian")
    tuned: bool = _of("whether parameters were looked for")
    half_sweeps: Whole = _of("how many it took")
    moved: float = _of("by how many points estimates moved in the last of them")
    settled: bool = _of("whether that is less than 1 % of the mean uncertainty")
    log_loss: float = _of("of each result by all others, over pairs")
    advantage: float = _of("what the side is worth in matches, in points")
    history: list[Seen] = _of("the contests, in order; none of who came later")


class Moment(BaseModel):
    """What is believed of a player at a time."""

    time: Time = _of("when")
    rating: float = _of("the rating that is shown")
    sigma: float | None = _of("its uncertainty; null if the system knows none")
    forecast: float | None = _of(
        "of systems that forecast only: what is expected then", default=None
    )
    spread: float | None = _of(
        "of systems that forecast only: how far the performance may be from that", default=None
    )


class Played(BaseModel):
    """What a player did in a season."""

    name: str = _of("what the season is called")
    start: Time = _of("when it begins")
    end: Time | None = _of("when the next one begins; null of the last one")
    contests: Whole = _of("how many rated contests the player had in it")
    rating: float = _of("the rating after the last of them")
    best_rating: float = _of("the highest rating after one of them")
    change: float = _of("the rating after the last, less that before the first")


class Player(Believed):
    """A player with all rated contests."""

    colours: Colours = _of("the colours of titles that have one of their own, by title")
    provisional: bool = _of("whether the rating is provisional")
    guest: bool = _of("whether the player is a guest, whose next results are not rated")
    system: str = _of("the system that rates")
    place: int | None = _of("the place on the leaderboard; null if the rules hide the player")
    players: Whole = _of("among how many the place is")
    best_rating: float | None = _of("the highest rating after a contest; null without one")
    best_time: Time | None = _of("when it was reached; null without a contest")
    away: float | None = _of("the days since the last contest, until `now.time`; null without one")
    after_last: Moment | None = _of(
        "what was believed just after the last contest; null without one"
    )
    now: Moment | None = _of(
        "what has become of it by the league's last rated contest, or the date; null without a "
        "contest"
    )
    seasons: list[Played] = _of("the seasons that the player was rated in, the earliest first")
    history: list[Event] = _of("the contests, in order; the last so many with `last`")


class Contest(Dated):
    """A contest among others."""

    players: int = _of("how many took part")
    weight: float = _of("how much it counts")
    rated: bool = _of("whether it counts")
    rating_floor: float | None = _of("only ratings from there on are rated; null for no limit")
    rating_ceiling: float | None = _of("only ratings below it are rated; null for no limit")


class Standing(BaseModel):
    """A row of the standings of a contest."""

    rank: int = _of("the rank")
    player: str = _of("the name")
    team: str | None = _of("the team; null without one")
    score: str | None = _of("the score as it was given; null without one")
    status: str | None = _of("the status as it was given, such as DNF; null without one")
    given_team: str | None = _of(
        "the team as it was given, where players are rated alone; null without one"
    )
    eligible: bool = _of("whether the player was within the limits of the contest, and no guest")
    performance: float | None = _of(
        "how well that was; null if the player was not rated by it, or the system shows none"
    )
    expected_rank: float | None = _of(
        "the rank that was expected; null if the player was not rated by it"
    )
    rating_before: float | None = _of("the rating before it; null if not rated by it")
    rating: float | None = _of("the rating after it; null if not rated by it")
    change: float | None = _of("the difference; null if not rated by it")
    provisional_before: bool | None = _of(
        "whether the rating before it was provisional; null if not rated by it"
    )
    provisional: bool | None = _of(
        "whether the rating after it is provisional; null if not rated by it"
    )


class Result(Contest):
    """A contest with its standings."""

    system: str = _of("the system that rates")
    standings: list[Standing] = _of("the players, the best first; the first so many with `top`")


class Opponents(BaseModel):
    """Opponents who pulled a performance in one direction, or whose results surprised."""

    few: list[dict[str, JsonValue]] = _of("the most important of them")
    others: Whole = _of("how many more there are")
    others_sum: float = _of("what they come to together")


class Performance(Told):
    """How well a result was."""

    value: float | None = _of("the performance; null if the contest, or the system, shows none")
    without_ceiling: float | None = _of(
        "what it would be without the limit of the contest; null if it did not reach one"
    )
    score: float = _of("the score against all opponents; a tie counts half")
    expected_score: float = _of("what was expected")
    expected_rank: float = _of("the rank that goes with it")
    measure: Literal["pull", "surprise"] = _of("by what opponents are told apart")
    own_pull: float | None = _of(
        "the pull towards what was believed before; null if the system has no pulls"
    )
    up: Opponents = _of("those who pulled it up, or against whom it went better than expected")
    down: Opponents = _of("those who pulled it down, or against whom it went worse")


class Past(BaseModel):
    """A performance that is in an average."""

    contest: str | None = _of("the identifier; null for what is not kept one by one")
    ago: Whole = _of("how many contests ago")
    performance: float = _of("the performance")
    share: float = _of("its share")
    plain_share: float = _of("what its share would be, were it not far from the others")


class Average(Told):
    """What the new mu is an average of."""

    base: float | None = _of(
        "of averages only: what was believed of the player before all contests", default=None
    )
    base_share: float | None = _of("of averages only: the share of that", default=None)
    correction: float | None = _of(
        "of averages only: what is added, because it is not quite an average", default=None
    )
    performances: list[Past] | None = _of(
        "of averages only: the performances that are in it, with their shares", default=None
    )


class Moved(Told):
    """What a result did to the rating."""

    rating_before: float = _of("the rating before")
    rating: float = _of("the rating after")
    mu_before: float = _of("mu before")
    mu: float = _of("mu after")
    sigma_before: float | None = _of("sigma before; null if the system knows none")
    sigma_grown: float | None = _of("sigma before, grown by absence; null if there is none")
    sigma: float | None = _of("sigma after; null if the system knows none")
    by_skill: float = _of("the part of the change that mu brings")
    by_certainty: float = _of("the part that sigma brings")
    by_experience: float = _of("the part that one contest more brings")


class Limits(Told):
    """The most that mu could have changed."""

    lowest: float | Infinite | None = _of(
        "where a limit is known: what mu would be after the worst performance", default=None
    )
    highest: float | Infinite | None = _of("the same after the best", default=None)
    theorem: float | None = _of("where a theorem says so: how far mu can move", default=None)


class Place(Ranked):
    """What another rank would have given."""

    tied_with: Whole = _of("how many others would share it")
    performance: float | None = _of("the performance; null if the system shows none")


class Places(Told):
    """What one place better or worse would have given."""

    better: Place | None = _of("one place better; null for the first")
    worse: Place | None = _of("one place worse; null for the last")


class Explanation(Rates, Dated):
    """Why a contest did to a player's rating what it did."""

    player: str = _of("the name")
    rank: int = _of("the rank")
    tied_with: Whole = _of("how many others share it")
    competitors: int = _of("how many players, or teams, are rated by it")
    overall: Pair | None = _of(
        "the rank, and among how many, if not all who took part are rated by it; null if they are"
    )
    team: str | None = _of("the team that the player was in; null without one")
    contests_before: Whole = _of("how many contests the player had before")
    text: str = _of("the headline")
    forecast: Told | None = _of(
        "of systems that forecast only: what was expected other than the rating says", default=None
    )
    performance: Performance = _of("how well it was")
    average: Average = _of("what the new mu is an average of")
    change: Moved = _of("what it did to the rating")
    limits: Limits = _of("the most that mu could have changed")
    places: Places = _of("what one place better or worse would have given")


class Goal(BaseModel):
    """A rating to reach."""

    rating: float = _of("the rating")
    rank: int | None = _of("the worst rank that reaches it; null if not even the first does")


class Rank(Ranked):
    """What a final rank gives, and how that differs."""

    change: float = _of("the difference")
    sigma: float | None = _of("sigma after it; null if the system knows none")


class Curve(BaseModel):
    """The rating that each final rank gives to one player, the others keeping their order."""

    player: str = _of("the name")
    rank: int | None = _of("the rank that it was; null if the player did not take part")
    participants: int = _of("how many compete, with the player")
    rating_before: float = _of("the rating before")
    rating: float | None = _of("the rating after it; null if the player did not take part")
    best: float = _of("the rating that the first place gives")
    keep: int | None = _of("the worst rank at which the rating does not fall; null if it does")
    goals: list[Goal] = _of("the ratings that were asked for")
    exact: bool = _of("whether `keep` and the ranks of `goals` are certainly the worst")
    ranks: list[Rank] = _of("what every rank gives, the best first")


class Chance(BaseModel):
    """The chances of one who takes part."""

    player: str = _of("the name; of a team, its members")
    first: float = _of("the probability of the first place")
    top: float = _of("that of a place among the best `top`")
    expected_rank: float = _of("the expected rank")


class Chances(BaseModel):
    """How a contest of these players may end."""

    system: str = _of("the system that predicts")
    temperature: float | None = _of(
        "by what differences between ratings were multiplied; null if the chances are the system's "
        "own"
    )
    quality: float = _of("how even the contest is, from 0 to 1")
    win_probability: float | None = _of(
        "of two only: that the first wins, or the expected score where a draw counts half",
        default=None,
    )
    draw_probability: float | None = _of("of two only: that they draw", default=None)
    stronger_probability: float | None = _of(
        "of two only: that the first is the stronger one; null if the system knows no uncertainty",
        default=None,
    )
    top: int = _of("among how many to be is `players[].top`")
    players: list[Chance] = _of("who takes part, the likeliest winner first")


class Match(BaseModel):
    """What comes of a match of two."""

    system: str = _of("the system that predicts")
    temperature: float | None = _of(
        "by what differences between ratings were multiplied; null if the chances are the system's "
        "own"
    )
    players: Annotated[list[str], Field(min_length=2, max_length=2)] = _of(
        "the two, as they were asked for"
    )
    win_probability: float = _of(
        "that the first wins, or the expected score where a draw counts half"
    )
    draw_probability: float = _of("that they draw")
    stronger_probability: float | None = _of(
        "that the first is the stronger one; null if the system knows no uncertainty"
    )
    quality: float = _of("how even the match is, from 0 to 1")


class Move(BaseModel):
    """A rating that a change moved."""

    player: str = _of("the name")
    before: float | None = _of("the rating before; null for newcomers")
    after: float | None = _of("the rating after; null for who has no rated contest left")
    change: float | None = _of("the difference; null if either is null")


class Change(BaseModel):
    """A change of the league, as the public may see it."""

    number: int = _of("the first change is 1")
    time: Time = _of("when it was made")
    action: str = _of("what was done: the name of the command")
    contest: str | None = _of("the contest that it was done to; null for none or several")
    contest_name: str | None = _of("what that contest is called; null without a name, or if gone")
    contest_is_there: bool = _of("whether the league has that contest still")
    player: str | None = _of("the player that it was done to, by today's name; null for none")
    why: str | None = _of("the reason; null if none was given")
    text: str = _of("all that in a sentence")
    moved: Whole | None = _of("how many ratings changed; null if that was not kept")
    moves: list[Move] = _of("the largest of those changes")


class Revision(BaseModel):
    """By which system a league is or was rated."""

    name: str = _of("the name")
    system: str = _of("the system")
    parameters: Parameters = _of("its parameters")
    created: Time = _of("when it was made")
    active: bool = _of("whether it is in force")
    current: bool = _of("whether it has followed all changes")


class Parameter(BaseModel):
    """A parameter of a system."""

    name: str = _of("the name")
    default: JsonValue = _of("the default; null for none")
    range: str = _of("the values that it may have")
    search: str | None = _of("where tuning looks for it; null if it is not tuned")
    meaning: str = _of("what it does")
    value: JsonValue = _of("the value that it has in this league")


class System(BaseModel):
    """The system that rates a league."""

    name: str = _of("the name")
    summary: str = _of("a line about it")
    teams: bool = _of("whether it rates teams")
    scores: bool = _of("whether it takes scores between a win and a loss")
    most_players: int | None = _of("the most players of a contest; null for any number")
    reference: str = _of("where it is described")
    reset: str = _of("what a reset, with which a season may begin, does to what it believes")
    start: str = _of("what it means to it that a player starts with a mu and a sigma")
    parameters: list[Parameter] = _of("its parameters, with their values here")
    about: str = _of("all that there is to say about it")


class ListedLive(BaseModel):
    """A contest that is not over, among others."""

    contest: str = _of("the identifier, by which it is recorded later")
    name: str | None = _of("what it is called; null without a name")
    version: Whole = _of("grows when the standings change; 0 if there are none yet")
    created: Time = _of("when the first standings were posted")
    updated: Time = _of("when the standings changed last")
    participants: Whole = _of("how many take part")
    newcomers: Whole = _of("how many of them the league does not know yet")


class LiveRow(BaseModel):
    """A participant of a contest that is not over."""

    rank: int = _of("the rank in the standings")
    player: str = _of("the name")
    team: str | None = _of("the team; null without one")
    score: str | None = _of("the score, as it was given; null if there is none")
    status: str | None = _of("the status, as it was given; null if there is none")
    rated: bool = _of("false for guests, of whom nothing is predicted")
    rating_before: float | None = _of("the rating now, or that of newcomers; null if not rated")
    rating: float | None = _of("the rating if the contest ended now; null if not rated")
    change: float | None = _of("the difference; null if not rated")
    performance: float | None = _of("how well the rank would be; null where systems say none")
    expected_rank: float | None = _of("the rank to expect before the contest; null if not rated")
    newcomer: bool = _of("whether the league does not know the player yet")
    title_before: str | None = _of("the title now; null for none")
    title: str | None = _of("the title if the contest ended now; null for none")
    goal: float | None = _of("the rating that the next title needs; null if there is none")
    goal_title: str | None = _of("that title; null if there is none")
    needed: int | None = _of(
        "the worst rank that reaches it, the others as they stand; null if none does, or if "
        "`needed_for` is not everybody"
    )


class Live(ListedLive):
    """A contest that is not over, and what would become of everybody if it ended now."""

    prediction: Literal[True] = _of("nothing of this is recorded")
    time: Time = _of("as of when ratings are predicted")
    system: str = _of("the system that predicts")
    state: str = _of("the state of the league that the prediction is of")
    needed_for: Literal["everybody", "one"] | None = _of(
        "for whom it is said which rank the next title needs: for everybody, or only by the curve "
        "of a player who is asked for; null without titles"
    )
    gains: list[LiveRow] = _of("who gains most, without newcomers")
    losses: list[LiveRow] = _of("who loses most, without newcomers")
    medals: list[LiveRow] = _of("who is among the first three")
    matching: Whole = _of("how many rows are asked for; pages have all of them")
    standings: list[LiveRow] = _of("a page of them, in the order of the standings")
    curve: Curve | None = _of("what each rank would give to the player asked for", default=None)


class PostedLive(BaseModel):
    """What came of posting standings."""

    contest: str = _of("the identifier")
    name: str | None = _of("what it is called; null without a name")
    version: Whole = _of("of the standings")
    changed: bool = _of("false if they are those that were posted before")
    participants: Whole = _of("how many take part")
    state: str = _of("the state of the league")


class EndedLive(BaseModel):
    """A contest that is live no more, or whose standings are fetched no more."""

    contest: str = _of("the identifier")
    ended: bool = _of("whether it is live no more")
    state: str = _of("the state of the league")


class LiveSource(BaseModel):
    """From where the standings of a contest are fetched."""

    contest: str = _of("the identifier")
    address: str = _of("where they are")
    every: int = _of("seconds from one time to the next")
    problem: str | None = _of("what went wrong the last time; null if nothing did")


class Token(BaseModel):
    """Somebody who may do something, without the text that lets them."""

    id: int = _of("its number")
    name: str = _of("whose it is; what is done with it is logged in this name")
    role: Literal["read", "record", "organise", "own"] = _of("what it lets one do")
    expires: Time | None = _of("from when on it is good for nothing; null for never")


class ListedToken(Token):
    """A token among others."""

    created: Time = _of("when it was made")
    creator: str = _of("by whom")
    revoked: Time | None = _of("when it was revoked; null if it was not")


class NewToken(Token):
    """A token that was just made."""

    token: str = _of("the text that lets one do it, which is shown once and kept nowhere")


class Access(BaseModel):
    """Who may see a league."""

    access: Literal["public", "private"] = _of(
        "whether everybody may see the league, or only who has a token"
    )


class MatchReason(BaseModel):
    """Why there is a match."""

    code: str = _of("matched; of a ticket that waits, what is in the way: one_sided, taken …")
    text: str = _of("the same as a sentence")
    waited: float = _of("seconds; of a match, those of who has waited longest")
    limit: str | None = _of("the rule whose tolerance is told")
    value: float | None = _of("what the match has, or the best that was refused would have")
    start: float | None = _of("the tolerance of that rule for who has just come")
    now: float | None = _of("the tolerance after this wait")


class WaitingReason(MatchReason):
    """Why there is no match yet."""

    other: str | None = _of("the ticket of the best match that was refused")
    after: float | None = _of("after how many seconds it would be allowed; null if never")


class MadeMatch(BaseModel):
    """Who is to meet."""

    teams: list[list[str]] = _of("the players of each side")
    tickets: list[str] = _of("the ids of the tickets that it takes")
    chances: list[float] = _of("of each side to win, a draw counting half")
    quality: float = _of("as the rating system says it")
    region: str | None = _of("where to play")
    latency: float | None = _of("the most milliseconds that a ticket has to there")
    roles: dict[str, str] = _of("who plays which role")
    worth: float = _of("its part of the objective")
    reason: MatchReason


class WaitingTicket(BaseModel):
    """A ticket that waits on."""

    ticket: str = _of("its id")
    reason: WaitingReason


class Round(BaseModel):
    """What comes of those who wait."""

    now: float = _of("the moment, in seconds")
    system: str = _of("the system that predicts")
    exact: bool = _of("whether no other matches have a higher objective")
    objective: float = _of("the sum of the worth of the matches")
    matches: list[MadeMatch]
    waiting: list[WaitingTicket]
    state: str = _of("the state of the league that was asked")
