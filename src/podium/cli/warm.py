"""``podium warm``: compile ahead, so that nobody waits for it later."""

from typing import TYPE_CHECKING, Annotated

from podium import systems
from podium.cli import options
from podium.cli.console import note, output, print_json
from podium.cli.groups import argument
from podium.progress import progress_bar
from podium.wording import counted

if TYPE_CHECKING:
    from podium.warming import Warmed

EXAMPLES = """\
[bold]Examples[/]

$ podium warm
$ podium warm elo-mmr glicko2
$ NUMBA_CACHE_DIR=/opt/podium-kernels podium warm elo-mmr

The first use of a system on a machine compiles its kernels, which takes some seconds. An image of \
a container, or a server before its first visitor, does that ahead: in a Dockerfile,

ENV NUMBA_CACHE_DIR=/opt/podium-kernels
RUN podium warm elo-mmr && chmod -R a+rX /opt/podium-kernels

Kernels are kept beside the package, or in the folder that NUMBA_CACHE_DIR names, for all who may \
read it. They fit the kind of processor that compiled them, and another podium compiles its own.
"""


def command(
    names: Annotated[
        list[str] | None,
        argument(
            "SYSTEM…",
            "Rating systems, those of other packages too; by default, all that come with podium.",
            autocompletion=systems.names,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Compile ahead all that systems need to rate, predict, explain, evaluate and serve."""
    from podium.numerics.compiled import keeps
    from podium.warming import warm_one

    chosen = [systems.build(name) for name in names or systems.built_in()]
    done = []
    with progress_bar("Compiling") as report:
        for number, system in enumerate(chosen):
            report(number, len(chosen))
            done.append(warm_one(system))
            if not json:
                output().print(_sentence(done[-1]))
    if json:
        print_json([each.document() for each in done])
    elif not any(each.kernels for each in done):
        note("\nEverything was there already.")
    elif not keeps():
        note("\nNothing could be kept for the next process; NUMBA_CACHE_DIR names a folder for it.")


def _sentence(warmed: "Warmed") -> str:
    if warmed.kernels == 0:
        return f"{warmed.system}: everything was there already ({warmed.seconds:.1f} s)."
    return (
        f"{warmed.system}: compiled {counted(warmed.kernels, 'kernel')} in {warmed.seconds:.1f} s."
    )
