"""Evaluation and tuning on Codeforces: 200 trials by one process and by two, and all measures.

The trials are on the first tenth of the contests, by Optuna; wall time from contests that are there
to the best parameters, starting the processes included. All measures of all contests are CPU time
beside that of rating them with the same system.
"""

import time

import podium
from benchmarks.report import Figure, data_file
from podium.evaluation.backtest import backtest
from podium.evaluation.scoring import contest_values
from podium.evaluation.tuning import tune

TRIALS = 200


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    seconds, best = {}, {}
    for jobs in (2, 1):
        start = time.perf_counter()
        tuned = tune(contests, "elo-mmr", "rank-deviation", budget=TRIALS, jobs=jobs)
        seconds[jobs], best[jobs] = time.perf_counter() - start, tuned.parameters
    if best[1] != best[2]:
        raise AssertionError(f"one process found {best[1]}, two found {best[2]}")
    before = backtest(contests, "elo-mmr", threads=1)
    start = time.process_time()
    contest_values(before.experienced(5, len(contests) // 10))
    measured = time.process_time() - start
    return [
        Figure(f"{TRIALS} trials, 2 processes", seconds[2], "s", "1 process", seconds[1], "≥ 1.8"),
        Figure("all measures, all contests", measured, "s", "rating", before.cpu_seconds),
    ]
