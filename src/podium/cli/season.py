"""``podium season``: a season of a league begins, with a reset or without."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.changes import Asked
from podium.cli.groups import argument, option
from podium.errors import InputError

if TYPE_CHECKING:
    from podium import League

EXAMPLES = """\
[bold]Examples[/]

$ podium season league.db 2026 --from 2026-01-01 --pull 0.5 --dry-run
$ podium season league.db 2026 --from 2026-01-01 --pull 0.5 --toward 1500 --sigma 200
$ podium season league.db 2026 --from 2026-01-05
$ podium season league.db 2026 --no-reset
$ podium season league.db 2026 --remove

The third and fourth put right one that is there; what is not said stays as it is. podium \
leaderboard league.db --season 2026 shows its standings.
"""


def command(
    where: options.League,
    name: Annotated[str, argument("NAME", "What the season is called.")],
    *,
    start: Annotated[
        str | None,
        option("DATE", "When it begins: before contests of that moment.", "--from"),
    ] = None,
    pull: Annotated[
        float | None,
        option("PART", "Begin with a reset: pull every rating this part of the way, 0 to 1."),
    ] = None,
    toward: Annotated[
        float | None, option("MU", "Where to; by default, where newcomers begin.")
    ] = None,
    sigma: Annotated[
        float | None,
        option("SIGMA", "The least uncertainty then; by default, between that and a newcomer's."),
    ] = None,
    no_reset: Annotated[
        bool, typer.Option("--no-reset", help="Begin without a reset, if there was one.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take the season out, and its reset with it.")
    ] = False,
    future: Annotated[
        bool, typer.Option("--future", help="Take a time of more than two years from now.")
    ] = False,
    asked: Asked,
) -> None:
    """Let a season begin, or put right one of that name; it lasts until the next one begins.

    With a reset, contests from then on are rated again; the table says who moves.
    """
    given: dict[str, Any] = {"start": start, "pull": pull, "toward": toward, "sigma": sigma}
    said = {key: value for key, value in given.items() if value is not None}
    if remove and (said or no_reset):
        raise InputError("--remove takes the season out, so nothing else is said of it.")
    if no_reset and said.keys() - {"start"}:
        raise InputError("--no-reset is without a reset, so --pull, --toward and --sigma are not.")
    if remove:
        asked.make(where, lambda league, how: league.remove_season(name, **how))
        return

    def begin(league: "League", how: dict[str, Any]) -> Any:
        kept = _kept(league, name, no_reset=no_reset) | said
        if "start" not in kept:
            raise InputError(
                f"season {name!r} is not in the league yet, so --from is needed: when it begins."
            )
        begins = kept.pop("start")
        return league.season(name, begins, **kept, future=future or "start" not in said, **how)

    asked.make(where, begin)


def _kept(league: "League", name: str, *, no_reset: bool) -> dict[str, Any]:
    """What stays of a season unless something else is said."""
    from podium.texts import normalised

    found = league.seasons().filter(name=normalised(name))
    kept = found.select("start", "pull", "toward", "sigma").to_dicts()
    return {
        key: value
        for each in kept
        for key, value in each.items()
        if value is not None and (key == "start" or not no_reset)
    }
