"""Contests that are not over: their standings as they are posted, and what would come of them.

Whoever posts standings predicts, once, what everybody's rating would be if the contest ended so,
and keeps that with the state of the league that it was made in. Whoever reads finds it there. In
another state of the league it is predicted again, by the first who asks, for all in the process.
The ranks that were to be expected, and those that the next titles need, are found by the first who
asks as well.
"""

import dataclasses
import datetime
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from podium import forks
from podium.documents import as_document
from podium.errors import ConflictError, InputError, NotFoundError
from podium.league import hiding, peaks, players, queries, schema
from podium.league.changes import one_contest
from podium.league.database import check_text, now, state, user_name
from podium.league.edits import Changing
from podium.league.logs import write_log
from podium.league.revisions import Revision
from podium.league.rules import Rules
from podium.league.standings import StoredContests
from podium.progress import unseen
from podium.ratings.beliefs import Beliefs
from podium.ratings.predictions import Curve, curve, needed_ranks, outcomes, ranks_to_expect
from podium.results.contests import Contests
from podium.results.options import Options
from podium.results.tables import Parts, plain_row
from podium.results.times import Time, from_microseconds
from podium.results.understanding import Table
from podium.systems.base import System
from podium.texts import LONGEST, folded, normalised
from podium.wording import suggestion

MOST_ROWS = 200_000
"""Rows of standings that are taken."""
SUMMARY = 5
"""Of those who gain or lose most, so many are named."""
_MEDALS = 3
_KEPT = 86_400_000_000
"""Microseconds for which standings are kept of contests that were recorded since."""
EVERYBODY, ONE = "everybody", "one"
"""For whom it is said which rank the next title needs: for all, or for who is asked for."""


@dataclass(frozen=True, slots=True)
class Sign:
    """What is seen from afar of a contest that is posted while it runs."""

    mark: str
    """Another one with every change of its standings."""
    version: int
    """Of its standings; it grows with every change of them."""
    updated: int
    """When they changed last, in microseconds."""
    recorded: bool
    """Whether it is a contest of the league by now, and live no more."""


@dataclass(frozen=True, slots=True)
class Signs:
    """What is seen of a league by who watches it: another one, if there is something to tell."""

    state: str
    """That of the league."""
    live: dict[str, Sign]
    """The contests that are posted while they run, by identifier."""
    notice: int
    """The number of the latest notice; 0 if there is none."""


def signs(connection: Connection) -> Signs:
    """What is seen now."""
    t, c = schema.live, schema.contests
    both = t.outerjoin(c, c.c.contest == t.c.contest)
    asked = select(t.c.contest, t.c.created, t.c.version, t.c.updated, c.c.id).select_from(both)
    live = {
        row.contest: Sign(_mark(row), row.version, row.updated, row.id is not None)
        for row in connection.execute(asked)
    }
    latest = connection.execute(select(func.max(schema.notices.c.id))).scalar()
    return Signs(state(connection), live, latest or 0)


def _mark(row: Any) -> str:
    """A contest that was ended and is posted again begins with another first version."""
    return f"{row.created:x}-{row.version}"


class Running(NamedTuple):
    """What is known of the players of standings, as long as neither they nor the league change."""

    beliefs: Beliefs
    """About all of them in this order, newcomers too, so that they are copied as they are."""
    players: pl.Series
    """Their names in the league, in the order of the players of the standings."""
    number: NDArray[np.int32]
    contests: NDArray[np.int64]
    """In how many contests each was rated."""
    known: NDArray[np.bool_]
    guest: NDArray[np.bool_]
    kept: NDArray[np.float64]
    """The lowest rating of the best title that each has kept; minus infinity for none."""


@dataclass(frozen=True, eq=False)
class Asked:
    """Whose beliefs are asked for, in which state of a league: the same for the same names."""

    state: str
    players: pl.Series

    def __hash__(self) -> int:
        return hash((self.state, len(self.players)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Asked)
            and self.state == other.state
            and self.players.equals(other.players)
        )


Find = Callable[[Contests], tuple[Running, Contests]]
"""Looks up the players of standings, and calls them by their names."""


def running(
    connection: Connection, revision: Revision, rules: Rules, standings: Contests
) -> Running:
    """Look up the players of standings."""
    number, names = players.entrants(connection, standings).number, standings.players
    believed, _ = queries.for_standings(connection, standings)
    count = len(believed)
    place = believed.enrol(names.to_list())
    beliefs, known = believed.part(place), place < count
    contests = beliefs.table["contests"][: len(beliefs)].astype(np.int64)
    guests = np.isin(number, list(players.all_guests(connection)))
    kept = np.full(len(names), -np.inf)
    if rules.keep_titles and rules.titles:
        reached = {title: lowest for lowest, title in reversed(rules.titles)}
        titles = peaks.kept_titles(connection, revision, rules, number.astype(np.int64), None)
        kept = np.array([reached.get(each, -np.inf) for each in titles.to_list()])
    return Running(beliefs, names, number, contests, known, guests, kept)


@dataclass(frozen=True, repr=False)
class Live:
    """A contest that is not over, and what would become of everybody if it ended now."""

    contest: str
    name: str | None
    version: int
    """It grows whenever the standings change."""
    mark: str
    """Another one for every version, also of a contest that was ended and is posted again."""
    created: datetime.datetime
    updated: datetime.datetime
    """When the standings changed last."""
    who: str
    """Who posted them."""
    time: datetime.datetime
    """As of when ratings are predicted."""
    system: System
    state: str
    """The state of the league that the prediction is of."""
    needs: str | None
    """For whom the rank is known that the next title needs, `EVERYBODY` or `ONE`; None if the
    league has no titles."""
    table: pl.DataFrame
    """A row for each participant, in the order of the standings: rank, player, team, score, status,
    rated, rating_before, rating, change, performance, expected_rank, newcomer, title_before, title,
    goal, goal_title and needed, the worst rank that reaches the goal, which is the next title."""
    source: str | None = None
    """The address that standings are fetched from, if they are."""
    every: int | None = None
    """Every how many seconds."""
    problem: str | None = None
    """What went wrong when they were fetched last."""

    def __repr__(self) -> str:
        return f"<Live {self.contest!r}, version {self.version}: {self.table.height} players>"

    @property
    def newcomers(self) -> int:
        """How many participants the league does not know yet."""
        return int(self.table["newcomer"].sum())

    def about(self) -> dict[str, Any]:
        """What it is, without its rows."""
        return as_document(
            {
                "contest": self.contest,
                "name": self.name,
                "version": self.version,
                "created": self.created,
                "updated": self.updated,
                "participants": self.table.height,
                "newcomers": self.newcomers,
            }
        )

    def searched(self, matching: str | None) -> pl.DataFrame:
        """Those rows whose players, or teams, are called so."""
        if matching is None:
            return self.table
        sought = folded(normalised(matching))
        named = zip(self.table["player"], self.table["team"], strict=True)
        found = [sought in folded(one) or sought in folded(other or "") for one, other in named]
        return self.table.filter(pl.Series(found, dtype=pl.Boolean))

    def row(self, player: str) -> dict[str, Any] | None:
        """The row of a player; None if there is none."""
        found = self.table.filter(self.table["player"] == normalised(player))
        return as_document(found.row(0, named=True)) if found.height else None

    def summary(self, n: int = SUMMARY) -> dict[str, list[dict[str, Any]]]:
        """Who gains most, who loses most, and who is among the first three."""
        rated = self.table.filter(self.table["change"].is_not_null())
        known = rated.filter(~rated["newcomer"])
        change = known["change"].to_numpy()
        order = np.argsort(-change, kind="stable")
        gains = [each for each in order[:n].tolist() if change[each] > 0.0]
        losses = [each for each in order[::-1][:n].tolist() if change[each] < 0.0]
        medals = self.table.filter(self.table["rank"] <= _MEDALS).head(2 * _MEDALS)
        parts = {"gains": known[gains], "losses": known[losses], "medals": medals}
        return {name: [as_document(row) for row in rows.to_dicts()] for name, rows in parts.items()}

    def document(
        self,
        n: int | None = None,
        skip: int = 0,
        matching: str | None = None,
        curve: Curve | None = None,
    ) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        found = self.searched(matching)
        said = {
            **self.about(),
            "prediction": True,
            "time": self.time,
            "system": self.system.name,
            "state": self.state,
            "needed_for": self.needs,
            **self.summary(),
            "matching": found.height,
            "standings": found.slice(skip, n).to_dicts(),
        }
        return as_document(said if curve is None else {**said, "curve": curve.document()})


class Prepared(NamedTuple):
    """Standings that were posted, with what they predict in a state of the league."""

    contest: str
    name: str | None
    participants: int
    standings: bytes
    prediction: bytes
    state: str


def as_contest(connection: Connection, contest: str, standings: Any, time: Time | None) -> Contests:
    """Standings of whatever form, as one contest of this identifier."""
    if isinstance(standings, Sequence) and not isinstance(standings, str):
        moment = default_time(connection, contest) if time is None else time
        change = Changing(connection, False, None, None, unseen)
        return one_contest(change, standings, id=contest, time=moment, future=True)
    if not isinstance(standings, Contests) or len(standings) != 1:
        raise InputError(
            "the standings of one contest are needed: podium.Contests, as podium.read_standings "
            "gives them, or names, the best first."
        )
    if time is not None:
        raise InputError("time is for standings that are names; contests have their own.")
    if standings.rows > MOST_ROWS:
        raise InputError(
            f"these standings have {standings.rows:,} rows; at most {MOST_ROWS:,} are taken live."
        )
    ids = pl.Series([contest], dtype=pl.String)
    return Contests(standings.with_own_players().parts._replace(ids=ids, ladder=None))


def default_time(connection: Connection, contest: str) -> datetime.datetime:
    """When a contest takes place whose standings do not say so: as before, or else now."""
    row = _row(connection, contest)
    if row is not None and row.standings is not None:
        time: datetime.datetime = _unpacked(row.standings)["time"][0]
        return time
    return from_microseconds(now())


def checked_id(contest: object) -> str:
    """The identifier of a contest, as it is kept."""
    name = normalised(contest) if isinstance(contest, str) else ""
    if not name or len(name) > LONGEST:
        raise InputError(f"a contest has an identifier of 1 to {LONGEST:,} characters.")
    check_text("the identifier of a contest", name)
    return name


def refuse_recorded(connection: Connection, contest: str) -> None:
    """Raise if a contest is in the league already."""
    if queries.has_contest(connection, contest):
        raise ConflictError(
            f"contest {contest!r} is recorded already, and live no more; podium amend and podium "
            f"add put right what is recorded."
        )


def prepared(
    connection: Connection,
    system: System,
    rules: Rules,
    find: Find,
    contest: str,
    standings: Any,
    name: str | None,
    time: Time | None,
) -> Prepared:
    """What is kept of standings: themselves, and what they predict."""
    forks.refuse_lost_threads()
    refuse_recorded(connection, contest)
    given = as_contest(connection, contest, standings, time)
    if name is None and given.about is not None and "name" in given.about.columns:
        name = given.about["name"][0]
    if name is not None:
        check_text("the name of a contest", name)
    if name is None:
        called = select(schema.live.c.name).where(schema.live.c.contest == contest)
        name = connection.execute(called).scalar()
    known, named = find(given)
    numbers = predicted(system, rules, known, named, rated_of(known, named))
    kept = _packed(given.frame(given=True), "lz4"), _packed(numbers, "uncompressed")
    return Prepared(contest, name, given.rows, *kept, state(connection))


def predicted(
    system: System, rules: Rules, known: Running, standings: Contests, rated: Contests | None
) -> pl.DataFrame:
    """What would become of everybody, as numbers, row by row; of guests there are none."""
    found: dict[str, NDArray[np.float64]] = {}
    if rated is not None:
        found = outcomes(known.beliefs, rated, shown=partial(rules.shown, system))
    return pl.DataFrame(
        [pl.Series(name, _for_all(known, standings, found.get(name))) for name in _PREDICTED]
    )


def _for_all(
    known: Running, standings: Contests, values: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Numbers of those who are rated as numbers of all rows, NaN for guests."""
    found = np.full(standings.rows, np.nan)
    if values is not None:
        found[~known.guest[standings.columns.player]] = values
    return found


def completed(
    rules: Rules,
    known: Running,
    standings: Contests,
    rated: Contests | None,
    numbers: pl.DataFrame,
) -> pl.DataFrame:
    """The rows of the standings with what was predicted, titles, and the rating to reach."""
    player = standings.columns.player
    expected = None if rated is None else ranks_to_expect(known.beliefs, rated)
    before, after, *_, sigma_before, sigma = (numbers[name].to_numpy() for name in _PREDICTED)
    contests, kept = known.contests[player], known.kept[player]
    unearned = ~known.known[player] | rules.provisional(contests, sigma_before)
    stays = rules.provisional(contests + 1, sigma)
    held = kept if rules.keep_titles else np.where(unearned, -np.inf, before)
    reached = np.maximum(kept, np.where(stays, -np.inf, after))
    lowest = np.array([*(each for each, _ in rules.titles), np.nan])
    following = np.searchsorted(lowest[:-1], np.maximum(before, kept), side="right")
    columns: dict[str, Any] = {
        "rank": standings.columns.rank.astype(np.int64),
        "player": known.players.gather(player),
        **_given(standings),
        "rated": ~known.guest[player],
        "rating_before": before,
        "rating": after,
        "change": after - before,
        "performance": numbers["performance"],
        "expected_rank": _for_all(known, standings, expected),
        "newcomer": ~known.known[player],
        "title_before": _title(rules, held),
        "title": _title(rules, reached),
        "goal": np.where(stays | np.isnan(before), np.nan, lowest[following]),
    }
    return pl.DataFrame(columns, nan_to_null=True).with_columns(
        pl.col("performance", "expected_rank").fill_nan(None)
    )


def _title(rules: Rules, rating: NDArray[np.float64]) -> pl.Series:
    earned = queries.titles_of(np.where(np.isfinite(rating), rating, np.nan), rules)
    return pl.Series(earned.tolist(), dtype=pl.String)


_PREDICTED = ("rating_before", "rating", "performance", "sigma_before", "sigma")
COLUMNS = {
    "rank": pl.Int64,
    **dict.fromkeys(("player", "team", "score", "status"), pl.String),
    "rated": pl.Boolean,
    **dict.fromkeys(("rating_before", "rating", "change"), pl.Float64),
    **dict.fromkeys(("performance", "expected_rank"), pl.Float64),
    "newcomer": pl.Boolean,
    **dict.fromkeys(("title_before", "title"), pl.String),
    "goal": pl.Float64,
    "goal_title": pl.String,
    "needed": pl.Int64,
}
_NOBODY = pl.DataFrame(schema=COLUMNS)
"""The table of a contest of which nothing was posted yet."""


def _given(standings: Contests) -> dict[str, pl.Series]:
    """What standings say beyond ranks; of what they do not say, nothing."""
    frame, none = standings.frame(given=True), pl.Series([None] * standings.rows, dtype=pl.String)
    team = frame.get_column("team", default=frame.get_column("given_team", default=none))
    found = {"team": team}
    for name in ("score", "status"):
        found[name] = frame.get_column(name, default=none).cast(pl.String)
    return found


def rated_of(known: Running, standings: Contests) -> Contests | None:
    """What of a contest is rated, by name and not before the last one; None if nobody is."""
    stored = StoredContests.of(standings, known.number, np.ones(1, np.int64), rated=True)
    guest = known.guest[standings.columns.player]
    columns = dataclasses.replace(stored, eligible=~guest).rateable().columns
    if not len(columns.player):
        return None
    place = np.zeros(int(known.number.max()) + 1, np.int64)
    place[known.number] = np.arange(len(known.number))
    used, player = np.unique(place[columns.player], return_inverse=True)
    columns = columns._replace(
        player=player.astype(np.int32), time=np.maximum(columns.time, known.beliefs.time or 0)
    )
    teams = standings.teams if columns.team is not None else None
    names = known.players.gather(used)  # in the order of the beliefs, which are copied as they are
    return Contests(Parts(columns, names, standings.ids, teams, None)).with_own_players()


def with_needed(
    system: System, rules: Rules, table: pl.DataFrame, known: Running, rated: Contests | None
) -> tuple[pl.DataFrame, str | None]:
    """The same with the ranks that the next titles need, and for whom those are known."""
    titles = dict(rules.titles)
    goal = table["goal"]
    named = pl.Series("goal_title", [titles.get(each) for each in goal], dtype=pl.String)
    needed: NDArray[np.int64] | None = None
    if rated is not None and rules.titles:
        goals = goal.filter(table["rated"]).fill_null(np.nan).to_numpy()
        shown = partial(rules.shown, system)
        needed = needed_ranks(known.beliefs, rated, goals, shown=shown)
    ranks = np.zeros(table.height, np.int64)
    if needed is not None:
        rows = np.flatnonzero(table["rated"].to_numpy())
        ranks[rows] = _among_all(table["rank"].to_numpy(), rows, needed)
    column = pl.Series("needed", ranks).set(pl.Series(ranks == 0), None)
    for_whom = None if not rules.titles else ONE if needed is None else EVERYBODY
    return table.with_columns(named, column), for_whom


def _among_all(
    rank: NDArray[np.int64], rows: NDArray[np.int64], needed: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Ranks among those who are rated, as ranks among all, guests included."""
    if len(rows) == len(rank):
        return needed
    place = np.minimum(needed, len(rows)) - 1
    return np.where(needed == 0, 0, rank[rows[place]])


def _packed(frame: pl.DataFrame, how: Literal["lz4", "uncompressed"]) -> bytes:
    room = io.BytesIO()
    frame.write_ipc(room, compression=how)
    return room.getvalue()


def _unpacked(content: bytes) -> pl.DataFrame:
    return pl.read_ipc(io.BytesIO(content), use_pyarrow=False)


def _as_standings(content: bytes) -> Contests:
    """Standings as they were posted."""
    plain = Options(sort=False, unlimited=True, future=True)
    return Contests.from_understood(Table(_unpacked(content), plain_row), plain)


def _row(connection: Connection, contest: str) -> Row[Any] | None:
    t = schema.live
    return connection.execute(select(t).where(t.c.contest == contest)).first()


def is_new(connection: Connection, contest: str) -> bool:
    """Whether a contest is not live yet."""
    return _row(connection, contest) is None


@dataclass(frozen=True)
class Posted:
    """What came of posting standings."""

    contest: str
    name: str | None
    version: int
    changed: bool
    """False if they are those that were posted before."""
    participants: int

    def document(self) -> dict[str, Any]:
        """As JSON says it; see docs/documents.md."""
        return dataclasses.asdict(self)


def keep(connection: Connection, given: Prepared, who: str | None) -> Posted | None:
    """Keep what was posted; None if the league has changed meanwhile, or somebody else posted.

    That a contest begins is in the log, so that the league is then in another state; what follows
    is not.
    """
    refuse_recorded(connection, given.contest)
    if state(connection) != given.state:
        return None
    before = _row(connection, given.contest)
    if before is None:
        begin(connection, given.contest, given.name, who)
        before = _row(connection, given.contest)
        assert before is not None
    t, present = schema.live, state(connection)
    here = update(t).where(t.c.contest == given.contest, t.c.version == before.version)
    values: dict[str, Any] = {"state": present, "prediction": given.prediction}
    version = before.version
    if changed := (before.standings, before.name) != (given.standings, given.name):
        version += 1
        values |= {
            "who": who or user_name(),
            "name": given.name,
            "version": version,
            "updated": max(now(), before.updated + 1),
            "standings": given.standings,
        }
    stale = changed or before.state != present
    if stale and not connection.execute(here.values(**values)).rowcount:
        return None
    return Posted(given.contest, given.name, version, changed, given.participants)


def begin(connection: Connection, contest: str, name: str | None, who: str | None) -> None:
    """Let a contest be live, without standings yet."""
    moment = now()
    _tidy(connection, moment)
    details = {"began": contest} | ({"name": name} if name else {})
    write_log(connection, "live", who, None, contest, details=details)
    values: dict[str, Any] = {
        "contest": contest,
        "name": name,
        "version": 0,
        "who": who or user_name(),
    }
    connection.execute(
        insert(schema.live).values(**values, created=moment, updated=moment, state="")
    )


def _tidy(connection: Connection, moment: int) -> None:
    """Forget standings of contests that were recorded long ago."""
    t, c = schema.live, schema.contests
    over = t.c.contest.in_(select(c.c.contest)) & (t.c.updated < moment - _KEPT)
    connection.execute(delete(t).where(over))


def end(connection: Connection, contest: str, who: str | None) -> None:
    """Let a contest be live no more."""
    t = schema.live
    if _row(connection, contest) is None:
        raise NotFoundError(_not_live(connection, contest))
    connection.execute(delete(t).where(t.c.contest == contest))
    write_log(connection, "live", who, None, contest, details={"ended": contest})


SOONEST, LATEST = 5, 3600
"""Seconds from one fetching to the next."""
_LONGEST_ADDRESS = 2000


def check_source(address: object, every: object) -> None:
    """Raise if standings cannot be fetched so."""
    if address is not None and not (
        isinstance(address, str)
        and address.startswith(("http://", "https://"))
        and len(address) <= _LONGEST_ADDRESS
    ):
        raise InputError(f"standings are fetched from an address as https://…, not {address!r}.")
    if isinstance(every, bool) or not isinstance(every, int) or not SOONEST <= every <= LATEST:
        raise InputError(
            f"standings are fetched every {SOONEST} to {LATEST:,} seconds, not {every!r}."
        )


class Source(NamedTuple):
    """Where the standings of a contest are fetched from."""

    contest: str
    address: str
    every: int
    """Seconds."""
    options: Options
    """How they are read."""
    who: str


def set_source(
    connection: Connection,
    contest: str,
    address: str | None,
    every: int,
    options: Options,
    who: str | None,
) -> None:
    """Note from where the standings of a contest are fetched, or that they are no more."""
    refuse_recorded(connection, contest)
    if address is None and is_new(connection, contest):
        raise NotFoundError(f"contest {contest!r} is not live, so nothing is fetched.")
    if is_new(connection, contest):
        begin(connection, contest, None, who)
    said = {name: value for name, value in options.document().items() if value is not None}
    values = {
        "source": address,
        "every": None if address is None else every,
        "options": json.dumps(said, ensure_ascii=False),
        "due": None if address is None else now(),
        "problem": None,
    }
    t = schema.live
    connection.execute(update(t).where(t.c.contest == contest).values(**values))


def due(connection: Connection) -> tuple[list[Source], float]:
    """What is to be fetched now, and the seconds until the next is."""
    t, moment = schema.live, now()
    live = all_live(connection)
    asked = select(t).where(t.c.source.is_not(None), t.c.due.is_not(None)).order_by(t.c.due)
    rows = [row for row in connection.execute(asked) if row.contest in live]
    ready = [
        Source(row.contest, row.source, row.every, Options.of(json.loads(row.options)), row.who)
        for row in rows
        if row.due <= moment
    ]
    wait = min((row.due - moment for row in rows if row.due > moment), default=3_600_000_000)
    return ready, wait / 1e6


def fetched(connection: Connection, contest: str, every: int, problem: str | None) -> None:
    """Note what came of fetching, and when it is done again."""
    t = schema.live
    values = {"problem": problem, "due": now() + every * 1_000_000}
    connection.execute(update(t).where(t.c.contest == contest).values(**values))


def all_live(connection: Connection) -> list[str]:
    """The identifiers of contests that are live, the latest first."""
    t, c = schema.live, schema.contests
    asked = select(t.c.contest).where(t.c.contest.not_in(select(c.c.contest)))
    rows = connection.execute(asked.order_by(t.c.created.desc(), t.c.contest))
    return [row.contest for row in rows]


def _not_live(connection: Connection, contest: str) -> str:
    return f"contest {contest!r} is not live{suggestion(contest, all_live(connection))}."


def _found(connection: Connection, contest: str) -> Row[Any]:
    """What is kept of a contest that is live; raise if it is not."""
    row = _row(connection, contest)
    if row is None:
        raise NotFoundError(_not_live(connection, contest))
    if queries.has_contest(connection, contest):
        raise NotFoundError(
            f"contest {contest!r} is over and recorded; podium contest LEAGUE {contest} shows it."
        )
    return row


def load(
    connection: Connection,
    revision: Revision,
    rules: Rules,
    find: Find,
    remembered: Callable[[Any, Callable[[], Live]], Live],
    contest: str,
) -> Live:
    """A contest that is live, with what is predicted in the present state of the league."""
    forks.refuse_lost_threads()
    row = _found(connection, contest)
    present = state(connection)
    key = "live", contest, _mark(row), present, hiding.sees_hidden(connection)

    def made() -> Live:
        with hiding.everybody(connection):
            found = _made(revision, rules, find, row, present)
        return _without_hidden(connection, found)

    made_of = remembered(key, made)
    return dataclasses.replace(
        made_of, who=row.who, source=row.source, every=row.every, problem=row.problem
    )


def _made(
    revision: Revision,
    rules: Rules,
    find: Find,
    row: Row[Any],
    present: str,
) -> Live:
    system = revision.system
    if row.standings is None:
        return _of_row(row, system, present, None, _NOBODY, row.created)
    known, standings = find(_as_standings(row.standings))
    rated, numbers = rated_of(known, standings), None
    if row.state == present and row.prediction is not None:
        numbers = _stored(row.prediction, standings.rows)
    if numbers is None:
        numbers = predicted(system, rules, known, standings, rated)
    table = completed(rules, known, standings, rated, numbers)
    table, needs = with_needed(system, rules, table, known, rated)
    time = max(int(standings.columns.time[0]), known.beliefs.time or 0)
    return _of_row(row, system, present, needs, table, time)


def _of_row(
    row: Row[Any],
    system: System,
    present: str,
    needs: str | None,
    table: pl.DataFrame,
    time: int,
) -> Live:
    return Live(
        contest=row.contest,
        name=row.name,
        version=row.version,
        mark=_mark(row),
        created=from_microseconds(row.created),
        updated=from_microseconds(row.updated),
        who=row.who,
        time=from_microseconds(time),
        system=system,
        state=present,
        needs=needs,
        table=table,
    )


def _stored(content: bytes, rows: int) -> pl.DataFrame | None:
    """A prediction for so many rows that is kept; None if it cannot be read."""
    try:
        found = _unpacked(content)
    except (pl.exceptions.PolarsError, OSError, ValueError):
        return None
    expected = dict.fromkeys(_PREDICTED, pl.Float64)
    return found if found.height == rows and found.schema == expected else None


def _without_hidden(connection: Connection, live: Live) -> Live:
    """The same without those whom a connection does not show, who take part all the same."""
    hidden = hiding.names_of_unseen(connection)
    table = live.table
    there = {each for each in table["player"] if each in hidden} if hidden else set()
    if not there:
        return live
    shown = table.filter(~table["player"].is_in(sorted(there)))
    if shown["team"].is_not_null().any():
        redaction = hiding.redaction(connection, {hidden[each] for each in there})
        teams = [each and redaction.of(each) for each in shown["team"]]
        shown = shown.with_columns(team=pl.Series(teams, dtype=pl.String))
    return dataclasses.replace(live, table=shown)


def curve_of(
    connection: Connection, rules: Rules, find: Find, live: Live, player: str, goal: float
) -> Callable[[], Curve]:
    """What each rank in a contest that is live would do to a player; to be found out later."""
    row = _found(connection, live.contest)
    with hiding.everybody(connection):
        known, standings = find(_as_standings(row.standings))
    rated = rated_of(known, standings)
    assert rated is not None
    shown = partial(rules.shown, known.beliefs.system)
    return partial(curve, known.beliefs, rated, player, goals=[goal], shown=shown)
