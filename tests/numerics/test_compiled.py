"""Compiled kernels that come from disk are those of the sources as they are, and nobody else's."""

import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from podium.numerics import compiled, logconcave, normal

ROOM = Path(compiled.__file__).parent
CALLER = """
from podium.numerics.compiled import kernel
from podium.numerics.normal import hazard

@kernel
def twice(z):
    return 2.0 * hazard(z)
"""
ASK = """
from podium.numerics import caller
print(caller.twice(0.5), sum(caller.twice.stats.cache_hits.values()))
"""


@pytest.fixture
def copy(tmp_path):
    """The room of kernels with two of them, of which one calls the other from another file."""
    room = tmp_path / "podium" / "numerics"
    room.mkdir(parents=True)
    for package in (room.parent, room):
        (package / "__init__.py").touch()
    for name in ("compiled.py", "normal.py"):
        shutil.copy(ROOM / name, room)
    shutil.copytree(ROOM / "compiler", room / "compiler")
    (room / "caller.py").write_text(CALLER)
    return room


def asked(room: Path) -> tuple[float, bool]:
    """What the caller returns, and whether it was on disk."""
    value, hits = printed(ASK, room.parents[1])
    return float(value), hits == "1"


def printed(script: str, root: Path) -> list[str]:
    """The words that a script prints, with the podium and the compiled kernels in this folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(root / "kept"), "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_a_change_of_one_kernel_is_noticed_by_those_that_call_it(copy):
    before = 2.0 * normal.hazard(0.5)
    assert [asked(copy), asked(copy)] == [(before, False), (before, True)]
    source = copy / "normal.py"
    text = source.read_text()
    source.write_text(text.replace("return value\n", "return 2.0 * value\n"))
    assert asked(copy) == (2.0 * before, False)
    source.write_text(text)
    assert asked(copy) == (before, True)


def test_a_change_of_a_kernel_that_lies_elsewhere_is_noticed_too(copy):
    elsewhere = copy.parents[1] / "elsewhere.py"
    for factor in ("2.0", "3.0"):
        elsewhere.write_text(CALLER.replace("2.0", factor))
        ask = ASK.replace("podium.numerics import caller", "elsewhere import twice")
        ask = ask.replace("caller.twice", "twice")
        for hits in ("0", "1"):
            value, found = printed(ask, copy.parents[1])
            assert (float(value), found) == (float(factor) * normal.hazard(0.5), hits)


def ran(script: str, root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script that finds the podium in this folder, and nobody's home."""
    there = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        [sys.executable, "-W", "always", "-c", script],
        env={**there, "PYTHONPATH": str(root), **environment},
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )


def test_without_a_place_to_write_every_process_compiles_for_itself(copy, tmp_path):
    """A file where the folder would be stops root too, as a read-only disk would."""
    (copy / "__pycache__").touch()
    (tmp_path / "file").touch()
    done = ran(ASK, copy.parents[1], XDG_CACHE_HOME=str(tmp_path / "file"))
    assert float(done.stdout.split()[0]) == 2.0 * normal.hazard(0.5)
    assert done.stderr.count("compiled kernels cannot be kept, since no folder") == 1


NOBODY = """
import os
os.access = lambda path, mode: False
os.path.expanduser = lambda path: path
"""


def test_without_a_home_no_folder_called_tilde_appears(copy):
    done = ran(NOBODY + ASK, copy.parents[1], XDG_CACHE_HOME="")
    assert "compiled kernels cannot be kept" in done.stderr
    assert not (copy.parents[1] / "~").exists()


FULL = """
import errno, os
from numba.core import caching
def full(self, name, data):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
caching.IndexDataCacheFile._save_data = full
"""


def test_a_full_disk_costs_the_next_process_time_and_nothing_else(copy, tmp_path):
    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    done = ran(FULL + ASK, copy.parents[1], **kept)
    assert float(done.stdout.split()[0]) == 2.0 * normal.hazard(0.5)
    assert done.stderr.count("writing fails (No space left on device)") == 1


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_code_is_compiled_anew(copy, kind):
    before = asked(copy)[0]
    damaged = list((copy.parents[1] / "kept").rglob(f"*.{kind}"))
    for file in damaged:
        file.write_bytes(file.read_bytes()[:-7])
    assert damaged
    assert asked(copy) == (before, False)
    assert asked(copy) == (before, True)


def test_all_kernels_lie_in_the_room_whose_files_are_stamped():
    package = ROOM.parent
    makers = {
        path
        for path in package.rglob("*.py")
        if re.search(r"jit\(|^\s*@(kernel|fused_kernel)\b", path.read_text(), re.MULTILINE)
    }
    assert all(path.is_relative_to(ROOM) for path in makers)
    assert makers <= set(compiled._SOURCES)


def test_code_is_listed_only_when_it_is_complete(tmp_path):
    files = compiled._KernelFiles(normal.hazard._cache)
    files._cache_path = str(tmp_path)
    files._index_path = str(tmp_path / files._index_name)
    written = []
    files._save_data = lambda name, _: written.append(name)
    files._save_index = lambda overloads: written.append(sorted(overloads.values()))
    files.save(("one signature",), b"code")
    files.save(("another",), b"code")
    first, listed, second, _ = written
    assert listed == [first]
    assert first != second


OTHER_NUMBA = {
    "as it is": "",
    "another signature": """
class Files(caching.IndexDataCacheFile):
    def save(self, key, data, *, compress=False):
        super().save(key, data)
caching.IndexDataCacheFile = Files
""",
    "other methods": """
class Files:
    def __init__(self, cache_path, filename_base, source_stamp):
        self.files = Old(cache_path, filename_base, source_stamp)
    def save(self, key, data):
        self.files.save(key, data)
    def load(self, key):
        return self.files.load(key)
Old, caching.IndexDataCacheFile = caching.IndexDataCacheFile, Files
""",
    "other attributes": """
def made(self, py_func, before=caching.Cache.__init__):
    before(self, py_func)
    del self._impl._filename_base
caching.Cache.__init__ = made
""",
}
HAZARD = """
from podium.numerics import compiled, normal
kept = compiled.is_kept(normal.hazard)
value, counts = normal.hazard(0.5), normal.hazard.stats
ours = hasattr(normal.hazard._cache, "_cache_file") and isinstance(
    normal.hazard._cache._cache_file, compiled._KernelFiles
)
print(value, kept, len(counts.cache_hits), len(counts.cache_misses), ours)
"""


@pytest.mark.parametrize("change", OTHER_NUMBA)
def test_a_numba_with_other_private_parts_still_keeps_what_it_compiles(copy, change):
    script = f"from numba.core import caching\n{OTHER_NUMBA[change]}\n{HAZARD}"
    value, _, hits, misses, ours = printed(script, copy.parents[1])
    assert (hits, misses, ours) == ("0", "1", str(change == "as it is"))
    again, kept, hits, misses, _ = printed(script, copy.parents[1])
    assert (again, kept, hits, misses) == (value, "True", "1", "0")


def test_a_model_of_ones_own_never_takes_the_place_of_another():
    """Their functions have the same names, and Numba links code from disk by module and name."""

    def constant(z):
        return 0.0 * z

    engines = [logconcave.specialise(constant, constant, constant) for _ in range(2)]
    modules = [engine["solve_panel"].py_func.__module__ for engine in engines]
    assert len({logconcave.__name__, *modules}) == 3


LOADED = """
import gc, sys
from podium.numerics import normal
normal.hazard(0.5)
hits = sum(normal.hazard.stats.cache_hits.values())
print(hits, "numba.np.linalg" in sys.modules, gc.isenabled())
"""


def test_what_comes_from_disk_is_loaded_without_the_compiler(copy):
    """Whose types and functions take longer to import than all kernels take to load."""
    assert printed(LOADED, copy.parents[1]) == ["0", "True", "True"]
    assert printed(LOADED, copy.parents[1]) == ["1", "False", "True"]


def test_kernels_that_are_compiled_are_counted(monkeypatch):
    monkeypatch.setattr(compiled, "keeps", lambda: False)  # nor is it on disk from another run

    @compiled.kernel
    def thrice(x):
        return 3.0 * x

    with compiled.counting() as names:
        assert thrice(1.0) == 3.0
        assert thrice(2.0) == 6.0
    assert [name.split(".")[-1] for name in names] == ["thrice"]


def test_a_kernel_goes_to_other_processes_by_its_name():
    assert pickle.loads(pickle.dumps(normal.hazard)) is normal.hazard


def test_with_a_numba_of_other_private_parts_kernels_are_dispatchers(copy):
    script = """
import numba
from numba.core import typed_passes
del typed_passes.NativeLowering
from podium.numerics import caller
from podium.numerics.compiler import steps
print(caller.twice(0.5), steps.USABLE)
"""
    value, usable = printed(script, copy.parents[1])
    assert (float(value), usable) == (2.0 * normal.hazard(0.5), "False")
