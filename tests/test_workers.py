"""Work that processes share gives what one process gives, and what goes wrong is one sentence."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
import pytest

from podium import PodiumError, StorageError, executors
from podium.extras import is_installed
from podium.workers import Workers, workers


def scaled(item: int, shared: np.ndarray) -> tuple[int, int, bool]:
    return item * int(shared.sum()), os.getpid(), shared.flags.writeable


def grown(item: np.ndarray, _shared: object) -> np.ndarray:
    """Writes to what it was given, as kernels may."""
    item += 1.0
    return item


def refusing(item: int, _shared: object) -> int:
    if item == 2:
        raise PodiumError("two is refused.")
    return item


def dying(item: int, _shared: object) -> int:
    if item == 2:
        os._exit(1)
    return item


def killed(item: int, _shared: object) -> None:
    os.kill(os.getpid(), item)


def marked(item: Path, _shared: object) -> Path:
    item.touch()
    return item


def slow(item: float, _shared: object) -> float:
    time.sleep(item)
    return item


def environment(item: str, _shared: object) -> str | None:
    return os.environ.get(item)


def blocked_signals(_item: None, _shared: object) -> set[int]:
    return signal.pthread_sigmask(signal.SIG_BLOCK, ())


class Sent:
    """Counts how often it was packed here, and knows how often a process has unpacked it."""

    packed = 0
    unpacked = 0

    def __init__(self, size: int) -> None:
        self.size = size

    def __reduce__(self):
        Sent.packed += 1
        return _received, (b"7" * self.size,)


def _received(data: bytes) -> Sent:
    Sent.unpacked += 1
    return Sent(len(data))


def times_received(_item: int, shared: Sent) -> tuple[int, int]:
    return os.getpid(), shared.unpacked


def sentence(jobs=None, backend="local", scheduler=None, executor=None) -> str:
    where = (jobs, backend, scheduler, executor)
    with pytest.raises(PodiumError) as refused, workers(None, *where):
        pass
    return str(refused.value)


def needs(backend: str) -> None:
    """Skip if it is not installed; it is not imported, because podium has to say how."""
    if not is_installed({"dask": "distributed", "ray": "ray"}[backend]):
        pytest.skip(f"needs podium[{backend}]")


SHARED = np.ones(300_000)


def assert_works(pool: Workers, elsewhere: bool = True) -> None:
    """Of a pool that shares `SHARED`."""
    found = list(pool.map(scaled, range(5)))
    assert sorted(result for result, _, _ in found) == [0, 300_000, 600_000, 900_000, 1_200_000]
    assert all(writable for _, _, writable in found)
    if elsewhere:
        assert os.getpid() not in {process for _, process, _ in found}
    assert list(pool.map(scaled, [])) == []
    large = [np.zeros(200_000), np.ones(200_000)]
    assert sorted(float(each[0]) for each in pool.map(grown, large)) == [1.0, 2.0]
    with pytest.raises(PodiumError, match=r"^two is refused\.$"):
        list(pool.map(refusing, range(5)))


def test_one_job_is_done_in_this_process():
    with workers(np.ones(1), jobs=1) as pool:
        assert {process for _, process, _ in pool.map(scaled, [1, 2])} == {os.getpid()}


def test_in_this_process_items_are_taken_one_by_one():
    taken = []
    items = (taken.append(item) or item for item in range(5))
    with workers(None, jobs=1) as pool:
        next(pool.map(refusing, items))
    assert taken == [0]


def test_processes_of_this_machine_share_the_work():
    with workers(SHARED, jobs=2) as pool:
        assert_works(pool)


def test_work_begins_before_results_are_asked_for(tmp_path):
    with workers(None, jobs=2) as pool:
        marks = pool.map(marked, [tmp_path / "a", tmp_path / "b"])
        deadline = time.monotonic() + 60.0
        while len(list(tmp_path.iterdir())) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert sorted(marks) == [tmp_path / "a", tmp_path / "b"]


def test_results_do_not_wait_for_those_before():
    with workers(None, jobs=2) as pool:
        assert list(pool.map(slow, [1.0, 0.0])) == [0.0, 1.0]


@pytest.mark.parametrize(
    "where",
    [
        {"jobs": 2},
        pytest.param({"jobs": 2, "backend": "dask"}, marks=pytest.mark.slow),
        pytest.param({"jobs": 2, "backend": "ray"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [0, 100_000])
def test_what_is_shared_is_sent_once_for_all_maps(where, size):
    if "backend" in where:
        needs(where["backend"])
    before = Sent.packed
    with workers(Sent(size), **where) as pool:
        found = [each for _ in range(3) for each in pool.map(times_received, range(6))]
    assert Sent.packed == before + 1
    for process in {process for process, _ in found}:
        assert len({count for each, count in found if each == process}) == 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("items", [[0.0, *[60.0] * 9], [60.0] * 9])
def test_what_is_not_done_is_given_up_without_a_word(items, capfd):
    with workers(None, jobs=2) as pool:
        results = pool.map(slow, items)
        if items[0] == 0.0:
            assert next(results) == 0.0
        with pytest.raises(RuntimeError, match="not all of its results were taken"):
            pool.map(slow, [0.0])
    assert list(results) == []
    with workers(None, jobs=2) as pool:
        assert list(pool.map(slow, [0.0, 0.0])) == [0.0, 0.0]
    assert capfd.readouterr() == ("", "")


def test_processes_are_made_ready_while_something_else_is_done(tmp_path):
    with workers(None, jobs=2) as pool:
        assert pool.processes == 2
        with pool.warm(marked, tmp_path / "ready"):
            pass
        assert (tmp_path / "ready").exists()
        assert list(pool.map(refusing, [1])) == [1]
    with workers(None, jobs=1) as pool, pool.warm(killed, signal.SIGTERM):
        assert pool.processes == 0


def test_nobody_goes_on_with_getting_ready_for_what_has_failed():
    with (
        pytest.raises(ZeroDivisionError),
        workers(None, jobs=2) as pool,
        pool.warm(slow, 60.0),
    ):
        raise ZeroDivisionError


def test_processes_keep_their_memory_and_this_one_its_environment(monkeypatch):
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True, kill_workers=True)
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "7")
    before = dict(os.environ)
    with workers(None, jobs=2) as pool:
        names = ["MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"]
        assert set(pool.map(environment, names)) == {"33554432", "7"}
    assert dict(os.environ) == before


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs masks of signals")
@pytest.mark.parametrize(
    "where", [{"jobs": 2}, pytest.param({"jobs": 1, "backend": "dask"}, marks=pytest.mark.slow)]
)
def test_processes_do_not_hear_of_interrupts(where):
    if "backend" in where:
        needs("dask")
    with workers(None, **where) as pool:
        assert [set(found) for found in pool.map(blocked_signals, [None])] == [{signal.SIGINT}]


@pytest.mark.parametrize("end", [dying, killed])
def test_a_process_that_dies_is_one_sentence(end):
    with workers(None, jobs=2) as pool, pytest.raises(PodiumError) as lost:
        list(pool.map(end, [2, 9, 9, 9, 9]))
    assert str(lost.value).startswith("a worker process was ended from outside, perhaps because ")
    with workers(None, jobs=2) as pool:
        assert sorted(pool.map(refusing, [0, 1])) == [0, 1]


@pytest.mark.slow
def test_a_dask_cluster_shares_the_work(dask_scheduler):
    with workers(SHARED, backend="dask", scheduler=dask_scheduler) as pool:
        assert_works(pool)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_dask_and_ray_start_workers_of_their_own_on_this_machine(backend, capfd):
    needs(backend)
    with workers(SHARED, jobs=1, backend=backend) as pool:
        assert_works(pool)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_ray_listens_on_the_loopback_address_only():
    needs("ray")
    with workers(None, jobs=1, backend="ray"):
        import ray

        assert [node["NodeManagerAddress"] for node in ray.nodes()] == ["127.0.0.1"]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["dask", "ray"])
def test_work_that_a_cluster_gives_up_is_one_sentence(backend, monkeypatch):
    needs(backend)
    monkeypatch.setattr(executors, "PATIENCE", 3)  # a worker may die too early to be replaced
    with workers(None, jobs=1, backend=backend) as pool, pytest.raises(StorageError) as lost:
        list(pool.map(dying, range(5)))
    said = str(lost.value)
    assert said.startswith(f"the {backend.title()} cluster gave up a piece of the work (")
    assert said.endswith("); its workers may have run out of memory, and their logs say more.")


@pytest.mark.slow
@pytest.mark.parametrize("busy", [True, False])
def test_a_dask_cluster_that_is_lost_is_one_sentence(busy):
    pytest.importorskip("distributed", reason="needs podium[dask]")
    cluster = subprocess.Popen(
        [sys.executable, "-c", _CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    address = cluster.stdout.readline().strip()
    try:
        with workers(None, backend="dask", scheduler=address) as pool:
            results = pool.map(refusing, (item % 2 for item in range(10_000 if busy else 1)))
            assert next(results) in (0, 1)
            if not busy:
                assert list(results) == []
            cluster.kill()
            cluster.wait()
            with pytest.raises(PodiumError) as lost:
                list(results if busy else pool.map(refusing, [0]))
    finally:
        cluster.kill()
        cluster.communicate()
    assert str(lost.value) == "the Dask cluster was lost: its scheduler answers no more."


_CLUSTER = """
from distributed import LocalCluster
with LocalCluster(
    n_workers=1, processes=False, protocol="tcp://", dashboard_address="127.0.0.1:0"
) as cluster:
    print(cluster.scheduler_address, flush=True)
    input()
"""


@pytest.mark.slow
def test_a_dask_scheduler_without_workers_is_refused(monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs podium[dask]")
    monkeypatch.setattr(executors, "PATIENCE", 1)
    with distributed.LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster:
        address = cluster.scheduler_address
        assert sentence(backend="dask", scheduler=address) == (
            f"the Dask scheduler at {address!r} has no workers, not even after 1 seconds; "
            f"dask worker {address} starts one."
        )


@pytest.mark.slow
def test_dask_workers_with_another_podium_are_refused(dask_scheduler, monkeypatch):
    monkeypatch.setattr("podium.__version__", "0.0.7")
    said = sentence(backend="dask", scheduler=dask_scheduler)
    assert said.startswith("the Dask worker tcp://127.0.0.1:")
    assert said.endswith("; podium 0.0.7 is needed there.")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "nonsense", "smoke://a:1"])
def test_a_dask_scheduler_that_does_not_answer_is_refused(address, monkeypatch):
    pytest.importorskip("distributed", reason="needs podium[dask]")
    monkeypatch.setattr(executors, "PATIENCE", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = address.format(port=silent.getsockname()[1])
        assert sentence(backend="dask", scheduler=address) == (
            f"no Dask scheduler answers at {address!r} within 1 seconds; its address is like "
            f"'tcp://10.0.0.5:8786'."
        )


@pytest.mark.parametrize("address", ["nonsense", "tcp://a", "smoke://a:1"])
def test_what_cannot_be_an_address_of_dask_never_becomes_a_client(address, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="needs podium[dask]")
    monkeypatch.setattr(distributed, "Client", lambda *_, **__: pytest.fail("a client was made"))
    assert sentence(backend="dask", scheduler=address).startswith("no Dask scheduler answers at ")


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_backend_that_is_not_installed_says_how_to_install_it(backend, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert sentence(backend=backend) == (
        f"the backend {backend} needs {package}; pip install 'podium[{backend}]' brings it."
    )


class RayTaskError(Exception):
    def __init__(self, cause: Exception) -> None:
        super().__init__("pages of a traceback")
        self.cause = cause


class Task(NamedTuple):
    """A task of Ray, or what was put into its store."""

    future: Callable[[], Any]


@pytest.fixture
def ray(monkeypatch) -> Iterator[types.ModuleType]:
    """A Ray that works in threads of this process, for those who have not installed it."""
    threads = ThreadPoolExecutor(2)

    def started(function, *arguments):
        try:
            return function(*(a.future() if isinstance(a, Task) else a for a in arguments))
        except Exception as error:
            raise RayTaskError(error) from None

    def remote(function):
        def submit(*arguments):
            future = threads.submit(started, function, *arguments)
            return Task(lambda: future)

        return types.SimpleNamespace(remote=submit)

    ray = types.ModuleType("ray")
    ray.__spec__ = ModuleSpec("ray", None)
    ray.calls = []
    ray.is_initialized = lambda: False
    ray.init = lambda *, logging_level, log_to_driver, **where: ray.calls.append(where)  # noqa: ARG005
    ray.shutdown = lambda: ray.calls.append("left")
    ray.remote, ray.put, ray.cancel = remote, lambda data: Task(lambda: data), lambda _: None
    ray.cluster_resources = lambda: {"CPU": 2.0}
    ray.exceptions = types.SimpleNamespace(RayTaskError=RayTaskError, RayError=ConnectionError)
    monkeypatch.setitem(sys.modules, "ray", ray)
    yield ray
    threads.shutdown()


@pytest.mark.parametrize(
    ("where", "connected"),
    [
        ({"jobs": 2}, {"address": "local", "num_cpus": 2, "include_dashboard": False}),
        ({"scheduler": "ray://127.0.0.1:10001"}, {"address": "ray://127.0.0.1:10001"}),
    ],
)
def test_ray_is_connected_to_and_left(ray, where, connected):
    with workers(SHARED, backend="ray", **where) as pool:
        assert_works(pool, elsewhere=False)
    assert ray.calls == [connected, "left"]


def test_ray_that_is_there_already_is_used_and_stays(ray):
    ray.is_initialized = lambda: True
    with workers(1, jobs=2, backend="ray") as pool:
        assert pool.processes == 2
        with pool.warm(refusing, 1):
            pass
        assert sorted(pool.map(pow, range(250))) == list(range(250))
    assert ray.calls == []


def test_a_ray_cluster_that_does_not_answer_is_refused(ray):
    def fail(address, **_):
        raise ConnectionError(address)

    ray.init = fail
    assert sentence(backend="ray", scheduler="ray://127.0.0.1:1").startswith(
        "no Ray scheduler answers at 'ray://127.0.0.1:1' within "
    )


@contextmanager
def spawned() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.mark.parametrize("opened", [lambda: ThreadPoolExecutor(2), spawned], ids=["threads", ""])
def test_any_executor_shares_the_work_and_stays(opened):
    with opened() as executor:
        with workers(SHARED, executor=executor) as pool:
            assert pool.processes == 0
            assert_works(pool, elsewhere=not isinstance(executor, ThreadPoolExecutor))
        assert executor.submit(abs, -7).result() == 7


@pytest.mark.slow
def test_dasks_executor_shares_the_work(dask_scheduler):
    distributed = pytest.importorskip("distributed", reason="needs podium[dask]")
    with distributed.Client(dask_scheduler, set_as_default=False) as client:
        executor = client.get_executor(pure=False)
        with workers(SHARED, executor=executor) as pool:
            assert_works(pool)


def test_a_process_of_an_executor_that_dies_is_one_sentence():
    with (
        spawned() as executor,
        workers(None, executor=executor) as pool,
        pytest.raises(StorageError, match=r"^a worker process was ended from outside"),
    ):
        list(pool.map(dying, [2]))


def test_an_executor_does_not_begin_what_is_given_up():
    begun, go_on = [], threading.Event()

    def waiting(item, _shared):
        begun.append(item)
        go_on.wait(60.0)

    with ThreadPoolExecutor(1) as executor:
        with workers(None, executor=executor) as pool:
            pool.map(waiting, range(9))
        go_on.set()
    assert begun in ([], [0])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"jobs": 0}, "jobs must be a whole number of at least 1, not 0."),
        ({"jobs": -1}, "jobs must be a whole number of at least 1, not -1."),
        ({"jobs": 1.5}, "jobs must be a whole number of at least 1, not 1.5."),
        ({"jobs": True}, "jobs must be a whole number of at least 1, not True."),
        ({"backend": "dsak"}, "there is no backend 'dsak' (did you mean 'dask'?); there are "),
        ({"backend": "Dsk"}, "there is no backend 'Dsk' (did you mean 'dask'?); there are "),
        ({"backend": None}, "there is no backend None; there are local, dask, ray."),
        ({"scheduler": "tcp://a:1"}, "a scheduler, here 'tcp://a:1', is for the backends dask and"),
        ({"backend": "dask", "scheduler": " "}, "a scheduler is given by its address, not by ' '."),
        ({"backend": "dask", "scheduler": 7}, "a scheduler is given by its address, not by 7."),
        (
            {"backend": "dask", "scheduler": "tcp://a:1", "jobs": 2},
            "jobs are for workers that podium starts; the cluster at 'tcp://a:1' has the workers",
        ),
        ({"executor": 7}, "an executor is a concurrent.futures.Executor, not int."),
        (
            {"executor": ThreadPoolExecutor(1), "jobs": 2},
            "an executor has the workers that it has; leave out jobs and backend.",
        ),
        (
            {"executor": ThreadPoolExecutor(1), "backend": "dask"},
            "an executor has the workers that it has; leave out jobs and backend.",
        ),
        (
            {"backend": "ray", "scheduler": "ray://a:1", "jobs": 2},
            "jobs are for workers that podium starts; the cluster at 'ray://a:1' has the workers",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments, said):
    assert sentence(**arguments).startswith(said)
