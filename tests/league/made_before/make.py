"""Make a small league with whatever podium is imported, and say what that podium says of it.

Each file beside this one was made by the last version that had its tables, the steps 0002 to 0008
of `podium.league.migrations`: ``git archive`` of that commit into a folder, and

    PYTHONPATH=FOLDER/src python make.py elo-mmr 0002

There was never a version whose leagues had the tables of step 0001.
"""

import contextlib
import json
import random
import sqlite3
import sys
import tempfile
from pathlib import Path

import podium
from podium import Contests, League
from podium.league import Rules

NAMES = ["ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida", "jim", "kit"]
ACCENTED = "zoe\u0308"
"""Not in its shortest spelling, which later versions give it."""
NOTED = {"who": "ann", "why": "a league to be kept"}


def contest(number: int, rng: random.Random, *, teams: bool) -> list[dict]:
    """A contest with ties, of some players alone or, all of them, in teams of two."""
    id, day = f"round {number}", f"2024-{1 + number // 3:02}-{1 + 9 * (number % 3):02}"
    everybody = [*NAMES, ACCENTED]
    there = rng.sample(everybody, len(everybody) if teams or number == 1 else rng.randint(5, 10))
    rows = [
        {"contest": id, "time": day, "player": name, "rank": 1 + place // 2}
        for place, name in enumerate(there)
    ]
    if teams:
        return [{**row, "team": f"team {row['rank']}"} for row in rows]
    return [{**row, "rank": 2 * row["rank"] - 1} for row in rows]


def alone(id: str, names: list[str]) -> list[dict]:
    """A contest of these players, the best first."""
    return [
        {"contest": id, "time": "2024-04-01", "player": name, "rank": rank}
        for rank, name in enumerate(names, 1)
    ]


def make(where: Path, system: str) -> None:
    """The league."""
    rng, teams = random.Random(3), system == "trueskill"
    low, high = (20.0, 28.0) if teams else (1400.0, 1600.0)
    other = "weng-lin" if teams else "glicko" if system == "glicko2" else "glicko2"

    def results(*numbers: int) -> Contests:
        return Contests.from_records(
            [row for number in numbers for row in contest(number, rng, teams=teams)]
        )

    with League.create(where, system, who="ann") as league:
        league.record(results(1, 2, 3, 4, 5), **NOTED)
        league.record(results(6), rated=False, **NOTED)
        league.record(results(7), ceiling=high, **NOTED)
        league.set_rules(Rules(titles=((low, "pupil"), (high, "expert"))), **NOTED)
        league.amend("round 2", weight=2.0, **NOTED)
        league.rename("bob", "bea", **NOTED)
        there = league.contest("round 4")["player"].to_list()
        league.disqualify("round 4", there[0], **NOTED)
        league.revise(other, name="another", **NOTED)
        league.record(Contests.from_records(alone("round 8", ["kitty", "cat", "gus"])), **NOTED)
        league.rollback("first", **NOTED)
        league.merge("kitty", "kit", **NOTED)
        league.record(results(9, 10), **NOTED)
        there = sorted(league.contest("round 5")["player"].to_list())
        league.amend("round 5", Contests.from_records(alone("round 5", there)), **NOTED)
        league.remove("round 3", **NOTED)
        if hasattr(league, "undo"):
            league.disqualify("round 1", "ann", **NOTED)
            league.undo(**NOTED)


def said(where: Path) -> dict:
    """What the version that made it says of a league."""
    with League(where) as league:
        board = league.leaderboard(None)
        log = league.log().select("number", "action", "contest", "player", "who", "why")
        assert league.verify().differences == []
        try:
            from podium.ratings import arithmetic
        except ImportError:
            number = 1
        else:
            number = arithmetic.ARITHMETIC
        return {
            "arithmetic": number,
            "leaderboard": board.drop("last_time").to_dicts(),
            "log": log.to_dicts(),
            "contests": league.contests()["contest"].to_list(),
            "aliases": [list(row) for row in league.aliases().iter_rows()],
        }


def main(system: str, version: str) -> None:
    """Write the league as statements of SQL, and what is said of it."""
    here = Path(__file__).parent
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder) / "league.db"
        make(where, system)
        with contextlib.closing(sqlite3.connect(where)) as connection:
            made = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            assert made == (version,), made
            statements = "\n".join(connection.iterdump()) + "\n"
        expected = {"system": system, "version": version, **said(where)}
    (here / f"{version}-{system}.sql").write_text(statements, encoding="utf-8")
    text = json.dumps(expected, indent=1, ensure_ascii=False) + "\n"
    (here / f"{version}-{system}.json").write_text(text, encoding="utf-8")
    print(podium.__file__, version, system)


if __name__ == "__main__":
    main(*sys.argv[1:])
