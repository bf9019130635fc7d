"""What a system has learned from everybody's results: tables, a picture and a document."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from podium import pictures, systems
from podium.documents import as_document
from podium.errors import InputError
from podium.files import as_path
from podium.progress import Progress, reporting
from podium.ratings.fold import ready_to_fold
from podium.results.contests import Contests
from podium.systems.base import System
from podium.systems.lessons import Curve, Line, Number
from podium.wording import listed

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes

_TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
"""Of a logarithmic axis."""
_LINEAR = 1.0
"""Up to here a logarithmic axis is linear, so that it can begin with 0."""
_POINT = ("x", "value", "error")


@dataclass(frozen=True, eq=False)
class Learned:
    """What contests have taught a system about all players."""

    system: System
    contests: int
    players: int
    curves: tuple[Curve, ...]
    numbers: tuple[Number, ...]

    @property
    def table(self) -> pl.DataFrame:
        """All points of all curves: curve, line, x, value and error, its standard error if known.

        Numbers are points without a line and an x.
        """
        rows: list[tuple[Any, ...]] = [
            (each.name, None, None, each.value, each.error) for each in self.numbers
        ]
        for curve in self.curves:
            for line in curve.lines:
                rows += [(curve.name, line.name or None, *each.values()) for each in _points(line)]
        kinds = dict.fromkeys(("curve", "line"), pl.String())
        schema = {**kinds, **dict.fromkeys(_POINT, pl.Float64())}
        return pl.DataFrame(rows, schema, orient="row").with_columns(pl.col("error").fill_nan(None))

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return as_document(
            {
                "system": self.system.name,
                "parameters": self.system.stored_parameters(),
                "contests": self.contests,
                "players": self.players,
                "numbers": [_told(each, "meaning", "value", "error") for each in self.numbers],
                "curves": [
                    {
                        **_told(curve, "title", "across", "along"),
                        "lines": [
                            {"name": line.name or None, "points": _points(line)}
                            for line in curve.lines
                        ],
                    }
                    for curve in self.curves
                ],
            }
        )

    def picture(self, path: "str | os.PathLike[str]") -> None:
        """Draw all curves, with twice their standard errors on both sides, as a PNG."""
        if not self.curves:
            raise InputError(
                f"{self.contests:,} contests are too few for a curve, so there is no picture."
            )
        beside = 3 if len(self.curves) <= 6 else 4
        down = -(-len(self.curves) // beside)
        figure = pictures.new_figure(1.2 + 5.0 * down, 6.0 * beside)
        panels = figure.subplots(down, beside, squeeze=False).ravel()
        for axes, curve in zip(panels, self.curves, strict=False):
            _draw(axes, curve)
        for axes in panels[len(self.curves) :]:
            axes.set_visible(False)
        figure.suptitle(self.headline, fontsize=17, x=0.015, ha="left")
        pictures.save(figure, as_path(path))

    @property
    def headline(self) -> str:
        """What it is about, and all numbers."""
        numbers = (f"{each.name} {shown(each)}" for each in self.numbers)
        return (
            f"Learned by {self.system.name} from {self.contests:,} contests: {', '.join(numbers)}"
        )


def learned(
    contests: Contests,
    system: str | System = "podium",
    *,
    progress: Progress | None = None,
    **parameters: Any,
) -> Learned:
    """Rate contests; what they have taught about all players.

    Args:
        contests: What `podium.read` or one of the constructors of `podium.Contests` returned.
        system: One that learns from all players what holds for all of them, by name with
            `parameters`, or as an object.
        progress: True for a bar, or a function that is told the rows done and the rows in all.
        **parameters: Parameters of the system.

    Example:
        >>> import podium
        >>> season = podium.simulate(players=60, rounds=40, participation=0.5, seed=1)
        >>> found = podium.learned(season)
        >>> [each.name for each in found.curves]
        ['experience', 'absence', 'practice', 'rating', 'spread']
        >>> found.table.columns
        ['curve', 'line', 'x', 'value', 'error']
    """
    beliefs, columns = ready_to_fold(contests, system, None, parameters)
    chosen = beliefs.system
    if type(chosen).lessons is System.lessons:
        raise InputError(
            f"{chosen.name} learns nothing that all players share; {listed(_learning())} does."
        )
    with reporting(progress, "Learning") as report:
        found = chosen.lessons(beliefs, columns, report)
    assert found is not None
    return Learned(chosen, len(contests), len(beliefs), tuple(found.curves), tuple(found.numbers))


def _learning() -> list[str]:
    """The systems that learn."""
    names = systems.names()
    return [each for each in names if systems.by_name(each).lessons is not System.lessons]


def shown(number: Number) -> str:
    """A number with its error, for people.

    Example:
        >>> shown(Number("side", "what the side is worth", 75.63, 10.4, 0))
        '76 ± 10'
    """
    error = "" if number.error != number.error else f" ± {number.error:.{number.decimals}f}"
    return f"{number.value:,.{number.decimals}f}{error}"


def _points(line: Line) -> list[dict[str, float]]:
    columns = (line.x.tolist(), line.value.tolist(), line.error.tolist())
    return [dict(zip(_POINT, each, strict=True)) for each in zip(*columns, strict=True)]


def _told(of: Curve | Number, *names: str) -> dict[str, Any]:
    return {name: getattr(of, name) for name in ("name", *names)}


def _draw(axes: "Axes", curve: Curve) -> None:
    for line, colour in zip(curve.lines, pictures.COLOURS, strict=False):
        low, high = line.value - 2.0 * line.error, line.value + 2.0 * line.error
        if line.points:
            axes.errorbar(
                line.x, line.value, 2.0 * line.error, fmt="o", ms=4.0, color=colour, label=line.name
            )
            continue
        axes.fill_between(line.x, low, high, color=colour, alpha=0.15, lw=0)
        axes.plot(
            line.x, line.value, color=colour, lw=2.0, marker=".", zorder=3, label=line.name or None
        )
    pictures.dress(axes, curve.title, curve.across, curve.along)
    axes.set_title(curve.title, fontsize=13, loc="left", pad=10, color="0.25")
    if curve.logarithmic:
        axes.set_xscale("symlog", linthresh=_LINEAR)
        first, last = axes.get_xlim()
        shown = [tick for tick in _TICKS if first <= tick <= last]
        axes.set_xticks(shown, [f"{tick}" for tick in shown])
        axes.xaxis.minorticks_off()
    if len(curve.lines) > 1:
        axes.legend(frameon=False, fontsize=10)
