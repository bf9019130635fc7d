"""Pictures that stand alone, to be shown by other sites: they bring their own colours."""

from collections.abc import Mapping, Sequence
from typing import Any

from podium.errors import InputError
from podium.markup import Markup, joined
from podium.web.charts.career import career_data, drawing, summary
from podium.web.charts.lettering import cut, isolated, number, width
from podium.web.charts.svg import tag
from podium.web.charts.tones import DARK, LIGHT, Titles, shade

_NAMESPACE = "http://www.w3.org/2000/svg"
_FONT = "Verdana,DejaVu Sans,Geneva,sans-serif"
_GREY = "#4a5159"
_WIDTH, _HEIGHT = 720, 360
_STYLE = """\
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--quiet)}
.ground{fill:var(--ground)}
.heading{font-size:15px;font-weight:600;fill:var(--ink)}
.now{font-size:15px;fill:var(--ink)}
.start{text-anchor:start}.end{text-anchor:end}.foot text,.best text{text-anchor:middle}
.foot .start,.best .start{text-anchor:start}.foot .end,.best .end,.grid .end{text-anchor:end}
.grid line{stroke:var(--grid)}.foot line{stroke:var(--quiet)}
.seasons line{stroke:var(--quiet);stroke-dasharray:2 3}.seasons text{font-size:11px}
.band rect{fill-opacity:.08}.band text{font-size:11px}
.stretch path{fill:none;vector-effect:non-scaling-stroke;stroke-linecap:round;stroke-linejoin:round}
.stretch .line{stroke:var(--line);stroke-width:1.8}
.stretch .spread{fill:var(--line);fill-opacity:.14}
.stretch .dots{stroke:var(--line);stroke-width:3.5}
.stretch .performances{stroke:var(--quiet);stroke-width:4;stroke-opacity:.4}
.stretch .beyond{stroke-opacity:.2}
.points circle{fill:none}
.best circle{fill:none;stroke:var(--ink);stroke-width:1.5}
.best text{fill:var(--ink);stroke:var(--ground);stroke-width:3;paint-order:stroke}
"""


def badge(
    name: str,
    rating: float,
    title: str | None = None,
    tone: str = "tone-5",
    *,
    digits: int = 0,
    provisional: bool = False,
) -> Markup:
    """A small sign with a name and a rating, on the colour of the title.

    Args:
        name: The player; a long name is cut.
        rating: What is shown beside it.
        title: The title, behind the rating.
        tone: The class of its colour, as `tone` gives it.
        digits: How many there are behind the point of the rating.
        provisional: Whether a question mark stands behind it.

    Example:
        >>> drawn = badge("ann", 1540.4, "expert", "tone-3")
        >>> drawn.startswith("<svg xmlns="), "1,540 expert" in drawn
        (True, True)
    """
    left = cut(name, 180, 11)
    right = number(rating, digits) + ("?" if provisional else "")
    if title:
        right = f"{right} {cut(title, 120, 11)}"
    widths = [width(text, 11) for text in (left, right)]
    middle, whole = widths[0] + 12, widths[0] + widths[1] + 24
    said = f"{isolated(name)}: {right}"
    texts = (
        tag(
            "text",
            text,
            x=x,
            y=14,
            textLength=wide,
            lengthAdjust="spacingAndGlyphs",
            unicode_bidi="isolate",
        )
        for text, x, wide in ((left, 6.0, widths[0]), (right, middle + 6, widths[1]))
    )
    colour = shade(tone or "tone-5", LIGHT)
    return tag(
        "svg",
        tag("title", said),
        tag("clipPath", tag("rect", width=whole, height=20, rx=4), id="edge"),
        tag(
            "g",
            tag("rect", width=middle, height=20, fill=_GREY),
            tag("rect", x=middle, width=whole - middle, height=20, fill=colour),
            clip_path="url(#edge)",
        ),
        tag("g", *texts, fill="#ffffff", font_family=_FONT, font_size=11),
        xmlns=_NAMESPACE,
        width=whole,
        height=20,
        role="img",
        aria_label=said,
    )


def curve_svg(
    document: Mapping[str, Any],
    titles: Titles = (),
    theme: str | None = None,
    *,
    digits: int = 0,
) -> Markup:
    """The curve of a player's rating as a file of its own, 720 by 360.

    Args:
        document: That of a player, with its history.
        titles: The lowest rating and the title it earns, of each, and if wanted its class.
        theme: ``light`` or ``dark``; by default as the reader likes it.
        digits: How many there are behind the point of a rating.
    """
    if theme not in (None, "light", "dark"):
        raise InputError(f"theme must be light or dark, not {theme!r}.")
    data = career_data(document, titles=titles, digits=digits)
    rating = number(document.get("rating"), digits)
    content: list[str] = [
        tag("style", Markup(_style(theme, [colour for *_, colour in data["titles"]]))),
        tag("rect", width=_WIDTH, height=_HEIGHT, rx=8, class_="ground"),
        tag("text", cut(document["player"], 480, 15), x=24, y=30, class_="heading"),
        tag("text", rating, x=_WIDTH - 24, y=30, class_="now end"),
    ]
    said = f"{isolated(document['player'])}: no rated contests."
    if data["time"]:
        said = summary(data)
        height = _HEIGHT - 84
        plot = tag(
            "svg",
            drawing(data, height),
            x=60,
            y=46,
            width=_WIDTH - 84,
            height=height,
            overflow="visible",
        )
        content.append(plot)
    else:
        content.append(tag("text", "no rated contests", x=24, y=60))
    return joined(
        tag(
            "svg",
            tag("title", said),
            *content,
            xmlns=_NAMESPACE,
            viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
            width=_WIDTH,
            height=_HEIGHT,
            role="img",
            aria_label=said,
        )
    )


def _style(theme: str | None, tones: Sequence[str]) -> str:
    colours = _variables(_palette(DARK if theme == "dark" else LIGHT, tones))
    if theme is None:
        dark = _variables(_palette(DARK, tones))
        colours += f"@media (prefers-color-scheme:dark){{{dark}}}\n"
    bands = "".join(
        f".{name} rect{{fill:var(--{name})}}.{name} text{{fill:var(--{name})}}"
        for name in _palette(LIGHT, tones)
        if name.startswith("tone-")
    )
    return f"{colours}{_STYLE}{bands}"


def _palette(palette: dict[str, str], tones: Sequence[str]) -> dict[str, str]:
    """The colours of a palette, and those of titles that have others."""
    return {**palette, **{each: shade(each, palette) for each in tones}}


def _variables(colours: Mapping[str, str]) -> str:
    return f"svg{{{';'.join(f'--{name}:{value}' for name, value in colours.items())}}}\n"
