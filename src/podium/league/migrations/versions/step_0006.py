"""Players as people, seasons, starting ratings, standings in batches, and who comes by the web."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Nobody has attributes, and nothing but contests has happened until now."""
    op.add_column("players", sa.Column("display", sa.Text))
    for name in ("hidden", "guest"):
        column = sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())
        op.add_column("players", column)
    op.add_column("league", sa.Column("attributes", sa.Text, nullable=False, server_default="[]"))
    last = sa.Column("last_player", sa.Integer, nullable=False, server_default="0")
    op.add_column("league", last)
    op.execute("UPDATE league SET last_player = (SELECT coalesce(max(id), 0) FROM players)")
    op.create_table(
        "attributes",
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("attribute", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
        sa.Index("attributes_by_value", "attribute", "value"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seasons",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("pull", sa.Double),
        sa.Column("toward", sa.Double),
        sa.Column("sigma", sa.Double),
    )
    op.create_table(
        "starts",
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("time", sa.BigInteger, primary_key=True),
        sa.Column("mu", sa.Double, nullable=False),
        sa.Column("sigma", sa.Double),
        sqlite_with_rowid=False,
    )
    _let_ratings_have_no_last_time()
    _put_standings_into_batches()
    _open_doors()


def _let_ratings_have_no_last_time() -> None:
    """Whoever has a starting rating need not have played."""
    if op.get_bind().dialect.name != "sqlite":
        op.alter_column("ratings", "last_time", existing_type=sa.BigInteger, nullable=True)
        return
    op.drop_index("ratings_by_rating", "ratings")
    op.rename_table("ratings", "ratings_before")
    op.create_table(
        "ratings",
        sa.Column("revision_id", sa.Integer, primary_key=True),
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("rating", sa.Double, nullable=False),
        sa.Column("mu", sa.Double),
        sa.Column("sigma", sa.Double),
        sa.Column("contests", sa.Integer, nullable=False),
        sa.Column("last_time", sa.BigInteger),
        sa.Column("shown", sa.Double, nullable=False, server_default="0"),
        sa.Index("ratings_by_rating", "revision_id", "shown"),
        sqlite_with_rowid=False,
    )
    columns = "revision_id, player_id, rating, mu, sigma, contests, last_time, shown"
    op.execute(f"INSERT INTO ratings ({columns}) SELECT {columns} FROM ratings_before")
    op.drop_table("ratings_before")


def _put_standings_into_batches() -> None:
    """An index by player in which new rows are not spread over all; those so far are one batch."""
    op.create_table(
        "batches",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("rows", sa.BigInteger, nullable=False),
    )
    op.drop_index("standings_by_player", "standings")
    op.add_column("standings", sa.Column("batch", sa.Integer, nullable=False, server_default="0"))
    op.create_index("standings_by_player", "standings", ["batch", "player_id"])
    count = "SELECT 0, count(*) FROM standings HAVING count(*) > 0"
    op.execute(f'INSERT INTO batches (id, "rows") {count}')


def _open_doors() -> None:
    """Everybody may read so far, nobody has a token, and nothing is announced to anybody."""
    access = sa.Column("access", sa.Text, nullable=False, server_default="public")
    op.add_column("league", access)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("expires", sa.BigInteger),
        sa.Column("revoked", sa.BigInteger),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.LargeBinary, primary_key=True),
        sa.Column("token_id", sa.Integer, nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "limits",
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("free", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "answers",
        sa.Column("token_id", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("answer", sa.LargeBinary, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "drafts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("token_id", sa.Integer, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "live",
        sa.Column("contest", sa.Text, primary_key=True),
        sa.Column("name", sa.Text),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("updated", sa.BigInteger, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("standings", sa.LargeBinary),
        sa.Column("state", sa.Text, nullable=False, server_default=""),
        sa.Column("prediction", sa.LargeBinary),
        sa.Column("source", sa.Text),
        sa.Column("every", sa.Integer),
        sa.Column("options", sa.Text, nullable=False, server_default="{}"),
        sa.Column("due", sa.BigInteger),
        sa.Column("problem", sa.Text),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("kinds", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("creator", sa.Text, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    )
    op.create_table(
        "deliveries",
        sa.Column("webhook_id", sa.Integer, primary_key=True),
        sa.Column("notice_id", sa.Integer, primary_key=True),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("due", sa.BigInteger),
        sa.Column("delivered", sa.BigInteger),
        sa.Column("status", sa.Integer),
        sa.Column("problem", sa.Text),
        sa.Index("deliveries_by_due", "due"),
    )
    op.create_table(
        "leases",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
    )
