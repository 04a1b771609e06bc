#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures recipes against SciPy on the same voxels, in one run: 256 x 256 x 64 of 1 x 1 x 4 mm to
a cube of 256.

usage: recipe_bench.py [--tools DIR] [--work DIR] [--check]

Times are CPU times of one thread in milliseconds, the least of several runs. Both do the same work
(zoom by spacing, crop and pad, scale to 0 ... 1) and must give the same bytes. A second image has
no axis with a spacing of 1 mm, so that all eight neighbours of a voxel count. With --check the exit
status is 1 if we are not 5 times as fast.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import nibabel
import numpy
from scipy import ndimage

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIDE, REPEATS, TARGET = 256, 5, 5.0
CASES = {"thick slices": ((256, 256, 64), (1, 1, 4)),
         "no axis at 1 mm": ((230, 240, 64), (1.1, 1.05, 3.9))}


def with_scipy(voxels, factors):
    found = ndimage.zoom(voxels, factors, order=1)
    for axis, size in enumerate(found.shape):
        first = max(0, (size - SIDE) // 2)
        found = numpy.take(found, range(first, min(size, first + SIDE)), axis)
    cube = numpy.zeros((SIDE,) * 3, "f4")
    start = [(SIDE - size) // 2 for size in found.shape]
    cube[tuple(slice(s, s + size) for s, size in zip(start, found.shape))] = found
    return (cube - cube.min()) / (cube.max() - cube.min())


def scipy_time(voxels, factors):
    took = []
    for _ in range(2):
        start = time.process_time()
        found = with_scipy(voxels, factors)
        took.append(1000 * (time.process_time() - start))
    return min(took), found


def our_time(tools, image, out):
    command = [tools / "prepare_image", "arc-meshchop", image, "1", str(REPEATS), out]
    took = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return min(took), numpy.fromfile(out, "f4").reshape((SIDE,) * 3, order="F")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    slowest = float("inf")
    for name, (shape, spacing) in CASES.items():
        voxels = numpy.random.default_rng(0).integers(0, 1000, shape).astype("f4")
        image = options.work / "recipe.nii"
        nibabel.save(nibabel.Nifti1Image(voxels, numpy.diag([*spacing, 1.0])), image)
        stored = nibabel.load(image).affine
        ours, found = our_time(options.tools, image, options.work / "recipe.raw")
        theirs, expected = scipy_time(voxels, numpy.sqrt((stored[:3, :3] ** 2).sum(0)).tolist())
        if found.tobytes() != expected.tobytes():
            sys.exit(f"recipe_bench: the images differ ({name})")
        slowest = min(slowest, theirs / ours)
        print(f"recipe, {name}: assay {ours:.0f} ms, SciPy {theirs:.0f} ms: {theirs / ours:.1f} "
              f"times as fast, same bytes")
    return 1 if options.check and slowest < TARGET else 0


if __name__ == "__main__":
    sys.exit(main())
