"""The first rating on a machine compiles the kernels; whoever waits should know why."""

from podium.cli.console import note


def announce_compilation() -> None:
    """Say so if the next rating has to wait for the compiler."""
    from podium.numerics.compiled import is_kept
    from podium.numerics.elo_mmr import fold_contests

    if not is_kept(fold_contests):
        note("Compiling for this machine, once; this takes some seconds …")
