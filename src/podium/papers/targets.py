"""What can be reproduced, and what doing so gives."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from podium.documents import as_document
from podium.results.contests import Contests

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Data = Mapping[str, Contests]
"""Results by the name of their data set."""

NO_DATA: Data = {}

DATA_SETS = {
    "codeforces": "rated contests of Codeforces",
    "topcoder": "algorithm contests of Topcoder",
    "reddit": "threads of r/SubredditSimulator, as contests of those who commented",
    "football": "matches of two with sides, as those of international football",
    "matches": "matches of two, of any game",
}
"""Results that targets take, by the name under which they are given."""


@dataclass(frozen=True)
class Reproduction:
    """What came out: a short table, what it differs in from the paper, and what is plotted."""

    findings: pl.DataFrame
    """A short table, with the paper's own values where it has some."""
    figure: "Figure | None" = None
    numbers: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    """What is plotted; the names tell several tables apart, and that of a single one is empty."""
    remarks: tuple[str, ...] = ()
    """Sentences: what differs from the paper, and why."""

    def document(self, files: Iterable[os.PathLike[str]] = ()) -> dict[str, Any]:
        """As JSON says it, with the files that were written."""
        return as_document(
            {
                "findings": self.findings.to_dicts(),
                "remarks": self.remarks,
                "files": list(files),
            }
        )


@dataclass(frozen=True)
class Target:
    """A figure, a table or a claim of a paper."""

    name: str
    title: str
    paper: str
    """Its authors, title, year and address."""
    function: Callable[..., Reproduction]
    """Takes the results to use, of those that the target takes, and whom to tell of its progress;
    if it keeps what it has, also ``kept=``, the folder for that.
    """
    needs: tuple[str, ...] = ()
    """Data sets without which there is nothing to show."""
    takes: tuple[str, ...] = ()
    """Data sets that it uses if they are given."""
    systems: tuple[str, ...] = ()
    """The rating systems that it runs."""
    keeps: bool = False
    """Whether it can go on from what it had when it was interrupted."""

    @property
    def data(self) -> tuple[str, ...]:
        """All data sets that it can use."""
        return (*self.needs, *self.takes)

    def document(self) -> dict[str, Any]:
        """As JSON says it."""
        return {
            "target": self.name,
            "title": self.title,
            "paper": self.paper,
            "needs": list(self.needs),
            "takes": list(self.takes),
        }
