"""Charts hold for any career, say in words what they show, and carry any name unharmed."""

import copy
import itertools
import json
import math
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.errors import InputError
from podium.markup import Markup
from podium.ratings.careers import Career
from podium.ratings.chances import Chances
from podium.web import charts
from podium.web.charts.axes import Scale, around, date_ticks, number_ticks
from podium.web.charts.compare import spread_out
from podium.web.charts.lettering import cut, day, seconds, width
from podium.web.charts.tones import DARK, LIGHT
from tests.web.conftest import HOSTILE, TITLES

STATIC = Path(charts.__file__).parent.parent / "static"
PLAYER = "player-0004"


@pytest.fixture(scope="module")
def season():
    return podium.simulate(players=60, rounds=20, seed=3)


@pytest.fixture(scope="module")
def rated(season):
    return podium.rate(season, "elo-mmr")


@pytest.fixture(scope="module")
def career(rated) -> dict[str, Any]:
    return Career.of(rated, PLAYER).document()


@pytest.fixture(scope="module")
def explained(season):
    return podium.explain_result(season, "round-20", PLAYER, "elo-mmr")


@pytest.fixture(scope="module")
def curve(season) -> dict[str, Any]:
    return podium.curve(podium.rate(season[:19]).beliefs, season[19:], PLAYER).document()


def address(contest: str) -> str:
    return f"/club/contest/{quote(contest, safe='', errors='replace')}"


def parsed(drawn: str) -> ElementTree.Element:
    """The elements of a chart, which are well-formed."""
    return ElementTree.fromstring(f"<div>{drawn}</div>")


def with_class(drawn: str, name: str) -> list[ElementTree.Element]:
    return [each for each in parsed(drawn).iter() if name in each.get("class", "").split()]


def texts(element: ElementTree.Element, tag: str) -> list[str]:
    return ["".join(each.itertext()) for each in element.iter() if each.tag.endswith(tag)]


def data_of(drawn: str) -> dict[str, Any]:
    block = re.search(r'<script type="application/json" class="chart-data">(.*?)</script>', drawn)
    assert block is not None
    return json.loads(block[1])


def lengthened(career: dict[str, Any], count: int) -> dict[str, Any]:
    """The same career with so many contests, three days apart."""
    history = []
    for number, each in zip(range(count), itertools.cycle(career["history"]), strict=False):
        time = datetime(2010, 1, 1, tzinfo=UTC) + timedelta(days=3 * number)
        said = time.strftime("%Y-%m-%dT%H:%M:%SZ")
        rating = 1500.0 + 200.0 * math.sin(number / 90.0)
        history.append({**each, "contest": f"contest-{number:04}", "time": said, "rating": rating})
    return {**career, "history": history}


def test_a_point_of_a_career_tells_its_contest_and_leads_there(career):
    drawn = charts.career(career, titles=TITLES, href=address)
    links = list(parsed(drawn).iter("a"))
    assert len(links) == 20
    first, last = career["history"][0], career["history"][-1]
    assert [links[0].get("href"), links[-1].get("href")] == [
        address(first["contest"]),
        address(last["contest"]),
    ]
    before, after = round(last["rating_before"]), round(last["rating"])
    said = f"round-20, 14 May 2026: rank {last['rank']} of 60, "
    said += f"{before:,} → {after:,} ({after - before:+,})".replace("(-", "(−")
    assert links[-1].get("aria-label") == said
    assert texts(links[-1], "title") == [said]


def test_a_career_says_in_words_what_it_shows(career):
    (picture,) = with_class(charts.career(career), "chart-svg")
    label = picture.get("aria-label")
    assert label.startswith(f"Rating of {PLAYER} over 20 contests, 1 Jan 2026 to 14 May 2026: ")
    assert f"best {career['best_rating']:,.0f} on " in label
    assert label.endswith(f"now {career['rating']:,.0f} ± {career['sigma']:.0f}.")


def test_the_script_gets_what_the_server_drew(career):
    data = data_of(charts.career(career, titles=TITLES, href=address))
    assert data == charts.career_data(career, titles=TITLES, href=address)
    assert data["rating"] == [round(each["rating"]) for each in career["history"]]
    assert [data["base"] + each for each in data["href"]] == [
        address(each["contest"]) for each in career["history"]
    ]
    assert data["titles"][0] == [1200, "pupil", "tone-0"]


def test_the_best_is_that_of_the_ratings_before_they_are_rounded(career):
    close = copy.deepcopy(career)
    for each, rating in zip(close["history"], (1600.1, 1600.4, 1600.3), strict=False):
        each["rating"] = rating
    del close["history"][3:]
    second = close["history"][1]["time"]
    data = charts.career_data(close, href=address)
    assert data["rating"] == [1600, 1600, 1600]
    assert data["best"] == 1
    (picture,) = with_class(charts.career(close, href=address), "chart-svg")
    assert f"best 1,600 on {day(seconds(second))}" in picture.get("aria-label")


def test_a_hundred_contests_take_less_than_40_kilobytes(career):
    drawn = charts.career(lengthened(career, 100), titles=TITLES, href=address)
    assert len(drawn.encode()) < 40_000


def test_of_very_many_contests_points_are_left_out_but_the_line_has_all(career):
    drawn = charts.career(lengthened(career, 1500), titles=TITLES, href=address)
    (line,) = with_class(drawn, "line")
    steps = re.findall(r"-?[\d.]+", line.get("d"))
    assert len(steps) == 2 * 1500
    assert len(list(parsed(drawn).iter("a"))) <= 121
    assert len(data_of(drawn)["time"]) == 1500


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_contests_at_one_time_are_drawn(career, count):
    few = copy.deepcopy(career)
    few["history"] = [{**each, "time": "2026-01-08T00:00:00Z"} for each in few["history"][:count]]
    drawn = charts.career(few, titles=TITLES, href=address)
    assert len(list(parsed(drawn).iter("a"))) == count
    assert all(each.get("cx") == "50%" for each in parsed(drawn).iter("circle"))


@pytest.mark.parametrize(
    ("level", "digits"), [(1500.0, 0), (0.0, 2), (-37.25, 2), (1e-3, 2), (25.0, 2), (1e7, 0)]
)
def test_ratings_that_never_change_stand_in_the_middle(career, level, digits):
    flat = copy.deepcopy(career)
    for each in flat["history"]:
        each |= {"rating": level, "rating_before": level, "sigma": None, "performance": None}
    drawn = charts.career(flat, titles=TITLES, href=address, digits=digits)
    assert {float(each.get("cy")) for each in parsed(drawn).iter("circle")} == {150.0}
    assert "nan" not in drawn
    assert with_class(drawn, "spread") == with_class(drawn, "performances") == []
    assert "uncertainty" not in drawn


def test_what_is_no_number_is_not_drawn(career):
    odd = copy.deepcopy(career)
    odd["history"][3] |= {"sigma": float("nan"), "performance": None}
    odd["history"][4] |= {"sigma": None, "performance": float("inf")}
    drawn = charts.career(odd, href=address)
    assert "nan" not in drawn.lower().replace("nance", "")
    assert data_of(drawn)["sigma"][3:5] == data_of(drawn)["performance"][3:5] == [None, None]


def test_no_contests_are_a_sentence(career):
    drawn = charts.career({**career, "history": []})
    assert drawn == '<p class="chart-empty">There are no rated contests to draw.</p>\n'
    assert charts.compare([{**career, "history": []}]) == drawn


def all_charts(career, explained, curve, rated) -> dict[str, Markup]:
    document, opponents = explained.document(), explained.opponents.to_dicts()
    ratings = [each["rating"] for each in career["history"]]
    chances = Chances.of(rated, [PLAYER, "player-0001", "player-0002", "player-0003"]).document()
    return {
        "career": charts.career(career, titles=TITLES, href=address),
        "compare": charts.compare([career, career], href=address),
        "sparkline": charts.sparkline(ratings, "the last ratings"),
        "distribution": charts.distribution(ratings, ratings[3:], TITLES),
        "pulls": charts.pulls(document, opponents),
        "weights": charts.weights(document, href=address),
        "change": charts.change(document),
        "limits": charts.limits(document),
        "what if": charts.what_if(curve, document["rank"]),
        "places": charts.places(chances),
    }


def test_no_chart_of_a_page_has_a_style_or_a_script_of_its_own(career, explained, curve, rated):
    for drawn in all_charts(career, explained, curve, rated).values():
        for element in parsed(drawn).iter():
            assert element.tag != "style"
            assert element.tag != "script" or element.get("type") == "application/json"
            assert not any(name == "style" or name.startswith("on") for name in element.attrib)


def test_every_picture_has_a_text_in_its_place(career, explained, curve, rated):
    for drawn in all_charts(career, explained, curve, rated).values():
        pictures = [each for each in parsed(drawn).iter("svg") if each.get("role")]
        (picture,) = pictures
        assert len(picture.get("aria-label")) > 10
        has_links = next(picture.iter("a"), None) is not None
        assert picture.get("role") == ("group" if has_links else "img")


def test_coordinates_are_rounded(career, explained, curve, rated):
    for drawn in all_charts(career, explained, curve, rated).values():
        for element in parsed(drawn).iter():
            for name in ("x", "y", "cx", "cy", "x1", "x2", "y1", "y2", "width", "height", "d"):
                for number in re.findall(r"[\d.]+%?", element.get(name, "")):
                    whole, _, rest = number.rstrip("%").partition(".")
                    assert len(rest) <= (2 if number.endswith("%") else 1), (whole, element.attrib)


def test_the_same_documents_give_the_same_charts(career, explained, curve, rated):
    once, again = (all_charts(career, explained, curve, rated) for _ in range(2))
    assert once == again


def renamed(document: Any, name: str) -> Any:
    """The document with another name for everything that has one."""
    if isinstance(document, dict):
        named = {"player", "contest", "name"}
        return {
            key: name if key in named and isinstance(value, str) else renamed(value, name)
            for key, value in document.items()
        }
    return [renamed(each, name) for each in document] if isinstance(document, list) else document


@pytest.mark.parametrize("name", [*HOSTILE, "", "</script><b>", "علي محمد", "a\ud800\x00b"])
def test_any_name_is_text_in_every_chart(career, explained, curve, rated, name):
    document = renamed(explained.document(), name)
    opponents = renamed(explained.opponents.to_dicts(), name)
    chances = renamed(Chances.of(rated, [PLAYER, "player-0001"]).document(), name)
    titles = [(1200, name), (1700, name)]
    drawn = [
        charts.career(renamed(career, name), titles=titles, href=address),
        charts.compare([renamed(career, name)] * 2, href=address),
        charts.sparkline([1.0, 2.0], name),
        charts.distribution([1500.0], [1600.0], titles),
        charts.pulls(document, opponents),
        charts.weights(document, href=address),
        charts.change(document),
        charts.limits(document),
        charts.what_if(renamed(curve, name)),
        charts.places(chances),
        charts.badge(name, 1500.0, name, "tone-3"),
        charts.curve_svg(renamed(career, name), titles),
    ]
    for each in drawn:
        tags = {element.tag.rpartition("}")[2] for element in parsed(each).iter()}
        assert not tags & {"b", "img"}
        assert "\u202e" not in each
        assert "</script><" not in each.replace("</script></figure>", "")


def test_markup_is_left_alone_by_templates():
    jinja2 = pytest.importorskip("jinja2")
    template = jinja2.Environment(autoescape=True).from_string("{{ drawn }}")
    assert template.render(drawn=Markup("<b>1</b>")) == "<b>1</b>"


def test_curves_that_are_compared_differ_in_colour_dash_and_mark(career):
    drawn = charts.compare([{**career, "player": each} for each in "abcde"], href=address)
    marks = {
        next(group.iter("path")).get("d")
        for number in range(5)
        for group in with_class(drawn, f"series-{number}")
        if "series" in group.get("class").split()
    }
    assert len(marks) == 5
    css = (STATIC / "charts.css").read_text()
    looks = re.findall(r"\.series-(\d) \{ --series: var\((.*?)\); --dash: (.*?); \}", css)
    assert len({colour for _, colour, _ in looks}) == len({dash for *_, dash in looks}) == 5
    with pytest.raises(InputError, match="at most 5"):
        charts.compare([career] * 6)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=5))
def test_names_beside_curves_never_overlap(places):
    found = spread_out(places, 15.0)
    ordered = sorted(found)
    assert all(b - a >= 15.0 - 1e-6 for a, b in itertools.pairwise(ordered))
    order = sorted(range(len(places)), key=lambda each: (places[each], each))
    assert [found[each] for each in order] == ordered


def test_a_sparkline_marks_its_last_value():
    drawn = charts.sparkline([1.0, None, float("nan"), 3.0, 2.0], "three ratings")
    (circle,) = parsed(drawn).iter("circle")
    assert (circle.get("cx"), circle.get("cy")) == ("97", "12")
    assert charts.sparkline([], "nothing") == charts.sparkline([None], "nothing") == ""
    assert 'cy="12"' in charts.sparkline([1500.0], "one")


def test_histograms_share_their_bins_and_count_everybody():
    before = [1400.0 + 7 * each for each in range(50)]
    after = [*(each + 30 for each in before), None, float("nan")]
    drawn = charts.distribution(before, after, TITLES)
    said = [
        re.fullmatch(r".* to .*: (\d+) before, (\d+) after", texts(each, "title")[0])
        for each in with_class(drawn, "mark")
    ]
    assert sum(int(each[1]) for each in said) == sum(int(each[2]) for each in said) == 50
    assert "There are no ratings" in charts.distribution([], [None])


def test_of_ten_thousand_opponents_400_are_drawn_with_those_named(explained):
    document = explained.document()
    known = explained.opponents.to_dicts()
    crowd = [
        {**each, "player": f"{each['player']} {copy_}", "pull": each["pull"] / 100, "rank": 90}
        for copy_ in range(170)
        for each in known
    ]
    drawn = charts.pulls(document, [*known, *crowd])
    marks = with_class(drawn, "mark")
    assert len(marks) <= 400
    named = texts(parsed(drawn), "text")
    performance = document["performance"]
    for side in ("up", "down"):
        for each in performance[side]["few"]:
            assert each["player"] in named
    assert f"of {len(known) + len(crowd):,}" in drawn


@pytest.mark.parametrize("screen", [280, 350, 500, 900])
def test_names_of_opponents_do_not_overlap_on_any_screen(explained, screen):
    drawn = charts.pulls(explained.document(), explained.opponents.to_dicts())
    boxes = []
    for each in with_class(drawn, "tag"):
        (text,) = (found for found in each.iter("text"))
        wide = width("".join(text.itertext()), 12)
        left = float(each.get("x").rstrip("%")) / 100 * screen + float(text.get("x"))
        anchor = text.get("class").split()[-1]
        left -= {"start": 0, "end": wide}.get(anchor, wide / 2)
        top = float(each.get("y")) + float(text.get("y"))
        boxes.append((left, left + wide, top))
    assert len(boxes) == 6
    for one, other in itertools.combinations(boxes, 2):
        assert one[1] <= other[0] or other[1] <= one[0] or abs(one[2] - other[2]) >= 13.9


def test_shares_are_columns_and_cut_ones_stand_out(explained):
    document = explained.document()
    performances = document["average"]["performances"]
    performances[-2] |= {"share": 0.05, "plain_share": 0.12}
    drawn = charts.weights(document, href=address)
    assert len(with_class(drawn, "mark")) == len(performances) + 1
    assert len(with_class(drawn, "plain")) == len(with_class(drawn, "cut")) >= 1
    assert "counts 5.0 %, by age alone 12 %" in drawn
    links = [each.get("href") for each in parsed(drawn).iter("a")]
    assert links == [address(each["contest"]) for each in performances[:-1]]
    assert charts.weights({**document, "average": {"text": "keeps none"}}) == ""


def test_older_contests_share_a_column(explained):
    document = explained.document()
    document["average"]["performances"] *= 60
    assert len(with_class(charts.weights(document), "mark")) == 42


def test_the_parts_of_a_change_lead_from_before_to_after(explained):
    document = explained.document()
    found = document["change"]
    found |= {"rating_before": 1500.0, "by_skill": 40.0, "by_certainty": -12.0}
    found |= {"by_experience": 0.0, "rating": 1528.0}
    drawn = charts.change(document)
    assert texts(parsed(drawn), "text")[-4:] == ["before", "skill", "certainty", "after"]
    values = ["".join(each.itertext()) for each in with_class(drawn, "value")]
    assert values == ["1,500", "+40", "−12", "1,528"]
    up, down = (
        (float(each.get("y")), float(each.get("height")))
        for each in with_class(drawn, "mark")
        if each.tag == "rect"
    )
    assert up[0] == down[0]  # the second bar hangs from the top of the first
    assert down[1] == pytest.approx(0.3 * up[1], abs=0.2)


def test_limits_are_a_ruler_where_they_are_known(explained):
    document = explained.document()
    (picture,) = with_class(charts.limits(document), "chart-svg")
    assert picture.get("aria-label").startswith("The skill ")
    for limits in ({"text": "none"}, {"text": "none", "lowest": None, "highest": "inf"}):
        assert charts.limits({**document, "limits": limits}) == ""


def test_the_curve_of_ranks_marks_the_actual_one(curve, explained):
    drawn = charts.what_if(curve, explained.rank)
    (mark,) = with_class(drawn, "actual")
    assert texts(mark, "text") == [f"rank {explained.rank}: {curve['rating']:,.0f}"]
    data = data_of(drawn)
    assert data["rank"] == list(range(1, 61))
    assert data["rating"] == [round(each["rating"]) for each in curve["ranks"]]
    assert data["logarithmic"]
    few = {**curve, "participants": 2, "ranks": curve["ranks"][:2], "rank": None, "rating": None}
    assert not data_of(charts.what_if(few))["logarithmic"]
    assert with_class(charts.what_if(few), "actual") == []


def test_chances_are_bars_of_their_lengths(rated):
    chances = Chances.of(rated, [PLAYER, "player-0001", "player-0002"], top=2).document()
    drawn = charts.places(chances)
    for kind in ("first", "top"):
        shares = [each[kind] for each in chances["players"]]
        bars = [float(each.get("width").rstrip("%")) for each in with_class(drawn, kind)]
        assert bars == pytest.approx([100 * share for share in shares], abs=0.01)
    assert "1 more are not drawn" not in drawn
    assert len(with_class(charts.places(chances, most=2), "mark")) == 2


@pytest.mark.parametrize("name", ["ann", "漢字" * 40, "علي محمد", "n" * 1000, ""])
def test_a_badge_stands_alone_and_holds_its_texts(name):
    drawn = charts.badge(name, 1540.4, "grandmaster", "tone-9")
    (badge,) = list(parsed(drawn))
    assert badge.tag == "{http://www.w3.org/2000/svg}svg"
    assert float(badge.get("width")) < 400
    assert "class=" not in drawn
    assert "<style" not in drawn
    end = 0.0
    for each in badge.iter("{http://www.w3.org/2000/svg}text"):
        assert float(each.get("x")) >= end
        end = float(each.get("x")) + float(each.get("textLength"))
    assert end < float(badge.get("width"))


@given(st.text(max_size=60), st.floats(30, 300))
def test_a_cut_text_is_not_wider_than_its_room(text, room):
    assert width(cut(text, room), 12.0) <= room


def test_a_curve_for_other_sites_brings_its_colours(career):
    auto, light, dark = (charts.curve_svg(career, TITLES, each) for each in (None, "light", "dark"))
    assert "prefers-color-scheme:dark" in auto
    assert DARK["ground"] not in light
    assert LIGHT["ground"] not in dark
    assert list(parsed(auto).iter("{http://www.w3.org/2000/svg}a")) == []
    assert "no rated contests" in charts.curve_svg({**career, "history": []})
    with pytest.raises(InputError, match="light or dark"):
        charts.curve_svg(career, TITLES, "pink")


def test_titles_are_spread_over_all_tones():
    assert [charts.tone(each, 10) for each in range(10)] == [f"tone-{each}" for each in range(10)]
    for count in range(2, 15):
        tones = [int(charts.tone(each, count)[-1]) for each in range(count)]
        assert tones[0] == 0
        assert tones[-1] == 9
        assert tones == sorted(tones)


def colours(which: int) -> dict[str, str]:
    """Those of the style, for light (0) or dark (1)."""
    css = (STATIC / "charts.css").read_text()
    pairs = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", css)
    assert len(pairs) == css.count("light-dark(")
    return {name: found[which] for name, *found in pairs}


def luminance(colour: str) -> float:
    parts = [int(colour[each : each + 2], 16) / 255 for each in (1, 3, 5)]
    linear = [
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(colour: str, ground: str, share: float) -> str:
    parts = zip(
        *(([int(each[at : at + 2], 16) for at in (1, 3, 5)]) for each in (colour, ground)),
        strict=True,
    )
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)


@pytest.mark.parametrize(
    ("which", "grounds", "palette"),
    [
        (0, ("#ffffff", "#f6f7f9"), LIGHT),
        (1, ("#14171c", "#1c2027"), DARK),
    ],
)
def test_colours_can_be_read_on_every_background(which, grounds, palette):
    found = colours(which)
    said = {name for name in found if name not in ("chart-ground", "chart-grid")}
    assert len(said) == 10 + 5 + 5
    for name, ground in itertools.product(said, grounds):
        assert contrast(found[name], ground) >= 4.5, (name, ground)
    for tone, ground in itertools.product(range(10), grounds):  # a title's name on its band
        colour = found[f"tone-{tone}"]
        assert contrast(colour, mixed(colour, ground, 0.08)) >= 4.5, (tone, ground)
    for name, colour in palette.items():
        assert found[name if name.startswith("tone") else f"chart-{name}"] == colour


def test_white_can_be_read_on_every_badge():
    assert all(
        contrast("#ffffff", colour) >= 4.5 for name, colour in LIGHT.items() if "tone" in name
    )


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_are_within_their_axis_and_few(low, wide, most):
    scale = Scale(low, low + wide)
    ticks = number_ticks(scale, most)
    assert len(ticks) <= most + 1
    slack = 1e-6 * (abs(low) + wide)
    assert all(low - slack <= value <= low + wide + slack for value, _ in ticks)
    assert len({said for _, said in ticks}) == len(ticks)


@given(
    st.datetimes(datetime(1, 2, 1), datetime(2990, 1, 1)),
    st.floats(600, 3e10),
    st.integers(2, 9),
)
def test_dates_are_within_their_axis_and_few(first, wide, most):
    low = seconds(first.isoformat())
    scale = Scale(low, low + wide)
    ticks = date_ticks(scale, most)
    assert len(ticks) <= most + 1
    assert all(scale.holds(value) for value, _ in ticks)
    assert [value for value, _ in ticks] == sorted(value for value, _ in ticks)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=9), st.floats(0, 100))
def test_a_scale_holds_all_its_values(values, least):
    scale = around(values, margin=0.05, least=max(least, 1e-3))
    assert all(scale.holds(each) for each in values)
    assert scale.high > scale.low
