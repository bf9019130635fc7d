"""What games of chance are made of: luck functions, drifts, and beliefs over strengths.

`Belief` and the functions `after_match`, `after_matches` and `after_drift` are the model for
strengths that are numbers; `Performance` and `Knowledge` are the general one.
`podium.systems.Luck` is the rating system that is built from them.

Names are imported when they are first used, because compiled kernels come with beliefs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from podium.luck.algorithms import after_drift as after_drift
    from podium.luck.algorithms import after_match as after_match
    from podium.luck.algorithms import after_matches as after_matches
    from podium.luck.algorithms import heaviside_sums as heaviside_sums
    from podium.luck.algorithms import laplace_cdf_sums as laplace_cdf_sums
    from podium.luck.algorithms import laplace_density_sums as laplace_density_sums
    from podium.luck.beliefs import Belief as Belief
    from podium.luck.drifts import ByDistance as ByDistance
    from podium.luck.drifts import CustomDrift as CustomDrift
    from podium.luck.drifts import Drift as Drift
    from podium.luck.drifts import LaplaceDrift as LaplaceDrift
    from podium.luck.drifts import NoDrift as NoDrift
    from podium.luck.drifts import NormalDrift as NormalDrift
    from podium.luck.functions import BradleyTerry as BradleyTerry
    from podium.luck.functions import CappedLogistic as CappedLogistic
    from podium.luck.functions import CoinToss as CoinToss
    from podium.luck.functions import Custom as Custom
    from podium.luck.functions import DrawMargin as DrawMargin
    from podium.luck.functions import Heaviside as Heaviside
    from podium.luck.functions import Laplace as Laplace
    from podium.luck.functions import Logistic as Logistic
    from podium.luck.functions import LuckFunction as LuckFunction
    from podium.luck.functions import Normal as Normal
    from podium.luck.functions import OfDifference as OfDifference
    from podium.luck.general import Knowledge as Knowledge
    from podium.luck.general import Performance as Performance

_HOMES = {
    "algorithms": "after_drift after_match after_matches heaviside_sums laplace_cdf_sums "
    "laplace_density_sums",
    "beliefs": "Belief",
    "drifts": "ByDistance CustomDrift Drift LaplaceDrift NoDrift NormalDrift",
    "functions": "BradleyTerry CappedLogistic CoinToss Custom DrawMargin Heaviside Laplace "
    "Logistic LuckFunction Normal OfDifference",
    "general": "Knowledge Performance",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
