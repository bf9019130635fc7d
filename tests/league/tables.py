"""All tables of a league, to compare two leagues row by row."""

import contextlib
import sqlite3
from typing import Any

from sqlalchemy import inspect, select, text

from podium.league import schema
from podium.league.database import Database


def all_tables(where: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, sorted.

    When and by whom things were done is left out, and so is in which batch rows have come, where
    beliefs are kept, and those that are no longer in force.
    """
    database = Database(where, wait=5.0)
    try:
        with database.reading() as connection:
            assert set(inspect(connection).get_table_names()) == {
                *schema.metadata.tables,
                "alembic_version",
            }
            return {
                table.name: sorted(
                    tuple(bytes(each) if isinstance(each, memoryview) else each for each in row)
                    for row in connection.execute(rows_of(table))
                )
                for table in schema.metadata.sorted_tables
                if table not in (schema.batches, schema.segments)
            }
    finally:
        database.close()


def rows_of(table: Any) -> Any:
    """What is compared of a table."""
    statement = select(*columns_of(table))
    return statement.where(schema.in_force()) if table is schema.beliefs else statement


def columns_of(table: Any) -> list[Any]:
    """The columns that are compared."""
    hidden = {"created", "batch", "last_player", "belief_id"}
    if table is schema.beliefs:
        hidden = {"id"}
    if table.name == "log":
        hidden = {"time", "who", "details"}
    if table is schema.notices:
        hidden = {"time"}
    return [column for column in table.c if column.name not in hidden]


def execute(where: str, *statements: str) -> None:
    """Change a league behind its back."""
    if "://" not in where:
        with contextlib.closing(sqlite3.connect(where)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        return
    database = Database(where, wait=5.0)
    with contextlib.closing(database), database._engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
