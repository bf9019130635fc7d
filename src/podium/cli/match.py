"""``podium match``: who should meet whom, and what rules would come to."""

import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from podium.cli import options
from podium.cli.compiling import announce_compilation
from podium.cli.console import Column, note, output, print_json, print_table
from podium.cli.groups import Group, argument, option
from podium.cli.leagues import asking, is_address, is_league, token
from podium.cli.options import Rating
from podium.cli.source import Reading, ratings_from
from podium.errors import InputError
from podium.extras import require
from podium.progress import progress_bar
from podium.texts import visible
from podium.wording import counted

if TYPE_CHECKING:
    from podium.matchmaking import Round, Ticket
    from podium.matchmaking.simulating import Maker, Simulation

EXAMPLES = """\
[bold]Examples[/]

$ podium match tickets.csv --rules rules.toml --ladder ratings
$ podium match tickets.json --rules rules.toml --ladder league.db --now 1790000000 --json
$ podium match tickets.csv --rules rules.toml --ladder https://example.org/club --token T
$ podium match simulate rules.toml other.toml --html report.html
$ podium match simulate rules.toml --beside window --beside neighbours --players 1000
"""
_BESIDE = ("neighbours", "window")


@dataclass(frozen=True, slots=True)
class People(Group):
    """Who plays, and when; the library has the defaults."""

    panel: ClassVar[str] = "With simulate: who plays, and when"

    players: Annotated[int | None, option("N", "How many there are.", show_default="500")] = None
    hours: Annotated[float | None, option("X", "How long it lasts.", show_default="24")] = None
    sessions: Annotated[
        float | None, option("X", "Sessions of a player in a day.", show_default="2")
    ] = None
    matches: Annotated[
        float | None, option("X", "Matches that a session wants.", show_default="4")
    ] = None
    peak: Annotated[
        float | None,
        option("X", "How many times more come at 20:00 than at 8:00.", show_default="4"),
    ] = None
    newcomers: Annotated[
        float | None, option("X", "The share of players who are new.", show_default="0.2")
    ] = None
    parties: Annotated[
        float | None,
        option("X", "With teams, the share of sessions of several.", show_default="0.25"),
    ] = None
    match_seconds: Annotated[
        float | None, option("X", "How long a match lasts.", show_default="600")
    ] = None
    give_up: Annotated[
        float | None, option("X", "Seconds after which who waits leaves.", show_default="600")
    ] = None
    tick: Annotated[float | None, option("X", "Seconds between two rounds.", show_default="10")] = (
        None
    )
    seed: Annotated[int | None, option("N", "The random seed.", show_default="0")] = None


def command(
    what: Annotated[
        list[str],
        argument(
            "TICKETS | simulate RULES…",
            "A file of tickets, .csv or .json, for one round; or the word simulate and files of "
            "rules, .toml.",
        ),
    ],
    *,
    rules: Annotated[Path | None, option("FILE", "For one round: the rules, a .toml file.")] = None,
    ladder: Annotated[
        str | None,
        option(
            "SOURCE",
            "For one round: whom to ask: ratings, results, or a league, which may be on a site.",
            "--ladder",
        ),
        options.BY_TOKEN,
    ] = None,
    now: Annotated[
        str | None,
        option(
            "TIME",
            "For one round: the moment, by the clock of since; by default, that of the last "
            "ticket.",
        ),
    ] = None,
    beside: Annotated[
        list[str] | None,
        option(
            "NAME",
            "With simulate: what others do, too: neighbours (sorted by rating) or window (the "
            "nearest, farther with waiting); can be repeated.",
        ),
    ] = None,
    arrivals: Annotated[
        Path | None,
        option(
            "FILE",
            "With simulate: sessions as tickets, since being when they come; in place of drawn "
            "ones.",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        option("N", "With simulate: how often, for intervals.", show_default="3", min=1),
    ] = None,
    html: Annotated[Path | None, option("FILE", "With simulate: write a page.")] = None,
    json: options.Json = False,
    calibrated: options.Calibrated = False,
    people: People,
    rating: Rating,
) -> None:
    """Make matches of those who wait, or see what rules would come to before they go live.

    One round shows who meets whom, how even that is, and why others wait. A simulation lets a
    population with known skills queue, play and be rated, under several rules on the same arrivals.
    """
    first, *files = what
    said = {name: value for name, value in asdict(people).items() if value is not None}
    of_simulation = {"beside": beside, "arrivals": arrivals, "repeats": repeats, "html": html}
    if first != "simulate":
        for name in [*(each for each, value in of_simulation.items() if value is not None), *said]:
            raise InputError(f"--{name.replace('_', '-')} is for podium match simulate.")
        if files:
            raise InputError("one round takes one file of tickets.")
        _one_round(first, rules, ladder, now, calibrated, json, rating)
        return
    for name, value in (("rules", rules), ("ladder", ladder), ("now", now)):
        if value is not None:
            raise InputError(f"--{name} is for one round; simulate takes files of rules.")
    if calibrated:
        raise InputError("--calibrated is for one round.")
    _simulate(files, beside or [], arrivals, repeats or 3, html, json, said, rating)


def _one_round(
    file: str,
    rules: Path | None,
    ladder: str | None,
    now: str | None,
    calibrated: bool,
    json: bool,
    rating: Rating,
) -> None:
    from podium.matchmaking import Matchmaker, Rules, read_tickets

    if rules is None or ladder is None:
        raise InputError(
            "one round needs rules and ratings: --rules rules.toml --ladder ratings; a simulation "
            "is podium match simulate rules.toml."
        )
    chosen, tickets = Rules.read(rules), read_tickets(file)
    moment = _moment(now, tickets)
    if is_league(ladder) and rating.said:
        raise InputError(f"{ladder}: is a league, which has its own rating system.")
    if is_address(ladder):
        from podium.cli.remote import RemoteView

        site = RemoteView(ladder, token=token())
        found = site.matched(tickets, chosen, moment, calibrated)
    elif is_league(ladder):
        require("rustworkx", "scipy")
        with asking(ladder, with_hidden=True) as view:
            found = Matchmaker(chosen, view, calibrated=calibrated).match(tickets, moment)
    else:
        require("rustworkx", "scipy")
        rated = ratings_from(ladder, rating, Reading(), history=False, calibrated=calibrated)
        found = Matchmaker(chosen, rated, calibrated=calibrated).match(tickets, moment)
    if json:
        print_json(found.document())
    else:
        _print_round(found)


def _moment(now: str | None, tickets: "list[Ticket]") -> float:
    from podium.matchmaking.tickets import seconds

    if now is None:
        return max((seconds(each.since) for each in tickets), default=0.0)
    try:
        return seconds(float(now))
    except ValueError:
        return seconds(now)


def _print_round(found: "Round") -> None:
    columns = (
        Column("match", style="bold"),
        Column("chances", right=True),
        Column("quality", right=True, style="bold cyan"),
        Column("region"),
        Column("why", style="dim"),
    )
    rows = [
        (
            " – ".join(
                ", ".join(_shown(name, match.roles) for name in team) for team in match.teams
            ),
            " : ".join(f"{100.0 * chance:.0f}" for chance in match.chances),
            f"{match.quality:.0%}",
            "" if match.region is None else f"{match.region}, {match.latency:.0f} ms",
            match.reason.text,
        )
        for match in found.matches
    ]
    if rows:
        print_table(columns, rows)
    for ticket, reason in found.waiting.items():
        output().print(f"{ticket} {reason.text}.", markup=False, highlight=False)
    made = "1 match" if len(found.matches) == 1 else f"{len(found.matches):,} matches"
    how = "" if found.exact else ", near to the best that can be"
    note(f"\n{made}{how}; {counted(len(found.waiting), 'ticket')} waiting; asked {found.system}.")


def _shown(name: str, roles: Any) -> str:
    return f"{name} ({roles[name]})" if name in roles else name


def _simulate(
    files: list[str],
    beside: list[str],
    arrivals: Path | None,
    repeats: int,
    html: Path | None,
    json: bool,
    said: dict[str, Any],
    rating: Rating,
) -> None:
    from podium.matchmaking import Rules, read_tickets
    from podium.matchmaking.simulating import Population, simulate

    if not files:
        raise InputError("simulate needs files of rules: podium match simulate rules.toml.")
    require("rustworkx", "scipy")
    if html is not None:
        require("matplotlib")
    rules: dict[str, Rules | Maker] = {}
    for file in files:
        label = visible(Path(file).stem)
        if label in rules:
            raise InputError(f"{file}: two files of rules are called {label}.")
        rules[label] = Rules.read(file)
    for name in beside:
        if name in rules:
            raise InputError(f"--beside {name}: other rules are called {name}, too.")
        rules[name] = _baseline(name)
    coming = None if arrivals is None else read_tickets(arrivals)
    system = rating.chosen() if rating.said else None
    announce_compilation(*([] if system is None else [system]))
    with progress_bar("Simulating") as report:
        found = simulate(
            rules,
            Population(**said),
            system=system,
            arrivals=coming,
            repeats=repeats,
            progress=report,
        )
    if html is not None:
        from podium.matchmaking.reporting import write_report

        words = ["podium", "match", "simulate", *files]
        words += [part for name in beside for part in ("--beside", name)]
        words += [] if arrivals is None else ["--arrivals", str(arrivals)]
        words += [] if rating.system is None else ["--system", rating.system]
        words += [part for each in rating.settings or () for part in ("--set", each)]
        words += [f"--{name.replace('_', '-')}={value}" for name, value in said.items()]
        command = visible(shlex.join([*words, f"--repeats={repeats}"]))
        write_report(found, html, title="Matchmaking by rules", command=command)
        note(f"The page is in {html}.")
    if json:
        print_json(found.document())
    else:
        _print_simulation(found)


def _baseline(name: str) -> "Maker":
    from podium.matchmaking import Schedule
    from podium.matchmaking.baselines import Neighbours, Window

    if name == "neighbours":
        return lambda ladder: Neighbours(ladder)
    if name == "window":
        return lambda ladder: Window(ladder, Schedule(((0.0, 50.0), (120.0, 500.0))))
    raise InputError(f"--beside takes {' or '.join(_BESIDE)}, not {name!r}.")


def _print_simulation(found: "Simulation") -> None:
    from podium.matchmaking.simulating import GROUPS, MEASURES

    columns = (
        Column("group", style="dim"),
        Column("measure"),
        *(Column(label, right=True, style="bold cyan") for label in found.labels),
    )
    rows = []
    for group in GROUPS:
        of_group = found.table.filter(group=group)
        if not any(found.value(label, group, "tickets") > 0 for label in found.labels):
            continue
        for measure, name in MEASURES.items():
            of_measure = of_group.filter(measure=measure)
            if of_measure.height:
                cells = [
                    _cell(measure, *row) for row in of_measure.select("value", "low", "high").rows()
                ]
                rows.append((group, name, *cells))
    print_table(columns, rows)
    note(
        f"\n{counted(found.repeats, 'repeat')}, rated by {found.system}"
        + ("; ± is half of an interval of 95 %." if found.repeats > 1 else ".")
    )


def _cell(measure: str, value: float | None, low: float | None, high: float | None) -> str:
    from podium.matchmaking.reporting import number

    if low is None or high is None:
        return number(measure, value)
    return f"{number(measure, value)} ± {number(measure, 0.5 * (high - low))}"
