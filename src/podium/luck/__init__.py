"""What games of chance are made of: luck functions, drifts, and beliefs over strengths.

`podium.systems.Luck` is the rating system that is built from them.
"""

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
