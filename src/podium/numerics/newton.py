"""A step towards the zero of a function, kept between where it has been found above and below."""

import math

from podium.numerics.compiled import kernel


@kernel
def stepped(x, value, step, stride, last_step, low, high):
    """One step from x, where a rising function has this `value`, by minus `step`.

    None is longer than the `stride`, which then doubles. Where it leads, the next stride, between
    what the zero lies now, and whether it was the last step.
    """
    if value > 0.0:
        high = x
    elif value < 0.0:
        low = x
    else:
        return x, stride, low, high, True
    if not abs(step) <= stride:
        step = math.copysign(stride, value)
        stride *= 2.0
    elif abs(step) < last_step:
        return x - step, stride, low, high, True
    x -= step
    return x if low < x < high else 0.5 * (low + high), stride, low, high, False
