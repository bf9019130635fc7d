"""The same table is read whatever separates its values and however it is encoded."""

import csv
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import podium
from podium import PodiumError
from podium.results.options import Options
from podium.results.reading import read_understood

NAMES = st.text("abcXYZ äöüéñß,;|\t\"'. ", min_size=1, max_size=8).map(str.strip).filter(bool)
FRESH = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def written(players, separator, ending="\n"):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator=ending)
    writer.writerow(["Event", "Date", "Place", "Player"])
    writer.writerows(["cup", "2026-03-01", place, name] for place, name in enumerate(players, 1))
    return text.getvalue()


@FRESH
@given(
    st.lists(NAMES, min_size=1, max_size=6, unique_by=str.casefold),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]),
    st.sampled_from(["a.csv", "a.tsv", "a.txt"]),
)
def test_any_delimiter_and_encoding_of_a_table_reads_the_same(
    tmp_path, players, separator, ending, encoding, name
):
    path = tmp_path / name
    path.write_bytes(written(players, separator, ending).encode(encoding))
    assert podium.read(path)[0].players == players


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("cp1252", "Windows-1252"), ("utf-16", "UTF-16LE"), ("utf-16-be", "UTF-16BE")],
)
def test_another_encoding_is_said(tmp_path, encoding, said):
    path = tmp_path / "a.csv"
    path.write_bytes(written(["Zoë"], ";").encode(encoding))
    report = read_understood(path, Options())[1]
    assert report.format == f"text with semicolons, in {said}"
    assert report.assumptions == [f"the text is in {said}."]


def test_what_is_said_of_a_text_is_done(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(written(["Łęcki"], "!").encode("cp1250"))
    contests = podium.read(path, delimiter="!", encoding="cp1250")
    assert contests[0].players == ["Łęcki"]
    for options in ({"delimiter": "!!"}, {"delimiter": ""}, {"encoding": "klingon"}):
        with pytest.raises(PodiumError):
            podium.read(path, **options)


@FRESH
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path, data):
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    try:
        podium.read(path)
    except PodiumError:
        return


def piped(data, code):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", code],
        input=data,
        capture_output=True,
        env=environment,
        check=False,
        cwd=Path(__file__).parent,
    )


def test_standard_input_is_read_and_named():
    code = (
        "import podium\n"
        "try: print(podium.read('-')[0].players)\n"
        "except podium.PodiumError as error: print(error)"
    )
    found = piped(written(["ann", "bob"], ";").encode(), code)
    assert found.stdout.strip() == b"['ann', 'bob']"
    wrong = written(["ann", "bob"], ";").replace(";2;", ";5;")
    assert piped(wrong.encode(), code).stdout.startswith(b"standard input, line 3: rank 5 of ")
    assert piped(b"", code).stdout.strip() == b"standard input: is empty."
