"""Rules of how ratings are shown, and an index to show the best by them."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Show what was the rating until now."""
    op.add_column("league", sa.Column("rules", sa.Text, nullable=False, server_default="{}"))
    op.add_column("ratings", sa.Column("shown", sa.Double, nullable=False, server_default="0"))
    op.execute("UPDATE ratings SET shown = rating")
    op.create_index("ratings_by_rating", "ratings", ["revision_id", "shown"])
