"""``podium players``: who the players of a league are."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from podium.cli import options
from podium.cli.board import value_text
from podium.cli.console import Column, note, print_json
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.cli.tables import Form, Table, words
from podium.texts import sentence
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    import polars as pl

    from podium import Attribute

EXAMPLES = """\
[bold]Examples[/]

$ podium players league.db
$ podium players league.db --where country=NO --where "birth_year>=2005"
$ podium players league.db --csv > people.csv    # to be changed, and then described by
$ podium players league.db --with-hidden --json
"""


def command(
    where: options.League,
    *,
    conditions: options.Where = None,
    matching: Annotated[
        str | None,
        option("TEXT", "Only players with this text in one of their names, in capitals or not."),
    ] = None,
    with_hidden: options.WithHidden = False,
    form: Form,
) -> None:
    """List the players of a league, with all that is known of them, also what is not public."""
    with asking(where) as view:
        found = view.people(where=conditions or (), matching=matching, with_hidden=with_hidden)
        attributes = view.attributes
    if form.json:
        print_json(_documents(found, attributes))
        return
    table = _table(where, found, attributes)
    if form.for_terminal:
        table.print()
        note(f"\n{table.caption}")
    else:
        form.print(table)


def _documents(found: "pl.DataFrame", attributes: "list[Attribute]") -> list[dict[str, Any]]:
    from podium.ratings.leaderboards import rows_of

    return rows_of(found, [each.name for each in attributes])


def _table(where: str, found: "pl.DataFrame", attributes: "list[Attribute]") -> Table:
    shown: list[tuple[Column, Any]] = [
        (Column("id", right=True, style="dim"), found["id"].cast(str)),
        (Column("player", style="bold", names=True), words(found["player"])),
    ]
    if found["display"].count():
        shown.append((Column("display"), words(found["display"])))
    if found["hidden"].any():
        hidden = ["yes" if each else NOTHING for each in found["hidden"]]
        shown.append((Column("hidden"), hidden))
    for each in attributes:
        is_number = each.kind == "number"
        texts = [value_text(value) for value in found[each.name]]
        shown.append((Column(each.name, right=is_number), texts))
    columns, cells = zip(*shown, strict=True)
    title = f"Players of {sentence(Path(where).name)}"
    return Table(title, columns, cells, found, caption=f"{counted(found.height, 'player')}.")
