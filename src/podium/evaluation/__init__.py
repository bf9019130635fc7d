"""Measuring rating systems: populations to measure them on, and measures of predictions."""
