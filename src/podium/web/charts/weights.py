"""Which performances a skill is an average of, and how much each counts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podium.markup import Markup, joined
from podium.web.charts.axes import Scale, number_ticks
from podium.web.charts.lettering import isolated, number, percent
from podium.web.charts.svg import at, figure, grid, picture, tag
from podium.wording import counted

_HEIGHT = 200
_MOST = 40
_CUT, _NOTED = 0.7, 0.02
"""A share is called cut below this part of what its age gives, if that is more than this.

So the words of an explanation do, and the picture must not say otherwise.
"""


def weights(
    document: Mapping[str, Any],
    *,
    href: Callable[[str], str] | None = None,
    digits: int = 0,
    height: int = _HEIGHT,
) -> Markup:
    """The shares of past performances, the oldest on the left; nothing if the system keeps none.

    Args:
        document: That of an explanation.
        href: The address of a contest, by its identifier; None for no links.
        digits: How many there are behind the point of a rating.
        height: Of the part between the axes, in pixels.
    """
    average = document["average"]
    performances = average.get("performances", [])
    if not performances:
        return Markup("")
    bars = _bars(average, performances, digits, document.get("name") or document["contest"])
    y = Scale(0.0, 1.08 * max(max(bar.share, bar.plain) for bar in bars))
    wide = 1 / len(bars)
    columns = (
        _column(bar, (index + 0.12) * wide, 0.76 * wide, y, height, href)
        for index, bar in enumerate(bars)
    )
    ticks = [(value, percent(value)) for value, _ in number_ticks(y, 4)]
    drawn = joined(
        grid(ticks, y, height),
        tag("g", tag("line", x2="100%", y1=height, y2=height), *_ends(bars, height), class_="foot"),
        *columns,
    )
    keys = [("key-bars", "share of the new skill"), ("key-base", "older results, first belief")]
    if any(bar.is_cut for bar in bars):
        keys.append(("key-cut", "cut, as it is far from the others"))
        keys.append(("key-plain", "its share by age alone"))
    singly = len(performances) <= _MOST
    note = "" if singly else f"The last {_MOST} contests are drawn one by one."
    said = _summary(performances, average.get("base_share", 0.0))
    role = "img" if href is None else "group"
    return figure("weights", picture(height, said, drawn, role=role), keys=keys, note=note)


def _is_cut(share: float, plain: float) -> bool:
    return plain > _NOTED and share < _CUT * plain


@dataclass(frozen=True)
class Bar:
    """A column of the chart."""

    share: float
    plain: float
    """The share that it would have by its age alone."""
    said: str
    kind: str = "mark"
    contest: str | None = None

    @property
    def is_cut(self) -> bool:
        """Whether it counts less than its age gives it."""
        return _is_cut(self.share, self.plain)


def _bars(
    average: Mapping[str, Any], performances: list[Mapping[str, Any]], digits: int, contest: str
) -> list[Bar]:
    """The first belief, older contests together if there are many, and the rest one by one."""
    base, share = average.get("base"), average.get("base_share", 0.0)
    said = f"older results and the first belief, at {number(base, digits)}: {percent(share)}"
    bars = [Bar(share, share, said, "mark base")]
    older, recent = performances[:-_MOST], performances[-_MOST:]
    if older:
        together = sum(each["share"] for each in older)
        said = f"{counted(len(older), 'earlier contest')} together: {percent(together)}"
        bars.append(Bar(together, together, said, "mark base"))
    return [*bars, *(_bar(each, digits, contest) for each in recent)]


def _bar(each: Mapping[str, Any], digits: int, contest: str) -> Bar:
    share, plain = each["share"], each["plain_share"]
    ago = f"{counted(each['ago'], 'contest')} ago" if each["ago"] else "this contest"
    name = each["contest"] if each["ago"] else contest
    said = ago if name is None else f"{isolated(name)}, {ago}"
    said += f": performance {number(each['performance'], digits)} counts {percent(share)}"
    if _is_cut(share, plain):
        said += f", by age alone {percent(plain)}"
    return Bar(share, plain, said, "mark cut" if _is_cut(share, plain) else "mark", each["contest"])


def _column(
    bar: Bar,
    left: float,
    wide: float,
    y: Scale,
    height: float,
    href: Callable[[str], str] | None,
) -> Markup:
    place = {"x": at(left), "width": at(wide)}
    whole = Markup("")
    if bar.is_cut:
        tall = height * y(bar.plain)
        whole = tag("rect", y=height - tall, height=tall, class_="plain", **place)
    tall = max(height * y(bar.share), 1.0)  # a share of almost nothing is a line
    said = tag("title", bar.said)
    drawn = tag("rect", said, y=height - tall, height=tall, class_=bar.kind, **place)
    if href is None or bar.contest is None:
        return joined(whole, drawn)
    return joined(whole, tag("a", drawn, href=href(bar.contest), aria_label=bar.said))


def _ends(bars: list[Bar], height: float) -> list[Markup]:
    """What the first and the last column are."""
    if len(bars) < 4:
        names = ["before", "this contest"] if len(bars) == 2 else ["before", "", "this contest"]
        return [
            tag("text", name, x=at((index + 0.5) / len(bars)), y=height + 18)
            for index, name in enumerate(names[: len(bars)])
        ]
    return [
        tag("text", "the oldest", x=0, y=height + 18, class_="start"),
        tag("text", "this contest", x="100%", y=height + 18, class_="end"),
    ]


def _summary(performances: list[Mapping[str, Any]], base_share: float) -> str:
    shares = [each["share"] for each in performances]
    cut = sum(_is_cut(each["share"], each["plain_share"]) for each in performances)
    said = (
        f"Shares of the new skill: this performance {percent(shares[-1])}, "
        f"{counted(len(shares) - 1, 'earlier one')} {percent(sum(shares[:-1]))}, "
        f"older results and the first belief {percent(base_share)}."
    )
    return said + (f" The shares of {cut:,} are cut, as they are far from the others." * bool(cut))
