"""Options and arguments that several commands share, declared once, and what their values mean."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from podium import systems
from podium.cli.groups import Also, Group, argument, option
from podium.cli.leagues import TOKEN, by_token
from podium.errors import InputError

if TYPE_CHECKING:
    from podium.systems.base import System

RATING = "How to rate"

Token = Annotated[
    str | None,
    option(
        "TOKEN",
        f"Of a league on a site: what lets you see or change it, or @FILE for a file with it; by "
        f"default the variable {TOKEN}.",
        "--token",
        panel="A league on a site",
    ),
]
BY_TOKEN = Also("token", Token, by_token)
Source = Annotated[
    str,
    argument(
        "FOLDER|LEAGUE|PATH",
        "A folder written by podium rate --out, a league, or results to rate on the spot.",
    ),
    BY_TOKEN,
]
League = Annotated[
    str,
    argument(
        "LEAGUE",
        "The league: a file such as league.db, the URL of a database, e.g. "
        "postgresql://host/name, or an address, e.g. https://example.org/club.",
    ),
    BY_TOKEN,
]
Contest = Annotated[str, argument("CONTEST", "The identifier of the contest.")]
Player = Annotated[str, argument("PLAYER", "The name of the player.")]
Results = Annotated[
    Path, argument("PATH", "The results: .csv, .parquet, .jsonl or a folder of contest files.")
]
ManyResults = Annotated[
    list[Path],
    argument(
        "PATH…",
        "The results: files, folders of them, or quoted patterns such as '2025-*.csv'.",
    ),
]
Threads = Annotated[
    int | None,
    option(
        "N",
        "Threads for large contests, one for each core if not given; ratings are the same.",
        panel=RATING,
        min=1,
    ),
]
Top = Annotated[int, option("N", "Show the best N players; 0 for all.", "--top", "-n", min=0)]
Page = Annotated[int, option("N", "Show the Nth so many players, as --top says.", min=1)]
Seed = Annotated[int, option("N", "The random seed.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, with numbers that are not rounded.")
]


Where = Annotated[
    list[str] | None,
    option(
        "CONDITION",
        "Of a league: only players whose attributes are so, e.g. country=NO, country!=NO or "
        "'birth_year>=2005'; can be repeated.",
        "--where",
    ),
]
WithHidden = Annotated[
    bool,
    typer.Option("--with-hidden", help="Of a league that is yours: also players who are hidden."),
]
Calibrated = Annotated[
    bool,
    typer.Option(
        "--calibrated",
        help="Chances as sure as the results so far say that they should be.",
    ),
]
Memory = Annotated[
    str | None,
    option(
        "SIZE",
        "Read results piece by piece if they need more, e.g. 2GB; half of the memory if not given.",
        "--memory",
    ),
]


def size(text: str) -> int:
    """Bytes.

    Example:
        >>> size("2GB"), size("1.5 MiB")
        (2000000000, 1572864)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kKmMgGtT]?)(i?)[bB]?\s*", text)
    bytes = 0
    if found is not None:
        factor = 1024 if found[3] else 1000
        bytes = int(float(found[1]) * factor ** " kmgt".index(found[2].lower() or " "))
    if bytes < 1:
        raise InputError(f"--memory {text}: is not a size such as 500MB or 2GB.")
    return bytes


def shown_size(bytes: int) -> str:
    """Bytes, for people.

    Example:
        >>> shown_size(2_000_000_000), shown_size(100_000)
        ('2.0 GB', '100.0 kB')
    """
    for unit in ("GB", "MB"):
        factor = {"GB": 10**9, "MB": 10**6}[unit]
        if bytes >= factor:
            return f"{bytes / factor:,.1f} {unit}"
    return f"{bytes / 1000:,.1f} kB"


def pairs(texts: Sequence[str] | None, form: str) -> dict[str, str]:
    """What was given in the form ``--option KEY=VALUE``, any number of times.

    Example:
        >>> pairs(["rho=inf", "noob_delay=0.6,0.8"], "--set KEY=VALUE")
        {'rho': 'inf', 'noob_delay': '0.6,0.8'}
    """
    option = form.split()[0]
    found: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{option} {text}: write it as {form}.")
        if key.strip() in found:
            raise InputError(f"{option} {text}: {key.strip()!r} is given twice.")
        found[key.strip()] = value.strip()
    return found


@dataclass(frozen=True, slots=True)
class Choice(Group):
    """Which system, and its parameters."""

    panel: ClassVar[str] = RATING

    system: Annotated[
        str | None,
        option(
            "NAME",
            "The rating system, elo-mmr if not given; podium systems lists them.",
            "--system",
            "-s",
            autocompletion=systems.names,
        ),
    ] = None
    settings: Annotated[
        list[str] | None,
        option(
            "KEY=VALUE",
            "A parameter of the system, e.g. rho=inf or noob_delay=0.6,0.8; can be repeated.",
            "--set",
        ),
    ] = None

    @property
    def said(self) -> bool:
        """Whether anything was chosen."""
        return bool(self.system or self.settings)

    @property
    def parameters(self) -> dict[str, str]:
        """What ``--set`` says."""
        return pairs(self.settings, "--set KEY=VALUE")

    def chosen(self, default: str = "elo-mmr") -> "System":
        """The system asked for.

        Example:
            >>> Choice("elo-mmr", ["rho=inf"]).chosen().rho
            inf
        """
        return systems.by_name(self.system or default).parse(self.parameters)

    def like(self, before: "System") -> "System":
        """The system asked for; what is not said is as in `before`."""
        from dataclasses import replace

        if not self.said:
            return before
        asked = self.chosen(default=before.name)
        if asked.name != before.name:
            return asked
        return replace(before, **{key: getattr(asked, key) for key in self.parameters})


@dataclass(frozen=True, slots=True)
class Rating(Choice):
    """How to rate."""

    threads: Threads = None


@dataclass(frozen=True, slots=True)
class Workers(Group):
    """Who shares the work."""

    panel: ClassVar[str] = "Many cores"

    jobs: Annotated[
        int | None,
        option(
            "N",
            "Processes that share the work, one for each core if not given; results are the same.",
            min=1,
        ),
    ] = None
    backend: Annotated[
        str | None, option("NAME", "Where the processes are: local (if not given), dask or ray.")
    ] = None
    scheduler: Annotated[
        str | None,
        option(
            "ADDRESS",
            "A cluster of Dask or Ray, e.g. tcp://10.0.0.5:8786; without one they work on this "
            "machine.",
        ),
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """What is said, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}
