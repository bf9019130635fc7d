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

_MODULES = {
    "after_drift": "podium.luck.algorithms",
    "after_match": "podium.luck.algorithms",
    "after_matches": "podium.luck.algorithms",
    "heaviside_sums": "podium.luck.algorithms",
    "laplace_cdf_sums": "podium.luck.algorithms",
    "laplace_density_sums": "podium.luck.algorithms",
    "Belief": "podium.luck.beliefs",
    "ByDistance": "podium.luck.drifts",
    "CustomDrift": "podium.luck.drifts",
    "Drift": "podium.luck.drifts",
    "LaplaceDrift": "podium.luck.drifts",
    "NoDrift": "podium.luck.drifts",
    "NormalDrift": "podium.luck.drifts",
    "BradleyTerry": "podium.luck.functions",
    "CappedLogistic": "podium.luck.functions",
    "CoinToss": "podium.luck.functions",
    "Custom": "podium.luck.functions",
    "DrawMargin": "podium.luck.functions",
    "Heaviside": "podium.luck.functions",
    "Laplace": "podium.luck.functions",
    "Logistic": "podium.luck.functions",
    "LuckFunction": "podium.luck.functions",
    "Normal": "podium.luck.functions",
    "OfDifference": "podium.luck.functions",
    "Knowledge": "podium.luck.general",
    "Performance": "podium.luck.general",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
