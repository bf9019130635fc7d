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


RACE = "contest,time,rank,player,note\n"


@pytest.mark.parametrize("quoted", ["", 'cup,2026-03-01,9,"Lee, Di",x\n'])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_quote_in_a_value_is_a_part_of_it(tmp_path, quoted, end):
    path = tmp_path / "a.csv"
    rows = "".join(f"cup,2026-03-01,{n},p{n},59'1{n}\"\n" for n in range(1, 9))
    path.write_text((RACE + rows + quoted).rstrip() + end)
    (found,) = podium.check(path, columns={"status": "note"}).files
    frame = found.contests.frame(given=True)
    assert frame["status"].to_list()[:8] == [f"59'1{n}\"" for n in range(1, 9)]
    assert frame.height == 8 + bool(quoted)


def test_quotes_that_do_not_match_are_still_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(RACE + 'cup,2026-03-01,1,ann,59\'10"\ncup,2026-03-01,2,"bob,1\n')
    with pytest.raises(PodiumError, match="line 3: the quotes do not match"):
        podium.read(path)


def test_empty_values_behind_the_last_column_are_dropped(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(RACE + "cup,2026-03-01,1,ann,x,,,\ncup,2026-03-01,2,bob\n")
    assert podium.read(path)[0].players == ["ann", "bob"]
    path.write_text(RACE + "cup,2026-03-01,1,ann,x,, ,\ncup,2026-03-01,2,bob,x,,y\n")
    with pytest.raises(PodiumError, match="line 3: there are 7 values for 5 columns"):
        podium.read(path)


def test_columns_without_a_name_are_never_named(tmp_path):
    path = tmp_path / "a.csv"
    header = ",Player,,Place,Date,\n"
    path.write_text(header + "x,a,y,1,2026-01-05,\n" + header + "x,b,y,zwei,2026-01-05,\n")
    (found,) = podium.check(path).files
    assert f"{path}, line 4: rank 'zwei'" in str(found.error)
    assert found.understanding.unused == []
    assert "duplicated" not in str(found.document())


def test_a_sign_in_the_header_does_not_separate_values(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Name, first;Place;Points, total\nann;1;5\nbob;2;4\n")
    said = {"contest": "c", "time": "2026-01-05"}
    (found,) = podium.check(path, columns={"player": "Name, first"}, **said).files
    assert found.contests[0].players == ["ann", "bob"]
    path.write_text("Player, club;Rank\nann;1\nbob;2\n")
    (found,) = podium.check(path, **said).files
    assert found.understanding.format == "text with semicolons"


def test_a_mark_of_another_encoding_can_be_overruled(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + written(["Zoë"], ",").encode("cp1252"))
    with pytest.raises(PodiumError) as refused:
        podium.read(path)
    assert str(refused.value) == (
        f"{path}, line 2: is not UTF-8 text, although it begins with the mark of it; save it as "
        f"UTF-8, or say encoding=NAME or --encoding NAME."
    )
    assert podium.read(path, encoding="cp1252")[0].players == ["Zoë"]
