"""What all pictures share: their size, how axes look, and how they are written.

Their texts may be of strangers: none is taken for mathematics, and letters that the usual font
lacks are looked for in the other fonts of the machine.
"""

import functools
import logging
import unicodedata
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from podium.errors import InputError
from podium.extras import require
from podium.files import replacing
from podium.texts import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

COLOURS = ("#1f5fa8", "#d9822b", "#3a8f5c", "#b0413e", "#7a5ba6")
"""Blue, orange, green, red, violet: told apart in print too."""

_DOTS_PER_INCH = 100
_LONGEST_TITLE = 100
_LIKELY = ("CJK", "Arabic", "Emoji", "Han", "Hei", "Gothic", "Ming", "Song", "Naskh", "Noto", "Uni")
"""Parts of the names of fonts with many letters, which are looked at first."""
_NAMED = 6
"""Letters that no font has, in the warning."""


class FontWarning(UserWarning):
    """A picture has boxes in place of letters, because no font of the machine has them."""


def new_figure(height: float = 7.0, width: float = 12.0) -> "Figure":
    """An empty picture of this size in inches, which have 100 pixels each."""
    require("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    layout = ConstrainedLayoutEngine(w_pad=0.2, h_pad=0.15)
    figure = Figure(figsize=(width, height), dpi=_DOTS_PER_INCH, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def dress(axes: "Axes", title: str, x: str, y: str) -> None:
    """A title on the left, names of the axes, a grid behind the data, no frame."""
    shown = short(title, _LONGEST_TITLE)
    axes.set_title(shown, fontsize=17, loc="left", pad=14, parse_math=False)
    axes.set_xlabel(x, fontsize=12)
    axes.set_ylabel(y, fontsize=12)
    axes.tick_params(labelsize=11)
    axes.grid(True, color="0.9", lw=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend_above(axes: "Axes", *, small_marks: bool = False) -> None:
    """What the colours mean, beside the title, where it covers nothing; small marks larger."""
    axes.legend(
        frameon=False,
        fontsize=11,
        ncols=4,
        markerscale=2.0 if small_marks else 1.0,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
    )


def short(text: str, longest: int) -> str:
    """A text of strangers as one line of at most so many characters.

    Example:
        >>> short("a very long name", 7)
        'a very…'
    """
    line = visible(text[: longest + 1])
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def save(figure: "Figure", path: Path, *, math: bool = False) -> None:
    """Write a PNG; with `math`, texts may be podium's own formulas."""
    if path.suffix.lower() != ".png":
        raise InputError(f"{path}: the picture is a PNG, so its name must end in .png.")
    if not math:
        take_literally(figure)
    missing = _find_fonts(figure)
    if missing:
        warnings.warn(FontWarning(_without_fonts(missing)), stacklevel=2)
    with replacing(path) as temporary, _quietly():
        figure.savefig(temporary, format="png")


@contextmanager
def _quietly() -> Iterator[None]:
    """Without Matplotlib's words on every letter that no font has, and on fonts of one weight."""
    log = logging.getLogger("matplotlib.font_manager")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    finally:
        log.setLevel(level)


def take_literally(figure: "Figure") -> None:
    """Let no text be taken for a formula; but for numbers of the axes, which may be powers."""
    for text in _texts(figure):
        text.set_parse_math(False)
        text.set_usetex(False)


def _texts(figure: "Figure") -> "Iterator[Text]":
    """All texts but the numbers of the axes."""
    from matplotlib.axis import Axis
    from matplotlib.text import Text

    numbers = {each for axis in figure.findobj(Axis) for each in axis.findobj(Text)}
    for axis in figure.findobj(Axis):
        numbers.discard(axis.label)
    yield from (each for each in figure.findobj(Text) if each not in numbers)


def _find_fonts(figure: "Figure") -> frozenset[str]:
    """Give all texts fonts that have their letters; the letters that no font has."""
    unknown: set[str] = set()
    for text in _texts(figure):
        letters = {each for each in text.get_text() if not each.isascii() and _needs_a_font(each)}
        families = tuple(text.get_fontfamily())
        lacking = frozenset(each for each in letters if ord(each) not in _letters(families))
        if lacking:
            more, nowhere = _other_fonts(lacking)
            text.set_fontfamily([*families, *more])
            unknown |= nowhere
    return frozenset(unknown)


def _needs_a_font(letter: str) -> bool:
    """Whether it is seen by itself, as spaces, joiners and selectors of variants are not."""
    is_selector = 0xFE00 <= ord(letter) <= 0xFE0F
    return unicodedata.category(letter) not in ("Cc", "Cf", "Zs", "Zl", "Zp") and not is_selector


@functools.lru_cache(maxsize=8)
def _letters(families: tuple[str, ...]) -> frozenset[int]:
    """The letters that families of fonts have together."""
    from matplotlib.font_manager import FontProperties, findfont

    found: frozenset[int] = frozenset()
    for family in families:
        with suppress(ValueError), _quietly():  # it may not be there
            found |= _in_file(findfont(FontProperties(family=[family]), fallback_to_default=False))
    return found


def _in_file(path: str) -> frozenset[int]:
    """The letters that a font has; none if it is damaged."""
    from matplotlib.font_manager import get_font

    with suppress(RuntimeError, OSError):
        return frozenset(get_font(path).get_charmap())
    return frozenset()


@functools.lru_cache(maxsize=64)
def _other_fonts(letters: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Fonts of the machine that together have these letters, and the letters that none has."""
    chosen = []
    for family, path in _installed():
        if not letters:
            break
        here = _in_file(path)
        lacking = frozenset(each for each in letters if ord(each) not in here)
        if len(lacking) < len(letters):
            chosen.append(family)
            letters = lacking
    return tuple(chosen), letters


def _installed() -> list[tuple[str, str]]:
    """Names and files of all fonts but Matplotlib's own, the likeliest to help first."""
    from matplotlib import get_data_path
    from matplotlib.font_manager import fontManager

    own = get_data_path()
    fonts = [each for each in fontManager.ttflist if not each.fname.startswith(own)]
    fonts.sort(key=lambda each: (each.style == "normal", each.weight in (400, "normal")))
    files = {each.name: each.fname for each in fonts}  # of a family, the plainest
    return sorted(
        files.items(), key=lambda each: (not any(part in each[0] for part in _LIKELY), each[0])
    )


def _without_fonts(letters: Iterable[str]) -> str:
    first = sorted(letters)
    more = f" and {len(first) - _NAMED:,} more" if len(first) > _NAMED else ""
    return (
        f"no font of this machine has {' '.join(first[:_NAMED])}{more}, so the picture has boxes "
        f"in their place; Noto's fonts have them."
    )
