"""``podium rules``: how a league shows its ratings."""

from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli import options
from podium.cli.changes import Who, Why
from podium.cli.console import note, output, print_json
from podium.cli.display import Display, titles_text
from podium.cli.leagues import asking, opened
from podium.wording import counted, stated

if TYPE_CHECKING:
    from podium.league import Rules

EXAMPLES = """\
[bold]Examples[/]

$ podium rules league.db
$ podium rules league.db --titles 1200=Pupil,1400=Specialist,1600=Expert
$ podium rules league.db --hidden-until 5 --display conservative --caution 2
$ podium rules league.db --title 1200=Pupil:green --title '1600=Expert:#03a89e' --keep-titles
$ podium rules league.db --provisional-until 5 --provisional-sigma 100 --hide-provisional
$ podium rules league.db --titles ""

Rules change what is shown, never what is believed: nothing is rated again.
"""


def command(
    where: options.League,
    *,
    display: Display,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the rules would be, and change nothing.")
    ] = False,
    json: options.Json = False,
    who: Who = None,
    why: Why = None,
) -> None:
    """Show the rules of display, or change those that are given."""
    with asking(where) as view:
        before = view.rules
    rules = display.over(before)
    if rules != before:
        with opened(where) as league:
            change = league.set_rules(rules, who=who, why=why, dry_run=dry_run)
        if not json:
            note(f"{stated(f'dry run: {change.what}' if dry_run else change.what)}\n")
    if json:
        print_json(rules.document())
        return
    shown = {
        "rating": f"the mean less {rules.caution:g} sigma"
        if rules.display == "conservative"
        else {"mean": "the mean", "system": "as the system says"}[rules.display],
        "on the leaderboard": f"from {rules.hidden_until} contests on"
        if rules.hidden_until
        else "from the first contest on",
        "titles": titles_text(rules.titles, dict(rules.colours)) or "none",
    }
    if rules.keep_titles:
        shown["kept titles"] = "those that were reached"
    if rules.gives_provisional:
        shown["provisional"] = _provisional(rules)
    width = max(map(len, shown))
    for what, how in shown.items():
        output().print(f"{what:{width}}  {how}")
    if dry_run:
        note("\nNothing was changed.")


def _provisional(rules: "Rules") -> str:
    """Until when ratings are provisional."""
    until = []
    if rules.provisional_until:
        until.append(counted(rules.provisional_until, "contest"))
    if rules.provisional_sigma:
        until.append(f"sigma is below {rules.provisional_sigma:g}")
    hidden = ", and not on the leaderboard" if rules.hide_provisional else ""
    return f"until {' and '.join(until)}{hidden}"
