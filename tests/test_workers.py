"""Work that processes share gives what one process gives, and what goes wrong is one sentence."""

import os
import socket
import subprocess
import sys
import types

import numpy as np
import pytest

from podium import PodiumError
from podium import workers as module
from podium.workers import Workers, workers


def scaled(item: int, shared: np.ndarray) -> tuple[int, int, bool]:
    return item * int(shared.sum()), os.getpid(), shared.flags.writeable


def grown(item: np.ndarray, _shared: None) -> np.ndarray:
    """Writes to what it was given, as kernels may."""
    item += 1.0
    return item


def refusing(item: int, _shared: None) -> int:
    if item == 2:
        raise PodiumError("two is refused.")
    return item


def dying(item: int, _shared: None) -> int:
    if item == 2:
        os._exit(1)
    return item


def sentence(jobs=None, backend="local", scheduler=None) -> str:
    with pytest.raises(PodiumError) as refused, workers(jobs, backend, scheduler):
        pass
    return str(refused.value)


def assert_works(pool: Workers, processes: int | None) -> None:
    shared = np.ones(300_000)
    found = list(pool.map(scaled, range(5), shared))
    assert [result for result, _, _ in found] == [0, 300_000, 600_000, 900_000, 1_200_000]
    assert all(writable for _, _, writable in found)
    if processes is not None:
        assert os.getpid() not in {process for _, process, _ in found}
    assert list(pool.map(scaled, [], shared)) == []
    large = [np.zeros(200_000), np.ones(200_000)]
    assert [float(grown[0]) for grown in pool.map(grown, large, None)] == [1.0, 2.0]
    with pytest.raises(PodiumError, match=r"^two is refused\.$"):
        list(pool.map(refusing, range(5), None))


def test_one_job_is_done_in_this_process():
    with workers(jobs=1) as pool:
        assert {process for _, process, _ in pool.map(scaled, [1, 2], np.ones(1))} == {os.getpid()}


def test_in_this_process_items_are_taken_one_by_one():
    taken = []
    items = (taken.append(item) or item for item in range(5))
    with workers(jobs=1) as pool:
        next(pool.map(refusing, items, None))
    assert taken == [0]


def test_processes_of_this_machine_share_the_work():
    with workers(jobs=2) as pool:
        assert_works(pool, processes=2)


def test_a_process_that_dies_is_one_sentence():
    with workers(jobs=2) as pool, pytest.raises(PodiumError) as lost:
        list(pool.map(dying, range(5), None))
    assert str(lost.value).startswith("a worker process was ended from outside, perhaps because ")
    with workers(jobs=2) as pool:
        assert list(pool.map(refusing, [0, 1], None)) == [0, 1]


@pytest.mark.slow
def test_a_dask_cluster_shares_the_work(dask_scheduler):
    with workers(backend="dask", scheduler=dask_scheduler) as pool:
        assert_works(pool, processes=2)


@pytest.mark.slow
def test_dask_starts_workers_of_its_own_on_this_machine():
    with workers(jobs=1, backend="dask") as pool:
        assert_works(pool, processes=1)


@pytest.mark.slow
def test_work_that_dask_gives_up_is_one_sentence():
    with workers(jobs=1, backend="dask") as pool, pytest.raises(PodiumError) as lost:
        list(pool.map(dying, range(5), None))
    assert str(lost.value) == (
        "the Dask cluster gave up a piece of the work (KilledWorker); its workers may have run out "
        "of memory, and their logs say more."
    )


@pytest.mark.slow
def test_a_dask_cluster_that_is_lost_is_one_sentence():
    pytest.importorskip("distributed", reason="needs podium[dask]")
    cluster = subprocess.Popen(
        [sys.executable, "-c", _CLUSTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    address = cluster.stdout.readline().strip()
    try:
        with workers(backend="dask", scheduler=address) as pool:
            results = pool.map(refusing, (item % 2 for item in range(10_000)), None)
            assert next(results) == 0
            cluster.kill()
            with pytest.raises(PodiumError) as lost:
                list(results)
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
    monkeypatch.setattr(module, "PATIENCE", 1)
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
    monkeypatch.setattr(module, "PATIENCE", 1)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = address.format(port=silent.getsockname()[1])
        assert sentence(backend="dask", scheduler=address) == (
            f"no Dask scheduler answers at {address!r} within 1 seconds; its address is like "
            f"'tcp://10.0.0.5:8786'."
        )


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_backend_that_is_not_installed_says_how_to_install_it(backend, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert sentence(backend=backend) == (
        f"the backend {backend} is not installed; pip install 'podium[{backend}]'."
    )


def test_ray_is_connected_to_and_left(monkeypatch):
    """With a Ray that works in threads, because its cluster is not for tests."""
    calls: list[object] = []

    def register_ray() -> None:
        from joblib import register_parallel_backend
        from joblib.parallel import ThreadingBackend

        class InThreads(ThreadingBackend):
            supports_return_generator = False  # as that of Ray

        register_parallel_backend("ray", InThreads)

    ray = types.ModuleType("ray")
    ray.is_initialized = lambda: False
    ray.init = lambda address, **_: calls.append(address)
    ray.shutdown = lambda: calls.append("left")
    backend = types.ModuleType("ray.util.joblib")
    backend.register_ray = register_ray
    for name, fake in (("ray", ray), ("ray.util", types.ModuleType("ray.util"))):
        monkeypatch.setitem(sys.modules, name, fake)
    monkeypatch.setitem(sys.modules, "ray.util.joblib", backend)
    with workers(jobs=2, backend="ray", scheduler="ray://127.0.0.1:10001") as pool:
        assert_works(pool, processes=None)
    assert calls == ["ray://127.0.0.1:10001", "left"]

    def fail(address, **_):
        raise ConnectionError(address)

    ray.init = fail
    assert sentence(backend="ray", scheduler="ray://127.0.0.1:1").startswith(
        "no Ray scheduler answers at 'ray://127.0.0.1:1' within "
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"jobs": 0}, "jobs must be a whole number of at least 1, not 0."),
        ({"jobs": -1}, "jobs must be a whole number of at least 1, not -1."),
        ({"jobs": 1.5}, "jobs must be a whole number of at least 1, not 1.5."),
        ({"jobs": True}, "jobs must be a whole number of at least 1, not True."),
        ({"backend": "Dsk"}, "there is no backend 'Dsk' (did you mean 'dask'?); there are "),
        ({"backend": None}, "there is no backend None; there are local, dask, ray."),
        ({"scheduler": "tcp://a:1"}, "a scheduler, here 'tcp://a:1', is for the backends dask and"),
        ({"backend": "dask", "scheduler": " "}, "a scheduler is given by its address, not by ' '."),
        ({"backend": "dask", "scheduler": 7}, "a scheduler is given by its address, not by 7."),
        (
            {"backend": "dask", "scheduler": "tcp://a:1", "jobs": 2},
            "jobs are for workers of this machine; a scheduler of Dask has the workers that it",
        ),
    ],
)
def test_what_cannot_be_is_refused(arguments, said):
    assert sentence(**arguments).startswith(said)
