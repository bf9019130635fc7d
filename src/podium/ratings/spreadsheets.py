"""Tables as CSV for other programs, spreadsheets among them."""

import polars as pl
import polars.selectors as cs

from podium.ratings.fold import for_spreadsheets
from podium.texts import SHOWN

_VISIBLE = {chr(code): text for code, text in SHOWN.items()}


def as_csv(values: pl.DataFrame, *, header: bool = True) -> str:
    r"""Full numbers, times in ISO format, and texts that no spreadsheet takes for formulas.

    What would control a terminal or end a line is written out.

    Example:
        >>> print(as_csv(pl.DataFrame({"player": ["=1+1", "a\nb"], "rating": [1500.5, 2.0]})))
        player,rating
        '=1+1,1500.5
        a\x0ab,2.0
        <BLANKLINE>
    """
    texts = values.with_columns(
        pl.col(pl.String).str.replace_many(_VISIBLE),
        # As `documents.iso` writes them: no fraction, or microseconds.
        cs.datetime()
        .dt.to_string("%Y-%m-%dT%H:%M:%S%.6fZ")
        .str.replace(".000000Z", "Z", literal=True),
    )
    return for_spreadsheets(texts).write_csv(include_header=header)
