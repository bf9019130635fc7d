"""Beliefs as rows that are only added and removed, so that a change writes few pages of them."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_LONG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_SEGMENT = 1024


def upgrade() -> None:
    """All that there is so far is in force."""
    op.rename_table("beliefs", "earlier_beliefs")
    op.create_table(
        "beliefs",
        sa.Column("id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("revision_id", sa.Integer, nullable=False),
        sa.Column("player_id", sa.Integer, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("memory", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "segments",
        sa.Column("id", _LONG, primary_key=True, autoincrement=False),
        sa.Column("rows", sa.Integer, nullable=False),
        sa.Column("in_force", sa.Integer, nullable=False),
    )
    op.add_column("ratings", sa.Column("belief_id", sa.BigInteger))
    op.execute(
        "INSERT INTO beliefs (id, revision_id, player_id, record, memory) "
        "SELECT row_number() OVER (ORDER BY revision_id, player_id), revision_id, player_id, "
        "record, memory FROM earlier_beliefs ORDER BY revision_id, player_id"
    )
    op.drop_table("earlier_beliefs")
    op.create_index("beliefs_by_player", "beliefs", ["revision_id", "player_id"])
    op.execute(
        "UPDATE ratings SET belief_id = (SELECT id FROM beliefs WHERE beliefs.revision_id = "
        "ratings.revision_id AND beliefs.player_id = ratings.player_id)"
    )
    op.drop_index("beliefs_by_player", "beliefs")
    op.execute(
        f'INSERT INTO segments (id, "rows", in_force) '
        f"SELECT id / {_SEGMENT}, count(*), count(*) FROM beliefs GROUP BY id / {_SEGMENT}"
    )
