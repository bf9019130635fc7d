"""Files such as people really have, each with what must be read or the sentence that refuses it.

Beside ``corpus/FILE`` stands ``corpus/FILE.expected``. A block of it begins with a line
``> OPTIONS``, keyword arguments of `podium.read` as Python writes them, or nothing; the lines below
are ``refused: SENTENCE``, where FILE stands for the path, or the long table with all that was
given, as CSV.
"""

import ast
from pathlib import Path

import pytest

import podium
from podium import PodiumError

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = ".expected"


def blocks(text: str) -> list[tuple[str, str]]:
    """Options and what is expected with them."""
    found = [block.partition("\n") for block in ("\n" + text.strip()).split("\n>")[1:]]
    return [(options.strip(), wanted.strip()) for options, _, wanted in found]


CASES = [
    pytest.param(path.with_suffix("").name, *block, id=f"{path.stem} {block[0]}".strip())
    for path in sorted(CORPUS.glob(f"*{EXPECTED}"))
    for block in blocks(path.read_text("utf-8"))
]


def keywords(options: str) -> dict:
    call = ast.parse(f"f({options})", mode="eval").body
    return {each.arg: ast.literal_eval(each.value) for each in call.keywords}


def as_text(contests: podium.Contests) -> str:
    """The long table as CSV, days without a clock."""
    frame = contests.frame(given=True)
    times = frame["time"]
    form = "%Y-%m-%d" if (times == times.dt.truncate("1d")).all() else "%Y-%m-%d %H:%M:%S%.f"
    return frame.with_columns(times.dt.strftime(form)).write_csv().strip()


@pytest.mark.parametrize(("name", "options", "wanted"), CASES)
def test_a_file_is_read_as_expected_or_refused_with_that_sentence(name, options, wanted):
    path = CORPUS / name
    try:
        found = as_text(podium.read(path, **keywords(options)))
    except PodiumError as error:
        found = f"refused: {error}".replace(str(path), "FILE")
    assert found == wanted


def test_every_file_of_the_corpus_has_expectations():
    files = {path.name for path in CORPUS.iterdir() if path.suffix != EXPECTED}
    assert files == {path.name.removesuffix(EXPECTED) for path in CORPUS.glob(f"*{EXPECTED}")}
    assert all(blocks((CORPUS / f"{name}{EXPECTED}").read_text("utf-8")) for name in files)
