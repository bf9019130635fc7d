"""What a file says beyond ranks comes back, whatever is done to the contests."""

import polars as pl
import pytest

import podium
from podium import Contests

RACE = (
    "contest,time,player,score,status,team\n"
    "race,2026-01-05,ann,1:02:33.4,,red\nrace,2026-01-05,bob,1:03:00,penalty,red\n"
    "race,2026-01-05,cat,DNF,,blue\nsprint,2026-01-12,bob,59.1,,\nsprint,2026-01-12,ann,59.2,,red\n"
)
SAID = pl.DataFrame(
    {
        "player": ["ann", "bob", "cat", "bob", "ann"],
        "score": ["1:02:33.4", "1:03:00", "DNF", "59.1", "59.2"],
        "status": [None, "penalty", "DNF", None, None],
        "given_team": ["red", "red", "blue", None, "red"],
    }
)


def said(contests):
    """All that was said, as texts, as far as it is there."""
    frame = contests.frame(given=True)
    return frame.select(name for name in SAID.columns if name in frame.columns).cast(pl.String)


@pytest.fixture
def races(tmp_path):
    path = tmp_path / "races.csv"
    path.write_text(RACE)
    return podium.read(path, unfinished="last").without_teams()


def test_texts_are_kept_as_they_were_given(races):
    assert said(races).equals(SAID)


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_what_is_written_reads_back_with_it(races, tmp_path, ending):
    path = tmp_path / f"again.{ending}"
    races.write(path)
    for isolated in (False, True):
        again = podium.read(path, isolated=isolated)
        assert again == races
        assert said(again).equals(SAID)


def test_scores_of_matches_come_back(tmp_path):
    path = tmp_path / "matches.csv"
    path.write_text("time,player_a,player_b,score_a,score_b\n2026-01-05,ann,bob,1,3\n")
    matches = podium.read(path)
    matches.write(tmp_path / "again.csv")
    again = podium.read(tmp_path / "again.csv")
    assert again == matches
    assert said(again).rows() == said(matches).rows() == [("bob", "3"), ("ann", "1")]


def test_parts_keep_it(races):
    assert said(races[1:]).equals(said(races)[3:])
    assert said(Contests.concat([races[1:], races[:1]])).equals(SAID)
    assert said(races.with_own_players()).equals(SAID)
    halves = races.frame(given=True).with_columns(ladder=pl.col("contest"))
    by_ladder = Contests.from_frame(halves).by_ladder()
    assert said(by_ladder["race"]).equals(SAID[:3])


def test_a_league_keeps_shows_and_exports_it(races, tmp_path):
    with podium.League.create(tmp_path / "league.db") as league:
        league.record(races)
        assert said(league.results()).equals(SAID)
        shown = league.contest("race").select(SAID.columns)
        assert shown.equals(SAID[:3])
        for form in ("csv", "parquet"):
            league.export(tmp_path / form, format=form)
            again = podium.read(tmp_path / form / f"results.{form}")
            assert again == races
            assert said(again).equals(SAID)
            with podium.League.create(tmp_path / f"{form}.db") as other:
                other.record(again)
                assert said(other.results()).equals(SAID)
        changed = races.frame(given=True).with_columns(
            score=pl.col("score").str.replace("1:03:00", "1:03:01")
        )
        league.amend("race", Contests.from_frame(changed))
        wanted = ["1:02:33.4", "1:03:01", "DNF"]
        assert league.contest("race")["score"].to_list() == wanted


def test_pieces_of_what_is_larger_than_memory_have_it(races, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(len(races)):
        races[number : number + 1].write(folder / f"part-{number}.parquet")
    pieces = list(podium.scan(folder))
    assert said(Contests.concat(pieces)).equals(SAID)
