"""Leagues as earlier versions of podium made them."""

from tests.league.tables import execute


def made_older(where: str, version: str = "0001") -> None:
    """Take a league back to 0004, which knows of no forecasts; to 0003, which keeps less of
    results and changes; to 0002, in which players share nothing; or to 0001, without rules."""
    execute(where, *(_dropped(f"events.{name}") for name in ("forecast", "spread")))
    if version == "0004":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
    later = [f"standings.given_{name}" for name in ("score", "status", "team")]
    later += ["log.before", "log.after"]
    execute(where, *(_dropped(column) for column in later))
    if version == "0003":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
    added = ("revisions.arithmetic", "revisions.machine", "revisions.shared", "checkpoints.shared")
    execute(where, *(_dropped(column) for column in added))
    if version == "0001":
        execute(
            where,
            "DROP INDEX ratings_by_rating",
            *(_dropped(column) for column in ("ratings.shown", "league.rules")),
        )
    execute(where, f"UPDATE alembic_version SET version_num = '{version}'")


def _dropped(column: str) -> str:
    table, name = column.split(".")
    return f"ALTER TABLE {table} DROP COLUMN {name}"
