"""Whose turn it is: contests by time, and those of one time by identifier, numbers by value."""

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium import forks

_DIGITS = re.compile(r"(\d+)")
_FEW = 256
"""Texts that are in order sooner than Polars has begun, also where a fork has lost its threads."""


def natural(text: str) -> tuple[tuple[int, int, str, str], ...]:
    """A sort key that puts 'round 2' before 'round 10'."""
    return tuple(
        (0, len(part.lstrip("0")), part.lstrip("0"), part)
        if part.isdecimal()
        else (1, 0, part, part)
        for part in _DIGITS.split(text)
        if part
    )


def natural_ranks(texts: pl.Series) -> NDArray[np.int64]:
    """The place of every text in the order of `natural`, from 0 on; equal ones share it.

    Example:
        >>> natural_ranks(pl.Series(["round 10", "round 2", "final", "round 2"])).tolist()
        [2, 1, 0, 1]
    """
    if len(texts) > _FEW:
        forks.refuse_lost_threads()
        return _keys(texts).rank("dense").cast(pl.Int64).to_numpy() - 1
    given = texts.to_list()
    places = {text: place for place, text in enumerate(sorted(set(given), key=natural))}
    return np.array([places[text] for text in given], np.int64)


def _keys(texts: pl.Series) -> pl.Series:
    """Texts whose bytes have the order that `natural` gives to these.

    A number, which stands before any text, is its length, itself and how it is written; the
    length has its own length in front. A text ends with two zeros, which no other text has.
    """
    digits = f"[0-9{_further_digits(texts)}]"
    part = pl.element()
    value = part.str.strip_chars_start("0")
    length = value.str.len_chars().cast(pl.String)
    size = length.str.len_bytes().cast(pl.String)
    number = pl.concat_str(pl.lit("\x01"), size, length, value, part)
    exact = part.str.replace_all("\0", "\0\x01", literal=True)
    text = pl.concat_str(pl.lit("\x02"), exact, pl.lit("\0\0"))
    key = pl.when(part.str.contains(f"^{digits}")).then(number).otherwise(text)
    parts = texts.str.extract_all(f"{digits}+|{digits.replace('[', '[^')}+")
    return parts.list.eval(key).list.join("")


def _further_digits(texts: pl.Series) -> str:
    """The decimal digits beyond ASCII in these texts, as Python knows them."""
    others = texts.filter(texts.str.len_bytes() != texts.str.len_chars())
    signs = set(str(others.str.join("").item())) if len(others) else set()
    return "".join(sorted(sign for sign in signs if sign.isdecimal() and not sign.isascii()))


def in_time(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of contests by time, those of one time as they are."""
    if (times[1:] >= times[:-1]).all():
        return np.arange(len(times))
    return np.argsort(times, kind="stable")


def sharing(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where, in times that are in order, a time stands that stands there twice."""
    same = times[1:] == times[:-1]
    return np.flatnonzero(np.append(same, False) | np.append(False, same))


def by_turn(
    times: NDArray[np.int64], ids: pl.Series, ladder: pl.Series | None = None
) -> NDArray[np.int64]:
    """The numbers of contests by time, then by identifier and then by ladder."""
    order = in_time(times)
    places = sharing(times[order])
    if len(places):
        tied = order[places]
        keys = [natural_ranks(ids.gather(tied)), times[tied]]
        if ladder is not None:
            keys.insert(0, ladder.gather(tied).rank("dense").to_numpy())
        order[places] = tied[np.lexsort(keys)]
    return order


def by_keys(*keys: NDArray[np.integer]) -> NDArray[np.int64]:
    """The order of rows by keys of at least 0, the first one first; equal rows as they are."""
    bits = [int(key.max(initial=0)).bit_length() for key in keys]
    if sum(bits) > 63:
        return np.lexsort(keys[::-1])
    whole = np.zeros(len(keys[0]), np.int64)
    for key, room in zip(keys, bits, strict=True):
        whole <<= room
        whole |= key
    return np.argsort(whole, kind="stable")


def by_bytes(texts: pl.Series) -> NDArray[np.int64]:
    """The order of texts by their bytes; equal ones as they are.

    As `arg_sort`, but eight bytes are compared at once: those behind what all begin with.
    """
    if len(texts) <= _FEW:
        return texts.arg_sort().to_numpy().astype(np.int64)
    low, high = (str(each).encode() for each in (texts.min(), texts.max()))
    apart = (
        place for place, (one, other) in enumerate(zip(low, high, strict=False)) if one != other
    )
    behind = next(apart, len(low))
    eight = (texts + "\0" * 8).cast(pl.Binary).bin.slice(behind, 8)
    keys = eight.bin.reinterpret(dtype=pl.UInt64, endianness="big")
    order = keys.arg_sort().to_numpy().astype(np.int64)
    sorted_keys = keys.to_numpy()[order]
    same = sorted_keys[1:] == sorted_keys[:-1]
    if same.any():
        tied = np.append(same, False) | np.append(False, same)
        rows = order[tied]
        order[tied] = rows[by_keys(texts.gather(rows).rank("dense").to_numpy(), rows)]
    return order
