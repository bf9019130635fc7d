import os
import signal
import sys
from types import ModuleType

import joblib
import pytest
from joblib._parallel_backends import MultiprocessingBackend

import podium
from podium import PodiumError
from podium.evaluation.tuning import tune
from podium.evaluation.workers import check_workers, workers

SEASON = podium.simulate(players=30, rounds=20, seed=5)


def search(**options):
    return tune(SEASON, "elo", split=1.0, budget=9, batch=4, **options)


@pytest.mark.slow
def test_a_dask_cluster_finds_the_same():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = search(backend="dask", scheduler=cluster.scheduler_address)
        grid = tune(
            SEASON, "elo", split=1.0, grid=True, backend="dask", scheduler=cluster.scheduler_address
        )
        workers_used = client.run(lambda: "podium.evaluation.trials" in sys.modules)
    assert list(workers_used.values()) == [True, True]
    assert found.trials == search(jobs=1).trials
    assert grid.trials == tune(SEASON, "elo", split=1.0, grid=True, jobs=1).trials


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_one_sentence():
    pytest.importorskip("distributed")
    with pytest.raises(PodiumError, match=r"no dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        search(backend="dask", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(PodiumError, match="no dask scheduler answers at nowhere://"):
        search(backend="dask", scheduler="nowhere://")


def test_a_cluster_without_workers_is_one_sentence():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(PodiumError, match="has no workers"),
    ):
        search(backend="dask", scheduler=cluster.scheduler_address)


class ResultsAllAtOnce(MultiprocessingBackend):
    """A backend that gives results when all are there, as Ray's does."""


def test_ray_is_given_the_same_work(monkeypatch):
    ray = ModuleType("ray.util.joblib")
    ray.register_ray = lambda: joblib.register_parallel_backend("ray", ResultsAllAtOnce)
    for name, module in {"ray": ModuleType("ray"), "ray.util": ModuleType("ray.util")}.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "ray.util.joblib", ray)
    with workers(3, backend="ray") as run:
        assert sorted(run(pow, [(number,) for number in range(250)])) == sorted(
            3**number for number in range(250)
        )


def test_what_is_not_installed_is_named(monkeypatch):
    for name in ("distributed", "ray", "ray.util", "ray.util.joblib"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        PodiumError, match=r"^dask is not installed: pip install 'podium\[dask\]'\.$"
    ):
        search(backend="dask", scheduler="tcp://127.0.0.1:1")
    with pytest.raises(PodiumError, match=r"^ray is not installed: pip install 'podium\[ray\]'\.$"):
        search(backend="ray")


def test_a_worker_that_is_killed_is_one_sentence():
    with (
        pytest.raises(PodiumError, match="a worker process was ended from outside"),
        workers(signal.SIGKILL, jobs=2) as run,
    ):
        list(run(_end, [()]))


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="needs masks of signals")
def test_workers_do_not_hear_of_interrupts():
    with workers(signal.SIG_BLOCK, jobs=2) as run:
        assert list(run(signal.pthread_sigmask, [((),)])) == [{signal.SIGINT}]


def _end(number):
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(
    ("jobs", "backend", "scheduler", "said"),
    [
        (None, "dsak", None, "no backend 'dsak' (did you mean 'dask'?); there are local, dask and"),
        (0, "local", None, "jobs must be a whole number of at least 1, not 0"),
        (2, "dask", "tcp://x:1", "number of jobs is for local processes; dask uses all of its clu"),
        (None, "dask", None, "dask needs the address of its scheduler, such as tcp://host:8786"),
        (None, "ray", "x:1", "ray finds its cluster by the environment variable RAY_ADDRESS"),
        (None, "local", "x:1", "a scheduler (x:1) is for the backend dask"),
    ],
)
def test_contradictions_are_one_sentence(jobs, backend, scheduler, said):
    with pytest.raises(PodiumError) as refused:
        check_workers(jobs, backend, scheduler)
    assert said in str(refused.value)
