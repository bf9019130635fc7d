"""A simulation of rules as one HTML page: numbers with intervals, pictures, every group."""

import math
import os
from collections.abc import Sequence

import numpy as np

from podium import pictures
from podium.evaluation.report import legend, look, style, written
from podium.extras import require
from podium.files import replacing
from podium.markup import Markup, element, page, scrolling
from podium.matchmaking.simulating import GROUPS, HIGHER_IS_BETTER, MEASURES, Simulation
from podium.wording import NOTHING, counted

_DIGITS = {"tickets": 0, "order": 3}
_MEANINGS = (
    (
        "wait",
        "From coming, or from the end of the match before, to the next match, or to giving up.",
    ),
    ("favourite", "How often the better side wins by the true skills; 50 % is even."),
    ("quality", "What the rating system thought of the same matches, before them."),
    (
        "error",
        "Of ratings at the end, mapped to skills by the line that fits best: root mean square.",
    ),
    ("order", "Of ratings at the end and true skills, by Spearman."),
    ("best, worst", "The tenth of players with the highest and with the lowest true skill."),
    ("quiet hours", "Of the hours of a day in which somebody comes, the quietest quarter."),
)


def report(simulation: Simulation, *, title: str, command: str | None = None) -> str:
    """A simulation as a page that needs nothing else; the same arguments give the same page.

    Example:
        >>> from podium.matchmaking.rules import Rules
        >>> from podium.matchmaking.simulating import Population, simulate
        >>> small = Population(players=30, hours=1, sessions=20, seed=1)
        >>> page = report(simulate({"<any>": Rules()}, small, repeats=1), title="Who meets whom")
        >>> "<h1>Who meets whom</h1>" in page, "&lt;any&gt;" in page
        (True, True)
    """
    require("matplotlib")
    labels = simulation.labels
    hours = round(simulation.length, 1)
    length = "1 hour" if hours == 1.0 else f"{hours:g} hours"
    lead = (
        f"{counted(simulation.players, 'player')} of known skill through {length}, "
        f"{counted(simulation.repeats, 'time')}, rated by {simulation.system}. Every kind of rules "
        f"saw the same arrivals and the same luck."
    )
    parts = [element("section", element("h2", "Altogether"), _table(simulation, "all"))]
    if len(labels) > 1:
        parts.append(
            element(
                "section",
                element("h2", f"Beside {labels[0]}"),
                element(
                    "p",
                    "Differences on the same days, with intervals of 95 % where there are several "
                    "repeats. ▲ is better and ▼ worse beyond chance, ≈ is neither.",
                ),
                _differences(simulation),
            )
        )
    parts.append(
        element(
            "section",
            element("h2", "Waiting and balance"),
            legend(labels),
            _waits(simulation),
            _hours(simulation, "wait", "mean wait, s"),
            _hours(simulation, "favourite", "favourite wins by true skill, %"),
        )
    )
    parts += [
        element("section", element("h2", f"What {group} get"), _table(simulation, group))
        for group in GROUPS[1:]
        if _has(simulation, group)
    ]
    meanings = (element("li", element("b", name), f": {said}") for name, said in _MEANINGS)
    parts.append(element("section", element("h2", "What is what"), element("ul", *meanings)))
    if command is not None:
        parts.append(element("section", element("h2", "Made by"), element("pre", command)))
    header = element("header", element("h1", title), element("p", lead, class_="lead"))
    return page(title, style(), header, element("main", *parts))


def write_report(
    simulation: Simulation,
    path: str | os.PathLike[str],
    *,
    title: str,
    command: str | None = None,
) -> None:
    """Write the page of a simulation to a file; arguments as for `report`."""
    text = report(simulation, title=title, command=command)
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def number(measure: str, value: float | None) -> str:
    """A value of a measure, for people.

    Example:
        >>> number("wait", 12.345), number("tickets", 1200.0), number("order", None)
        ('12.3', '1,200', '–')
    """
    if value is None or math.isnan(value):
        return NOTHING
    return f"{value:,.{_DIGITS.get(measure, 1)}f}"


def _has(simulation: Simulation, group: str) -> bool:
    return any(simulation.value(label, group, "tickets") > 0 for label in simulation.labels)


def _table(simulation: Simulation, group: str) -> Markup:
    """A row for each measure, a column for each kind of rules."""
    found = simulation.table.filter(group=group)
    rows = []
    for measure, name in MEASURES.items():
        cells = []
        for label in simulation.labels:
            row = found.filter(rules=label, measure=measure)
            if row.height:
                value, low, high = row.select("value", "low", "high").row(0)
                between = ""
                if low is not None:
                    between = f" ({number(measure, low)} to {number(measure, high)})"
                cells.append(element("td", _unbroken(number(measure, value) + between)))
        if cells:
            rows.append(element("tr", element("th", name, scope="row"), *cells))
    return _framed(group, simulation.labels, rows)


def _differences(simulation: Simulation) -> Markup:
    labels = simulation.labels[1:]
    rows = []
    for group in GROUPS:
        for measure, name in MEASURES.items():
            if measure == "tickets":
                continue
            cells = []
            for label in labels:
                row = simulation.differences.filter(rules=label, group=group, measure=measure)
                if row.height:
                    told = verdict(measure, *row.select("value", "low", "high").row(0))
                    cells.append(element("td", _unbroken(told)))
            if cells and _has(simulation, group):
                rows.append(element("tr", element("th", f"{group}: {name}", scope="row"), *cells))
    return _framed("differences", labels, rows)


def verdict(measure: str, value: float | None, low: float | None, high: float | None) -> str:
    """A difference with its interval, and whether it is better.

    Example:
        >>> verdict("wait", -3.0, -4.0, -2.0), verdict("order", -0.1, -0.3, 0.1)
        ('▲ -3.0 (-4.0 to -2.0)', '≈ -0.100 (-0.300 to 0.100)')
    """
    if value is None or low is None or high is None:
        return number(measure, value)
    higher = measure in HIGHER_IS_BETTER
    sign = "≈"
    if low > 0.0 or high < 0.0:
        sign = "▲" if (value > 0.0) == higher else "▼"
    low_text, high_text = number(measure, low), number(measure, high)
    return f"{sign} {number(measure, value)} ({low_text} to {high_text})"


def _unbroken(text: str) -> str:
    """A value and its interval, each of which stays in one line.

    Example:
        >>> len(_unbroken("≈ 1.0 (0.5 to 1.5)").split(" "))
        2
    """
    value, bracket, interval = text.replace(" ", "\N{NO-BREAK SPACE}").partition("(")
    return f"{value[:-1]} ({interval}" if bracket else value


def _framed(name: str, labels: Sequence[str], rows: Sequence[Markup]) -> Markup:
    heads = (element("th", each, scope="col") for each in ("measure", *labels))
    return scrolling(name, element("thead", element("tr", *heads)), element("tbody", *rows))


def _waits(simulation: Simulation) -> Markup:
    figure = pictures.new_figure(3.4, 9.0)
    axes = figure.subplots()
    for place, label in enumerate(simulation.labels):
        found = simulation.waits.filter(rules=label)
        seen = look(place)
        axes.plot(
            found["seconds"].to_numpy(),
            100.0 * found["share"].to_numpy(),
            color=seen.colour,
            lw=1.8,
            ls=(0, seen.dashes) if seen.dashes else "-",
        )
    pictures.dress(axes, "", "seconds", "wait longer, %")
    axes.set_ylim(bottom=0.0)
    said = "; ".join(
        f"{label}: mean {number('wait', simulation.value(label, 'all', 'wait'))} s"
        for label in simulation.labels
    )
    about = f"The share of tickets that wait longer than so long. {said}."
    return _shown(written(figure, "waits", about), about)


def _hours(simulation: Simulation, column: str, name: str) -> Markup:
    figure = pictures.new_figure(3.0, 9.0)
    axes = figure.subplots()
    for place, label in enumerate(simulation.labels):
        found = simulation.hours.filter(rules=label)
        seen = look(place)
        axes.plot(
            found["hour"].to_numpy(),
            found[column].cast(float).fill_null(np.nan).to_numpy(),
            color=seen.colour,
            lw=1.8,
            marker="o",
            markersize=3.0,
            ls=(0, seen.dashes) if seen.dashes else "-",
        )
    pictures.dress(axes, "", "hour of the day", name)
    axes.set_xlim(-0.5, 23.5)
    about = f"{name}, by the hour of the day."
    return _shown(written(figure, f"hours-{column}", about), about)


def _shown(picture: Markup, caption: str) -> Markup:
    """A picture that moves sideways where the screen is narrow, and what it shows."""
    sheet = element("div", picture, class_="wide", role="region", aria_label=caption, tabindex="0")
    return element("figure", sheet, element("figcaption", caption))
