"""Contests that are not over: what is posted, what it predicts, and how it ends."""

import threading
from typing import Any

import polars as pl
import pytest

import podium
from podium import League, Rules
from podium.league import live
from podium.ratings.predictions import outcomes

TITLES = [(1300, "pupil"), (1500, "expert"), (1700, "master")]
SEASON = podium.simulate(players=30, rounds=7, participation=0.9, ties=0.2, seed=5)
NOW = SEASON[6:]


@pytest.fixture
def league(where):
    with League.create(where, rules=Rules(titles=TITLES)) as opened:
        opened.record(SEASON[:6])
        yield opened


def names(contests: podium.Contests) -> list[str]:
    return list(contests[0].players)


def by_player(live: Any, column: str) -> dict[str, Any]:
    return dict(zip(live.table["player"], live.table[column], strict=True))


class TestAPrediction:
    def test_is_what_recording_makes_of_it_to_the_bit(self, league):
        league.post_live("now", NOW)
        found = by_player(league.live("now"), "rating")
        final = podium.Contests(NOW.parts._replace(ids=pl.Series(["now"])))
        league.record(final)
        recorded = league.contest("now")
        assert found == dict(zip(recorded["player"], recorded["rating"], strict=True))

    def test_says_titles_before_and_after_and_the_rank_that_the_next_one_needs(self, league):
        league.post_live("now", NOW)
        rules = league.rules
        reached = 0
        found = league.live("now")
        assert found.needs == live.EVERYBODY
        for row in found.table.iter_rows(named=True):
            assert row["title_before"] == rules.title(row["rating_before"])
            assert row["title"] == rules.title(row["rating"])
            upcoming = rules.next_title(row["rating_before"])
            assert (row["goal"], row["goal_title"]) == (upcoming or (None, None))
            if upcoming is not None:
                goals = league.live_curve("now", row["player"]).goals
                assert [goal.rank for goal in goals] == [row["needed"]]
                reached += row["needed"] is not None
        assert reached > 3

    def test_of_a_system_that_knows_no_way_for_all_needs_one_to_be_asked_for(self, places):
        with League.create(places(), "elo", rules=Rules(titles=TITLES)) as league:
            league.record(SEASON[:6])
            league.post_live("now", NOW)
            found = league.live("now")
            assert found.needs == live.ONE
            assert found.table["needed"].null_count() == found.table.height
            assert league.live_curve("now", names(NOW)[3]).goals

    def test_of_a_league_without_titles_has_no_goal(self, places):
        with League.create(places()) as league:
            league.record(SEASON[:6])
            league.post_live("now", NOW)
            found = league.live("now")
            assert (found.needs, found.table["goal"].null_count()) == (None, found.table.height)
            (goal,) = league.live_curve("now", names(NOW)[3]).goals
            assert goal.rating % 100 == 0

    def test_keeps_titles_where_the_league_does(self, places):
        rules = Rules(titles=TITLES, keep_titles=True)
        with League.create(places(), rules=rules) as league:
            league.record(SEASON[:6])
            league.post_live("now", NOW)
            order = [None, *(title for _, title in TITLES)]
            found = league.live("now").table
            for row in found.iter_rows(named=True):
                assert order.index(row["title"]) >= order.index(row["title_before"])
                assert league.player(row["player"]).title == row["title_before"]

    def test_gives_nobody_a_title_who_stays_provisional(self, places):
        rules = Rules(titles=TITLES, provisional_until=7)
        with League.create(places(), rules=rules) as league:
            league.record(SEASON[:6])
            league.post_live("now", ["a newcomer", *names(NOW)])
            found = league.live("now").row("a newcomer")
            assert found is not None
            assert (found["title"], found["goal"], found["newcomer"]) == (None, None, True)

    def test_knows_newcomers_and_who_gains_and_loses_most(self, league):
        order = ["new", *names(NOW)]
        league.post_live("now", order)
        found = league.live("now")
        assert found.newcomers == 1
        said = found.summary()
        changes = by_player(found, "change")
        del changes["new"]
        assert said["gains"][0]["change"] == max(changes.values())
        assert said["losses"][0]["change"] == min(changes.values())
        assert [row["rank"] for row in said["medals"]] == [1, 2, 3]

    def test_leaves_out_guests_who_count_for_nobody(self, league):
        order = names(NOW)
        guest = order[2]
        league.set_guest(guest)
        league.post_live("now", order)
        found = league.live("now")
        row = found.row(guest)
        assert row is not None
        assert (row["rank"], row["rated"], row["rating"]) == (3, False, None)
        league.record(order, id="now", time=league.live("now").time)
        recorded = league.contest("now")
        wanted = dict(zip(recorded["player"], recorded["rating"], strict=True))
        assert by_player(found, "rating") == wanted

    def test_of_guests_alone_is_empty(self, league):
        two = names(NOW)[:2]
        for each in two:
            league.set_guest(each)
        league.post_live("now", two)
        assert league.live("now").table["rating"].to_list() == [None, None]

    def test_takes_teams_and_ties_and_what_files_say_besides(self, places):
        frame = pl.DataFrame(
            {
                "player": ["ann", "bob", "cat", "dan", "eve"],
                "team": ["red", "red", "blue", "blue", None],
                "score": [9, 9, 9, 9, 3],
                "contest": "x",
                "time": "2026-05-01",
            }
        )
        contests = podium.Contests.from_frame(frame)
        with League.create(places(), "elo-mmx", rules=Rules(titles=TITLES)) as league:
            league.post_live("now", contests)
            table = league.live("now").table
            assert table["rank"].to_list() == [1, 1, 1, 1, 5]
            assert table["team"].to_list() == ["red", "red", "blue", "blue", None]
            assert league.live("now").needs == live.ONE
        with League.create(places()) as league:
            with pytest.raises(podium.InputError, match="teams"):
                league.post_live("now", contests)
            league.post_live("now", contests.without_teams())
            assert league.live("now").table["score"].to_list() == ["9", "9", "9", "9", "3"]

    def test_calls_players_by_the_names_that_they_have(self, league):
        order = names(NOW)
        league.rename(order[0], "somebody")
        league.post_live("now", order)
        found = league.live("now")
        assert found.table["player"][0] == "somebody"
        assert not found.newcomers
        league.rename(order[1], "Anybody")
        assert league.live("now").table["player"][1] == "Anybody"

    def test_is_not_earlier_than_the_last_contest(self, league):
        early = podium.Contests.from_frame(NOW.frame().with_columns(time=pl.lit("2001-01-01")))
        league.post_live("now", early)
        found = league.live("now")
        assert found.time == league.contests()["time"][-1]


class TestHiddenPlayers:
    def test_take_part_and_are_never_shown(self, league):
        order = names(NOW)
        league.post_live("now", order)
        before = by_player(league.live("now"), "rating")
        league.hide(order[1])
        shown = league.live("now")
        assert order[1] not in shown.table["player"].to_list()
        assert shown.row(order[1]) is None
        assert {**before, order[1]: None} == {**by_player(shown, "rating"), order[1]: None}
        assert 2 not in shown.table["rank"].to_list()
        with pytest.raises(podium.NotFoundError, match="does not take part"):
            league.live_curve("now", order[1])
        with league.snapshot(with_hidden=True) as view:
            assert order[1] in view.live("now").table["player"].to_list()
        assert order[1] not in str(shown.document())

    def test_who_are_hidden_before_do_not_become_newcomers(self, league):
        order = names(NOW)
        league.hide(order[1])
        league.post_live("now", order)
        with league.snapshot(with_hidden=True) as view:
            found = view.live("now").row(order[1])
        assert found is not None
        assert not found["newcomer"]

    def test_are_not_named_by_teams(self, places):
        frame = pl.DataFrame(
            {"player": ["ann", "bob", "cat"], "team": ["ann & bob", "ann & bob", None]}
        ).with_columns(rank=pl.Series([1, 1, 2]), contest=pl.lit("x"), time=pl.lit("2026-05-01"))
        with League.create(places(), "elo-mmx") as league:
            league.record(["ann", "bob", "cat"], time="2026-04-01")
            league.hide("ann")
            league.post_live("now", podium.Contests.from_frame(frame))
            assert league.live("now").table["team"].to_list() == ["hidden player & bob", None]


class TestPosting:
    def test_again_replaces_and_the_same_changes_nothing(self, league):
        order = names(NOW)
        first = league.post_live("now", order, name="Now")
        again = league.post_live("now", order)
        assert (first.version, first.changed, again.version, again.changed) == (1, True, 1, False)
        assert again.name == "Now"
        before = league.live("now")
        rejudged = [order[1], order[0], *order[3:], "late"]
        third = league.post_live("now", rejudged)
        assert (third.version, third.changed) == (2, True)
        found = league.live("now")
        assert found.table["player"].to_list() == rejudged
        assert found.updated > before.updated
        assert found.created == before.created

    def test_changes_no_rating_and_takes_no_name(self, league):
        before = league.leaderboard(None)
        league.post_live("now", ["new", *names(NOW)])
        assert league.leaderboard(None).equals(before)
        assert "new" not in league
        assert league.verify().sound

    def test_is_in_the_log_when_it_begins_and_ends_and_no_state_follows_it_meanwhile(self, league):
        state = league.state
        league.post_live("now", names(NOW), who="ann")
        begun = league.state
        assert begun != state
        league.post_live("now", names(NOW)[::-1], who="ann")
        assert league.state == begun
        league.end_live("now", who="bob")
        assert league.state != begun
        entries = league.log(2).select("who", "action", "contest").rows()
        assert entries == [("bob", "live", "now"), ("ann", "live", "now")]
        with pytest.raises(podium.InputError, match="not taken back"):
            league.undo(league.log(1)["number"].item())
        league.undo()  # the recording, which stands
        assert len(league) == 0

    def test_what_was_ended_and_is_posted_again_has_other_marks(self, league):
        league.post_live("now", names(NOW))
        first = league.live("now").mark
        league.end_live("now")
        league.post_live("now", names(NOW)[::-1])
        assert league.live("now").version == 1
        assert league.live("now").mark != first

    @pytest.mark.parametrize("wrong", ["", "  ", "x" * 2000, None, 3])
    def test_needs_an_identifier(self, league, wrong):
        with pytest.raises(podium.InputError, match="identifier"):
            league.post_live(wrong, names(NOW))

    def test_needs_standings_of_one_contest(self, league):
        for wrong in (SEASON, "ann", None, {"ann": 1}):
            with pytest.raises(podium.InputError, match="standings of one contest"):
                league.post_live("now", wrong)

    @pytest.mark.usefixtures("league")
    def test_needs_a_league_that_can_be_changed(self, where):
        with (
            League.reading(where) as reading,
            pytest.raises(podium.InputError, match="for reading only"),
        ):
            reading.post_live("now", names(NOW))

    def test_of_two_at_once_keeps_both_one_after_the_other(self, league, where):
        orders = [names(NOW)[shift:] + names(NOW)[:shift] for shift in range(6)]
        errors: list[BaseException] = []

        def post(order: list[str]) -> None:
            try:
                with League(where) as own:
                    own.post_live("now", order)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=post, args=(order,)) for order in orders]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert [each for each in errors if not isinstance(each, podium.BusyError)] == []
        found = league.live("now")
        assert found.version == len(orders) - len(errors)
        assert found.table["player"].to_list() in orders


class TestPredictingOnce:
    @pytest.fixture
    def predictions(self, monkeypatch):
        counted: list[int] = []

        def predicting(*arguments: Any, **options: Any) -> Any:
            counted.append(1)
            return outcomes(*arguments, **options)

        monkeypatch.setattr(live, "outcomes", predicting)
        return counted

    def test_is_done_by_who_posts_and_by_nobody_who_reads(self, league, where, predictions):
        league.post_live("now", names(NOW))
        assert len(predictions) == 1
        with League.reading(where) as reading:
            for _ in range(3):
                reading.live("now")
        assert len(predictions) == 1

    def test_is_done_again_once_in_another_state_of_the_league(self, league, where, predictions):
        league.post_live("now", names(NOW))
        league.record(names(NOW)[::-1], id="meanwhile", time="2026-10-01")
        with League.reading(where) as reading:
            before = len(predictions)
            found = [reading.live("now") for _ in range(3)]
            assert len(predictions) == before + 1
        final = podium.predict(
            league.beliefs(), league_contest(league, names(NOW)), shown=None
        ).table
        assert found[0].table["rating"].to_list() == final["rating"].to_list()

    def test_what_is_damaged_is_predicted_again(self, league, where, predictions):
        league.post_live("now", names(NOW))
        wanted = league.live("now").table
        with league.noting() as connection:
            connection.execute(live.schema.live.update().values(prediction=b"nonsense"))
        before = len(predictions)
        with League.reading(where) as reading:
            assert reading.live("now").table.equals(wanted)
        assert len(predictions) == before + 1


def league_contest(league: League, order: list[str]) -> podium.Contests:
    time = league.live("now").time
    rows = [
        {"contest": "now", "time": time, "player": name, "rank": rank}
        for rank, name in enumerate(order, start=1)
    ]
    return podium.Contests.from_records(rows)


class TestTheEnd:
    def test_of_a_contest_is_its_recording(self, league):
        league.post_live("now", names(NOW))
        assert [each.contest for each in league.live_contests()] == ["now"]
        assert league.has_live()
        league.record(names(NOW), id="now", time="2026-09-01")
        assert (league.live_contests(), league.has_live()) == ([], False)
        assert league.signs().live["now"].recorded
        with pytest.raises(podium.NotFoundError, match="over and recorded"):
            league.live("now")
        with pytest.raises(podium.ConflictError, match="recorded already"):
            league.post_live("now", names(NOW))

    def test_is_taken_back_with_the_recording(self, league):
        league.post_live("now", names(NOW))
        league.record(names(NOW), id="now", time="2026-09-01")
        league.undo()
        assert league.live("now").version == 1

    def test_of_what_is_not_live_is_not_found(self, league):
        league.post_live("week-4", names(NOW))
        with pytest.raises(podium.NotFoundError, match=r"'week-5' is not live.*'week-4'"):
            league.end_live("week-5")
        with pytest.raises(podium.NotFoundError, match="'week-5' is not live"):
            league.live("week-5")

    def test_of_long_ago_is_forgotten_when_another_begins(self, league):
        league.post_live("now", names(NOW))
        league.record(names(NOW), id="now", time="2026-09-01")
        with league.noting() as connection:
            connection.execute(live.schema.live.update().values(updated=1))
        league.post_live("next", names(NOW))
        assert set(league.signs().live) == {"next"}


class TestFetching:
    def test_is_arranged_noted_and_ended(self, league):
        address = "https://example.org/now.csv"
        league.poll_live("now", address, every=60, who="ann", delimiter=";", contest="x")
        found = league.live("now")
        assert (found.version, found.table.height) == (0, 0)
        assert (found.source, found.every, found.problem) == (address, 60, None)
        (source,), seconds = league.live_sources()
        assert (source.contest, source.options.delimiter, source.who) == ("now", ";", "ann")
        assert seconds > 60
        league.live_fetched(source, "it is not there.")
        found = league.live("now")
        assert found.problem == "it is not there."
        none, seconds = league.live_sources()
        assert none == []
        assert 0 < seconds <= 60
        league.post_live("now", names(NOW))
        assert league.live("now").source == address
        league.poll_live("now", None)
        assert league.live("now").source is None
        assert league.live_sources()[0] == []

    def test_ends_with_the_contest(self, league):
        league.poll_live("now", "https://example.org/now.csv")
        league.record(names(NOW), id="now", time="2026-09-01")
        assert league.live_sources()[0] == []
        with pytest.raises(podium.ConflictError, match="recorded already"):
            league.poll_live("now", "https://example.org/now.csv")

    def test_needs_an_address_and_a_pause(self, league):
        for wrong in ("ftp://a/b", "/etc/passwd", "", "https://" + "x" * 3000, 7):
            with pytest.raises(podium.InputError, match="https://"):
                league.poll_live("now", wrong)
        for wrong in (4, 3601, 7.5, True):
            with pytest.raises(podium.InputError, match="every 5 to 3,600 seconds"):
                league.poll_live("now", "https://example.org", every=wrong)
        with pytest.raises(podium.NotFoundError, match="nothing is fetched"):
            league.poll_live("now", None)


def test_a_league_is_another_when_a_contest_is_posted_and_only_then(league):
    first = league.signs()
    assert league.signs() == first
    league.post_live("now", names(NOW))
    second = league.signs()
    league.post_live("now", names(NOW))
    assert league.signs() == second != first
    league.post_live("now", names(NOW)[::-1])
    third = league.signs()
    assert (third.live["now"].version, third.state) == (2, second.state)


def test_an_export_and_a_backup_carry_on_without_what_is_live(league, tmp_path):
    league.post_live("now", names(NOW))
    league.export(tmp_path / "export")
    with League.restore(tmp_path / "export", tmp_path / "other.db") as other:
        assert other.live_contests() == []
        assert other.verify().sound
