"""``make demo``: the main job on a season that is made up, with the commands that do it."""

import shlex
import sys
from pathlib import Path

from podium.cli.app import run

FOLDER = Path("demo")
SEASON = FOLDER / "season.csv"
RATINGS = FOLDER / "ratings"
LEAGUE = FOLDER / "league.db"
SITE = FOLDER / "site"
NEXT = f"""
Open {SITE / "index.html"} in a browser, or have the league as a site with an API:

  source .venv/bin/activate
  podium serve {LEAGUE}

Now with results of your own:

  podium rate results.csv --out ratings

The file needs the columns contest, time, player and rank (or score); if they have other names,
say so: --columns player=handle --columns rank=place. podium rate --help tells the rest."""


def main() -> None:
    """Simulate, rate, look at the result and publish a league, in the folder ``demo``."""
    options = "--players 300 --rounds 24 --participation 0.7 --ties 0.15 --seed 4"
    _type(f"simulate {SEASON} {options}")
    _type(f"rate {SEASON} --out {RATINGS}")
    _type(f"leaderboard {RATINGS} --top 5 --min-contests 10 --active-since 2026-06-01")
    best = _best_player()
    picture = FOLDER / f"{best}.png"
    _type(f"player {RATINGS} {best} --png {picture}")
    _make_league()
    _type(f"publish {LEAGUE} {SITE} --title 'The demonstration league'")
    _explain(picture)


def _type(command: str) -> None:
    """Show a command as it would be typed, and run it."""
    print(f"\n$ podium {command}\n", flush=True)
    code = run(shlex.split(command))
    if code != 0:
        sys.exit(code)


def _best_player() -> str:
    import podium

    return str(podium.Rated.load(RATINGS).ratings["player"][0])


def _make_league() -> None:
    from podium.web.demonstration import make_demonstration

    for part in FOLDER.glob(f"{LEAGUE.name}*"):
        part.unlink()
    make_demonstration(LEAGUE)


def _explain(picture: Path) -> None:
    files = {
        SEASON: "the results: contest, time, player, rank",
        RATINGS / "ratings.parquet": "everybody's rating, best first",
        RATINGS / "history.parquet": "what every contest did to every player",
        RATINGS / "beliefs.npz": f"to go on from: podium rate next.csv --resume {RATINGS}",
        picture: "the season of the best player, as a picture",
        LEAGUE: "a league, where results are recorded and corrected",
        SITE / "index.html": "the same league as pages for any web space",
    }
    print("\nWhat there is now:\n")
    for path, meaning in files.items():
        print(f"  {path!s:30}{meaning}")
    print(NEXT)


if __name__ == "__main__":
    main()
