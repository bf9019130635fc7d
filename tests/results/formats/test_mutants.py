"""Whatever is done to a file, reading it gives contests that can be rated, or one sentence.

PODIUM_CASES=200000 tries as many, which takes about an hour; pytest -s shows what became of them.
"""

import os

import pytest

from podium import PodiumError, read
from tests.results.formats import mutants

CASES = int(os.environ.get("PODIUM_CASES", "400"))


@pytest.mark.slow
def test_mutated_files_are_read_or_refused_in_one_sentence(tmp_path):
    tally = mutants.tally(CASES, tmp_path)
    for (kind, what), count in sorted(tally.outcomes.items()):
        print(f"{kind}\t{what}\t{count}")
    assert not tally.faults, "\n".join(tally.faults[:20])
    assert {what for _, what in tally.outcomes} >= {"rated", "refused"}
    for number in tally.died:
        given = mutants.case(number)
        assert "parquet" in given.kind, f"case {number} kills its reader"
        (tmp_path / given.name).write_bytes(given.data)
        with pytest.raises(PodiumError, match="the process that read it"):
            read(tmp_path / given.name, isolated=True, **given.options)


def test_a_case_is_made_from_its_number_alone():
    assert mutants.case(7) == mutants.case(7) != mutants.case(8)
