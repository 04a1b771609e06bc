#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""HD, HD95, ASSD and NSD from files to numbers, against the method of the fastest peer, in one run.

usage: boundary_bench.py [--bin DIR] [--work DIR] [--cases 12] [--out FILE] [--check]

The peer is DeepMind's surface-distance, whose method (SciPy's distance transform of both borders, surfels with areas) is
written out in tests/shapes.py with its table of areas made once; reading is nibabel's. Times are CPU times per pair, the least
of some rounds. The program's is the difference between a cohort and the same cohort three times as long, so that starting up
does not count. With --check the exit status is 1 when a target is missed.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import nibabel
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import shapes  # noqa: E402

METRICS = "hd,hd95,assd,nsd"
LONGER = 3


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_mb(command):
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL);" \
           "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    done = subprocess.run([sys.executable, "-c", code, *map(str, command)], capture_output=True, text=True, check=True)
    return int(done.stdout) / 1024


class Pairs:
    """A folder of predictions and one of references, and the same files three times under other names."""

    def __init__(self, folder, prediction, reference):
        self.once = prediction, reference
        self.longer = folder / "longer/pred", folder / "longer/ref"
        for long, short in zip(self.longer, self.once):
            shutil.rmtree(long, ignore_errors=True)
            long.mkdir(parents=True)
            for file in sorted(short.glob("*.nii.gz")):
                for n in range(LONGER):
                    os.link(file, long / f"{n}_{file.name}")
        self.count = len(list(prediction.glob("*.nii.gz")))

    def ms(self, program, *options, rounds=3):
        """CPU milliseconds of the program per pair."""
        def run(folders):
            return min(cpu_of([program, "score", *folders, "--jobs", "1", "--quiet", *options]) for _ in range(rounds))
        return (run(self.longer) - run(self.once)) / ((LONGER - 1) * self.count) * 1e3


def peer_ms(pairs, labels=(None,), rounds=2):
    """The same for the peer's method."""
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for file in sorted(pairs.once[0].glob("*.nii.gz")):
            p, r = (nibabel.load(folder / file.name) for folder in pairs.once)
            spacing = nibabel.affines.voxel_sizes(r.affine)
            table = shapes.areas(spacing)
            p, r = numpy.asarray(p.dataobj), numpy.asarray(r.dataobj)
            for label in labels:
                masks = (p > 0, r > 0) if label is None else (p == label, r == label)
                shapes.surfel_metrics(*masks, spacing, table=table)
        best = min(best, time.process_time() - start)
    return best / pairs.count * 1e3


def anisotropic(folder):
    """One pair of 320 x 320 x 60 voxels of 0.6 x 0.6 x 3 mm with five labels."""
    x, y, z = numpy.indices((320, 320, 60))
    sides = []
    for shift in (0, 3):
        out = numpy.zeros(x.shape, numpy.uint8)
        for label in range(1, 6):
            cx, cy = 80 + 160 * (label % 2) + shift, 60 + 45 * label - shift
            wave = 4 * numpy.sin(x / 9 + label) * numpy.cos(y / 7 + shift / 3)
            out[((x - cx) * 0.6) ** 2 + ((y - cy) * 0.6) ** 2 + ((z - 30) * 1.5) ** 2 < (34 + wave) ** 2] = label
        sides.append(out)
    for name, voxels in zip(("pred", "ref"), sides):
        (folder / name).mkdir(parents=True, exist_ok=True)
        nibabel.save(nibabel.Nifti1Image(voxels, numpy.diag([0.6, 0.6, 3, 1.0])), folder / name / "case.nii.gz")
    return Pairs(folder, folder / "pred", folder / "ref")


def ball(side, radius):
    axis = numpy.arange(side) - (side - 1) / 2
    squares = axis**2
    return (squares[:, None, None] + squares[None, :, None] + squares[None, None, :] <= radius**2).astype(numpy.uint8)


def hard(side=256):
    """Name, prediction, reference of what is hard for a search."""
    x, y, z = numpy.indices((side,) * 3, numpy.int16)
    full, corner, other = numpy.ones((side,) * 3, numpy.uint8), *(numpy.zeros((side,) * 3, numpy.uint8) for _ in range(2))
    corner[0, 0, 0] = other[-1, -1, -1] = 1
    yield "full volume against one voxel", full, corner
    yield "checkerboard against its complement", ((x + y + z) % 2 == 0).astype(numpy.uint8), ((x + y + z) % 2).astype(numpy.uint8)
    yield "opposite corners", corner, other
    yield "concentric spheres", ball(side, side / 2 - 1), ball(side, side / 2 - 28)


def worst_cases(program, folder):
    out = {}
    for name, p, r in hard():
        pair = folder / name.replace(" ", "_")
        for side, voxels in (("pred", p), ("ref", r)):
            (pair / side).mkdir(parents=True, exist_ok=True)
            nibabel.save(nibabel.Nifti1Image(voxels, numpy.eye(4)), pair / side / "case.nii.gz")
        pairs = Pairs(pair, pair / "pred", pair / "ref")
        out[name] = pairs.ms(program, "--metrics", METRICS) - pairs.ms(program, "--metrics", "overlap")
    return out


def measured(arguments):
    program, work = arguments.bin / "assay", arguments.work
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    subprocess.run([arguments.bin / "make_cohort", work / "cohort", "256", str(arguments.cases)], check=True)
    cohort = Pairs(work, work / "cohort/models/good", work / "cohort/references")
    ours, overlap = cohort.ms(program, "--metrics", METRICS), cohort.ms(program, "--metrics", "overlap")
    everything, peer = cohort.ms(program, "--metrics", "all"), peer_ms(cohort)
    labels = anisotropic(work / "labels")
    of_labels, peer_of_labels = labels.ms(program, "--metrics", METRICS, "--labels", "1,2,3,4,5"), peer_ms(labels, range(1, 6))
    peak = peak_mb([program, "score", *cohort.once, "--jobs", "1", "--metrics", "all"])
    return {"stroke_ms": ours, "overlap_ms": overlap, "all_ms": everything, "peer_ms": peer, "ratio": peer / ours,
            "all_beyond_three_overlaps_ms": everything - 3 * overlap, "labels_ms": of_labels, "labels_peer_ms": peer_of_labels,
            "labels_ratio": peer_of_labels / of_labels, "peak_mb": peak, "worst_ms": worst_cases(program, work / "hard")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench/boundary")
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    found = measured(arguments)
    targets = [("ratio", "peer's method / assay, HD HD95 ASSD NSD of the stroke cohort", found["ratio"], 25, True),
               ("all", "ms of --metrics all beyond three times overlap", found["all_beyond_three_overlaps_ms"], 12, False),
               ("labels_ratio", "peer's method / assay, 320 x 320 x 60, five labels", found["labels_ratio"], 60, True),
               ("worst", "ms of the worst case at 256^3, beyond overlap", max(found["worst_ms"].values()), 150, False),
               ("peak", "MB at the peak, one job", found["peak_mb"], 100, False)]
    missed = 0
    for _, title, value, limit, at_least in targets:
        met = value >= limit if at_least else value <= limit
        missed += not met
        print(f"{title:<72}{value:>9.1f}  {'at least' if at_least else 'at most':>8} {limit:<5} {'' if met else 'missed'}")
    print(json.dumps(found, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    return int(arguments.check and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
