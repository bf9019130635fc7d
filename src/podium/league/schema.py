"""The tables of a league, as the code of this version uses them.

They are made and changed by the steps in `migrations` only. Floating-point numbers that do not
exist (no uncertainty, no performance) are NULL; times are microseconds since 1970, UTC.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    FromClause,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    false,
    select,
    true,
)

VERSION = "0009"
"""The step of `migrations` that makes these tables."""

LONG = BigInteger().with_variant(Integer, "sqlite")
"""A number that rows are known by, of which there may be many: as SQLite calls them, all may."""

metadata = MetaData()

league = Table(
    "league",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("revision_id", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("rules", Text, nullable=False, server_default="{}"),
    Column("attributes", Text, nullable=False, server_default="[]"),
    Column("last_player", Integer, nullable=False, server_default="0"),
    Column("access", Text, nullable=False, server_default="public"),
)
"""One row: which revision is in force, how ratings are shown and which attributes players have, as
JSON, the largest number that a player has ever had, so that none is given twice, and who may see
the league on the web: `public` or `private`."""

revisions = Table(
    "revisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("system", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("stale_time", BigInteger),
    Column("stale_contest", Text, nullable=False, server_default=""),
    Column("arithmetic", Integer, nullable=False, server_default="1"),
    Column("machine", Text, nullable=False, server_default="{}"),
    Column("shared", LargeBinary),
)
"""Systems with parameters. Since a revision went out of force, contests from `stale_time`,
`stale_contest` on may have changed, and it has not followed; NULL if it is up to date. Which
`arithmetic` on which kind of `machine` rated it, as JSON; what all players share now, if anything.
"""

players = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("display", Text),
    Column("hidden", Boolean, nullable=False, server_default=false()),
    Column("guest", Boolean, nullable=False, server_default=false()),
)
"""Who takes part. The name is what results call them, `display` what they are shown as, if that is
another. Who is hidden stands in no output but the organiser's; a guest is not rated."""

attributes = Table(
    "attributes",
    metadata,
    Column("player_id", Integer, primary_key=True),
    Column("attribute", Text, primary_key=True),
    Column("value", Text, nullable=False),
    Index("attributes_by_value", "attribute", "value"),
    sqlite_with_rowid=False,
)
"""What else is known of players, by the attributes that the league has."""

aliases = Table(
    "aliases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("player_id", Integer, nullable=False, index=True),
)
"""Other names that results may call a player."""

contests = Table(
    "contests",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("contest", Text, nullable=False, unique=True),
    Column("time", BigInteger, nullable=False, index=True),
    Column("name", Text),
    Column("players", Integer, nullable=False),
    Column("weight", Double, nullable=False),
    Column("perf_ceiling", Double),
    Column("margin", Double),
    Column("score", Double),
    Column("rated", Boolean, nullable=False),
    Column("rating_floor", Double),
    Column("rating_ceiling", Double),
    Column("detailed", Boolean, nullable=False),
)
"""Contests, rated or not. `detailed` says that its standings have more than players and ranks."""

standings = Table(
    "standings",
    metadata,
    Column("contest_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("player_id", Integer, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("eligible", Boolean, nullable=False, server_default=true()),
    Column("team", Text),
    Column("side", Integer),
    Column("share", Double),
    Column("given_score", Text),
    Column("given_status", Text),
    Column("given_team", Text),
    Column("batch", Integer, nullable=False, server_default="0"),
    sqlite_with_rowid=False,
)
"""Who took which rank; positions are by rank and then by name. `given_…` is what a file said
beyond the rank, as it was given; the team only if players are rated alone nevertheless. Rows come
in batches, so that those that are new have a part of the index by player to themselves."""

standings_by_player = Index("standings_by_player", standings.c.batch, standings.c.player_id)

batches = Table(
    "batches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("rows", BigInteger, nullable=False),
)
"""The batches of standings, and how many rows were ever put into each."""


def in_batches(rows: FromClause = standings) -> ColumnElement[bool]:
    """What holds of all rows of standings: without it, none are found by player quickly."""
    return rows.c.batch.in_(select(batches.c.id))


events = Table(
    "events",
    metadata,
    Column("revision_id", Integer, primary_key=True),
    Column("contest_id", Integer, primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("performance", Double),
    Column("mu_before", Double),
    Column("sigma_before", Double),
    Column("mu", Double),
    Column("sigma", Double),
    Column("rating", Double),
    Column("forecast", Double),
    Column("spread", Double),
    sqlite_with_rowid=False,
)
"""What a contest did to those who were rated in it, whose rated contest of that `number` it was,
and what was expected of them, if the system forecasts."""

ratings = Table(
    "ratings",
    metadata,
    Column("revision_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("rating", Double, nullable=False),
    Column("mu", Double),
    Column("sigma", Double),
    Column("contests", Integer, nullable=False),
    Column("last_time", BigInteger),
    Column("shown", Double, nullable=False, server_default="0"),
    Column("belief_id", BigInteger),
    Index("ratings_by_rating", "revision_id", "shown"),
    sqlite_with_rowid=False,
)
"""What players have now, after all resets and starts: by the system, and as the league's rules show
it. Who has a starting rating and no contest has no `last_time`, and no row of `beliefs`."""

beliefs = Table(
    "beliefs",
    metadata,
    Column("id", LONG, primary_key=True, autoincrement=False),
    Column("revision_id", Integer, nullable=False),
    Column("player_id", Integer, nullable=False),
    Column("record", LargeBinary, nullable=False),
    Column("memory", LargeBinary, nullable=False),
)
"""What the system believes of players since their last contest, exactly: what it goes on from. What
seasons and starts have made of that since is not in it; see `folding`. Rows are only ever added and
removed: those in force are named by `ratings`, others are left of earlier changes."""


def in_force() -> ColumnElement[bool]:
    """What holds of the rows of beliefs that count."""
    return beliefs.c.id.in_(select(ratings.c.belief_id))


segments = Table(
    "segments",
    metadata,
    Column("id", LONG, primary_key=True, autoincrement=False),
    Column("rows", Integer, nullable=False),
    Column("in_force", Integer, nullable=False),
)
"""Rows of beliefs whose numbers follow each other: how many there are, and how many count."""

seasons = Table(
    "seasons",
    metadata,
    Column("name", Text, primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("pull", Double),
    Column("toward", Double),
    Column("sigma", Double),
)
"""When seasons begin, and the reset with which they do, if `pull` is given."""

starts = Table(
    "starts",
    metadata,
    Column("player_id", Integer, primary_key=True),
    Column("time", BigInteger, primary_key=True),
    Column("mu", Double, nullable=False),
    Column("sigma", Double),
    sqlite_with_rowid=False,
)
"""The ratings that players are given, as of a time; `adjustments.ALWAYS` is before all contests."""

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("revision_id", Integer, nullable=False, index=True),
    Column("time", BigInteger, nullable=False),
    Column("contest", Text, nullable=False),
    Column("contests", Integer, nullable=False),
    Column("rows", BigInteger, nullable=False),
    Column("shared", LargeBinary),
)
"""Stretches of rated contests, each from the contest at `time` to the next checkpoint, and what all
players shared before the first of them, if anything."""

checkpoint_parts = Table(
    "checkpoint_parts",
    metadata,
    Column("checkpoint_id", Integer, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("beliefs", LargeBinary, nullable=False),
)
"""What was believed, just before its checkpoint, of the players who take part in it."""

log = Table(
    "log",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("contest", Text),
    Column("player", Text),
    Column("why", Text),
    Column("details", Text, nullable=False),
    Column("before", LargeBinary),
    Column("after", LargeBinary),
)
"""Who changed what, when and why; rows are only ever added. What a change replaced, in full, and
what by, if later changes could replace that: as JSON, compressed by zlib."""

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("digest", LargeBinary, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("creator", Text, nullable=False),
    Column("expires", BigInteger),
    Column("revoked", BigInteger),
)
"""Who may do what by way of the web. Of the secret part of a token, only a digest is kept."""

sessions = Table(
    "sessions",
    metadata,
    Column("digest", LargeBinary, primary_key=True),
    Column("token_id", Integer, nullable=False),
    Column("expires", BigInteger, nullable=False),
)
"""Who is signed in with which token, by a digest of what the browser's cookie says."""

limits = Table(
    "limits",
    metadata,
    Column("subject", Text, primary_key=True),
    Column("free", BigInteger, nullable=False),
)
"""From when on somebody has used up nothing of what may be done in a while."""

answers = Table(
    "answers",
    metadata,
    Column("token_id", Integer, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("request", LargeBinary, nullable=False),
    Column("answer", LargeBinary, nullable=False),
    Column("time", BigInteger, nullable=False),
)
"""What was answered to requests that a program may repeat, by the key that it gave them."""

drafts = Table(
    "drafts",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token_id", Integer, nullable=False),
    Column("time", BigInteger, nullable=False),
    Column("about", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
"""Files that were given to be recorded, until somebody confirms it, with what was said of them, as
JSON."""

live = Table(
    "live",
    metadata,
    Column("contest", Text, primary_key=True),
    Column("name", Text),
    Column("version", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("updated", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("standings", LargeBinary),
    Column("state", Text, nullable=False, server_default=""),
    Column("prediction", LargeBinary),
    Column("source", Text),
    Column("every", Integer),
    Column("options", Text, nullable=False, server_default="{}"),
    Column("due", BigInteger),
    Column("problem", Text),
)
"""Contests that are not over: their standings, of which `version`, what was predicted from them in
which `state` of the league, and, of those that are fetched, from where, every how many seconds,
read by which options, when next, and what went wrong the last time."""

notices = Table(
    "notices",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("entry", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
)
"""What other programs are told of changes, written with the change: the latest ones."""

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("address", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("kinds", Text, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("creator", Text, nullable=False),
    Column("active", Boolean, nullable=False, server_default=true()),
)
"""Where notices are sent to, signed with which secret; of which kinds, as JSON."""

deliveries = Table(
    "deliveries",
    metadata,
    Column("webhook_id", Integer, primary_key=True),
    Column("notice_id", Integer, primary_key=True),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("due", BigInteger),
    Column("delivered", BigInteger),
    Column("status", Integer),
    Column("problem", Text),
    Index("deliveries_by_due", "due"),
)
"""Notices on their way, written with the notice: when to try next, NULL if no more; when it was
delivered, and what came of the last attempt."""

inbox = Table(
    "inbox",
    metadata,
    Column("id", LONG, primary_key=True),
    Column("contest", Text, nullable=False, unique=True),
    Column("time", BigInteger),
    Column("arrived", BigInteger, nullable=False),
    Column("content", Text, nullable=False),
    Column("who", Text),
    Column("defer", Boolean, nullable=False),
    Column("late", Boolean, nullable=False),
    Column("problem", Text),
    Column("kind", Text),
)
"""Matches that a feed has been told of and that are not part of the league yet: when they took
place, NULL if the clock is to say so; what happened, as JSON; who told of it, if that is not who
feeds; whether they may wait if they are late, and whether they do; why they cannot be rated, and
what kind of error that is."""

leases = Table(
    "leases",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until", BigInteger, nullable=False),
)
"""Which process does what only one may do at a time, and until when the others leave it to it."""

OF_THE_WEB = (
    inbox,
    tokens,
    sessions,
    limits,
    answers,
    drafts,
    live,
    notices,
    webhooks,
    deliveries,
    leases,
)
"""Tables of a site and of feeds: what is in them changes no rating, is in no export, and is not
verified."""

look_back = Table(
    "look_back",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("entry", Integer, nullable=False),
    Column("made", BigInteger, nullable=False),
    Column("until", BigInteger, nullable=False),
    Column("about", Text, nullable=False),
)
"""One row, if somebody has stored a look back: when it was made, after which entry of the log, when
the last contest took place that it knows of, and how it came about, as JSON."""

look_back_rows = Table(
    "look_back_rows",
    metadata,
    Column("player_id", Integer, primary_key=True),
    Column("contest_id", Integer, primary_key=True),
    Column("time", BigInteger, nullable=False),
    Column("rank", Integer, nullable=False),
    Column("estimate", Double, nullable=False),
    Column("sigma", Double, nullable=False),
    Column("without", Double, nullable=False),
    Column("without_sigma", Double, nullable=False),
    Column("believed", Double, nullable=False),
    Column("believed_sigma", Double, nullable=False),
    sqlite_with_rowid=False,
)
"""What it says of every participation. The number of a contest that was removed may become that of
another one, so that the `time` tells whether it is still meant."""

OF_HINDSIGHT = (look_back, look_back_rows)
"""Tables of what was looked back at: like those of a site, they are beside what counts."""
