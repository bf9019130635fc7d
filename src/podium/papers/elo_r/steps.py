"""Section 6.1: a player who always performed at 1000, and from one day on at 3000.

Performances are not entered but inferred, so the player wins contests against newcomers who are
far stronger, and whose ceiling is the performance that is wanted.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import pictures, systems
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.ratings.fold import rate
from podium.results.contests import Contests

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

BEFORE, AFTER = 1000.0, 3000.0
SETTLED = 300
"""Contests until convergence: by then, what was believed at first has a weight of 1e-23."""
PLAYED = 40
SHOWN = 20
"""Contests after the improvement: in all, and in the picture."""

_OPPONENTS = 10
_ABOVE = 2000.0
"""How much stronger than any performance the opponents are."""
_VERY_FAR = 1e5
_CLOSE = 100.0


class Curve(NamedTuple):
    """A system, and how it is drawn."""

    system: str
    parameters: dict[str, float | str]
    colour: str
    width: float
    line: str


_SAME_SCALES: dict[str, float | str] = {"sig_limit": 100.0, "weight_limit": 1.0 / 5.25}
"""Elo-R's defaults in the parameters of its successors: beta^2 = (1 + 5.25) 100^2 = 250^2."""

PAPERS = "Elo-R"
WITHOUT = "without outlier reduction"
CURVES = {
    PAPERS: Curve("elo-r", {"noise": "simple"}, pictures.COLOURS[0], 3.0, "-"),
    WITHOUT: Curve("elo-mmx", _SAME_SCALES, pictures.COLOURS[1], 3.0, "-"),
    "Elo-R, freeze-in": Curve("elo-r", {"noise": "freeze-in"}, pictures.COLOURS[0], 1.6, "--"),
    "Elo-MMR(0)": Curve("elo-mmr", {**_SAME_SCALES, "rho": 0.0}, pictures.COLOURS[2], 1.6, "-"),
    "Elo-MMR(1)": Curve("elo-mmr", {**_SAME_SCALES, "rho": 1.0}, pictures.COLOURS[3], 1.6, "-"),
    "Elo-MMR(∞)": Curve(
        "elo-mmr", {**_SAME_SCALES, "rho": float("inf")}, pictures.COLOURS[4], 1.6, "-"
    ),
}
"""The paper's blue and orange, the noise that it recommends, and what became of them."""

_STATED = {PAPERS: {1: 1048.0, 2: 1111.0, 6: 1875.0, 7: 2441.0}, WITHOUT: {1: 1320.0}}
"""Ratings by match, from the gains that the paper states."""


def ratings(system: str, levels: Sequence[float], **parameters: float | str) -> Floats:
    """The ratings of a player after performing at each of these levels in turn."""
    wanted = systems.build(system, mu_new=max(levels) + _ABOVE, **parameters)
    return rate(_contests(levels), wanted).history_of("player")["mu"].to_numpy()


def _contests(levels: Sequence[float]) -> Contests:
    """One contest for each level, all won by the same player, and capped at the level."""
    count, field = len(levels), 1 + _OPPONENTS
    number = np.repeat(np.arange(count), field)
    place = np.tile(np.arange(field), count)
    frame = pl.DataFrame({"number": number, "place": place}).select(
        contest="number",
        time=pl.datetime(2020, 1, 1) + pl.duration(days="number"),
        player=pl.when(place=0)
        .then(pl.lit("player"))
        .otherwise(pl.format("newcomer {}.{}", "number", "place")),
        rank=pl.min_horizontal("place", 1) + 1,
        perf_ceiling=np.asarray(levels, np.float64)[number],
    )
    return Contests.from_frame(frame, future=True)


def step_response(_: Data = NO_DATA, progress: Report = unseen) -> Reproduction:
    """The plot of section 6.1, with the successors of Elo-R, and its numbers."""
    levels = [BEFORE] * SETTLED + [AFTER] * PLAYED
    after = {}
    for done, (name, curve) in enumerate(CURVES.items()):
        after[name] = ratings(curve.system, levels, **curve.parameters)[SETTLED - 1 :]
        progress(done + 1, len(CURVES) + 1)
    furthest = ratings("elo-r", [BEFORE] * SETTLED + [_VERY_FAR], noise="simple")
    progress(len(CURVES) + 1, len(CURVES) + 1)
    numbers = pl.concat(
        pl.DataFrame({"system": name, "match": np.arange(PLAYED + 1), "rating": rating})
        for name, rating in after.items()
    )
    findings = _findings(after, float(np.diff(furthest)[-1]))
    return Reproduction(findings, _drawn(after), {"": numbers}, _remarks(after))


def _findings(after: dict[str, Floats], most: float) -> pl.DataFrame:
    robust, plain = after[PAPERS], after[WITHOUT]
    gain = np.diff(robust)
    share = np.diff(plain) / (AFTER - plain[:-1])
    stated = ["48", "63", *["over 100"] * 4, "566"]
    rows: list[tuple[str, str, str | None, float]] = [
        (PAPERS, f"gain in match {match + 1}", paper, gain[match])
        for match, paper in enumerate(stated)
    ]
    rows += [
        (PAPERS, "most that the first match can give", "48", most),
        (PAPERS, "rating after six", "1875", robust[6]),
        (WITHOUT, "gain in match 1", "320", plain[1] - plain[0]),
        (WITHOUT, "share of the gap, each match (%)", "about 16", 100.0 * share.mean()),
        (PAPERS, "match by which it has overtaken that", None, float(np.argmax(robust > plain))),
    ]
    for name in list(CURVES)[2:]:
        rows.append((name, "gain in match 1", None, after[name][1] - after[name][0]))
    for name, rating in after.items():
        matches = float(np.argmax(rating > AFTER - _CLOSE))
        rows.append((name, f"matches until within {_CLOSE:g} points", None, matches))
    return pl.DataFrame(rows, schema=["system", "quantity", "paper", "here"], orient="row")


def _remarks(after: dict[str, Floats]) -> tuple[str, ...]:
    gain, frozen = np.diff(after[PAPERS]), np.diff(after["Elo-R, freeze-in"])
    later = ", ".join(f"{each:.1f}" for each in frozen[:8])
    return (
        f"The paper says that the third and following matches give over 100 points each; the third "
        f"gives {gain[2]:.1f}. Its other numbers agree with that: from 1000 + 48 + 63 to 1875 "
        f"after six leaves {1875 - 1111} for four matches, and here they give "
        f"{gain[2:6].sum():.1f}.",
        f"The paper's numbers are those of the simple way to add noise. The way that it "
        f"recommends, freeze-in, which is podium's default, gives {later}: the old results yield "
        f"one match later.",
        "The curve without outlier reduction is Elo-MMχ with the same scales, 100 and 250, which "
        "is what the paper describes: performances averaged as normal measurements.",
        "Elo-MMR is not in that paper. It has the same two scales here, as standard deviations; "
        "those of Elo-R are 1.10 times a standard deviation. Elo-MMR(∞) is the memoryless outlier "
        "reduction that the paper warns of: match after match gives about the same.",
        f"Performances cannot be entered, so the player wins contests against {_OPPONENTS} "
        f"newcomers {_ABOVE:g} points above the performance that is wanted, which is the contest's "
        f"ceiling (perf_ceiling): {SETTLED} times {BEFORE:g}, then {AFTER:g}.",
    )


def _drawn(after: dict[str, Floats]) -> "Figure":
    figure = pictures.new_figure(6.2)
    axes = figure.add_subplot()
    pictures.dress(
        axes,
        f"Settled at {BEFORE:g}, now performing at {AFTER:g}",
        f"matches at {AFTER:g}",
        "rating",
    )
    match = np.arange(PLAYED + 1)
    for order, (name, curve) in enumerate(CURVES.items()):
        marker = "o" if name in _STATED else ""
        axes.plot(
            match, after[name], marker=marker, ms=6, ls=curve.line, lw=curve.width,
            color=curve.colour, label=name, zorder=10 - order,
        )  # fmt: skip
    for name, points in _STATED.items():
        axes.plot(
            list(points), list(points.values()), "o", ms=15, mfc="none", mew=1.6,
            color=CURVES[name].colour, zorder=11,
            label="stated in the paper" if name == PAPERS else None,
        )  # fmt: skip
    axes.axhline(AFTER, color="0.6", lw=1.0, ls=":")
    axes.set_xlim(0, SHOWN)
    axes.set_ylim(900.0, 3100.0)
    axes.set_xticks(range(0, SHOWN + 1, 2))
    axes.legend(frameon=False, fontsize=12, loc="lower right")
    return figure
