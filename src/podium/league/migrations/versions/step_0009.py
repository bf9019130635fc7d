"""Matches that wait to be rated."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_LONG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """There are none so far."""
    op.create_table(
        "inbox",
        sa.Column("id", _LONG, primary_key=True),
        sa.Column("contest", sa.Text, nullable=False, unique=True),
        sa.Column("time", sa.BigInteger),
        sa.Column("arrived", sa.BigInteger, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("who", sa.Text),
        sa.Column("defer", sa.Boolean, nullable=False),
        sa.Column("late", sa.Boolean, nullable=False),
        sa.Column("problem", sa.Text),
        sa.Column("kind", sa.Text),
    )
