"""How far kernels are from what this machine allows: operations that cannot be avoided, timed here.

Every figure is the CPU time of the fold alone, with its events, beside the time that its
unavoidable operations take on this machine in the same run: divisions, exponentials, products and
sums in vector registers, cache lines from memory at random places, and numbers written in a row.
What is counted is said beside it. They are added up as if none could be done beside another.
"""

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import podium
from benchmarks import luck
from benchmarks.matches import MATCHES, season
from benchmarks.report import Figure, cpu_seconds, data_file
from podium.numerics import chebyshev, factors, logconcave, logistic, roots, vector_panels
from podium.numerics.columns import appearance_numbers
from podium.numerics.compiled import kernel
from podium.numerics.lanes import WIDTH, exp, fetch, fused, load, splat, store, total
from podium.ratings.fold import ready_to_fold
from podium.systems.base import EVENTS

_NUMBERS = 1024
"""Two arrays of so many fit into the cache next to the registers."""
_ROUNDS = 40_000


@kernel
def _divide(a, b, rounds):
    whole = splat(0.0)
    for _ in range(rounds):
        for k in range(0, a.shape[0], WIDTH):
            whole = whole + load(a, k) / load(b, k)
    return total(whole)


@kernel
def _exponentials(a, rounds):
    whole = splat(0.0)
    for _ in range(rounds):
        for k in range(0, a.shape[0], WIDTH):
            whole = whole + exp(load(a, k))
    return total(whole)


@kernel
def _products(a, b, rounds):
    """In registers, in twelve sums that need not wait for each other."""
    x, y = load(a, 0), load(b, 0)
    one = two = three = four = five = six = splat(0.0)
    seven = eight = nine = ten = eleven = twelve = splat(1.0)
    for _ in range(rounds * a.shape[0] // (12 * WIDTH)):
        one, two, three = fused(one, x, y), fused(two, x, y), fused(three, x, y)
        four, five, six = fused(four, x, y), fused(five, x, y), fused(six, x, y)
        seven, eight, nine = fused(seven, x, y), fused(eight, x, y), fused(nine, x, y)
        ten, eleven, twelve = fused(ten, x, y), fused(eleven, x, y), fused(twelve, x, y)
    half = ((one + two) + (three + four)) + (five + six)
    return total(half + ((seven + eight) + (nine + ten)) + (eleven + twelve))


@kernel
def _loaded_products(a, b, rounds):
    """Of numbers of one array, as many as there are, and one that is at hand."""
    one = two = three = four = splat(0.0)
    for k in range(rounds):
        x = splat(b[k % b.shape[0]])
        for i in range(0, a.shape[0], 4 * WIDTH):
            one = fused(load(a, i), x, one)
            two = fused(load(a, i + WIDTH), x, two)
            three = fused(load(a, i + 2 * WIDTH), x, three)
            four = fused(load(a, i + 3 * WIDTH), x, four)
    return total((one + two) + (three + four))


@kernel
def _lines(memory, places):
    whole = 0.0
    for k in range(places.shape[0]):
        if k + 16 < places.shape[0]:
            fetch(memory, places[k + 16])
        whole += memory[places[k]]
    return whole


@kernel
def _updates(memory, places):
    for k in range(places.shape[0]):
        if k + 16 < places.shape[0]:
            fetch(memory, places[k + 16])
        memory[places[k]] += 1.0


@kernel
def _written(out):
    zero = splat(0.0)
    for k in range(0, out.shape[0], WIDTH):
        store(out, k, zero)


def _best(function: Callable[..., object], *arguments: object) -> float:
    function(*arguments)
    return min(cpu_seconds(lambda: function(*arguments)) for _ in range(5))


def machine() -> dict[str, float]:
    """Seconds for one of each operation."""
    rng = np.random.default_rng(1)
    a, b = rng.uniform(0.2, 0.8, (2, _NUMBERS))
    count = _NUMBERS * _ROUNDS
    memory = np.zeros(32 * 1024 * 1024)
    places = rng.integers(0, len(memory), 2_000_000)
    near = rng.integers(0, 50_000 * 8, 2_000_000)
    return {
        "division": _best(_divide, a, b, _ROUNDS) / count,
        "exponential": _best(_exponentials, a, _ROUNDS) / count,
        "product": _best(_products, a, b, _ROUNDS) / count,
        "loaded product": _best(_loaded_products, a, b, _ROUNDS) / count,
        "line": _best(_lines, memory, places) / len(places),
        "near line updated": _best(_updates, memory, near) / len(near),
        "number written": _best(_written, memory) / len(memory),
    }


def run() -> list[Figure]:
    cost = machine()
    figures = [Figure(f"one {name}", 1e9 * value, "ns") for name, value in cost.items()]
    contests = podium.read(data_file("codeforces.parquet"))
    for system, unavoidable in (("elo-mmr", _elo_mmr), ("elo-mmx", _elo_mmx)):
        rated = podium.rate(contests, system, threads=1)
        events = np.empty((len(EVENTS), contests.rows))
        seconds = _fold(contests, system, events)
        figures.append(_figure(system, seconds, *unavoidable(contests, rated, cost)))
    seconds = _fold(season(), "elo", None)
    per_match = cost["exponential"] + cost["division"] + 2 * cost["near line updated"]
    counted = "an exponential, a division and two records updated a match"
    figures.append(_figure("elo, a million matches", seconds, MATCHES * per_match, counted))
    figures.append(_luck(cost))
    return figures


def _fold(contests: podium.Contests, system: str, events: np.ndarray | None) -> float:
    """The least CPU time of several folds, from newcomers on."""
    times = []
    for _ in range(5):
        beliefs, columns = ready_to_fold(contests, system, None, {})
        beliefs.expect(contests.rows)
        update = partial(beliefs.system.update_many, beliefs, columns, events)
        times.append(cpu_seconds(update))
    return min(times)


def _figure(what: str, seconds: float, limit: float, counted: str) -> Figure:
    return Figure(what, seconds, "CPU s", f"the machine: {counted}", limit, "≥ 0.5")


def _priors(contests: podium.Contests, rated: podium.Rated) -> Iterator[tuple[np.ndarray, ...]]:
    """Location and standard deviation of all performances, and ranks, contest by contest."""
    gamma2, beta2 = rated.system._variances
    history = rated.history
    mu = history["mu_before"].to_numpy()
    delta = np.sqrt(history["sigma_before"].to_numpy() ** 2 + gamma2 + beta2)
    offsets = contests.columns.offsets.tolist()
    for start, end in itertools.pairwise(offsets):
        yield mu[start:end].copy(), delta[start:end].copy(), contests.columns.rank[start:end]


def _elo_mmr(
    contests: podium.Contests, rated: podium.Rated, cost: dict[str, float]
) -> tuple[float, str]:
    """Nodes of the table, two sums over the factors of everybody, roots, and memory."""
    nodes = groups = 0
    for mu, delta, ranks in _priors(contests, rated):
        work = roots.laid_out(roots.room_for(len(mu)), len(mu))
        work.rows[0], work.rows[1] = mu, delta * factors.SCALE
        roots.find(work, ranks, roots.TIED)
        nodes += len(mu) * int(work.state[roots._PANELS]) * roots.NODES
        groups += int(work.state[roots._GROUPS])
    table = rated.beliefs.table[: len(rated.beliefs)]
    kept = np.zeros(table["contests"].max() + 1, np.int64)
    np.maximum.at(kept, table["contests"], table["count"])
    kept = np.maximum.accumulate(kept)
    ids = appearance_numbers(contests.columns.player, np.bincount(contests.columns.player))
    terms, rows = int(kept[ids].sum()), contests.rows
    divisions = 0.5 * nodes + 2 * terms + 2 * groups
    exponentials = 3 * rows + 2 * groups
    # A node of two rows, a term and its sums, exponentials at nodes, polynomials and derivatives.
    products = 8 * 0.5 * nodes + 2 * 9 * terms + 15 * roots.NODES * rows + 6 * roots.NODES * groups
    lines = 5 * rows + terms / 4
    seconds = (
        divisions * cost["division"]
        + exponentials * cost["exponential"]
        + products * cost["product"]
        + lines * cost["line"]
        + 5 * rows * cost["number written"]
    )
    counted = (
        f"{divisions / rows:.0f} divisions, {products / rows:.0f} products or sums "
        f"and {lines / rows:.1f} cache lines a participation"
    )
    return seconds, counted


def _elo_mmx(
    contests: podium.Contests, rated: podium.Rated, cost: dict[str, float]
) -> tuple[float, str]:
    """A hazard at every node of the panels that hold a performance, and memory.

    A hazard is a division, an exponential and two polynomials of the tenth degree.
    """
    nodes = 0
    for mu, delta, ranks in _priors(contests, rated):
        starts = logistic.tie_groups(ranks)
        panels, _ = logconcave.locate(mu, delta, starts, False, logconcave.GAUSSIAN_STRIP)
        nodes += len(mu) * len(panels) * vector_panels.NODES
    rows = contests.rows
    hazard = cost["division"] + cost["exponential"] + 27 * cost["product"]
    seconds = nodes * hazard + 2 * rows * cost["line"] + 5 * rows * cost["number written"]
    return seconds, f"{nodes / rows:.0f} hazards of the normal distribution a participation"


def _luck(cost: dict[str, float]) -> Figure:
    """Both beliefs to the nodes of panels and back, and the drift, which adds up points."""
    columns = luck.season(luck.MATCHES, luck.PLAYERS)
    luck.replayed(luck.season(10, 20), 20)
    seconds = min(cpu_seconds(lambda: luck.replayed(columns, luck.PLAYERS)) for _ in range(3))
    system = podium.system("luck")
    beliefs, points, parts = podium.Beliefs(system), 0.0, 20
    beliefs.enrol([str(number) for number in range(luck.PLAYERS)])
    for part in range(parts):
        first, last = (luck.MATCHES * number // parts for number in (part, part + 1))
        system.update_many(beliefs, columns, first=first, last=last)
        points += float((beliefs.column("hi") - beliefs.column("lo")).mean()) / parts
    panels = 1.0 + points / system._model.settings[0]["panel"]
    taps = len(system._model.taps)
    products = 2 * points * (2 * chebyshev.NODES + 2 * taps)  # a tap is a sum and a product
    products += 2 * (panels * chebyshev.NODES) ** 2
    lines = 4 * points / WIDTH
    per_match = products * cost["loaded product"] + lines * cost["line"]
    counted = (
        f"{products:,.0f} products or sums and {lines:.0f} cache lines a match, of beliefs of "
    )
    counted += f"{points:.0f} points on average"
    return _figure("luck, 200,000 matches", seconds, luck.MATCHES * per_match, counted)
