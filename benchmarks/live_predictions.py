"""A contest of 10,000 that runs: what it costs to post it, to read it, and to have listeners; CPU.

Data: codeforces.parquet. The league has the 40 contests before the last one of at least 10,000
players, which is posted, cut to its best 10,000, with titles every 200 points. A fold is
`System.update_many` on a copy of the beliefs. To post is `League.post_live` of standings that were
read and differ from those before, as by rejudging, in a league that is open, with all that it
writes. The ranks that next titles need are found by the first who reads. The least of several runs
counts, with the time of all threads; everything has run before.
"""

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

import podium
from benchmarks.questions import BEFORE, PLAYERS, RUNS, folding
from benchmarks.report import Figure, cpu_seconds, data_file

TITLES = [(each, f"from {each}") for each in range(800, 3201, 200)]


def run() -> list[Figure]:
    contests = podium.read(data_file("codeforces.parquet"))
    number = int(np.flatnonzero(contests.sizes >= PLAYERS)[-1])
    before = contests[number - BEFORE : number]
    frame = contests[number : number + 1].frame().head(PLAYERS).select("player", "rank", "time")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "now.csv"
        frame.write_csv(path)
        rules = podium.Rules(titles=TITLES)
        with podium.League.create(Path(folder) / "league.db", rules=rules) as league:
            league.record(before)
            return _figures(league, before, path)


def _figures(league: podium.League, before: podium.Contests, path: Path) -> list[Figure]:
    standings = podium.read_standings(path)
    turned = podium.Contests.from_frame(_turned(standings))
    fold = folding(podium.rate(before, history=False).beliefs, standings)
    league.post_live("now", standings)
    posts, reads = [], []
    for each in (turned, standings) * RUNS:
        posts.append(cpu_seconds(partial(league.post_live, "now", each)))
        reads.append(cpu_seconds(partial(league.live, "now")))
    file = min(cpu_seconds(partial(podium.read_standings, path)) for _ in range(RUNS))
    again = min(cpu_seconds(partial(league.live, "now")) for _ in range(RUNS))
    return [
        Figure("folded", 1000.0 * fold, "ms"),
        Figure("file read", 1000.0 * file, "ms"),
        Figure("posted", 1000.0 * min(posts), "ms"),
        Figure("posted", min(posts) / fold, "folds", goal="≤ 3"),
        Figure("first read, with the ranks needed", 1000.0 * min(reads), "ms"),
        Figure("read again", 1000.0 * again, "ms"),
    ]


def _turned(standings: podium.Contests) -> pl.DataFrame:
    """The same with the first two the other way round."""
    frame = standings.frame()
    ranks = frame["rank"].to_list()
    players = frame["player"].to_list()
    players[0], players[1] = players[1], players[0]
    return frame.with_columns(player=pl.Series(players), rank=pl.Series(ranks))
