"""Many trials at once: in processes of this machine, or on a Dask or Ray cluster."""

import itertools
import os
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

import joblib  # type: ignore[import-untyped]

from podium.errors import PodiumError
from podium.evaluation.arguments import check_whole
from podium.files import uninterrupted
from podium.systems.base import System, suggestion

BACKENDS = ("local", "dask", "ray")
Run = Callable[[Callable[..., Any], Iterable[tuple[Any, ...]]], Generator[Any, None, None]]
"""Calls a function with every tuple of arguments; the results, in any order."""

_AT_ONCE = 100
"""Calls that are waited for together where results do not come one by one."""
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}
"""What lets the C library keep memory for the next trial, which needs as much as the last.

To give it back and get it again took workers a fifth of their time.
"""
_PATIENCE = "10s"
"""How long a scheduler may take to answer."""


def check_workers(jobs: int | None, backend: str, scheduler: str | None) -> None:
    """Raise unless it is clear where the work should be done."""
    if backend not in BACKENDS:
        hint = suggestion(backend, BACKENDS)
        raise PodiumError(f"there is no backend {backend!r}{hint}; there are local, dask and ray.")
    if jobs is not None:
        check_whole("jobs", jobs, 1)
        if backend != "local":
            raise PodiumError(
                f"the number of jobs is for local processes; {backend} uses all of its cluster."
            )
    if backend == "dask" and not scheduler:
        raise PodiumError("dask needs the address of its scheduler, such as tcp://host:8786.")
    if backend == "ray" and scheduler:
        raise PodiumError("ray finds its cluster by the environment variable RAY_ADDRESS instead.")
    if backend == "local" and scheduler:
        raise PodiumError(f"a scheduler ({scheduler}) is for the backend dask.")


@contextmanager
def workers(
    data: Any, *, jobs: int | None = None, backend: str = "local", scheduler: str | None = None
) -> Iterator[Run]:
    """Workers that have the data already where it can be: it is the first argument of every call.

    Local processes are kept for the next time. If the block fails, they are ended.
    """
    with ExitStack() as stack:
        config = _local(jobs)
        if backend == "dask":
            client = stack.enter_context(_dask(scheduler))
            config = {"backend": "dask", "client": client, "scatter": [data]}
        elif backend == "ray":
            config = _ray()
        one_by_one = backend != "ray"
        kind = "generator_unordered" if one_by_one else "list"
        parallel = stack.enter_context(_parallel(config, kind))

        def run(
            function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]
        ) -> Generator[Any, None, None]:
            tasks = (joblib.delayed(function)(data, *call) for call in calls)
            return _started(parallel, tasks) if one_by_one else _in_parts(parallel, tasks)

        stack.enter_context(_surviving())
        yield run


@contextmanager
def warm(system: type[System], *, jobs: int | None, backend: str) -> Iterator[None]:
    """Let local processes start and get ready for a system while the block is run."""
    if backend != "local" or jobs == 1:
        yield
        return
    parallel = _parallel(_local(jobs), "generator_unordered")
    with _surviving():
        calls = (joblib.delayed(_prepare)(system) for _ in range(jobs or joblib.cpu_count()))
        prepared = _started(parallel, calls)
        with finishing(prepared):
            yield
            for _ in prepared:
                pass


@contextmanager
def finishing(results: Generator[Any, None, None]) -> Iterator[None]:
    """Let nobody work on for results that will not be waited for."""
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib says that some were not waited for
            results.close()


def _parallel(config: dict[str, Any], kind: str) -> Any:
    with joblib.parallel_config(**config):
        return joblib.Parallel(return_as=kind, batch_size=1)


def _local(jobs: int | None) -> dict[str, Any]:
    # Arrays that are shared must look writable, or kernels would be compiled anew for them.
    return {"backend": "loky", "n_jobs": jobs or -1, "mmap_mode": "c"}


def _started(parallel: Any, tasks: Iterator[Any]) -> Generator[Any, None, None]:
    """Results as they come. Processes that this starts do not hear of Ctrl-C, which we handle."""
    if os.name == "posix":
        resource_tracker.ensure_running()  # which would let them hear again
    with uninterrupted(), _environment(_KEEP_MEMORY):
        results: Generator[Any, None, None] = parallel(tasks)
    return results


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Let processes that are started have these variables, unless they are set already."""
    added = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _surviving() -> Iterator[None]:
    """Explain the end of a worker that nobody has asked for."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        raise PodiumError(
            "a worker process was ended from outside, perhaps for want of memory; "
            "fewer jobs need less."
        ) from None


def _prepare(system: type[System]) -> None:
    """Import what trials need, and load the kernels if they are compiled already."""
    from podium.evaluation.populations import simulate
    from podium.numerics.compiled import is_kept
    from podium.rating import rate

    if system.kernel is not None and is_kept(system.kernel.fold_contests):
        rate(simulate(players=2, rounds=1), system(), threads=1)


def _in_parts(parallel: Any, tasks: Iterator[Any]) -> Generator[Any, None, None]:
    while part := list(itertools.islice(tasks, _AT_ONCE)):
        yield from parallel(part)


@contextmanager
def _dask(scheduler: str | None) -> Iterator[Any]:
    """A client of the cluster, for as long as it is needed."""
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise PodiumError("dask is not installed: pip install 'podium[dask]'.") from None
    try:
        client = distributed.Client(scheduler, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise PodiumError(f"no dask scheduler answers at {scheduler} ({error}).") from None
    with client:
        if not client.ncores():
            raise PodiumError(f"the dask scheduler at {scheduler} has no workers.")
        yield client


def _ray() -> dict[str, Any]:
    """Make Ray known to joblib."""
    try:
        ray = import_module("ray.util.joblib")
    except ImportError:
        raise PodiumError("ray is not installed: pip install 'podium[ray]'.") from None
    ray.register_ray()
    return {"backend": "ray", "n_jobs": -1}
