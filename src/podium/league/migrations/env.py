"""Runs the steps in the transaction of whoever asks, so that all of them happen or none."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    transactional_ddl=True,
    transaction_per_migration=False,
)
context.run_migrations()
