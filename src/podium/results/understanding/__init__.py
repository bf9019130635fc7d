"""Tables as people have them: from their headers and values to podium's, saying what was taken.

What comes out has podium's columns (`results.tables.NAMES`) with plain values; whatever is wrong
with those is the business of `results.tables`. Nothing is guessed silently: what can be read in two
ways is refused with the option that decides it, and what was taken for granted is reported.

Three steps: `naming` finds podium's columns by what the table calls them, `layout` makes long
results of wide ones and says which contest and when, `values` reads what stands in the cells.
Clean columns with podium's own names pass all three without a look at a cell.
"""

import polars as pl

from podium.results.options import Options
from podium.results.understanding import layout, naming, values
from podium.results.understanding.report import Table as Table
from podium.results.understanding.report import Understanding as Understanding
from podium.results.understanding.report import Understood as Understood


def understood(
    table: Table,
    options: Options,
    *,
    standings: bool = False,
    report: Understanding | None = None,
) -> tuple[Table, Understanding]:
    """The table in podium's words, and how it was understood.

    Standings of one contest that runs need neither its name nor its time. Whoever gives a `report`
    has in it what was understood even if the table is refused.
    """
    report = Understanding() if report is None else report
    report.format, report.assumptions = table.format, list(table.assumptions)
    given = [*table.frame.columns, *table.unread]
    table = naming.with_our_names(table, options, report, standings=standings)
    table = layout.laid_out(table, options, report, given, standings=standings)
    if standings:
        table = layout.completed(table, options)
    table = values.understood_values(table, options, report)
    return layout.named_by_times(table, report), report


def understood_rows(table: Table, options: Options) -> tuple[Table, Understanding]:
    """Rows that are to join a contest that is known, in podium's words, and how that came about.

    They need neither say which contest it is nor when it was.
    """
    report = Understanding(format=table.format, assumptions=list(table.assumptions))
    table = naming.with_our_names(table, options, report, standings=False)
    if "contest" in table.frame.columns:
        return values.understood_values(table, options, report), report
    together = table._replace(frame=table.frame.with_columns(contest=pl.lit("late")))
    table = values.understood_values(together, options, report)
    return table._replace(frame=table.frame.drop("contest")), report
