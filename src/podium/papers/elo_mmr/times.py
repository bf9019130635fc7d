"""Table 3: how long each system takes to rate a whole data set."""

from collections.abc import Iterator, Mapping

import polars as pl

from podium.evaluation.backtest import backtest
from podium.evaluation.populations import simulate
from podium.papers.elo_mmr.accuracy import SYSTEMS
from podium.papers.elo_mmr.summary import PLAYERS_BY_TABLE
from podium.papers.elo_mmr.summary import PRINTED as SETS
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.results.contests import Contests

PRINTED: Mapping[str, tuple[float, ...]] = {
    "codeforces": (212.9, 72.5, 67.2, 31.4, 35.4),
    "topcoder": (9.60, 4.25, 16.8, 7.00, 7.52),
    "reddit": (1.19, 1.14, 0.44, 1.14, 1.42),
    "synthetic": (3.26, 1.00, 2.93, 0.81, 0.85),
}
"""Seconds, in the order of the systems."""


def table_3(
    data: Data = NO_DATA, progress: Report = unseen, *, players: int = PLAYERS_BY_TABLE
) -> Reproduction:
    """The seconds of one core for every system and data set, beside the paper's of 24."""
    sets: dict[str, Contests] = {name: data[name] for name in SETS if name in data}
    sets["synthetic"] = simulate(players, SETS["synthetic"].contests)
    rows = []
    for name in SETS:
        for system, printed in zip(SYSTEMS, PRINTED[name], strict=True):
            seconds = backtest(sets[name], system, threads=1).cpu_seconds if name in sets else None
            rows.append((name, system, printed, seconds))
            progress(len(rows), len(SETS) * len(SYSTEMS))
    findings = pl.DataFrame(
        rows, schema=["data_set", "system", "seconds_in_paper", "seconds_here"], orient="row"
    )
    return Reproduction(findings, numbers={"": findings}, remarks=tuple(_remarks(sets)))


def _remarks(sets: Mapping[str, Contests]) -> Iterator[str]:
    yield (
        "The paper's seconds are those of Rust programs on a machine of 24 cores of 2.0 GHz, with "
        "threads but for TrueSkill. Those here are of one core of the machine that computed them, "
        "without reading the results and without compiling."
    )
    yield (
        "The systems have their usual parameters. What makes them quick is not the machine: sums "
        "over all opponents take linear time here, exactly, where the paper's take quadratic time "
        "or sample opponents."
    )
    missing = [name for name in SETS if name not in sets]
    if missing:
        yield f"Not given, so only the paper's numbers are shown: {', '.join(missing)}."
