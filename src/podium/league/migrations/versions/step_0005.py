"""What was expected of a player just before a contest, where that is not what the rating says."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Podium's own system alone expects players elsewhere than it rates them; it rates anew."""
    for name in ("forecast", "spread"):
        op.add_column("events", sa.Column(name, sa.Double))
    op.execute("UPDATE revisions SET arithmetic = arithmetic - 1 WHERE system = 'podium'")
