"""What can be asked of a league, from its tables."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import nan
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from podium.documents import as_document
from podium.errors import NotFoundError, StorageError
from podium.league import checkpoints, logs, players, revisions, schema
from podium.league.checkpoints import Known
from podium.league.database import as_object, fetch, mapping, replace, within
from podium.league.folding import checkpoint_at, contests_from, fold, known_at
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import Order, StoredContests, in_turn, is_past, order_of
from podium.ratings.asking import with_newcomers
from podium.ratings.beliefs import Beliefs
from podium.ratings.fold import refuse_what_is_not_contests
from podium.ratings.leaderboards import Filters
from podium.ratings.player import Player
from podium.ratings.rankings import in_order, with_places
from podium.results.columns import taken
from podium.results.contests import Contests
from podium.results.tables import GIVEN, natural
from podium.results.times import TIMES, as_column, from_microseconds
from podium.systems.base import System
from podium.texts import normalised

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
_BOARD = {"player": pl.String, "rating": pl.Float64, **{k: _RATINGS[k] for k in list(_RATINGS)[2:]}}


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


def best(connection: Connection, revision: int, rules: Rules, filters: Filters) -> pl.DataFrame:
    """The leaderboard as of now, by the index of shown ratings."""
    r, p = schema.ratings, schema.players
    conditions = _on_board(revision, rules, filters)
    name: Any = p.c.name
    if connection.dialect.name == "postgresql":
        name = name.collate("C")
    statement = (
        select(p.c.name, r.c.shown, *(r.c[each] for each in list(_BOARD)[2:]))
        .join(p, p.c.id == r.c.player_id)
        .where(*conditions)
        .order_by(r.c.shown.desc(), name)
        .offset(filters.skip)
    )
    if filters.n is not None:
        statement = statement.limit(filters.n)
    board = with_places(frame_of(connection, statement, _BOARD))
    if filters.skip and board.height:
        place = _place(connection, conditions, board["rating"][0])
        tied = board["rating"] == board["rating"][0]
        places = pl.when(tied).then(place).otherwise(pl.col("place") + filters.skip)
        board = board.with_columns(place=places.cast(board.schema["place"]))
    return board.with_columns(pl.col("last_time").cast(pl.Datetime("us")))


def _on_board(revision: int, rules: Rules, filters: Filters) -> list[Any]:
    r = schema.ratings
    conditions = [r.c.revision_id == revision]
    if fewest := filters.fewest(rules.hidden_until):
        conditions.append(r.c.contests >= fewest)
    if filters.since is not None:
        conditions.append(r.c.last_time >= filters.since)
    return conditions


def _place(connection: Connection, conditions: list[Any], rating: float) -> int:
    better = select(func.count()).where(*conditions, schema.ratings.c.shown > rating)
    return 1 + int(connection.execute(better).scalar_one())


def how_many(connection: Connection, revision: int, rules: Rules, filters: Filters) -> int:
    """How many players are on the leaderboard as of now."""
    conditions = _on_board(revision, rules, filters)
    count = select(func.count()).select_from(schema.ratings).where(*conditions)
    return int(connection.execute(count).scalar_one())


def board(beliefs: Beliefs, rules: Rules, filters: Filters) -> pl.DataFrame:
    """The leaderboard of beliefs as of a moment, of all who pass the conditions."""
    return with_places(_rated_at(beliefs, rules, filters))


def _rated_at(beliefs: Beliefs, rules: Rules, filters: Filters) -> pl.DataFrame:
    """The same without places."""
    system, everybody = beliefs.system, slice(0, len(beliefs))
    mu, sigma = map(np.ascontiguousarray, system.aged(beliefs, everybody, filters.moment))
    contests, last_time = beliefs.column("contests"), beliefs.column("last_time")
    rating = rules.shown(system, mu, sigma, contests)
    frame = pl.DataFrame(
        {
            "player": pl.Series(beliefs.names, dtype=pl.String),
            "rating": rating,
            "mu": mu,
            "sigma": sigma,
            "contests": contests,
            "last_time": as_column(last_time),
        },
        nan_to_null=True,
    )
    passing = contests >= max(filters.fewest(rules.hidden_until), 1)
    if filters.since is not None:
        passing &= last_time >= filters.since
    order = in_order(beliefs.names, -rating)
    return taken(frame, order[passing[order]])


def with_titles(frame: pl.DataFrame, rules: Rules) -> pl.DataFrame:
    """A leaderboard with the titles that ratings earn."""
    titles = pl.Series("title", [rules.title(each) for each in frame["rating"]], pl.String)
    place = frame.columns.index("player") + 1
    return frame.insert_column(place, titles)


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
        select(
            c.c.contest,
            c.c.time,
            c.c.name,
            s.c.rank,
            c.c.players,
            e.c.number,
            e.c.performance,
            e.c.mu_before,
            e.c.sigma_before,
            e.c.mu,
            e.c.sigma,
        )
        .select_from(s)
        .join(c, c.c.id == s.c.contest_id)
        .join(
            e,
            (e.c.revision_id == revision.id)
            & (e.c.contest_id == s.c.contest_id)
            & (e.c.position == s.c.position),
            isouter=True,  # lest SQLite begins with all events
        )
        .where(s.c.player_id == player),
        columns,
    )
    number = frame["number"].to_numpy()
    rated = np.flatnonzero(~np.isnan(number))
    frame = taken(frame, rated[np.argsort(number[rated])])
    return _with_change(frame, revision, rules).with_columns(pl.col("time").cast(pl.Datetime("us")))


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
    return pl.DataFrame({**given, **moved}, nan_to_null=True)


def player(connection: Connection, revision: Revision, rules: Rules, number: int) -> Player:
    """What is believed of a player now."""
    r, name = schema.ratings, players.name_of(connection, number)
    theirs = (r.c.revision_id == revision.id, r.c.player_id == number)
    columns = (r.c.shown, r.c.mu, r.c.sigma, r.c.contests, r.c.last_time)
    row = connection.execute(select(*columns).where(*theirs)).first()
    if row is None:
        return _newcomer(revision.system, rules, name)
    rating, mu, sigma, contests, last_time = row
    place = None
    if contests >= rules.hidden_until:
        place = _place(connection, _on_board(revision.id, rules, Filters()), rating)
    sigma, time = nan if sigma is None else sigma, from_microseconds(last_time)
    return Player(name, rating, mu, sigma, contests, time, place, rules.title(rating))


def player_at(
    connection: Connection, revision: Revision, rules: Rules, number: int, moment: int
) -> Player:
    """What was believed of a player at a moment."""
    name, beliefs = players.name_of(connection, number), beliefs_at(connection, revision, moment)
    filters = Filters(None, at=from_microseconds(moment), with_hidden=True)
    everybody = _rated_at(beliefs, rules, filters)
    on_board = (everybody["contests"] >= rules.hidden_until).to_numpy()
    shown = with_places(taken(everybody, np.flatnonzero(on_board)))
    place = dict(zip(shown["player"], shown["place"], strict=True)).get(name)
    for row in np.flatnonzero((everybody["player"] == name).to_numpy()).tolist():
        _, rating, mu, sigma, contests, time = everybody.row(row)
        sigma = nan if sigma is None else sigma
        return Player(name, rating, mu, sigma, contests, time, place, rules.title(rating))
    return _newcomer(revision.system, rules, name)


def _newcomer(system: System, rules: Rules, name: str) -> Player:
    beliefs = Beliefs(system)
    beliefs.enrol([name])
    rating = float(rules.shown_of(system, beliefs.table[:1])[0])
    mu, sigma = (float(beliefs.table[0][each]) for each in ("mu", "sigma"))
    return Player(name, rating, mu, sigma, 0, None, title=rules.title(rating))


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
    names = players.names_of(connection, c.player.astype(np.int64))
    columns = {
        "position": pl.Int64,
        "number": pl.Int32,
        **dict.fromkeys(("performance", "mu_before", "sigma_before", "mu", "sigma"), pl.Float64),
    }
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
            **{each: events[each].gather(missing) for each in events.columns[1:]},
        }
    )
    kept = (
        "rank",
        "player",
        "team",
        *GIVEN.values(),
        "eligible",
        "performance",
        "rating_before",
        "rating",
        "change",
    )
    changed = _with_change(frame, revision, rules)
    return pl.DataFrame([changed[each] for each in kept])


def contests(connection: Connection, only: str | None = None) -> pl.DataFrame:
    """All contests in order, or one of them."""
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
    statement = select(*(c.c[name] for name in columns))
    if only is not None:
        statement = statement.where(c.c.contest.in_((only, normalised(only))))
    frame = frame_of(connection, statement, columns)
    order = in_turn(frame["time"].to_numpy(), frame["contest"].to_list())
    return taken(frame, order).with_columns(pl.col("time").cast(pl.Datetime("us")))


def log(connection: Connection, contest: str | None, player: str | None) -> pl.DataFrame:
    """The log, or what of it concerns a contest or a player, the latest first."""
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
        several = t.c.contest.is_(None) & (t.c.action == "record")
        statement = statement.where(t.c.contest.in_(spellings) | several)
    if player is not None:
        statement = statement.where(t.c.player.is_not(None))
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
            for name, each in zip(frame["player"], _details(frame), strict=True)
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
    frame = frame_of(connection, statement, {"alias": pl.String, "player": pl.String})
    return taken(frame, in_order(frame["alias"].to_list(), np.zeros(frame.height)))


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
    beliefs.rounds, beliefs.time = seen(connection, *until)
    beliefs.arithmetic, beliefs.machine = revision.arithmetic, revision.machine
    return beliefs


def seen(connection: Connection, *until: Any) -> tuple[int, int | None]:
    """How many contests that meet the conditions are rated, and when the last of them was."""
    c = schema.contests
    found = select(func.count(), func.max(c.c.time)).where(c.c.rated, *until)
    (count,), times = fetch(connection, found)
    _refuse_odd_times(times)
    return count, times[0]


def beliefs_now(connection: Connection, revision: Revision) -> Beliefs:
    """What is believed of everybody now, to go on from."""
    known = checkpoints.load_now(connection, revision.id, revision.system)
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
    found = mapping(connection, select(p.c.id, p.c.name).where(within(connection, p.c.name, names)))
    players = np.array(sorted(found), np.int64)
    known = checkpoints.load_now(connection, revision.id, revision.system, players)
    return named_beliefs(connection, revision, known, found)


def beliefs_about(
    connection: Connection, revision: Revision, names: list[str], moment: int | None
) -> tuple[Beliefs, list[int]]:
    """What is believed of players now or was at a moment, and their ids; some may be newcomers."""
    number = players.known(connection, names)
    there = np.unique(list(number.values())).astype(np.int64)
    called = players.names_of(connection, there)
    until = []
    if moment is None:
        known = checkpoints.load_now(connection, revision.id, revision.system, there)
    else:
        known = known_before(connection, revision, order_of(moment + 1, ""), there)
        until = [schema.contests.c.time <= moment]
    beliefs = named_beliefs(connection, revision, known, called, *until)
    return with_newcomers(beliefs, [called.get(number.get(name, 0), name) for name in names])


def for_standings(
    connection: Connection, standings: Contests, *others: str
) -> tuple[Beliefs, Contests]:
    """What is believed of the players of standings and of others; the standings by their names."""
    refuse_what_is_not_contests(standings)
    entrants = players.entrants(connection, standings.with_own_players())
    names = entrants.contests.players.to_list()
    called = dict(zip(entrants.number.tolist(), names, strict=True))
    for name in others:
        number = players.find(connection, name)
        if number is not None:
            called[number] = name
    there = np.array(sorted(called.keys() - entrants.newcomers.keys()), np.int64)
    revision = revisions.in_force(connection)
    known = checkpoints.load_now(connection, revision.id, revision.system, there)
    return named_beliefs(connection, revision, known, called), entrants.contests


def known_before(
    connection: Connection, revision: Revision, order: Order, players: NDArray[np.int64]
) -> Known:
    """What was believed of players before a turn."""
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
    return fold(revision.system, found, before, history[:first]).after.of(players)


def just_before(
    connection: Connection, revision: Revision, found: StoredContests
) -> tuple[Beliefs, Contests]:
    """What was believed of its players before a contest, and what is rated of it."""
    order = found.order(0)
    rated = found if found.eligible.all() else found.without_rows(~found.eligible)
    players = np.unique(rated.columns.player).astype(np.int64)
    known = known_before(connection, revision, order, players)
    earlier = schema.contests.c.time < order[0]
    beliefs = named_beliefs(connection, revision, known, None, earlier)
    names = dict(zip(known.player.tolist(), beliefs.names, strict=True))
    return beliefs, rated.as_contests(names)


def beliefs_at(connection: Connection, revision: Revision, moment: int) -> Beliefs:
    """What was believed of everybody at a moment, contests of that moment included."""
    r = schema.ratings
    everybody = fetch(connection, select(r.c.player_id).where(r.c.revision_id == revision.id))[0]
    players = np.array(sorted(everybody), np.int64)
    known = known_before(connection, revision, order_of(moment + 1, ""), players)
    known = known.take(known.packed.table["contests"] > 0)
    until = schema.contests.c.time <= moment
    return _with_latest(connection, named_beliefs(connection, revision, known, None, until))
