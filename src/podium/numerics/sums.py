"""Sums in an order that is written down, so that no compiler chooses one."""

from podium.numerics.compiled import kernel


@kernel
def total(values):
    """Their sum, in eight parts, so that additions need not wait for each other."""
    a = b = c = d = e = f = g = h = 0.0
    eights = values.shape[0] // 8
    for eight in range(eights):
        i = 8 * eight
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    for i in range(8 * eights, values.shape[0]):
        a += values[i]
    return ((a + b) + (c + d)) + ((e + f) + (g + h))
