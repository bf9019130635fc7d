"""Documents of a site as the values that they were made of."""

import datetime
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import polars as pl

from podium.cli.remote.client import not_understood
from podium.errors import PodiumError
from podium.results.times import Time, from_microseconds, to_microseconds

TIME = pl.Datetime("us")
_WRONG = (
    *(pl.exceptions.PolarsError, zipfile.BadZipFile),
    *(LookupError, TypeError, ValueError, AttributeError),
)
P = ParamSpec("P")
R = TypeVar("R")


def understood(ask: Callable[P, R]) -> Callable[P, R]:
    """Say of answers that are not what the API gives that they are none."""

    @wraps(ask)
    def answer(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return ask(*args, **kwargs)
        except PodiumError:
            raise
        except _WRONG:
            raise not_understood() from None

    return answer


def exact(time: Time | None) -> str | None:
    """A moment for the site, to which a mere day would be the end of it."""
    return None if time is None else from_microseconds(to_microseconds(time)).isoformat()


def moment(text: str) -> datetime.datetime:
    """A time of a document."""
    return datetime.datetime.fromisoformat(text).replace(tzinfo=None)


def frame(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any]) -> pl.DataFrame:
    """Documents as the table that they were made of."""
    times = [name for name, kind in columns.items() if kind == TIME]
    try:
        return pl.DataFrame(
            {
                name: pl.Series(
                    [
                        moment(row[name]) if name in times and row[name] else row.get(name)
                        for row in rows
                    ],
                    dtype=kind,
                )
                for name, kind in columns.items()
            }
        )
    except (pl.exceptions.PolarsError, TypeError, ValueError, KeyError):
        raise not_understood() from None
