#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times DeepMind's surface-distance package: HD, HD95, ASSD and NSD of a cohort, on one core.

usage: peers_surface.py PREDICTIONS REFERENCES [--repeats 2]

Prints the same JSON as peers.py, with one object. Needs the package, which bench/runs_bench.py
installs into an environment of its own. Files are read with nibabel.
"""
import argparse
import importlib.metadata
import json
import pathlib

from peers import pairs, timed


def surface_distance():
    import nibabel
    import numpy
    import surface_distance as package

    def mask(path):
        image = nibabel.load(path)
        return numpy.asarray(image.dataobj) > 0, nibabel.affines.voxel_sizes(image.affine)

    def score(prediction, reference):
        (p, _), (r, spacing) = mask(prediction), mask(reference)
        found = package.compute_surface_distances(r, p, spacing)
        means = package.compute_average_surface_distance(found)
        return (package.compute_robust_hausdorff(found, 100),
                package.compute_robust_hausdorff(found, 95), sum(means) / 2,
                package.compute_surface_dice_at_tolerance(found, 1))

    return score, "surface-distance " + importlib.metadata.version("surface-distance")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("predictions", type=pathlib.Path)
    parser.add_argument("references", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    cases = pairs(options.predictions, options.references)
    score, version = surface_distance()
    per_case, scores = timed(score, cases, options.repeats)
    keys = ("hd", "hd95", "masd", "nsd")
    mean = {key: float(sum(column)) / len(column) for key, column in zip(keys, zip(*scores))}
    print(json.dumps({"version": version, "cases": len(cases), "cpu_ms_per_case": per_case,
                      "mean": mean}))


if __name__ == "__main__":
    main()
