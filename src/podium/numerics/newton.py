"""A step towards the zero of a function, kept between where it has been found above and below."""

import math

from podium.numerics.compiled import kernel
from podium.numerics.lanes import between, lane, splat


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


@kernel
def halley(x, value, slope, bend, stride, last_step, low, high):
    """The same by Halley's method, from the first two derivatives: a step cubes the error."""
    step = value / slope
    step /= min(max(1.0 - 0.5 * step * bend / slope, 0.5), 2.0)
    return stepped(x, value, step, stride, last_step, low, high)


@kernel
def householder(value, slope, bend, third):
    """Eight steps of the third order, from three derivatives: each takes an error to its fourth.

    Without a look at where the zero lies.
    """
    newton = value / slope
    h, g = newton * bend / slope, newton * newton * third / slope
    return newton * between((1.0 - 0.5 * h) / (1.0 - h + g / 6.0), 0.5, 2.0)


@kernel
def householder_stepped(x, value, slope, bend, third, stride, last_step, low, high):
    """One such step, kept as in `stepped`."""
    step = lane(householder(splat(value), splat(slope), splat(bend), splat(third)), 0)
    return stepped(x, value, step, stride, last_step, low, high)
