"""What a system says of itself: what it is, its parameters and their ranges."""

import inspect
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from podium.documents import as_document

if TYPE_CHECKING:
    from podium.systems.base import System
    from podium.systems.search import Search


def document(system: "type[System]") -> dict[str, Any]:
    """The system as JSON says it."""
    return as_document(
        {
            "name": system.name,
            "summary": about(system).partition("\n")[0],
            "teams": system.takes_teams,
            "scores": system.takes_scores,
            "most_players": system.most_players,
            "reference": system.reference,
            "reset": system.on_reset,
            "start": system.on_start,
            "parameters": parameters(system),
        }
    )


def about(system: "type[System]") -> str:
    """What the system is, as its documentation says."""
    return inspect.getdoc(system) or ""


def parameters(system: "type[System]") -> list[dict[str, Any]]:
    """Every parameter with its default, the values that it may have, and its meaning."""
    return [
        {
            "name": field.name,
            "default": field.default,
            "range": allowed(field.metadata, optional=field.default is None),
            "search": searched(field.metadata["search"]),
            "meaning": field.metadata["meaning"],
        }
        for field in fields(system)
    ]


def allowed(rule: Mapping[str, Any], *, optional: bool = False) -> str:
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


def setting(value: Any, *, exact: bool = True) -> str:
    """A value as one writes it after ``--set``, to the last digit or to six.

    Example:
        >>> [setting(each) for each in (0.1, 25.0, 1 / 3, math.inf, True, None, (0.6, 0.8))]
        ['0.1', '25', '0.3333333333333333', 'inf', 'true', 'none', '0.6,0.8']
        >>> setting(1 / 3, exact=False)
        '0.333333'
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value or not exact else repr(value)
    if isinstance(value, tuple | list):
        return ",".join(setting(item, exact=exact) for item in value)
    return "none" if value is None else str(value)


def shown_default(value: Any) -> str:
    """A default as one would write it after ``--set``."""
    return setting(value, exact=False) or "empty"
