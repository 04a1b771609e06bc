# SPDX-License-Identifier: Apache-2.0
"""Prints the path of ONNX Runtime's library."""
import sys

from . import Missing, library

try:
    print(library())
except Missing as why:
    sys.exit(str(why))
