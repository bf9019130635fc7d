"""What can be asked of a league, from its tables."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from dataclasses import replace as replaced
from math import inf, nan
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, and_, false, func, not_, or_, select, true

from podium.documents import as_document
from podium.errors import NotFoundError, StorageError
from podium.league import (
    adjusting,
    checkpoints,
    hiding,
    logs,
    people,
    players,
    revisions,
    schema,
    standings,
)
from podium.league.attributes import Attribute
from podium.league.checkpoints import Known, distinct
from podium.league.database import as_object, fetch, mapping, replace, table_of, within
from podium.league.entries import OF_PEOPLE, TOGGLES
from podium.league.folding import checkpoint_at, contests_from, fold, known_at
from podium.league.recalling import recalled, retraced
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.searching import contains, is_called, is_named, players_called
from podium.league.standings import Order, StoredContests, in_turn, is_past, order_of
from podium.ratings import before
from podium.ratings.adjustments import ALWAYS, Adjustments
from podium.ratings.asking import with_newcomers
from podium.ratings.beliefs import Beliefs
from podium.ratings.calibration import Calibration
from podium.ratings.fold import pieces, refuse_what_is_not_contests, thread_count
from podium.ratings.leaderboards import Filters
from podium.ratings.player import Player
from podium.ratings.rankings import in_order, with_places
from podium.results.columns import taken
from podium.results.contests import Contests
from podium.results.tables import GIVEN, natural
from podium.results.times import TIMES, as_column, from_microseconds
from podium.systems.base import FORECAST, System
from podium.texts import normalised
from podium.wording import listed, suggestion

_RATINGS = {
    "player_id": pl.Int64,
    "shown": pl.Float64,
    "mu": pl.Float64,
    "sigma": pl.Float64,
    "contests": pl.Int32,
    "last_time": pl.Int64,
}
_JSON = ("details", "parameters", "before", "after")
"""Columns that hold JSON."""
_MANY = 5000
"""Of so many who are looked for, the best are found soonest by going through the leaderboard."""
_FEW = 200
"""So many ratings are counted one by one."""
_BOARD = {
    "player_id": pl.Int64,
    "player": pl.String,
    "rating": pl.Float64,
    **{k: _RATINGS[k] for k in list(_RATINGS)[2:]},
}


def frame_of(connection: Connection, statement: Any, columns: dict[str, Any]) -> pl.DataFrame:
    """What is selected, as a table with these columns."""
    found = dict(zip(columns, fetch(connection, statement), strict=True))
    for name in {"time", "last_time"} & columns.keys():
        _refuse_odd_times(found[name])
    try:
        return pl.DataFrame(found, columns)
    except (pl.exceptions.PolarsError, TypeError, OverflowError):
        raise StorageError("the league is damaged: a number is none.") from None


def _refuse_odd_times(times: list[int | None]) -> None:
    if not all(each is None or TIMES[0] <= each <= TIMES[1] for each in times):
        raise StorageError("the league is damaged: a time is none.")


def ratings(connection: Connection, revision: int) -> pl.DataFrame:
    """All that players have now, by number."""
    r = schema.ratings
    return frame_of(
        connection,
        select(*(r.c[name] for name in _RATINGS)).where(r.c.revision_id == revision),
        _RATINGS,
    )


def write_shown(connection: Connection, revision: int, table: pl.DataFrame) -> None:
    """Keep what `ratings` returned with other numbers to show."""
    r = schema.ratings
    rating = mapping(
        connection, select(r.c.player_id, r.c.rating).where(r.c.revision_id == revision)
    )
    columns = {name: table[name].to_list() for name in _RATINGS}
    columns |= {
        "revision_id": [revision] * table.height,
        "rating": [rating[each] for each in columns["player_id"]],
    }
    replace(connection, r, ("revision_id", "player_id"), columns)


def best(
    connection: Connection, revision: Revision, rules: Rules, filters: Filters
) -> pl.DataFrame:
    """The leaderboard as of now, by the index of shown ratings."""
    if filters.sought is not None:
        return search(connection, revision, rules, filters)[0]
    passing = _on_board(connection, revision.id, rules, filters)
    if filters.skip:
        found = _page(connection, passing, filters)
    else:
        found = with_places(_players(connection, passing.conditions, 0, filters.n))
    return _finished(connection, revision, found)


def _page(connection: Connection, passing: "_Passing", filters: Filters) -> pl.DataFrame:
    """One that is not the first: from the rating on with which it begins."""
    shown = schema.ratings.c.shown
    first = select(shown).where(*passing.conditions).order_by(shown.desc()).offset(filters.skip)
    rating = connection.execute(first.limit(1)).scalar()
    if rating is None:
        return with_places(_players(connection, passing.conditions, 0, 0))
    ahead = int(_better(connection, passing, np.array([rating]))[0])
    rest = [*passing.conditions, shown <= rating]
    board = with_places(_players(connection, rest, filters.skip - ahead, filters.n))
    tied = board["rating"] == rating
    places = pl.when(tied).then(1 + ahead).otherwise(pl.col("place") + filters.skip)
    return board.with_columns(place=places.cast(board.schema["place"]))


def search(
    connection: Connection, revision: Revision, rules: Rules, filters: Filters
) -> tuple[pl.DataFrame, int]:
    """Those who are looked for, with their places among all who pass; and how many they are."""
    text, passing = filters.sought or "", _on_board(connection, revision.id, rules, filters)
    number = schema.ratings.c.player_id
    numbers = players_called(connection, text, _MANY)
    if numbers is None:
        count = _count(connection, passing.also(is_called(connection, number, text)))
        found = [*passing.conditions, is_named(connection, text)]
        board = _players(connection, found, filters.skip, filters.n)
    else:
        found = [passing.conditions[0], within(connection, number, numbers)]
        if filters.title is not None and rules.keep_titles:
            found.append(_kept_by(revision.id, rules, filters.title))
        everybody = frame_of(connection, _players_with(found), _BOARD)
        passes = _pass(connection, rules, filters, everybody)
        order = in_order(everybody["player"].to_list(), -everybody["rating"].to_numpy())
        board = taken(everybody, order[passes[order]])
        count, board = board.height, filters.page(board)
    ratings, place = np.unique(-board["rating"].to_numpy(), return_inverse=True)
    places = 1 + _better(connection, passing, -ratings)[place]
    board = pl.DataFrame([pl.Series("place", places.astype(np.uint32)), *board])
    return _finished(connection, revision, board), count


def _players_with(conditions: list[Any]) -> Any:
    r, p = schema.ratings, schema.players
    columns = (r.c.player_id, p.c.name, r.c.shown, *(r.c[each] for each in list(_BOARD)[3:]))
    return select(*columns).join(p, p.c.id == r.c.player_id).where(*conditions)


def _players(
    connection: Connection, conditions: list[Any], skip: int, n: int | None
) -> pl.DataFrame:
    """Those who meet conditions, the best first."""
    name: Any = schema.players.c.name
    if connection.dialect.name == "postgresql":
        name = name.collate("C")
    best = _players_with(conditions).order_by(schema.ratings.c.shown.desc(), name).offset(skip)
    return frame_of(connection, best if n is None else best.limit(n), _BOARD)


def _finished(connection: Connection, revision: Revision, board: pl.DataFrame) -> pl.DataFrame:
    """A leaderboard with dates, and with what the system says of its players besides."""
    found = [each for each in board if each.name != "player_id"]
    found[-1] = found[-1].cast(pl.Datetime("us"))
    found.append(board["player_id"].alias("id"))
    expected = _expected_now(connection, revision, board["player_id"].to_numpy())
    place = 1 + [each.name for each in found].index("sigma")
    found[place:place] = [pl.Series(name, each) for name, each in expected.items()]
    return pl.DataFrame(found)


def _expected_now(
    connection: Connection, revision: Revision, players: NDArray[np.int64]
) -> dict[str, NDArray[np.float64]]:
    """What is expected of players who have played, by number, at the league's last contest.

    Nobody else is looked at: among the usual players, it does not depend on others. Nothing unless
    the system forecasts.
    """
    if not revision.system.forecasts:
        return {}
    known = adjusting.known_now(connection, revision, players)
    if len(known.player) < len(players):
        raise StorageError("the league is damaged: what is believed of a player is missing.")
    beliefs = known.beliefs(revision.system)
    return revision.system.besides(beliefs, slice(0, len(players)), seen(connection)[1])


@dataclass(frozen=True)
class _Passing:
    """Who is on a leaderboard."""

    conditions: list[Any]
    indexed: bool
    """Whether the index of shown ratings knows all that is asked."""

    def also(self, condition: Any) -> "_Passing":
        """Those of them who meet one more."""
        return _Passing([*self.conditions, condition], self.indexed)


def _on_board(connection: Connection, revision: int, rules: Rules, filters: Filters) -> _Passing:
    r = schema.ratings
    conditions: list[Any] = [r.c.revision_id == revision]
    looks_further = False
    hidden = hiding.off_board(connection, with_hidden=filters.with_hidden)
    conditions += hiding.is_other(connection, r.c.player_id, hidden)
    for numbers, among in people.meeting(connection, filters.conditions):
        listed = r.c.player_id.in_(numbers)
        conditions.append(listed if among else not_(listed))
        looks_further = True
    if filters.title is not None and rules.keep_titles:
        conditions.append(_kept_by(revision, rules, filters.title))
        looks_further = True
    elif filters.title is not None:
        conditions += [_is_within(r.c.shown, title_ranges(rules, filters.title)), settled(rules, r)]
        looks_further = looks_further or rules.gives_provisional
    if rules.hide_provisional and not filters.with_hidden:
        conditions.append(settled(rules, r))
        looks_further = looks_further or rules.gives_provisional
    fewest = filters.fewest(rules.hidden_until)
    if fewest:
        conditions.append(r.c.contests >= fewest)
    if filters.since is not None:
        conditions.append(r.c.last_time >= filters.since)
    return _Passing(conditions, not (fewest or looks_further) and filters.since is None)


def _is_within(rating: Any, ranges: Sequence[tuple[float, float]]) -> Any:
    return or_(*((rating >= low) & (rating < high) for low, high in ranges))


def settled(rules: Rules, table: Any) -> Any:
    """The condition that a row of ratings or of events is not provisional."""
    c = table.c
    contests = c.number if table is schema.events else c.contests
    return and_(
        true(),
        *([contests >= rules.provisional_until] if rules.provisional_until else []),
        *(
            [or_(c.sigma.is_(None), c.sigma < rules.provisional_sigma)]
            if rules.provisional_sigma
            else []
        ),
    )


def kept_ratings(revision: int, rules: Rules, *conditions: Any) -> Any:
    """Of players, the best rating that has earned a title; of contests that meet conditions."""
    s, e = schema.standings, schema.events
    same = (e.c.contest_id == s.c.contest_id) & (e.c.position == s.c.position)
    return (
        select(s.c.player_id, func.max(_shown_in(e, rules)))
        .select_from(s)
        .join(e, (e.c.revision_id == revision) & same)
        .where(settled(rules, e), *conditions)
        .group_by(s.c.player_id)
    )


def _shown_in(events: Any, rules: Rules) -> Any:
    """What `Rules.shown` says of events, to the bit."""
    if rules.display == "system":
        return events.c.rating
    if rules.display == "mean":
        return events.c.mu
    return events.c.mu - rules.caution * func.coalesce(events.c.sigma, 0.0)


def _kept_by(revision: int, rules: Rules, title: str) -> Any:
    """The condition that a player has kept a title."""
    kept = kept_ratings(revision, rules)
    player, rating = kept.selected_columns
    held = _is_within(rating, title_ranges(rules, title))
    return schema.ratings.c.player_id.in_(kept.with_only_columns(player).having(held))


def title_ranges(rules: Rules, title: str) -> list[tuple[float, float]]:
    """From which ratings on a title is held, and below which; it may stand in the rules twice."""
    lows = [lowest for lowest, _ in rules.titles]
    found = [
        (low, high)
        for (low, name), high in zip(rules.titles, [*lows[1:], inf], strict=False)
        if name == title
    ]
    if not found:
        titles = list(dict.fromkeys(name for _, name in rules.titles))
        raise NotFoundError(
            f"there is no title {title!r}{suggestion(title, titles)} in the league; "
            + (f"its titles are {listed(titles)}." if titles else "its rules have no titles.")
        )
    return found


def _better(
    connection: Connection, passing: _Passing, ratings: NDArray[np.float64]
) -> NDArray[np.int64]:
    """How many of those who pass have more than each of these ratings, which fall.

    Where the index knows all that is asked, it counts from one of a few ratings to the next.
    Otherwise everybody is looked at, in the order in which they are kept: to look up whom the
    index finds would take ten times as long.
    """
    shown = schema.ratings.c.shown
    if not len(ratings) or (passing.indexed and len(ratings) <= _FEW):
        counts, below = [], passing
        for rating in ratings.tolist():
            counts.append(_count(connection, below.also(shown > rating)))
            below = passing.also(shown <= rating)
        return np.cumsum(counts, dtype=np.int64)
    if len(ratings) == 1:
        ahead = passing.also(shown + 0.0 > float(ratings[0]))
        return np.array([_count(connection, ahead)])
    everybody = select(shown).where(*passing.conditions, shown + 0.0 > float(ratings[-1]))
    falling = np.sort(-table_of(connection, everybody, 1)[:, 0])
    return np.searchsorted(falling, -ratings).astype(np.int64)


def _count(connection: Connection, passing: _Passing) -> int:
    count = select(func.count()).select_from(schema.ratings).where(*passing.conditions)
    return int(connection.execute(count).scalar_one())


def strengths(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    among: Filters,
    who: NDArray[np.int64],
    past: pl.DataFrame | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mu and sigma of everybody who passes the conditions, in columns, and of these players.

    NaN for those of them who do not. With what `everybody_at` gave, as of then.
    """
    own = np.full((2, len(who)), np.nan)
    if past is None:
        r, passing = schema.ratings, _on_board(connection, revision.id, rules, among).conditions
        believed = select(r.c.mu, r.c.sigma).where(*passing)
        mine = select(r.c.player_id, r.c.mu, r.c.sigma)
        mine = mine.where(*passing, within(connection, r.c.player_id, who.tolist()))
        there = {int(number): belief for number, *belief in table_of(connection, mine, 3).tolist()}
        everybody = table_of(connection, believed, 2).T
        keys = who.tolist()
    else:
        board = _passing(connection, past, rules, among)
        everybody = np.stack([board[each].to_numpy() for each in ("mu", "sigma")])
        there = dict(zip(board["id"], everybody.T.tolist(), strict=True))
        keys = who.tolist()
    for place, key in enumerate(keys):
        if key in there:
            own[:, place] = there[key]
    return np.ascontiguousarray(everybody), own


def how_many(connection: Connection, revision: Revision, rules: Rules, filters: Filters) -> int:
    """How many players are on the leaderboard as of now, of those who are looked for."""
    if filters.sought is not None:
        return search(connection, revision, rules, replaced(filters, n=0, skip=0))[1]
    return _count(connection, _on_board(connection, revision.id, rules, filters))


def how_many_in_all(
    connection: Connection, revision: Revision, rules: Rules, filters: Filters
) -> int:
    """The same with those whom the rules hide, but without hidden players."""
    passing = _on_board(
        connection, revision.id, replaced(rules, hidden_until=0, hide_provisional=False), filters
    )
    return _count(connection, passing)


def board(
    connection: Connection, past: pl.DataFrame, rules: Rules, filters: Filters
) -> pl.DataFrame:
    """The leaderboard as of a moment, of all who pass the conditions, from `everybody_at`."""
    return with_places(_passing(connection, past, rules, filters))


def sought(connection: Connection, board: pl.DataFrame, filters: Filters) -> pl.DataFrame:
    """Those of a leaderboard who are looked for."""
    if filters.sought is None:
        return board
    p = schema.players
    numbers = fetch(connection, select(p.c.id).where(is_named(connection, filters.sought)))[0]
    return taken(board, np.flatnonzero(np.isin(board["id"].to_numpy(), numbers)))


def everybody_at(
    connection: Connection, revision: Revision, rules: Rules, moment: int
) -> pl.DataFrame:
    """What was believed of everybody at a moment, the best first; also of those who are hidden."""
    with hiding.everybody(connection):
        beliefs = beliefs_at(connection, revision, moment)
    p = schema.players
    number = mapping(connection, select(p.c.name, p.c.id))
    system, everybody = beliefs.system, slice(0, len(beliefs))
    mu, sigma = map(np.ascontiguousarray, system.aged(beliefs, everybody, moment))
    contests, last_time = beliefs.column("contests"), beliefs.column("last_time")
    rating = rules.shown(system, mu, sigma, contests)
    frame = pl.DataFrame(
        {
            "player": pl.Series(beliefs.names, dtype=pl.String),
            "rating": rating,
            "mu": mu,
            "sigma": sigma,
            **system.besides(beliefs, everybody, moment),
            "contests": contests,
            "last_time": as_column(last_time).set(pl.Series(contests == 0), None),
            "id": pl.Series([number[each] for each in beliefs.names], dtype=pl.Int64),
        },
        nan_to_null=True,
    )
    return taken(frame, in_order(beliefs.names, -rating))


def _passing(
    connection: Connection, past: pl.DataFrame, rules: Rules, filters: Filters
) -> pl.DataFrame:
    """Who of everybody passes the conditions."""
    return taken(past, np.flatnonzero(_pass(connection, rules, filters, past)))


def _pass(
    connection: Connection, rules: Rules, filters: Filters, everybody: pl.DataFrame
) -> NDArray[np.bool_]:
    """Whether these pass the conditions; titles that are kept are looked up elsewhere."""
    contests = everybody["contests"].to_numpy()
    number = everybody["id" if "id" in everybody.columns else "player_id"].to_numpy()
    passing: NDArray[np.bool_] = contests >= filters.fewest(rules.hidden_until)
    hidden = hiding.off_board(connection, with_hidden=filters.with_hidden)
    passing &= ~np.isin(number, sorted(hidden))
    for numbers, among in people.meeting(connection, filters.conditions):
        passing &= np.isin(number, fetch(connection, numbers)[0]) == among
    if rules.hide_provisional and not filters.with_hidden:
        passing &= ~is_provisional(everybody, rules)
    if filters.title is not None:
        title_ranges(rules, filters.title)
        if not rules.keep_titles:
            earned = titles_of(everybody["rating"].to_numpy(), rules)
            earned[is_provisional(everybody, rules)] = None
            passing &= earned == filters.title
        elif "title" in everybody.columns:
            passing &= np.array([each == filters.title for each in everybody["title"]], np.bool_)
    if filters.since is not None:
        passing &= everybody["last_time"].to_physical().to_numpy() >= filters.since
    return passing


def titles_of(rating: NDArray[np.float64], rules: Rules) -> NDArray[np.object_]:
    """The titles that ratings earn; None for none."""
    earned = np.searchsorted([lowest for lowest, _ in rules.titles], rating, side="right")
    names = np.array([None, *(title for _, title in rules.titles)], object)
    titles: NDArray[np.object_] = names[np.where(np.isnan(rating), 0, earned)]
    return titles


def is_provisional(frame: pl.DataFrame, rules: Rules) -> NDArray[np.bool_]:
    """Which ratings of a leaderboard are provisional."""
    return rules.provisional(frame["contests"].to_numpy(), frame["sigma"].to_numpy())


def with_details(
    connection: Connection, board: pl.DataFrame, attributes: Mapping[str, Attribute]
) -> pl.DataFrame:
    """A leaderboard with what players are shown as, and these attributes."""
    known = people.columns(connection, board["id"].to_numpy(), attributes)
    return pl.DataFrame([*board, *(each.alias(name) for name, each in known.items())])


def people_table(
    connection: Connection, filters: Filters, left_out: frozenset[int]
) -> pl.DataFrame:
    """All players, or those who are looked for, by name, with all that is known of them."""
    p = schema.players
    conditions = hiding.is_other(connection, p.c.id, left_out)
    for numbers, among in people.meeting(connection, filters.conditions):
        listed = p.c.id.in_(numbers)
        conditions.append(listed if among else not_(listed))
    if filters.sought is not None:
        conditions.append(is_named(connection, filters.sought))
    columns = {"id": pl.Int64, "player": pl.String, "hidden": pl.Boolean}
    statement = select(p.c.id, p.c.name, p.c.hidden).where(*conditions)
    found = frame_of(connection, statement, columns)
    found = taken(found, in_order(found["player"].to_list(), np.zeros(found.height)))
    table = with_details(connection, found, people.defined(connection))
    first = ("id", "player", "display", "hidden")
    rest = (each for each in table.columns if each not in first)
    return pl.DataFrame([table[each] for each in (*first, *rest)])


def participations(revision: Revision, *columns: Any) -> Any:
    """Columns of standings with their contests, and with what those did; NULL if nothing."""
    s, c, e = schema.standings, schema.contests, schema.events
    return (
        select(*columns)
        .select_from(s)
        .join(c, c.c.id == s.c.contest_id)
        .join(
            e,
            (e.c.revision_id == revision.id)
            & (e.c.contest_id == s.c.contest_id)
            & (e.c.position == s.c.position),
            isouter=True,  # lest SQLite begins with all events
        )
    )


def history(connection: Connection, revision: Revision, rules: Rules, player: int) -> pl.DataFrame:
    """The rated contests of a player."""
    s, c, e = schema.standings, schema.contests, schema.events
    columns = {
        "contest": pl.String,
        "time": pl.Int64,
        "name": pl.String,
        "rank": pl.Int32,
        "participants": pl.Int32,
        "number": pl.Int32,
        **dict.fromkeys(("performance", "mu_before", "sigma_before", "mu", "sigma"), pl.Float64),
    }
    frame = frame_of(
        connection,
        participations(
            revision,
            *(c.c.contest, c.c.time, c.c.name, s.c.rank, c.c.players, e.c.number, e.c.performance),
            *(e.c[each] for each in ("mu_before", "sigma_before", "mu", "sigma")),
        ).where(schema.in_batches(), s.c.player_id == player),
        columns,
    )
    number = frame["number"].to_numpy()
    rated = np.flatnonzero(~np.isnan(number))
    frame = taken(frame, rated[np.argsort(number[rated])])
    changed = _with_change(frame, revision, rules)
    # column by column: to drop one, polars would wait for threads that no fork copies
    changed = pl.DataFrame([each for each in changed if each.name != "provisional_before"])
    return changed.with_columns(pl.col("time").cast(pl.Datetime("us")))


def _with_change(frame: pl.DataFrame, revision: Revision, rules: Rules) -> pl.DataFrame:
    """What happened, with the rating that was shown before and after, for its `number`."""
    given = {each.name: each for each in frame}
    number = given.pop("number").to_numpy()
    number = np.where(np.isnan(number), 1, number).astype(np.int32)

    def shown(mu: str, sigma: str, contests: NDArray[Any]) -> NDArray[np.float64]:
        return rules.shown(revision.system, given[mu].to_numpy(), given[sigma].to_numpy(), contests)

    before = shown("mu_before", "sigma_before", number - 1)
    after = shown("mu", "sigma", number)
    moved = {"rating_before": before, "rating": after, "change": after - before}
    unrated = pl.Series(np.isnan(after))
    is_provisional = {
        name: pl.Series(rules.provisional(contests, given[sigma].to_numpy())).set(unrated, None)
        for name, sigma, contests in (
            ("provisional_before", "sigma_before", number - 1),
            ("provisional", "sigma", number),
        )
    }
    return pl.DataFrame({**given, **moved, **is_provisional}, nan_to_null=True)


def player(connection: Connection, revision: Revision, rules: Rules, number: int) -> Player:
    """What is believed of a player now."""
    r, name = schema.ratings, players.name_of(connection, number)
    theirs = (r.c.revision_id == revision.id, r.c.player_id == number)
    columns = (r.c.shown, r.c.mu, r.c.sigma, r.c.contests, r.c.last_time)
    row = connection.execute(select(*columns).where(*theirs)).first()
    if row is None:
        return _newcomer(connection, revision, rules, number, None)
    rating, mu, sigma, contests, last_time = row
    place = None
    sigma, time = nan if sigma is None else sigma, last_time and from_microseconds(last_time)
    if rules.on_board(contests, sigma) and not _is_hidden(connection, number):
        passing = _on_board(connection, revision.id, rules, Filters())
        place = 1 + int(_better(connection, passing, np.array([rating]))[0])
    expected = _first(_expected_now(connection, revision, np.array([number])))
    expected |= _described(connection, number)
    title = rules.title(rating)
    return Player(name, rating, mu, sigma, contests, time, place, title, **expected)


def _is_hidden(connection: Connection, number: int) -> bool:
    return number in hiding.off_board(connection, with_hidden=False)


def _described(connection: Connection, number: int) -> dict[str, Any]:
    """What everybody may know of a player besides ratings."""
    known, public = people.of(connection, [number])[number], people.public(connection)
    return {
        "id": number,
        "display": known.get("display"),
        "attributes": people.values_of(public, known),
    }


def _first(columns: Mapping[str, NDArray[np.float64]]) -> dict[str, Any]:
    return {name: float(each[0]) for name, each in columns.items()}


def player_at(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    number: int,
    past: pl.DataFrame,
    moment: int,
) -> Player:
    """What was believed of a player at a moment, from `everybody_at`."""
    rows = np.flatnonzero((past["id"] == number).to_numpy()).tolist()
    if not rows:
        return _newcomer(connection, revision, rules, number, moment)
    own = [past[each][rows[0]] for each in past.columns if each != "title"]
    name, rating, mu, sigma, *expected, contests, time, _ = own
    place = None
    sigma = nan if sigma is None else sigma
    if rules.on_board(contests, sigma) and not _is_hidden(connection, number):
        among = _passing(connection, past, rules, Filters(None))
        place = 1 + int((among["rating"] > rating).sum())
    title, known = rules.title(rating), _described(connection, number)
    return Player(name, rating, mu, sigma, contests, time, place, title, *expected, **known)


def _newcomer(
    connection: Connection, revision: Revision, rules: Rules, number: int, moment: int | None
) -> Player:
    """Who has not played; what is expected of newcomers, others may have taught."""
    name = players.name_of(connection, number)
    system, beliefs = revision.system, Beliefs(revision.system)
    beliefs.enrol([name])
    rating = float(rules.shown_of(system, beliefs.table[:1])[0])
    mu, sigma = (float(beliefs.table[0][each]) for each in ("mu", "sigma"))
    expected = {}
    if system.forecasts:
        taught, ids = beliefs_about(connection, revision, [name], moment)
        expected = _first(system.besides(taught, np.array(ids), moment))
    known: dict[str, Any] = {**expected, **_described(connection, number)}
    return Player(name, rating, mu, sigma, 0, None, title=rules.title(rating), **known)


@dataclass(frozen=True)
class Result:
    """How a contest ended, and what it did."""

    contest: str
    """Its identifier."""
    time: datetime.datetime
    name: str | None
    players: int
    weight: float
    rated: bool
    rating_floor: float | None
    rating_ceiling: float | None
    system: System
    standings: pl.DataFrame
    """As `League.contest` gives them."""

    def document(self, top: int | None = None) -> dict[str, Any]:
        """As JSON says it, with the first `top` of the standings; see docs/documents.md."""
        about = {each.name: getattr(self, each.name) for each in fields(self)}
        shown = about["standings"] if top is None else about["standings"].head(top)
        about |= {"system": self.system.name, "standings": documents(shown)}
        return as_document(about)


def documents(table: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table that a league gave, as JSON says them; see docs/documents.md.

    Example:
        >>> documents(pl.DataFrame({"action": ["remove"], "details": ['{"players": 3}']}))
        [{'action': 'remove', 'details': {'players': 3}}]
    """
    return [
        as_document({name: _from_json(name, value) for name, value in row.items()})
        for row in table.to_dicts()
    ]


def _from_json(column: str, value: Any) -> Any:
    return as_object(value) if column in _JSON and isinstance(value, str) else value


def result(
    connection: Connection, revision: Revision, rules: Rules, found: StoredContests
) -> pl.DataFrame:
    """The standings of one contest with what it did."""
    e, c = schema.events, found.columns
    names = players.names_of(connection, c.player.astype(np.int64), alike=True)
    columns = {"position": pl.Int64, **happened_columns(revision.system)}
    events = frame_of(
        connection,
        select(*(e.c[name] for name in columns)).where(
            e.c.revision_id == revision.id, e.c.contest_id == int(found.number[0])
        ),
        columns,
    )
    place = np.full(len(c.player), -1)
    place[events["position"].to_numpy() - 1] = np.arange(events.height)
    missing = pl.Series(place).set(pl.Series(place < 0), None)
    happened = {each: events[each].gather(missing) for each in events.columns[1:]}
    frame = pl.DataFrame(
        {
            "rank": c.rank,
            "player": [names[each] for each in c.player.tolist()],
            "team": pl.Series(found.team_names.tolist(), dtype=pl.String),
            "eligible": found.eligible,
            **{
                column: pl.Series(found.all_given[:, place].tolist(), dtype=pl.String)
                for place, column in enumerate(GIVEN.values())
            },
            "expected_rank": _expected_ranks(revision.system, found, happened),
            **happened,
        }
    )
    kept = (
        "rank",
        "player",
        "team",
        *GIVEN.values(),
        "eligible",
        "expected_rank",
        "performance",
        "rating_before",
        "rating",
        "change",
        "provisional_before",
        "provisional",
    )
    changed = _with_change(frame, revision, rules)
    return pl.DataFrame([changed[each] for each in kept])


def expectation(system: System) -> tuple[str, str]:
    """Which columns of events say what was expected before a contest, and how surely.

    Without forecasts that is what was believed: what absence has added to the uncertainty since a
    player's last contest is not in it, because the events do not say when that was.
    """
    return FORECAST if system.forecasts else ("mu_before", "sigma_before")


def happened_columns(system: System) -> dict[str, Any]:
    """What of events says what a contest did, and what was expected."""
    numbers = ("performance", "mu_before", "sigma_before", "mu", "sigma", *expectation(system))
    return {"number": pl.Int32, **dict.fromkeys(numbers, pl.Float64)}


def _expected_ranks(
    system: System, found: StoredContests, events: Mapping[str, pl.Series]
) -> pl.Series:
    """The rank to expect of those who are rated in a contest, among them; null of the others."""
    from podium.ratings.predictions import expected_ranks

    expected, rated = np.full(len(found.eligible), np.nan), found.rateable()
    mu, sigma = (events[each].to_numpy()[rated.row] for each in expectation(system))
    if len(mu) and np.isfinite(mu).all():
        expected[rated.row] = expected_ranks(system, rated.columns, mu, sigma)
    return pl.Series(expected, nan_to_null=True)


def how_many_contests(connection: Connection, moment: int | None) -> int:
    """How many contests there are, or were at a moment, rated or not."""
    c = schema.contests
    count = select(func.count()).select_from(c)
    if moment is not None:
        count = count.where(c.c.time <= moment)
    return int(connection.execute(count).scalar_one())


def first_and_last(
    connection: Connection, moment: int | None
) -> tuple[datetime.datetime, datetime.datetime | None, datetime.datetime | None]:
    """When the league was made, and when its first and its last contest were, rated or not."""
    c = schema.contests
    until = [] if moment is None else [c.c.time <= moment]
    created = fetch(connection, select(schema.league.c.created))[0][0]
    first, last = (
        fetch(connection, select(c.c.time).where(*until).order_by(order).limit(1))[0]
        for order in (c.c.time, c.c.time.desc())
    )
    _refuse_odd_times([*first, *last])
    began, ended = (from_microseconds(each[0]) if each else None for each in (first, last))
    return from_microseconds(created), began, ended


def contests(connection: Connection, only: str | None = None) -> pl.DataFrame:
    """All contests in order, or one of them."""
    meant = () if only is None else (only, normalised(only))
    return _contests(connection, *([schema.contests.c.contest.in_(meant)] if meant else []))


def _contests(connection: Connection, *conditions: Any) -> pl.DataFrame:
    """Those that meet conditions, in order."""
    c = schema.contests
    columns = {
        "contest": pl.String,
        "time": pl.Int64,
        "name": pl.String,
        "players": pl.Int64,
        "weight": pl.Float64,
        "rated": pl.Boolean,
        "rating_floor": pl.Float64,
        "rating_ceiling": pl.Float64,
    }
    statement = select(*(c.c[name] for name in columns)).where(*conditions)
    frame = frame_of(connection, statement, columns)
    order = in_turn(frame["time"].to_numpy(), frame["contest"].to_list())
    return taken(frame, order).with_columns(pl.col("time").cast(pl.Datetime("us")))


def latest_contests(
    connection: Connection, n: int | None, skip: int, moment: int | None, text: str
) -> tuple[pl.DataFrame, int]:
    """Some of the contests, the latest first, and how many there are.

    Only those of the times that are shown are looked at: those of one time have their order by
    identifiers, which no database knows.
    """
    c = schema.contests
    conditions = [] if moment is None else [c.c.time <= moment]
    if text:
        columns = (c.c.contest, c.c.name)
        conditions.append(or_(*(contains(connection, column, text) for column in columns)))
    count = select(func.count()).select_from(c)
    total = int(connection.execute(count.where(*conditions)).scalar_one())
    end = total if n is None else min(total, skip + n)
    if skip >= end:
        return _contests(connection, false()), total
    times = select(c.c.time).where(*conditions).order_by(c.c.time.desc())
    last, first = (
        fetch(connection, times.offset(place).limit(1))[0][0] for place in (skip, end - 1)
    )
    later = count.where(*conditions, c.c.time > last)
    start = skip - int(connection.execute(later).scalar_one())
    found = _contests(connection, *conditions, c.c.time.between(first, last))
    latest = np.arange(found.height)[::-1]
    return taken(found, latest[start : start + end - skip]), total


def log(
    connection: Connection, contest: str | None, player: str | None, n: int | None = None
) -> pl.DataFrame:
    """The latest n of the log, or all that concerns a contest or a player, the latest first."""
    t = schema.log
    columns: dict[str, Any] = {
        "id": pl.Int64,
        "time": pl.Int64,
        **dict.fromkeys(("who", "action", "contest", "player", "why", "details"), pl.String),
        "before": pl.Binary,
        "after": pl.Binary,
    }
    statement = select(*(t.c[name] for name in columns)).order_by(t.c.id.desc())
    if contest is not None:
        spellings = {str(contest), normalised(str(contest))}
        several = t.c.contest.is_(None) & t.c.action.in_(("record", *TOGGLES))
        statement = statement.where(t.c.contest.in_(spellings) | several)
    if player is not None:
        several = t.c.player.is_(None) & t.c.action.in_((*OF_PEOPLE, *TOGGLES))
        statement = statement.where(t.c.player.is_not(None) | several)
    if contest is None and player is None and n is not None:
        statement = statement.limit(n)
    frame = frame_of(connection, statement, columns)
    if contest is not None:
        told = [
            name is not None or not spellings.isdisjoint(each.get("identifiers", ()))
            for name, each in zip(frame["contest"], _details(frame), strict=True)
        ]
        frame = taken(frame, np.flatnonzero(told))
    if player is not None:
        names = players.all_names_of(connection, player)
        meant = [
            not names.isdisjoint((name, each.get("player"), each.get("from")))
            if name is not None
            else not names.isdisjoint(as_object(logs.unpacked(before) or "{}").get("people", ()))
            for name, each, before in zip(
                frame["player"], _details(frame), frame["before"], strict=True
            )
        ]
        frame = taken(frame, np.flatnonzero(meant))
    found = {each.name: each for each in frame.rename({"id": "number"})}
    found["time"] = found["time"].cast(pl.Datetime("us"))
    for name in ("before", "after"):
        found[name] = pl.Series([logs.unpacked(each) for each in found[name]], dtype=pl.String)
    return pl.DataFrame(found)


def state_before(connection: Connection, number: int) -> logs.State | None:
    """What a change of the log replaced; None if it kept nothing."""
    t = schema.log
    found = connection.execute(select(t.c.before).where(t.c.id == number)).first()
    if found is None:
        last = connection.execute(select(func.max(t.c.id))).scalar_one()
        raise NotFoundError(f"there is no change {number} in the log; the last is {last}.")
    text = logs.unpacked(found[0])
    return None if text is None else as_object(text)


def _details(log: pl.DataFrame) -> list[dict[str, Any]]:
    return [as_object(each) for each in log["details"]]


def aliases(connection: Connection) -> pl.DataFrame:
    """Other names of players."""
    a, p = schema.aliases, schema.players
    statement = select(a.c.name, p.c.name).join(p, p.c.id == a.c.player_id)
    statement = statement.where(*hiding.is_other(connection, p.c.id, hiding.unseen(connection)))
    frame = frame_of(connection, statement, {"alias": pl.String, "player": pl.String})
    return taken(frame, in_order(frame["alias"].to_list(), np.zeros(frame.height)))


def seasons(connection: Connection) -> pl.DataFrame:
    """All seasons, the earliest first, and when they end."""
    found = adjusting.seasons(connection)
    begins = [each.start for each in found]
    times: dict[str, list[Any]] = {"start": begins, "end": [*begins[1:], None][: len(begins)]}
    numbers = {
        name: pl.Series([getattr(each, name) for each in found], dtype=pl.Float64)
        for name in ("pull", "toward", "sigma")
    }
    names = pl.Series([each.name for each in found], dtype=pl.String)
    kept = {name: pl.Series(each, dtype=pl.Datetime("us")) for name, each in times.items()}
    return pl.DataFrame({"name": names, **kept, **numbers})


def starts(connection: Connection) -> pl.DataFrame:
    """All starting ratings, by player and time."""
    found, names = adjusting.load(connection), players.all_names(connection)
    called = [names[each] for each in found.player.tolist()]
    always = pl.Series(found.time == ALWAYS)
    table = pl.DataFrame(
        {
            "player": pl.Series(called, dtype=pl.String),
            "time": pl.Series(found.time).set(always, None).cast(pl.Datetime("us")),
            "rating": found.mu,
            "sigma": pl.Series(found.sigma, nan_to_null=True),
        }
    )
    return taken(table, in_order(called, np.zeros(len(called))))


def named_beliefs(
    connection: Connection,
    revision: Revision,
    known: Known,
    names: Mapping[int, str] | None = None,
    *until: Any,
) -> Beliefs:
    """Beliefs about players by name, as of the last rated contest that meets conditions."""
    names = names or players.names_of(connection, known.player)
    beliefs = known.beliefs(revision.system, [names[each] for each in known.player.tolist()])
    _date(connection, revision, beliefs, *until)
    return beliefs


def _date(connection: Connection, revision: Revision, beliefs: Beliefs, *until: Any) -> None:
    """Let beliefs know which contests they come from, and what rated these."""
    beliefs.rounds, beliefs.time = seen(connection, *until)
    beliefs.arithmetic, beliefs.machine = revision.arithmetic, revision.machine


def seen(connection: Connection, *until: Any) -> tuple[int, int | None]:
    """How many contests that meet the conditions are rated, and when the last of them was."""
    c = schema.contests
    found = select(func.count(), func.max(c.c.time)).where(c.c.rated, *until)
    (count,), times = fetch(connection, found)
    _refuse_odd_times(times)
    return count, times[0]


def beliefs_now(connection: Connection, revision: Revision) -> Beliefs:
    """What is believed of everybody now, to go on from."""
    known = adjusting.known_now(connection, revision)
    return _with_latest(connection, named_beliefs(connection, revision, known))


def _with_latest(connection: Connection, beliefs: Beliefs) -> Beliefs:
    """Beliefs that know which contests were the last, so as not to take them again."""
    c = schema.contests
    latest = select(c.c.contest).where(c.c.rated, c.c.time == beliefs.time)
    beliefs.latest = sorted(fetch(connection, latest)[0], key=natural)
    return beliefs


def beliefs_of(connection: Connection, revision: Revision, names: Sequence[str]) -> Beliefs:
    """What is believed now of those of these players whom the league knows."""
    p = schema.players
    seen = hiding.is_other(connection, p.c.id, hiding.unseen(connection))
    named = select(p.c.id, p.c.name).where(within(connection, p.c.name, names), *seen)
    found = mapping(connection, named)
    players = np.array(sorted(found), np.int64)
    known = adjusting.known_now(connection, revision, players)
    return named_beliefs(connection, revision, known, found)


def beliefs_about(
    connection: Connection, revision: Revision, names: list[str], moment: int | None
) -> tuple[Beliefs, list[int]]:
    """What is believed of players now or was at a moment, and their ids; some may be newcomers."""
    number = players.known(connection, names)
    there = np.unique(list(number.values())).astype(np.int64)
    called = players.names_of(connection, there)
    if moment is None:
        known = adjusting.known_now(connection, revision, there)
        beliefs = named_beliefs(connection, revision, known, called)
    else:
        beliefs = _beliefs_before(connection, revision, called, moment)
    return with_newcomers(beliefs, [called.get(number.get(name, 0), name) for name in names])


def _beliefs_before(
    connection: Connection, revision: Revision, called: Mapping[int, str], moment: int
) -> Beliefs:
    """What was believed of a few players, by number and name, at a moment."""
    order, until = order_of(moment + 1, ""), schema.contests.c.time <= moment
    beliefs = retraced(connection, revision, called, order)
    if beliefs is None:
        those = np.array(sorted(called), np.int64)
        known = known_before(connection, revision, order, those, moment)
        return named_beliefs(connection, revision, known, called, until)
    _date(connection, revision, beliefs, until)
    return beliefs


def has_contest(connection: Connection, contest: str) -> bool:
    """Whether there is a contest of this identifier."""
    c = schema.contests
    return connection.execute(select(c.c.id).where(c.c.contest == contest)).scalar() is not None


def for_standings(
    connection: Connection, standings: Contests, *others: str
) -> tuple[Beliefs, Contests]:
    """What is believed of the players of standings and of others; the standings by their names.

    Players are in the order of those of the standings.
    """
    refuse_what_is_not_contests(standings)
    entrants = players.entrants(connection, standings.with_own_players())
    names = entrants.contests.players.to_list()
    called = dict(zip(entrants.number.tolist(), names, strict=True))
    for name in others:
        number = players.find(connection, name)
        if number is not None:
            called[number] = name
    there = np.fromiter((each for each in called if each not in entrants.newcomers), np.int64)
    revision = revisions.in_force(connection)
    known = adjusting.known_now(connection, revision, there)
    return named_beliefs(connection, revision, known, called), entrants.contests


def calibration(connection: Connection, revision: Revision, moment: int | None) -> Calibration:
    """What all rated contests, or those until a moment, teach of the temperature.

    They are folded once more, in their order, as if they came now.
    """
    until = () if moment is None else (schema.contests.c.time <= moment,)
    columns = standings.load(connection, *until).rateable().columns
    everybody = distinct(columns.player)
    known = checkpoints.newcomers(revision.system, everybody)
    names = players.names_of(connection, everybody)
    beliefs = known.beliefs(revision.system)
    beliefs.calibration = Calibration()
    columns = columns._replace(player=known.places(columns.player))
    key = before.places_of([names[each] for each in everybody.tolist()])[columns.player]
    adjustments = adjusting.load(connection, everybody)
    for first, last, there in pieces(columns, adjustments):
        if there is not None:
            adjustments.bring(beliefs, there, everybody[there], int(columns.time[first]))
        rows = slice(columns.offsets[first], columns.offsets[last])
        piece = columns.between(first, last)
        before.fold(beliefs, piece, key[rows], threads=thread_count(None))
    return beliefs.calibration


def known_before(
    connection: Connection,
    revision: Revision,
    order: Order,
    players: NDArray[np.int64],
    until: int,
) -> Known:
    """What was believed of players before a turn, after adjustments until a time."""
    adjustments = adjusting.load(connection)
    known = _known_before(connection, revision, order, players, adjustments)
    return adjusting.brought(known, revision.system, adjustments, until)


def _known_before(
    connection: Connection,
    revision: Revision,
    order: Order,
    players: NDArray[np.int64],
    adjustments: Adjustments,
) -> Known:
    """What was believed of players since their last contests before a turn."""
    if is_past(connection, order):
        return known_at(connection, revision.id, revision.system, [], players)
    history = checkpoints.load(connection, revision.id)
    first = checkpoint_at(history, order)
    found = contests_from(connection, history[first] if first else None, order)
    everybody = np.union1d(players, found.rateable().columns.player).astype(np.int64)
    if first == 0:
        before = checkpoints.newcomers(revision.system, everybody)
    else:
        before = known_at(connection, revision.id, revision.system, history[first:], everybody)
    return fold(revision.system, found, before, history[:first], adjustments).after.of(players)


def just_before(
    connection: Connection, revision: Revision, found: StoredContests, player: int | None = None
) -> tuple[Beliefs, Contests]:
    """What was believed of its players before a contest, and what is rated of it.

    With a player, by number, who is rated in it: of the others, at least what counts for what it
    did to the player. That can be told without folding anything.
    """
    order = found.order(0)
    rated = found if found.eligible.all() else found.without_rows(~found.eligible)
    earlier = schema.contests.c.time < order[0]
    beliefs = None if player is None else recalled(connection, revision, found, player)
    if beliefs is not None:
        _date(connection, revision, beliefs, earlier)
        players = rated.columns.player
    else:
        players = np.unique(rated.columns.player).astype(np.int64)
        known = known_before(connection, revision, order, players, order[0])
        beliefs = named_beliefs(connection, revision, known, None, earlier)
    names = dict(zip(players.tolist(), beliefs.names, strict=True))
    return beliefs, rated.as_contests(names)


def beliefs_at(connection: Connection, revision: Revision, moment: int) -> Beliefs:
    """What was believed of everybody at a moment, contests of that moment included."""
    r = schema.ratings
    everybody = fetch(connection, select(r.c.player_id).where(r.c.revision_id == revision.id))[0]
    players = np.array(sorted(everybody), np.int64)
    known = known_before(connection, revision, order_of(moment + 1, ""), players, moment)
    known = known.take(adjusting.with_ratings(known, adjusting.load(connection), moment))
    until = schema.contests.c.time <= moment
    return _with_latest(connection, named_beliefs(connection, revision, known, None, until))
