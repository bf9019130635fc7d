"""Podium's own system without options beside every other, untuned and tuned on the first tenth.

Scored as `podium evaluate` does, the first tenth left out. Every other system is tuned twice, for
the order and for the log loss, with the same number of trials.
"""

import math
from collections.abc import Iterator

import polars as pl

import podium
from benchmarks.report import Figure, data_file

TRIALS = 40
ORDER, LOSS = ("pair-inversion", "rank-deviation"), ("log-loss",)
TUNED_FOR = {"rank-deviation": ORDER, "log-loss": LOSS}
"""By what parameters are chosen, and what they are then scored by."""


def _codeforces() -> podium.Contests:
    return podium.read(data_file("codeforces.parquet"))


def _drivers() -> podium.Contests:
    races = pl.read_parquet(data_file("f1.parquet")).drop("team", "status")
    return podium.Contests.from_frame(races, rerank=True)


def _football() -> podium.Contests:
    return podium.read(data_file("football.parquet"))


DATA = {
    "Codeforces": (_codeforces, ORDER + LOSS),
    "Formula 1": (_drivers, ORDER + LOSS),
    "football": (_football, LOSS),
}


def run() -> list[Figure]:
    return [figure for name in DATA for figure in compare(name)]


def compare(name: str) -> Iterator[Figure]:
    """Every other system on one set of data, with how far podium's own differs."""
    read, measured = DATA[name]
    contests = read()
    for rival in podium.systems.names():
        if rival == "podium" or (rival == "luck" and name != "football"):
            continue
        ways = {f"{rival}": (rival, measured)}
        for aim, measures in TUNED_FOR.items():
            if set(measures) <= set(measured):
                tuned = podium.tune(contests, rival, aim, budget=TRIALS)
                ways[f"{rival}, tuned for {aim}"] = (tuned.system, measures)
        for label, (system, measures) in ways.items():
            found = podium.evaluate(contests, [system, "podium"], baseline=None)
            yield from _figures(f"{name}: {label}", found, measures)


def _figures(label: str, found: podium.Evaluation, measures: tuple[str, ...]) -> Iterator[Figure]:
    for players in ("experienced", "all"):
        for measure in measures:
            values = found.table.filter(players=players, measure=measure)["value"]
            differs = found.differences.filter(players=players, measure=measure).row(0, named=True)
            share = 100.0 if measure in ORDER else 1.0
            low, high = (share * (differs[end] or math.nan) for end in ("low", "high"))
            yield Figure(
                f"{label}, {measure}, {players}; podium differs by {low:+.4f} to {high:+.4f}",
                share * values[0],
                "%" if measure in ORDER else "nats",
                "podium",
                share * values[1],
            )
