"""The tables of a league, as the code of this version uses them.

They are made and changed by the steps in `migrations` only. Floating-point numbers that do not
exist (no uncertainty, no performance) are NULL; times are microseconds since 1970, UTC.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    true,
)

VERSION = "0005"
"""The step of `migrations` that makes these tables."""

metadata = MetaData()

league = Table(
    "league",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("revision_id", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("rules", Text, nullable=False, server_default="{}"),
)
"""One row: which revision is in force, and how ratings are shown, as JSON."""

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
)

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
    sqlite_with_rowid=False,
)
"""Who took which rank; positions are by rank and then by name. The last three are what a file said
beyond the rank, as it was given; the team only if players are rated alone nevertheless."""

standings_by_player = Index("standings_by_player", standings.c.player_id)

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
    Column("last_time", BigInteger, nullable=False),
    Column("shown", Double, nullable=False, server_default="0"),
    Index("ratings_by_rating", "revision_id", "shown"),
    sqlite_with_rowid=False,
)
"""What players have now: by the system, and as the league's rules show it."""

beliefs = Table(
    "beliefs",
    metadata,
    Column("revision_id", Integer, primary_key=True),
    Column("player_id", Integer, primary_key=True),
    Column("record", LargeBinary, nullable=False),
    Column("memory", LargeBinary, nullable=False),
)
"""What the system believes of players now, exactly: what it goes on from."""

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
