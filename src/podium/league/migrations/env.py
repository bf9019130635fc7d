"""Runs the steps in the transaction of whoever asks, so that all of them happen or none."""

from alembic import context

if hasattr(context, "config"):  # which it has while Alembic runs this
    context.configure(
        connection=context.config.attributes["connection"],
        transactional_ddl=True,
        transaction_per_migration=False,
    )
    context.run_migrations()
