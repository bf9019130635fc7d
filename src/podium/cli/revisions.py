"""``podium revisions``: by which systems a league is and was rated."""

from typing import Annotated, Any

from podium import systems
from podium.cli import options
from podium.cli.changes import MOVES_SHOWN, Moves, print_moves
from podium.cli.console import Column, note, print_json, print_table
from podium.cli.groups import option
from podium.cli.leagues import asking
from podium.wording import NOTHING, counted

EXAMPLES = """\
[bold]Examples[/]

$ podium revisions league.db
$ podium revisions league.db --compare "season 1" "season 2" --top 20
"""


def command(
    where: options.League,
    compare: Annotated[
        tuple[str, str] | None,
        option("A B", "Show who moves from the ratings of revision A to those of B."),
    ] = None,
    top: Moves = None,
    json: options.Json = False,
) -> None:
    """List the revisions of a league, or compare the ratings of two of them."""
    from json import loads

    from podium.league import documents

    if compare is not None:
        _compare(where, compare, top, json)
        return
    with asking(where) as view:
        revisions = view.revisions()
    if json:
        print_json(documents(revisions))
        return
    print_table(
        (
            Column("revision", style="bold"),
            Column("system"),
            Column("parameters"),
            Column("made", style="dim"),
            Column("state"),
        ),
        [
            (
                revision["name"],
                revision["system"],
                _special(revision["system"], loads(revision["parameters"])) or NOTHING,
                f"{revision['created']:%Y-%m-%d %H:%M}",
                "in force" if revision["active"] else "" if revision["current"] else "behind",
            )
            for revision in revisions.iter_rows(named=True)
        ],
    )
    if not revisions["current"].all():
        note("\nThose behind have not followed later changes; a rollback lets them catch up.")


def _special(system: str, parameters: dict[str, Any]) -> str:
    """The parameters that are not the system's defaults, as ``--set`` takes them."""
    from podium.systems.describing import setting

    defaults = systems.by_name(system).build({})
    chosen = systems.by_name(system).build(parameters)
    return " ".join(
        f"{key}={setting(parameters[key], exact=False)}"
        for key, value in chosen.parameters.items()
        if value != defaults.parameters[key]
    )


def _compare(where: str, names: tuple[str, str], top: int | None, json: bool) -> None:
    from podium.league import moves_document

    with asking(where) as view:
        moves, digits = view.compare(*names), view.system.decimals
    if json:
        print_json({"from": names[0], "to": names[1], **moves_document(moves, top or None)})
        return
    print_moves(moves, MOVES_SHOWN if top is None else top, digits)
    note(f"\n{counted(moves.height, 'player')} moved from {names[0]!r} to {names[1]!r}.")
