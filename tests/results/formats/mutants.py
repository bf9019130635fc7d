"""Damaged and hostile files of every format that podium reads, by number, and what becomes of them.

A case is made from its number alone, so that anyone can repeat it:

    python tests/results/formats/mutants.py FOLDER 17 18

`tally` reads any number of them in child processes with a limit on their memory, so that one that
kills its reader is counted and the next one is tried.
"""

import bz2
import contextlib
import datetime
import gzip
import io
import json
import math
import random
import subprocess
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pyarrow

import podium
from podium import PodiumError
from podium.results.isolation import limit_memory

MEMORY = 4 * 2**30
BATCH = 5_000
LONGEST_SENTENCE = 2_100

TEXTS = [
    *("", " ", "\0", "\x1b[2J", "=1+1", "NaN", "inf", "-inf", "1e400", "9" * 30, "9" * 5000, "-1"),
    *("0", "1.5", "é", "e\u0301", "\ufeff", "\u202e", "a" * 1001, "a,b", '"', "\n", "\r", "\t"),
    *("2026-05-01T25:00", "9999-12-31", "9999-12-31T23:59:59-14:00", "0000-01-01", "0001-01-01"),
    *("0001-01-01T00:00:00+14:00", "20260501", "1777593600000", "-62135596801", "253402300800"),
    *("true", "null", "1e18", "-9223372036854775808", "18446744073709551615", "\U0001f989", "\x85"),
    *(
        "2026-05-01T00:00:00.1234567",
        "2026-W01-1",
        "١٢",
        "½",
        "0x10",
        "1_000",
        "+1",
        "1e",
        ".",
        "-",
    ),
]
NUMBERS = [
    *(0, -1, 2, 2**31, 2**31 - 1, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 2**127, 10**400),
    *(1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf, -0.0, 0.5, 1e-5, 1e15, 4e15, 20260501),
]
NODES: list[Any] = [
    *(None, True, False, [], {}, [[]], {"a": 1}, [None], "\ud800", "\udc00x", [1, 2, 3, 4]),
    *TEXTS,
    *NUMBERS,
]
BYTES = [
    *(
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b'"',
        b"\n",
        b"\r",
        b",",
        b"{",
        b"}",
        b"[",
        b"]",
    ),
    *(
        b"\x7f\xff\xff\xff",
        b"\xff" * 8,
        b"\x80" * 10,
        b"\0" * 16,
        b"\xed\xa0\x80",
        b"\\ud800",
        b"1e999",
    ),
    *(
        b"NaN",
        b"-",
        b"9" * 400,
        b"[" * 70,
        b"[" * 5000,
        b"\x1f\x8b",
        b"PK\x03\x04",
        b"PAR1",
        b"\x01",
    ),
]


class Case(NamedTuple):
    """A file, how it is read, and the kind that it is counted under."""

    kind: str
    name: str
    data: bytes
    options: dict[str, Any]


def case(number: int) -> Case:
    """The case of that number."""
    rng = random.Random(number)
    kind = rng.choice(list(KINDS))
    name, data = KINDS[kind](rng)
    if rng.random() < 0.4 and kind != "damaged parquet":
        data = damaged(rng, data)
    options: dict[str, Any] = {}
    for option in ("unlimited", "future", "rerank", "lowest_score_wins"):
        if rng.random() < (0.02 if option == "lowest_score_wins" else 0.2):
            options[option] = True
    if kind in ("ctfd", "ctfd top", "ctftime feed", "atcoder", "lichess results"):
        options |= {"contest": "spring", "time": "2026-03-01"}
    if kind == "icpc":
        options["contest"] = "spring"
    if rng.random() < 0.05 and kind not in DOCUMENTS:
        options["columns"] = {"player": "team"}
    if rng.random() < 0.1:
        options["sort"] = False
    return Case(kind, name, data, options)


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes changed, cut, doubled, moved or put in."""
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 30])):
        place = rng.randrange(len(changed) + 1)
        if rng.random() < 0.3:  # where footers and checksums are
            place = max(len(changed) - rng.randrange(1, 600), 0)
        length = rng.choice([1, 1, 2, 4, 8, 100])
        way = rng.randrange(7)
        if way == 0 and place < len(changed):
            changed[place] ^= 1 << rng.randrange(8)
        elif way == 1:
            changed[place : place + length] = rng.randbytes(length)
        elif way == 2:
            piece = rng.choice(BYTES)
            changed[place : place + rng.choice([0, len(piece)])] = piece
        elif way == 3:
            del changed[place : place + length]
        elif way == 4:
            changed[place:place] = changed[place : place + length]
        elif way == 5 and rng.random() < 0.2:
            del changed[place:]
        elif way == 6:
            other = rng.randrange(len(changed) + 1)
            changed[place : place + length] = changed[other : other + length]
    return bytes(changed)


def frame(rng: random.Random) -> pl.DataFrame:
    """A valid table, small, with some of the optional columns."""
    players = [f"player {n}" for n in range(6)]
    rows: list[dict[str, Any]] = []
    is_match_list = rng.random() < 0.3
    for contest in range(rng.randrange(1, 4)):
        day = f"2026-0{contest + 1}-01"
        chosen = rng.sample(players, rng.randrange(2, 5))
        if is_match_list:
            row: dict[str, Any] = {"time": day, "player_a": chosen[0], "player_b": chosen[1]}
            rows.append(row | {"outcome": rng.choice([0.0, 0.5, 1.0]), "score_a": 3, "score_b": 1})
            continue
        for rank, player in enumerate(chosen, start=1):
            rows.append({"contest": f"c{contest}", "time": day, "player": player, "rank": rank})
    table = pl.DataFrame(rows)
    more: dict[str, Any] = {"weight": 1.0, "margin": 2.0, "ladder": "x", "name": "n", "side": "0"}
    if not is_match_list:
        more |= {"team": None, "share": 1.0, "perf_ceiling": 2000.0, "score": 5}
    for name in rng.sample(list(more), rng.randrange(3)):
        table = table.with_columns(pl.lit(more[name]).alias(name))
    return table


def texts(rng: random.Random) -> list[list[str]]:
    """A table with its header as texts, of which some may be odd."""
    table = frame(rng)
    cells = [table.columns, *([str(value) for value in row] for row in table.rows())]
    if rng.random() < 0.5:
        for _ in range(rng.randrange(1, 4)):
            row = rng.choice(cells)
            row[rng.randrange(len(row))] = rng.choice(TEXTS)
    if rng.random() < 0.1:
        row = rng.choice(cells)
        row.insert(rng.randrange(len(row) + 1), rng.choice(["", "x", *table.columns]))
    if rng.random() < 0.05:
        cells[0] += [f"more {n}" for n in range(rng.choice([1, 100, 3000]))]
    return cells


def delimited(separator: str) -> Callable[[random.Random], bytes]:
    """A table of texts, in quotes here and there."""

    def made(rng: random.Random) -> bytes:
        def cell(text: str) -> str:
            quoted = any(sign in text for sign in (separator, '"', "\n", "\r"))
            return (
                f'"{text.replace(chr(34), 2 * chr(34))}"' if quoted and rng.random() < 0.9 else text
            )

        end = rng.choice(["\n", "\n", "\r\n"])
        text = end.join(separator.join(map(cell, row)) for row in texts(rng))
        return encoded(rng, text + end)

    return made


def encoded(rng: random.Random, text: str) -> bytes:
    """Nearly always in UTF-8."""
    encoding = "utf-8"
    if rng.random() < 0.1:
        encoding = rng.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"])
    return text.encode(encoding, "replace")


def lines(rng: random.Random) -> bytes:
    """JSON lines with odd values, keys that are missing, and nests."""
    table = frame(rng)
    rows = table.to_dicts()
    if rng.random() < 0.5:
        for _ in range(rng.randrange(1, 4)):
            row = rng.choice(rows)
            name = rng.choice(list(row) or ["x"])
            if rng.random() < 0.2:
                row.pop(name, None)
            else:
                row[name] = rng.choice(NODES)
    return encoded(rng, "".join(json.dumps(row) + "\n" for row in rows))


def packed(
    name: str, make: Callable[[random.Random], bytes]
) -> Callable[[random.Random], tuple[str, bytes]]:
    """The same as a file of that name, damaged before it is compressed, now and then."""

    def made(rng: random.Random) -> tuple[str, bytes]:
        data = make(rng)
        if rng.random() < 0.3:
            data = damaged(rng, data)
        if name.endswith(".gz"):
            return name, gzip.compress(data, 1, mtime=0)
        if name.endswith(".zst"):
            return name, pyarrow.compress(data, codec="zstd", asbytes=True)
        if rng.random() < 0.02:
            return name, rng.choice([zlib.compress, gzip.compress, bz2.compress])(data)
        return name, data

    return made


def odd_column(rng: random.Random, name: str, height: int) -> pl.Series:
    """A column of a type, or with values, that nobody expects."""
    days = [0, 20_000, 2**31 - 1, -(2**31), 2_932_897, -719_163]
    moments = [0, 2**62, -(2**62), 2**63 - 1, -(2**63), 253_402_300_800_000_000]
    wide = [1, 2**31, 2**40]
    types: list[tuple[list[Any], Any, Any]] = [
        (days, pl.Int32, pl.Date),
        (moments, pl.Int64, pl.Datetime(rng.choice(["ms", "us", "ns"]))),
        (moments, pl.Int64, pl.Datetime(rng.choice(["ms", "us", "ns"]), "Asia/Tokyo")),
        (moments, pl.Int64, pl.Duration("us")),
        ([0, 10**13], pl.Int64, pl.Time),
        ([n for n in NUMBERS if isinstance(n, int) and 0 <= n < 2**64], pl.UInt64, pl.UInt64),
        (
            [n for n in NUMBERS if isinstance(n, float)],
            pl.Float64,
            rng.choice([pl.Float64, pl.Float32]),
        ),
        (
            [0, 1, -1, 10**6],
            pl.Int64,
            rng.choice([pl.Decimal(20, 3), pl.Int8, pl.Int128, pl.Boolean]),
        ),
        (TEXTS, pl.String, rng.choice([pl.String, pl.Categorical, pl.Binary])),
        (["a", "b"], pl.String, pl.Enum(["a", "b"])),
        ([None], pl.Null, pl.Null),
        ([[1], [], None], pl.List(pl.Int64), pl.List(pl.Int64)),
        ([["a"]], pl.List(pl.String), pl.Array(pl.String, 1)),
        ([{"a": 1, "b": {"c": "d"}}], None, None),
        (wide, pl.Int64, pl.Int64),
    ]
    values, first, last = rng.choice(types)
    column = pl.Series(name, rng.choices(values, k=height), first, strict=False)
    return column if last is None else column.cast(last, strict=False)


def parquet(rng: random.Random) -> tuple[str, bytes]:
    """A table with odd columns, in one of the ways in which Parquet is written."""
    table = frame(rng).with_columns(pl.col("time").str.to_datetime())
    for name in rng.sample(table.columns, rng.randrange(3)):
        column = odd_column(rng, name, table.height)
        if rng.random() < 0.5:
            keep = rng.randrange(table.height)
            column = column.head(keep).extend(column.slice(keep)) if keep else column
        table = table.with_columns(column)
    if rng.random() < 0.05:
        table = table.clear()
    if rng.random() < 0.2:
        table = pl.concat([table] * 200)
    if rng.random() < 0.05:
        table = table.select(pl.first())
    target = io.BytesIO()
    compression = rng.choice(["zstd", "snappy", "gzip", "lz4", "uncompressed", "brotli"])
    try:
        table.write_parquet(
            target, compression=compression, row_group_size=rng.choice([None, 2]), statistics=True
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return "a.parquet", b"PAR1" + rng.randbytes(40) + b"PAR1"
    data = bytearray(target.getvalue())
    for _ in range(rng.choice([0, 1, 1, 2])):  # numbers in headers, whose places stay the same
        footer = int.from_bytes(data[-8:-4], "little")
        start = rng.choice([4, max(len(data) - 8 - footer, 4)])
        place = rng.randrange(start, len(data))
        number = rng.choice([b"\xff" * 9 + b"\x01", b"\x80", b"\xff", b"\xff\x7f", b"\0", b"\x01"])
        number = number[-rng.randrange(1, len(number) + 1) :]
        data[place : place + len(number)] = number
    return "a.parquet", bytes(data)


def contest(rng: random.Random) -> dict[str, Any]:
    """A contest file of the Elo-MMR project."""
    count = rng.randrange(1, 5)
    return {
        "name": "Round",
        "time_seconds": 1_777_593_600 + rng.randrange(9) * 86_400,
        "weight": 1.0,
        "perf_ceiling": None,
        "standings": [[f"player {n}", n, n] for n in range(count)],
    }


def standings(rng: random.Random) -> dict[str, Any]:
    """An answer of Codeforces to contest.standings."""
    rows = [
        {
            "party": {
                "participantType": "CONTESTANT",
                "teamName": rng.choice([None, "red"]),
                "members": [{"handle": f"p{n}{m}"} for m in range(rng.choice([1, 1, 2]))],
            },
            "rank": n + 1,
        }
        for n in range(rng.randrange(1, 4))
    ]
    about = {"id": 1500, "name": "Round", "startTimeSeconds": 1_600_000_000}
    return {"status": "OK", "result": {"contest": about, "rows": rows}}


def changes(rng: random.Random) -> dict[str, Any]:
    """An answer of Codeforces to contest.ratingChanges."""
    rows = [
        {
            "contestId": 1500,
            "contestName": "Round",
            "handle": f"p{n}",
            "rank": n + 1,
            "ratingUpdateTimeSeconds": 1_600_000_000,
        }
        for n in range(rng.randrange(1, 4))
    ]
    return {"status": "OK", "result": rows}


def events(rng: random.Random) -> dict[str, Any]:
    """An answer of CTFtime."""
    scores = [{"team_id": n, "points": "1.0", "place": n + 1} for n in range(rng.randrange(1, 4))]
    return {"2230": {"title": "CTF", "time": 1_710_000_000.0, "scores": scores}}


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document where a value stands."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
        yield node, key
        if isinstance(value, dict | list):
            yield from places(value)


def document(
    make: Callable[[random.Random], dict[str, Any]],
) -> Callable[[random.Random], tuple[str, bytes]]:
    """A JSON file with a value replaced, a key gone or one more."""

    def made(rng: random.Random) -> tuple[str, bytes]:
        whole = make(rng)
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            node, key = rng.choice(list(places(whole)) or [(whole, "x")])
            if rng.random() < 0.15 and isinstance(node, dict):
                node.pop(key, None)
            elif rng.random() < 0.1 and isinstance(node, dict):
                node[rng.choice(TEXTS)] = rng.choice(NODES)
            else:
                node[key] = rng.choice(NODES)
        return "a.json", encoded(
            rng, json.dumps(whole, ensure_ascii=rng.random() < 0.99).replace("\ud800", "")
        )

    return made


def archive(rng: random.Random) -> tuple[str, bytes]:
    """A .zip with odd entries."""
    target = io.BytesIO()
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    odd = ["../a.json", "/a.json", "a/b/c.json", ".json", "x" * 300 + ".json", "é.json", "\n.json"]
    with zipfile.ZipFile(target, "w") as whole:
        for number in range(rng.randrange(1, 4)):
            name = f"{number}.json" if rng.random() < 0.8 else rng.choice([*odd, "0.json", "a.zip"])
            data = document(rng.choice([contest, contest, standings, events]))(rng)[1]
            entry = zipfile.ZipInfo(name)
            if rng.random() < 0.1:
                entry.flag_bits |= rng.choice([0x1, 0x8, 0x800])
            try:
                whole.writestr(entry, data, rng.choice(methods))
            except ValueError:
                continue
    data = target.getvalue()
    if rng.random() < 0.1:  # the flags of encryption or of names in UTF-8, in the directory
        at = data.rfind(b"PK\x01\x02")
        data = data[: at + 8] + bytes([rng.choice([1, 8, 64])]) + data[at + 9 :]
    return "a.zip", data


def names(rng: random.Random) -> bytes:
    """Standings as one name a line."""
    some = [rng.choice([*TEXTS, "ann", "bob", "cat"]) for _ in range(rng.randrange(1, 6))]
    return encoded(rng, "\n".join(some) + "\n")


CORPUS = Path(__file__).parents[1] / "corpus"


def sample(name: str) -> Callable[[random.Random], Any]:
    """A document of the corpus, as it is."""
    return lambda _rng: json.loads((CORPUS / name).read_bytes())


def sampled_lines(name: str) -> Callable[[random.Random], bytes]:
    """Lines of the corpus with a value replaced or a key gone here and there."""

    def made(rng: random.Random) -> bytes:
        rows = [json.loads(line) for line in (CORPUS / name).read_bytes().splitlines()]
        for _ in range(rng.choice([0, 1, 1, 2])):
            node, key = rng.choice(list(places(rng.choice(rows))) or [({}, "x")])
            if rng.random() < 0.2 and isinstance(node, dict):
                node.pop(key, None)
            else:
                node[key] = rng.choice(NODES)
        return encoded(rng, "".join(json.dumps(row) + "\n" for row in rows))

    return made


def games(rng: random.Random) -> bytes:
    """Games of chess with odd values in their tags."""
    text = (CORPUS / rng.choice(["site-pgn-club.pgn", "site-lichess-month.pgn"])).read_text("utf-8")
    tags = [part for part in text.split('"') if part.strip() and "[" not in part]
    for _ in range(rng.choice([0, 1, 1, 2])):
        text = text.replace(f'"{rng.choice(tags)}"', f'"{rng.choice(TEXTS)}"', rng.choice([1, -1]))
    return encoded(rng, text)


def football(rng: random.Random) -> bytes:
    """A table of football-data with an odd value."""
    rows = (CORPUS / "site-football-data.csv").read_text("utf-8-sig").splitlines()
    cells = [row.split(",") for row in rows]
    for _ in range(rng.choice([0, 1, 1, 2])):
        row = rng.choice(cells)
        row[rng.randrange(8)] = rng.choice(TEXTS).replace("\n", " ")
    return encoded(rng, "\n".join(",".join(row) for row in cells) + "\n")


SAMPLES = {
    "ctfd": "site-ctfd-scoreboard.json",
    "ctfd top": "site-ctfd-top.json",
    "ctftime feed": "site-ctftime-feed.json",
    "icpc": "site-icpc-scoreboard.json",
    "challonge": "site-challonge-tournament.json",
    "challonge v2": "site-challonge-v2.json",
    "startgg sets": "site-startgg-sets.json",
    "startgg standings": "site-startgg-standings.json",
    "atcoder": "site-atcoder-standings.json",
    "atcoder results": "site-atcoder-results.json",
    "json table": "json-results.json",
}


def sampled_archive(name: str) -> Callable[[random.Random], tuple[str, bytes]]:
    """An archive of the corpus with a document in it that is odd."""

    def made(rng: random.Random) -> tuple[str, bytes]:
        target = io.BytesIO()
        with zipfile.ZipFile(CORPUS / name) as given, zipfile.ZipFile(target, "w") as whole:
            inside = [entry for entry in given.namelist() if entry.endswith(".json")]
            odd = rng.choice(inside)
            for entry in inside:
                text = json.loads(given.read(entry))
                data = document(lambda _, text=text: text)(rng)[1]
                whole.writestr(entry, data if entry == odd else given.read(entry))
        return "a.zip", target.getvalue()

    return made


DOCUMENTS = {
    "contest file": document(contest),
    "codeforces standings": document(standings),
    "codeforces changes": document(changes),
    "ctftime": document(events),
    "zip": archive,
    **{kind: document(sample(name)) for kind, name in SAMPLES.items()},
    "ctfd export": sampled_archive("site-ctfd-export.zip"),
    "icpc package": sampled_archive("site-icpc-package.zip"),
}
SITES = {
    "pgn": packed("a.pgn", games),
    "pgn.gz": packed("a.pgn.gz", games),
    "pgn.zst": packed("a.pgn.zst", games),
    "lichess games": packed("a.ndjson", sampled_lines("site-lichess-games.ndjson")),
    "lichess results": packed("a.ndjson", sampled_lines("site-lichess-arena.ndjson")),
    "icpc feed": packed("a.ndjson", sampled_lines("site-icpc-event-feed.ndjson")),
    "football-data": packed("a.csv", football),
}
KINDS: dict[str, Callable[[random.Random], tuple[str, bytes]]] = {
    "csv": packed("a.csv", delimited(",")),
    "csv.gz": packed("a.csv.gz", delimited(",")),
    "csv.zst": packed("a.csv.zst", delimited(",")),
    "csv with semicolons": packed("a.csv", delimited(";")),
    "tsv": packed("a.tsv", delimited("\t")),
    "jsonl": packed("a.jsonl", lines),
    "jsonl.gz": packed("a.jsonl.gz", lines),
    "jsonl.zst": packed("a.jsonl.zst", lines),
    **dict.fromkeys(("parquet", "damaged parquet"), parquet),
    "txt": packed("a.txt", names),
    **DOCUMENTS,
    **SITES,
}


def outcome(given: Case, folder: Path) -> str:
    """'rated', 'read' or 'refused'; anything else is a fault."""
    path = folder / given.name
    path.write_bytes(given.data)
    try:
        if given.kind == "txt":
            options = {key: value for key, value in given.options.items() if key == "unlimited"}
            contests = podium.read_standings(path, time=datetime.date(2026, 5, 1), **options)
        else:
            contests = podium.read(path, **given.options)
    except PodiumError as error:
        return sentence(str(error), "refused")
    for each in contests:
        if not (isinstance(each.id, str) and isinstance(each.name, str | None) and each.time):
            return f"fault: {each!r} has the name {each.name!r}"
    table = contests.frame()
    if podium.Contests.from_frame(table, future=True, unlimited=True, sort=False) != contests:
        return "fault: its own table makes other contests"
    try:
        rated = podium.rate(contests, "elo-mmr")
    except PodiumError as error:
        return sentence(str(error), "read")
    finite = np.isfinite(rated.ratings["mu"].to_numpy()).all()
    return "rated" if finite else "fault: ratings that are not finite"


def sentence(text: str, otherwise: str) -> str:
    """A fault if it is not one line of a few hundred words at most."""
    if len(text) > LONGEST_SENTENCE or "\n" in text or not text:
        return f"fault: a sentence of {len(text)} characters: {text[:200]!r}"
    return otherwise


def try_cases(folder: Path, first: int, last: int) -> None:
    """Read cases and write their outcomes, line by line, as a child does."""
    limit_memory(MEMORY)
    with open(folder / "log", "a", encoding="utf-8", errors="replace") as log:
        for number in range(first, last):
            given = case(number)
            log.write(f"{number}\t{given.kind}\t")
            log.flush()
            try:
                what = outcome(given, folder)
            except BaseException as error:
                what = f"fault: {type(error).__name__}: {str(error)[:300]!r}"
            log.write(" ".join(what.split()) + "\n")


class Tally(NamedTuple):
    """What became of cases."""

    outcomes: Counter[tuple[str, str]]
    """How many of each kind and outcome; 'died' are those that killed their reader."""
    faults: list[str]
    died: list[int]


def tally(count: int, folder: Path) -> Tally:
    """Try so many cases, in child processes, but for those that the log of the folder has."""
    log = folder / "log"
    log.touch()
    while (first := log.read_bytes().count(b"\n")) < count:
        last = min(first + BATCH, count)
        command = [sys.executable, __file__, str(folder), str(first), str(last)]
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, stderr=subprocess.DEVNULL, timeout=3_600, check=False)
        text = log.read_bytes()
        if text.count(b"\n") < last:
            if text.endswith(b"\n") or not text:
                raise RuntimeError(f"the reader of case {first} does not start")
            log.write_bytes(text + b"died\n")
    outcomes: Counter[tuple[str, str]] = Counter()
    faults, died = [], []
    for line in log.read_text("utf-8").splitlines():
        number, kind, what = line.split("\t")
        outcomes[kind, what.split(":")[0]] += 1
        if what.startswith("fault"):
            faults.append(f"case {number}, {kind}: {what}")
        if what == "died":
            died.append(int(number))
    return Tally(outcomes, faults, died)


if __name__ == "__main__":
    try_cases(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
