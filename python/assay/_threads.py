# SPDX-License-Identifier: Apache-2.0
"""How many cores the package uses: `set_threads`, or the variable ASSAY_THREADS before the
import."""
from __future__ import annotations

import operator
import os

from . import _core


def set_threads(count: int) -> None:
    """Sets how many threads commands and functions of arrays use at most. 0, the default, means all
    cores. Results do not depend on it."""
    _core.set_threads(operator.index(count))


def threads() -> int:
    """The number given to `set_threads`; 0 means all cores."""
    return _core.threads()


_wanted = os.environ.get("ASSAY_THREADS", "").strip()
if _wanted:
    if not _wanted.isdecimal():
        raise ValueError(f"ASSAY_THREADS must be a whole number of threads (0: all cores), not "
                         f"{_wanted!r}")
    set_threads(int(_wanted))
