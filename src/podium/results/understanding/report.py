"""What a source holds as it stands, and what was made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from podium.results.tables import Locator


class Table(NamedTuple):
    """Results as they stand in a file."""

    frame: pl.DataFrame
    locate: Locator
    format: str = "a table"
    """What the file is, e.g. 'CSV with semicolons, in Windows-1252'."""
    assumptions: tuple[str, ...] = ()
    """What was taken for granted about the file as a whole; one sentence each."""
    stem: str = ""
    """The name of the file or sheet without its extension, which may name the contest."""
    unread: tuple[str, ...] = ()
    """Columns that were left in the file, because they say nothing to podium."""
    called: Mapping[str, str] = MappingProxyType({})
    """What the file calls columns that have podium's names already, where that is another name."""

    def filtered(
        self,
        frame: pl.DataFrame,
        kept: pl.Series,
        origin: NDArray[np.int64] | None = None,
    ) -> "Table":
        """Some rows of a frame, whose rows come from those of this table, one by one or so."""
        rows = kept.fill_null(False).arg_true().to_numpy()
        from_row = rows if origin is None else origin[rows]
        locate = self.locate
        return self._replace(
            frame=frame.filter(kept), locate=lambda row: locate(int(from_row[row]))
        )


class Understood(NamedTuple):
    """How one column was understood."""

    ours: str
    theirs: str
    """What the file calls it."""
    how: str = ""
    """More than its name, e.g. 'dates, day first'."""


@dataclass(slots=True)
class Understanding:
    """How a source was understood: what `podium check` shows and commands say in a line."""

    format: str = "a table"
    columns: list[Understood] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    """Columns that say nothing to podium."""
    assumptions: list[str] = field(default_factory=list)
    """Everything that was not said but taken for granted; one sentence each."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        """Out of what `document` made."""
        columns = [Understood(**each) for each in document["columns"]]
        return cls(**{**document, "columns": columns})

    def explain(self, ours: str, how: str) -> None:
        """Say more of a column; one that is not among them yet was made out of others."""
        for number, column in enumerate(self.columns):
            if column.ours == ours:
                self.columns[number] = column._replace(how=how)
                return
        self.columns.append(Understood(ours, "", how))

    @classmethod
    def of_many(cls, reports: "Sequence[Understanding]") -> "Understanding":
        """How many files were understood; each thing is said once."""
        formats = dict.fromkeys(report.format for report in reports)
        return cls(
            format=" and ".join(formats),
            columns=list(dict.fromkeys(each for report in reports for each in report.columns)),
            unused=list(dict.fromkeys(each for report in reports for each in report.unused)),
            assumptions=list(
                dict.fromkeys(each for report in reports for each in report.assumptions)
            ),
        )

    def document(self) -> dict[str, Any]:
        """The same for JSON."""
        return {
            "format": self.format,
            "columns": [each._asdict() for each in self.columns],
            "unused": self.unused,
            "assumptions": self.assumptions,
        }
