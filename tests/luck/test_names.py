import subprocess
import sys

import pytest

import podium
from podium import luck

HEAVY = {"matplotlib", "numba", "polars", "scipy"}


def test_luck_is_a_part_of_podium():
    assert podium.luck is luck
    assert "luck" in dir(podium)


def test_every_name_leads_somewhere_and_is_shown():
    assert set(luck.__all__) <= set(dir(luck))
    for name in luck.__all__:
        assert getattr(luck, name).__name__ == name


def test_other_names_are_not_there():
    with pytest.raises(AttributeError, match=r"module 'podium\.luck' has no attribute 'Chance'"):
        luck.Chance  # noqa: B018


def test_luck_functions_load_nothing_heavy():
    script = f"""
import sys
from podium.luck import CoinToss, Knowledge, Logistic, NormalDrift
print({HEAVY!r} & set(sys.modules))
"""
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert shown.stdout == "set()\n", shown.stderr
