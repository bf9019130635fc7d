"""What to try next: Optuna's tree-structured Parzen estimator, without memory of its own.

A proposal depends on its arguments alone. So a search that was interrupted goes on
as if it had not been, and one on many cores tries what one on a single core would.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.evaluation.spaces import Space
from podium.systems.search import Between, Search

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

Parameters = Mapping[str, Any]

_ENOUGH = 10
"""With fewer scores, any guess is as good as another."""


def propose(
    space: Space,
    scored: Iterable[tuple[Parameters, float | None]],
    running: Iterable[Parameters],
    *,
    count: int,
    seed: tuple[int, int],
    highest: bool,
) -> list[dict[str, Any]]:
    """So many sets of parameters that promise much, given what is known.

    Args:
        space: Where to look.
        scored: What was tried, in order, with its score, or None if it failed.
        running: What is being tried, whose neighbourhood is left to it.
        count: How many to propose.
        seed: All chance follows from it.
        highest: Whether a high score is good.
    """
    known = list(scored)
    if len(known) < _ENOUGH:
        return _drawn(space, count, np.random.default_rng(seed))
    import optuna
    from optuna.trial import TrialState, create_trial

    with _silent():
        chance = int(np.random.SeedSequence(seed).generate_state(1)[0])
        study = optuna.create_study(
            direction="maximize" if highest else "minimize",
            sampler=optuna.samplers.TPESampler(
                n_startup_trials=0, seed=chance, multivariate=True, constant_liar=True
            ),
        )
        distributions = {name: _distribution(search) for name, search in space.items()}
        trials = [
            (TrialState.FAIL if score is None else TrialState.COMPLETE, tried, score)
            for tried, score in known
            if all(_holds(search, tried[name]) for name, search in space.items())
        ]
        trials += [(TrialState.RUNNING, tried, None) for tried in running]
        for state, tried, score in trials:
            params = dict(tried)
            study.add_trial(
                create_trial(state=state, value=score, params=params, distributions=distributions)
            )
        asked = [study.ask(distributions).params for _ in range(count)]
    return [
        {name: _rounded(search, values[name]) for name, search in space.items()} for values in asked
    ]


def _drawn(space: Space, count: int, chance: np.random.Generator) -> list[dict[str, Any]]:
    """Sets of parameters by chance alone."""

    def value(search: Search) -> Any:
        if isinstance(search, Between):
            return search.at(chance.random())
        return search.values[chance.integers(len(search.values))]

    return [{name: value(search) for name, search in space.items()} for _ in range(count)]


def _distribution(search: Search) -> "BaseDistribution":
    from optuna.distributions import (
        CategoricalDistribution,
        FloatDistribution,
        IntDistribution,
    )

    if not isinstance(search, Between):
        return CategoricalDistribution(search.values)
    if search.whole:
        return IntDistribution(int(search.low), int(search.high), log=search.log)
    return FloatDistribution(search.low, search.high, log=search.log)


def _holds(search: Search, value: Any) -> bool:
    """Whether a value lies where we search; a default may lie outside."""
    if isinstance(search, Between):
        return value is not None and search.low <= value <= search.high
    return value in search.values


def _rounded(search: Search, value: Any) -> Any:
    return search.rounded(value) if isinstance(search, Between) else value


@contextmanager
def _silent() -> Iterator[None]:
    """Optuna keeps what it has to say to itself."""
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)
