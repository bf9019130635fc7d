import pytest

from podium.cli.chart import line_chart


def test_the_extremes_stand_beside_the_line():
    lines = line_chart([0, 1, 2], [1500, 900, 1700], width=30, height=5)
    assert len(lines) == 5
    assert lines[0].startswith("1700 ┤")
    assert lines[-1].startswith(" 900 ┤")


def test_a_rising_line_goes_from_the_bottom_left_to_the_top_right():
    lines = [line.partition("┤")[2] for line in line_chart([0, 1], [0, 1], width=10, height=3)]
    assert lines[-1][0] != " "
    assert len(lines[0]) == 10
    assert lines[0][0] == " "


@pytest.mark.parametrize("values", [[1500.0], [1500.0, 1500.0], [1, 2, 1]])
def test_every_column_of_the_chart_has_a_dot(values):
    lines = line_chart(list(range(len(values))), values, width=20, height=4)
    rows = [line.partition("┤")[2].ljust(20) for line in lines]
    assert all(any(row[column] != " " for row in rows) for column in range(20))


def test_a_steep_line_has_no_gaps():
    lines = line_chart([0, 1, 2, 3], [0, 0, 100, 100], width=4, height=6)
    assert all(line.partition("┤")[2].strip() for line in lines)
