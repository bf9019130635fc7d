"""All tables of a league, to compare two leagues row by row."""

import contextlib
import sqlite3
from typing import Any

from sqlalchemy import inspect, select, text

from podium.league import schema
from podium.league.database import Database


def all_tables(where: str) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of every table, sorted; when and by whom things were done is left out."""
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
                    for row in connection.execute(select(*columns_of(table)))
                )
                for table in schema.metadata.sorted_tables
            }
    finally:
        database.close()


def columns_of(table: Any) -> list[Any]:
    """The columns that are compared."""
    hidden = {"created"} if table.name != "log" else {"time", "who", "details"}
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
