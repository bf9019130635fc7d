"""A look back that is kept beside the ratings that count."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Nobody has looked back so far."""
    op.create_table(
        "look_back",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("entry", sa.Integer, nullable=False),
        sa.Column("made", sa.BigInteger, nullable=False),
        sa.Column("until", sa.BigInteger, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
    )
    numbers = ("estimate", "sigma", "without", "without_sigma", "believed", "believed_sigma")
    op.create_table(
        "look_back_rows",
        sa.Column("player_id", sa.Integer, primary_key=True),
        sa.Column("contest_id", sa.Integer, primary_key=True),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Double, nullable=False) for name in numbers),
        sqlite_with_rowid=False,
    )
