"""How results are to be read: all that can be said about it, by one name each."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, TypedDict, get_args

from podium.errors import InputError
from podium.results.times import Time, from_microseconds, to_microseconds
from podium.wording import listed, suggestion

Unfinished = Literal["error", "last", "drop"]
Dates = Literal["dmy", "mdy", "ymd", "excel", "unix"]
Decimal = Literal["point", "comma"]
_CHOICES = {"unfinished": Unfinished, "dates": Dates, "decimal": Decimal}


class Said(TypedDict, total=False):
    """What may be said, as keyword arguments of `podium.read` and of all that reads."""

    columns: Mapping[str, str] | None
    format: str | None
    sort: bool
    lowest_score_wins: bool
    rerank: bool
    contest: str | None
    time: Time | None
    from_name: bool
    wide: bool
    unfinished: Unfinished
    dates: Dates | None
    zone: str | None
    decimal: Decimal | None
    delimiter: str | None
    encoding: str | None
    sheet: str | None
    unlimited: bool
    future: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was said, and the rest as it is unless something is said; see `podium.read`."""

    columns: Mapping[str, str] | None = None
    format: str | None = None
    sort: bool = True
    lowest_score_wins: bool = False
    rerank: bool = False
    contest: str | None = None
    time: Time | None = None
    from_name: bool = False
    wide: bool = False
    unfinished: Unfinished = "error"
    dates: Dates | None = None
    zone: str | None = None
    decimal: Decimal | None = None
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    unlimited: bool = False
    future: bool = False

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Self:
        """The options, or a sentence about what cannot be said."""
        names = [field.name for field in fields(cls)]
        for name, value in said.items():
            if name not in names:
                hint = suggestion(name, names)
                raise InputError(f"there is no option {name!r}{hint}; there are {listed(names)}.")
            choices = get_args(_CHOICES.get(name))
            if choices and value is not None and value not in choices:
                raise InputError(f"{name} is {listed(choices)}, not {value!r}.")
        return cls(**said)

    def document(self) -> dict[str, Any]:
        """The same for JSON, out of which `of` makes it again."""
        said = asdict(self)
        if self.columns is not None:
            said["columns"] = dict(self.columns)
        if self.time is not None and not isinstance(self.time, str):
            said["time"] = str(from_microseconds(to_microseconds(self.time)))
        return said
