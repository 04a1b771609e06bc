"""Makes the built package importable: the folder `python` beside the programs' folder."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("ASSAY_BIN_DIR", ROOT / "build/release/bin"))

# First, because the folder of the C++ library has the package's name and is in the current
# directory.
sys.path.insert(0, str(BIN.resolve().parent / "python"))
