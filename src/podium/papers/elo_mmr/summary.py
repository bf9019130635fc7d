"""Table 1: the data sets, the paper's beside those that are here."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl

from podium.errors import InputError
from podium.evaluation.populations import SimulatedContests, simulate
from podium.papers.targets import NO_DATA, Data, Reproduction
from podium.progress import Report, unseen
from podium.results.contests import Contests

PLAYERS_BY_TABLE = 2500
"""Players of the synthetic set who make its Table 1 true."""
PLAYERS_BY_TEXT = 10_000
"""Players of the synthetic set in the words of section 6.1."""


class Printed(NamedTuple):
    """A line of Table 1."""

    contests: int
    mean_size: int


PRINTED = {
    "codeforces": Printed(1087, 2999),
    "topcoder": Printed(2023, 403),
    "reddit": Printed(1000, 20),
    "synthetic": Printed(50, 2500),
}

_SHOWN: tuple[str, ...] = ("contests_in_paper", "contests", "mean_size_in_paper", "mean_size")
_SHOWN += ("largest", "players", "participations", "tied_%", "years")


def table_1(
    data: Data = NO_DATA,
    progress: Report = unseen,
    *,
    players: tuple[int, int] = (PLAYERS_BY_TABLE, PLAYERS_BY_TEXT),
) -> Reproduction:
    """The sets that were given and two synthetic ones, of so many players: by table and by text."""
    rounds = PRINTED["synthetic"].contests
    by_table, by_text = (simulate(count, rounds) for count in players)
    sets: dict[str, Contests | None] = {
        **{name: data.get(name) for name in PRINTED},
        "synthetic": by_table,
        "synthetic by the text": by_text,
    }
    rows = []
    for done, (name, contests) in enumerate(sets.items()):
        rows.append(_row(name, contests))
        progress(done + 1, len(sets))
    findings = pl.DataFrame(rows, infer_schema_length=None)
    return Reproduction(findings, remarks=tuple(_remarks(data)))


def _row(name: str, contests: Contests | None) -> dict[str, Any]:
    found = {} if contests is None else _counted(name, contests)
    if name in PRINTED:
        found |= {f"{key}_in_paper": value for key, value in PRINTED[name]._asdict().items()}
    return {"data_set": name, **{key: found.get(key) for key in _SHOWN}}


def _counted(name: str, contests: Contests) -> dict[str, Any]:
    """What there is in a data set; tied are those whose rank another shares, in percent."""
    if not len(contests):
        raise InputError(f"the data set {name} has no contests; at least one is needed.")
    counts = {
        "contests": len(contests),
        "mean_size": contests.rows / len(contests),
        "largest": int(contests.sizes.max()),
        "players": len(np.unique(contests.columns.player)),
        "participations": contests.rows,
        "tied_%": 100.0 * tied_rows(contests) / contests.rows,
    }
    if isinstance(contests, SimulatedContests):
        return counts
    years = dict.fromkeys(str(contests[at].time.year) for at in (0, -1))
    return {**counts, "years": "–".join(years)}


def tied_rows(contests: Contests) -> int:
    """How many participations share their rank with another one.

    Rows are sorted by rank, so those of one rank are neighbours.
    """
    columns = contests.columns
    starts = np.ones(contests.rows + 1, np.bool_)
    starts[1:-1] = columns.rank[1:] != columns.rank[:-1]
    starts[columns.offsets] = True
    return int(np.count_nonzero(~(starts[:-1] & starts[1:])))


def _remarks(data: Data) -> list[str]:
    remarks = [
        "The paper contradicts itself on the synthetic set: its Table 1 has 50 contests of "
        "2,500 players, its section 6.1 has 10,000 players who compete in all rounds, which makes "
        "contests of 10,000. Both are generated here, by podium.simulate, with the spreads of "
        "section 6.1 (350 for skills, 200 for performances, 35 for the step between rounds)."
    ]
    if "codeforces" in data:
        remarks += _earlier_end(data["codeforces"])
    missing = [name for name in PRINTED if name not in data and name != "synthetic"]
    if missing:
        remarks.append(
            f"Not given, so only the paper's line is shown: {', '.join(missing)}. The paper's "
            "sets were mined from the sites and podium has no copy of them; results in any format "
            "that podium reads, as the contest files of the authors' program, are given with "
            f"--data {missing[0]}=PATH."
        )
    return remarks


def _earlier_end(contests: Contests) -> list[str]:
    """What the paper's Codeforces has beyond one that is shorter."""
    printed, count = PRINTED["codeforces"], len(contests)
    fewer = printed.contests - count
    if fewer <= 0:
        return []
    until = contests[-1].time
    size = (printed.contests * printed.mean_size - contests.rows) / fewer
    return [
        f"The paper's Codeforces goes on until 2020-10-09, this one until {until:%Y-%m-%d}: "
        f"{fewer:,} contests fewer. To make up the paper's mean, those would have {size:,.0f} "
        f"players each; the last {min(fewer, count):,} here have "
        f"{contests.sizes[-fewer:].mean():,.0f}."
    ]
