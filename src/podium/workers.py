"""Work that several processes share: those of this machine, of a Dask cluster or of a Ray cluster.

    with workers(jobs=4) as pool:
        for result in pool.map(function, items, shared):
            ...

All of them run through joblib. What a function returns for an item must not depend on where it
runs; then nothing but the time depends on the workers.
"""

import concurrent.futures
import difflib
import logging
import numbers
import os
import pickle
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from podium.errors import PodiumError
from podium.files import uninterrupted

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

BACKENDS = ("local", "dask", "ray")
PATIENCE = 10
"""Seconds in which a scheduler must answer and have workers."""


class Workers:
    """Processes to work in, or this one; `workers` makes them."""

    def __init__(self, parallel: Callable[[], Any] | None) -> None:
        """`parallel` makes a `joblib.Parallel`; None stands for this process."""
        self._parallel = parallel

    def map(
        self, function: Callable[[Item, Shared], Result], items: Iterable[Item], shared: Shared
    ) -> Iterator[Result]:
        """``function(item, shared)`` for every item, in their order.

        Args:
            function: One that a module defines, so that processes find it.
            items: Taken one by one as there is work to give out.
            shared: The same for all items; a process gets it once. It is not to be changed.
        """
        if self._parallel is None:
            return (function(item, shared) for item in items)
        return self._elsewhere(function, items, shared)

    def _elsewhere(
        self, function: Callable[[Item, Shared], Result], items: Iterable[Item], shared: Shared
    ) -> Iterator[Result]:
        import joblib  # type: ignore[import-untyped]
        from joblib.externals.loky.process_executor import (  # type: ignore[import-untyped]
            TerminatedWorkerError,
        )

        assert self._parallel is not None
        call, key, packed = joblib.delayed(_call), uuid.uuid4().hex, _packed(shared)
        try:
            yield from self._parallel()(call(function, _packed(i), key, packed) for i in items)
        except TerminatedWorkerError:
            raise PodiumError(
                "a worker process was ended from outside, perhaps because memory ran out; "
                "with fewer jobs less is needed."
            ) from None


@contextmanager
def workers(
    jobs: int | None = None, backend: str = "local", scheduler: str | None = None
) -> Iterator[Workers]:
    """Processes to share work among, as long as the block lasts.

    Args:
        jobs: How many; one for each core if None. With 1 and the local backend, all is done in
            this process. A scheduler of Dask has the workers that it has.
        backend: "local" for processes of this machine, "dask" or "ray".
        scheduler: The address of a cluster, e.g. "tcp://10.0.0.5:8786" for Dask; without one,
            Dask and Ray start workers on this machine.

    Example:
        >>> with workers(jobs=1) as pool:
        ...     list(pool.map(pow, [2, 3], 2))
        [4, 9]
    """
    _check(jobs, backend, scheduler)
    if backend == "local" and (jobs or cores()) == 1:
        yield Workers(None)
        return
    with _OPENERS[backend](jobs, scheduler) as parallel:
        yield Workers(parallel)


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check(jobs: object, backend: object, scheduler: object) -> None:
    whole = isinstance(jobs, numbers.Integral) and not isinstance(jobs, bool)
    if jobs is not None and not (whole and jobs >= 1):  # type: ignore[operator]
        raise PodiumError(f"jobs must be a whole number of at least 1, not {jobs!r}.")
    if backend not in BACKENDS:
        near = difflib.get_close_matches(str(backend).lower(), BACKENDS, n=1)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise PodiumError(
            f"there is no backend {backend!r}{hint}; there are {', '.join(BACKENDS)}."
        )
    if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
        raise PodiumError(f"a scheduler is given by its address, not by {scheduler!r}.")
    if scheduler is not None and backend == "local":
        raise PodiumError(
            f"a scheduler, here {scheduler!r}, is for the backends dask and ray; say which, as in "
            f"backend='dask' or --backend dask."
        )
    if scheduler is not None and backend == "dask" and jobs is not None:
        raise PodiumError(
            "jobs are for workers of this machine; a scheduler of Dask has the workers that it has."
        )


def _open_local(
    jobs: int | None, _scheduler: str | None
) -> AbstractContextManager[Callable[[], Any]]:
    import joblib

    return nullcontext(
        lambda: joblib.Parallel(jobs or cores(), backend="loky", return_as="generator")
    )


@contextmanager
def _open_dask(jobs: int | None, scheduler: str | None) -> Iterator[Callable[[], Any]]:
    try:
        import distributed
    except ImportError:
        raise _missing("dask") from None
    import joblib

    try:
        if scheduler is not None:
            client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        else:
            with uninterrupted():
                client = distributed.Client(  # type: ignore[no-untyped-call]
                    n_workers=jobs or cores(),
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.CRITICAL,
                    set_as_default=False,
                )
    except (OSError, ValueError, TypeError):
        raise _unanswered("Dask", scheduler) from None
    with _without_logs("distributed.client"), client:
        _check_dask_workers(client, scheduler)
        yield lambda: joblib.Parallel(
            -1, backend=_dask_backend()(client=client), return_as="generator"
        )


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
        raise PodiumError(
            f"the Dask scheduler at {scheduler!r} has no workers, not even after {PATIENCE} "
            f"seconds; dask worker {scheduler} starts one."
        ) from None
    found = client.get_versions(packages=["podium"])["workers"]
    for worker, versions in found.items():
        version = versions["packages"].get("podium")
        if version != podium.__version__:
            has = f"podium {version}" if version else "no podium"
            raise PodiumError(
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
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(
                lambda done: done.exception() and callback(_Lost(done.exception()))
            )
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, _Lost):
                raise PodiumError(
                    f"the Dask cluster gave up a piece of the work ({type(out.why).__name__}); its "
                    f"workers may have run out of memory, and their logs say more."
                )
            if isinstance(out, concurrent.futures.CancelledError):
                raise PodiumError("the Dask cluster was lost: its scheduler answers no more.")
            return super().retrieve_result_callback(out)

    return Backend


@contextmanager
def _open_ray(jobs: int | None, scheduler: str | None) -> Iterator[Callable[[], Any]]:
    try:
        import ray  # type: ignore[import-not-found]
        from ray.util.joblib import register_ray  # type: ignore[import-not-found]
    except ImportError:
        raise _missing("ray") from None
    import joblib

    started = not ray.is_initialized()
    if started:
        try:
            ray.init(address=scheduler, logging_level="ERROR", log_to_driver=False)
        except (OSError, ValueError):
            raise _unanswered("Ray", scheduler) from None
    register_ray()
    try:
        yield lambda: joblib.Parallel(jobs or -1, backend="ray")
    finally:
        if started:
            ray.shutdown()


_OPENERS: dict[str, Callable[..., AbstractContextManager[Callable[[], Any]]]] = {
    "local": _open_local,
    "dask": _open_dask,
    "ray": _open_ray,
}


def _missing(extra: str) -> PodiumError:
    return PodiumError(f"the backend {extra} is not installed; pip install 'podium[{extra}]'.")


def _unanswered(what: str, scheduler: str | None) -> PodiumError:
    if scheduler is None:
        return PodiumError(f"{what} cannot start workers on this machine; its log may say why.")
    return PodiumError(
        f"no {what} scheduler answers at {scheduler!r} within {PATIENCE} seconds; its address "
        f"is like 'tcp://10.0.0.5:8786'."
    )


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
