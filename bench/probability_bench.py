#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""AUROC and average precision of 256^3 maps of probabilities, file to numbers, against
scikit-learn, in one run.

usage: probability_bench.py [--bin DIR] [--work DIR] [--side 256] [--out FILE] [--check]

The peer is roc_auc_score and average_precision_score on arrays that are already in memory, so its
reading does not count, while ours does. Times are CPU times per case, the least of several rounds;
the program's is the difference between a cohort and the same cohort three times as long. `lesion`
is a sigmoid around a lesion. `noise` is the worst case: no two equal values, and foreground
everywhere. With --check the exit status is 1 if a target is missed.
"""
import argparse
import json
import pathlib
import shutil
import sys
import time

import nibabel
import numpy
from sklearn.metrics import average_precision_score, roc_auc_score

from boundary_bench import LONGER, ROOT, cpu_of, peak_mb

METRICS = "auroc,average_precision"


def lesion(side):
    rng = numpy.random.default_rng(1)
    axis = (numpy.arange(side, dtype=numpy.float32) - side * 0.4) ** 2
    distance = numpy.sqrt(axis[:, None, None] + axis[None, :, None] + axis[None, None, :])
    reference = distance < side / 12
    return (1 / (1 + numpy.exp((distance
                                - side / 11) / 3 + rng.normal(0, 1, distance.shape).astype(
                                    numpy.float32))), reference)


def noise(side):
    rng = numpy.random.default_rng(2)
    return rng.random((side,) * 3, numpy.float32), rng.random((side,) * 3) < 0.3


def peer_ms(chance, reference):
    truth, flat = reference.ravel(), chance.ravel()
    start = time.process_time()
    found = roc_auc_score(truth, flat), average_precision_score(truth, flat)
    return (time.process_time() - start) * 1e3, found


class Maps:
    """One pair, and the same pair three more times."""

    def __init__(self, folder, chance, reference):
        for side, voxels in (("pred", chance.astype(numpy.float32)),
                             ("ref", reference.astype(numpy.uint8))):
            for number in range(1 + LONGER):
                path = folder / ("once" if number == 0 else "longer") / side / f"{number}.nii"
                path.parent.mkdir(parents=True, exist_ok=True)
                nibabel.save(nibabel.Nifti1Image(voxels, numpy.eye(4)), path)
        self.folder = folder

    def command(self, program, length, metrics):
        sides = [self.folder / length / side for side in ("pred", "ref")]
        return [program, "score", *sides, "--jobs", "1", "--threshold", "0.5", "--metrics", metrics,
                "--json"]

    def ms(self, program, metrics, rounds=3):
        once, longer = (min(cpu_of(self.command(program, length, metrics)) for _ in range(rounds))
                        for length in ("once", "longer"))
        return (longer - once) / (LONGER - 1) * 1e3


def measured(arguments):
    program, out = arguments.bin / "assay", {}
    shutil.rmtree(arguments.work, ignore_errors=True)
    for make in (lesion, noise):
        chance, reference = make(arguments.side)
        maps = Maps(arguments.work / make.__name__, chance, reference)
        peer, _ = peer_ms(chance.astype(numpy.float32), reference)
        ours, masks = maps.ms(program, METRICS), maps.ms(program, "dice")
        out[make.__name__] = {"assay_ms": ours, "beyond_dice_ms": ours - masks,
                              "scikit_learn_ms": peer, "ratio": peer / ours,
                              "peak_mb": peak_mb(maps.command(program, "once", METRICS))}
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench/probability")
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    found = measured(arguments)
    targets = {"lesion": 20, "noise": 5}
    missed = 0
    for name, limit in targets.items():
        ratio = found[name]["ratio"]
        missed += ratio < limit
        print(f"scikit-learn / assay, {name:<10}{ratio:>8.1f}  at least "
              f"{limit:<4}{'missed' if ratio < limit else ''}")
    print(json.dumps(found, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    return int(arguments.check and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
