"""Leagues as earlier versions of podium made them."""

from podium.league import schema
from tests.league.tables import execute


def made_older(where: str, version: str = "0001") -> None:
    """Take a league back to an earlier version.

    0008 has no inbox; 0007 keeps no look back; 0006 has one row of beliefs for a player; 0005 no
    seasons, attributes,
    batches and tokens, 0004 no forecasts; 0003 keeps less of results and changes; in 0002 players
    share nothing; 0001 has no rules.
    """
    execute(where, "DROP TABLE inbox")
    if version == "0008":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
    execute(where, *(f"DROP TABLE {each.name}" for each in schema.OF_HINDSIGHT))
    if version == "0007":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
    blob = "BYTEA" if "://" in where else "BLOB"
    execute(
        where,
        "ALTER TABLE beliefs RENAME TO later_beliefs",
        f"CREATE TABLE beliefs (revision_id INTEGER, player_id INTEGER, record {blob} NOT NULL, "
        f"memory {blob} NOT NULL, PRIMARY KEY (revision_id, player_id))",
        "INSERT INTO beliefs SELECT revision_id, player_id, record, memory FROM later_beliefs "
        "WHERE id IN (SELECT belief_id FROM ratings)",
        "DROP TABLE later_beliefs",
        "DROP TABLE segments",
        _dropped("ratings.belief_id"),
    )
    if version == "0006":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
    execute(
        where,
        "DROP INDEX standings_by_player",
        _dropped("standings.batch"),
        "DROP TABLE batches",
        "CREATE INDEX standings_by_player ON standings (player_id)",
        _dropped("league.access"),
        *(f"DROP TABLE {each.name}" for each in schema.OF_THE_WEB if each is not schema.inbox),
    )
    added = [f"players.{name}" for name in ("display", "hidden", "guest")]
    added += [f"league.{name}" for name in ("attributes", "last_player")]
    new_tables = ("attributes", "seasons", "starts")
    execute(where, *map(_dropped, added), *(f"DROP TABLE {name}" for name in new_tables))
    if version == "0005":
        execute(where, f"UPDATE alembic_version SET version_num = '{version}'")
        return
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
