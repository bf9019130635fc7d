"""What players have in a pool is copied piece by piece, which nobody notices."""

import numpy as np
import pytest

from podium.systems import memories


@pytest.mark.parametrize("at_once", [1, 3, 7, 1 << 16])
@pytest.mark.parametrize("largest", [0, 1, 5, 12])
def test_ranges_of_a_pool_are_copied_whole_however_many_at_once(monkeypatch, at_once, largest):
    monkeypatch.setattr(memories, "_AT_ONCE", at_once)
    rng = np.random.default_rng(4)
    for count in (0, 1, 2, 30):
        sizes = rng.integers(0, largest + 1, count)
        starts = np.cumsum(sizes) - sizes
        order = rng.permutation(count)
        pool = rng.random(int(sizes.sum()) + 1)
        places = memories.spans(starts[order], sizes[order])
        found = memories.gathered(pool, starts[order], sizes[order])
        assert found.tolist() == pool[places].tolist()
        again = np.zeros(len(pool))
        memories.scattered(again, starts[order], sizes[order], found)
        assert again[:-1].tolist() == pool[:-1].tolist()
        assert again[-1] == 0.0
