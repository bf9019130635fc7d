"""Reading into validated contests and rating, beside Polars doing what cannot be avoided.

That is to read the file, turn names into numbers and sort by time. Every run is a process of its
own; CPU time of all threads, from starting to the end.
"""

import tempfile
from pathlib import Path

import numpy as np
import polars as pl

import podium
from benchmarks import streaming
from benchmarks.report import SHARED, Figure, best_of, in_fresh_process

MATCHES, PLAYERS = 10_000_000, 1_000_000
_SPENT = """
import re, json, resource
used = resource.getrusage(resource.RUSAGE_SELF)
peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())
print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "gb": int(peak[1]) / 1e6}))
"""
_PEER = """
import sys
import polars as pl
path = sys.argv[1]
if path.endswith(".csv"):
    frame = pl.read_csv(path, infer_schema=False)
    moments = pl.col("time").str.to_datetime(time_unit="us")
    frame = frame.with_columns(moments, pl.col("outcome").cast(pl.Float64))
else:
    frame = pl.read_parquet(path)
names = pl.concat([frame["player_a"], frame["player_b"]]).cast(pl.Categorical).to_physical()
count = frame.height
frame = frame.with_columns(player_a=names[:count], player_b=names[count:]).sort("time")
"""
_PODIUM = """
import sys
from typer.main import get_command
from podium.cli.app import app
get_command(app)([*sys.argv[1:]], standalone_mode=False)
"""


def run() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [*_codeforces(), *_matches(folder), *_recorded(folder), *streaming.run()]


def _codeforces() -> list[Figure]:
    path = SHARED / "codeforces.parquet"
    if not path.is_file():
        return []
    podium.read(path)
    ours, theirs = (
        best_of(7, lambda read=read: read(path)) * 1e3 for read in (podium.read, pl.read_parquet)
    )
    what = "codeforces.parquet into Contests"
    return [Figure(what, ours, "ms", "polars.read_parquet", theirs, "≤ 3 times the peer")]


def _matches(folder: Path) -> list[Figure]:
    """Ten million matches: as Parquet and CSV, with seconds and with days, and their history."""
    seconds, days = matches(), matches(whole_days=True)
    seconds.write_parquet(folder / "seconds.parquet")
    seconds.write_csv(folder / "seconds.csv")
    days.write_parquet(folder / "days.parquet")
    del seconds, days
    kept = ("--out", folder / "ratings")
    figures = []
    for what, file, given, goal in (
        ("Parquet", "seconds.parquet", (), "≤ 2.5 times the peer"),
        ("Parquet, days only", "days.parquet", (), ""),
        ("CSV", "seconds.csv", (), "≤ 3 times the peer"),
        ("Parquet, history written", "seconds.parquet", kept, "≤ 5 times the peer"),
    ):
        theirs = in_fresh_process(_PEER + _SPENT, folder / file)
        ours = in_fresh_process(_PODIUM + _SPENT, "rate", folder / file, "--system", "elo", *given)
        figures.append(Figure(what, ours["seconds"], "s", "Polars", theirs["seconds"], goal))
        limit = "≤ 2.5 GB" if file == "seconds.parquet" and not given else ""
        figures.append(Figure(f"{what}: peak", ours["gb"], "GB", "Polars", theirs["gb"], limit))
    return figures


def _recorded(folder: Path) -> list[Figure]:
    """Matches recorded in a new league, beside rating them with their history."""
    path, league = folder / "some.parquet", folder / "league.db"
    matches(500_000, 50_000).write_parquet(path)
    in_fresh_process(_PODIUM + _SPENT, "init", league, "--system", "elo")
    ours = in_fresh_process(_PODIUM + _SPENT, "record", league, path)
    theirs = in_fresh_process(
        _PODIUM + _SPENT, "rate", path, "--system", "elo", "--out", folder / "of-some"
    )
    what, goal = "500,000 matches into a new league", "≤ 8.1 s, 0.6 of what it was"
    return [Figure(what, ours["seconds"], "s", "podium rate --out", theirs["seconds"], goal)]


def matches(
    count: int = MATCHES, players: int = PLAYERS, *, whole_days: bool = False
) -> pl.DataFrame:
    """Random matches of ten years, a few at the same second; always the same ones."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, players, count)
    b = (a + rng.integers(1, players, count)) % players
    time = np.sort(rng.integers(1_400_000_000, 1_400_000_000 + 3_650 * 86_400, count))
    moments = pl.Series(time * 1_000_000).cast(pl.Datetime("us"))
    names = pl.select(pl.lit("player") + pl.int_range(players).cast(pl.String)).to_series()
    return pl.DataFrame(
        {
            "time": moments.dt.date() if whole_days else moments,
            "player_a": names.gather(a),
            "player_b": names.gather(b),
            "outcome": rng.choice([0.0, 0.5, 1.0], count),
        }
    )
