"""Fixtures for all tests: the real results that lie beside the project, where they do."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from podium import Contests
from podium.ratings import arithmetic

untimed = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("podium", max_examples=50, **untimed)
settings.register_profile("thorough", max_examples=1000, **untimed)
settings.load_profile("podium")


@pytest.fixture(autouse=True)
def _only_systems_of_podium(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test has registered is not found here."""
    monkeypatch.setattr("podium.systems._registered", {})


@pytest.fixture(scope="session", autouse=True)
def _compile_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Of processes that test at the same time, let one compile a kernel and others wait for it."""
    if os.name == "nt" or "PYTEST_XDIST_WORKER" not in os.environ:
        yield
        return
    import fcntl

    folder = tmp_path_factory.getbasetemp().parent / "kernels"
    folder.mkdir(exist_ok=True)
    at_work: set[Dispatcher] = set()

    def alone(kernel: Dispatcher, signature: Any, compile: Any = Dispatcher.compile) -> Any:
        with global_compiler_lock:
            if kernel in at_work:
                return compile(kernel, signature)
            at_work.add(kernel)
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
            try:
                with open(folder / name, "w") as file:
                    fcntl.flock(file, fcntl.LOCK_EX)
                    return compile(kernel, signature)
            finally:
                at_work.remove(kernel)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dispatcher, "compile", alone)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `shared` beside the project."""
    folder = Path(__file__).parents[1].parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("needs the real results in ../shared/data, beside the project")
    return folder


@pytest.fixture(scope="session")
def codeforces_frame(shared: Path) -> pl.DataFrame:
    """All rated contests of Codeforces from 2010 to 2020, one row for each participation."""
    return pl.read_parquet(shared / "data" / "codeforces.parquet")


@pytest.fixture(scope="session")
def codeforces(codeforces_frame: pl.DataFrame) -> Contests:
    """The same as `Contests`."""
    return Contests.from_frame(codeforces_frame)


@pytest.fixture(scope="session")
def codeforces_sample(codeforces_frame: pl.DataFrame) -> Contests:
    """Every fourth contest of Codeforces, and the largest."""
    ids = codeforces_frame["contest"]
    largest = ids.value_counts().sort("count", "contest")["contest"][-1]
    some = [*ids.unique(maintain_order=True).gather_every(4), largest]
    return Contests.from_frame(codeforces_frame.filter(pl.col("contest").is_in(some)))


@pytest.fixture(scope="session")
def football(shared: Path) -> Contests:
    """International football from 1872 on: matches with draws and sides."""
    return Contests.from_matches(pl.read_parquet(shared / "data" / "football.parquet"))


@pytest.fixture(scope="session")
def formula_one(shared: Path) -> Contests:
    """Races of Formula 1 from 1950 on, with teams. Drivers who shared a car left gaps in ranks."""
    return Contests.from_frame(pl.read_parquet(shared / "data" / "f1.parquet"), rerank=True)


@pytest.fixture(scope="module")
def dask_scheduler() -> Iterator[str]:
    """The address of a Dask cluster of two worker processes, which are busy even when idle."""
    distributed = pytest.importorskip("distributed", reason="needs podium[dask]")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def first_arithmetic(monkeypatch):
    """As if the arithmetic had never changed: what it is called is then 1, and another one 2."""
    monkeypatch.setattr(arithmetic, "ARITHMETIC", 1)
