"""Files of beliefs as a damaged disk or an adversary writes them, and what becomes of them.

``python -m tests.ratings.damaging FIRST COUNT FOLDER`` tries mutants by number and prints outcomes;
it is a process of its own because a state that should have been refused could end it.
"""

import faulthandler
import io
import json
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from podium import Ladder, PodiumError, systems
from podium.systems import register
from tests.tides import Tides

SYSTEMS = [
    *(name for name in systems.names() if name != "luck"),
    ("elo-mmr", {"rho": 0.0, "drift_per_day": 3.0, "noob_delay": (0.6, 0.8)}),
    ("elo-mmr", {"rho": float("inf"), "split_ties": True}),
    ("elo-mmr", {"history": 2}),
    ("elo-r", {"noise": "simple", "history": 3, "drift_per_day": 2.0}),
    ("elo-r-draft", {"memory": 5}),
    ("glicko", {"period_days": 7.0}),
    ("glicko2", {"period_days": 7.0}),
    ("trueskill", {"drift_per_day": 0.01}),
    ("luck", {"points": 251}),
    ("luck", {"points": 251, "period_days": 7.0, "storage": "single", "drift_per_day": 0.001}),
    Tides.name,
]
EXTREMES = {
    "f": [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e99, 1e-99, 1e15, 0.5],
    "i": [0, -1, 1, 2, 3, 4, 12, 24, 36, 10**9, -(10**9), 2**31 - 1, -(2**31), 2**62, -(2**63)],
    "u": [0, 1, 32, 127, 128, 255],
}
VALUES = [
    *(None, True, -1, 0, 1, 2.5, 10**30, 2**62, -(2**62), float("inf"), float("nan")),
    *("", "elo", "luck", "x" * 5000, [], [1], ["a", "a"], {}, {"a": 1}),
]


@cache
def valid(number: int) -> bytes:
    """A file of a short history, with blocks that were left and are used again."""
    if Tides.name not in systems.names():
        register(Tides)
    chosen = SYSTEMS[number]
    name, parameters = (chosen, {}) if isinstance(chosen, str) else chosen
    ladder, rng = Ladder(name, **parameters), np.random.default_rng(number)
    names = ["ann", "Zoë", "李雷", "dan", "eve", "a longer name", "g"]
    for day in range(40):
        size = 2 if ladder.system.most_players == 2 else rng.integers(2, 6)
        ladder.record(rng.permutation(names[: 3 + day // 8])[:size].tolist(), time=day * 86_400)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "valid.npz")
        ladder.save(path)
        return path.read_bytes()


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(parts: "list[tuple[str, bytes]]", compression: int = zipfile.ZIP_STORED) -> bytes:
    """Entries as a file, with checksums that are right; names may come twice."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", compression) as archive:
        warnings.simplefilter("ignore")
        for name, data in parts:
            archive.writestr(name, data)
    return out.getvalue()


def as_array(data: bytes) -> np.ndarray:
    return np.load(io.BytesIO(data))


def as_bytes(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def flipped(rng, content):
    """Some bytes of the file, checksums and all."""
    data = bytearray(content)
    for place in rng.integers(0, len(data), rng.integers(1, 5)):
        data[place] ^= rng.integers(1, 256)
    return bytes(data)


def cut(rng, content):
    return content[: rng.integers(0, len(content))]


def flipped_inside(rng, content):
    """Some bytes of one array, with the checksum put right again."""
    parts = members(content)
    name = str(rng.choice(list(parts)))
    data = bytearray(parts[name])
    begin = 0 if rng.random() < 0.2 else min(128, len(data) - 1)
    for place in rng.integers(begin, len(data), rng.integers(1, 5)):
        data[place] ^= rng.integers(1, 256)
    return packed(list({**parts, name: bytes(data)}.items()))


def _with_array(rng, content, change, among=None):
    parts = members(content)
    names = [name for name in parts if name != "about.npy" and (among is None or name in among)]
    name = str(rng.choice(names))
    array = change(as_array(parts[name]).copy())
    return packed(list({**parts, name: as_bytes(array)}.items()))


def extreme(rng, content):
    """Elements of an array that are as far out as can be."""

    def change(array):
        for _ in range(rng.integers(1, 4)):
            if not len(array):
                return array
            column = (
                array if array.dtype.names is None else array[str(rng.choice(array.dtype.names))]
            )
            value = EXTREMES[column.dtype.kind][rng.integers(len(EXTREMES[column.dtype.kind]))]
            if column.dtype.kind in "iu":
                limits = np.iinfo(column.dtype)
                value = min(max(value, limits.min), limits.max)
            with np.errstate(all="ignore"):
                column[rng.integers(len(column))] = value
        return array

    return _with_array(rng, content, change)


def moved(rng, content):
    """Places in the pool that are some other player's, or nobody's, or in the midst of one."""

    def change(array):
        if array.dtype.names is None:
            array[rng.integers(len(array))] = rng.choice(array) + rng.choice([0, 0, 1, 12, -12])
            return array
        fields = [name for name in array.dtype.names if name in PLACES] or list(array.dtype.names)
        column = array[str(rng.choice(fields))]
        with np.errstate(all="ignore"):
            column[rng.integers(len(column))] = rng.choice(column) + rng.choice([0, 0, 1, 12, -12])
        return array

    return _with_array(rng, content, change, {"table.npy", "arena.npy"})


PLACES = ("block", "room", "first", "count", "lo", "hi", "start_lo", "start_hi", "period", "aged")


def reshaped(rng, content):
    """An array of another length, type or shape."""

    def change(array):
        kind = rng.integers(7)
        if kind == 0:
            return array[: rng.integers(len(array) + 1)]
        if kind == 1:
            return np.concatenate((array, array[: rng.integers(len(array) + 1)]))
        if kind == 2:
            return array[None]
        if kind == 3:
            return np.array(7)
        if kind == 4 and array.dtype.names is None:
            return array.astype(
                str(rng.choice(["f4", "i4", ">f8", "u8", "c16", "U3", "?", "M8[us]"]))
            )
        if kind == 5 and array.dtype.names is not None:
            return array[list(array.dtype.names[:-1])]
        return array[::-1].copy()

    return _with_array(rng, content, change)


def listed(rng, content):
    """Entries that are missing, come twice, or are nobody's; or compressed ones."""
    parts = list(members(content).items())
    kind, chosen = rng.integers(4), rng.integers(len(parts))
    if kind == 0:
        parts.pop(chosen)
    elif kind == 1:
        parts.append(parts[chosen])
    elif kind == 2:
        parts.append(
            (str(rng.choice(["other.npy", "shared.npy", "../x", "pool"])), parts[chosen][1])
        )
    else:
        return packed(parts, zipfile.ZIP_DEFLATED)
    return packed(parts)


def boasting(rng, content):
    """An array that says it is huge."""
    parts = members(content)
    name = str(rng.choice(list(parts)))
    size = int(rng.choice([10**6, 10**12, 2**62, 2**63 - 1, -1, 0]))
    array = as_array(parts[name])
    out = io.BytesIO()
    head = {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False}
    np.lib.format.write_array_header_1_0(out, {**head, "shape": (size,)})
    data = out.getvalue() + array.tobytes()
    return packed(list({**parts, name: data}.items()))


def retold(rng, content):
    """What it says about itself."""
    parts = members(content)
    about = json.loads(as_array(parts["about.npy"]).tobytes())
    value = VALUES[rng.integers(len(VALUES))]
    kind = rng.integers(4)
    if kind == 0:
        about.pop(str(rng.choice(list(about))))
    elif kind == 1 and about["parameters"]:
        about["parameters"][str(rng.choice(list(about["parameters"])))] = value
    elif kind == 2:
        about["machine"] = {"numpy": value, str(rng.integers(9)): value}
    else:
        about[str(rng.choice(list(about)))] = value
    text = json.dumps(about)
    if rng.random() < 0.1:
        text = "[" * int(rng.choice([100, 100_000])) + text
    parts["about.npy"] = as_bytes(np.frombuffer(text.encode(), np.uint8))
    return packed(list(parts.items()))


def renamed(rng, content):
    """Names that are empty, not text, or the same once they have one spelling."""
    parts = members(content)
    number = len(as_array(parts["name_ends.npy"]))
    pool = [
        b"ann",
        b"ann ",
        b" ",
        b"",
        "Zoe\u0308".encode(),
        "Zoë".encode(),
        b"\xff",
        b"\xed\xa0\x80",
    ]
    pool += [b"x" * 3000, b"\x1b[2J", b"a\nb", "é".encode()[:1]]
    names = [pool[each] for each in rng.integers(0, len(pool), number)]
    if rng.random() < 0.5:
        names = [f"p{each}".encode() for each in range(number)]
        names[rng.integers(number)] = pool[rng.integers(len(pool))]
    ends = np.cumsum([len(each) for each in names])
    changed = {"names.npy": np.frombuffer(b"".join(names), np.uint8), "name_ends.npy": ends}
    return packed(list({**parts, **{key: as_bytes(each) for key, each in changed.items()}}.items()))


KINDS = [
    flipped,
    cut,
    flipped_inside,
    flipped_inside,
    extreme,
    extreme,
    extreme,
    moved,
    moved,
    reshaped,
    listed,
    boasting,
    retold,
    renamed,
]


def mutant(number: int) -> tuple[str, bytes]:
    """One of them, the same for the same number, and how it was made."""
    rng = np.random.default_rng(number)
    which, kind = rng.integers(len(SYSTEMS)), KINDS[rng.integers(len(KINDS))]
    chosen = SYSTEMS[which]
    return f"{kind.__name__} {chosen}", kind(rng, valid(int(which)))


def use(ladder: Ladder, path: Path) -> None:
    """Whatever one does with beliefs."""
    names = list(ladder)[:2]
    pair = [*names, "a newcomer", "another"][:2]
    ladder.record(pair)
    ladder.record(pair[::-1], time=max(ladder.beliefs.time or 0, 40 * 86_400_000_000) / 1e6 + 1e6)
    ladder.win_probability(*pair)
    ladder.leaderboard(3)
    ladder.quality(pair)
    if ladder.system.most_players is None:
        ladder.record([*ladder, *(f"newcomer {number}" for number in range(60))])
        ladder.rank_probabilities([*ladder][:5])
    ladder.beliefs.part(np.arange(len(ladder)))
    ladder.save(path)


def outcome(content: bytes, folder: Path) -> str:
    """Refused, loaded but refused later, or usable."""
    path = folder / "mutant.npz"
    path.write_bytes(content)
    try:
        ladder = Ladder.load(path)
    except PodiumError:
        return "refused"
    try:
        use(ladder, folder / "saved.npz")
    except PodiumError:
        return "refused later"
    return "usable"


_LONGEST = 120
"""Seconds after which a mutant counts as one that ended the process."""


def main() -> None:
    first, count, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    outcomes: Counter[str] = Counter()
    wrong = []
    warnings.simplefilter("ignore")
    for number in range(first, first + count):
        (folder / "last").write_text(str(number))
        faulthandler.dump_traceback_later(_LONGEST, exit=True)
        try:
            outcomes[outcome(mutant(number)[1], folder)] += 1
        except Exception as error:
            wrong.append((number, mutant(number)[0], f"{type(error).__name__}: {error}"[:200]))
    print(json.dumps({"outcomes": outcomes, "wrong": wrong}))


if __name__ == "__main__":
    main()
