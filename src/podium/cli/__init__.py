"""The command line: one module for each command, and `podium.cli.app` that holds them together.

Modules here import podium's numerics, tables and figures only when a command runs, so that
``podium --help`` answers at once.
"""

import atexit
import os
import sys

from podium.errors import PodiumError
from podium.extras import require

INTERRUPTED = 130


def main() -> None:
    """Run the command that the arguments of the process ask for, and exit."""
    _open_what_is_closed()
    try:
        require("typer", "rich")
        from podium.cli.app import run

        code = run(sys.argv[1:])
    except PodiumError as error:
        print(f"podium: {error}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        print("podium: interrupted.", file=sys.stderr)
        code = INTERRUPTED
    if code == INTERRUPTED:
        # All files are in order by now, but a compiler that was interrupted may crash when the
        # interpreter is taken down, which would be the exit code that the caller sees. What
        # worker processes shared is given back first.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _open_what_is_closed() -> None:
    """Nobody reads from or listens to streams that are closed, as ``>&-`` does.

    Files that are opened later must not take their numbers.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
