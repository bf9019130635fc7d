from pathlib import Path

import pytest

import podium
from podium.results.options import Options
from podium.results.reading import read_understood

HEADER = "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR\n"
ROW = "E0,01/02/26,Owls,Foxes,2,1,H\n"


@pytest.mark.parametrize("date", ["03/04/26", "03/04/2026"])
def test_days_come_first(date):
    Path("a.csv").write_text(HEADER + ROW.replace("01/02/26", date))
    assert str(podium.read("a.csv")[0].time.date()) == "2026-04-03"


def test_years_of_two_digits_may_be_of_the_last_century():
    Path("a.csv").write_text(HEADER + ROW.replace("01/02/26", "14/08/93"))
    assert podium.read("a.csv")[0].time.year == 1993


def test_goals_may_be_unknown():
    Path("a.csv").write_text(HEADER + ROW + "E0,01/02/26,Bears,Hares,,,D\n")
    assert len(podium.read("a.csv")) == 2


def test_whoever_names_the_columns_is_believed():
    Path("a.csv").write_text(HEADER + ROW)
    columns = {"player_a": "AwayTeam", "player_b": "HomeTeam", "score_a": "FTAG", "score_b": "FTHG"}
    contests = podium.read("a.csv", columns={**columns, "time": "Date"}, dates="dmy")
    assert contests[0].standings == [(1, "Owls"), (2, "Foxes")]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("2,1,H", "2,1,X", "FTR 'X' is not H, D or A."),
        ("2,1,H", "1,2,H", "FTR 'H' is not what the goals say."),
        ("2,1,H", "two,1,H", "FTHG 'two' is not a number."),
        ("01/02/26", "2/31/26", "Date '2/31/26' is not a date (day/month/year)."),
    ],
)
def test_what_is_wrong_is_said_with_its_line(refusal, old, new, sentence):
    text = HEADER + ROW + ",,,,,,\n" + ROW.replace(old, new)
    assert refusal("a.csv", text) == f"a.csv, line 4: {sentence}"


def test_what_was_read_goes_by_the_names_in_the_file():
    Path("a.csv").write_text(HEADER + ROW)
    columns = read_understood("a.csv", Options())[1].columns
    called = {each.ours: each.theirs for each in columns}
    assert (called["player_a"], called["score_b"]) == ("HomeTeam", "FTAG")


def test_what_is_taken_for_granted_and_not_used_is_said():
    header = HEADER.replace("FTR", "FTR,Referee")
    Path("a.csv").write_text(header + ROW.strip() + ",Zoë\n" + ROW.replace("Owls", "Hares"))
    report = podium.check("a.csv").files[0].understanding
    assert report.unused == ["Div", "Referee"]
    assert report.assumptions == [
        "Dates have the day first.",
        "Years of two digits are 1969 to 2068.",
    ]
    Path("a.csv").write_text(HEADER + ROW.replace("/26", "/2026") + "E0,02/02/2026,A,B,,,D\n")
    assert podium.check("a.csv").files[0].understanding.assumptions == [
        "Scores and margins are not used, because 1 of 2 matches has none.",
        "Dates have the day first.",
    ]


def test_a_column_that_serves_as_ladder_is_used():
    Path("a.csv").write_text(HEADER + ROW)
    report = podium.check("a.csv", columns={"ladder": "Div"}).files[0].understanding
    assert report.unused == []


def test_rows_may_end_in_separators():
    Path("a.csv").write_text(HEADER + ROW + "E0,17/08/03,C,D,2,2,D,,,\n")
    assert len(podium.read("a.csv")) == 2
