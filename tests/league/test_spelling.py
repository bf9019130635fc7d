"""Leagues from before names had one spelling: what a migration does to them."""

import pytest

from podium import Contests, League, PodiumError
from podium.ratings import arithmetic
from tests.league.older import made_older
from tests.league.tables import execute

pytestmark = pytest.mark.usefixtures("first_arithmetic")

DAYS = range(5)


def season(names: dict[str, str], contests: dict[str, str]) -> Contests:
    """Contests whose players all tie but the first, so that names decide who stands where."""
    return Contests.from_records(
        [
            {
                "contest": contests.get(f"day {day}", f"day {day}"),
                "time": 86_400 * (day // 2),
                "player": names.get(player, player),
                "rank": min(2, place + 1),
            }
            for day in DAYS
            for place, player in enumerate(["!ann", "bob", "cat", "dan"][day % 2 :])
        ]
    )


OLD = {"!ann": " ann", "dan": "dan "}
"""What stand-ins that sort like it are called in the old league."""
NEW = {"!ann": "ann"}
CONTESTS = {"day 3": "day 3 ", "day 0": " day 0"}


def old_league(where: str) -> None:
    """A league of version 0003 with names that nobody could give any more."""
    with League.create(where) as league:
        league.record(season({}, {"day 0": "!day 0"}))
        league.rename("cat", "cate")
        league.rename("cate", "cat")
    execute(
        where,
        *(f"UPDATE players SET name = '{new}' WHERE name = '{old}'" for old, new in OLD.items()),
        "UPDATE contests SET contest = ' day 0' WHERE contest = '!day 0'",
        "UPDATE checkpoints SET contest = ' day 0' WHERE contest = '!day 0'",
        "UPDATE contests SET contest = 'day 3 ', name = ' Third' WHERE contest = 'day 3'",
        "UPDATE checkpoints SET contest = 'day 3 ' WHERE contest = 'day 3'",
        "UPDATE aliases SET name = 'cate '",
    )
    made_older(where, "0003")


def ratings(league: League) -> list[tuple[object, ...]]:
    return sorted(league.leaderboard(None).select("player", "mu", "sigma", "rating").rows())


def test_names_get_one_spelling_and_ties_their_order(where, places):
    old_league(where)
    done = League.migrate(where)
    assert done.applied
    assert "gave 6 names one spelling" in done.what
    assert sorted(done.respelt) == [
        ("alias", "cate ", "cate"),
        ("contest", " day 0", "day 0"),
        ("contest", "day 3 ", "day 3"),
        ("player", " ann", "ann"),
        ("player", "dan ", "dan"),
        ("title", " Third", "Third"),
    ]
    assert done.reordered == []
    with League(where) as league, League.create(places()) as right:
        right.record(season(NEW, {}))
        assert league.verify().differences == []
        assert ratings(league) == ratings(right)
        assert league.contests()["contest"].to_list() == right.contests()["contest"].to_list()
        assert league.contests("day 3")["name"].item() == "Third"
        assert league.player("cate").name == "cat"
        entry = league.log(1)
        assert entry["action"].item() == "migrate"
        assert '"respelt": 6' in entry["details"].item()
        assert '"cate "' in entry["before"].item()
        league.record(season(NEW, {}))
    assert not League.migrate(where).applied


def test_contests_in_which_the_order_of_a_tie_changes_are_rated_again_and_listed(where, places):
    tied = [
        {"contest": f"c{day}", "time": 86_400 * day, "player": name, "rank": 1}
        for day in DAYS
        for name in ("!zoe", "bob", "cat", "eve")[day % 2 :]
    ]
    with League.create(where) as league:
        league.record(Contests.from_records(tied))
    execute(where, "UPDATE players SET name = ' zoe' WHERE name = '!zoe'")
    made_older(where, "0003")
    done = League.migrate(where)
    assert done.reordered == ["c0", "c2", "c4"]
    assert done.replayed >= 3
    right = [{**row, "player": row["player"].replace("!", "")} for row in tied]
    with League(where) as league, League.create(places()) as other:
        other.record(Contests.from_records(right))
        assert league.verify().differences == []
        assert ratings(league) == ratings(other)


def test_two_who_would_become_one_are_listed_and_left_alone(where, tmp_path):
    with League.create(where) as league:
        league.record(season({}, {"day 0": "!day 0", "day 1": "!day 1"}))
        league.rename("bob", "bobby")
    execute(
        where,
        "UPDATE players SET name = 'cat ' WHERE name = 'dan'",
        "UPDATE players SET name = ' bob' WHERE name = '!ann'",
        "UPDATE contests SET contest = 'day 2 ' WHERE contest = '!day 0'",
        "UPDATE checkpoints SET contest = 'day 2 ' WHERE contest = '!day 0'",
    )
    made_older(where, "0003")
    with_both = League.migrate(where)
    assert with_both.respelt == []
    assert sorted(with_both.alike) == [[" bob", "bob"], ["cat", "cat "], ["day 2", "day 2 "]]
    with League(where) as league:
        assert {league.player(name).name for name in ("cat", "cat ", " bob", "bob")} == {
            "cat",
            "cat ",
            " bob",
            "bobby",
        }
        assert league.result("day 2 ").contest == "day 2 "
        assert '"alike"' in league.log(1)["details"].item()
        league.export(tmp_path / "export")
    assert sorted(League.migrate(where).alike) == sorted(with_both.alike)
    with pytest.raises(PodiumError, match=r"results\.parquet: the names .* would be one"):
        League.restore(tmp_path / "export", tmp_path / "copy.db")


def test_an_earlier_arithmetic_and_old_names_are_put_right_together(where, monkeypatch, places):
    old_league(where)
    monkeypatch.setattr(arithmetic, "ARITHMETIC", 2)
    done = League.migrate(where)
    assert "one spelling" in done.what
    assert "rated the league anew" in done.what
    with League(where) as league, League.create(places()) as right:
        right.record(season(NEW, {}))
        assert league.verify().differences == []
        assert ratings(league) == ratings(right)
