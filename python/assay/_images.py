# SPDX-License-Identifier: Apache-2.0
"""Images as arrays."""
from __future__ import annotations

import os

from . import _core

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    import numpy as np


def read_nifti(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray]:
    """The voxels of an image and its 4 x 4 affine (voxel index to millimetres, RAS+).

    The array has the axes (x, y, z), in the order in which they are stored (Fortran's), and is a read-only view: of the file
    itself where that is not compressed, else of the memory that it was inflated into. Stored numbers keep their type and byte
    order; where the header scales them, the result is float64, as nibabel's `get_fdata`. All formats that the program reads
    are read: NIfTI-1 and -2, MetaImage.

    Raises OSError when there is no such file, ValueError when it is no image or is damaged.
    """
    try:
        return _core.read_nifti(os.fspath(path))
    except OSError as error:
        if not os.path.exists(path):
            raise FileNotFoundError(str(error)) from None
        raise
