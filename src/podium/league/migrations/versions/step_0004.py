"""What a file said beyond the rank, and in the log what was before a change and after it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Nothing of it was kept until now."""
    for name in ("given_score", "given_status", "given_team"):
        op.add_column("standings", sa.Column(name, sa.Text))
    for name in ("before", "after"):
        op.add_column("log", sa.Column(name, sa.LargeBinary))
