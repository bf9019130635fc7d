"""What every rating system is: validated parameters, and a fold over contests.

A system is a frozen dataclass. Its parameters are declared with `parameter`, which carries their
meaning and range, so that validation, the command line and the documentation read
one declaration. A system keeps no state: what it believes is in a `Beliefs`, and the same
beliefs and contest give the same result to the bit, whatever the number of threads.
"""

import dataclasses
import difflib
import math
import numbers
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import PodiumError

if TYPE_CHECKING:
    from podium.beliefs import Beliefs
    from podium.columns import Columns

Numbers = TypeVar("Numbers", float, NDArray[np.float64])

EVENTS = ("performance", "mu_before", "sigma_before", "mu", "sigma")
"""The rows of the array that `System.update_many` fills, one column per participation."""

BASE_FIELDS = [("mu", "f8"), ("sigma", "f8"), ("last_time", "i8"), ("contests", "i4")]
"""What every system believes about a player; `last_time` in microseconds since 1970."""


_LARGEST: dict[type, float] = {int: 2**62, float: sys.float_info.max}
"""Numbers beyond count as infinite."""


def parameter(
    default: Any,
    meaning: str,
    *,
    kind: type | None = None,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    infinite: bool = False,
) -> Any:
    """Declare a parameter: what it means, and the values that it may have.

    `low` and `high` are themselves allowed, `above` is not. `kind` is the type of the default
    unless the default is None, which is then allowed too. `infinite` allows infinity.
    """
    metadata = {
        "meaning": meaning,
        "kind": kind or type(default),
        "low": low,
        "high": high,
        "above": above,
        "infinite": infinite,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class System(ABC):
    """A rating system: parameters, and how beliefs change with a contest."""

    name: ClassVar[str]
    table_fields: ClassVar[list[tuple[str, str]]]
    """The columns of its beliefs; `BASE_FIELDS` first."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = self._validated(field, getattr(self, field.name))
            object.__setattr__(self, field.name, value)

    @classmethod
    def build(cls, parameters: Mapping[str, Any]) -> Self:
        """The system with these parameters; one that it does not have is an error."""
        known = [field.name for field in dataclasses.fields(cls)]
        for key in parameters:
            if key not in known:
                hint = suggestion(key, known)
                raise PodiumError(
                    f"{cls.name} has no parameter {key!r}{hint}; "
                    f"its parameters are {', '.join(known)}."
                )
        return cls(**parameters)

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """The system with parameters given as text, as on a command line."""
        kinds = {field.name: field.metadata["kind"] for field in dataclasses.fields(cls)}
        return cls.build(
            {key: _from_text(kinds.get(key, str), text) for key, text in texts.items()}
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of all parameters, by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def stored_parameters(self) -> dict[str, Any]:
        """The parameters as they are written to files."""
        return self.parameters

    def new_arena(self) -> NDArray[np.int64]:
        """The bookkeeping of an empty pool; [0] is always the end of its used part."""
        return np.zeros(1, np.int64)

    @abstractmethod
    def newcomer(self) -> dict[str, float]:
        """The columns in which a newcomer's belief differs from zero."""

    @abstractmethod
    def update_many(
        self,
        beliefs: "Beliefs",
        columns: "Columns",
        events: NDArray[np.float64] | None = None,
        *,
        first: int = 0,
        last: int | None = None,
        threads: int = 1,
    ) -> None:
        """Fold the contests `first` to `last` into the beliefs, in order.

        Players are ids of the beliefs, all enrolled. Rows of a contest are sorted by rank.
        `events`, of shape ``(len(EVENTS), rows)``, receives what happened in each row.
        """

    def update(self, beliefs: "Beliefs", contest: "Columns") -> None:
        """Fold one contest into the beliefs."""
        self.update_many(beliefs, contest)

    @abstractmethod
    def win_probability(self, beliefs: "Beliefs", a: int, b: int) -> float:
        """The probability that a does better than b if they meet now."""

    @abstractmethod
    def rating(self, mu: Numbers, sigma: Numbers) -> Numbers:
        """The number to show, which may be lower than `mu` while `sigma` is large."""

    def _validated(self, field: "dataclasses.Field[Any]", value: Any) -> Any:
        rule = field.metadata
        if value is None and field.default is None:
            return None
        if rule["kind"] is tuple:
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise self._refusal(field, "a list of numbers", value)
            return tuple(self._number(field, item, float) for item in value)
        if rule["kind"] is bool:
            if not isinstance(value, bool | np.bool_):
                raise self._refusal(field, "true or false", value)
            return bool(value)
        return self._number(field, value, rule["kind"])

    def _number(self, field: "dataclasses.Field[Any]", value: Any, kind: type) -> Any:
        rule = field.metadata
        wanted = numbers.Integral if kind is int else numbers.Real
        what = "a whole number" if kind is int else "a number"
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise self._refusal(field, what, value)
        try:
            number = kind(value)
        except OverflowError:
            number = math.inf
        if number != number or (abs(number) > _LARGEST[kind] and not rule["infinite"]):
            raise self._refusal(field, f"{what} that is finite", value)
        if number < rule["low"]:
            raise self._refusal(field, f"{what} of at least {rule['low']:g}", value)
        if number > rule["high"]:
            raise self._refusal(field, f"{what} of at most {rule['high']:g}", value)
        if number <= rule["above"]:
            raise self._refusal(field, f"{what} above {rule['above']:g}", value)
        return number

    def _refusal(self, field: "dataclasses.Field[Any]", wanted: str, value: Any) -> PodiumError:
        return PodiumError(f"{self.name}: {field.name} must be {wanted}, not {value!r}.")


def suggestion(word: object, known: Iterable[str]) -> str:
    """' (did you mean …?)' for the nearest known word, in capitals or not, or nothing."""
    spelling = {name.lower(): name for name in known}
    meant = str(word).lower()
    close = difflib.get_close_matches(meant, spelling, n=3, cutoff=0.5)
    close.sort(key=lambda name: sorted(name) != sorted(meant))  # swapped letters come first
    return f" (did you mean {spelling[close[0]]!r}?)" if close else ""


def _from_text(kind: type, text: str) -> Any:
    """The value meant by `text`, or the text itself, which validation then refuses."""
    if text.lower() == "none":
        return None
    if kind is bool:
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.lower(), text)
    if kind is tuple:
        return tuple(_from_text(float, part) for part in text.split(",") if part.strip())
    if kind is int or kind is float:
        try:
            return kind(text)
        except ValueError:
            return text
    return text
