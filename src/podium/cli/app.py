"""The application: all commands, and what every one of them does when something goes wrong."""

import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from podium.cli import INTERRUPTED, attack, fetch
from podium.cli.console import complain
from podium.cli.groups import grouped
from podium.errors import InputError, PodiumError, StorageError
from podium.files import reason
from podium.texts import visible
from podium.wording import nearest, suggestion

COMMANDS = (
    "rate",
    "check",
    "leaderboard",
    "player",
    "predict",
    "explain",
    "evaluate",
    "learned",
    "rank",
    "look-back",
    "tune",
    "simulate",
    "match",
    "systems",
    "warm",
    "reproduce",
)
OF_A_LEAGUE = (
    "init",
    "record",
    "live",
    "contests",
    "contest",
    "log",
    "amend",
    "add",
    "disqualify",
    "reinstate",
    "remove",
    "rename",
    "merge",
    "guest",
    "players",
    "attributes",
    "describe",
    "hide",
    "show",
    "season",
    "seasons",
    "start",
    "starts",
    "undo",
    "redo",
    "rules",
    "revise",
    "revisions",
    "rollback",
    "export",
    "token",
    "access",
    "serve",
    "publish",
    "webhook",
    "backup",
    "verify",
    "migrate",
)
"""Names of modules, with a dash where theirs have an underscore, in the order of ``--help``."""
BROKEN_PIPE = 141
"""As of a program that ends by SIGPIPE."""


class OneLineErrors(TyperGroup):
    """A group whose failures are one line on stderr and an exit code, never a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; exit with its code, or return it if not in standalone mode."""
        standalone = options.pop("standalone_mode", True)
        try:
            code = super().main(*args, **{**options, "standalone_mode": False})
            sys.stdout.flush()
        except Exception as error:
            code = _explained(error)
        code = code if isinstance(code, int) else 0
        if standalone:
            sys.exit(code)
        return code

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Take the arguments in, which prints help and versions."""
        with _ending_as_documented():
            return super().make_context(*args, **options)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _ending_as_documented():
            return super().invoke(ctx)


@contextmanager
def _ending_as_documented() -> Iterator[None]:
    """Typer would end an interrupted command without a word, and one without a reader with 1.

    So would Rich, which prints help and tables.
    """
    try:
        yield
    except KeyboardInterrupt:
        complain("interrupted.")
        raise typer.Exit(INTERRUPTED) from None
    except (BrokenPipeError, SystemExit) as error:
        cause = error if isinstance(error, BrokenPipeError) else error.__context__
        if not isinstance(cause, BrokenPipeError):
            raise
        raise typer.Exit(_explained(cause)) from None


def _explained(error: Exception) -> int:
    """Say what the user can put right; the exit code. Any other error is a bug and goes on."""
    if isinstance(error, PodiumError):
        complain(str(error))
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        _discard_output()
        return BROKEN_PIPE
    if isinstance(error, OSError):
        complain(f"{error.filename or 'the output'}: {reason(error)}.")
        _discard_output()
        return StorageError.exit_code
    if isinstance(error, MemoryError):
        complain("there is not enough memory for this.")
        return StorageError.exit_code
    if hasattr(error, "format_message"):
        complain(_usage_sentence(error))
        return InputError.exit_code
    raise error


def _usage_sentence(error: Any) -> str:
    """Typer's message about commands, options and arguments, in one sentence."""
    context: Any = getattr(error, "ctx", None)
    path = "podium" if context is None else context.command_path
    message = str(error.format_message()).strip().rstrip(".")
    if hasattr(error, "option_name") and hasattr(error, "possibilities"):
        message = f"no such option {error.option_name!r}{_hint(error.option_name, context)}"
    elif unknown := re.match("No such command '(.*?)'", message):
        message = f"{unknown[0]}{suggestion(unknown[1], context.command.commands)}"
    return f"{message[:1].lower()}{message[1:]}; see '{path} --help'."


def _hint(option: str, context: Any) -> str:
    """Which options of the command may be meant: all that begin so, or the nearest."""
    shown = [each for each in context.command.get_params(context) if not each.hidden]
    names = [name for each in shown for name in (*each.opts, *each.secondary_opts)]
    known = [name[2:] for name in names if name.startswith("--")]
    word = option.lstrip("-")
    meant = [name for name in known if option.startswith("--") and name.startswith(word)]
    meant = meant or [name for name in [nearest(word, known)] if name is not None]
    return f" (did you mean {' or '.join(repr(f'--{name}') for name in meant)}?)" if meant else ""


def _discard_output() -> None:
    """Let what is still buffered go nowhere, so that the end of the process is silent too."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


app = typer.Typer(
    name="podium",
    cls=OneLineErrors,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=(
        "[bold]A first look[/], on a season that is made up:\n\n"
        "$ podium simulate season.csv --players 300 --rounds 24\n"
        "$ podium rate season.csv --out ratings\n"
        "$ podium player ratings player-0042\n\n"
        "Results of your own need the columns contest, time, player and rank or score; "
        "see podium rate --help.\n\n"
        "Exit codes: 0 all went well, 1 verify found a difference, 2 wrong input, 3 not found, "
        "4 conflict, 5 busy, 6 storage, 7 no access; docs/input.md has more."
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from podium import __version__

        print(f"podium {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Say which podium this is."
        ),
    ] = False,
) -> None:
    """Turn contest results into ratings: who is how good, how sure we are, and why."""
    if context.invoked_subcommand is None:
        print(context.get_help())


for name in (*COMMANDS, *OF_A_LEAGUE):
    module = import_module(f"podium.cli.{name.replace('-', '_')}")
    panel = "A league" if name in OF_A_LEAGUE else None
    app.command(name, epilog=module.EXAMPLES, rich_help_panel=panel)(grouped(module.command))
app.add_typer(fetch.app, name="fetch", epilog=fetch.EXAMPLES)
app.add_typer(attack.app, name="attack")


def run(arguments: Sequence[str]) -> int:
    """Run one command in this process; its exit code.

    Example:
        >>> run(["--version"])  # doctest: +ELLIPSIS
        podium ...
        0
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a name shows question marks, not a traceback.
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        warnings.showwarning = _warned
        code: int = typer.main.get_command(app).main(
            list(arguments), prog_name="podium", standalone_mode=False
        )
    return code


def _warned(message: Warning | str, category: type[Warning], *where: Any, **_: Any) -> None:
    """Say podium's own warnings as everything else is said, and others' as Python does."""
    if category.__module__.startswith("podium"):
        complain(str(message))
    else:
        text = warnings.formatwarning(visible(str(message)), category, *where[:2])
        print(text, file=sys.stderr, end="")
