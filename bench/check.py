#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks whether a change made the program slower, by callgrind's instruction counts against a
record.

usage: check.py [--bin DIR] [--work DIR] [--processor portable|avx2]... [--record]

Times vary by tens of percent on a machine that does other things; counts of instructions hardly
vary at all. Only the program's own instructions count, not those of libraries, which choose their
code by the processor. The program's own choice is fixed by ASSAY_PROCESSOR, so another machine with
the same compiler counts the same. The cost of a job is the difference between a long and a short
run, so start-up does not count. bench/instructions.json has the record, made by --record; the exit
status is 1 if a job takes more than 10 % above it. Record again after a change that is meant to
cost more, or that saves much.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

import nibabel
import numpy

from end_to_end import Bench, Failure, copies

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instructions.json"
MOST = 1.10  # times the recorded count
SIDE, CASES, LONGER = 128, 3, 3


class Counter:
    """Counts the instructions of the program alone."""

    def __init__(self, program, work, processor):
        self.program, self.work, self.processor = program, work, processor

    def count(self, arguments):
        out = self.work / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", self.program,
                   *arguments]
        environment = {**os.environ, "ASSAY_PROCESSOR": self.processor}
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                              env=environment)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, arguments))}: exit status {done.returncode}: "
                          f"{done.stderr.strip().splitlines()[-1]}")
        listed = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", out],
                                capture_output=True, text=True, check=True).stdout
        own = re.findall(rf"^\s*([\d,]+) .*\[{re.escape(str(self.program))}\]$", listed, re.M)
        if not own:
            raise Failure("callgrind_annotate lists no function of the program")
        return sum(int(number.replace(",", "")) for number in own)

    def of_cohort(self, bench, source, *options):
        """Instructions per pair."""
        short, long = (self.count(["score", *copies(bench, source, count), "--jobs", "1", "--quiet",
                                   "--json", *options]) for count in (CASES, LONGER * CASES))
        return (long - short) / ((LONGER - 1) * CASES)

    def of_tables(self, folder):
        """Instructions per case of `compare`, with its resamples."""
        counts = [self.count(["compare", *tables(folder, cases), "--baseline", "a", "--jobs", "1",
                              "--json"]) for cases in (200, 400)]
        return (counts[1] - counts[0]) / 200


def tables(folder, cases):
    paths = [folder / f"{model}{cases}" / f"{model}.csv" for model in "ab"]
    rng = random.Random(cases)
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("case,dice\n" + "".join(f"sub-{i:04},{rng.random():.6f}\n"
                                                for i in range(cases)))
    return paths


def stored_as(folder, source, change):
    """The cohort with its predictions stored in another way."""
    sides = [folder / change.__name__ / side for side in ("pred", "ref")]
    for side in sides:
        side.mkdir(parents=True, exist_ok=True)
    for path in sorted(source[0].glob("*.nii.gz")):
        image = nibabel.load(path)
        nibabel.save(change(numpy.asarray(image.dataobj), image.affine), sides[0] / path.name)
        shutil.copy(source[1] / path.name, sides[1])
    return sides


def permuted(voxels, affine):
    return nibabel.Nifti1Image(voxels, affine).as_reoriented(
        numpy.array([[2, 1], [0, -1], [1, 1]]))


def doubles(voxels, affine):
    return nibabel.Nifti1Image(voxels.astype(numpy.float64), affine)


def measured(bench, counter):
    source = bench.cohort(SIDE, CASES)
    paper = "--metrics", "paper"
    yield "paper, runs", counter.of_cohort(bench, source, *paper, "--reader", "runs")
    yield "paper, voxels", counter.of_cohort(bench, source, *paper, "--reader", "buffer")
    yield ("surfaces, runs",
           counter.of_cohort(bench, source, "--metrics", "hd,hd95,assd,nsd", "--reader", "runs"))
    yield "all, runs", counter.of_cohort(bench, source, "--metrics", "all", "--reader", "runs")
    for change in (permuted, doubles):
        stored = stored_as(bench.work, source, change)
        yield (f"paper, {change.__name__}, voxels",
               counter.of_cohort(bench, stored, *paper, "--reader", "buffer"))
    yield "compare, per case", counter.of_tables(bench.work)


def compared(found, recorded):
    """Prints a row for each job; returns how many are too slow."""
    slower = 0
    for name, count in found.items():
        before = recorded.get(name)
        ratio = count / before if before else None
        verdict = ("not recorded" if ratio is None else "SLOWER" if ratio > MOST else
                   "faster; record it" if ratio < 1 / MOST else "as recorded")
        slower += verdict == "SLOWER"
        shown = "-" if ratio is None else f"{ratio:.3f}"
        print(f"  {name:<32}{count / 1e6:>10.3f} M {shown:>7} {verdict}")
    return slower


def main():
    root = HERE.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=root / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=root / "build/bench/check")
    parser.add_argument("--processor", action="append", choices=("portable", "avx2"))
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    program = (options.bin / "assay").resolve()
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    slower = 0
    try:
        bench = Bench(program, options.bin, options.work)
        _, version = bench.usage([program, "--version"])
        compiler = re.search(r"(GCC|Clang) [\d.]+", version).group()
        if not options.record and record.get("compiler") != compiler:
            print(f"bench-check: skipped, because the record was made with "
                  f"{record.get('compiler')}, and this is {compiler}")
            return 0
        for processor in options.processor or ("portable", "avx2"):
            if processor == "avx2" and "portable" in version:
                print("avx2: skipped, because this processor does not have it")
                continue
            print(f"instructions of the program, {processor}, against the record")
            found = dict(measured(bench, Counter(program, options.work, processor)))
            slower += compared(found, record.get(processor, {}))
            record[processor] = {name: round(count) for name, count in found.items()}
    except Failure as failure:
        print(f"check.py: {failure}", file=sys.stderr)
        return 2
    if options.record:
        RECORD.write_text(json.dumps({**record, "compiler": compiler}, indent=1) + "\n")
        return 0
    print(f"bench-check: {slower} slower than 1.1 times the record")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
