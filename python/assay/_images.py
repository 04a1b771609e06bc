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

    The array has the axes (x, y, z), in the order in which they are stored (Fortran's), and a
    fourth axis where the file holds several volumes. It is a read-only view: of the file itself
    where that is not compressed, otherwise of the memory that it was decompressed into. Stored
    numbers keep their type and byte order; where the header scales them, the result is float64, as
    nibabel's `get_fdata`. Every format that the program reads is read: NIfTI, MetaImage, NRRD,
    NumPy's .npy and .npz.

    Raises FileNotFoundError when there is no such file, OSError when it cannot be read, ValueError
    when it is not an image or is damaged. The older name of this function, `read_nifti`, means the
    same.
    """
    try:
        return _core.read_image(os.fspath(path))
    except OSError as error:
        if not os.path.exists(path):
            raise FileNotFoundError(str(error)) from None
        raise


read_nifti = read_image
