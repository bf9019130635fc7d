"""``podium serve``: leagues as a site."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from podium.cli.console import note, output
from podium.cli.groups import argument, option
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    from podium.web.catalogue import Catalogue

EXAMPLES = """\
[bold]Examples[/]

$ podium serve
$ podium serve club.db --open
$ podium serve club.db chess.db --title "Our leagues"
$ podium serve leagues/ --port 9000
$ podium serve site.toml --host 0.0.0.0 --workers 4
$ podium serve club.db --prefix /ratings --trusted 127.0.0.1 --address https://example.org
$ podium serve postgresql://host/club --unix /run/podium/podium.sock
$ podium serve club.db --writable

Pages, an API under /api/v1 and feeds. Nothing can be changed through the site unless it is \
--writable, and then by those who have a token: podium token club.db create ann organise makes \
one. It shows what has been recorded as soon as it has. Ctrl-C ends it.

What is reached from outside stands behind a proxy, which has the certificates; docs/web.md has \
what to write for Caddy, nginx, systemd and Docker. A TOML file says what leagues are called:

title = "Our leagues"
\\[leagues.club]
where = "club.db"
title = "The club"
about = "Every Tuesday, since 1998."
"""
_SITE = "Behind a proxy"


def command(
    leagues: Annotated[
        list[str] | None,
        argument(
            "LEAGUE…",
            "Leagues: files, folders of them, URLs of PostgreSQL, or a TOML file that lists them. "
            "Without any, a season that is made up.",
        ),
    ] = None,
    *,
    host: Annotated[
        str,
        option("ADDRESS", "Where to listen; 127.0.0.1 is for this machine alone, 0.0.0.0 for all."),
    ] = "127.0.0.1",
    port: Annotated[
        int, option("N", "The port; 0 for any that is free.", "--port", "-p", min=0, max=65535)
    ] = 8000,
    workers: Annotated[
        int, option("N", "Processes that answer; one for each core is the most.", min=1, max=256)
    ] = 1,
    title: Annotated[
        str | None, option("TEXT", "What the site is called.", show_default="Podium")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open", help="Open the site in the browser, too.")
    ] = False,
    log: Annotated[
        bool, typer.Option("--log", help="Write a line about every request to stderr.")
    ] = False,
    writable: Annotated[
        bool,
        typer.Option(
            "--writable", help="Let those who have a token change leagues by way of the site."
        ),
    ] = False,
    secret_file: Annotated[
        Path | None,
        option(
            "FILE",
            "What signs cookies, in a file that only you can read; it is made if it is not there. "
            "The variable PODIUM_SECRET goes before.",
            show_default="~/.config/podium/secret",
        ),
    ] = None,
    allow_private_addresses: Annotated[
        bool,
        typer.Option(
            "--allow-private-addresses",
            help="Let the site ask servers of private networks, and of this machine, at addresses "
            "that its users give, as of webhooks.",
        ),
    ] = False,
    prefix: Annotated[
        str,
        option(
            "PATH",
            "The path under which the proxy shows the site, e.g. /ratings.",
            panel=_SITE,
            show_default="/",
        ),
    ] = "",
    address: Annotated[
        str | None,
        option(
            "URL",
            "Where the public finds it, e.g. https://example.org, for feeds; by default, as each "
            "request says.",
            panel=_SITE,
        ),
    ] = None,
    trusted: Annotated[
        str | None,
        option(
            "IPS",
            "Proxies that are believed who asks and whether by https, e.g. 127.0.0.1,10.0.0.0/8; "
            "nobody if not given.",
            panel=_SITE,
        ),
    ] = None,
    unix: Annotated[
        Path | None,
        option("SOCKET", "Listen at a socket in the file system instead of a port.", panel=_SITE),
    ] = None,
) -> None:
    """Show leagues as a site: leaderboards, players, contests, and why each rating is what it is.

    It only reads, unless it is told otherwise. What others record meanwhile is shown at once.
    """
    from podium.web.server import Listening, Settings, serve

    proxies = tuple(each.strip() for each in (trusted or "").split(",") if each.strip())
    listening = Listening(host, port, unix, workers, proxies, log)
    with _leagues(leagues or []) as places, listening.bound() as bound:
        secret = None if secret_file is None else str(secret_file.absolute())
        private = allow_private_addresses
        settings = Settings(tuple(places), title, prefix, address, writable, secret, private)
        settings.key()
        with settings.catalogue() as catalogue:
            shown = counted(len(catalogue), "league")
            _compile_ahead(catalogue)
        where = listening.where(bound, settings.prefix)
        output().print(f"Serving {shown} at {where} … Ctrl-C ends it.", soft_wrap=True)
        if browser and unix is None:
            _open(where)
        serve(settings, listening, bound)
    note("Stopped.")


def _compile_ahead(catalogue: "Catalogue") -> None:
    """Let no visitor wait for the compiler; the processes that answer share what is kept."""
    from podium.numerics.compiled import keeps
    from podium.warming import needing, warm

    if not keeps():  # every process would have to do it for itself, and does so when asked
        return
    missing = needing(*(each.league.system for each in catalogue.values()))
    if missing:
        names = " and ".join(sorted({each.name for each in missing}))
        note(f"Making sure that all kernels of {names} are compiled, so that no visitor waits …")
        with progress_bar("Compiling") as progress:
            warm(*missing, progress=progress)


@contextmanager
def _leagues(given: list[str]) -> Iterator[list[str]]:
    """Those that were named, or one that is made up and is gone afterwards."""
    if given:
        yield given
        return
    import podium
    from podium.cli.compiling import announce_compilation
    from podium.web.demonstration import make_demonstration

    with TemporaryDirectory(prefix="podium-") as folder:
        where = Path(folder) / "season.db"
        announce_compilation(podium.systems.by_name("elo-mmr")())
        note(
            "No league was named, so this is a season that is made up; "
            "podium serve LEAGUE shows yours."
        )
        make_demonstration(where)
        yield [str(where)]


def _open(where: str) -> None:
    import webbrowser

    if not webbrowser.open(where):
        note("There is no browser to open here.")
