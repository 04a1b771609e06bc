#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what reading masks as runs gains, from files to numbers, against our own reader of
voxels and against named peers, in one run.

usage: runs_bench.py [--bin DIR] [--work DIR] [--before PROGRAM] [--rounds 5] [--out FILE]
                     [--markdown FILE] [--check]

Times are CPU times of one job, checksums of the files included, the least of several rounds. The
cost of a pair is the difference between a cohort and one five times as long, so start-up does not
count; it does for the 230 cases on two cores, which are wall time. The time that a map of 104
labels took before masks were read as runs is measured with an older program, --before (commit
0f26a4f, built in a folder of its own), in alternation with this one; without it that part is left
out. For the checkerboard, the time of --metrics overlap is subtracted. Axes and 64-bit floats are
single steps of assay_bench at 256^3. The specification's Python is peers.py. surface-distance is
DeepMind's package itself, from the Python package index in an environment of its own; it is left
out with a message if the index cannot be reached. With --check the exit status is 1 if a target is
missed.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

import boundary_cases
from end_to_end import CASES, PYTHON, SIDE, Bench, Failure, Target, copies

HERE = pathlib.Path(__file__).resolve().parent
SHORT, LONG, COHORT = 48, 240, 230  # pairs
SURFACE = "hd,hd95,assd,nsd"
PACKAGE = "surface-distance==0.1"

TARGETS = (
    Target("paper_ms", "Dice, AVD, MCC: ms per pair", 2.5),
    Target("paper_ratio", "the same: voxels / runs", 4, True),
    Target("specification_ratio", "the same: specification's Python / assay", 800, True),
    Target("surface_ms", "Dice, HD, HD95, ASSD, NSD: ms per pair", 5),
    Target("surface_distance_ratio", "the same without Dice: surface-distance / assay", 60, True),
    Target("all_ms", "all metrics: ms per pair", 8),
    Target("cohort_paper_s", "230 cases, two cores, Dice, AVD, MCC: wall s", 1),
    Target("cohort_all_s", "230 cases, two cores, all metrics: wall s", 1),
    Target("organs_ratio", "104 labels, Dice: before / now", 1.5, True),
    Target("organs_standard_ratio", "104 labels, standard metrics: before / now", 1.5, True),
    Target("checkerboard_ms", "checkerboard against one voxel, 0.7 x 0.7 x 1.3 mm: ms", 200),
    Target("checkerboard_mb", "the same: MB at the peak", 100),
    Target("reorient_ms", "slowest order of axes: ms", 15),
    Target("float64_ms", "mask of 64-bit floats: ms", 8),
    Target("swapped_ms", "mask of 32-bit floats in the other byte order: ms", 8),
)


class Cohort:
    """The same pairs, repeated under other names, for a short and a long run."""

    def __init__(self, bench, source, rounds):
        self.bench, self.rounds = bench, rounds
        self.short, self.long = (copies(bench, source, count) for count in (SHORT, LONG))

    def ms(self, *options):
        """CPU milliseconds per pair."""
        return self.ms_in_turns([self.bench.program], *options)[0]

    def ms_in_turns(self, programs, *options):
        """The same for several programs, run alternately, so that other load on the machine affects
        all."""
        used = {(program, folder): [] for program in programs for folder in (0, 1)}
        for _ in range(self.rounds):
            for program, folder in used:
                command = self.command((self.short, self.long)[folder], *options, program=program)
                used[program, folder].append(self.bench.usage(command)[0]["cpu_ms"])
        return [(min(used[program, 1]) - min(used[program, 0])) / (LONG - SHORT)
                for program in programs]

    def command(self, folders, *options, jobs=1, program=None):
        return [program or self.bench.program, "score", *folders, "--jobs", jobs, "--quiet",
                "--out", self.bench.work / "results.json", *options]


def own_environment(work):
    """The Python of an environment with surface-distance, or why there is none."""
    folder = work / "surface-distance"
    python = folder / "bin/python"
    commands = [[PYTHON, "-m", "venv", "--system-site-packages", folder],
                [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                 "--retries", "1", "--timeout", "30", PACKAGE]]
    if (folder / "complete").exists():
        return python, ""
    for command in commands:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            return None, (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    (folder / "complete").touch()
    return python, ""


def peer(python, script, folders, *options):
    command = [python, HERE / script, *folders, *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Failure(f"{script} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)


def stroke(bench, rounds):
    source = bench.cohort(SIDE, CASES)
    cohort = Cohort(bench, source, rounds)
    found = {"paper_ms": cohort.ms("--metrics", "paper"),
             "paper_voxels_ms": cohort.ms("--metrics", "paper", "--reader", "buffer"),
             "surface_ms": cohort.ms("--metrics", "dice," + SURFACE),
             "surface_voxels_ms": cohort.ms("--metrics", "dice," + SURFACE, "--reader", "buffer"),
             "all_ms": cohort.ms("--metrics", "all"),
             "all_voxels_ms": cohort.ms("--metrics", "all", "--reader", "buffer")}
    found["paper_ratio"] = found["paper_voxels_ms"] / found["paper_ms"]
    folders = copies(bench, source, COHORT)
    for metrics in ("paper", "all"):
        used = bench.least(cohort.command(folders, "--metrics", metrics, jobs=2), rounds)
        found[f"cohort_{metrics}_s"] = used["wall_ms"] / 1e3
    return source, found


def organs(bench, rounds, before):
    """One pair of 104 labels, many times."""
    folder = bench.work / "organs"
    if not (folder / "ref/case.nii.gz").exists():
        boundary_cases.organs(folder)
    cohort = Cohort(bench, (folder / "pred", folder / "ref"), rounds)
    options = "--labels", "all", "--metrics"
    found = {"organs_runs_ms": cohort.ms(*options, "dice", "--reader", "runs"),
             "organs_voxels_ms": cohort.ms(*options, "dice", "--reader", "buffer")}
    for key, metrics in (("organs", "dice"), ("organs_standard", "standard")):
        if before is None:
            found[f"{key}_ms"] = cohort.ms(*options, metrics)
            continue
        old, new = cohort.ms_in_turns([before, bench.program], *options, metrics)
        found.update({f"{key}_before_ms": old, f"{key}_ms": new, f"{key}_ratio": old / new})
    return found


def checkerboard(bench, rounds):
    folder = bench.work / "checkerboard"
    if not (folder / "ref/case.nii.gz").exists():
        boundary_cases.written(folder, *boundary_cases.HARD["checkerboard against one voxel"](SIDE),
                               (0.7, 0.7, 1.3))
    whole, overlap = (bench.least([bench.program, "score", folder / "pred", folder / "ref",
                                   "--jobs", 1, "--quiet", "--json", "--metrics", metrics], rounds)
                      for metrics in (SURFACE, "overlap"))
    return {"checkerboard_ms": whole["cpu_ms"] - overlap["cpu_ms"],
            "checkerboard_mb": whole["peak_bytes"] / 2**20}


def steps(bench):
    """Single steps, by assay_bench; the slowest order of axes."""
    filters = "--benchmark_filter=mask_of|reorient_permuted"
    output = json.loads(bench.tool("assay_bench", filters, "--benchmark_format=json"))
    ms = {each["name"]: each["cpu_time"] for each in output["benchmarks"]}
    return {"float64_ms": ms["mask_of_float64"], "swapped_ms": ms["mask_of_swapped_float32"],
            "reorient_ms": max(value for name, value in ms.items() if "reorient" in name)}


def peers(bench, source, found):
    [specification] = peer(PYTHON, "peers.py", source, "--peer", "specification")
    if "absent" in specification:
        print(f"specification's Python: skipped, because {specification['absent']}")
    else:
        found["specification"] = specification["version"]
        found["specification_ms"] = specification["cpu_ms_per_case"]
        found["specification_ratio"] = found["specification_ms"] / found["paper_ms"]
    python, why = own_environment(bench.work)
    if python is None:
        print(f"surface-distance: skipped, because it cannot be installed: {why}")
        return
    package = peer(python, "peers_surface.py", source)
    found["surface_distance"] = package["version"]
    found["surface_distance_ms"] = package["cpu_ms_per_case"]
    found["surface_distance_ratio"] = found["surface_distance_ms"] / found["surface_ms"]


def rows_of(found):
    """Title, value, what is wanted, verdict."""
    for target in TARGETS:
        value = found.get(target.key)
        verdict = ("not measured" if value is None else "met" if target.is_met(value)
                   else "MISSED")
        sign = ">=" if target.at_least else "<="
        yield (target.title, "-" if value is None else f"{value:.3g}",
               f"{sign} {target.limit:g}", verdict)


def markdown(found):
    lines = ["| | measured | wanted | |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows_of(found)]
    names = ", ".join(found[key] for key in ("specification", "surface_distance") if key in found)
    return "\n".join(lines) + f"\n\nPeers: {names or 'none'}. Load {found['load']:.1f}.\n"


def parsed_options():
    root = HERE.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=root / "build/release/bin")
    parser.add_argument("--work", type=pathlib.Path, default=root / "build/bench")
    parser.add_argument("--before", type=pathlib.Path, help="an older program to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=pathlib.Path, help="write the figures as JSON")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table")
    parser.add_argument("--check", action="store_true", help="exit 1 when a figure is missed")
    return parser.parse_args()


def main():
    options = parsed_options()
    try:
        bench = Bench(options.bin / "assay", options.bin, options.work)
        source, found = stroke(bench, options.rounds)
        found.update(organs(bench, options.rounds, options.before))
        found.update(checkerboard(bench, options.rounds))
        found.update(steps(bench))
        peers(bench, source, found)
    except Failure as failure:
        print(f"runs_bench.py: {failure}", file=sys.stderr)
        return 2
    found["load"] = os.getloadavg()[0]
    for title, value, wanted, verdict in rows_of(found):
        print(f"{title:<58}{value:>8}  {wanted:<8}{verdict}")
    print(json.dumps(found, indent=1))
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n")
    if options.markdown:
        options.markdown.write_text(markdown(found))
    missed = any(row[3] == "MISSED" for row in rows_of(found))
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
