# SPDX-License-Identifier: Apache-2.0
"""Images as arrays."""
from __future__ import annotations

import os

from . import _core

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    import numpy as np


def read_image(path: str | os.PathLike[str]) -> tuple[np.ndarray, np.ndarray]:
    """The voxels of an image and its 4 x 4 affine (voxel index to millimetres, RAS+).

    The array has the axes (x, y, z) in Fortran order, as they are stored, and a fourth axis if the
    file holds several volumes. It is a read-only view of the file itself, or, if the file is
    compressed, of the memory that it was decompressed into. Stored numbers keep their type and byte
    order. If the header scales them, the result is float64, as from nibabel's `get_fdata`. Every
    image format of the program can be read (docs/formats/images.md).

    Raises FileNotFoundError if there is no such file, OSError if it cannot be read, and ValueError
    if it is not an image or is damaged. `read_nifti` is an older name of this function.
    """
    try:
        return _core.read_image(os.fspath(path))
    except OSError as error:
        if not os.path.exists(path):
            raise FileNotFoundError(str(error)) from None
        raise


read_nifti = read_image
