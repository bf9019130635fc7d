"""What editors and type checkers see of ``podium.system``: parameters are those of the classes.

No parameter stands here: each name takes what the constructor of its class takes.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, overload

from podium.systems.atcoder import AtCoder
from podium.systems.base import System
from podium.systems.codeforces import Codeforces
from podium.systems.elo import Elo
from podium.systems.elo_mmr import EloMMR, EloMMX
from podium.systems.elo_r import EloR
from podium.systems.elo_r_draft import EloRDraft
from podium.systems.glicko import Glicko
from podium.systems.glicko2 import Glicko2
from podium.systems.luck import Luck
from podium.systems.podium import Podium
from podium.systems.topcoder import Topcoder
from podium.systems.trueskill import TrueSkill
from podium.systems.weng_lin import WengLin

P1 = ParamSpec("P1")
P2 = ParamSpec("P2")
P3 = ParamSpec("P3")
P4 = ParamSpec("P4")
P5 = ParamSpec("P5")
P6 = ParamSpec("P6")
P7 = ParamSpec("P7")
P8 = ParamSpec("P8")
P9 = ParamSpec("P9")
P10 = ParamSpec("P10")
P11 = ParamSpec("P11")
P12 = ParamSpec("P12")
P13 = ParamSpec("P13")
P14 = ParamSpec("P14")


class Build(Protocol[P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14]):
    """Names to systems."""

    @overload
    def __call__(self, name: Literal["elo-mmr"], /, *a: P1.args, **k: P1.kwargs) -> EloMMR: ...
    @overload
    def __call__(self, name: Literal["elo-mmx"], /, *a: P2.args, **k: P2.kwargs) -> EloMMX: ...
    @overload
    def __call__(self, name: Literal["elo-r"], /, *a: P3.args, **k: P3.kwargs) -> EloR: ...
    @overload
    def __call__(
        self, name: Literal["elo-r-draft"], /, *a: P4.args, **k: P4.kwargs
    ) -> EloRDraft: ...
    @overload
    def __call__(
        self, name: Literal["codeforces"], /, *a: P5.args, **k: P5.kwargs
    ) -> Codeforces: ...
    @overload
    def __call__(self, name: Literal["topcoder"], /, *a: P6.args, **k: P6.kwargs) -> Topcoder: ...
    @overload
    def __call__(self, name: Literal["trueskill"], /, *a: P7.args, **k: P7.kwargs) -> TrueSkill: ...
    @overload
    def __call__(self, name: Literal["weng-lin"], /, *a: P8.args, **k: P8.kwargs) -> WengLin: ...
    @overload
    def __call__(self, name: Literal["glicko"], /, *a: P9.args, **k: P9.kwargs) -> Glicko: ...
    @overload
    def __call__(self, name: Literal["glicko2"], /, *a: P10.args, **k: P10.kwargs) -> Glicko2: ...
    @overload
    def __call__(self, name: Literal["elo"], /, *a: P11.args, **k: P11.kwargs) -> Elo: ...
    @overload
    def __call__(self, name: Literal["luck"], /, *a: P12.args, **k: P12.kwargs) -> Luck: ...
    @overload
    def __call__(self, name: Literal["atcoder"], /, *a: P13.args, **k: P13.kwargs) -> AtCoder: ...
    @overload
    def __call__(self, name: Literal["podium"], /, *a: P14.args, **k: P14.kwargs) -> Podium: ...
    @overload
    def __call__(self, name: str, /, **parameters: Any) -> System: ...


# fmt: off
if TYPE_CHECKING:
    def _named(
        p1: Callable[P1, EloMMR], p2: Callable[P2, EloMMX], p3: Callable[P3, EloR],
        p4: Callable[P4, EloRDraft], p5: Callable[P5, Codeforces], p6: Callable[P6, Topcoder],
        p7: Callable[P7, TrueSkill], p8: Callable[P8, WengLin], p9: Callable[P9, Glicko],
        p10: Callable[P10, Glicko2], p11: Callable[P11, Elo], p12: Callable[P12, Luck],
        p13: Callable[P13, AtCoder], p14: Callable[P14, Podium],
    ) -> Build[P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14]:
        raise NotImplementedError

    build = _named(EloMMR, EloMMX, EloR, EloRDraft, Codeforces, Topcoder, TrueSkill, WengLin,
                   Glicko, Glicko2, Elo, Luck, AtCoder, Podium)
