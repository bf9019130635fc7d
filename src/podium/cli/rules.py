"""``podium rules``: how a league shows its ratings."""

from podium.cli import options
from podium.cli.changes import Who, Why, sentence
from podium.cli.console import note, output, print_json
from podium.cli.display import Display, titles_text
from podium.cli.leagues import asking, opened

EXAMPLES = """\
[bold]Examples[/]

$ podium rules league.db
$ podium rules league.db --titles 1200=Pupil,1400=Specialist,1600=Expert
$ podium rules league.db --hidden-until 5 --display conservative --caution 2
$ podium rules league.db --titles ""

Rules change what is shown, never what is believed: nothing is rated again.
"""


def command(
    where: options.League,
    *,
    display: Display,
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
            change = league.set_rules(rules, who=who, why=why)
        if not json:
            note(f"{sentence(change.what)}\n")
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
        "titles": titles_text(rules.titles) or "none",
    }
    width = max(map(len, shown))
    for what, how in shown.items():
        output().print(f"{what:{width}}  {how}")
