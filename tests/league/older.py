"""Leagues as earlier versions of podium made them."""

from tests.league.tables import execute


def made_older(where: str) -> None:
    """Take a league back to version 0001: no rules, and no ratings by rules."""
    execute(
        where,
        "DROP INDEX ratings_by_rating",
        "ALTER TABLE ratings DROP COLUMN shown",
        "ALTER TABLE league DROP COLUMN rules",
        "UPDATE alembic_version SET version_num = '0001'",
    )
