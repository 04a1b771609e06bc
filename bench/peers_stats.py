#!/usr/bin/env python3
"""Times SciPy, statsmodels, scikit-learn and NumPy on the data of stats_bench.cpp (CPU time, best of several).

usage: peers_stats.py [stats_bench.json]   # the file is `assay_bench --benchmark_format=json`; adds ratios
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


def best_cpu_us(function, repeats):
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return 1e6 * min(times)


def wilcoxon_family():
    reference, models = family()
    return lambda: multipletests([stats.wilcoxon(reference, m).pvalue for m in models], method="holm")


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
        hits = np.bincount(cells, weights=right[draws].ravel(), minlength=size).reshape(replicates, classes)
        with np.errstate(invalid="ignore"):
            return np.std(np.nanmean(hits / totals, axis=1), ddof=1)
    return run


PEERS = [  # peer, what it is compared with, function, repeats
    ("SciPy + statsmodels, 13 tests n=200 + Holm", "wilcoxon_family/scipy_1_15", wilcoxon_family, 20),
    ("SciPy + statsmodels, 13 tests n=200 + Holm", "wilcoxon_family/exact", wilcoxon_family, 20),
    ("SciPy exact n=50", "wilcoxon_exact_50", wilcoxon_exact_50, 50),
    ("scikit-learn loop, 1000 x 934", "bootstrap_balanced_accuracy", bootstrap_loop, 3),
    ("NumPy vectorised, 1000 x 934", "bootstrap_balanced_accuracy", bootstrap_vectorised, 10),
]


def main():
    warnings.simplefilter("ignore")
    ours = {}
    if len(sys.argv) > 1:
        with open(sys.argv[1]) as file:
            ours = {b["name"]: b["cpu_time"] for b in json.load(file)["benchmarks"]}
    for peer, name, make, repeats in PEERS:
        micros = best_cpu_us(make(), repeats)
        ratio = f"{micros / ours[name]:8.0f} x" if name in ours else ""
        print(f"{name:30} {ours.get(name, float('nan')):10.1f} us   {peer:45} {micros:12.1f} us {ratio}")


if __name__ == "__main__":
    main()
