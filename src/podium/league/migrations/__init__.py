"""How the tables of a league came to be, step by step; Alembic runs the steps."""
