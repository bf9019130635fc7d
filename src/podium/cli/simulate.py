"""``podium simulate``: results of players whose skills are made up."""

from pathlib import Path
from typing import Annotated

import typer

from podium.cli import options
from podium.cli.console import output

EXAMPLES = """\
[bold]Examples[/]

$ podium simulate season.csv --players 300 --rounds 24 --participation 0.7 --ties 0.1
$ podium simulate paper.parquet --players 10000 --rounds 50
"""


def command(
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="The file to write, in the format that its name says: .csv, .parquet, .jsonl …",
            show_default=False,
        ),
    ],
    players: Annotated[int, typer.Option(help="How many players there are.")] = 1000,
    rounds: Annotated[int, typer.Option(help="How many contests take place.")] = 50,
    participation: Annotated[
        float, typer.Option(help="Each player's chance to take part in a round.")
    ] = 1.0,
    ties: Annotated[
        float, typer.Option(help="The share of rows whose rank another player shares.")
    ] = 0.0,
    skill_mean: Annotated[float, typer.Option(help="The mean skill at the start.")] = 1500.0,
    skill_sd: Annotated[float, typer.Option(help="Its standard deviation.")] = 350.0,
    performance_sd: Annotated[
        float, typer.Option(help="How far a player's performances scatter.")
    ] = 200.0,
    drift_sd: Annotated[
        float, typer.Option(help="The step that a skill makes between rounds.")
    ] = 35.0,
    start: Annotated[str, typer.Option(metavar="TIME", help="The first round.")] = "2026-01-01",
    days_between: Annotated[float, typer.Option(help="Days from round to round.")] = 7.0,
    seed: Annotated[int, typer.Option(help="Which of all such populations.")] = 0,
    format: options.OutputFormat = None,
) -> None:
    """Write results of a synthetic population, by default that of the Elo-MMR paper.

    Skills are drawn from a normal distribution, and every round ranks its participants by
    performances that scatter around their skills. The same options give the same file.
    """
    import podium

    contests = podium.simulate(
        players,
        rounds,
        participation=participation,
        skill_mean=skill_mean,
        skill_sd=skill_sd,
        performance_sd=performance_sd,
        drift_sd=drift_sd,
        ties=ties,
        start=start,
        days_between=days_between,
        seed=seed,
    )
    contests.write(out, format=format)
    output().print(f"{repr(contests).strip('<>').removeprefix('Contests: ')}: in {out}.")
