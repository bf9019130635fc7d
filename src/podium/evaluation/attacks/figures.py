"""Attacks on rating systems, as pictures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium import pictures

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from podium.evaluation.attacks.contests import Farming
    from podium.evaluation.attacks.matches import Matchmaking
    from podium.systems.base import System

_HONEST, _ATTACKED, _, _THROWN = pictures.COLOURS[:4]
_PHASE = "0.95"


def farming_figure(attack: "Farming", tables: "Sequence[tuple[System, pl.DataFrame]]") -> "Figure":
    """The honest and the attacked ratings, a panel for each system."""
    figure = pictures.new_figure(1.0 + 4.5 * len(tables))
    panels = figure.subplots(len(tables), 1, sharex=True, squeeze=False)[:, 0]
    for number, (axes, (system, table)) in enumerate(zip(panels, tables, strict=True)):
        _farming_panel(axes, table)
        _phases(axes, attack.honest_first, attack.farming)
        if number == 0:
            axes.axhline(attack.threshold, color="0.5", lw=1.0, ls=":", label="threshold")
        gain = float(table["attacked"][-1] - table["control"][-1])
        title = f"{attack.player} by {system.name}: {gain:+,.0f} at the end"
        last = number == len(tables) - 1
        pictures.dress(axes, title, "contest of the player" if last else "", "rating")
        pictures.legend_above(axes)
    return figure


def _farming_panel(axes: "Axes", table: "pl.DataFrame") -> None:
    number = table["number"].to_numpy()
    attacked, thrown = table["attacked"].to_numpy(), table["thrown"].to_numpy()
    axes.plot(number, table["control"].to_numpy(), color=_HONEST, lw=2.0, label="honest")
    axes.plot(number, attacked, color=_ATTACKED, lw=2.0, label="attacked")
    axes.plot(
        number[thrown],
        attacked[thrown],
        "v",
        color=_THROWN,
        markersize=6,
        markeredgewidth=0,
        label="last on purpose",
    )
    axes.set_xlim(0.5, len(number) + 0.5)


def _phases(axes: "Axes", first: int, farming: int) -> None:
    """Shade the time of farming."""
    axes.axvspan(first + 0.5, first + farming + 0.5, color=_PHASE, lw=0, zorder=0)
    axes.annotate(
        "farming",
        (first + 0.5, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(6, -6),
        textcoords="offset points",
        va="top",
        color="0.45",
        fontsize=11,
    )


def matchmaking_figure(found: "Sequence[Matchmaking]") -> "Figure":
    """The ratings of farmers and honest twins, a panel for each system."""
    figure = pictures.new_figure(1.0 + 3.5 * len(found))
    panels = figure.subplots(len(found), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for number, (axes, attack) in enumerate(zip(panels, found, strict=True)):
        table = attack.table
        period = table["period"].to_numpy()
        for name, colour in (("honest", _HONEST), ("farmer", _ATTACKED)):
            low, high = (table[f"{name}_{end}"].to_numpy() for end in ("low", "high"))
            axes.fill_between(period, low, high, color=colour, alpha=0.22, lw=0)
            label = f"{name}, mean and 80 % of runs"
            axes.plot(period, table[name].to_numpy(), color=colour, lw=1.8, label=label)
        axes.axhline(attack.skill, color="0.5", lw=1.0, ls=":", label="true skill")
        _phases(axes, attack.honest_first, attack.farming)
        axes.set_xlim(0.5, len(period) + 0.5)
        peak = attack.summary["gain"][2]
        title = f"{attack.system.name}: {peak:+,.0f} at the peak"
        last = number == len(found) - 1
        pictures.dress(axes, title, "rating period" if last else "", "rating")
        pictures.legend_above(axes)
    return figure
