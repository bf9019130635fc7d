"""Sums have one order: in every process, whoever compiled the kernels."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.numerics.sums import total

MATCHES = """
import numpy as np
from podium.numerics import weng_lin as kernel

rng = np.random.default_rng(1)
for matches in (kernel._logistic_matches, kernel._normal_wins, kernel._normal_draws):
    for n in (9, 40, 333):
        theta, var = rng.normal(25.0, 5.0, n), rng.uniform(1.0, 70.0, n)
        pull, info, room = np.zeros(n), np.zeros(n), np.empty((2, n))
        matches(theta, var, 0, 1, n, 0.5, 1.0, 35.0, True, room, pull, info)
        print(pull.tobytes().hex(), info.tobytes().hex())
"""


@given(st.lists(st.floats(-1e6, 1e6), max_size=50))
def test_a_total_is_the_sum(values):
    wanted = np.sum(values)
    assert total(np.array(values, float)) == pytest.approx(wanted, rel=1e-12, abs=1e-8)


def test_a_process_that_compiles_and_one_that_loads_give_the_same_bits(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", MATCHES], env=environment, capture_output=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert len(said[0].split()) == 18
