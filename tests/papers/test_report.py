import polars as pl
import pytest

from podium import papers, pictures
from podium.papers import report
from podium.papers.targets import DATA_SETS, Reproduction, Target

FINDINGS = pl.DataFrame({"what": ["a|b", None], "in_paper": [48, None], "here": [47.93, 12345.6]})


def target_of(result, **options):
    return Target("some-table", "Some title", "Somebody, 2020", lambda *_: result, **options)


def test_a_table_alone_is_a_page(tmp_path):
    target = target_of(Reproduction(FINDINGS, remarks=("This differs, because of that.",)))
    _, files = report.reproduce(target, {}, tmp_path / "out")
    assert files == [tmp_path / "out" / "some-table.md"]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["some-table.md"]
    assert files[0].read_text(encoding="utf-8") == (
        "# Some title\n\nSomebody, 2020.\n\n    podium reproduce some-table\n\n"
        "| what | in paper | here |\n| --- | ---: | ---: |\n"
        "| a\\|b | 48 | 47.93 |\n| – | – | 12,346 |\n\n"
        "- This differs, because of that.\n"
    )


def test_the_page_names_the_picture_and_the_numbers(tmp_path):
    numbers = {"": FINDINGS, "more": FINDINGS}
    target = target_of(Reproduction(FINDINGS, pictures.new_figure(2.0), numbers))
    _, files = report.reproduce(target, {}, tmp_path)
    assert [path.name for path in files] == [
        "some-table.md", "some-table.png", "some-table.csv", "some-table-more.csv",
    ]  # fmt: skip
    assert all(path.is_file() for path in files)
    page = files[0].read_text(encoding="utf-8")
    assert "![Some title](some-table.png)" in page
    assert "[some-table.csv](some-table.csv), [some-table-more.csv](some-table-more.csv)." in page


def test_a_page_is_found_again_if_it_was_made_of_the_same_data_sets(tmp_path):
    target = target_of(Reproduction(FINDINGS), takes=("reddit", "topcoder"))
    assert not report.is_written(target, [], tmp_path)
    report.reproduce(target, {"topcoder": None}, tmp_path)
    assert report.is_written(target, ["topcoder"], tmp_path)
    assert report.is_written(target, ["football", "topcoder"], tmp_path)
    for others in ([], ["reddit"], ["reddit", "topcoder"]):
        assert not report.is_written(target, others, tmp_path)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt(), ValueError()])
def test_what_was_there_stays_if_a_target_fails(tmp_path, interruption):
    report.reproduce(target_of(Reproduction(FINDINGS)), {}, tmp_path)
    before = (tmp_path / "some-table.md").read_bytes()

    def function(*_):
        raise interruption

    failing = Target("some-table", "Some title", "Somebody, 2020", function)
    with pytest.raises(type(interruption)):
        report.reproduce(failing, {}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["some-table.md"]
    assert (tmp_path / "some-table.md").read_bytes() == before


def test_a_run_that_dies_before_its_page_does_not_look_finished(tmp_path, monkeypatch):
    target = target_of(Reproduction(FINDINGS, pictures.new_figure(2.0)))
    report.reproduce(target, {}, tmp_path)

    def no_page(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "markdown", no_page)
    with pytest.raises(KeyboardInterrupt):
        report.reproduce(target, {}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["some-table.png"]
    assert not report.is_written(target, [], tmp_path)


def test_a_target_that_keeps_its_trials_finds_them_when_it_was_interrupted(tmp_path):
    seen = []

    def function(data, progress, *, kept):
        assert (data, progress) == ({"reddit": None}, print)
        assert kept == tmp_path / "out" / "some-table-trials"
        kept.mkdir(parents=True, exist_ok=True)
        seen.append(sorted(path.name for path in kept.iterdir()))
        (kept / "trials.jsonl").write_text("one\n")
        if len(seen) == 1:
            raise KeyboardInterrupt
        return Reproduction(FINDINGS)

    target = Target("some-table", "Title", "Somebody", function, takes=("reddit",), keeps=True)
    with pytest.raises(KeyboardInterrupt):
        report.reproduce(target, {"reddit": None}, tmp_path / "out", print)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["some-table-trials"]
    report.reproduce(target, {"reddit": None}, tmp_path / "out", print)
    assert seen == [[], ["trials.jsonl"]]
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["some-table-trials", "some-table.md"]


def test_targets_have_names_of_their_own_and_known_data_sets():
    names = papers.names()
    assert len(set(names)) == len(names)
    assert "all" not in names
    for target in papers.TARGETS:
        assert set(target.data) <= set(DATA_SETS)
        assert target.paper in report.markdown(target, [], Reproduction(FINDINGS), [])
