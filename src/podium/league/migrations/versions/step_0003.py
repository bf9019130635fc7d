"""What all players share, and which arithmetic on which kind of machine rated a league."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Nothing was shared until now, and the arithmetic was the first, wherever."""
    arithmetic = sa.Column("arithmetic", sa.Integer, nullable=False, server_default="1")
    op.add_column("revisions", arithmetic)
    op.add_column("revisions", sa.Column("machine", sa.Text, nullable=False, server_default="{}"))
    op.add_column("revisions", sa.Column("shared", sa.LargeBinary))
    op.add_column("checkpoints", sa.Column("shared", sa.LargeBinary))
