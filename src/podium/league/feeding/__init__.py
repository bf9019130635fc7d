"""Matches as they end: rated, kept and answered, many of them in one transaction."""
