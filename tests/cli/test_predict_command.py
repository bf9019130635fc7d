import json
import re

import pytest

import podium


def test_a_pair_gets_chances_that_sum_to_one(command, ratings, contests):
    best, second = podium.rate(contests).ratings["player"][:2]
    shown = command("predict", ratings, best, second)
    assert shown.code == 0
    assert shown.stdout.startswith(f"{best} wins ")
    assert "predicted by elo-mmr" in shown.stderr
    document = json.loads(command("predict", ratings, best, second, "--json").stdout)
    ladder = podium.Ladder.from_beliefs(podium.rate(contests).beliefs)
    assert document["win_probability"] == ladder.win_probability(best, second)
    assert document["draw_probability"] == 0.0
    assert sum(player["first"] for player in document["players"]) == pytest.approx(1.0)


def test_draws_are_shown_where_the_model_has_them(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "--system", "trueskill").stdout
    assert ", a draw " in shown


def test_a_field_is_a_table(command, ratings):
    names = [f"player-{number:04}" for number in range(1, 6)]
    lines = command("predict", ratings, *names, "--top", 2).stdout.splitlines()
    assert lines[0].split() == ["player", "first", "best", "2", "expected", "rank"]
    assert sorted(line.split()[0] for line in lines[1:]) == names
    document = json.loads(command("predict", ratings, *names, "--top", 2, "--json").stdout)
    assert sum(player["top"] for player in document["players"]) == pytest.approx(2.0)
    assert 0.0 < document["quality"] < 1.0


def test_results_are_rated_on_the_spot_with_any_system(command, season):
    document = json.loads(
        command("predict", season, "player-0001", "player-0002", "-s", "glicko2", "--json").stdout
    )
    assert document["system"] == "glicko2"


def test_who_cannot_be_predicted(command, ratings):
    assert command("predict", ratings, "player-0001").complaint == (
        "player-0001: there is no such file of standings, and a contest to predict needs at least "
        "two players."
    )
    assert command("predict", ratings, "player-0001", "player-0001").complaint == (
        "player 'player-0001' is named twice."
    )
    assert "did you mean 'player-" in (
        command("predict", ratings, "player-0002", "player-001").complaint
    )


def test_an_expected_score_is_called_one(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "-s", "elo")
    assert shown.stdout.startswith("player-0001 expects ")
    assert "a draw counts half" in shown.stderr


def test_a_field_is_refused_by_a_system_of_matches(command, tmp_path, monkeypatch):
    monkeypatch.setattr(podium.systems.Elo, "most_players", 2)
    matches = tmp_path / "matches.csv"
    matches.write_text("time,player_a,player_b,outcome\n1,ann,bob,1\n2,bob,cat,0.5\n")
    assert command("predict", matches, "ann", "cat", "-s", "elo").code == 0
    assert command("predict", matches, "ann", "bob", "cat", "-s", "elo").complaint == (
        "elo predicts contests of at most 2 players, not of 3."
    )


def test_the_past_cannot_be_predicted(command, ratings):
    early = command("predict", ratings, "player-0001", "player-0002", "--at", "2020-01-01")
    assert early.complaint.startswith("ratings as of 2020-01-01 00:00:00 are not known")


def test_a_later_meeting_is_less_certain(command, season):
    ask = ("predict", season, "player-0001", "player-0002", "-s", "trueskill")
    ask += ("--set", "drift_per_day=1", "--json")
    now, late = (json.loads(command(*ask, *at).stdout) for at in ((), ("--at", "2036-01-01")))
    for key in ("quality", "win_probability", "draw_probability"):
        assert now[key] != late[key]
    assert now["players"][0]["first"] != late["players"][0]["first"]


def test_the_chances_shown_are_all_there_are(command, season):
    shown = command("predict", season, "player-0001", "player-0002", "-s", "trueskill").stdout
    chances = shown.splitlines()[0]
    assert sum(map(float, re.findall(r"([\d.]+)%", chances))) == pytest.approx(100.0, abs=0.15)


@pytest.mark.parametrize(
    "words",
    [
        ("rate", None),
        ("leaderboard", None),
        ("player", "ann", None),
        ("predict", None, "ann", "cat"),
    ],
)
def test_teams_can_be_ignored(command, tmp_path, words):
    cup = tmp_path / "cup.csv"
    cup.write_text(
        "contest,time,player,team,rank\nx,2026-05-01,ann,red,1\n"
        "x,2026-05-01,bob,red,1\nx,2026-05-01,cat,,2\n"
    )
    words = [cup if word is None else word for word in words]
    assert "rate teams" in command(*words).complaint
    assert command(*words, "--ignore-teams").code == 0


def test_who_is_stronger_is_another_question_than_who_wins(command, tmp_path):
    path = tmp_path / "matches.csv"
    podium.simulate_matches(players=4, matches=80, seed=1).write(path)
    pair = ("player-0001", "player-0002")
    shown = command("predict", path, *pair, "-s", "luck")
    document = json.loads(command("predict", path, *pair, "-s", "luck", "--json").stdout)
    ladder = podium.Ladder.from_beliefs(podium.rate(podium.read(path), "luck").beliefs)
    stronger = ladder.stronger_probability(*pair)
    assert document["stronger_probability"] == stronger
    assert abs(stronger - document["win_probability"]) > 0.05
    assert f"player-0001 is the stronger one: {stronger:.1%}" in shown.stdout
    unsure = command("predict", path, *pair, "-s", "elo")
    assert "stronger" not in unsure.stdout
    assert (
        json.loads(command("predict", path, *pair, "-s", "elo", "--json").stdout)[
            "stronger_probability"
        ]
        is None
    )


def test_the_side_is_taken_into_account(command, tmp_path):
    path = tmp_path / "matches.csv"
    podium.simulate_matches(players=4, matches=80, side_advantage=0.5, seed=1).write(path)
    options = ("-s", "luck", "--set", "side_advantage=0.5", "--json")
    pair = ("player-0001", "player-0002")
    chances = [
        json.loads(command("predict", path, *pair, *options, *home).stdout)
        for home in (("--home", pair[0]), (), ("--home", pair[1]))
    ]
    wins = [each["win_probability"] for each in chances]
    assert wins == sorted(wins, reverse=True)
    assert len(set(wins)) == 3
    assert "home must be one of two players who meet" in (
        command("predict", path, *pair, "-s", "luck", "--home", "player-0003").complaint
    )


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    """Standings of a contest that runs: players of the season and a newcomer."""
    names = [f"player-{number:04}" for number in (7, 3, 21, 40, 1, 55, 12)]
    path = tmp_path_factory.mktemp("now") / "now.txt"
    path.write_text("\n".join([*names, "zoe"]) + "\n")
    return path


def predicted(contests, now):
    beliefs = podium.rate(contests).beliefs
    standings = podium.read_standings(now, time=contests[-1].time)
    return beliefs, standings, podium.predict(beliefs, standings).table


def test_standings_show_what_ratings_would_become(command, ratings, contests, now):
    _, _, table = predicted(contests, now)
    shown = command("predict", ratings, "--standings", now)
    lines = shown.stdout.splitlines()
    assert lines[0].split() == ["rank", "player", "rating", "change", *lines[0].split()[4:]]
    assert [line.split()[1] for line in lines[1:]] == table["player"].to_list()
    assert lines[-1].endswith("new")
    assert "8 of 8 players, 1 newcomer among them" in shown.stderr
    best = table.row(0, named=True)
    assert f"{best['rating_before']:.0f} → {best['rating']:.0f}" in lines[1]
    assert command("predict", ratings, now).stdout == shown.stdout
    assert len(command("predict", ratings, now, "--top", 3).stdout.splitlines()) == 4


def test_standings_in_json_are_not_rounded(command, ratings, season, contests, now):
    _, _, table = predicted(contests, now)
    for source in (ratings, season):
        document = json.loads(command("predict", source, now, "--json").stdout)
        assert document["players"] == table.to_dicts()
        assert (document["participants"], document["newcomers"]) == (8, 1)
        assert "curve" not in document
    short = json.loads(command("predict", ratings, now, "--json", "--top", 2).stdout)
    assert short["players"] == table.head(2).to_dicts()


def test_the_curve_of_a_player(command, ratings, contests, now, tmp_path):
    beliefs, standings, _ = predicted(contests, now)
    curve = podium.curve(beliefs, standings, "player-0040")
    reachable, beyond = round(curve.table["rating"][2]) - 1, round(curve.best) + 100
    ask = ("predict", ratings, now, "--player", "player-0040")
    ask += ("--goal", reachable, "--goal", beyond)
    shown = command(*ask, "--png", tmp_path / "curve.png")
    assert f"player-0040: rank 4 of 8, {curve.rating_before:.0f} → " in shown.stdout
    assert f"Rank {curve.keep} or better keeps {curve.rating_before:.0f}." in shown.stdout
    assert f"or better reaches {reachable}." in shown.stdout
    assert f"{beyond} is out of reach: the first place gives {curve.best:.0f}." in shown.stdout
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(command(*ask, "--json").stdout)["curve"]
    assert found["ranks"] == curve.table.to_dicts()
    assert (found["rank"], found["keep"], found["exact"]) == (4, curve.keep, True)
    assert found["goals"][1] == {"rating": float(beyond), "rank": None}


def test_one_who_is_not_there_may_be_imagined(command, ratings, now):
    shown = command("predict", ratings, now, "--player", "player-0002").stdout
    assert "player-0002: would be one of 9, rated " in shown


def test_a_curve_of_no_promise_says_so(command, season, tmp_path):
    now = tmp_path / "many.txt"
    now.write_text("\n".join(f"n{number}" for number in range(205)))
    ask = ("predict", season, now, "--player", "n100", "-s")
    assert "may give a higher rating" in command(*ask, "topcoder").stderr
    assert "may give a higher rating" not in command(*ask, "elo-mmr").stderr


def test_when_standings_are(command, season, contests, now, tmp_path):
    ask = ("predict", season, now, "--set", "drift_per_day=50", "--json")
    last, later = (json.loads(command(*ask, *at).stdout) for at in ((), ("--at", "2036-01-01")))
    assert last["time"] == f"{contests[-1].time:%Y-%m-%dT%H:%M:%SZ}"
    assert later["time"] == "2036-01-01T00:00:00Z"
    assert later["players"][0]["expected_rank"] != last["players"][0]["expected_rank"]
    dated = tmp_path / "dated.csv"
    dated.write_text("time,player\n2040-01-01,ann\n2040-01-01,bob\n")
    assert command("predict", season, dated).code == 0
    assert command("predict", season, dated, "--at", "2036-01-01").complaint == (
        f"{dated}: says itself when the contest is, so --at does not apply."
    )


def test_how_standings_are_read_where_ratings_are_known(command, ratings, season, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("handle,points\nplayer-0003,7\nplayer-0001,9\n")
    options = ("--columns", "player=handle", "--columns", "score=points", "--json")
    document = json.loads(command("predict", ratings, table, *options).stdout)
    assert [row["player"] for row in document["players"]] == ["player-0001", "player-0003"]
    assert "no column 'handle'" in command("predict", season, table, *options).complaint
    assert command("predict", ratings, table, "--keep-order").complaint == (
        f"{ratings}: holds ratings already, so options for reading results do not apply."
    )


def test_what_does_not_go_together(command, ratings, now, tmp_path):
    two = ("predict", ratings, "player-0001", "player-0002")
    asked = ("predict", ratings, "--standings", now)
    several = tmp_path / "several.csv"
    podium.simulate(players=4, rounds=3).write(several)
    for words, complaint in (
        ((*asked, "ann"), "who takes part stands in the file of --standings, so no names are nee"),
        ((*two, "--player", "ann"), "--player is for standings, which --standings FILE gives."),
        ((*two, "--goal", 1800), "--goal is for one player of standings; say who with --player N"),
        ((*asked, "--png", "x.png"), "--png is for one player of standings; say who with --player"),
        ((*asked, "--home", "ann"), "--home is for names; standings have a column side."),
        ((*asked, "--player", "player-04"), "player 'player-04' is neither in the standings nor r"),
        (("predict", ratings), "a contest to predict needs at least two players, or standings"),
        (("predict", ratings, several), f"{several}: holds 3 contests, but standings are of one."),
        (
            ("predict", ratings, "--standings", tmp_path / "none.csv"),
            f"{tmp_path / 'none.csv'}: there is no such file or folder.",
        ),
        ((*asked, "--system", "elo"), f"{ratings}: holds ratings already"),
    ):
        assert command(*words).complaint.startswith(complaint)


def test_a_league_predicts_as_its_ratings_do(command, ratings, now, tmp_path):
    file = tmp_path / "league.db"
    with podium.League.create(file) as league:
        league.record(podium.simulate(players=60, rounds=12, participation=0.6, ties=0.2, seed=3))
    for words in (
        (now, "--player", "player-0040", "--goal", 1500, "--json"),
        ("player-0001", "player-0002", "player-0003", "--json"),
    ):
        assert command("predict", file, *words).stdout == command("predict", ratings, *words).stdout
    assert command("predict", file, now, "--system", "elo").complaint == (
        f"{file}: is a league, which has its own rating system."
    )
    assert command("predict", file, "ann", "bob", "--rerank").complaint == (
        f"{file}: holds ratings already, so options for reading results do not apply."
    )


def test_players_of_a_league_can_be_named_by_any_of_their_names(command, league):
    usual = command("predict", league, "bob", "ann").stdout
    command("rename", league, "bob", "robert")
    assert command("predict", league, "bob", "ann").stdout == usual.replace("bob", "robert")
    assert command("predict", league, "bob", "robert").complaint == (
        "player 'robert' is named twice."
    )
    assert command("predict", league, "robret", "ann").complaint == (
        "there is no player 'robret' (did you mean 'robert'?) in the league."
    )


def test_calibrated_chances_say_at_which_temperature(command, season, contests, tmp_path):
    best, second = podium.rate(contests).ratings["player"][:2]
    rated = podium.rate(contests, calibrated=True)
    wanted = rated.win_probability(best, second, calibrated=True)
    shown = command("predict", season, best, second, "--calibrated")
    assert f"{best} wins {wanted:.1%}" in shown.stdout
    assert f"calibrated: at a temperature of {rated.temperature():.3g}." in shown.stderr
    assert command("rate", season, "--calibrated", "--out", tmp_path / "sure").code == 0
    league = tmp_path / "league.db"
    assert command("init", league).code == 0
    assert command("record", league, season).code == 0
    for source in (tmp_path / "sure", league):
        printed = command("predict", source, best, second, "--calibrated", "--json").stdout
        document = json.loads(printed)
        assert document["temperature"] == rated.temperature()
        assert document["win_probability"] == wanted


def test_ratings_that_have_learned_no_temperature_are_not_calibrated(command, ratings):
    shown = command("predict", ratings, "player-0001", "player-0002", "--calibrated")
    assert shown.code == 2
    assert "have learned no temperature" in shown.stderr
