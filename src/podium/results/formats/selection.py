"""Which columns of a file are read, and where its rows stand."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from podium.results.tables import LONG, LONG_RESULT, MATCH, MATCH_RESULT, NAMES, Locator


class Table(NamedTuple):
    """Results as they stand in a file."""

    frame: pl.DataFrame
    locate: Locator


def wanted(available: Sequence[str], columns: Mapping[str, str] | None) -> list[str]:
    """The columns that podium knows, as the file calls them.

    If one that is needed is missing, these are all columns, so that the message can list them.
    """
    mapping = columns or {}
    known = {*mapping, *set(available).intersection(NAMES)}
    is_long = known.issuperset(LONG) and not known.isdisjoint(LONG_RESULT)
    is_match_list = known.issuperset(MATCH) and any(map(known.issuperset, MATCH_RESULT))
    if not (is_long or is_match_list) or not set(mapping.values()) <= set(available):
        return list(available)
    return [name for name in available if name in NAMES or name in mapping.values()]
