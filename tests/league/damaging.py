"""A process that damages leagues and gives all commands to them; see test_damage.

It reads nothing. Arguments: the file of a league, a folder to work in, the first case and the
number of cases. Whatever is not a sentence is printed; nothing is printed if all is well.
"""

import contextlib
import random
import shutil
import sqlite3
import sys
from pathlib import Path

from typer.testing import CliRunner

from podium.cli.app import app
from podium.errors import PodiumError

KINDS = {0, 1, *(each.exit_code for each in (PodiumError, *PodiumError.__subclasses__()))}
READING = (
    "leaderboard LEAGUE",
    "leaderboard LEAGUE --at 1970-01-20",
    "player LEAGUE p1",
    "player LEAGUE p1 --json",
    "contest LEAGUE one",
    "contests LEAGUE",
    "log LEAGUE",
    "log LEAGUE --json",
    "log LEAGUE --before 3 --out OUT.csv",
    "revisions LEAGUE",
    "revisions LEAGUE --compare first second",
    "rules LEAGUE",
    "explain LEAGUE one p1",
    "predict LEAGUE RESULTS",
    "export LEAGUE OUT",
    "backup LEAGUE OUT.db --force",
    "verify LEAGUE",
    "amend LEAGUE one --weight 2 --dry-run",
    "undo LEAGUE --dry-run",
    "undo LEAGUE 2 --dry-run",
)
WRITING = (
    "record LEAGUE RESULTS",
    "amend LEAGUE one --weight 2",
    "disqualify LEAGUE one p1",
    "reinstate LEAGUE one p1",
    "undo LEAGUE",
    "undo LEAGUE",
    "redo LEAGUE",
    "remove LEAGUE one",
    "rename LEAGUE p1 somebody",
    "merge LEAGUE p1 alone",
    "revise LEAGUE --set rho=3",
    "rollback LEAGUE second",
    "rules LEAGUE --display mean",
    "migrate LEAGUE",
)
ODD = (
    "'text'",
    "''",
    "-1",
    "0",
    "9223372036854775807",
    "1e300",
    "-1.5",
    "x'00ff'",
    "'{'",
    "'[1]'",
    "'\x1b[2J'",
)


def damage(path: Path, rng: random.Random) -> str:
    """Damage a league somehow; how, in words."""
    how = rng.choice(
        ["bytes", "bits", "zeros", "cut", "cell", "cell", "cell", "rows", "table", "column"]
    )
    content = bytearray(path.read_bytes())
    if how in ("bytes", "bits", "zeros"):
        for _ in range(rng.choice([1, 1, 8])):
            start = rng.randrange(16, len(content))
            if how == "bits":
                content[start] ^= 1 << rng.randrange(8)
                continue
            length = rng.choice([4, 64, 4096])
            new = rng.randbytes(length) if how == "bytes" else bytes(length)
            content[start : start + length] = new[: len(content) - start]
        path.write_bytes(content)
        return how
    if how == "cut":
        path.write_bytes(content[: rng.randrange(len(content))])
        return how
    return _in_tables(path, how, rng)


def _in_tables(path: Path, how: str, rng: random.Random) -> str:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        named = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        table = rng.choice([name for (name,) in named])
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        column, value = rng.choice(columns), rng.choice(ODD)
        key = columns[0]
        some = f"{key} IN (SELECT {key} FROM {table} ORDER BY random() LIMIT 1)"
        connection.execute("DROP TRIGGER IF EXISTS log_only_grows_update")
        connection.execute("DROP TRIGGER IF EXISTS log_only_grows_delete")
        statement = {
            "cell": f'UPDATE OR REPLACE {table} SET "{column}" = {value} WHERE {some}',
            "rows": f"DELETE FROM {table} WHERE {some}",
            "table": f"DROP TABLE {table}",
            "column": f'ALTER TABLE {table} RENAME COLUMN "{column}" TO lost',
        }[how]
        with contextlib.suppress(sqlite3.Error):  # some columns take nothing odd
            connection.execute(statement)
        return statement


def complaint(words: str, league: Path, folder: Path) -> str | None:
    """What is wrong with how a command takes a damaged league, or nothing."""
    places = {
        "LEAGUE": league,
        "OUT": folder / "out",
        "OUT.csv": folder / "out.csv",
        "OUT.db": folder / "out.db",
        "RESULTS": folder / "new.csv",
    }
    arguments = [str(places.get(word, word)) for word in words.split()]
    result = CliRunner().invoke(app, arguments)
    error = result.exception
    if error is not None and not isinstance(error, SystemExit):
        return f"{type(error).__name__}: {error}"
    if result.exit_code not in KINDS:
        return f"exit code {result.exit_code}"
    sentences = [line for line in result.stderr.splitlines() if line.startswith("podium: ")]
    if result.exit_code > 1 and (len(sentences) != 1 or len(sentences[0]) > 1500):
        return f"said {result.stderr!r}"
    return None


def main(template: Path, folder: Path, first: int, cases: int) -> None:
    (folder / "new.csv").write_text(
        "contest,time,player,rank\nnew,1970-03-01,p1,1\nnew,1970-03-01,p2,2\n"
    )
    for case in range(first, first + cases):
        rng = random.Random(case)
        damaged, league = folder / "damaged.db", folder / "league.db"
        shutil.copy(template, damaged)
        how = damage(damaged, rng)
        wrong = []
        content = damaged.read_bytes()
        shutil.copy(damaged, league)
        for words in READING:
            print(f"case {case}, {how!r}: {words}", file=sys.stderr, flush=True)
            if found := complaint(words, league, folder):
                wrong.append(f"{words}: {found}")
            if league.read_bytes() != content:
                wrong.append(f"{words}: changes the file")
                shutil.copy(damaged, league)
        for words in WRITING:
            print(f"case {case}, {how!r}: {words}", file=sys.stderr, flush=True)
            shutil.copy(damaged, league)
            for kind in ("journal", "wal", "shm"):
                (folder / f"league.db-{kind}").unlink(missing_ok=True)
            if found := complaint(words, league, folder):
                wrong.append(f"{words}: {found}")
        for each in wrong:
            print(f"case {case}, {how!r}: {each}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
