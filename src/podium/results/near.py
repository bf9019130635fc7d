"""Names that are almost the same: up to case, spaces, signs and accents, or one letter.

Two strings are one letter apart (one more, one less, another, or two neighbours swapped) only if
they become equal when at most one letter is left out of each. So all names are filed under the
hashes of what they become, and only those that meet there are compared, in linear time.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.extras import require

SHORTEST = 4
"""Letters that both names need for one more or another letter to be a slip."""
LONGEST = 128
"""Longer names are compared as wholes only."""
MOST = 32
"""Of more names than that which differ in the same place, none is a slip: they are numbered."""
NEAR = {"name": pl.String, "like": pl.String}

_BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse
_INVERSE = pow(_BASE, -1, 2**64)
_SECRETS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
_COUNTERS = r"\p{N}+|\b(?:[ivxIVX]+|\p{L})\b"
"""Words that count: numbers, Roman numerals and single letters, as of team A and team B."""


def near(names: pl.Series, known: pl.Series | None = None) -> pl.DataFrame:
    """Pairs of names that are almost the same, `name` and `like`, in the order of both.

    Without `known`, each pair of `names` stands there once; otherwise `like` is a known name, and
    names that are known themselves have none.

    Example:
        >>> near(pl.Series(["Zoë Adams", "zoe adams", "team 1", "team 2"])).rows()
        [('Zoë Adams', 'zoe adams')]
        >>> near(pl.Series(["alcie", "bob"]), pl.Series(["alice", "rob"])).rows()
        [('alcie', 'alice')]
    """
    require("rapidfuzz")
    own = names.unique().cast(pl.String)
    if known is not None:
        known = known.unique().cast(pl.String)
        own = own.filter(~own.is_in(known.implode()))
    if own.is_empty() or (known is not None and known.is_empty()):
        return pl.DataFrame(schema=NEAR)
    every = _folded(own if known is None else pl.concat([own.alias("name"), known.alias("name")]))
    first = own.len() if known is not None else every.height
    pairs = np.concatenate([_same_letters(every, first), _one_apart(every, first)])
    both = [every["name"].gather(pairs[:, side]) for side in (0, 1)]
    found = pl.DataFrame(dict(zip(NEAR, both, strict=True)))
    if known is None:
        found = found.select(
            name=pl.min_horizontal("name", "like"), like=pl.max_horizontal("name", "like")
        )
    return found.unique().sort("name", "like")


def _folded(names: pl.Series) -> pl.DataFrame:
    """Names with their letters, without case, accents, spaces and signs, and what they count."""
    plain = pl.col("name").str.normalize("NFKD").str.replace_all(r"\p{M}", "").str.to_lowercase()
    return (
        names.alias("name")
        .to_frame()
        .with_columns(plain=plain)
        .with_columns(
            letters=pl.col("plain").str.replace_all(r"[^\p{L}\p{N}]", ""),
            numbers=pl.col("plain").str.extract_all(r"\p{N}+").list.join(" "),
            counted=pl.col("plain").str.extract_all(_COUNTERS).list.join(" "),
        )
        .with_columns(length=pl.col("letters").str.len_chars().cast(pl.Int64))
    )


def _same_letters(every: pl.DataFrame, first: int) -> NDArray[np.int64]:
    """Pairs of names with the same letters and numbers."""
    rows = np.flatnonzero((every["length"] > 0).to_numpy())
    key = every.select(pl.struct("letters", "numbers").hash()).to_series().to_numpy()
    return _meeting(key[rows], rows, first, every.height)


def _one_apart(every: pl.DataFrame, first: int) -> NDArray[np.int64]:
    """Pairs of names with letters that are one apart, and that count the same."""
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import cpdist

    fit = every["length"].is_between(SHORTEST, LONGEST).to_numpy()
    rows = np.flatnonzero(fit)
    if not len(rows):
        return np.empty((0, 2), np.int64)
    part = every[rows].with_columns(row=rows)
    key, owner = _without_one(part)
    pairs = _meeting(key, rows[owner], first, every.height)
    one, other = (every["letters"].gather(pairs[:, side]) for side in (0, 1))
    same = every["counted"].gather(pairs[:, 0]) == every["counted"].gather(pairs[:, 1])
    apart = cpdist(
        one.to_list(), other.to_list(), scorer=OSA.distance, score_cutoff=1, dtype=np.uint8
    )
    close: NDArray[np.int64] = pairs[(apart == 1) & same.to_numpy()]
    return close


def _without_one(part: pl.DataFrame) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Hashes of all letters, and of all but one, with what is counted; whose each is."""
    length = part["length"].to_numpy()
    codes = np.frombuffer("".join(part["letters"].to_list()).encode("utf-32-le"), np.uint32)
    end = np.cumsum(length)
    start = end - length
    owner = np.repeat(np.arange(len(length)), length)
    place = np.arange(len(codes)) - start[owner]
    powers = np.multiply.accumulate(np.full(LONGEST + 1, _BASE, np.uint64)) * np.uint64(_INVERSE)
    until = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_mixed(codes) * powers[place])))
    before = until[:-1] - until[start][owner]
    after = (until[end][owner] - until[1:]) * np.uint64(_INVERSE)
    counted = part["counted"].hash().to_numpy()
    keys = np.concatenate((until[end] - until[start] + counted, before + after + counted[owner]))
    return keys, np.concatenate((np.arange(len(length)), owner))


def _mixed(codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Numbers that look like chance, one for each letter."""
    mixed = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(_SECRETS[0])
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(_SECRETS[1])
    return mixed ^ (mixed >> np.uint64(32))


def _meeting(
    key: NDArray[np.uint64], row: NDArray[np.int64], first: int, count: int
) -> NDArray[np.int64]:
    """Pairs of rows with a key in common, one of them before `first`, the other new or known."""
    filed = pl.DataFrame({"key": key, "row": row.astype(np.int64)})
    if first < count:
        wanted = filed.filter(pl.col("row") < first).select("key").unique()
        filed = filed.join(wanted, on="key", how="semi")
    filed = filed.filter(pl.col("key").is_duplicated()).unique()
    filed = filed.filter(pl.len().over("key").is_between(2, MOST))
    ours = filed.filter(pl.col("row") < first)
    theirs = filed.filter(pl.col("row") >= first) if first < count else filed
    pairs = ours.join(theirs, on="key", suffix="_like").select("row", "row_like")
    if first == count:
        pairs = pairs.filter(pl.col("row") < pl.col("row_like"))
    return pairs.unique().to_numpy().reshape(-1, 2)
