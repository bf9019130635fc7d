"""The first rating on a machine compiles the kernels; whoever waits should know why."""

from typing import TYPE_CHECKING, Any

from podium.cli.console import note

if TYPE_CHECKING:
    from podium.systems.base import System


def announce_compilation(*systems: "System") -> None:
    """Say so if the next rating, with any of these systems, has to wait for the compiler."""
    announce_kernels(*(system.entry for system in systems if system.entry is not None))


def announce_kernels(*kernels: Any) -> None:
    """Say so if what these kernels are for has to wait for the compiler."""
    from podium.numerics.compiled import is_kept, keeps

    if not keeps():  # which is said already
        return
    if not all(map(is_kept, kernels)):
        note("Compiling for this machine, once; this takes some seconds …")
