"""Work that several processes share: those of this machine, of a Dask cluster or of a Ray cluster.

    with workers(shared, jobs=4) as pool:
        for result in pool.map(function, items):
            ...

Each of them is a `concurrent.futures.Executor`, and any other will do. What a function returns for
an item must not depend on where it runs; then only the time, and the order of the results, depends
on the workers.
"""

import itertools
import numbers
import os
import pickle
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from podium import executors
from podium.errors import InputError
from podium.extras import is_installed
from podium.files import uninterrupted
from podium.wording import suggestion

Item = TypeVar("Item")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

BACKENDS = {"local": executors.local, "dask": executors.dask, "ray": executors.ray}

_SMALL = 2**16
"""Bytes that are sent with every call; more are put where workers get them once."""
_AHEAD = 100
"""Calls that wait for workers while something else is done here."""


class Workers(Generic[Shared]):
    """Those who do the work: here, this process alone, when results are asked for."""

    processes = 0
    """How many others there are to make ready."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def map(
        self, function: Callable[[Item, Shared], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """``function(item, shared)`` for every item, as they are done; other processes begin now.

        There is one map after the other. The end of the pool gives up what is not done.

        Args:
            function: One that a module defines, so that processes find it.
            items: Taken as there is work to give out.
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
    """Other processes."""

    def __init__(self, shared: Any, team: executors.Team) -> None:
        data = packed(shared)
        super().__init__((uuid.uuid4().hex, team.send(data) if len(data) > _SMALL else data))
        self.processes = team.processes
        self._team = team
        self._calls: set[Future[Any]] = set()
        self._results: Generator[Any, None, None] | None = None

    def map(self, function: Callable[[Any, Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        if self._results is not None:
            raise RuntimeError("the map before has failed, or not all of its results were taken")
        self._results = results = self._begun(function, iter(items))
        next(results)
        return results

    def stop(self) -> None:
        """Give up what is not done."""
        if self._results is not None:
            self._results.close()
        if self._calls:
            self._team.end()
        for future in self._calls:
            future.cancel()

    def _begun(
        self, function: Callable[[Any, Any], Any], items: Iterator[Any]
    ) -> Generator[Any, None, None]:
        """Nothing, once the work is begun, and then the results."""
        try:
            self._submit(function, itertools.islice(items, max(_AHEAD, 2 * self.processes)))
            yield
            while self._calls:
                for future in wait(self._calls, return_when=FIRST_COMPLETED).done:
                    self._calls.remove(future)
                    result = future.result()
                    self._submit(function, itertools.islice(items, 1))
                    yield result
        except Exception as error:
            self._team.explain(error)
            raise
        self._results = None

    def _submit(self, function: Callable[[Any, Any], Any], items: Iterable[Any]) -> None:
        for item in items:
            with executors.starting_processes():
                call = (_call, function, packed(item), *self._shared)
                self._calls.add(self._team.executor.submit(*call))


@contextmanager
def workers(
    shared: Shared,
    jobs: int | None = None,
    backend: str = "local",
    scheduler: str | None = None,
    executor: Executor | None = None,
) -> Iterator[Workers[Shared]]:
    """Processes to share work among, as long as the block lasts.

    Args:
        shared: What all items need; a process gets it once. It is not to be changed.
        jobs: How many processes to start; one for each core if None. With 1 and the local backend,
            all is done in this process. A cluster that is there has the workers that it has.
        backend: "local" for processes of this machine, "dask" or "ray".
        scheduler: The address of a cluster, e.g. "tcp://10.0.0.5:8786" for Dask; without one,
            Dask and Ray start workers on this machine.
        executor: Instead of all these, one that is there, and stays.

    Example:
        >>> with workers(2, jobs=1) as pool:
        ...     list(pool.map(pow, [2, 3]))
        [4, 9]
    """
    check_workers(jobs, backend, scheduler, executor)
    count = usual_jobs() if jobs is None else jobs
    if executor is None and backend == "local" and count == 1:
        yield Workers(shared)
        return
    stack = ExitStack()
    try:
        with executors.starting_processes():
            if executor is not None:
                team = executors.of_others(stack, executor)
            else:
                team = BACKENDS[backend](stack, count, scheduler)
            pool = _Others(shared, team)
            stack.callback(pool.stop)
        yield pool
    finally:
        with uninterrupted():
            stack.close()


def usual_jobs() -> int:
    """How many processes there are if nobody says: one for each core that a container may use."""
    if not is_installed("joblib"):
        return 1
    import joblib

    return int(joblib.cpu_count())


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_workers(jobs: Any, backend: object, scheduler: object, executor: object = None) -> None:
    """Raise unless it is clear where the work is to be done."""
    whole = isinstance(jobs, numbers.Integral) and not isinstance(jobs, bool)
    if jobs is not None and not (whole and jobs >= 1):
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
    if not isinstance(executor, Executor | None):
        kind = type(executor).__name__
        raise InputError(f"an executor is a concurrent.futures.Executor, not {kind}.")
    if executor is not None and (jobs, backend) != (None, "local"):
        raise InputError("an executor has the workers that it has; leave out jobs and backend.")


def packed(value: Any) -> bytes:
    """The value as bytes: an array that Dask sends arrives read-only, another type to kernels.

    With cloudpickle, functions in it may be of a script or a notebook.
    """
    if not is_installed("cloudpickle"):
        return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    import cloudpickle

    data: bytes = cloudpickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return data


_latest: tuple[str, Any] = ("", None)
"""What is shared by the items that this process works on, under its key."""


def _call(function: Callable[[Any, Any], Any], item: bytes, key: str, shared: bytes | Path) -> Any:
    global _latest
    latest = _latest
    if latest[0] != key:
        data = shared.read_bytes() if isinstance(shared, Path) else shared
        _latest = latest = (key, pickle.loads(data))
    return function(pickle.loads(item), latest[1])
