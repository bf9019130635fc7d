"""``podium access``: who may see a league on the web."""

from typing import Annotated

from podium.cli import options
from podium.cli.changes import Who
from podium.cli.console import output, print_json
from podium.cli.groups import argument
from podium.cli.leagues import asking, opened
from podium.texts import sentence

EXAMPLES = """\
[bold]Examples[/]

$ podium access club.db
$ podium access club.db private
$ podium access club.db public

A site that shows the league follows at once. Who can read its file or its database sees all of it \
anyway.
"""
_MEANING = {
    "public": "everybody sees it on a site",
    "private": "on a site, who has a token sees it and nobody else",
}


def command(
    where: options.League,
    to: Annotated[
        str | None, argument("[public|private]", "Who is to see it; if not given, it is said.")
    ] = None,
    *,
    who: Who = None,
    json: options.Json = False,
) -> None:
    """Say who may see a league on the web: everybody, or only who has a token."""
    if to is None:
        with asking(where) as view:
            access = view.access
    else:
        with opened(where) as league:
            league.set_access(to, who=who)
            access = league.access
    if json:
        print_json({"access": access})
    else:
        output().print(f"{sentence(where)} is {access}: {_MEANING[access]}.", soft_wrap=True)
