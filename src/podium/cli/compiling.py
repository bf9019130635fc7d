"""The first rating on a machine compiles the kernels; whoever waits should know why."""

from typing import TYPE_CHECKING

from podium.cli.console import note

if TYPE_CHECKING:
    from podium.systems.base import System


def announce_compilation(system: "System") -> None:
    """Say so if the next rating has to wait for the compiler."""
    from podium.numerics.compiled import is_kept

    if system.kernel is not None and not is_kept(system.kernel.fold_contests):
        note("Compiling for this machine, once; this takes some seconds …")
