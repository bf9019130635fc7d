"""Options that several commands share: a group of them is declared once and given as one value."""

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from copy import copy
from dataclasses import fields
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer


class Group:
    """A frozen dataclass whose fields are options, with Typer's words about them in `Annotated`.

    A command takes it as one parameter; `grouped` makes of it what Typer needs.
    """

    panel: ClassVar[str | None] = None
    """Under which heading of ``--help`` the options stand that name none themselves."""


class Without:
    """In ``Annotated[Reading, Without("keep_order")]``: options that a command does not have."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Also:
    """In ``Annotated[str, argument(…), Also(…)]``: an option that comes with such a parameter.

    Args:
        name: What it is called.
        hint: Its type, with Typer's words about it.
        around: Given its value, what surrounds the command.
    """

    def __init__(
        self, name: str, hint: Any, around: Callable[[Any], AbstractContextManager[None]]
    ) -> None:
        self.name, self.hint, self.around = name, hint, around


def option(
    metavar: str, help: str, *names: str, panel: str | None = None, **more: Any
) -> typer.models.OptionInfo:
    """An option that takes a value; `more` is what `typer.Option` takes."""
    info: typer.models.OptionInfo = typer.Option(
        *names, metavar=metavar, help=help, rich_help_panel=panel, **more
    )
    return info


def argument(metavar: str, help: str, **more: Any) -> typer.models.ArgumentInfo:
    """An argument; `more` is what `typer.Argument` takes."""
    info: typer.models.ArgumentInfo = typer.Argument(metavar=metavar, help=help, **more)
    return info


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """The command as Typer takes it: with the options of its groups in their places.

    Example:
        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Page(Group):
        ...     top: Annotated[int, option("N", "How many.")] = 10
        ...     skip: Annotated[int, option("N", "After how many.")] = 0
        >>> def show(name: str, page: Page) -> None:
        ...     print(name, page)
        >>> list(inspect.signature(grouped(show)).parameters)
        ['name', 'top', 'skip']
        >>> grouped(show)(name="ann", top=5, skip=0)
        ann Page(top=5, skip=0)
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, tuple[type[Group], list[str]]] = {}
    also: dict[str, Also] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        kind, left_out = _group_of(hint)
        if kind is None:
            keyword = parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY)
            parameters.append(keyword)
            words = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
            also |= {word.name: word for word in words if isinstance(word, Also)}
        else:
            options = [each for each in _options(kind) if each.name not in left_out]
            parameters += options
            groups[parameter.name] = kind, [each.name for each in options]

    parameters += [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=each.hint)
        for name, each in also.items()
    ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, (kind, options) in groups.items():
            given[name] = kind(**{each: given.pop(each) for each in options})
        with ExitStack() as stack:
            for name, each in also.items():
                stack.enter_context(each.around(given.pop(name)))
            command(**given)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _group_of(hint: Any) -> tuple[type[Group] | None, tuple[str, ...]]:
    """The group that a parameter is, if it is one, and which of its options are left out."""
    kind, *words = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if not (isinstance(kind, type) and issubclass(kind, Group)):
        return None, ()
    return kind, tuple(name for word in words if isinstance(word, Without) for name in word.names)


def _options(kind: type[Group]) -> list[inspect.Parameter]:
    """The fields of a group as parameters of a command, under the heading of the group."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for field in fields(kind):  # type: ignore[arg-type]  # every group is a dataclass
        value, info = get_args(hints[field.name])
        info = copy(info)
        info.rich_help_panel = info.rich_help_panel or kind.panel
        found.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=Annotated[value, info],
            )
        )
    return found
