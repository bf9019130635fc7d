"""All Codeforces contests: CPU time beside the Rust reference, one thread each."""

import podium
from benchmarks.report import Figure, cpu_seconds, data_file, in_fresh_process

PEER = """
import json, sys, time
import polars as pl, elo_mmr_py
table = pl.read_parquet(sys.argv[1]).sort(["time", "contest", "rank"])
contests = []
for (contest,), group in table.group_by(["contest"], maintain_order=True):
    low = (group["rank"] - 1).to_list()
    high = (group["rank"].rank("max") - 1).cast(pl.Int64).to_list()
    names = group["player"].cast(pl.String).to_list()
    standings = list(zip(names, low, high))
    contests.append(
        elo_mmr_py.Contest(standings, name=str(contest), time_seconds=int(group["time"][0]))
    )
contests = contests[: int(sys.argv[3])]
start = time.process_time()
elo_mmr_py.rate_latest(contests, sys.argv[2])
print(json.dumps(time.process_time() - start))
"""


def run() -> list[Figure]:
    path = data_file("codeforces.parquet")
    contests = podium.read(path)
    figures = []
    for system, peer, goal in (("elo-mmr", "mmr-fast", 40), ("elo-mmx", "mmx-fast", 25)):
        podium.rate(contests, system, threads=1, history=False)
        ours = min(
            cpu_seconds(lambda s=system: podium.rate(contests, s, threads=1)) for _ in range(3)
        )
        theirs = in_fresh_process(PEER, path, peer, len(contests), RAYON_NUM_THREADS="1")
        figures.append(
            Figure(
                f"{system}: {len(contests):,} contests, {contests.rows:,} rows",
                ours,
                "CPU s",
                f"elo-mmr-py {peer}",
                float(theirs),
                f"≥ {goal} times",
            )
        )
    return figures
