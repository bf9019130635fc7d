"""Ten days of a population under rules, beside what others do, at equal mean waiting.

`podium.matchmaking.simulating`: 600 players, of whom 30 % are new, 3 sessions a day of 5 matches on
average. The rules widen from 55 % to 80 % for the favourite in two minutes, and spread newcomers.
(a) sorts by rating and pairs neighbours whenever somebody has waited so long, (b) gives who has
waited longest the nearest within a window that widens to ten times its width in two minutes. How
long and how wide is found by bisection, on days of another seed, so that mean waits are equal.
Differences are from the rules, on the same days, with intervals of 95 % over ten days.
"""

from collections.abc import Callable

from benchmarks.report import Figure
from podium.matchmaking import Rules, Schedule
from podium.matchmaking.baselines import Neighbours, Window
from podium.matchmaking.simulating import Maker, Population, simulate

RULES = Rules(one_sided=[[0, 0.55], [120, 0.8]], newcomers="spread")
ANY = Rules(one_sided=[[0, 0.55], [120, 0.8]])
HOW = {"players": 600, "sessions": 3.0, "matches": 5.0, "newcomers": 0.3}
REPEATS = 10


def run() -> list[Figure]:
    pilot = Population(**HOW, seed=77)  # type: ignore[arg-type]
    wait = simulate({"rules": RULES}, pilot, repeats=3).value("rules", "all", "wait")
    after = _tuned(lambda x: lambda ladder: Neighbours(ladder, after=x), pilot, wait, 1.0, 500.0)
    wide = _tuned(lambda x: lambda ladder: Window(ladder, _window(x)), pilot, wait, 400.0, 1.0)
    makers: dict[str, Rules | Maker] = {
        "rules": RULES,
        "(a) neighbours": lambda ladder: Neighbours(ladder, after=after),
        "(b) window": lambda ladder: Window(ladder, _window(wide)),
        "rules, newcomers meet anybody": ANY,
    }
    found = simulate(makers, Population(**HOW, seed=5), repeats=REPEATS)  # type: ignore[arg-type]
    figures = [
        Figure("(a): a round when somebody has waited", after, "s"),
        Figure("(b): the window at first", wide, "points"),
    ]
    for group, measure, what in (
        ("all", "wait", "mean wait, s"),
        ("all", "longest", "longest wait, s"),
        ("all", "favourite", "the favourite wins, %"),
        ("newcomers", "favourite", "the same where newcomers play, %"),
        ("newcomers", "error", "error of newcomers' ratings"),
        ("newcomers", "order", "correlation of newcomers' ranks"),
        ("all", "error", "error of all ratings"),
    ):
        figures.append(Figure(f"{what}: rules", found.value("rules", group, measure), ""))
        for label in list(makers)[1:]:
            row = found.differences.filter(rules=label, group=group, measure=measure)
            value, low, high = row.select("value", "low", "high").row(0)
            told = f"{what}: {label}, more by ({low:+.3g} to {high:+.3g})"
            figures.append(Figure(told, value, ""))
    return figures


def _window(points: float) -> Schedule:
    return Schedule.of([[0, points], [120, 10.0 * points]])


def _tuned(
    maker: Callable[[float], Maker], population: Population, wait: float, low: float, high: float
) -> float:
    """The number by which mean waits are equal; at `low` they are shorter, at `high` longer."""
    for _ in range(7):
        middle = 0.5 * (low + high)
        found = simulate({"it": maker(middle)}, population, repeats=3)
        if found.value("it", "all", "wait") < wait:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
