"""A game and a drift on a grid of strengths, as the kernels of `podium.numerics.luck` take them."""

import dataclasses
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.luck.drifts import ByDistance, Drift, LaplaceDrift, NoDrift, checked_densities
from podium.luck.functions import (
    CoinToss,
    LuckFunction,
    Shifted,
    checked,
    checked_chances,
)
from podium.luck.likelihoods import mixture_of
from podium.numerics import luck as kernel
from podium.numerics.chebyshev import NODES, POINTS, weights_at

Floats = NDArray[np.float64]
Chances = Callable[[Floats, Floats], Floats]
"""Of two strengths, for arrays of them."""

_SMOOTH_TO = 4e-15
"""How far interpolated chances may be off; most of it is rounding."""
_LEAST_PANEL = 2 * NODES
"""Points to a panel of chances: with fewer, interpolation saves nothing."""
_DEARER = 2.5
"""What an operation costs in the small blocks of interpolation, in terms of one in a long row."""
_MOST_IN_A_TABLE = 5001
"""Points of which all pairs fit into a table of 200 MB."""
_DROPPED = 1e-17
"""What a drift may lack at its ends, relative to its peak."""
_LOOKED_AT = 100
"""Places of a panel at which an interpolation is compared with the function."""
_NONE = np.empty(0)


@dataclasses.dataclass(frozen=True)
class Grid:
    """Strengths at equal distances from ``-reach`` to ``reach``."""

    reach: float
    count: int

    @property
    def step(self) -> float:
        """From one strength to the next."""
        return 2.0 * self.reach / (self.count - 1)

    @cached_property
    def points(self) -> Floats:
        """All strengths."""
        points: Floats = -self.reach + self.step * np.arange(self.count, dtype=np.float64)
        return points

    @cached_property
    def differences(self) -> Floats:
        """Of all pairs of points, in ascending order."""
        differences: Floats = self.step * np.arange(1 - self.count, self.count, dtype=np.float64)
        return differences


@dataclasses.dataclass(frozen=True)
class Panels:
    """A grid cut into panels of so many points, the last of which may be incomplete."""

    grid: Grid
    size: int

    @property
    def count(self) -> int:
        """How many panels there are."""
        return -(-self.grid.count // self.size)

    @property
    def starts(self) -> Floats:
        """The first strength of every panel."""
        return self.grid.points[:: self.size]

    def at(self, t: Floats) -> Floats:
        """How far places from -1 to 1 on a panel are from its start."""
        return 0.5 * self.grid.step * (self.size - 1) * (1.0 + t)

    @property
    def weights(self) -> Floats:
        """For every point of a panel, its weights at the Chebyshev points."""
        return weights_at(np.linspace(-1.0, 1.0, self.size))

    def interpolate(self, function: Chances, starts: Floats, others: Floats) -> bool:
        """Whether panels that start there interpolate a function, its second strength fixed."""
        places = np.linspace(-1.0, 1.0, min(self.size, _LOOKED_AT))
        weights = weights_at(places)
        seconds = others[:: max(1, min(self.size // 8, len(others) // 250))][None, :]
        for start in starts.tolist():
            exact = function((start + self.at(places))[:, None], seconds)
            known = function((start + self.at(POINTS))[:, None], seconds)
            off = np.abs(np.einsum("ik,kj->ij", weights, known) - exact).max()
            if not off <= _SMOOTH_TO:
                return False
        return True

    def by_difference(self, function: Chances) -> tuple[NDArray[np.int64], Floats]:
        """Numbers of the blocks of pairs of panels, and the function between Chebyshev points.

        The function knows only the difference of two strengths, so that pairs share blocks.
        """
        numbers = np.arange(self.count)
        block = numbers[:, None] - numbers[None, :] + self.count - 1
        nodes, width = self.at(POINTS), self.size * self.grid.step
        apart = width * np.arange(1 - self.count, self.count, dtype=np.float64)
        return block, function(apart[:, None, None] + nodes[:, None], nodes[None, :])

    def by_pair(self, function: Chances) -> tuple[NDArray[np.int64], Floats]:
        """The same for any function: a block for each pair of panels."""
        numbers = np.arange(self.count)
        block = self.count * numbers[:, None] + numbers[None, :]
        nodes = self.starts[:, None] + self.at(POINTS)
        blocks = function(nodes[:, None, :, None], nodes[None, :, None, :])
        return block, blocks.reshape(-1, NODES, NODES)


def panels_of(grid: Grid) -> Iterator[Panels]:
    """Ways to cut a grid into equal panels, the widest first."""
    count = 1
    while count <= max(grid.count // NODES, 1):
        panels = Panels(grid, -(-grid.count // count))
        if panels.count == count:
            yield panels
        count = max(count + 1, count * 8 // 7)


@dataclasses.dataclass(frozen=True)
class Game:
    """Chances on a grid, for matches in which sides do not matter or the first has one."""

    luck: CoinToss
    side: LuckFunction | None
    """The chances of the player who has the side, if sides matter."""
    grid: Grid

    def __post_init__(self) -> None:
        self._check(self.luck.game, symmetric=True)
        if self.side is not None:
            self._check(self.side, symmetric=False)

    def _check(self, luck: LuckFunction, *, symmetric: bool) -> None:
        """Raise if this gives anything but chances on the grid."""
        if luck.curve is None:
            _refuse_large_tables(luck, self.grid)
            checked(luck, self.grid.points, symmetric=symmetric)
        else:
            checked_chances(luck, self.grid.differences, np.zeros(1), symmetric=symmetric)

    @cached_property
    def by_difference(self) -> bool:
        """Whether only the difference of two strengths matters."""
        return self.luck.curve is not None and (self.side is None or self.side.curve is not None)

    @cached_property
    def chances(self) -> list[tuple[Chances, Chances]]:
        """Win and loss of the first player: the only ones, or for the sides -1, 0 and 1."""
        fair = self.luck, _swapped(self.luck)
        if self.side is None:
            return [fair]
        win, loss = self.side, _loss(self.side)
        return [(_swapped(loss), _swapped(win)), fair, (win, loss)]

    @cached_property
    def mixture(self) -> tuple[Floats, Floats, Floats] | None:
        """Weights, scales and the shift by side, if a win is a mixture of Laplace distributions.

        A step has the scale 0, and a coin infinity.
        """
        found = mixture_of(self.luck)
        if found is None:
            return None
        if self.side is not None and any(scale == 0.0 for _, scale in found.parts):
            return None  # rounding would decide whether strengths are equal
        shift = np.zeros(1)
        if isinstance(self.side, Shifted) and self.side.game == self.luck:
            shift = np.array((-self.side.advantage, 0.0, self.side.advantage))
        elif self.side is not None:
            return None
        weights, scales = zip(*found.parts, (2.0 * found.constant, np.inf), strict=True)
        return np.array(weights), np.array(scales), shift

    def table(self, chances: Chances) -> Floats:
        """The chances of all differences, or of all pairs of points, in a row."""
        if self.by_difference:
            return chances(self.grid.differences, np.zeros(1))
        points = self.grid.points
        return chances(points[:, None], points[None, :]).ravel()

    @cached_property
    def panels(self) -> Panels | None:
        """The widest panels between whose Chebyshev points all chances can be interpolated."""
        functions = [
            function for win, loss in self.chances for function in (win, _drawn(win, loss), loss)
        ]
        for panels in panels_of(self.grid):
            if panels.count > 1 and panels.size < _LEAST_PANEL:
                return None
            if not self.by_difference and panels.count * panels.size != self.grid.count:
                continue  # the last panel would ask for strengths beyond the grid
            if all(self._is_smooth(panels, function) for function in functions):
                return panels
        return None

    def _is_smooth(self, panels: Panels, chances: Chances) -> bool:
        starts, others = panels.starts, self.grid.points
        if self.by_difference:
            starts, others = np.zeros(1), self.grid.differences
        return all(
            panels.interpolate(function, starts, others)
            for function in (chances, _swapped(chances))
        )

    def blocks(self, panels: Panels) -> tuple[NDArray[np.int64], Floats]:
        """Numbers of the blocks of pairs of panels, and the chances between Chebyshev points."""
        cut = panels.by_difference if self.by_difference else panels.by_pair
        found = [[cut(win), cut(_drawn(win, loss)), cut(loss)] for win, loss in self.chances]
        return found[0][0][0], np.array([[blocks for _, blocks in side] for side in found])


def model(
    game: Game,
    drift: Drift,
    prior: Floats,
    algorithm: str,
    *,
    exact: bool,
    **settings: float,
) -> kernel.Model:
    """All that the kernels need; `exact` looks at all points, also where there is next to nothing.

    The algorithm is "chebyshev", "laplace", "fft" or "naive".
    """
    grid = game.grid
    wins, draws, losses = (
        np.array([game.table(function(*pair)) for pair in game.chances])
        for function in (lambda win, _: win, _drawn, lambda _, loss: loss)
    )
    panels = game.panels if algorithm == "chebyshev" else None
    block, blocks = np.zeros((1, 1), np.int64), np.empty((1, 3, 0, NODES, NODES))
    nodes = np.empty((0, NODES))
    if panels is not None:
        nodes = panels.weights
        block, blocks = game.blocks(panels)
    weights, scales, shift = (
        (game.mixture or (_NONE,) * 3) if algorithm == "laplace" else (_NONE,) * 3
    )
    numbers = np.zeros(1, kernel.SETTINGS)
    numbers["points"], numbers["step"] = grid.count, grid.step
    numbers["way"] = {"chebyshev": kernel.CHEBYSHEV, "laplace": kernel.LAPLACE}.get(
        algorithm, kernel.DIRECT
    )
    numbers["panel"] = grid.count if panels is None else panels.size
    if game.by_difference:
        numbers["row_step"], numbers["column_step"] = 1, -1
        numbers["origin"] = grid.count - 1
    else:
        numbers["row_step"], numbers["column_step"] = grid.count, 1
    numbers["negligible"] = 0.0 if exact else kernel.NEGLIGIBLE
    for name, value in settings.items():
        numbers[name] = value
    drifting = _drift_arrays(drift, grid, algorithm, exact)
    numbers["drift_reach"] = len(drifting["taps"]) - 1
    if len(drifting["drift_nodes"]):
        drifting["taps"] = _NONE
    used = np.flatnonzero(prior > numbers["negligible"] * prior.max())
    numbers["prior_lo"], numbers["prior_hi"] = used[0], used[-1] + 1
    kept = prior[used[0] : used[-1] + 1]
    return kernel.Model(
        settings=numbers,
        grid=grid.points,
        prior=prior / kept.sum(),
        win=wins,
        draw=draws,
        lose=losses,
        nodes=nodes,
        nodes_across=np.ascontiguousarray(nodes.T),
        block=block,
        blocks=blocks,
        blocks_across=np.ascontiguousarray(np.swapaxes(blocks, -1, -2)),
        weights=weights,
        scales=scales,
        shift=shift,
        **drifting,
    )


def _drift_arrays(drift: Drift, grid: Grid, algorithm: str, exact: bool) -> dict[str, NDArray[Any]]:
    """The arrays of the drift, most of them empty: taps, Laplace mixture, matrix or blocks."""
    taps, weights, scales, matrix = _NONE, _NONE, _NONE, np.empty((0, 0))
    panels: Panels | None = None
    if isinstance(drift, LaplaceDrift) and algorithm in ("laplace", "chebyshev"):
        weights, scales = np.array(drift.weights), np.array(drift.scales)
    elif isinstance(drift, ByDistance) and not isinstance(drift, NoDrift):
        taps = checked_densities(drift, grid.differences[grid.count - 1 :], np.zeros(1))[:, 0]
        if taps.max() == 0.0:
            raise InputError(f"the drift {drift!r} leads nowhere, not even to where one was.")
        relative = _scaled(drift, 1.0 / taps.max())
        taps = taps / taps.max()
        if not exact:
            taps = taps[: 1 + np.flatnonzero(taps > _DROPPED)[-1]]
            panels = _panels_of_drift(relative, grid, len(taps))
    elif not isinstance(drift, NoDrift):
        _refuse_large_tables(drift, grid)
        matrix = np.ascontiguousarray(_checked_drift(drift, grid.points).T)
    nodes, block, blocks = np.empty((0, NODES)), np.zeros((1, 1), np.int64), np.empty((0, 1, 1))
    if panels is not None:
        nodes = panels.weights
        block, blocks = panels.by_difference(relative)
    return {
        "taps": taps,
        "drift_nodes": nodes,
        "drift_nodes_across": np.ascontiguousarray(nodes.T),
        "drift_block": block,
        "drift_blocks": blocks,
        "drift_weights": weights,
        "drift_scales": scales,
        "drift_matrix": matrix,
    }


def _panels_of_drift(drift: Chances, grid: Grid, reach: int) -> Panels | None:
    """Panels between which a drift can be interpolated, if that is less work than adding it up."""
    for panels in panels_of(grid):
        across = 2 * (reach // panels.size) + 3
        if 2 * reach < _DEARER * (2 * NODES + across * NODES * NODES / panels.size):
            continue
        others = grid.step * np.arange(-reach, panels.size + reach, dtype=np.float64)
        if panels.interpolate(drift, np.zeros(1), others):
            return panels
    return None


def _scaled(drift: Drift, factor: float) -> Chances:
    return lambda x, y: factor * drift(x, y)


def _checked_drift(drift: Drift, points: Floats) -> Floats:
    """The densities of moving from every point (in rows) to every other, if all lead somewhere."""
    densities = checked_densities(drift, points, points)
    lost = densities.sum(axis=1) <= 0.0
    if lost.any():
        raise InputError(
            f"the drift {drift!r} leads from strength {points[np.argmax(lost)]:g} to nowhere."
        )
    return densities


def _refuse_large_tables(what: object, grid: Grid) -> None:
    """Raise if a table of all pairs of points, which this needs, would fill the memory."""
    if grid.count > _MOST_IN_A_TABLE:
        raise InputError(
            f"{what!r} is a function of two strengths, for which at most {_MOST_IN_A_TABLE:,} "
            f"points can be used, not {grid.count:,}; one of their difference takes any number."
        )


def _swapped(chances: Chances) -> Chances:
    return lambda x, y: chances(y, x)


def _loss(luck: LuckFunction) -> Chances:
    """The chance of a loss by a luck function that need not be symmetric."""
    if isinstance(luck, Shifted):
        return lambda x, y: luck.game(y, np.add(x, luck.advantage))
    return lambda x, y: 1.0 - luck(x, y)


def _drawn(win: Chances, loss: Chances) -> Chances:
    """What stands for a draw: half a win and half a loss."""
    return lambda x, y: np.sqrt(win(x, y) * loss(x, y))
