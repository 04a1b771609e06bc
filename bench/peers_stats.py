#!/usr/bin/env python3
"""Times SciPy, statsmodels, scikit-learn and NumPy on the data of stats_bench.cpp, and adds ratios.

usage: peers_stats.py [stats_bench.json]
  The file is the output of `assay_bench --benchmark_format=json --benchmark_repetitions=20`. The
  best repetition counts, on both sides. What runs on one thread is compared by CPU time, what runs
  on all cores by wall time (the peers use one thread).
"""
import json, sys, time, warnings
import numpy as np
from scipy import stats
from sklearn.metrics import balanced_accuracy_score
from statsmodels.stats.multitest import multipletests


def family(cases=200, models=13):
    rng = np.random.default_rng(42)
    reference = rng.random(cases)
    return reference, [reference + 0.1 * (rng.random(cases) - 0.45) for _ in range(models)]


def labels(n=934, classes=20):
    rng = np.random.default_rng(42)
    truths, predictions = np.empty(n, int), np.empty(n, int)
    for i in range(n):
        truths[i] = rng.integers(0, classes)
        right = rng.random() < 0.7
        other = rng.integers(0, classes)
        predictions[i] = truths[i] if right else other
    return truths, predictions


def best_us(function, repeats):
    """The best CPU time and the best wall time, each in microseconds."""
    cpu, wall = [], []
    for _ in range(repeats):
        starts = time.process_time(), time.perf_counter()
        function()
        cpu.append(time.process_time() - starts[0])
        wall.append(time.perf_counter() - starts[1])
    return {"cpu": 1e6 * min(cpu), "wall": 1e6 * min(wall)}


def wilcoxon_family():
    reference, models = family()
    return lambda: multipletests([stats.wilcoxon(reference, m).pvalue for m in models],
                                 method="holm")


def wilcoxon_exact_50():
    reference, (model,) = family(50, 1)
    return lambda: stats.wilcoxon(reference - model, method="exact")


def bootstrap_loop(replicates=1000):
    truths, predictions = labels()

    def run():
        rng = np.random.default_rng(42)
        draws = (rng.choice(len(truths), len(truths)) for _ in range(replicates))
        return np.std([balanced_accuracy_score(truths[i], predictions[i]) for i in draws], ddof=1)
    return run


def bootstrap_vectorised(replicates=1000):
    truths, predictions = labels()
    right, classes = truths == predictions, truths.max() + 1

    def run():
        draws = np.random.default_rng(42).integers(0, len(truths), (replicates, len(truths)))
        cells = (np.arange(replicates)[:, None] * classes + truths[draws]).ravel()
        size = replicates * classes
        totals = np.bincount(cells, minlength=size).reshape(replicates, classes)
        hits = np.bincount(cells, weights=right[draws].ravel(),
                           minlength=size).reshape(replicates, classes)
        with np.errstate(invalid="ignore"):
            return np.std(np.nanmean(hits / totals, axis=1), ddof=1)
    return run


FAMILY, LOOP, VECTORS = ("SciPy + statsmodels, 13 tests n=200 + Holm",
                         "scikit-learn loop, 1000 x 934", "NumPy vectorised, 1000 x 934")
ONE, ALL = ("bootstrap_balanced_accuracy/one_thread",
            "bootstrap_balanced_accuracy/all_cores/real_time")
PEERS = [  # peer, function, repeats, what is compared with it and by which clock
    (FAMILY, wilcoxon_family, 20,
     [("wilcoxon_family/scipy_1_15", "cpu"), ("wilcoxon_family/exact", "cpu")]),
    ("SciPy exact n=50", wilcoxon_exact_50, 50, [("wilcoxon_exact_50", "cpu")]),
    (LOOP, bootstrap_loop, 3, [(ONE, "cpu"), (ALL, "wall")]),
    (VECTORS, bootstrap_vectorised, 20, [(ONE, "cpu"), (ALL, "wall")]),
]


def best_of_file(path):
    best = {}
    with open(path) as file:
        for run in json.load(file)["benchmarks"]:
            if run.get("run_type") == "aggregate":
                continue
            before = best.get(run["name"], {"cpu": float("inf"), "wall": float("inf")})
            best[run["name"]] = {"cpu": min(before["cpu"], run["cpu_time"]),
                                 "wall": min(before["wall"], run["real_time"])}
    return best


def main():
    warnings.simplefilter("ignore")
    ours = best_of_file(sys.argv[1]) if len(sys.argv) > 1 else {}
    for peer, make, repeats, compared in PEERS:
        theirs = best_us(make(), repeats)
        for name, clock in compared:
            micros = ours.get(name, {}).get(clock, float("nan"))
            ratio = f"{theirs[clock] / micros:8.0f} x" if name in ours else ""
            print(f"{name:48} {clock:4} {micros:10.1f} us   {peer:45} {theirs[clock]:12.1f} us "
                  f"{ratio}")


if __name__ == "__main__":
    main()
