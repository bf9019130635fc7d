"""Reading 3.1 million rows into validated contests, beside reading them at all."""

import polars as pl

import podium
from benchmarks.report import Figure, best_of, data_file


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    podium.read(path)
    return [
        Figure(
            "codeforces.parquet into Contests",
            best_of(7, lambda: podium.read(path)) * 1e3,
            "ms",
            "polars.read_parquet",
            best_of(7, lambda: pl.read_parquet(path)) * 1e3,
            "≤ 5 times the peer",
        )
    ]
