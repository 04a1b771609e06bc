#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the program as a user runs it, against its lower bound, its peers and itself.

usage: end_to_end.py [--assay PROGRAM] [--work DIR] [--out FILE] [--no-scaling] [--check]

The lower bound ("floor") is decompressing the same files and nothing else; the peers are those of
peers.py. Times are CPU times of one job, the least of several repeats. Floor and peers are measured
warm, after a first round that does not count. The program is therefore run over the cohort and over
the same cohort four times as long. The difference, per case, is the cost of a case; the rest is
start-up and the first access to memory. The plain quotient, from which only the time of `assay
--version` is subtracted, is shown beside it. With --check the exit status is 1 if a target is
missed; 2 means that something could not be run.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import typing

SIDE, CASES = 256, 12
SIDES = {64: 12, 128: 12, 256: CASES, 512: 4}  # voxels along an axis: cases
COHORTS = (10, 100, 1000)  # cases of 64^3
LONGER = 4  # how many times longer the cohort is by which the cost of a case is determined
MODEL = "good"
PYTHON = "/usr/bin/python3"  # the one with the distribution's torch and nibabel


class Target(typing.NamedTuple):
    key: str
    title: str
    limit: float
    at_least: bool = False

    def is_met(self, value):
        return value is not None and (value >= self.limit if self.at_least else value <= self.limit)


TARGETS = (
    Target("over_inflate", "end to end / inflating alone", 1.5),
    Target("specification_ratio", "specification's Python / assay", 100, at_least=True),
    Target("version_wall_ms", "wall ms of assay --version", 20),
    Target("peak_volumes", "peak memory, in volumes of 256^3 bytes", 3),
    Target("greatest_disagreement", "greatest difference of a mean from NumPy's", 1e-9),
)


class Failure(Exception):
    """Something could not be run; the message says what."""


class Bench:
    """The programs, and the folder in which cohorts are kept from run to run."""

    def __init__(self, program, tools, work):
        self.program, self.tools, self.work = program, tools, work
        work.mkdir(parents=True, exist_ok=True)
        self.start = self.least([program, "--version"], repeats=10)

    def tool(self, name, *arguments):
        command = [str(self.tools / name), *map(str, arguments)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        except OSError as error:
            raise Failure(f"{command[0]}: {error.strerror}; build it first") from error
        except subprocess.CalledProcessError as error:
            raise Failure(f"{name} failed: {error.stderr.strip()}") from error
        return done.stdout

    def usage(self, command):
        """What one run of a command takes, and what it prints."""
        output = self.work / "stdout"
        used = json.loads(self.tool("usage", output, *command))
        if used["status"] != 0:
            raise Failure(f"{' '.join(map(str, command))}: exit status {used['status']}")
        return used, output.read_text()

    def least(self, command, repeats=3):
        """The least of each quantity over some runs: other processes can only add to it."""
        runs = [self.usage(command)[0] for _ in range(repeats)]
        return {key: min(run[key] for run in runs) for key in runs[0]}

    def cohort(self, side, cases):
        """Folders of predictions and references; made once."""
        folder = self.work / f"cohort-{side}-{cases}"
        if not (folder / "cases.csv").exists():  # written last
            self.tool("make_cohort", folder, side, cases, os.cpu_count())
        return folder / "models" / MODEL, folder / "references"

    def score_command(self, predictions, references):
        return [self.program, "score", predictions, references, "--jobs", 1, "--metrics", "paper",
                "--json", "--quiet"]

    def scored(self, predictions, references, repeats=3):
        """CPU milliseconds per case, peak memory, and the results."""
        command = self.score_command(predictions, references)
        results = parsed(self.usage(command)[1])
        used = self.least(command, repeats)
        cases = results["ledger"]["scored"]
        return {
            "cases": cases,
            "cpu_ms": used["cpu_ms"],
            "cpu_ms_per_case": (used["cpu_ms"] - self.start["cpu_ms"]) / cases,
            "peak_bytes": used["peak_bytes"],
            "mean": {key: results[key]["mean"] for key in ("dice", "avd", "mcc")},
        }


def parsed(text):
    try:
        results = json.loads(text)
        if results["schema"] != "assay.segmentation/1":
            raise Failure(f"assay score printed schema {results['schema']}")
        return results
    except (ValueError, KeyError) as error:
        raise Failure(f"assay score --json did not print results: {error!r}") from error


def copies(bench, source, cases):
    """A cohort of any size, made of the same files under other names."""
    top = bench.work / f"{source[1].parent.name}-as-{cases}"
    folders = [top / name for name in ("predictions", "references")]
    for original, folder in zip(source, folders):
        folder.mkdir(parents=True, exist_ok=True)
        files = sorted(original.glob("*.nii.gz"))
        for i in range(cases):
            path = folder / f"sub-{i + 1:04}.nii.gz"
            if path.exists():
                continue
            try:
                os.link(files[i % len(files)], path)
            except OSError:  # a file system without links
                shutil.copy(files[i % len(files)], path)
    return folders


def scored_warm(bench, side, cases):
    """What a cohort takes, with the cost of a case determined by a longer cohort."""
    source = bench.cohort(side, cases)
    short = bench.scored(*source)
    long = bench.scored(*copies(bench, source, LONGER * cases))
    warm = (long["cpu_ms"] - short["cpu_ms"]) / (long["cases"] - short["cases"])
    return {**short, "cpu_ms_per_case_with_warm_up": short["cpu_ms_per_case"],
            "cpu_ms_per_case": warm}


def peers(predictions, references):
    command = [PYTHON, pathlib.Path(__file__).with_name("peers.py"), predictions, references]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"peers.py failed: {done.stderr.strip()}")
    return {row["peer"]: row for row in json.loads(done.stdout)}


def ratio(peer, ours):
    """How much longer a peer takes; None when it is not installed."""
    return peer["cpu_ms_per_case"] / ours["cpu_ms_per_case"] if "absent" not in peer else None


def disagreement(peer, ours):
    if "absent" in peer:
        return None
    return max(abs(peer["mean"][key] - ours["mean"][key]) for key in ours["mean"])


def main_measurements(bench):
    predictions, references = bench.cohort(SIDE, CASES)
    files = sorted(predictions.glob("*.nii.gz")) + sorted(references.glob("*.nii.gz"))
    ours = scored_warm(bench, SIDE, CASES)
    floor = 2 * json.loads(bench.tool("inflate_only", *files))["cpu_ms_per_file"]
    others = peers(predictions, references)
    return {
        "side": SIDE,
        "start": bench.start,
        "assay": ours,
        "inflate_cpu_ms_per_pair": floor,
        "peers": list(others.values()),
        "over_inflate": ours["cpu_ms_per_case"] / floor,
        "over_inflate_with_warm_up": ours["cpu_ms_per_case_with_warm_up"] / floor,
        "specification_ratio": ratio(others["specification"], ours),
        "numpy_ratio": ratio(others["numpy"], ours),
        "version_wall_ms": bench.start["wall_ms"],
        "peak_volumes": (ours["peak_bytes"] - bench.start["peak_bytes"]) / SIDE**3,
        "greatest_disagreement": disagreement(others["numpy"], ours),
    }


def scaling(bench):
    by_side = []
    for side, cases in SIDES.items():
        per_case = scored_warm(bench, side, cases)["cpu_ms_per_case"]
        by_side.append({"side": side, "cases": cases, "cpu_ms_per_case": per_case,
                        "cpu_ns_per_voxel": per_case * 1e6 / side**3})
    ten = bench.cohort(64, 10)
    by_cases = [{"cases": cases,
                 "cpu_ms_per_case": bench.scored(*copies(bench, ten, cases))["cpu_ms_per_case"]}
                for cases in COHORTS]
    return {"by_side": by_side, "by_cases": by_cases}


def show_measurements(results):
    ours, floor = results["assay"]["cpu_ms_per_case"], results["inflate_cpu_ms_per_pair"]
    print(f"CPU ms per case, {SIDE}^3, {results['assay']['cases']} cases, one job")
    rows = [("inflating alone", floor), ("assay score", ours),
            ("  with its warm-up", results["assay"]["cpu_ms_per_case_with_warm_up"])]
    rows += [(p["peer"], p.get("cpu_ms_per_case")) for p in results["peers"]]
    for name, value in rows:
        text = f"{value:10.2f}   {value / ours:8.2f} x assay" if value is not None else "    absent"
        print(f"  {name:24}{text}")


def show_scaling(results):
    print("\nscaling over the side of a volume")
    for row in results["by_side"]:
        print(f"  {row['side']:4}^3 {row['cpu_ms_per_case']:10.3f} ms per case "
              f"{row['cpu_ns_per_voxel']:8.3f} ns per voxel")
    print("scaling over cases of 64^3")
    for row in results["by_cases"]:
        print(f"  {row['cases']:6} {row['cpu_ms_per_case']:10.3f} ms per case")


def show_targets(results):
    """Prints the verdicts; returns True if every target is met."""
    print("\ntargets")
    for target in TARGETS:
        value = results[target.key]
        missed = "MISSED" if value is not None else "not measured"
        verdict = "met" if target.is_met(value) else missed
        sign = ">=" if target.at_least else "<="
        shown = "-" if value is None else f"{value:.4g}"
        print(f"  {target.title:44}{shown:>10}  {sign} {target.limit:<6g} {verdict}")
    return all(target.is_met(results[target.key]) for target in TARGETS
               if results[target.key] is not None)


def parsed_options():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    programs = root / "build" / "release" / "bin"
    parser.add_argument("--assay", type=pathlib.Path, default=programs / "assay")
    parser.add_argument("--tools", type=pathlib.Path, default=programs,
                        help="folder of make_cohort, inflate_only and usage")
    parser.add_argument("--work", type=pathlib.Path, default=root / "build" / "bench")
    parser.add_argument("--out", type=pathlib.Path, help="write the measurements as JSON")
    parser.add_argument("--no-scaling", action="store_true")
    parser.add_argument("--check", action="store_true", help="exit 1 when a target is missed")
    return parser.parse_args()


def main():
    options = parsed_options()
    try:
        bench = Bench(options.assay, options.tools, options.work)
        results = main_measurements(bench)
        show_measurements(results)
        if not options.no_scaling:
            results["scaling"] = scaling(bench)
            show_scaling(results["scaling"])
    except Failure as failure:
        print(f"end_to_end.py: {failure}", file=sys.stderr)
        return 2
    met = show_targets(results)
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")
    return 1 if options.check and not met else 0


if __name__ == "__main__":
    sys.exit(main())
