"""What a notebook, or an interactive session, shows of a result."""

import math
import re

import pytest

import podium

HOSTILE = "<script>alert('&')</script>"


@pytest.fixture(scope="module")
def season():
    frame = podium.simulate(players=12, rounds=11, seed=1).frame()
    players = frame["player"].replace("player-0003", HOSTILE)
    contests = frame["contest"].replace("round-11", HOSTILE)
    return podium.Contests.from_frame(frame.with_columns(player=players, contest=contests))


@pytest.fixture(scope="module")
def rated(season):
    return podium.rate(season[:10])


@pytest.fixture(scope="module")
def league(season, tmp_path_factory):
    with podium.League.create(tmp_path_factory.mktemp("league") / "league.db") as made:
        made.record(season[:10])
        yield made


def rows(page):
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in page.split("<tr>")[2:]]


@pytest.fixture(scope="module")
def things(season, rated, league):
    final = season[10:]
    return [
        podium.Ladder.from_beliefs(rated.beliefs),
        rated,
        rated.player(HOSTILE),
        final,
        podium.predict(rated.beliefs, final),
        podium.curve(rated.beliefs, final, HOSTILE),
        podium.explain(rated.beliefs, final, HOSTILE),
        league.board(),
        league,
        league.record(final, dry_run=True),
        podium.evaluate(season, "elo-mmr", min_contests=1, resamples=5),
    ]


@pytest.mark.parametrize("number", range(11))
def test_names_are_harmless_and_texts_are_short(things, number):
    thing = things[number]
    page = thing._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page or isinstance(thing, podium.Evaluation)
    assert len(page.splitlines()) < 80
    assert repr(thing).startswith(f"<{type(thing).__name__}")
    assert len(repr(thing)) < 250
    assert "\n" not in repr(thing)


def test_ratings_show_the_best(rated):
    page = rated._repr_html_()
    assert "<caption>Rated of elo-mmr: 12 players after 10 contests</caption>" in page
    assert len(rows(page)) == 10
    best = rated.top(1)[0]
    assert rows(page)[0][:3] == ["1", best.name, f"{best.rating:,.0f}"]


def test_a_player_says_what_is_known():
    player = podium.Player("ann", 1516.4, 1580.1, 112.7, 1, None, place=3, title="expert")
    assert repr(player) == "<Player 'ann': 1516 (1580 ± 113) after 1 contest, expert, place 3>"
    plain = podium.Player("bob", 25.125, 25.125, math.nan, 1200, None)
    assert repr(plain) == "<Player 'bob': 25.12 after 1,200 contests>"
    page = player._repr_html_()
    assert rows(page) == [["ann", "1,516", "1,580", "113", "1", "3", "expert", "no", "no"]]
    assert "last_time" not in page


def test_predictions_and_curves_show_changes_that_add_up(rated, season):
    prediction = podium.predict(rated.beliefs, season[10:])
    assert repr(prediction).endswith(" by elo-mmr: 12 players>")
    shown = rows(prediction._repr_html_())
    assert len(shown) == 10
    for _, _, before, after, change in shown:
        before, after, change = (int(each.replace(",", "")) for each in (before, after, change))
        assert after - before == change
    assert "10 of 12 rows" in prediction._repr_html_()
    curve = podium.curve(rated.beliefs, season[10:], "player-0001")
    rank = prediction.table.filter(player="player-0001")["rank"][0]
    assert repr(curve) == (
        f"<Curve of 'player-0001' in {HOSTILE!r} by elo-mmr: "
        f"{rated['player-0001'].rating:.0f} before, rank {rank} of 12>"
    )


def test_an_explanation_shows_its_paragraphs(rated, season):
    found = podium.explain(rated.beliefs, season[10:], "player-0001")
    change = found.change
    assert f"{change.rating_before:.0f} → {change.rating:.0f} (" in repr(found)
    assert found._repr_html_().count("<p>") == found.text().count("\n\n") + 1 == 6


def test_an_evaluation_shows_every_system(season):
    found = podium.evaluate(season, ["elo", "elo k=16"], min_contests=1, resamples=5)
    assert repr(found) == "<Evaluation of 'elo', 'elo k=16' by 10 contests>"
    shown = rows(found._repr_html_())
    assert [row[:2] for row in shown] == [
        [players, system] for players in ("experienced", "all") for system in ("elo", "elo k=16")
    ]
    value = found.table.row(0, named=True)
    assert f"<td>{value['value']:.4f}</td>" in found._repr_html_()


def test_contests_show_when_they_were(season):
    assert rows(season[:2]._repr_html_()) == [
        ["round-01", "2026-01-01", "12"],
        ["round-02", "2026-01-08", "12"],
    ]
