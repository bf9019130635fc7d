"""A line chart made of braille dots, for terminals."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille character: four rows of two."""


def shows_braille() -> bool:
    """Whether stdout can print such a chart."""
    try:
        "⠁┤".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return True


def line_chart(
    positions: Sequence[float],
    values: Sequence[float],
    *,
    width: int = 60,
    height: int = 6,
    digits: int = 0,
) -> list[str]:
    r"""The values as a line, with the highest and the lowest written beside it.

    Args:
        positions: Where each value stands from left to right, not decreasing.
        values: At least one.
        width: Characters of the line, without the numbers beside it.
        height: Lines of text.
        digits: Those behind the point of the numbers beside it.

    Example:
        >>> print(*line_chart([0, 1, 2, 3], [1500, 1700, 1600, 1800], width=8, height=2), sep="\n")
        1800 ┤  ⡠⣀  ⡠⠊
        1500 ┤⡠⠊  ⠉⠊
    """
    import numpy as np

    places = np.linspace(positions[0], positions[-1], 2 * width)
    heights = np.interp(places, positions, values)
    low, high = min(values), max(values)
    share = (heights - low) / (high - low) if high > low else np.full(len(heights), 0.5)
    levels = np.rint((1.0 - share) * (4 * height - 1)).astype(int)
    rows = _characters(_connected(levels, 4 * height))
    labels = [""] * height
    labels[-1], labels[0] = f"{low:.{digits}f}", f"{high:.{digits}f}"
    gutter = max(len(label) for label in labels)
    return [f"{label:>{gutter}} ┤{row}".rstrip() for label, row in zip(labels, rows, strict=True)]


def _connected(levels: "NDArray[np.int_]", height: int) -> "NDArray[np.bool_]":
    """A dot at the level of every column, and the dots between it and the level before."""
    import numpy as np

    before = np.concatenate((levels[:1], levels[:-1]))
    first = np.minimum(levels, np.where(before < levels, before + 1, before))
    last = np.maximum(levels, np.where(before > levels, before - 1, before))
    row = np.arange(height)[:, None]
    return (row >= first) & (row <= last)


def _characters(dots: "NDArray[np.bool_]") -> list[str]:
    import numpy as np

    height, width = dots.shape
    cells = dots.reshape(height // 4, 4, width // 2, 2)
    codes = np.einsum("rych,yh->rc", cells, np.array(_DOTS))
    return ["".join(chr(_BRAILLE + code) if code else " " for code in row) for row in codes]
