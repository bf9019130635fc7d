"""Contests, standings, players, ratings with their history, checkpoints and the log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "league",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("revision_id", sa.Integer, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("system", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("stale_time", sa.BigInteger),
        sa.Column("stale_contest", sa.Text, nullable=False, server_default=""),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
    )
    op.create_table(
        "aliases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("player_id", sa.Integer, nullable=False, index=True),
    )
    op.create_table(
        "contests",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("contest", sa.Text, nullable=False, unique=True),
        sa.Column("time", sa.BigInteger, nullable=False, index=True),
        sa.Column("name", sa.Text),
        sa.Column("players", sa.Integer, nullable=False),
        sa.Column("weight", sa.Double, nullable=False),
        sa.Column("perf_ceiling", sa.Double),
        sa.Column("margin", sa.Double),
        sa.Column("score", sa.Double),
        sa.Column("rated", sa.Boolean, nullable=False),
        sa.Column("rating_floor", sa.Double),
        sa.Column("rating_ceiling", sa.Double),
        sa.Column("detailed", sa.Boolean, nullable=False),
    )
    op.create_table(
        "standings",
        sa.Column("contest_id", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("eligible", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("team", sa.Text),
        sa.Column("side", sa.Integer),
        sa.Column("share", sa.Double),
        sa.Index("standings_by_player", "player_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "events",
        sa.Column("revision_id", sa.Integer, primary_key=True),
        sa.Column("contest_id", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("performance", sa.Double),
        sa.Column("mu_before", sa.Double),
        sa.Column("sigma_before", sa.Double),
        sa.Column("mu", sa.Double),
        sa.Column("sigma", sa.Double),
        sa.Column("rating", sa.Double),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ratings",
        sa.Column("revision_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("mu", sa.Double),
        sa.Column("sigma", sa.Double),
        sa.Column("contests", sa.Integer, nullable=False),
        sa.Column("last_time", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "beliefs",
        sa.Column("revision_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("memory", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "checkpoints",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("revision_id", sa.Integer, nullable=False, index=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("contest", sa.Text, nullable=False),
        sa.Column("contests", sa.Integer, nullable=False),
        sa.Column("rows", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "checkpoint_parts",
        sa.Column("checkpoint_id", sa.Integer, primary_key=True),
        sa.Column("part", sa.Integer, primary_key=True),
        sa.Column("beliefs", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "log",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("contest", sa.Text),
        sa.Column("player", sa.Text),
        sa.Column("why", sa.Text),
        sa.Column("details", sa.Text, nullable=False),
    )
    _let_the_log_only_grow()


def _let_the_log_only_grow() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION podium_log_only_grows() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the log of a league only grows'; END $$"
        )
        op.execute(
            "CREATE TRIGGER log_only_grows BEFORE UPDATE OR DELETE ON log "
            "FOR EACH ROW EXECUTE FUNCTION podium_log_only_grows()"
        )
        return
    for event in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER log_only_grows_{event.lower()} BEFORE {event} ON log "
            f"BEGIN SELECT RAISE(ABORT, 'the log of a league only grows'); END"
        )
