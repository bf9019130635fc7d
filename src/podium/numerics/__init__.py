"""Compiled kernels. They know arrays, not players, contests or files."""
