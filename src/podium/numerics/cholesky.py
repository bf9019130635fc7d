"""Symmetric systems of equations, the same to the bit whatever libraries and threads there are.

Libraries of linear algebra choose the order of sums by the number of threads. Systems here have at
most some thousand unknowns, for which Cholesky's factors, row by row in `lanes`, are quick enough.
"""

import math

import numpy as np

from podium.numerics.compiled import kernel
from podium.numerics.lanes import WIDTH, fused, load_until, splat, total

_NOTHING = 1e-13
"""Of the diagonal: what is left of less than that is rounding."""


@kernel
def dot(a, b, count):
    """The sum of products of the first `count` numbers."""
    sums = splat(0.0)
    for k in range(0, count, WIDTH):
        sums = fused(load_until(a, k, count, 0.0), load_until(b, k, count, 0.0), sums)
    return total(sums)


@kernel
def factor(A):
    """L with ``A = L L'``, of which the part below the diagonal is looked at.

    A direction in which A is nothing has a column of zeros, so that A may be semidefinite.
    """
    count = A.shape[0]
    L = np.zeros((count, count))
    for i in range(count):
        row = L[i]
        for j in range(i):
            if L[j, j] > 0.0:
                row[j] = (A[i, j] - dot(row, L[j], j)) / L[j, j]
        left = A[i, i] - dot(row, row, i)
        row[i] = math.sqrt(left) if left > _NOTHING * A[i, i] else 0.0
    return L


@kernel
def solve(L, b):
    """X with ``L L' x = b``; nothing in directions in which there is nothing."""
    count = L.shape[0]
    x = b.copy()
    for i in range(count):
        x[i] = (x[i] - dot(L[i], x, i)) / L[i, i] if L[i, i] > 0.0 else 0.0
    for i in range(count - 1, -1, -1):
        x[i] = x[i] / L[i, i] if L[i, i] > 0.0 else 0.0
        for j in range(i):
            x[j] -= L[i, j] * x[i]
    return x


@kernel
def inverse(L):
    """The inverse of ``L L'``, symmetric to the bit."""
    count = L.shape[0]
    K = np.zeros((count, count))
    for j in range(count):  # rows of K are columns of the inverse of L
        if L[j, j] > 0.0:
            K[j, j] = 1.0 / L[j, j]
            for i in range(j + 1, count):
                if L[i, i] > 0.0:
                    K[j, i] = -_dot_between(L[i], K[j], j, i) / L[i, i]
    out = np.empty((count, count))
    for i in range(count):
        for j in range(i + 1):
            out[i, j] = out[j, i] = _dot_between(K[i], K[j], i, count)
    return out


@kernel
def _dot_between(a, b, first, last):
    """The sum of products of the numbers from `first` on and before `last`."""
    sums = splat(0.0)
    for k in range(first, last, WIDTH):
        sums = fused(load_until(a, k, last, 0.0), load_until(b, k, last, 0.0), sums)
    return total(sums)


@kernel
def product(A, B):
    """``A B'``, whatever their shapes."""
    rows, columns, inner = A.shape[0], B.shape[0], A.shape[1]
    out = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = dot(A[i], B[j], inner)
    return out
