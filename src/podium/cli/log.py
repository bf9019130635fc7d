"""``podium log``: who changed what in a league, and why."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.console import Column, print_json
from podium.cli.contest import write_results
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.cli.tables import Form, Table, words
from podium.errors import InputError
from podium.texts import sentence
from podium.wording import NOTHING, counted, listed

if TYPE_CHECKING:
    import polars as pl

EXAMPLES = """\
[bold]Examples[/]

$ podium log league.db
$ podium log league.db --last 20 --json
$ podium log league.db --contest week-3
$ podium log league.db --player ann
$ podium log league.db --before 17 --out as-it-was.csv
"""
_IN_JSON_ONLY = ("parameters", "titles", "colours", "moves")
_BEFORE_AND_AFTER = ("time", "weight", "rated", "name", "players")
_NAMED = 3
"""So many of several things are named."""


def command(
    where: options.League,
    *,
    contest: Annotated[str | None, option("CONTEST", "Only what concerns it.")] = None,
    player: Annotated[str | None, option("PLAYER", "Only what concerns them.")] = None,
    last: Annotated[int, option("N", "Show the last N changes; 0 for all.", min=0)] = 0,
    form: Form,
    before: Annotated[
        int | None, option("N", "Write the results that change N replaced, to --out.", min=1)
    ] = None,
    out: Annotated[
        Path | None,
        option("FILE", "Where to, as podium amend and podium record take them: .csv or .parquet."),
    ] = None,
) -> None:
    """Show who changed a league, when, what and why, the latest first."""
    from podium.league import documents

    if (before is None) != (out is None):
        raise InputError("--before says which change is meant, and --out where to write; say both.")
    with asking(where) as view:
        if before is not None and out is not None:
            write_results(view.as_it_was(before), out)
            return
        entries = view.log(last or None, contest=contest, player=player)
    if form.json:
        print_json(documents(entries))
        return
    table = _table(where, entries)
    if form.for_terminal:
        table.print()
    else:
        form.print(table)


def _table(where: str, entries: "pl.DataFrame") -> Table:
    from podium.league import documents

    details = [each["details"] for each in documents(entries.select("details"))]
    return Table(
        f"Log of {sentence(Path(where).name)}",
        (
            Column("number", right=True, style="dim", names=True),
            Column("time", style="dim"),
            Column("who"),
            Column("action", style="bold"),
            Column("contest"),
            Column("player"),
            Column("why"),
            Column("what"),
        ),
        (
            entries["number"].cast(str),
            entries["time"].dt.to_string("%Y-%m-%d %H:%M"),
            *(words(entries[key]) for key in ("who", "action", "contest", "player", "why")),
            [_told(each) for each in details],
        ),
        entries,
        caption=f"{counted(entries.height, 'change')}, the latest first.",
    )


def _told(details: dict[str, Any]) -> str:
    """What a change did, in a few words.

    Example:
        >>> _told({"weight": [1.0, 2.0], "players": [120, 1], "removed": 119})
        'weight 1.0 → 2.0, players 120 → 1, removed 119'
        >>> _told({"contests": 2, "rated": True, "identifiers": ["a", "b"]})
        "contests 2, rated yes, identifiers 'a', 'b'"
    """
    said = [
        f"{name.replace('_', ' ')} {_word(name, value)}"
        for name, value in details.items()
        if name not in _IN_JSON_ONLY
    ]
    return ", ".join(said) or NOTHING


def _word(name: str, value: Any) -> str:
    if isinstance(value, list) and name in _BEFORE_AND_AFTER:
        return " → ".join(_word("", each) for each in value)
    if isinstance(value, list):
        return listed(map(str, value), most=_NAMED)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return " ".join(f"{key} {_word('', each)}" for key, each in value.items())
    return NOTHING if value is None else str(value)
