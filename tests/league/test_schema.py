"""The tables of the code are those that the migrations make."""

import re
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

import podium
from podium import League, Rules
from podium.league import schema
from podium.league.database import Database, fetch, insert


def test_the_tables_are_those_that_the_steps_make(where):
    League.create(where).close()
    database = Database(where, wait=1.0)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, schema.metadata) == []
    database.close()


def test_the_version_is_the_last_step():
    config = Config()
    config.set_main_option("script_location", str(Path(schema.__file__).parent / "migrations"))
    steps = ScriptDirectory.from_config(config)
    assert steps.get_heads() == [schema.VERSION]
    versions = [step.revision for step in steps.walk_revisions()]
    assert versions == sorted(versions, reverse=True)


def test_numbers_are_kept_in_double_precision(where):
    League.create(where).close()
    database = Database(where, wait=1.0)
    values = [0.1, 1e-308, 1.7976931348623157e308, 5e-324, -0.1 - 0.2]
    with database.writing() as connection:
        insert(
            connection,
            schema.ratings,
            {
                "revision_id": 1,
                "player_id": list(range(len(values))),
                "rating": values,
                "mu": values,
                "contests": 1,
                "last_time": 2**62,
                "shown": values,
            },
        )
        r = schema.ratings
        found = fetch(connection, r.select().order_by(r.c.player_id))
        assert found[2] == found[3] == found[7] == values
        assert set(found[6]) == {2**62}
        connection.rollback()
    database.close()


@pytest.mark.parametrize("table", sorted(schema.metadata.tables))
def test_every_table_has_a_primary_key(table):
    assert schema.metadata.tables[table].primary_key.columns


def test_the_statements_of_the_documentation_are_right(where):
    page = Path(__file__).parents[2] / "docs" / "league.md"
    board, story = re.findall(r"```sql\n(.*?);\n```", page.read_text(), re.DOTALL)
    with League.create(where, rules=Rules(display="mean")) as league:
        league.record(podium.simulate(players=9, rounds=6, participation=0.6, seed=4))
        league.rename("player-0003", "ann")
        league.revise("elo-mmr", rho=2.0)
        with league._database.reading() as connection:
            found = connection.execute(text(board)).fetchall()
            told = connection.execute(text(story)).fetchall()
        shown = league.leaderboard(None).select("player", "rating", "contests").rows()
        assert [tuple(row) for row in found] == shown
        assert [(row.contest, row.rank, row.performance) for row in told] == (
            league.history_of("ann").select("contest", "rank", "performance").rows()
        )
