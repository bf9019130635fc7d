"""``podium systems``: what there is, and its parameters."""

from typing import TYPE_CHECKING, Annotated

from podium import systems
from podium.cli import options
from podium.cli.console import note, output, print_json
from podium.cli.groups import argument
from podium.errors import PodiumError

if TYPE_CHECKING:
    from podium.systems.base import System

EXAMPLES = """\
[bold]Examples[/]

$ podium systems
$ podium systems elo-mmr
"""


def command(
    name: Annotated[
        str | None,
        argument("NAME", "The system whose parameters to show.", autocompletion=systems.names),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the rating systems, or the parameters of one: defaults, ranges and meanings.

    docs/systems.md helps to choose.
    """
    if name is None:
        found = []
        for each in systems.names():
            try:
                found.append(systems.by_name(each))
            except PodiumError as error:
                note(f"podium: {error}")
        if json:
            print_json([each.document() for each in found])
        else:
            _print_systems(found)
        return
    system = systems.by_name(name)
    if json:
        print_json(system.document(about=True))
    else:
        _print_parameters(system)


def _print_systems(found: "list[type[System]]") -> None:
    from rich.table import Table
    from rich.text import Text

    from podium.systems.describing import parameters, shown_default

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for system in found:
        settings = " ".join(
            f"{each['name']}={shown_default(each['default'])}" for each in parameters(system)
        )
        details = "".join(f"\n{line}" for line in (settings, system.reference) if line) + "\n"
        table.add_row(system.name, Text.assemble(system.document()["summary"], (details, "dim")))
    console = output()
    console.print(table)
    console.print("podium systems NAME explains the parameters; --set KEY=VALUE changes them.")


def _print_parameters(system: "type[System]") -> None:
    from rich.table import Table

    from podium.systems.describing import about, parameters, shown_default

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("parameter", style="bold cyan", no_wrap=True)
    table.add_column("default", justify="right", no_wrap=True)
    table.add_column("values", style="dim")
    table.add_column("tuned", style="dim", no_wrap=True)
    table.add_column("meaning")
    for each in parameters(system):
        shown = (each["name"], shown_default(each["default"]), each["range"], each["search"] or "")
        table.add_row(*shown, each["meaning"])
    console = output()
    for line in (*about(system).splitlines(), ""):
        console.print(line)
    if system.reference:
        console.print(f"Reference: {system.reference}\n")
    console.print(table)
    console.print(f"\nReset: {system.on_reset}")
    console.print(f"Start: {system.on_start}")
    console.print(f"\nFor example: podium rate results.csv --system {system.name} --set …")
