"""The command line: one module for each command, and `podium.cli.app` that holds them together.

Modules here import podium's numerics, tables and figures only when a command runs, so that
``podium --help`` answers at once.
"""

import sys


def main() -> None:
    """Run the command that the arguments of the process ask for, and exit."""
    try:
        from podium.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("podium: interrupted.", file=sys.stderr)
        code = 130
    sys.exit(code)
