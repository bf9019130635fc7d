"""Measuring rating systems: populations to measure them on, predictions, and the truth."""
