"""Numbers with decimal commas, thousands separators and units, decided by the column as a whole."""

import polars as pl

from podium.errors import InputError
from podium.results.options import Decimal
from podium.results.tables import Locator

_BLANKS = r"['\u2019 \u00a0\u202f]"
_WHOLE = r"^[+-]?(?:[1-9]\d{0,2}(?:%s\d{3})+|\d{1,3}(?:" + _BLANKS + r"\d{3})+|\d+)"
_FORMS = {
    "point": _WHOLE % "," + r"(?:\.\d*)?$|^[+-]?\.\d+$",
    "comma": _WHOLE % r"\." + r"(?:,\d*)?$|^[+-]?,\d+$",
}
_GROUPS = {"point": r"[,'\u2019\s]", "comma": r"[.'\u2019\s]"}
_UNIT = r"^([$€£¥]\s?)?([+-]?[\d.,'\u2019\s]*\d[.,]?)\s?([a-z%€$£¥]+\.?|/\s?\d+)?$"
_ENDING = r"(?:e?s|e|i|o)?\.?$"
"""What tells one of something from several: 1 pt and 2 pts, Punkt and Punkte."""
_HALF = r"(\d*)(?:\s?½|\s1/2)$"
_MAYBE_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*$"
_FIRST_ROWS = 1000


def may_be_thousands(texts: pl.Series) -> bool:
    """Whether all points of a column can separate thousands, as in 1.234 beside 987."""
    for rows in (texts.head(_FIRST_ROWS), texts):
        pointed = rows.filter(rows.str.contains(".", literal=True))
        if len(pointed) and not pointed.str.contains(_MAYBE_THOUSANDS).all():
            return False
    return len(pointed) > 0


def numbers(
    texts: pl.Series, decimal: Decimal | None, where: Locator
) -> tuple[pl.Series, str] | None:
    """A column of texts as numbers, and how they are written; None if some are no numbers.

    Raises:
        InputError: If all can be read with a decimal point and with a comma, as 1,234 can.
    """
    distinct = texts.unique(maintain_order=True).drop_nulls()
    commas = decimal != "point" and distinct.str.contains(",", literal=True).any()
    sign = "," if decimal == "comma" or commas else "."
    plain, unit = _without_unit(distinct.str.replace(_HALF, rf"${{1}}{sign}5"))
    fits = {name: plain.str.contains(form) for name, form in _FORMS.items()}
    possible = [name for name, rows in fits.items() if rows.all()]
    if decimal is not None:
        possible = [name for name in possible if name == decimal]
    if not possible:
        _refuse_mixed(texts, distinct, fits, decimal, where)
        return None
    readings = [_read(plain, name) for name in possible]
    if len(readings) == 2 and not readings[0].equals(readings[1]):
        row = int(
            (texts.is_in(distinct.filter(readings[0] != readings[1]).implode())).arg_max() or 0
        )
        place = int(distinct.index_of(texts[row]) or 0)
        raise InputError(
            f"{where(row)}: {texts.name} {texts[row]!r} can be {readings[0][place]:g} or "
            f"{readings[1][place]:g}; say decimal='point' or decimal='comma', or --decimal point "
            f"or --decimal comma."
        )
    values = readings[0]
    how = f"numbers with a decimal {possible[0]}" if len(possible) == 1 else "numbers"
    if unit:
        how += f", in {unit!r}"
    if unit == "%" and texts.name in ("outcome", "share"):
        values = values / 100.0
    elif (values == values.floor()).all() and float(values.abs().max() or 0) < 2**53:  # type: ignore[arg-type]
        values = values.cast(pl.Int64)
    return texts.replace_strict(distinct, values, default=None, return_dtype=values.dtype), how


def _without_unit(distinct: pl.Series) -> tuple[pl.Series, str]:
    """Texts without the sign of a currency, of percent or of a unit that all of them have."""
    plain = distinct.str.strip_chars().str.replace(r"^[\u2212\u2013]\s?(\d)", "-$1")
    groups = plain.str.to_lowercase().str.extract_groups(_UNIT).struct.unnest()
    groups.columns = ["sign", "number", "unit"]
    if groups["number"].null_count():
        return plain, ""
    units = pl.concat([groups["sign"], groups["unit"]]).str.strip_chars().drop_nulls().unique()
    bare = groups["sign"].is_null() & groups["unit"].is_null()
    alike = units.str.replace(_ENDING, "").unique() if len(units) > 1 else units
    if len(alike) != 1 or bare.any():
        return plain, ""
    return groups["number"].str.strip_chars(), str(units.sort()[-1])


def _read(plain: pl.Series, decimal: str) -> pl.Series:
    digits = plain.str.replace_all(_GROUPS[decimal], "")
    return digits.str.replace(",", ".", literal=True).str.replace(r"\.$", "").cast(pl.Float64)


def _refuse_mixed(
    texts: pl.Series,
    distinct: pl.Series,
    fits: dict[str, pl.Series],
    decimal: Decimal | None,
    where: Locator,
) -> None:
    """Raise if all are numbers, but not written in one way."""
    if not (fits["point"] | fits["comma"]).all():
        return
    first = int(texts.is_not_null().arg_max() or 0)
    taken: str = decimal or ("point" if (fits["point"] & ~fits["comma"]).any() else "comma")
    row = int(texts.is_in(distinct.filter(~fits[taken]).implode()).arg_max() or first)
    reason = f"as decimal={decimal!r} says" if decimal else "as others of the column have"
    raise InputError(
        f"{where(row)}: {texts.name} {texts[row]!r} is no number with a decimal {taken}, {reason}."
    )
