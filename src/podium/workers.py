"""Work that several processes share: those of this machine, of a Dask cluster or of a Ray cluster.

    with workers(shared, jobs=4) as pool:
        for result in pool.map(function, items):
            ...

All of them run through joblib. What a function returns for an item must not depend on where it
runs; then only the time, and the order of the results, depends on the workers.
"""

import concurrent.futures
import itertools
import logging
import numbers
import os
import pickle
import threading
import uuid
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError, PodiumError, StorageError
from podium.files import uninterrupted
from podium.wording import suggestion

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

BACKENDS = ("local", "dask", "ray")
PATIENCE = 10
"""Seconds in which a scheduler must answer and have workers."""

_SMALL = 2**16
"""Bytes that are sent with every call; more are put where processes of this machine read them."""
_AT_ONCE = 100
"""Calls that are waited for together where results do not come one by one."""
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(2**25), "MALLOC_TRIM_THRESHOLD_": str(2**28)}
"""What lets the C library keep memory for the next item, which needs as much as the last.

To give it back and get it again took workers a fifth of their time.
"""


class Workers(Generic[Shared]):
    """Those who do the work: here, this process alone, when results are asked for."""

    processes = 0
    """How many others there are."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def map(
        self, function: Callable[[Item, Shared], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """``function(item, shared)`` for every item, as they are done; other processes begin now.

        There is one map after the other. The end of the pool gives up what is not done.

        Args:
            function: One that a module defines, so that processes find it.
            items: Taken one by one as there is work to give out.
        """
        return (function(item, self._shared) for item in items)

    @contextmanager
    def warm(self, function: Callable[[Item, Shared], object], item: Item) -> Iterator[None]:
        """Let other processes start and do this while the block is run, to be ready for more."""
        done = self.map(function, [item] * self.processes)
        yield
        for _ in done:
            pass


class _Others(Workers[Any]):
    """Other processes, which a `joblib.Parallel` knows."""

    def __init__(self, shared: "_Packed", parallel: Any, processes: int) -> None:
        super().__init__(shared)
        self.processes = processes
        self._parallel = parallel
        self._running: Generator[Any, None, None] | None = None

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        if self._running is not None:  # joblib would mix up its results with the new ones
            raise RuntimeError("the map before has failed, or not all of its results were taken")
        self._running = results = self._started(function, items)
        next(results)
        return results

    def stop(self) -> None:
        """Give up what is not done."""
        if self._running is not None:
            self._running.close()

    def _started(
        self, function: Callable[[Any, Any], Any], items: Iterable[Any]
    ) -> Generator[Any, None, None]:
        """Nothing, once the work is begun, and then the results."""
        import joblib  # type: ignore[import-untyped]

        call = joblib.delayed(_call)
        calls = (call(function, _packed(item), *self._shared) for item in items)
        with _explained(), _quiet(), ExitStack() as stack:
            with _starting_processes():
                one_by_one = self._parallel.return_generator
                results = self._parallel(calls) if one_by_one else self._in_parts(calls)
                stack.callback(_end, results)
            yield
            for result in results:  # noqa: UP028  # `yield from` would end them with warnings
                yield result
        self._running = None

    def _in_parts(self, calls: Iterator[Any]) -> Generator[Any, None, None]:
        while part := list(itertools.islice(calls, _AT_ONCE)):
            yield from self._parallel(part)


@contextmanager
def workers(
    shared: Shared, jobs: int | None = None, backend: str = "local", scheduler: str | None = None
) -> Iterator[Workers[Shared]]:
    """Processes to share work among, as long as the block lasts.

    Args:
        shared: What all items need; a process gets it once. It is not to be changed.
        jobs: How many processes to start; one for each core if None. With 1 and the local backend,
            all is done in this process. A cluster that is there has the workers that it has.
        backend: "local" for processes of this machine, "dask" or "ray".
        scheduler: The address of a cluster, e.g. "tcp://10.0.0.5:8786" for Dask; without one,
            Dask and Ray start workers on this machine.

    Example:
        >>> with workers(2, jobs=1) as pool:
        ...     list(pool.map(pow, [2, 3]))
        [4, 9]
    """
    check_workers(jobs, backend, scheduler)
    if backend == "local" and (jobs or usual_jobs()) == 1:
        yield Workers(shared)
        return
    packed = _Packed(uuid.uuid4().hex, _packed(shared))
    with (
        _OPENERS[backend](jobs, scheduler, packed) as (parallel, processes),
        parallel,
        ExitStack() as stack,
    ):
        pool = _Others(packed, parallel, processes)
        stack.callback(pool.stop)
        yield pool


def usual_jobs() -> int:
    """How many processes there are if nobody says: one for each core that a container may use."""
    import joblib

    return int(joblib.cpu_count())


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_workers(jobs: object, backend: object, scheduler: object) -> None:
    """Raise unless it is clear where the work is to be done."""
    whole = isinstance(jobs, numbers.Integral) and not isinstance(jobs, bool)
    if jobs is not None and not (whole and jobs >= 1):  # type: ignore[operator]
        raise InputError(f"jobs must be a whole number of at least 1, not {jobs!r}.")
    if backend not in BACKENDS:
        hint = suggestion(backend, BACKENDS)
        raise InputError(f"there is no backend {backend!r}{hint}; there are {', '.join(BACKENDS)}.")
    if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
        raise InputError(f"a scheduler is given by its address, not by {scheduler!r}.")
    if scheduler is not None and backend == "local":
        raise InputError(
            f"a scheduler, here {scheduler!r}, is for the backends dask and ray; say which, as in "
            f"backend='dask' or --backend dask."
        )
    if scheduler is not None and jobs is not None:
        raise InputError(
            f"jobs are for workers that podium starts; the cluster at {scheduler!r} has the "
            f"workers that it has."
        )


@contextmanager
def _explained() -> Iterator[None]:
    """Explain the end of a process that nobody has asked for."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool:
        raise StorageError(
            "a worker process was ended from outside, perhaps because memory ran out; "
            "with fewer jobs less is needed."
        ) from None


@contextmanager
def _starting_processes() -> Iterator[None]:
    """Let processes that the block starts keep memory, and not hear of Ctrl-C: we end them."""
    if os.name == "posix":
        from multiprocessing import resource_tracker

        resource_tracker.ensure_running()  # which would let them hear again
    added = {name: value for name, value in _KEEP_MEMORY.items() if name not in os.environ}
    os.environ.update(added)
    try:
        with uninterrupted():
            yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let joblib's thread say nothing if it misses work that has just been given up."""
    before = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
        missed = type(failed.thread).__name__ == "_ExecutorManagerThread"
        if not (missed and failed.exc_type is KeyError):
            before(failed)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


def _end(results: Generator[Any, None, None]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # joblib says that some were not waited for
        results.close()


_Opened = AbstractContextManager[tuple[Any, int]]
"""A `joblib.Parallel`, and how many processes it has to make ready."""


def _open_local(jobs: int | None, _scheduler: str | None, _shared: "_Packed") -> _Opened:
    count = jobs or usual_jobs()
    return nullcontext((_parallel(count, "loky"), count))


def _parallel(jobs: int, backend: Any) -> Any:
    import joblib

    return joblib.Parallel(
        jobs,
        backend=backend,
        return_as="generator_unordered",
        batch_size=1,
        max_nbytes=_SMALL,
    )


@contextmanager
def _open_dask(
    jobs: int | None, scheduler: str | None, shared: "_Packed"
) -> Iterator[tuple[Any, int]]:
    try:
        import distributed
    except ImportError:
        raise _missing("dask") from None
    try:
        if scheduler is not None:
            check_address(scheduler)
            client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        else:
            with _starting_processes():
                client = distributed.Client(  # type: ignore[no-untyped-call]
                    n_workers=jobs or usual_jobs(),
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                    set_as_default=False,
                )
    except (OSError, ValueError, TypeError):
        raise _unanswered("Dask", scheduler) from None
    with _without_logs("distributed.client"), client:
        _check_dask_workers(client, scheduler)
        backend = _dask_backend()(client=client, scatter=[shared.value])
        yield _parallel(-1, backend), backend.effective_n_jobs(-1)


def check_address(scheduler: str) -> None:
    """Raise a ValueError if this cannot be an address of Dask.

    A client of such an address would be left half made, and complain when Python ends.
    """
    from distributed.comm.addressing import get_address_host_port

    get_address_host_port(scheduler)


@contextmanager
def _without_logs(name: str) -> Iterator[None]:
    """Let what goes wrong be said in one sentence, not in pages of a log as well."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


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
    found = client.get_versions(packages=["podium"])["workers"]
    for worker, versions in found.items():
        version = versions["packages"].get("podium")
        if version != podium.__version__:
            has = f"podium {version}" if version else "no podium"
            raise StorageError(
                f"the Dask worker {worker} has {has}; podium {podium.__version__} is needed there."
            )


class _Lost(NamedTuple):
    why: BaseException


def _dask_backend() -> type[Any]:
    """The backend of joblib, which would wait forever for work that the cluster gave up or lost."""
    from joblib._dask import DaskDistributedBackend  # type: ignore[import-untyped]

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int) -> int:
            """At least 2: what is for one worker, joblib would do in this process."""
            try:
                return max(2, int(super().effective_n_jobs(n_jobs)))
            except OSError:
                raise _lost_cluster() from None

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(
                lambda done: done.exception() and callback(_Lost(done.exception()))
            )
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, concurrent.futures.CancelledError):
                if self.client.status != "running":
                    raise _lost_cluster()
                out = _Lost(out)  # those who had what is shared have died
            if isinstance(out, _Lost):
                raise StorageError(
                    f"the Dask cluster gave up a piece of the work ({type(out.why).__name__}); its "
                    f"workers may have run out of memory, and their logs say more."
                )
            return super().retrieve_result_callback(out)

    return Backend


def _lost_cluster() -> PodiumError:
    return StorageError("the Dask cluster was lost: its scheduler answers no more.")


@contextmanager
def _open_ray(
    jobs: int | None, scheduler: str | None, _shared: "_Packed"
) -> Iterator[tuple[Any, int]]:
    try:
        import ray  # type: ignore[import-not-found]
        from ray.util.joblib import register_ray  # type: ignore[import-not-found]
    except ImportError:
        raise _missing("ray") from None
    import joblib

    started = not ray.is_initialized()
    if started:
        where = (
            {"address": "local", "num_cpus": jobs} if scheduler is None else {"address": scheduler}
        )
        try:
            ray.init(**where, logging_level="ERROR", log_to_driver=False)
        except (OSError, ValueError):
            raise _unanswered("Ray", scheduler) from None
    register_ray()
    try:
        yield joblib.Parallel(jobs or -1, backend="ray", batch_size=1), 0
    finally:
        if started:
            ray.shutdown()


_OPENERS: dict[str, Callable[..., _Opened]] = {
    "local": _open_local,
    "dask": _open_dask,
    "ray": _open_ray,
}


def _missing(extra: str) -> PodiumError:
    return InputError(f"the backend {extra} is not installed; pip install 'podium[{extra}]'.")


def _unanswered(what: str, scheduler: str | None) -> PodiumError:
    if scheduler is None:
        return StorageError(f"{what} cannot start workers on this machine; its log may say why.")
    return StorageError(
        f"no {what} scheduler answers at {scheduler!r} within {PATIENCE} seconds; its address "
        f"is like 'tcp://10.0.0.5:8786'."
    )


class _Packed(NamedTuple):
    """What all items share."""

    key: str
    value: NDArray[np.uint8]


def _packed(value: Any) -> NDArray[np.uint8]:
    """The value as bytes in an array, which joblib and Dask give to a process once.

    An array inside the value would arrive read-only, which is another type to kernels.
    """
    import cloudpickle  # type: ignore[import-untyped]  # joblib brings it

    return np.frombuffer(cloudpickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL), np.uint8)


_latest: tuple[str, Any] = ("", None)
"""What is shared by the items that this process works on, under its key."""


def _call(
    function: Callable[[Any, Any], Any],
    item: NDArray[np.uint8],
    key: str,
    shared: NDArray[np.uint8],
) -> Any:
    global _latest
    latest = _latest
    if latest[0] != key:
        _latest = latest = (key, pickle.loads(shared.data))
    return function(pickle.loads(item.data), latest[1])
