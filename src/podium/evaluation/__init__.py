"""Measuring rating systems: for now, the populations to measure them on."""
