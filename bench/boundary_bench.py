#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures HD, HD95, ASSD and NSD from files to numbers, against the methods of two peers, in one
run, also for hard cases.

usage: boundary_bench.py [--bin DIR] [--work DIR] [--cases 12] [--part NAME]... [--out FILE]
       [--check]

Parts: stroke (a cohort of 256^3), labels (320 x 320 x 60, five labels), organs (256 x 256 x 200,
104 labels), hard (worst cases at 256^3 of 1 mm), spaced (the same, 0.7 x 0.7 x 1.3 mm), large (at
512^3; only when named), faces (worst cases by the faces of voxels).

The peers are DeepMind's surface-distance, the fastest we know (SciPy's distance transform of both
borders, surfels with areas), and MONAI (erosion and a distance transform of each border, computed
again for each of HD95, ASSD and NSD; of the whole volume, and of the box around both masks). The
methods are implemented with NumPy and SciPy in tests/shapes.py, so that the packages need not be
installed. They have none of the packages' other costs, so the packages themselves are slower. Files
are read with nibabel. Times are CPU times, the least of several rounds. The program's time for a
cohort is the difference between it and the same cohort three times as long, so that start-up does
not count. For a worst case it is the time beyond that of --metrics overlap. With --check the exit
status is 1 if a target is missed.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import nibabel
import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import boundary_cases  # noqa: E402
import shapes  # noqa: E402

METRICS = "hd,hd95,assd,nsd"
LONGER = 3


class Program:
    def __init__(self, folder):
        self.folder = folder

    def used(self, folders, *options):
        """CPU milliseconds and megabytes at the peak of one run on one core."""
        command = [self.folder / "usage", os.devnull, self.folder / "assay", "score", *folders,
                   "--jobs", "1", "--quiet", *options]
        done = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        found = json.loads(done.stdout)
        if found["status"] != 0:
            raise SystemExit(f"assay score {folders[0]} ended with {found['status']}")
        return found["cpu_ms"], found["peak_bytes"] / 2**20

    def best(self, folders, *options, rounds=3):
        runs = [self.used(folders, *options) for _ in range(rounds)]
        return min(ms for ms, _ in runs), max(mb for _, mb in runs)


class Pairs:
    """A folder of predictions and one of references, and the same files three times under other
    names.

    If there are few files, `copies` repeats each pair, so that the time of one pair is not lost in
    the noise."""

    def __init__(self, folder, once, copies=1):
        self.once = once
        for side in once:
            for file in sorted(side.glob("*.nii.gz")):
                for n in range(1, copies):
                    os.link(file, side / f"copy{n}_{file.name}")
        self.longer = folder / "longer/pred", folder / "longer/ref"
        for long, short in zip(self.longer, self.once):
            shutil.rmtree(long, ignore_errors=True)
            long.mkdir(parents=True)
            for file in sorted(short.glob("*.nii.gz")):
                for n in range(LONGER):
                    os.link(file, long / f"{n}_{file.name}")
        self.files = sorted(file.name for file in once[0].glob("*.nii.gz"))

    def ms(self, program, *options, rounds=3):
        """CPU milliseconds of the program per pair."""
        long, short = (program.best(folders, *options, rounds=rounds)[0]
                       for folders in (self.longer, self.once))
        return (long - short) / ((LONGER - 1) * len(self.files))


def by_deepmind(p, r, spacing, tables={}):
    table = tables.setdefault(tuple(spacing), shapes.areas(spacing))
    shapes.surfel_metrics(p, r, spacing, table=table)


def by_monai(p, r, spacing):
    for _ in ("hd95", "assd", "nsd"):
        shapes.border_distances(p, r, spacing)


def by_monai_cropped(p, r, spacing):
    for _ in ("hd95", "assd", "nsd"):
        shapes.border_distances(*shapes.joint_crop(p, r), spacing)


def peer_ms(method, pairs, labels=(None,), rounds=2, most=None):
    """CPU milliseconds of a peer's method per pair, over all pairs or the first ones."""
    best, files = float("inf"), pairs.files[:most]
    for _ in range(rounds):
        start = time.process_time()
        for file in files:
            p, r = (nibabel.load(folder / file) for folder in pairs.once)
            spacing = nibabel.affines.voxel_sizes(r.affine)
            p, r = numpy.asarray(p.dataobj), numpy.asarray(r.dataobj)
            for label in labels:
                masks = (p > 0, r > 0) if label is None else (p == label, r == label)
                method(*masks, spacing)
        best = min(best, time.process_time() - start)
    return best / len(files) * 1e3


def stroke(program, arguments):
    folder = arguments.work / "stroke"
    subprocess.run([program.folder / "make_cohort", folder, "256", str(arguments.cases)],
                   check=True)
    pairs = Pairs(arguments.work, (folder / "models/good", folder / "references"))
    ours, overlap, everything = (pairs.ms(program, "--metrics", metrics)
                                 for metrics in (METRICS, "overlap", "all"))
    deepmind, cropped = peer_ms(by_deepmind, pairs), peer_ms(by_monai_cropped, pairs)
    monai = peer_ms(by_monai, pairs, rounds=1, most=2)  # minutes otherwise
    return {"ms": ours, "overlap_ms": overlap, "all_ms": everything, "deepmind_ms": deepmind,
            "monai_ms": monai, "monai_cropped_ms": cropped, "ratio_deepmind": deepmind / ours,
            "ratio_monai": monai / ours, "ratio_monai_cropped": cropped / ours,
            "all_beyond_three_overlaps_ms": everything - 3 * overlap,
            "peak_mb": program.best(pairs.once, "--metrics", "all", rounds=1)[1]}


def of_labels(program, folder, make, count):
    """Boundaries of many labels at once, against the peer label by label."""
    pairs, numbers = Pairs(folder, make(folder), copies=6), range(1, count + 1)
    options = "--labels", ",".join(map(str, numbers))
    before = peer_ms(by_deepmind, pairs, numbers, most=1)
    ours, overlap = (pairs.ms(program, "--metrics", metrics, *options, rounds=5)
                     for metrics in (METRICS, "overlap"))
    deepmind = min(before, peer_ms(by_deepmind, pairs, numbers, most=1))
    return {"ms": ours, "overlap_ms": overlap, "deepmind_ms": deepmind,
            "ratio_deepmind": deepmind / ours,
            "peak_mb": program.best(pairs.once, "--metrics", METRICS, *options, rounds=1)[1]}


def labels(program, arguments):
    return of_labels(program, arguments.work / "labels", boundary_cases.five_labels, 5)


def organs(program, arguments):
    return of_labels(program, arguments.work / "organs", boundary_cases.organs,
                     boundary_cases.ORGANS)


def worst(program, arguments, side=256, options=(), rounds=3, spacing=(1, 1, 1)):
    """CPU time beyond that of overlap, and the peak, of every hard pair."""
    out = {}
    for name, make in boundary_cases.HARD.items():
        folder = arguments.work / f"hard_{side}_{spacing[2]}" / name.replace(
            " ", "_").replace(",", "")
        pair = folder / "pred", folder / "ref"
        if not pair[1].exists():
            boundary_cases.written(folder, *make(side), spacing)
        ms, peak = program.best(pair, "--metrics", METRICS, *options, rounds=rounds)
        overlap, _ = program.best(pair, "--metrics", "overlap", rounds=rounds)
        out[name] = {"ms": ms - overlap, "overlap_ms": overlap, "peak_mb": peak}
    return out


def large(program, arguments):
    return worst(program, arguments, 512, rounds=1)


def spaced(program, arguments):
    return worst(program, arguments, spacing=(0.7, 0.7, 1.3))


def faces(program, arguments):
    return worst(program, arguments, options=("--convention", "faces"), rounds=1)


PARTS = {"stroke": stroke, "labels": labels, "organs": organs, "hard": worst, "spaced": spaced,
         "large": large, "faces": faces}


def greatest(cases, key):
    return max(case[key] for case in cases.values())


# The part, a description, and the highest or lowest value allowed.
TARGETS = [("stroke", "surface-distance's method / assay, HD HD95 ASSD NSD of 256^3",
            lambda f: f["ratio_deepmind"], 25, True),
           ("stroke", "MONAI's method of the whole volume / assay, the same",
            lambda f: f["ratio_monai"], 150, True),
           ("stroke", "ms of --metrics all beyond three times overlap",
            lambda f: f["all_beyond_three_overlaps_ms"], 12, False),
           ("stroke", "MB at the peak, one job", lambda f: f["peak_mb"], 100, False),
           ("labels", "surface-distance's method / assay, 320 x 320 x 60, five labels",
            lambda f: f["ratio_deepmind"], 60, True),
           ("hard", "ms of the worst case at 256^3, beyond overlap", lambda f: greatest(f, "ms"),
            150, False),
           ("hard", "MB at the peak of the worst case at 256^3, one job",
            lambda f: greatest(f, "peak_mb"), 100, False)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench/boundary")
    parser.add_argument("--cases", type=int, default=12)
    parser.add_argument("--part", action="append", choices=PARTS, help="default: all but large")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    shutil.rmtree(arguments.work, ignore_errors=True)
    arguments.work.mkdir(parents=True)
    chosen = arguments.part or [name for name in PARTS if name != "large"]
    found = {name: PARTS[name](Program(arguments.bin), arguments) for name in chosen}
    missed = 0
    for part, title, value, limit, at_least in TARGETS:
        if part not in found:
            continue
        value = value(found[part])
        met = value >= limit if at_least else value <= limit
        missed += not met
        print(f"{title:<72}{value:>9.1f}  {'at least' if at_least else 'at most':>8} {limit:<5} "
              f"{'' if met else 'missed'}")
    print(json.dumps(found, indent=1))
    if arguments.out:
        arguments.out.write_text(json.dumps(found, indent=1) + "\n")
    return int(arguments.check and missed > 0)


if __name__ == "__main__":
    sys.exit(main())
