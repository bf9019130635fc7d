import datetime

import polars as pl

from podium.markup import Markup, element, table

HOSTILE = "<script>alert('&')</script>"


def test_markup_is_not_escaped_twice():
    assert element("p", Markup("<b>1</b>"), "<") == "<p><b>1</b>&lt;</p>\n"


def test_names_in_tables_are_harmless():
    shown = table(HOSTILE, pl.DataFrame({HOSTILE: [HOSTILE]}))
    assert "<script" not in shown
    assert shown.count("&lt;script&gt;alert(&#x27;&amp;&#x27;)") == 3


def test_cells_of_tables_are_for_people():
    frame = pl.DataFrame(
        {
            "rating": [1516.4, None],
            "contests": [1200, 3],
            "time": [datetime.datetime(2026, 5, 1, 18), None],
            "rated": [True, False],
        }
    )
    shown = table("All", frame, digits=0)
    cells = [part.split("</td>")[0] for part in shown.split("<td>")[1:]]
    assert cells == ["1,516", "1,200", "2026-05-01", "yes", "–", "3", "–", "no"]


def test_long_tables_are_cut_and_say_so():
    shown = table("All", pl.DataFrame({"n": range(1200)}))
    assert shown.count("<tr>") == 11
    assert "10 of 1,200 rows" in shown
    assert "10 of 3,000 rows" in table("All", pl.DataFrame({"n": range(10)}), rows=3000)
    assert "rows" not in table("All", pl.DataFrame({"n": range(10)}))
