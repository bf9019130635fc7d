"""``podium simulate``: results of players whose skills are made up."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from podium.cli.console import note, output
from podium.cli.groups import Group, argument, option
from podium.errors import InputError
from podium.progress import progress_bar

if TYPE_CHECKING:
    from podium.evaluation.populations import SimulatedContests

EXAMPLES = """\
[bold]Examples[/]

$ podium simulate season.csv --players 300 --rounds 24 --participation 0.7 --ties 0.1
$ podium simulate paper.parquet --players 10000 --rounds 50 --skills truth.parquet
$ podium simulate league.csv --divisions 2 --newcomers 0.5 --sandbaggers 0.05 --luck 0.1
$ podium simulate matches.csv --matches 20000 --beta 0.9 --draws 0.2 --side-advantage 0.3
"""


@dataclass(frozen=True, slots=True)
class Population(Group):
    """Players of both kinds of contests; the library has the defaults."""

    players: Annotated[
        int | None, option("N", "How many players there are.", show_default="1000")
    ] = None
    matches: Annotated[int | None, option("N", "Write so many matches of two, not rounds.")] = None
    skills: Annotated[
        Path | None,
        option(
            "FILE", "Write the true skills too, to this .csv or .parquet: contest, player, skill."
        ),
    ] = None
    skill_sd: Annotated[
        float | None,
        option("X", "The standard deviation of skills.", show_default="350; of matches, 1"),
    ] = None
    drift_sd: Annotated[
        float | None,
        option(
            "X",
            "The step of a skill between rounds, or after a match.",
            show_default="35; of matches, 0",
        ),
    ] = None
    start: Annotated[
        str | None, option("TIME", "The first contest.", show_default="2026-01-01")
    ] = None
    days_between: Annotated[
        float | None,
        option("X", "Days from one contest to the next.", show_default="7; of matches, 0.01"),
    ] = None
    seed: Annotated[int | None, option("N", "The random seed.", show_default="0")] = None


@dataclass(frozen=True, slots=True)
class Rounds(Group):
    """Rounds of many players; the library has the defaults."""

    panel: ClassVar[str] = "Rounds of many players"

    rounds: Annotated[int | None, option("N", "How many take place.", show_default="50")] = None
    participation: Annotated[
        float | None, option("X", "Each player's chance to take part in a round.", show_default="1")
    ] = None
    ties: Annotated[
        float | None,
        option("X", "The share of rows whose rank another player shares.", show_default="0"),
    ] = None
    skill_mean: Annotated[
        float | None, option("X", "The mean skill at the start.", show_default="1500")
    ] = None
    performances: Annotated[
        str | None,
        option(
            "NAME",
            "How they scatter: normal, logistic or gumbel (Plackett-Luce).",
            show_default="normal",
        ),
    ] = None
    performance_sd: Annotated[
        float | None, option("X", "How far a player's performances scatter.", show_default="200")
    ] = None
    luck: Annotated[
        float | None,
        option("X", "The chance to perform like anybody, drawn at random.", show_default="0"),
    ] = None
    drift_per_day: Annotated[
        float | None, option("X", "The variance that a skill gains per day.", show_default="0")
    ] = None
    newcomers: Annotated[
        float | None,
        option("X", "The share of players who join at a later round.", show_default="0"),
    ] = None
    leavers: Annotated[
        float | None,
        option("X", "The share of players who leave before the last.", show_default="0"),
    ] = None
    divisions: Annotated[
        int | None,
        option("N", "Contests of each round, the players divided by form.", show_default="1"),
    ] = None
    sandbaggers: Annotated[
        float | None,
        option("X", "The share of players who lose on purpose at times.", show_default="0"),
    ] = None
    losses_on_purpose: Annotated[
        float | None, option("X", "Their chance to do so in a round.", show_default="0.5")
    ] = None
    calendar: Annotated[
        str | None, option("NAME", "Days between rounds: even or random.", show_default="even")
    ] = None


@dataclass(frozen=True, slots=True)
class Matches(Group):
    """Matches of two; the library has the defaults."""

    panel: ClassVar[str] = "Matches of two, with --matches"

    beta: Annotated[
        float | None,
        option(
            "X", "The share that the game decides; a coin decides the others.", show_default="0.8"
        ),
    ] = None
    draws: Annotated[
        float | None, option("X", "The share of draws among equals.", show_default="0")
    ] = None
    side_advantage: Annotated[
        float | None,
        option("X", "What the side of one of the two adds to a skill.", show_default="0"),
    ] = None
    neighbours: Annotated[
        float | None,
        option("X", "The share of players, the nearest in skill, to meet.", show_default="1"),
    ] = None


def command(
    out: Annotated[
        Path,
        argument(
            "OUT", "The file to write, in the format that its name says: .csv, .parquet, .jsonl …"
        ),
    ],
    *,
    population: Population,
    format: Annotated[
        str | None, option("NAME", "The format, if the name of the file does not say it.")
    ] = None,
    of_rounds: Rounds,
    of_matches: Matches,
) -> None:
    """Write results of a synthetic population, by default that of the Elo-MMR paper.

    Skills are drawn from a normal distribution, and every round ranks its participants by
    performances that scatter around their skills. In matches of two, skills are natural
    logarithms of odds. The same options give the same file.
    """
    from podium.results.times import latest_moment

    given = asdict(population)
    skills = given.pop("skills")
    with progress_bar("Simulating"):
        contests = _simulated(given, of_rounds, of_matches)
        contests.write(out, format=format, skills=skills)
    written = out if skills is None else f"{out}, true skills in {skills}"
    output().print(f"{repr(contests).strip('<>').removeprefix('Contests: ')}: in {written}.")
    if contests.columns.time[-1] > latest_moment():
        note("It ends more than two years from now, so commands that read it want --future.")


def _simulated(given: dict[str, Any], rounds: Rounds, matches: Matches) -> "SimulatedContests":
    """Rounds, or matches if there is a number of them; options of the other kind are refused."""
    import podium

    of_matches = given["matches"] is not None
    for name, value in asdict(rounds if of_matches else matches).items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{option} is for rounds of many players, so it cannot go with --matches."
                if of_matches
                else f"{option} is for matches of two, so it needs --matches N."
            )
    given |= asdict(matches if of_matches else rounds)
    simulated = podium.simulate_matches if of_matches else podium.simulate
    return simulated(**{name: value for name, value in given.items() if value is not None})
