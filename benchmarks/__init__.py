"""Podium beside its peers: every figure is measured in the run that prints it."""
