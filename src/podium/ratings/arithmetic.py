"""Which arithmetic made ratings, and on which kind of machine: whether bits can be compared.

Other processors and other versions of libraries may round `exp` and `log` differently in the last
bit, and sum in another order.
"""

import json
import os
import platform
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

ARITHMETIC = 4
"""The number of this version's arithmetic; what was made before there was one is of the first.

Raise it whenever a change of code changes a bit of any rating, performance or belief of any system:
another order of a sum, another tolerance, another option of the compiler. Bits are compared under
one number only, and `podium migrate` rates leagues of an earlier one anew.

In the second, performances and modes are found by other steps and sums are in other orders:
ratings of the first differ by less than 2e-8 points. In the third, beliefs of `luck` are summed
in another order: ratings differ by less than 1e-11 points. In the fourth, the uncertainty of
`podium` depends on no result, and its ratings are others.
"""
FIRST = 1

_OF_NUMBERS = ("sse", "ssse", "avx", "amx", "fma", "f16", "neon", "fp", "full", "sve", "vsx")
"""How the features of processors begin that compute with floating-point numbers."""


class ArithmeticWarning(UserWarning):
    """Contests follow what another arithmetic rated."""


class Machine(NamedTuple):
    """What makes bits beside the code; two that are equal make the same.

    Example:
        >>> machine = this_machine()
        >>> Machine.of(machine.document()) == machine
        True
        >>> Machine.of({}) == UNKNOWN
        True
    """

    architecture: str = ""
    processor: str = ""
    """As LLVM calls it."""
    features: str = ""
    """Those of the processor that matter to numbers."""
    library: str = ""
    """The C library, or the system that brings it, and SVML where Numba uses it."""
    numba: str = ""
    llvm: str = ""
    numpy: str = ""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Machine":
        """The machine that a document describes; an empty one describes none."""
        return cls(**{name: str(document.get(name, "")) for name in cls._fields})

    def document(self) -> dict[str, str]:
        """As files have it; see `of`."""
        return {} if self == UNKNOWN else self._asdict()

    def text(self) -> str:
        """The same as JSON."""
        return json.dumps(self.document())


UNKNOWN = Machine()
"""Nobody has noted what it was, or several kinds took part."""


@cache
def this_machine() -> Machine:
    """The kind of this machine."""
    import llvmlite.binding as llvm
    import numba
    import numpy as np

    config: Any = numba.config
    has = llvm.get_host_cpu_features()
    features = " ".join(sorted(name for name in has if has[name] and name.startswith(_OF_NUMBERS)))
    return Machine(
        architecture=platform.machine(),
        processor=config.CPU_NAME or llvm.get_host_cpu_name(),
        features=features if config.CPU_FEATURES is None else config.CPU_FEATURES,
        library=_c_library() + " with SVML" * bool(config.USING_SVML),
        numba=numba.__version__,
        llvm=".".join(map(str, llvm.llvm_version_info)),
        numpy=np.__version__,
    )


def _c_library() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, ValueError, OSError):
        return " ".join(platform.libc_ver()).strip() or f"{platform.system()} {platform.release()}"


def mixture(began: int) -> str:
    """What is to be known if contests follow what another arithmetic made."""
    return (
        f"what was rated by arithmetic {began} goes on by arithmetic {ARITHMETIC}, so that the "
        f"result is not that of one run, to the bit; rating all contests again makes it so."
    )


def hindrance(number: int) -> str:
    """Why what an arithmetic made cannot be compared or changed by this one, and what helps."""
    if number < ARITHMETIC:
        helps = f"podium migrate brings it to {ARITHMETIC}"
    else:
        helps = f"this podium computes by {ARITHMETIC}, and a later one is needed"
    return f"was rated by arithmetic {number}; {helps}"
