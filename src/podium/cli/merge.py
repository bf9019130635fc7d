"""``podium merge``: two names of a league that are one player."""

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument, option
from podium.errors import DifferenceError, InputError
from podium.texts import visible

EXAMPLES = """\
[bold]Examples[/]

$ podium merge league.db ann_2 ann --dry-run
$ podium merge league.db ann_2 ann --who bob --why "a second account"
$ podium merge league.db ann_2 ann --keep second --keep country=first
"""

_ANSWERS = {"1": "first", "2": "second"}


def command(
    where: options.League,
    player: options.Player,
    into: Annotated[str, argument("INTO", "The player who it really is.")],
    *,
    keep: Annotated[
        list[str] | None,
        option(
            "WHOSE",
            "Whose details stay where they differ: first, second or a name, or for one of them "
            "country=first; can be repeated.",
        ),
    ] = None,
    asked: Asked,
) -> None:
    """Make two players one, with the contests of both and the details of the second.

    What only the first is known by stays, too; where they differ you are asked on a terminal, and
    elsewhere --keep is needed. All contests from the first one concerned are rated again; the table
    says who moves.
    """
    whose, everything = _chosen(keep or ())

    def merge(choice: str | dict[str, str] | None) -> None:
        asked.make(where, lambda league, how: league.merge(player, into, keep=choice, **how))

    try:
        merge(whose or everything)
    except DifferenceError as error:
        if everything is not None:
            merge({**dict.fromkeys(error.fields, everything), **whose})
            return
        if not sys.stdin.isatty():
            raise
        for name, (first, second) in error.fields.items():
            question = visible(f"{name}: {first} (1, {player}) or {second} (2, {into})?")
            answer = ""
            while answer not in _ANSWERS:
                answer = str(typer.prompt(question, err=True))
            whose[name] = _ANSWERS[answer]
        merge(whose)


def _chosen(keep: Sequence[str]) -> tuple[dict[str, str], str | None]:
    """Whose details stay, by field, and whose all others.

    Example:
        >>> _chosen(["second", "country=first"])
        ({'country': 'first'}, 'second')
    """
    whose = options.pairs([each for each in keep if "=" in each], "--keep NAME=WHOSE")
    everything = [each for each in keep if "=" not in each]
    if len(everything) > 1:
        raise InputError("--keep says once whose details stay; NAME=WHOSE says it of one of them.")
    return whose, everything[0] if everything else None
