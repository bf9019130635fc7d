"""``podium live``: a contest of a league while it runs."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.board import CHANGE
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Without, argument, option
from podium.cli.leagues import asking, opened
from podium.cli.source import Reading
from podium.errors import InputError
from podium.wording import counted, step

if TYPE_CHECKING:
    from podium import Contests
    from podium.league import Live, View

EXAMPLES = """\
[bold]Examples[/]

$ podium live league.db week-4 now.csv
$ podium live league.db week-4
$ podium live league.db
$ podium live league.db week-4 --poll https://example.org/week-4.csv --every 30
$ podium live league.db week-4 --no-poll
$ podium live league.db week-4 --end
$ podium live https://example.org/club week-4 now.csv --token @token.txt

The first posts standings, again whenever they change; podium serve shows what would become of \
everybody. When the contest is over, podium record ends it.
"""
_SHOWN = 10


def command(
    where: options.League,
    contest: Annotated[
        str | None, argument("CONTEST", "The identifier by which it is recorded later.")
    ] = None,
    file: Annotated[
        Path | None, argument("FILE", "The standings as they are: anything that podium reads.")
    ] = None,
    *,
    name: Annotated[str | None, option("NAME", "What the contest is called.")] = None,
    poll: Annotated[
        str | None,
        option("ADDRESS", "Let podium serve --writable fetch the standings from there."),
    ] = None,
    every: Annotated[int, option("SECONDS", "With --poll: how often.", min=5, max=3600)] = 30,
    no_poll: Annotated[
        bool, typer.Option("--no-poll", help="Fetch them no longer; the contest stays live.")
    ] = False,
    end: Annotated[
        bool, typer.Option("--end", help="Let it be live no more, without recording it.")
    ] = False,
    top: Annotated[
        int, option("N", "Show the first N rows; 0 for all.", "--top", "-n", min=0)
    ] = _SHOWN,
    who: Annotated[str | None, option("NAME", "Who says so, for the log.")] = None,
    json: options.Json = False,
    reading: Annotated[Reading, Without("contest", "ladder", "ignore_ladders", "keep_order")],
) -> None:
    """Post the standings of a contest that runs, or show what would come of it if it ended now.

    Nothing is recorded: ratings are those before the contest until podium record ends it. Without a
    contest, those that are live are listed.
    """
    asked = [file is not None, poll is not None, no_poll, end]
    if sum(asked) > 1:
        raise InputError("FILE, --poll, --no-poll and --end are four things to do; say one.")
    if contest is None:
        _list(where, json=json)
        return
    if not any(asked):
        _show(where, contest, top, json=json)
        return
    with opened(where) as league:
        if file is not None:
            standings = _read(league, contest, file, reading)
            found: Any = league.post_live(contest, standings, name=name, who=who).document()
            changed = "" if found["changed"] else ", as before"
            said = f"{counted(found['participants'], 'player')}, version {found['version']}"
            text = f"Contest {contest!r} is live: {said}{changed}."
        elif end:
            league.end_live(contest, who=who)
            found, text = {"contest": contest, "ended": True}, f"Contest {contest!r} is not live."
        else:
            how = {} if no_poll else _said(reading)
            league.poll_live(contest, poll, every=every, who=who, **how)
            found = {"contest": contest, "address": poll, "every": None if no_poll else every}
            text = (
                f"The standings of contest {contest!r} are fetched no longer."
                if no_poll
                else f"The standings of contest {contest!r} are fetched every {every} seconds, as "
                f"long as podium serve --writable runs."
            )
    if json:
        print_json(found)
    else:
        output().print(text)


def _said(reading: Reading) -> dict[str, Any]:
    said = replace(reading, ignore_teams=False, isolated=False).said()
    return {**said, "future": True}


def _read(league: "View", contest: str, file: Path, reading: Reading) -> "Contests":
    import podium

    said = reading.said()
    said["time"] = said["time"] or league.live_time(contest)
    found = podium.read_standings(file, **said, isolated=reading.isolated)
    return found.without_teams() if reading.ignore_teams else found


def _list(where: str, *, json: bool) -> None:
    with asking(where) as view:
        found = view.live_contests()
    if json:
        print_json({"live": [each.about() for each in found]})
        return
    columns = (
        Column("contest", style="bold"),
        Column("name"),
        Column("players", right=True),
        Column("updated"),
        Column("", style="dim"),
    )
    rows = [_listed(each.about(), each.problem) for each in found]
    if rows:
        print_table(columns, rows)
    else:
        note("No contest is live; podium live LEAGUE CONTEST FILE posts standings of one.")


def _listed(about: dict[str, Any], problem: str | None) -> tuple[str, ...]:
    updated = about["updated"][:19].replace("T", " ")
    count = f"{about['participants']:,}"
    return (about["contest"], about["name"] or "", count, updated, problem or "")


def _show(where: str, contest: str, top: int, *, json: bool) -> None:
    with asking(where) as view:
        found = view.live(contest)
    if json:
        print_json(found.document(top or None))
        return
    _print(found, top)


def _print(live: "Live", top: int) -> None:
    digits = live.system.decimals
    columns = (
        Column("rank", right=True, style="dim"),
        Column("player", style="bold"),
        Column("rating", right=True, style="bold cyan"),
        CHANGE,
        Column("performance", right=True),
        Column("title"),
        Column("next title", right=True),
        Column("", style="dim"),
    )
    shown = live.table.head(top) if top else live.table
    print_table(columns, [_row(row, live, digits) for row in shown.iter_rows(named=True)])
    note(
        f"\n{shown.height:,} of {counted(live.table.height, 'player')}, "
        f"{counted(live.newcomers, 'newcomer')} among them, if it ended now; "
        f"last updated {live.updated:%Y-%m-%d %H:%M:%S} UTC, version {live.version}."
    )
    if live.source is not None:
        every = f"every {live.every} seconds from {live.source}"
        note(f"Fetched {every}{f'; the last time: {live.problem}' if live.problem else '.'}")


def _row(row: dict[str, Any], live: "Live", digits: int) -> tuple[str, ...]:
    if not row["rated"]:
        return (f"{row['rank']:,}", row["player"], "–", "", "–", "", "", "guest")
    before, after, change = step(row["rating_before"], row["rating"], digits)
    return (
        f"{row['rank']:,}",
        row["player"],
        f"{before} → {after}",
        change,
        "–" if row["performance"] is None else f"{row['performance']:.{digits}f}",
        row["title"] or "",
        _next(row, live),
        "new" if row["newcomer"] else "",
    )


def _next(row: dict[str, Any], live: "Live") -> str:
    """The rank that the next title needs, as far as it is known."""
    if row["goal"] is None or live.needs != "everybody":
        return ""
    return "out of reach" if row["needed"] is None else f"rank {row['needed']:,}"
