"""``podium systems``: what there is, and its parameters."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from podium import systems
from podium.cli import options
from podium.cli.console import note, output, print_json
from podium.cli.groups import argument
from podium.errors import PodiumError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from podium.systems.base import System
    from podium.systems.search import Search

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
            print_json([_document(each) for each in found])
        else:
            _print_systems(found)
        return
    system = systems.by_name(name)
    if json:
        print_json({**_document(system), "about": about(system)})
    else:
        _print_parameters(system)


def _document(system: "type[System]") -> dict[str, Any]:
    return {
        "name": system.name,
        "summary": summary(system),
        "teams": system.takes_teams,
        "scores": system.takes_scores,
        "most_players": system.most_players,
        "reference": system.reference,
        "parameters": parameters(system),
    }


def about(system: "type[System]") -> str:
    """What the system is, as its documentation says."""
    import inspect

    return inspect.getdoc(system) or ""


def summary(system: "type[System]") -> str:
    """The first line of the same."""
    return about(system).partition("\n")[0]


def parameters(system: "type[System]") -> list[dict[str, Any]]:
    """Every parameter with its default, the values that it may have, and its meaning."""
    import dataclasses

    return [
        {
            "name": field.name,
            "default": field.default,
            "range": allowed(field.metadata, optional=field.default is None),
            "search": searched(field.metadata["search"]),
            "meaning": field.metadata["meaning"],
        }
        for field in dataclasses.fields(system)
    ]


def allowed(rule: "Mapping[str, Any]", *, optional: bool = False) -> str:
    """The values that a parameter may have, in words.

    Example:
        >>> rule = {"kind": float, "low": 0.0, "high": math.inf, "above": -math.inf}
        >>> allowed({**rule, "infinite": True, "choices": ()})
        'at least 0, or inf'
    """
    if rule["kind"] is bool:
        return "true or false"
    if rule["choices"]:
        return " or ".join(rule["choices"])
    if rule["kind"] not in (int, float, tuple):
        return "an object" + ", or none" * optional
    words = (
        "from {low:,.9g} to {high:,.9g}" if math.isfinite(rule["high"]) else "at least {low:,.9g}"
    )
    if rule["above"] > -math.inf:
        words = "above {above:,.9g}"
    elif rule["low"] == -math.inf:
        words = "any number"
    text: str = words.format_map(rule)
    if rule["kind"] is tuple:
        text = f"numbers {text}"
    if rule["kind"] is int:
        text = f"whole, {text}"
    infinite: bool = rule["infinite"]
    return text + ", or inf" * infinite + ", or none" * optional


def searched(search: "Search | None") -> str | None:
    """Where tuning looks for a value, as one would write it after ``--search``.

    Example:
        >>> from podium.systems import Between, OneOf
        >>> searched(Between(0.02, 1.0)), searched(OneOf(("map", "proportional")))
        ('0.02..1', 'map,proportional')
    """
    if search is None:
        return None
    if hasattr(search, "values"):
        return ",".join(shown_default(value) for value in search.values)
    return f"{search.low:g}..{search.high:g}"


def shown_default(value: Any) -> str:
    """A default as one would write it after ``--set``."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ",".join(f"{item:g}" for item in value) or "empty"
    return "none" if value is None else str(value)


def _print_systems(found: "list[type[System]]") -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), show_header=False)
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column()
    for system in found:
        settings = " ".join(
            f"{each['name']}={shown_default(each['default'])}" for each in parameters(system)
        )
        details = "".join(f"\n{line}" for line in (settings, system.reference) if line) + "\n"
        table.add_row(system.name, Text.assemble(summary(system), (details, "dim")))
    console = output()
    console.print(table)
    console.print("podium systems NAME explains the parameters; --set KEY=VALUE changes them.")


def _print_parameters(system: "type[System]") -> None:
    from rich.table import Table

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
    console.print(f"{about(system)}\n")
    if system.reference:
        console.print(f"Reference: {system.reference}\n")
    console.print(table)
    console.print(f"\nFor example: podium rate results.csv --system {system.name} --set …")
