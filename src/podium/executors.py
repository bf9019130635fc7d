"""Executors to share work with: processes of this machine, Dask's and Ray's, or anybody's."""

import functools
import logging
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from podium.errors import StorageError
from podium.extras import require
from podium.files import uninterrupted

PATIENCE = 10
"""Seconds in which a scheduler must answer and have workers."""

_IDLE = 300
"""Seconds after which processes of this machine that have no work end."""
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}
"""What lets the C library keep memory for the next item, which needs as much as the last.

To give it back and get it again took workers a fifth of their time.
"""


class Team(NamedTuple):
    """An executor, and how to deal with it."""

    executor: Executor
    processes: int
    """How many there are, 0 if that is not known."""
    send: Callable[[bytes], Any]
    """Put what all calls need where workers get it once; what stands for it in a call."""
    explain: Callable[[Exception], None]
    """Raise what says more than what the executor raised, if there is such a thing."""
    end: Callable[[], object] = lambda: None
    """End those who are at work."""


@contextmanager
def starting_processes() -> Iterator[None]:
    """Let processes that the block starts not hear of Ctrl-C: we end them.

    It waits until they are there: what is half started or half imported could not be ended.
    """
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # which would let them hear again
    with uninterrupted():
        yield


def of_others(stack: ExitStack, executor: Executor) -> Team:
    """An executor that is there already."""
    if isinstance(executor, ProcessPoolExecutor | ThreadPoolExecutor):
        return Team(executor, 0, functools.partial(_filed, stack), _explain)
    return Team(executor, 0, lambda data: data, _explain)


def local(stack: ExitStack, jobs: int, _scheduler: str | None) -> Team:
    """Processes of this machine, which stay for a while and may be used again."""
    require("joblib", "cloudpickle")
    from joblib.externals.loky import get_reusable_executor

    memory = {name: os.environ.get(name, value) for name, value in _KEEP_MEMORY.items()}
    executor = get_reusable_executor(jobs, timeout=_IDLE, env=memory)

    def end() -> None:
        before, there = threading.excepthook, list(executor._processes.values())
        threading.excepthook = lambda _: None  # its thread misses calls that it has just dropped
        executor.shutdown(kill_workers=True)
        threading.excepthook = before
        for process in there:  # whom that thread may not have come to
            process.terminate()
            process.join()

    return Team(executor, jobs, functools.partial(_filed, stack), _explain, end)


def _filed(stack: ExitStack, data: bytes) -> Path:
    """A file with this data, which the stack removes."""
    path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="podium-")), "shared")
    path.write_bytes(data)
    return path


def _explain(error: Exception) -> None:
    if isinstance(error, BrokenExecutor):
        raise StorageError(
            "a worker process was ended from outside, perhaps because memory ran out; "
            "with fewer jobs less is needed."
        ) from None


def dask(stack: ExitStack, jobs: int, scheduler: str | None) -> Team:
    """The workers of a cluster, or some that are started on this machine."""
    require("distributed", "cloudpickle")
    import dask.config
    import distributed
    from distributed.comm.addressing import get_address_host_port
    from distributed.utils import silence_logging_cmgr

    where: dict[str, Any] = {"address": scheduler, "timeout": PATIENCE}
    if scheduler is None:
        where = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
        where["silence_logs"] = logging.CRITICAL
    stack.enter_context(silence_logging_cmgr(logging.CRITICAL))
    memory = {f"distributed.nanny.pre-spawn-environ.{k}": v for k, v in _KEEP_MEMORY.items()}
    # A worker that dies as soon as it is there is never started again.
    hope = {"distributed.scheduler.no-workers-timeout": f"{6 * PATIENCE} seconds"}
    try:
        if scheduler is not None:
            get_address_host_port(scheduler)  # a client of nonsense would complain when Python ends
        with dask.config.set(memory | hope):
            client = distributed.Client(**where, set_as_default=False)
            stack.callback(client.close)
    except (OSError, ValueError, TypeError):
        raise _unanswered("Dask", scheduler) from None
    _check_dask_workers(client, scheduler)

    def explain(error: Exception) -> None:
        of_dask = type(error).__module__.startswith("distributed.")
        if of_dask or isinstance(error, CancelledError | OSError):
            if client.status == "running":
                raise _given_up("Dask", error) from None
            said = "the Dask cluster was lost: its scheduler answers no more."
            raise StorageError(said) from None

    def send(data: bytes) -> Any:
        return client.scatter([data], hash=False)[0]

    processes = sum(client.nthreads().values())
    return Team(client.get_executor(pure=False), processes, send, explain)


def _check_dask_workers(client: Any, scheduler: str | None) -> None:
    """Raise if there are no workers, or if they have another podium."""
    import podium

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        raise StorageError(
            f"the Dask scheduler at {scheduler!r} has no workers, not even after {PATIENCE} "
            f"seconds; dask worker {scheduler} starts one."
        ) from None
    needed = podium.__version__
    for worker, its in client.get_versions(packages=["podium"])["workers"].items():
        if (version := its["packages"].get("podium")) != needed:
            has = f"podium {version}" if version else "no podium"
            raise StorageError(
                f"the Dask worker {worker} has {has}; podium {needed} is needed there."
            )


class _RayExecutor(Executor):
    """Tasks of Ray as futures."""

    def __init__(self, ray: Any) -> None:
        self._cancel = ray.cancel
        self._remote = functools.cache(ray.remote)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        task = self._remote(function).remote(*arguments, **named)
        future = task.future()
        future.add_done_callback(lambda done: done.cancelled() and self._cancel(task))
        return future


def ray(stack: ExitStack, jobs: int, scheduler: str | None) -> Team:
    """Those of Ray, likewise."""
    require("ray", "cloudpickle")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if scheduler is None:  # listen on the loopback address only; read when Ray is imported
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    import ray

    if not ray.is_initialized():
        where: dict[str, Any] = {"address": scheduler}
        if scheduler is None:
            where = {"address": "local", "num_cpus": jobs, "include_dashboard": False}
        try:
            stack.callback(ray.shutdown)
            ray.init(**where, logging_level=logging.CRITICAL, log_to_driver=False)
        except (OSError, ValueError):
            raise _unanswered("Ray", scheduler) from None

    def explain(error: Exception) -> None:
        if isinstance(error, ray.exceptions.RayTaskError):
            raise error.cause from None
        if isinstance(error, ray.exceptions.RayError | OSError):
            raise _given_up("Ray", error) from None

    processes = int(ray.cluster_resources().get("CPU", 0))
    return Team(_RayExecutor(ray), processes, ray.put, explain)


def _given_up(what: str, error: Exception) -> StorageError:
    return StorageError(
        f"the {what} cluster gave up a piece of the work ({type(error).__name__}); its "
        f"workers may have run out of memory, and their logs say more."
    )


def _unanswered(what: str, scheduler: str | None) -> StorageError:
    if scheduler is None:
        return StorageError(f"{what} cannot start workers on this machine; its log may say why.")
    return StorageError(
        f"no {what} scheduler answers at {scheduler!r} within {PATIENCE} seconds; its address "
        f"is like 'tcp://10.0.0.5:8786'."
    )
