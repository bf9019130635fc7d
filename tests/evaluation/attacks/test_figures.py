"""Pictures of attacks: every line is where its table says."""

import numpy as np
import pytest

import podium
from podium.evaluation.attacks import farming, matchmaking
from podium.evaluation.attacks.figures import farming_figure, matchmaking_figure


def lines(axes):
    """The labelled lines of a panel."""
    return {line.get_label(): line for line in axes.get_lines()}


def shaded(axes):
    """From where to where a panel is shaded."""
    [patch] = axes.patches
    return patch.get_x(), patch.get_x() + patch.get_width()


@pytest.fixture(scope="module")
def attack():
    season = podium.simulate(players=12, rounds=30, seed=4)
    return farming(season, "topcoder", "player-0005", honest_first=10, farming=12, honest_last=8)


def test_a_panel_for_each_system_has_honest_and_attacked_ratings(attack):
    other = attack.transferred("elo")
    tables = [(attack.system, attack.table), (podium.system("elo"), other)]
    figure = farming_figure(attack, tables)
    for axes, (system, table) in zip(figure.axes, tables, strict=True):
        found = lines(axes)
        for label, column in (("honest", "control"), ("attacked", "attacked")):
            assert found[label].get_xdata().tolist() == list(range(1, 31))
            assert found[label].get_ydata().tolist() == table[column].to_list()
        thrown = table.filter("thrown")
        assert 0 < thrown.height < 12
        assert found["last on purpose"].get_xdata().tolist() == thrown["number"].to_list()
        assert found["last on purpose"].get_ydata().tolist() == thrown["attacked"].to_list()
        assert shaded(axes) == (10.5, 22.5)
        gain = table["attacked"][-1] - table["control"][-1]
        title = axes.get_title(loc="left")
        assert title == f"player-0005 by {system.name}: {gain:+,.0f} at the end"
    first, second = map(lines, figure.axes)
    assert list(first["threshold"].get_ydata()) == [attack.threshold] * 2
    assert "threshold" not in second


def test_a_panel_for_each_system_has_farmers_and_honest_twins():
    numbers = {"honest_first": 3, "farming": 6, "honest_last": 4, "matches": 4, "runs": 5}
    found = [matchmaking(name, skill=1600.0, **numbers) for name in ("glicko2", "elo")]
    figure = matchmaking_figure(found)
    for axes, attack in zip(figure.axes, found, strict=True):
        drawn = lines(axes)
        for name, ratings in (("honest", attack.honest), ("farmer", attack.farmer)):
            line = drawn[f"{name}, mean and 80 % of runs"]
            assert line.get_xdata().tolist() == list(range(1, 14))
            assert line.get_ydata() == pytest.approx(ratings.mean(axis=0))
        assert list(drawn["true skill"].get_ydata()) == [1600.0] * 2
        assert shaded(axes) == (3.5, 9.5)
        peaks = [ratings[:, 9:].max(axis=1) for ratings in (attack.farmer, attack.honest)]
        gain = float(np.mean(peaks[0] - peaks[1]))
        title = axes.get_title(loc="left")
        assert title == f"{attack.system.name}: {gain:+,.0f} at the peak"
