"""``podium migrate``: a league of an earlier podium."""

from podium.cli import options
from podium.cli.changes import MOVES_SHOWN, Moves, print_moves
from podium.cli.console import output, print_json
from podium.cli.leagues import refuse_what_is_none
from podium.progress import progress_bar
from podium.wording import listed, stated

EXAMPLES = """\
[bold]Examples[/]

$ podium migrate league.db
$ podium migrate postgresql://localhost/league

Names get the one spelling by which they are compared; if two players would become one, they are
listed and left alone. If podium has computed otherwise since, all contests are rated anew, and
whoever moves by more than 1e-6 is listed.
"""
_DIGITS = 6


def command(where: options.League, top: Moves = None, json: options.Json = False) -> None:
    """Bring a league that an earlier podium made up to date; nothing that it holds is lost."""
    import podium

    refuse_what_is_none(where)
    with progress_bar("Migrating") as progress:
        change = podium.League.migrate(where, progress=progress)
    if json:
        print_json(change.document(top or None))
        return
    output().print(stated(change.what))
    if change.reordered:
        output().print(
            f"Rated again, because a tie is in another order: {listed(change.reordered)}."
        )
    for names in change.alike:
        output().print(f"Left alone, though they would be one: {', '.join(map(ascii, names))}.")
    if change.moves.height:
        output().print()
        print_moves(change.moves, MOVES_SHOWN if top is None else top, _DIGITS)
