import json
import math
import os
import signal
import threading
from io import FileIO
from pathlib import Path

import pytest

from podium import PodiumError
from podium.evaluation import studies
from podium.evaluation.studies import Study, Trial

ABOUT = {"system": "elo", "results": "abc", "search": {"k": {"values": (1.0, math.inf)}}}
TRIALS = [
    Trial(0, {"k": 0.1, "rule": "map"}, 1 / 3),
    Trial(2, {"k": math.inf, "rule": None}, math.inf),
    Trial(1, {"k": 2.0, "rule": "map"}, None, "elo: k must be something else."),
]


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "new" / "study.jsonl"
    with Study(file, ABOUT) as study:
        for trial in TRIALS:
            study.add(trial)
    return file


def refusal(path, about=ABOUT) -> str:
    with pytest.raises(PodiumError) as refused:
        Study(path, about)
    return str(refused.value)


def test_trials_are_read_as_they_were(path):
    with Study(path, ABOUT) as study:
        assert study.trials == {trial.number: trial for trial in TRIALS}


def test_every_line_is_plain_json(path):
    lines = path.read_text().splitlines()
    assert len(lines) == 4
    for line in lines:
        json.loads(line, parse_constant=lambda name: pytest.fail(name))


def test_a_trial_is_in_the_file_before_the_study_is_closed(tmp_path):
    with Study(tmp_path / "study", ABOUT) as study:
        study.add(TRIALS[0])
        assert (tmp_path / "study").read_text().count("\n") == 2


@pytest.mark.skipif(os.name == "nt", reason="sends a signal to itself")
def test_an_interrupt_waits_until_a_trial_is_kept(tmp_path, monkeypatch):
    written = studies._line

    def interrupted(document):
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return written(document)

    with Study(tmp_path / "study", ABOUT) as study:
        study.add(TRIALS[0])
        monkeypatch.setattr(studies, "_line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            study.add(TRIALS[1])
        assert list(study.trials) == [0, 2]
    with Study(tmp_path / "study", ABOUT) as study:
        assert list(study.trials) == [0, 2]


def test_wherever_the_last_line_was_cut_the_others_count_and_it_can_go_on(path):
    whole = path.read_bytes()
    start = whole.rindex(b"\n", 0, -1) + 1
    for end in range(start, len(whole)):
        path.write_bytes(whole[:end])
        with Study(path, ABOUT) as study:
            assert list(study.trials) == [0, 2]
            study.add(TRIALS[2])
        assert path.read_bytes() == whole


def test_a_trial_that_stands_twice_counts_as_it_was_first(path):
    with path.open("a") as file:
        file.write('{"trial": 0, "parameters": {"k": 0.2}, "score": 0.1}\n')
    assert Study(path, ABOUT).trials[0] == TRIALS[0]


def test_a_line_is_written_to_its_end_even_piece_by_piece(path, tmp_path, monkeypatch):
    class Reluctant(FileIO):
        def write(self, data):
            return super().write(data[:7])

    monkeypatch.setattr(studies, "FileIO", Reluctant)
    with Study(tmp_path / "another", ABOUT) as study:
        for trial in TRIALS:
            study.add(trial)
    assert (tmp_path / "another").read_bytes() == path.read_bytes()


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Study(None, ABOUT) as study:
        study.add(TRIALS[0])
    assert study.trials == {0: TRIALS[0]}
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_beginning(tmp_path):
    (tmp_path / "study").touch()
    with Study(tmp_path / "study", ABOUT) as study:
        study.add(TRIALS[0])
    with Study(tmp_path / "study", ABOUT) as study:
        assert study.trials == {0: TRIALS[0]}


def test_a_study_without_trials_leaves_no_file(tmp_path):
    with Study(tmp_path / "study", ABOUT):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_study_of_something_else_is_refused(path):
    before = path.read_bytes()
    assert refusal(path, {**ABOUT, "system": "glicko"}) == (
        f'{path}: is a study of something else, with system "elo" and not "glicko".'
    )
    assert refusal(path, {**ABOUT, "results": "abd"}) == (
        f"{path}: is a study of other results, or of another share of them."
    )
    assert "with search" in refusal(path, {**ABOUT, "search": {}})
    assert "with seed null and not 1." in refusal(path, {**ABOUT, "seed": 1})
    without = {key: value for key, value in ABOUT.items() if key != "search"}
    assert refusal(path, without).endswith(" and not null.")
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text", ["contest,player\n1,ann\n", "{}\n", '{"podium tune": 1}\n', "no line", "\n", "[]\n"]
)
def test_another_file_is_refused_and_left_as_it_is(tmp_path, text):
    file = tmp_path / "results.csv"
    file.write_text(text)
    assert refusal(file) == f"{file}: is not a study that podium tune wrote."
    assert file.read_text() == text


@pytest.mark.parametrize(
    "line", ["{}", "[]", "1", "x", '{"trial": "a", "parameters": {}, "score": 1}']
)
def test_a_line_that_is_no_trial_is_named(path, line):
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], line, *lines[2:], ""]))
    assert refusal(path) == f"{path}, line 3: is not a trial."


def test_a_folder_is_no_study(tmp_path):
    assert refusal(tmp_path).startswith(f"{tmp_path}: cannot be used as a study (")


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / "study"
    with pytest.raises(PodiumError, match=r"study: cannot be (written|used)"):
        Study(place, ABOUT).add(TRIALS[0])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_one_sentence(tmp_path):
    with Study(tmp_path / "study", ABOUT) as study:
        study.add(TRIALS[1])
        os.dup2(os.open("/dev/full", os.O_WRONLY), study._file.fileno())
        with pytest.raises(PodiumError, match="cannot be used as a study"):
            study.add(TRIALS[0])
