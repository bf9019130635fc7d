"""``podium check``: what would be read, before anything is done."""

from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.changes import print_newcomers
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_address, refuse_what_is_none
from podium.cli.source import Reading, refuse_leagues, shown_name
from podium.progress import progress_bar
from podium.wording import NOTHING, counted, listed

if TYPE_CHECKING:
    import polars as pl

    from podium.checking import Check, CheckedFile, CheckedLeague

EXAMPLES = """\
[bold]Examples[/]

$ podium check club-night.xlsx
$ podium check results.csv --dates dmy --unfinished last
$ podium check week-4.csv --league league.db
$ podium check 'season/*.csv' --league league.db --json

Nothing is changed. The exit code is 0 if all files can be read; otherwise the sentence says why, \
below what was understood.
"""
_SHOWN = 10
"""So many of each kind are listed; ``--json`` has all."""
_WIDEST = 60


def command(
    files: Annotated[
        list[Path],
        argument("FILE…", "Results: files, folders of them, or quoted patterns: 'week-*.csv'."),
    ],
    *,
    league: Annotated[
        str | None,
        option("LEAGUE", "A league whose players and contests the results are compared with."),
        options.BY_TOKEN,
    ] = None,
    json: options.Json = False,
    reading: Reading,
) -> None:
    """Show how results would be read: columns, assumptions, and what is worth a second look."""
    from podium.checking import checked
    from podium.results.options import Options

    refuse_leagues(files)
    if league is not None:
        refuse_what_is_none(league)
    is_elsewhere = league is not None and is_address(league)
    beside = asking(str(league)) if is_elsewhere else nullcontext(league)
    with progress_bar(f"Checking {shown_name(files)}"), beside as known:
        found = checked(
            files,
            Options.of(reading.said()),
            league=known,
            isolated=reading.isolated,
            chosen=reading.chosen,
        )
    if json:
        print_json(found.document())
    else:
        _print(found)
    if found.error is not None:
        raise found.error


def _print(found: "Check") -> None:
    for number, file in enumerate(found.files):
        if number:
            output().print()
        _print_file(file)
    if found.near.height:
        _heading(f"Names that are almost the same: {counted(found.near.height, 'pair')}.")
        _list(f"{one!r} and {other!r}" for one, other in found.near.head(_SHOWN + 1).iter_rows())
    if found.in_two_files.height:
        _heading(f"In two files: {counted(found.in_two_files.height, 'contest')}.")
        rows = found.in_two_files.head(_SHOWN + 1).iter_rows()
        _list(f"{contest!r} in {file} and {also}" for contest, file, also in rows)
    if found.together is not None:
        _heading("Each file can be read, but not all together:")
        output().print(f"  {found.together}")
    if found.league is not None and any(each.contests is not None for each in found.files):
        _print_league(found.league)


def _print_file(file: "CheckedFile") -> None:
    contests, report = file.contests, file.understanding
    output().print(f"{file.path}: {report.format}.")
    if contests is not None:
        times = file.document()
        output().print(
            f"{counted(len(contests), 'contest')}, {counted(contests.rows, 'result')}, "
            f"{counted(len(contests.players), 'player')}, "
            f"{times['from'][:10]} to {times['to'][:10]}."
        )
    else:
        output().print("It cannot be read:")
        output().print(f"  {file.error}")
    if report.columns:
        output().print()
        rows = [(each.ours, each.theirs or NOTHING, each.how) for each in report.columns]
        print_table(
            (Column("column", style="bold"), Column("in the file"), Column("read as")), rows
        )
    if report.unused:
        _heading(f"Not used: {listed(report.unused)}.")
    _print_rows(file.first, refused=contests is None)
    if report.assumptions:
        _heading("Taken for granted:")
        _list(report.assumptions, most=len(report.assumptions))
    _print_findings(file)


def _print_rows(first: "pl.DataFrame", *, refused: bool) -> None:
    """The first rows as a table."""
    if not first.height:
        return
    _heading("It begins so:" if refused else "The first rows:")
    columns = [Column(name, right=kind.is_numeric()) for name, kind in first.schema.items()]
    print_table(columns, [[_cell(each) for each in row] for row in first.iter_rows()])


def _cell(value: Any) -> str:
    text = NOTHING if value is None else str(value).removesuffix(" 00:00:00")
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _print_findings(file: "CheckedFile") -> None:
    if file.from_name:
        said = " and ".join(f"{name} {value!r}" for name, value in file.from_name.items())
        _heading(f"--from-name would take {said} from the name of the file.")
    if file.repeated_rows:
        _heading(f"{counted(file.repeated_rows, 'row')} there again, word for word.")
    if file.odd_dates.height:
        _heading(f"Dates that stand out: {counted(file.odd_dates.height, 'contest')}.")
        rows = file.odd_dates.head(_SHOWN + 1).iter_rows()
        _list(f"{contest!r}, {time:%Y-%m-%d}: {why}" for contest, time, why in rows)
    if file.small_contests.height:
        _heading(f"Few players: {counted(file.small_contests.height, 'contest')}.")
        rows = file.small_contests.head(_SHOWN + 1).iter_rows()
        _list(f"{contest!r}: {counted(players, 'player')}" for contest, _, players in rows)
    if file.same_results.height:
        _heading(f"The same results twice: {counted(file.same_results.height, 'contest')}.")
        rows = file.same_results.head(_SHOWN + 1).iter_rows()
        _list(f"{contest!r} as {like!r}" for contest, _, like in rows)


def _print_league(league: "CheckedLeague") -> None:
    _heading("In the league:")
    if league.error is not None:
        output().print(f"It cannot be recorded: {league.error}")
    print_newcomers(league.newcomers, league.near)
    for what, contests in (
        ("There already, with the same results", league.same),
        ("There already, with other results", league.other),
    ):
        if contests:
            output().print(f"{what}: {counted(len(contests), 'contest')}, {listed(contests)}.")


def _heading(text: str) -> None:
    output().print()
    output().print(text)


def _list(lines: Iterable[str] | Sequence[str], most: int = _SHOWN) -> None:
    shown = list(lines)
    for line in shown[:most]:
        output().print(f"  {line}")
    if len(shown) > most:
        note("  … and more; --json lists all.")
