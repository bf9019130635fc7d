"""The first rating on a machine compiles the kernels; whoever waits should know why."""

from pathlib import Path

from podium.cli.console import note


def is_compiled() -> bool:
    """Whether Numba has the main kernel in its cache, compiled from the source as it is now."""
    from podium.numerics import elo_mmr

    kernel = elo_mmr.fold_contests
    source = Path(kernel.py_func.__code__.co_filename)
    folder = Path(str(kernel.stats.cache_path))
    indexes = folder.glob(f"{source.stem}.{kernel.py_func.__name__}-*.nbi")
    return any(index.stat().st_mtime >= source.stat().st_mtime for index in indexes)


def announce_compilation() -> None:
    """Say so if the next rating has to wait for the compiler."""
    if not is_compiled():
        note("Compiling for this machine, once; this takes some seconds …")
