"""A league to look at before there is one of one's own."""

import os

import podium

TITLES = (
    (1000, "pupil"),
    (1300, "specialist"),
    (1600, "expert"),
    (1900, "master"),
    (2200, "grandmaster"),
)


def make_demonstration(where: str | os.PathLike[str]) -> None:
    """Make a league of a season that is made up, the same every time: 300 players, 24 rounds.

    There are ties, newcomers, players who leave, titles, and corrections.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> make_demonstration(f"{folder.name}/season.db")
        >>> with podium.League(f"{folder.name}/season.db") as league:
        ...     len(league)
        24
        >>> folder.cleanup()
    """
    season = podium.simulate(
        players=300,
        rounds=24,
        participation=0.7,
        ties=0.15,
        newcomers=0.3,
        leavers=0.15,
        seed=4,
    )
    rules = podium.Rules(titles=TITLES)
    with podium.League.create(where, "elo-mmr", rules=rules, who="organiser") as league:
        league.record(season, who="organiser", why="the season, as the club played it")
        contests = league.contests()["contest"].to_list()
        final = contests[-1]
        league.amend(final, name="The final", who="organiser", why="the last round has a name")
        winner = league.result(final).standings["player"][0]
        league.amend(contests[0], rated=False, who="referee", why="it was a friendly round")
        league.rename(winner, "The champion", who="organiser", why="at their own wish")
