import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from podium import PodiumError
from podium.files import reason, replacing, uninterrupted


def contents(folder: Path) -> dict[str, str]:
    """All files below a folder, hidden ones too."""
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_part_that_cannot_be_written_is_named_by_where_it_would_have_been(tmp_path):
    folder = tmp_path / "made"
    with (
        pytest.raises(PodiumError) as refused,
        replacing(folder, folder=True) as temporary,
        replacing(temporary / "page.md"),
    ):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(refused.value) == (
        f"{folder / 'page.md'}: cannot be written ({os.strerror(errno.ENOSPC).lower()})."
    )
    assert list(tmp_path.iterdir()) == []


def test_the_file_appears_only_when_the_block_has_ended(tmp_path):
    target = tmp_path / "ratings.csv"
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert temporary.name == target.name
        assert not target.exists()
    assert contents(tmp_path) == {"ratings.csv": "new"}


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path):
    target = tmp_path / "ratings.csv"
    target.write_text("old")
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert contents(tmp_path) == {"ratings.csv": "new"}


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt, SystemExit, PodiumError])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_failure_leaves_everything_as_it_was(tmp_path, failure, old):
    target = tmp_path / "ratings.csv"
    if old is not None:
        target.write_text(old)
    before = contents(tmp_path)

    def fail():
        with replacing(target) as temporary:
            temporary.write_text("half of the n")
            raise failure("halt")

    with pytest.raises(failure, match="halt"):
        fail()
    assert contents(tmp_path) == before
    assert list(tmp_path.iterdir()) == ([target] if old else [])


def test_missing_folders_are_made(tmp_path):
    with replacing(tmp_path / "a" / "b" / "c.csv") as temporary:
        temporary.write_text("new")
    assert contents(tmp_path) == {"a/b/c.csv": "new"}


def test_a_new_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "plain").write_text("")
    with replacing(tmp_path / "new") as temporary:
        temporary.write_text("")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("plain", "new")}
    assert len(modes) == 1


def test_a_folder_appears_only_when_the_block_has_ended(tmp_path):
    target = tmp_path / "out"
    with replacing(target, folder=True) as temporary:
        (temporary / "a.csv").write_text("new")
        assert not target.exists()
    assert contents(tmp_path) == {"out/a.csv": "new"}


def test_an_existing_folder_keeps_its_other_files(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a.csv").write_text("old")
    (target / "notes.txt").write_text("mine")
    with replacing(target, folder=True) as temporary:
        (temporary / "a.csv").write_text("new")
        (temporary / "b.csv").write_text("new")
        assert (target / "a.csv").read_text() == "old"
    assert contents(tmp_path) == {"out/a.csv": "new", "out/b.csv": "new", "out/notes.txt": "mine"}


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
def test_a_failure_leaves_a_folder_as_it_was(tmp_path, failure):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a.csv").write_text("old")

    def fail():
        with replacing(target, folder=True) as temporary:
            (temporary / "a.csv").write_text("new")
            raise failure

    with pytest.raises(failure):
        fail()
    assert contents(tmp_path) == {"out/a.csv": "old"}


def test_what_a_link_points_to_is_replaced_and_the_link_stays(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real = tmp_path / "elsewhere" / "real.csv"
    real.write_text("old")
    link = tmp_path / "link.csv"
    link.symlink_to(real)
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert contents(tmp_path) == {"elsewhere/real.csv": "new", "link.csv": "new"}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()))
    reader.start()
    with replacing(pipe) as temporary:
        temporary.write_text("through the pipe")
    reader.join()
    assert received == ["through the pipe"]
    assert pipe.is_fifo()


def test_a_file_where_a_folder_should_be_is_named(tmp_path):
    (tmp_path / "results").write_text("a file")
    target = tmp_path / "results" / "ratings.csv"
    with pytest.raises(PodiumError) as refused, replacing(target):
        pytest.fail("the block must not run")
    assert str(refused.value).startswith(f"{target}: cannot be written (")


def test_a_file_is_not_made_into_a_folder(tmp_path):
    target = tmp_path / "out"
    target.write_text("a file")
    with pytest.raises(PodiumError) as refused, replacing(target, folder=True):
        pytest.fail("the block must not run")
    assert str(refused.value) == f"{target}: cannot be a folder, because a file has that name."
    assert contents(tmp_path) == {"out": "a file"}


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a.csv").write_text("old")

    def write():
        with replacing(target) as temporary:
            temporary.write_text("new")

    with pytest.raises(PodiumError) as refused:
        write()
    assert str(refused.value) == f"{target}: cannot be written (is a directory)."
    assert contents(tmp_path) == {"out/a.csv": "old"}


def test_a_full_disk_is_said_in_one_sentence_and_nothing_is_left(tmp_path):
    target = tmp_path / "ratings.csv"
    target.write_text("old")

    def write():
        with replacing(target) as temporary:
            temporary.write_text("half of the n")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(PodiumError) as refused:
        write()
    assert str(refused.value) == f"{target}: cannot be written (no space left on device)."
    assert contents(tmp_path) == {"ratings.csv": "old"}


@pytest.mark.parametrize("function", ["podium.files.tempfile.mkdtemp", "podium.files.os.replace"])
def test_a_place_without_permission_is_said_in_one_sentence(tmp_path, monkeypatch, function):
    def refuse(*_args, **_options):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    target = tmp_path / "ratings.csv"
    monkeypatch.setattr(function, refuse)

    def write():
        with replacing(target) as temporary:
            temporary.write_text("new")

    with pytest.raises(PodiumError) as refused:
        write()
    assert str(refused.value) == f"{target}: cannot be written (permission denied)."
    assert list(tmp_path.iterdir()) == []


def test_a_path_is_shown_as_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("results").write_text("a file")
    with (
        pytest.raises(PodiumError, match=r"^results: cannot be a folder"),
        replacing("results", folder=True),
    ):
        pytest.fail("the block must not run")


def test_a_reason_is_found_for_every_error_of_the_system():
    assert reason(OSError(errno.ENOSPC, "No space left on device")) == "no space left on device"
    assert reason(OSError("Broken")) == "broken"
    assert reason(OSError()) == "oserror"


def test_folders_in_a_folder_are_replaced_file_by_file_too(tmp_path):
    (tmp_path / "ratings" / "europe").mkdir(parents=True)
    for name in ("europe/ratings.csv", "europe/mine.txt", "ratings.csv"):
        (tmp_path / "ratings" / name).write_text("old")
    with replacing(tmp_path / "ratings", folder=True, stale=["europe/ratings.csv"]) as temporary:
        for name in ("asia", "europe"):
            (temporary / name).mkdir()
            (temporary / name / "ratings.parquet").write_text("new")
    assert contents(tmp_path / "ratings") == {
        "asia/ratings.parquet": "new",
        "europe/mine.txt": "old",
        "europe/ratings.parquet": "new",
        "ratings.csv": "old",
    }


@pytest.fixture
def interrupt():
    """Ctrl-C, as it arrives in a process whose main thread blocks it: another thread gets it."""
    now = threading.Event()

    def receive():
        now.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    thread = threading.Thread(target=receive, daemon=True)
    thread.start()

    def send():
        now.set()
        thread.join()

    return send


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to a thread")
def test_an_interrupt_waits_even_if_another_thread_gets_it(interrupt):
    before, happened = signal.getsignal(signal.SIGINT), []

    def run():
        with uninterrupted():
            with uninterrupted():
                interrupt()
                happened.append("inner")
            happened.append("outer")
        happened.append("after")

    with pytest.raises(KeyboardInterrupt):
        run()
    assert happened == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to a thread")
def test_an_interrupt_while_files_take_their_places_waits_for_the_last(
    tmp_path, interrupt, monkeypatch
):
    move = os.replace

    def interrupted(new, old):
        interrupt()
        move(new, old)

    def write():
        with replacing(tmp_path / "out", folder=True) as temporary:
            for name in ("a", "b", "c"):
                (temporary / name).write_text(name)

    (tmp_path / "out").mkdir()
    monkeypatch.setattr("podium.files.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert contents(tmp_path) == {f"out/{name}": name for name in "abc"}


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_processes_that_start_in_the_block_do_not_hear_of_an_interrupt():
    script = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))"
    with uninterrupted():
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout == b"True\n"


def test_another_thread_than_the_first_needs_no_patience():
    ended = []

    def run():
        with uninterrupted():
            pass
        ended.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ended == [True]
