"""``podium revisions``: by which systems a league is and was rated."""

from typing import TYPE_CHECKING, Annotated, Any

from podium import systems
from podium.cli import options
from podium.cli.changes import MOVES_SHOWN, Moves, moves_document, print_moves
from podium.cli.console import Column, note, print_json, print_table
from podium.cli.groups import option
from podium.cli.leagues import opened
from podium.wording import NOTHING, counted

if TYPE_CHECKING:
    from podium import League

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

    with opened(where) as league:
        if compare is not None:
            _compare(league, compare, top, json)
            return
        revisions = league.revisions().to_dicts()
    for revision in revisions:
        revision["parameters"] = loads(revision["parameters"])
    if json:
        print_json(revisions)
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
                _special(revision["system"], revision["parameters"]) or NOTHING,
                f"{revision['created']:%Y-%m-%d %H:%M}",
                "in force" if revision["active"] else "" if revision["current"] else "behind",
            )
            for revision in revisions
        ],
    )
    if not all(revision["current"] for revision in revisions):
        note("\nThose behind have not followed later changes; a rollback lets them catch up.")


def _special(system: str, parameters: dict[str, Any]) -> str:
    """The parameters that are not the system's defaults, as ``--set`` takes them."""
    defaults = systems.by_name(system).build({})
    chosen = systems.by_name(system).build(parameters)
    return " ".join(
        f"{key}={_text(parameters[key])}"
        for key, value in chosen.parameters.items()
        if value != defaults.parameters[key]
    )


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _compare(league: "League", names: tuple[str, str], top: int | None, json: bool) -> None:
    moves = league.compare(*names)
    if json:
        document = {"from": names[0], "to": names[1], "moved": moves.height}
        print_json({**document, "moves": moves_document(moves, top or None)})
        return
    print_moves(moves, MOVES_SHOWN if top is None else top, league.system.decimals)
    note(f"\n{counted(moves.height, 'player')} moved from {names[0]!r} to {names[1]!r}.")
