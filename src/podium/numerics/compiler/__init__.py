"""Numba's compiler as kernels use it: its steps, its rules for what kernels are made of.

Kernels mean what they would mean to Numba; they are compiled in less than half of the time. Only
`podium.numerics.compiled` needs to be known to write one.
"""
