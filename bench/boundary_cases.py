# SPDX-License-Identifier: Apache-2.0
"""Pairs of masks for bench/boundary_bench.py: ordinary ones with labels, and ones that are hard for
a search."""
import nibabel
import numpy
from scipy import ndimage


def written(folder, prediction, reference, spacing=(1, 1, 1)):
    """Both as files of one name in two folders."""
    for side, voxels in (("pred", prediction), ("ref", reference)):
        (folder / side).mkdir(parents=True, exist_ok=True)
        image = nibabel.Nifti1Image(voxels.astype(numpy.uint8), numpy.diag([*spacing, 1.0]))
        nibabel.save(image, folder / side / "case.nii.gz")
    return folder / "pred", folder / "ref"


def five_labels(folder):
    """One pair of 320 x 320 x 60 voxels of 0.6 x 0.6 x 3 mm with five labels."""
    x, y, z = numpy.indices((320, 320, 60))
    sides = []
    for shift in (0, 3):
        out = numpy.zeros(x.shape, numpy.uint8)
        for label in range(1, 6):
            cx, cy = 80 + 160 * (label % 2) + shift, 60 + 45 * label - shift
            wave = 4 * numpy.sin(x / 9 + label) * numpy.cos(y / 7 + shift / 3)
            out[((x - cx) * 0.6) ** 2 + ((y - cy) * 0.6) ** 2 + ((z - 30) * 1.5) ** 2
                < (34 + wave) ** 2] = label
        sides.append(out)
    return written(folder, *sides, spacing=(0.6, 0.6, 3))


ORGANS = 104


def organs(folder):
    """One pair of 256 x 256 x 200 voxels of 1.5 mm with as many labels as whole-body models have,
    each in a cell of its own."""
    cell, across, sides = numpy.array([51, 51, 40]), (5, 5, 5), []
    for shift in (0, 1):
        out, rng = numpy.zeros((256, 256, 200), numpy.uint8), numpy.random.default_rng(5)
        for label in range(1, ORGANS + 1):
            radius, low = rng.integers(8, 18), cell * numpy.unravel_index(label, across)
            part = out[tuple(slice(k, k + n) for k, n in zip(low, cell))]
            x, y, z = numpy.indices(part.shape)
            part[(x - 25 - shift) ** 2 + (y - 25) ** 2 + (z - 20) ** 2 <= radius**2] = label
        sides.append(out)
    return written(folder, *sides, spacing=(1.5, 1.5, 1.5))


def ball(side, radius, centre=None):
    squares = [(numpy.arange(side) - c) ** 2 for c in centre or [(side - 1) / 2] * 3]
    return (squares[0][:, None, None] + squares[1][None, :, None] + squares[2][None, None, :]
            <= radius**2)


def none(side):
    return numpy.zeros((side,) * 3, bool)


def parity(side):
    axis = numpy.arange(side, dtype=numpy.uint8) & 1
    return (axis[:, None, None] ^ axis[None, :, None] ^ axis[None, None, :]) == 0


def noise(side, seed, share):
    return numpy.random.default_rng(seed).random((side,) * 3, numpy.float32) < share


def blob(side, seed, part):
    """A rough lump that fills one end of the volume along the diagonal."""
    coarse = ndimage.gaussian_filter(numpy.random.default_rng(seed).random((32,) * 3), 3)
    rough = ndimage.zoom((coarse - coarse.mean()) / coarse.std(), side / 32, order=1)
    inner, outer = (ball(side, 0.2 * side, [part * side] * 3),
                    ball(side, 0.27 * side, [part * side] * 3))
    return inner | (outer & (rough > 0))


def plate(side, axis, at):
    out = none(side)
    out[tuple(at if k == axis else slice(None) for k in range(3))] = True
    return out


def voxel(side, at):
    out = none(side)
    out[at, at, at] = True
    return out


# From the name to functions that make prediction and reference for a volume of a given side length.
HARD = {
    "full volume against one voxel": lambda n: (~none(n), voxel(n, 0)),
    "full volume against its middle": lambda n: (~none(n), ball(n, n / 4)),
    "checkerboard against its complement": lambda n: (parity(n), ~parity(n)),
    "checkerboard against one voxel": lambda n: (parity(n), voxel(n, 0)),
    "opposite corners": lambda n: (voxel(n, 0), voxel(n, n - 1)),
    "concentric spheres": lambda n: (ball(n, n / 2 - 1), ball(n, n / 2 - 28)),
    "concentric spheres, far": lambda n: (ball(n, n / 2 - 1), ball(n, n / 8)),
    "dense noise": lambda n: (noise(n, 1, 0.5), noise(n, 2, 0.5)),
    "dense noise against sparse": lambda n: (noise(n, 1, 0.5), noise(n, 2, 2e-5)),
    "blobs far apart": lambda n: (blob(n, 1, 0.28), blob(n, 2, 0.72)),
    "thin plates, parallel": lambda n: (plate(n, 0, 0), plate(n, 0, n - 1)),
    "thin plates, stacked": lambda n: (plate(n, 2, 0), plate(n, 2, n - 1)),
    "thin plates, crossed": lambda n: (plate(n, 0, 0), plate(n, 2, n - 1)),
}
