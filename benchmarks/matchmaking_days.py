"""Forty evenings of a population under rules, beside what others do, at equal mean waiting.

`podium.matchmaking.simulating`: three hours of 3,000 players, of whom 20 % are new and the others
have 100 matches behind them; a session wants 5 matches on average, and rounds are 5 s apart. The
rules let the favourite win 53 %, 65 % after a minute and anything after two; once they spread
newcomers, and once they do not. (a) sorts by rating and pairs neighbours whenever somebody has
waited so long, (b) gives who has waited longest the nearest within a window that widens to five
times its width in a minute and to a hundred times in five. How long and how wide is found by
bisection for each of the rules, on evenings of another seed, so that mean waits are equal, or
longer than by the rules where steps are coarse. Differences are from the rules, on the same
evenings, with intervals of 95 % over the evenings, on which nothing was chosen.
"""

from collections.abc import Callable
from typing import Any

from benchmarks.report import Figure
from podium.matchmaking import Rules, Schedule
from podium.matchmaking.baselines import Neighbours, Window
from podium.matchmaking.simulating import Maker, Population, simulate

LIMIT = [[0, 0.53], [60, 0.65], [120, 1.0]]
RULES = {
    "spread": Rules(one_sided=LIMIT, newcomers="spread", newcomers_after=120),
    "any": Rules(one_sided=LIMIT),
}
"""By what becomes of newcomers."""
HOW: dict[str, Any] = {
    "players": 3000,
    "hours": 3.0,
    "sessions": 6.0,
    "matches": 5.0,
    "newcomers": 0.2,
    "history": 100,
    "tick": 5.0,
}
REPEATS = 40
PILOT, SEED = 77, 11
SHOWN = (
    ("all", "wait", "mean wait, s"),
    ("all", "longest", "longest wait, s"),
    ("all", "favourite", "the favourite wins by true skill, %"),
    ("all", "quality", "quality as predicted, %"),
    ("newcomers", "favourite", "the favourite wins where newcomers play, %"),
    ("newcomers", "error", "error of newcomers' ratings"),
    ("newcomers", "order", "correlation of newcomers' ranks"),
    ("all", "error", "error of all ratings"),
)


def run() -> list[Figure]:
    return [figure for newcomers in RULES for figure in _beside(newcomers)]


def _beside(newcomers: str) -> list[Figure]:
    """What others get, in terms of these rules."""
    rules, pilot = RULES[newcomers], Population(**HOW, seed=PILOT)
    wait = simulate({"rules": rules}, pilot, repeats=2).value("rules", "all", "wait")
    after = _tuned(lambda x: lambda ladder: Neighbours(ladder, after=x), pilot, wait, (1.0, 100.0))
    wide = _tuned(lambda x: lambda ladder: Window(ladder, _window(x)), pilot, wait, (100.0, 1.0))
    makers: dict[str, Rules | Maker] = {
        "rules": rules,
        "(a) neighbours": lambda ladder: Neighbours(ladder, after=after),
        "(b) window": lambda ladder: Window(ladder, _window(wide)),
    }
    found = simulate(makers, Population(**HOW, seed=SEED), repeats=REPEATS)
    figures = [
        Figure(f"newcomers {newcomers}; (a): a round when somebody has waited", after, "s"),
        Figure(f"newcomers {newcomers}; (b): the window at first", wide, "points"),
    ]
    for group, measure, what in SHOWN:
        told = f"newcomers {newcomers}; {what}"
        figures.append(Figure(f"{told}: rules", found.value("rules", group, measure), ""))
        for label in list(makers)[1:]:
            row = found.differences.filter(rules=label, group=group, measure=measure)
            value, low, high = row.select("value", "low", "high").row(0)
            figures.append(
                Figure(f"{told}: {label}, more by ({low:+.3g} to {high:+.3g})", value, "")
            )
    return figures


def _window(points: float) -> Schedule:
    return Schedule.of([[0, points], [60, 5.0 * points], [300, 100.0 * points]])


def _tuned(
    maker: Callable[[float], Maker],
    population: Population,
    wait: float,
    between: tuple[float, float],
) -> float:
    """The number by which mean waits are equal, or just longer; they are shorter at the first."""
    shorter, longer = between
    for _ in range(8):
        middle = 0.5 * (shorter + longer)
        found = simulate({"it": maker(middle)}, population, repeats=2)
        if found.value("it", "all", "wait") < wait:
            shorter = middle
        else:
            longer = middle
    return longer
