#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a pair of masks costs by its number of voxels, and a cohort by its number of cases.

usage: scaling_bench.py [--bin DIR] [--work DIR] [--sides 64,128,256,512,1024]
       [--cases 10,100,1000,10000,100000] [--rounds 3] [--out FILE] [--write docs/images/cost.svg]

CPU time of one job, the least of some rounds. Pairs are the mean of two of the demo's cohort, a
small and a large lesion; those of 1024^3 are those of 512^3 with every voxel repeated along each
axis. What a pair costs is the difference between a long and a short run. The cases are masks of
4 x 4 x 4 voxels, so that the time is what each case costs apart from its voxels; starting up is
included.
"""
import argparse
import gzip
import json
import pathlib
import struct
import sys
import tempfile

import nibabel
import numpy

import load_cohort
from end_to_end import Bench, Failure, copies
from load_plots import HEIGHT, Panel, svg

PAIRS = 2
LONGER = {64: 202, 128: 102, 256: 42, 512: 6, 1024: 6}  # pairs of the long run, by side
LARGEST_MADE = 512
JOBS = {"paper": ["--metrics", "paper"],
        "paper, voxel by voxel": ["--metrics", "paper", "--reader", "buffer"],
        "all metrics": ["--metrics", "all"]}


def enlarged(path, into):
    """The mask with every voxel twice along each axis, slice by slice."""
    image = nibabel.load(path)
    voxels = numpy.asarray(image.dataobj)
    head = bytearray(image.to_bytes()[:352])
    struct.pack_into("<3h", head, 42, *(2 * n for n in voxels.shape))
    into.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(into, "wb", compresslevel=6) as file:
        file.write(head)
        for z in range(voxels.shape[2]):
            twice = voxels[:, :, z].repeat(2, 0).repeat(2, 1).tobytes("F")
            file.write(twice + twice)


def pairs_of(bench, side):
    if side <= LARGEST_MADE:
        return bench.cohort(side, PAIRS)
    folders = [bench.work / f"cohort-{side}" / name for name in ("pred", "ref")]
    for folder, small in zip(folders, pairs_of(bench, side // 2)):
        for path in sorted(small.glob("*.nii.gz")):
            if not (folder / path.name).exists():
                enlarged(path, folder / path.name)
    return folders


def by_voxels(bench, sides, rounds):
    """By job: [[voxels, ms], ...]."""
    out = {name: [] for name in JOBS}
    for side in sides:
        source = pairs_of(bench, side)
        for name, options in JOBS.items():
            used = [bench.least([bench.program, "score", *copies(bench, source, count), "--jobs", 1,
                                 "--json", "--quiet", *options], rounds)["cpu_ms"]
                    for count in (LONGER[side], PAIRS)]
            out[name].append([side**3, (used[0] - used[1]) / (LONGER[side] - PAIRS)])
            print(f"{side:>5}^3  {name:<24}{out[name][-1][1]:>10.3f} ms", flush=True)
    return out


def by_cases(counts, rounds):
    """[[cases, seconds], ...]."""
    out = []
    for cases in counts:
        with tempfile.TemporaryDirectory() as folder:
            sides = load_cohort.make_cohort(pathlib.Path(folder), cases)
            results = pathlib.Path(folder) / "results.json"
            seconds = min(load_cohort.measured("score", *sides, "--metrics", "paper", "--quiet",
                                               "--jobs", "1", "--out", results)[0]
                          for _ in range(rounds if cases < 100000 else 1))
        out.append([cases, seconds])
        print(f"{cases:>7,} cases {seconds:>10.3f} s", flush=True)
    return out


def decades(values):
    low, high = min(values), max(values)
    tick, out = 1e-3, []
    while tick < high * 10:
        if tick * 10 > low:
            out.append((tick, f"{tick:,g}"))
        tick *= 10
    return out


def plot(voxels, cases):
    times = [ms for points in voxels.values() for _, ms in points]
    sides = [(n, f"{round(n ** (1 / 3))}³") for n, _ in next(iter(voxels.values()))]
    first = Panel("A pair by its voxels (ms of CPU time, both axes logarithmic)", sides,
                  decades(times), True)
    below = None
    for name in sorted(voxels, key=lambda name: voxels[name][-1][1]):  # names move up apart
        y = first.y(voxels[name][-1][1])
        below = y if below is None else min(y, below - 14)
        first.line(voxels[name], "abc"[list(voxels).index(name)], name, below)
    second = Panel("A cohort of tiny masks by its cases (s of CPU time)",
                   [(n, f"{n:,}") for n, _ in cases], decades([s for _, s in cases]), True,
                   top=HEIGHT)
    second.line(cases, "d", f"{cases[-1][1]:.3g} s")
    return svg([first, second], "Cost by number of voxels and by number of cases")


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    numbers = lambda text: [int(n) for n in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=root / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=root / "build/bench")
    parser.add_argument("--sides", type=numbers, default=list(LONGER))
    parser.add_argument("--cases", type=numbers, default=[10, 100, 1000, 10000, 100000])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path, help="write the figures as JSON")
    parser.add_argument("--write", type=pathlib.Path, help="SVG with both plots")
    options = parser.parse_args()
    try:
        bench = Bench(options.bin / "assay", options.bin, options.work)
        voxels = by_voxels(bench, options.sides, options.rounds)
    except Failure as failure:
        print(f"scaling_bench.py: {failure}", file=sys.stderr)
        return 2
    cases = by_cases(options.cases, options.rounds)
    if options.out:
        options.out.write_text(json.dumps({"voxels": voxels, "cases": cases}, indent=1) + "\n")
    if options.write:
        options.write.write_text(plot(voxels, cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
