"""``podium simulate``: results of players whose skills are made up."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from podium.cli import options
from podium.cli.console import output
from podium.cli.progress import progress_bar
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.evaluation.populations import SimulatedContests

EXAMPLES = """\
[bold]Examples[/]

$ podium simulate season.csv --players 300 --rounds 24 --participation 0.7 --ties 0.1
$ podium simulate paper.parquet --players 10000 --rounds 50 --skills truth.parquet
$ podium simulate league.csv --divisions 2 --newcomers 0.5 --sandbaggers 0.05 --luck 0.1
$ podium simulate matches.csv --matches 20000 --beta 0.9 --draws 0.2 --side-advantage 0.3
"""

ROUNDS = "Rounds of many players"
MATCHES = "Matches of two, with --matches"

_OF_ROUNDS = (
    "rounds",
    "participation",
    "ties",
    "skill_mean",
    "performances",
    "performance_sd",
    "luck",
    "drift_per_day",
    "newcomers",
    "leavers",
    "divisions",
    "sandbaggers",
    "losses_on_purpose",
    "calendar",
)
_OF_MATCHES = ("beta", "draws", "side_advantage", "neighbours")


def _option(help: str, default: str | bool, panel: str | None = None, metavar: str = "X") -> Any:
    """An option that is passed on if it is given; the library has the default."""
    return typer.Option(help=help, show_default=default, rich_help_panel=panel, metavar=metavar)


def command(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write, in the format that its name says: .csv, .parquet, .jsonl …",
            show_default=False,
        ),
    ],
    players: Annotated[int | None, _option("How many players there are.", "1000", None, "N")] = (
        None
    ),
    matches: Annotated[
        int | None, _option("Write so many matches of two, not rounds.", False, None, "N")
    ] = None,
    skills: Annotated[
        Path | None,
        _option(
            "Write the true skills too, to this .csv or .parquet: contest, player, skill.",
            False,
            None,
            "FILE",
        ),
    ] = None,
    skill_sd: Annotated[
        float | None, _option("The standard deviation of skills.", "350; of matches, 1")
    ] = None,
    drift_sd: Annotated[
        float | None,
        _option("The step of a skill between rounds, or after a match.", "35; of matches, 0"),
    ] = None,
    start: Annotated[str | None, _option("The first contest.", "2026-01-01", None, "TIME")] = None,
    days_between: Annotated[
        float | None, _option("Days from one contest to the next.", "7; of matches, 0.01")
    ] = None,
    seed: Annotated[int | None, _option("Which of all such populations.", "0", None, "N")] = None,
    format: options.OutputFormat = None,
    rounds: Annotated[int | None, _option("How many take place.", "50", ROUNDS, "N")] = None,
    participation: Annotated[
        float | None, _option("Each player's chance to take part in a round.", "1", ROUNDS)
    ] = None,
    ties: Annotated[
        float | None, _option("The share of rows whose rank another player shares.", "0", ROUNDS)
    ] = None,
    skill_mean: Annotated[
        float | None, _option("The mean skill at the start.", "1500", ROUNDS)
    ] = None,
    performances: Annotated[
        str | None,
        _option(
            "How they scatter: normal, logistic or gumbel (Plackett-Luce).",
            "normal",
            ROUNDS,
            "NAME",
        ),
    ] = None,
    performance_sd: Annotated[
        float | None, _option("How far a player's performances scatter.", "200", ROUNDS)
    ] = None,
    luck: Annotated[
        float | None,
        _option("The chance to perform like anybody, drawn at random.", "0", ROUNDS),
    ] = None,
    drift_per_day: Annotated[
        float | None, _option("The variance that a skill gains per day.", "0", ROUNDS)
    ] = None,
    newcomers: Annotated[
        float | None, _option("The share of players who join at a later round.", "0", ROUNDS)
    ] = None,
    leavers: Annotated[
        float | None, _option("The share of players who leave before the last.", "0", ROUNDS)
    ] = None,
    divisions: Annotated[
        int | None,
        _option("Contests of each round, the players divided by form.", "1", ROUNDS, "N"),
    ] = None,
    sandbaggers: Annotated[
        float | None, _option("The share of players who lose on purpose at times.", "0", ROUNDS)
    ] = None,
    losses_on_purpose: Annotated[
        float | None, _option("Their chance to do so in a round.", "0.5", ROUNDS)
    ] = None,
    calendar: Annotated[
        str | None, _option("Days between rounds: even or random.", "even", ROUNDS, "NAME")
    ] = None,
    beta: Annotated[
        float | None,
        _option("The share that the game decides; a coin decides the others.", "0.8", MATCHES),
    ] = None,
    draws: Annotated[
        float | None, _option("The share of draws among equals.", "0", MATCHES)
    ] = None,
    side_advantage: Annotated[
        float | None, _option("What the side of one of the two adds to a skill.", "0", MATCHES)
    ] = None,
    neighbours: Annotated[
        float | None,
        _option("The share of players, the nearest in skill, to meet.", "1", MATCHES),
    ] = None,
) -> None:
    """Write results of a synthetic population, by default that of the Elo-MMR paper.

    Skills are drawn from a normal distribution, and every round ranks its participants by
    performances that scatter around their skills. In matches of two, skills are natural
    logarithms of odds. The same options give the same file.
    """
    given = {
        name: value
        for name, value in locals().items()
        if value is not None and name not in ("out", "skills", "format")
    }
    with progress_bar("Simulating"):
        contests = _simulated(given)
        contests.write(out, format=format, skills=skills)
    written = out if skills is None else f"{out}, true skills in {skills}"
    output().print(f"{repr(contests).strip('<>').removeprefix('Contests: ')}: in {written}.")


def _simulated(given: Mapping[str, Any]) -> "SimulatedContests":
    """Rounds, or matches if there is a number of them; options of the other kind are refused."""
    import podium

    of_matches = "matches" in given
    for name in _OF_ROUNDS if of_matches else _OF_MATCHES:
        if name in given:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{option} is for rounds of many players, so it cannot go with --matches."
                if of_matches
                else f"{option} is for matches of two, so it needs --matches N."
            )
    return (podium.simulate_matches if of_matches else podium.simulate)(**given)
