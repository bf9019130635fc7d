"""Which system is best: backtests, measures, tuning, populations with known skills, and attacks."""
