"""Places as people write them: 1st, T2, =3, 2., #4, 3-4, 1/200."""

import polars as pl

_THOUSANDS = r"\d{1,3}(?:[,'\u2019 \u00a0\u202f]\d{3})+"
_ORDINAL = r"(?:st|nd|rd|th|\.?[ºª°]|\.)"
_RANK = (
    r"^(?:t[-. ]?|=|#|\(|(?:no|nr|n)[.°º]? ?|(?:place|platz|rank|rang|pos)[.:]? ?|(?:joint|tied) )?"
    rf"(?P<first>{_THOUSANDS}|\d+)(?:[.,]0+)?"
    rf"(?:{_ORDINAL}? ?[-\u2013\u2014] ?(?P<last>\d+))?"
    r"(?: ?(?:=|\)|:|\.?[ºª°]|\.)+|-? ?(?:st|nd|rd|th|er|ere|re|ers|e|es|eme|emes|ieme|de|te|ter"
    r"|tes|o|a|t|tie|tied|\(tied?\)|place|platz|ex|ex (?:ae|æ)quo))?"
    r"(?: ?(?:/|of|von|sur|de|di) ?\d+)?$"
)
_MEDALS = {"🥇": "1", "🥈": "2", "🥉": "3", "gold": "1", "silver": "2", "bronze": "3"}


def ranks(texts: pl.Series) -> pl.Series:
    """The rank that each text says, that of a range being its first; null for anything else."""
    distinct = texts.unique().drop_nulls()
    plain = distinct.str.strip_chars().str.to_lowercase().replace(_MEDALS)
    plain = plain.str.replace_all(r"[èéê]", "e").str.replace(r"^\+", "")
    if plain.str.contains(r"^\d{1,3}\.(?:\d\d[1-9]|\d[1-9]\d|[1-9]\d\d)$").any():
        plain = plain.str.replace(r"^(\d{1,3})\.(\d{3})$", "$1$2")  # a rank has no fraction
    groups = plain.str.extract_groups(_RANK).struct.unnest()
    first, last = (
        groups[name].str.replace_all(r"\D", "").cast(pl.Int64, strict=False)
        for name in ("first", "last")
    )
    wrong = (first < 1) | (last < first)
    first = first.set(wrong.fill_null(value=False), None)
    return texts.replace_strict(distinct, first, default=None, return_dtype=pl.Int64)
