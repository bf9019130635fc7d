"""What was expected of a player just before a contest, where that is not what the rating says."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Podium's own system alone expects that; the fourth arithmetic rates its leagues anew."""
    for name in ("forecast", "spread"):
        op.add_column("events", sa.Column(name, sa.Double))
