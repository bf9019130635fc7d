"""The tables of a report: values, differences from the baseline, and what systems cost."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

import polars as pl

from podium import systems as registry
from podium.evaluation.comparison import ALL, EXPERIENCED, TEMPERATURES, Evaluation
from podium.evaluation.measures import MEASURES, Measure
from podium.markup import Markup, element, joined, scrolling

Verdict = Literal["better", "worse", "no telling"]

GROUPS = {EXPERIENCED: "experienced players", ALL: "all players"}

_SIGNS: dict[Verdict, str] = {"better": "▲", "worse": "▼", "no telling": "≈"}
_NOTHING = element("span", "–", title="not measured")
_BEST = joined(
    element("span", "★ ", aria_hidden="true"), element("span", "best: ", class_="unseen")
)


class Estimate(NamedTuple):
    """A value, and the interval in which it would lie with other contests."""

    value: float
    low: float
    high: float
    significant: bool = False
    """Of a difference: whether it is more than chance."""

    @classmethod
    def of(cls, *numbers: float | None, significant: bool | None = None) -> "Estimate":
        """With NaN for what is unknown."""
        value, low, high = (math.nan if number is None else number for number in numbers)
        return cls(value, low, high, bool(significant))

    @property
    def known(self) -> bool:
        """Whether anything was measured."""
        return math.isfinite(self.value)


Estimates = Mapping[tuple[str, str, str], Estimate]
"""By players, measure and system."""


def estimates(table: pl.DataFrame) -> Estimates:
    """The values of all measures, or their differences from the baseline."""
    value = "difference" if "difference" in table.columns else "value"
    numbers = table.select(value, "low", "high").rows()
    keys = table.select("players", "measure", "system").rows()
    says = table["significant"] if "significant" in table.columns else [None] * table.height
    return {
        key: Estimate.of(*found, significant=each)
        for key, found, each in zip(keys, numbers, says, strict=True)
    }


def measured(values: Estimates) -> tuple[list[str], list[Measure]]:
    """The groups of players and the measures for which there is any value."""
    known = {key for key, each in values.items() if each.known}
    players = {key[0] for key in known}
    names = {key[1] for key in known}
    return (
        [each for each in GROUPS if each in players],
        [measure for measure in MEASURES.values() if measure.name in names],
    )


def best(values: Estimates, players: str, measure: Measure, labels: Sequence[str]) -> list[str]:
    """The systems with the best value; none if there is no value."""
    found = {label: values[players, measure.name, label] for label in labels}
    known = {label: each.value for label, each in found.items() if each.known}
    if not known:
        return []
    leading = (max if measure.best == "highest" else min)(known.values())
    return [label for label, value in known.items() if value == leading]


def verdict(difference: Estimate, measure: Measure) -> Verdict:
    """Whether a system is better or worse than the baseline, if that is more than chance."""
    if not difference.significant:
        return "no telling"
    return "better" if (difference.value > 0.0) == (measure.best == "highest") else "worse"


def figure(value: float, measure: Measure, *, signed: bool = False) -> str:
    """A value as people read it.

    Example:
        >>> figure(0.66914, MEASURES["accuracy"]), figure(-0.012, MEASURES["brier"], signed=True)
        ('66.91', '−0.0120')
    """
    shown, digits = (100.0 * value, 2) if measure.percent else (value, 4)
    return f"{shown:{'+' if signed else ''}z.{digits}f}".replace("-", "−")


def value_table(
    values: Estimates,
    labels: Sequence[str],
    caption: str,
    groups: Sequence[str],
    measures: Sequence[Measure],
    what: str = "system",
) -> Markup:
    """The values of all systems, or of something else, the best marked, by group of players."""

    def cell(players: str, measure: Measure, label: str) -> Markup:
        if not (found := values[players, measure.name, label]).known:
            return element("td", _NOTHING)
        leads = len(labels) > 1 and label in best(values, players, measure, labels)
        shown = element(
            "span", _BEST if leads else "", figure(found.value, measure), class_="value"
        )
        return element(
            "td", shown, " ", _interval(found, measure), class_="best" if leads else "other"
        )

    notes = [_unit(each) for each in measures]
    return _table(caption, groups, measures, labels, cell, notes, what)


def difference_table(
    evaluation: Evaluation, caption: str, groups: Sequence[str], measures: Sequence[Measure]
) -> Markup:
    """How far all systems are from the baseline, and what that says."""
    found = estimates(evaluation.differences)

    def cell(players: str, measure: Measure, label: str) -> Markup:
        difference = found.get((players, measure.name, label))
        if difference is None:
            return element("td", element("span", "★ ", aria_hidden="true"), "best", class_="best")
        if not difference.known:
            return element("td", _NOTHING)
        says = verdict(difference, measure)
        return element(
            "td",
            element("span", f"{_SIGNS[says]} {says}", class_="verdict"),
            " ",
            element("span", figure(difference.value, measure, signed=True), class_="value"),
            " ",
            _interval(difference, measure, signed=True),
            class_=says.replace(" ", "-"),
        )

    units = ["percentage points" if each.percent else "" for each in measures]
    return _table(caption, groups, measures, compared(evaluation), cell, units)


def compared(evaluation: Evaluation) -> list[str]:
    """The systems that have a difference from the baseline, in order."""
    others = set(evaluation.differences["system"])
    return [each for each in evaluation.systems["system"] if each in others]


def _table(
    caption: str,
    groups: Sequence[str],
    measures: Sequence[Measure],
    labels: Sequence[str],
    cell: Callable[[str, Measure, str], Markup],
    notes: Sequence[str],
    what: str = "system",
) -> Markup:
    """A column for each measure, and rows of systems for each group of players."""
    heads = (
        element("th", each.name, element("small", note), scope="col")
        for each, note in zip(measures, notes, strict=True)
    )
    bodies = (
        element(
            "tbody",
            element(
                "tr",
                element("th", GROUPS[players], scope="rowgroup", colspan=str(len(measures) + 1)),
                class_="group",
            ),
            *(
                element(
                    "tr",
                    element("th", label, scope="row"),
                    *(cell(players, measure, label) for measure in measures),
                )
                for label in labels
            ),
        )
        for players in groups
    )
    head = element("thead", element("tr", element("th", what, scope="col"), *heads))
    return scrolling(caption, element("caption", caption), head, *bodies)


def _unit(measure: Measure) -> str:
    direction = "higher is better" if measure.best == "highest" else "lower is better"
    return f"%, {direction}" if measure.percent else direction


def _interval(found: Estimate, measure: Measure, *, signed: bool = False) -> Markup:
    if math.isnan(found.low) or math.isnan(found.high):
        return joined("")
    ends = (figure(end, measure, signed=signed) for end in (found.low, found.high))
    return element("span", " to ".join(ends), class_="interval")


def system_table(evaluation: Evaluation, caption: str) -> Markup:
    """What every system is: its parameters, and the time that it took."""
    kept = "system", "name", "parameters", "cpu_seconds", *TEMPERATURES
    rows = evaluation.systems.select(kept).rows()
    first = rows[0][3]
    learned = (f"temperature, {players}" for players in TEMPERATURES.values())
    heads = ("system", "CPU time", "of the first's", *learned, "parameters")
    classes = ("", *("number" for _ in heads[2:]), "")
    head = element(
        "tr",
        *(
            element("th", each, scope="col", class_=kind)
            for each, kind in zip(heads, classes, strict=True)
        ),
    )
    body = (
        element(
            "tr",
            element("th", label, scope="row"),
            element("td", f"{seconds:.3g} s"),
            element("td", f"{seconds / first:.2f} ×" if first > 0.0 else _NOTHING),
            *(element("td", f"{each:.3g}") for each in temperatures),
            element("td", _parameters(name, given), class_="text"),
        )
        for label, name, given, seconds, *temperatures in rows
    )
    return scrolling(
        caption, element("caption", caption), element("thead", head), element("tbody", *body)
    )


def _parameters(name: str, given: str) -> Markup:
    """The parameters that were given, and then those as usual."""
    set_here = {setting.partition("=")[0] for setting in given.split()}
    usual = [
        f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
        for key, value in registry.build(name).parameters.items()
        if key not in set_here
    ]
    shown = element("b", given) if given else ""
    return joined(shown, " " if given else "", element("span", " ".join(usual), class_="interval"))
