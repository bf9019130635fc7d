"""``podium attributes``: what a league knows of its players besides names."""

from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Who, Why
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, opened
from podium.errors import InputError
from podium.wording import stated

EXAMPLES = """\
[bold]Examples[/]

$ podium attributes league.db
$ podium attributes league.db country club birth_year:number home:link
$ podium attributes league.db fee:number --private
$ podium attributes league.db --remove club --dry-run

Kinds are text (if none is said), number, date and link; podium describe gives players values.
"""


def command(
    where: options.League,
    attributes: Annotated[
        list[str] | None,
        argument(
            "[NAME:KIND…]", "Attributes that players are to have; without any, all are shown."
        ),
    ] = None,
    *,
    private: Annotated[
        bool, typer.Option("--private", help="Only the organiser sees those that are given.")
    ] = False,
    remove: Annotated[
        list[str] | None,
        option("NAME", "Remove an attribute, and all its values; can be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
    json: options.Json = False,
    who: Who = None,
    why: Why = None,
) -> None:
    """Show the attributes that players of a league have, or change them."""
    if attributes and remove:
        raise InputError("attributes are defined or removed; do one after the other.")
    if private and not attributes:
        raise InputError("--private says how attributes are that are given with it.")
    if attributes or remove:
        with opened(where) as league:
            if attributes:
                change = league.define_attributes(
                    *attributes, public=not private, who=who, why=why, dry_run=dry_run
                )
            else:
                change = league.remove_attributes(*remove or (), who=who, why=why, dry_run=dry_run)
        if not json:
            note(f"{stated(f'dry run: {change.what}' if dry_run else change.what)}\n")
    with asking(where) as view:
        found = view.attributes
    if json:
        print_json([each.document() for each in found])
    elif found:
        print_table(
            (Column("attribute", style="bold"), Column("kind"), Column("seen by")),
            [(each.name, each.kind, "all" if each.public else "the organiser") for each in found],
        )
    else:
        output().print("Players have no attributes.")
    if dry_run and not json:
        note("\nNothing was changed.")
