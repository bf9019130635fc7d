"""``podium look-back``: how good everybody was, given all that came before and after."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.chart import line_chart, shows_braille
from podium.cli.compiling import announce_kernels
from podium.cli.console import Column, note, output, print_json
from podium.cli.groups import argument, option
from podium.cli.leagues import asking, is_address, is_league, opened, refuse_what_is_none
from podium.cli.options import pairs
from podium.cli.source import Reading
from podium.cli.tables import Form, Table, dates, fixed, whole
from podium.errors import InputError
from podium.extras import require
from podium.progress import progress_bar
from podium.texts import sentence
from podium.wording import counted

if TYPE_CHECKING:
    from podium import Contests, LookBack
    from podium.hindsight.looking import Meeting
    from podium.league import StoredLookBack

EXAMPLES = """\
[bold]Examples[/]

$ podium look-back results.csv
$ podium look-back results.csv --player ann --png ann.png
$ podium look-back matches.csv --tune --json
$ podium look-back matches.csv --met ann bob --at 2009-06-01
$ podium look-back matches.csv --met ann bob --at 1998-06-01 --other-at 2012-06-01
$ podium look-back league.db --player ann --csv
$ podium look-back league.db --store

These are no ratings that count: what comes later changes them. docs/hindsight.md says what an \
estimate across decades can and cannot mean. --store keeps what is seen in the league, beside the \
ratings that count and without changing any, for its pages and the API; it stays as of now until \
it is stored again.
"""
_WIDEST_CHART = 72
_NUMBERS = ("beta", "q", "drift", "early_drift", "mu_new", "sig_new")


def command(
    source: Annotated[
        str,
        argument("PATH|FOLDER|LEAGUE", "Results, a folder of them, or a league."),
        options.BY_TOKEN,
    ],
    *,
    player: Annotated[
        str | None, option("NAME", "The curve of this player, then and as seen from today.")
    ] = None,
    met: Annotated[
        tuple[str, str] | None,
        option("NAME NAME", "What would have come of a meeting of these two; --at says when."),
    ] = None,
    at: Annotated[str | None, option("TIME", "With --met: when, as the first was then.")] = None,
    other_at: Annotated[
        str | None, option("TIME", "With --met: the second as at another time.")
    ] = None,
    top: options.Top = 10,
    min_contests: Annotated[
        int, option("N", "Of the best ever: only players with at least N contests.", min=1)
    ] = 5,
    tune: Annotated[
        bool, typer.Option("--tune", help="Look for the parameters that predict these results.")
    ] = False,
    weights: Annotated[
        str,
        option("logistic|gaussian", "What a surprise counts in large contests: less, or as much."),
    ] = "logistic",
    settings: Annotated[
        list[str] | None,
        option("KEY=VALUE", f"One of {', '.join(_NUMBERS)}; can be repeated.", "--set"),
    ] = None,
    png: Annotated[Path | None, option("FILE", "With --player: draw the curve.")] = None,
    store: Annotated[
        bool,
        typer.Option("--store", help="Of a league: keep it there, in place of the one before."),
    ] = False,
    drop: Annotated[
        bool, typer.Option("--drop", help="Of a league: keep none any more, and do nothing else.")
    ] = False,
    form: Form,
    reading: Reading,
) -> None:
    """Look back: how good everybody was at every time, by all results, earlier and later.

    Shows the best ever, or one player's story, or what would have come of a meeting.
    """
    from podium.numerics import histories

    _refuse_what_does_not_apply(player, met, at, other_at, png)
    if store or drop:
        if player is not None or met is not None or (store and drop):
            raise InputError(
                "--store, --drop, --player and --met are four things to do; do one of them."
            )
        _refuse_what_keeps_none(source, reading, "--store" if store else "--drop")
    if drop:
        _drop(source, as_json=form.json)
        return
    how = {"weights": weights, "tune": tune, **_parsed(settings)}
    found, kept = (_stored if store else _seen)(source, reading, how, histories.sweep)
    meeting = None if met is None or at is None else found.met(*met, at, other_at)
    if png is not None and player is not None:
        found.picture(player, png)
    if form.json:
        shown = [] if player is None else [player]
        document = found.document(shown, n=top or None, min_contests=min_contests, met=meeting)
        if kept is not None:
            said = kept.document()
            document["stored"] = {name: said[name] for name in ("made", "entry", "until")}
        print_json(document)
        return
    if meeting is not None:
        if not form.for_terminal:
            raise InputError("--met is a sentence; --json has its numbers.")
        _print_meeting(meeting)
    else:
        table = _best(found, top, min_contests) if player is None else _story(found, player)
        if form.for_terminal:
            if player is not None:
                _print_curve(found, player)
            table.print()
        else:
            form.print(table)
    note(f"\n{found.summary}.")
    if tune:
        p = found.parameters
        note("Tuned: " + ", ".join(f"{name}={getattr(p, name):.4g}" for name in _NUMBERS[:4]) + ".")
    if png is not None and form.for_terminal:
        note(f"The picture is in {png}.")
    if kept is not None:
        note(f"Stored in {sentence(source)}, {kept.summary}.")


def _refuse_what_does_not_apply(
    player: str | None, met: tuple[str, str] | None, at: str | None, other_at: str | None,
    png: Path | None,
) -> None:  # fmt: skip
    if png is not None:
        if player is None:
            raise InputError("--png draws one player; say who with --player NAME.")
        if png.suffix.lower() != ".png":
            raise InputError(f"{png}: the picture is a PNG, so its name must end in .png.")
        require("matplotlib")
    if met is not None and at is None:
        raise InputError("--met needs a time: --at 2009-06-01.")
    if met is None and (at is not None or other_at is not None):
        raise InputError("--at and --other-at are for --met NAME NAME.")
    if met is not None and player is not None:
        raise InputError("--met and --player are two questions; ask one of them.")


def _refuse_what_keeps_none(source: str, reading: Reading, asked: str) -> None:
    """Raise if there is no league here to keep a look back in."""
    if is_address(source):
        raise InputError(
            f"{source}: is the address of a site; {asked} is done where the league is kept, in "
            f"SQLite or PostgreSQL."
        )
    refuse_what_is_none(source)
    _refuse_to_read(source, reading)


def _drop(source: str, *, as_json: bool) -> None:
    with opened(source) as league:
        gone = league.drop_look_back()
    if as_json:
        print_json({"dropped": gone})
        return
    output().print(
        f"{sentence(source)} keeps no look back {'any more' if gone else 'anyway'}; its ratings "
        f"are what they were."
    )


def _seen(
    source: str, reading: Reading, how: dict[str, Any], kernel: Any
) -> "tuple[LookBack, StoredLookBack | None]":
    import podium

    contests = _contests(source, reading)
    announce_kernels(kernel)
    with progress_bar("Looking back") as progress:
        return podium.look_back(contests, progress=progress, **how), None


def _stored(
    source: str, _: Reading, how: dict[str, Any], kernel: Any
) -> "tuple[LookBack, StoredLookBack | None]":
    with opened(source) as league:
        announce_kernels(kernel)
        with progress_bar("Looking back") as progress:
            found = league.store_look_back(progress=progress, **how)
        return found, league.stored_look_back()


def _refuse_to_read(source: str, reading: Reading) -> None:
    if reading != Reading():
        raise InputError(f"{source}: is a league, so options for reading results do not apply.")


def _contests(source: str, reading: Reading) -> "Contests":
    if not is_league(source):
        return reading.read(Path(source))
    _refuse_to_read(source, reading)
    if is_address(source):
        raise InputError(
            f"{source}: a site does not give whole histories; podium export gets a league from it "
            f"as files, which podium look-back reads."
        )
    with asking(source) as view:
        contests = view.results()
    return contests.without_teams() if contests.columns.team is not None else contests


def _parsed(settings: list[str] | None) -> dict[str, Any]:
    found = {}
    for name, text in pairs(settings, "--set KEY=VALUE").items():
        if name not in _NUMBERS:
            raise InputError(f"--set {name}={text}: it is one of {', '.join(_NUMBERS)}.")
        try:
            found[name] = float(text)
        except ValueError:
            raise InputError(f"--set {name}={text}: {text!r} is not a number.") from None
    return found


def _best(found: "LookBack", top: int, min_contests: int) -> Table:
    rows = found.best(top or None, min_contests=min_contests)
    columns = [
        Column("place", right=True, style="dim"),
        Column("player", style="bold", names=True),
        Column("at best", right=True, style="bold cyan"),
        Column("low", right=True),
        Column("high", right=True),
        Column("when", style="dim"),
        Column("contests", right=True),
    ]
    cells: list[Any] = [
        whole(rows["place"]),
        rows["player"].to_list(),
        *(fixed(rows[name], 0) for name in ("estimate", "low", "high")),
        dates(rows["time"]),
        whole(rows["contests"]),
    ]
    caption = (
        f"The best ever of those with at least {counted(min_contests, 'contest')}, everybody at "
        f"their best; intervals of 95 % are of one estimate each."
    )
    return Table("The best ever", columns, cells, rows, caption=caption)


def _story(found: "LookBack", player: str) -> Table:
    rows = found.player(player)
    columns = [
        Column("date", style="dim"),
        Column("contest", names=True),
        Column("rank", right=True),
        Column("believed then", right=True),
        Column("seen from today", right=True, style="bold cyan"),
        Column("without this result", right=True),
    ]
    cells: list[Any] = [
        dates(rows["time"]),
        rows["contest"].cast(str).to_list(),
        whole(rows["rank"]),
        *(
            [f"{a} ± {b}" for a, b in zip(fixed(rows[m], 0), fixed(rows[s], 0), strict=True)]
            for m, s in (
                ("believed", "believed_sigma"),
                ("estimate", "sigma"),
                ("without", "without_sigma"),
            )
        ),
    ]
    caption = "What was believed after each contest, and what all results say of then."
    return Table(f"Looking back at {player}", columns, cells, rows, caption=caption)


def _print_curve(found: "LookBack", player: str) -> None:
    console = output()
    curve = found.curve(player)
    if curve.height > 1 and shows_braille():
        width = min(_WIDEST_CHART, console.width - 10)
        days = curve["time"].dt.epoch("s").to_list()
        lines = line_chart(days, curve["estimate"].to_list(), width=width, height=8, digits=0)
        for line in lines:
            console.print(line, style="cyan")


def _print_meeting(meeting: "Meeting") -> None:
    m = meeting
    output().print(
        f"{m.player} of {m.at:%Y-%m-%d} ({m.estimate:.0f} ± {m.sigma:.0f}) against {m.other} of "
        f"{m.other_at:%Y-%m-%d} ({m.other_estimate:.0f} ± {m.other_sigma:.0f}): "
        f"{m.player} wins {m.win:.1%}, and was the stronger one with {m.stronger:.1%}."
    )
    if m.caveat is not None:
        note(f"\n{m.caveat}")
