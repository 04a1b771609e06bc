#!/usr/bin/env python3
"""Times `assay compare` on 14 models × 10,000 cases, against SciPy's tests alone on the same
values.

usage: compare_bench.py [--models 14] [--cases 10000]
"""
import argparse, json, pathlib, resource, subprocess, sys, tempfile, time

import numpy
import scipy.stats

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/bin/assay"


def results(model, values):
    """A results file as `assay score` writes it."""
    cases = []
    for i, (dice, avd, mcc) in enumerate(values):
        scores = {"dice": dice, "avd": avd, "mcc": mcc, "status": "ok", "undefined": {},
                  "evidence": {"tp": 12345, "fp": 234, "fn": 345, "tn": 16765555,
                               "voxel_ml": 0.001}}
        cases.append({"id": f"sub-{i:05}", "status": "ok", "groups": {"site": "ABC"[i % 3]},
                      "prediction": f"sub-{i:05}.nii.gz", "reference": f"sub-{i:05}.nii.gz",
                      "prediction_sha256": "0" * 64, "reference_sha256": "1" * 64,
                      "label": {"foreground": scores}})
    return {"schema": "assay.segmentation/1", "model_name": model,
            "metrics": {"dice": {}, "avd": {}, "mcc": {}},
            "labels": {"foreground": {"name": "foreground", "members": [], "metrics": {}}},
            "cases": cases}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=14)
    parser.add_argument("--cases", type=int, default=10000)
    options = parser.parse_args()
    rng = numpy.random.default_rng(42)
    base = rng.random(options.cases)
    values = [numpy.stack([base + 0.05 * rng.random(options.cases), rng.random(options.cases),
                           rng.random(options.cases)], 1)
              for _ in range(options.models)]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for m, table in enumerate(values):
            paths.append(pathlib.Path(folder) / f"model_{m:02}.json")
            paths[-1].write_text(json.dumps(results(f"model_{m:02}", table.tolist()), indent=2))
        size = sum(path.stat().st_size for path in paths) / 1e6
        wall, cpu = [], []
        for _ in range(3):
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run([PROGRAM, "compare", *paths, "--baseline", "model_00", "--json"],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wall.append(time.perf_counter() - start)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    start = time.process_time()
    for table in values[1:]:
        for k in range(3):
            scipy.stats.wilcoxon(values[0][:, k], table[:, k])
    tests = time.process_time() - start
    print(f"assay compare, {options.models} models x {options.cases} cases ({size:.0f} MB of "
          f"JSON): "
          f"{min(wall):.2f} s wall, {min(cpu):.2f} s CPU (target: under 3 s)")
    print(f"SciPy {scipy.__version__}, the {3 * (options.models - 1)} Wilcoxon tests alone, values "
          f"already in memory: {tests:.2f} s CPU")
    return int(min(wall) >= 3)


if __name__ == "__main__":
    sys.exit(main())
