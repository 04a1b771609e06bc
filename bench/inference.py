#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often the claims of `assay compare` are false, and how often its intervals cover the truth:
the tables of docs/comparison.md.

usage: PYTHONPATH=build/release/python inference.py [--repeats 2000] [--check]

Seeds are fixed. Rates are in percent of families of claims: a family counts once, however many of
its claims are false. With --check the exit status is 1 if a target is missed by more than three
standard errors of the simulation.
"""
import argparse
import csv
import multiprocessing
import os
import pathlib
import sys
import tempfile

import numpy as np

import assay

SIZES = (10, 20, 50, 100)
FAMILIES = (1, 5, 14)
LEVEL = 0.05


def cases(rng, n):
    """How easy each case is: skewed to the left, as Dice is."""
    return rng.beta(12, 2, n)


def skewed(rng, n, models):
    """Exchangeable scores: bounded values around the easiness of the case, with the same skew."""
    centre = cases(rng, n)
    return rng.beta(40 * centre, 40 * (1 - centre), (models + 1, n))


def tied(rng, n, models):
    """The same in steps of 0.05: many differences are equal, many are zero."""
    return np.round(skewed(rng, n, models) * 20) / 20


def zeros(rng, n, models):
    """In 60 % of the cases all models give the same answer."""
    scores = skewed(rng, n, models)
    same = rng.random(n) < 0.6
    scores[:, same] = scores[0, same]
    return scores


def compared(scores, margin=None):
    return assay.compare_models_to_reference(
        scores[0], {f"m{k}": row for k, row in enumerate(scores[1:])}, margin=margin)


def false_difference(job):
    draw, n, models, seed = job
    scores = draw(np.random.default_rng(seed), n, models)
    return any(each.is_significant for each in compared(scores))


def at_margin(rng, n, models, margin=0.02):
    """Every model is better than the reference by exactly the margin, in mean and pseudo-median."""
    centre = 0.8 * cases(rng, n)
    noise = 0.05 * (rng.beta(3, 3, (models + 1, n)) - 0.5)
    return centre + noise + np.r_[0, np.full(models, margin)][:, None], margin


def skewed_at_margin(rng, n, models, margin=0.02):
    """The same with skewed differences, whose mean is at the margin and whose pseudo-median is
    within it."""
    centre = 0.8 * cases(rng, n)
    loss = 0.1 * (rng.beta(1, 5, (models, n)) - 1 / 6)
    return np.vstack([centre, centre - margin - loss]), margin


def failing(rng, n, models, share=0.05):
    """Models that are as good as the reference except in a share of cases, in which they fail. The
    mean difference is at the margin."""
    centre = cases(rng, n)
    scores = np.clip(centre + 0.02 * (rng.beta(3, 3, (models + 1, n)) - 0.5), 0, 1)
    scores[1:][rng.random((models, n)) < share] = 0
    return scores, share * 12 / 14


def false_equivalence(job):
    draw, n, models, seed = job
    scores, margin = draw(np.random.default_rng(seed), n, models)
    return any(each.verdict == "equivalent" for each in compared(scores, margin))


def coverage(job):
    """Coverage of the true difference by the two intervals of one model, and of a model's mean by
    its interval."""
    n, failures, folder, seed = job
    rng = np.random.default_rng(seed)
    truth = 0.01
    centre = 0.8 * cases(rng, n)
    scores = centre + 0.05 * (rng.beta(3, 3, (2, n)) - 0.5) + np.array([[0], [truth]])
    alone = cases(rng, n)
    alone[rng.random(n) < failures] = 0
    table = write(pathlib.Path(folder) / f"{seed}",
                  {"a": {"dice": scores[0], "nsd": alone}, "b": {"dice": scores[1], "nsd": alone}})
    result = assay.compare(table, "a", replicates=1)
    pair = result["metrics"]["dice"][0]
    mean = (1 - failures) * 12 / 14
    inside = [(pair["ci95"], truth), (pair["mean_difference_ci95"], truth),
              (result["models"][0]["metrics"]["nsd"]["ci95"], mean)]
    return [low <= value <= high for (low, high), value in inside]


def several_metrics(job):
    """Whether there is any false sign in three metrics of five models, by metric and over all of
    them, and joint coverage of the simultaneous intervals."""
    n, folder, seed = job
    rng = np.random.default_rng(seed)
    scores = [skewed(rng, n, 5) for _ in range(3)]
    names = ("dice", "nsd", "mcc")
    table = write(pathlib.Path(folder) / f"{seed}",
                  {f"m{k}": {name: x[k] for name, x in zip(names, scores)} for k in range(6)})
    apart = assay.compare(table, "m0", replicates=1)
    together = assay.compare(table, "m0", replicates=1, correct="metrics")
    signs = [any(pair["is_significant"] for pairs in result["metrics"].values() for pair in pairs)
             for result in (apart, together)]
    limits = [pair["simultaneous_ci"] or (-np.inf, np.inf) for pairs in together["metrics"].values()
              for pair in pairs]
    return [*signs, all(low <= 0 <= high for low, high in limits)]


def clustered(job):
    """Whether there is any false sign for five equal models on cases of few subjects, and coverage
    of the mean difference."""
    subjects, folder, seed = job
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(subjects), 20)
    shared = 0.04 * (rng.beta(3, 3, (6, subjects)) - 0.5)
    scores = (0.8 * cases(rng, subjects)[subject] + shared[:, subject]
              + 0.02 * (rng.beta(3, 3, (6, len(subject))) - 0.5))
    table = write(pathlib.Path(folder) / f"{seed}",
                  {f"m{k}": {"dice": x} for k, x in enumerate(scores)}, {"subject": subject})
    results = [assay.compare(table, "m0", replicates=1, by="none", **options)
               for options in ({}, {"cluster": "subject"})]
    signs = [any(pair["is_significant"] for pair in result["metrics"]["dice"])
             for result in results]
    low, high = results[1]["metrics"]["dice"][0]["mean_difference_ci95"]
    return [*signs, low <= 0 <= high]


def write(folder, models, groups=None):
    folder.mkdir()
    paths = []
    for name, columns in models.items():
        columns = columns | (groups or {})
        paths.append(folder / f"{name}.csv")
        with open(paths[-1], "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", *columns])
            rows.writerows([f"c{i:04}", *values] for i, values in enumerate(zip(*columns.values())))
    return paths


def rates(pool, function, jobs):
    found = np.array(pool.map(function, jobs, chunksize=16), float)
    return 100 * found.mean(0)


class Checks:
    """Rates against their targets, with the simulation's own error."""

    def __init__(self, repeats):
        self.slack = 3 * 100 * np.sqrt(LEVEL * (1 - LEVEL) / repeats)
        self.missed = []

    def at_most(self, what, rate, limit):
        if rate > limit + self.slack:
            self.missed.append(f"{what}: {rate:.1f} %, at most {limit} % wanted")

    def at_least(self, what, rate, limit):
        if rate < limit - self.slack:
            self.missed.append(f"{what}: {rate:.1f} %, at least {limit} % wanted")


def family_table(pool, repeats, title, function, draws, check):
    print(f"\n{title}\n\n| values | models | {' | '.join(f'n = {n}' for n in SIZES)} |\n"
          f"|---|---|{'---|' * len(SIZES)}")
    for name, draw in draws.items():
        for models in FAMILIES:
            row = [rates(pool, function,
                         [(draw, n, models, (seed, n, models)) for seed in range(repeats)])
                   for n in SIZES]
            print(f"| {name} | {models} | {' | '.join(f'{rate:.1f}' for rate in row)} |",
                  flush=True)
            for n, rate in zip(SIZES, row):
                check(f"{title}, {name}, {models} models, n = {n}", rate)


def rate_rows(pool, function, names, jobs_by_row):
    """One line per row, a rate per name."""
    print(f"\n| | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    found = {}
    for title, jobs in jobs_by_row.items():
        found[title] = rates(pool, function, jobs)
        print(f"| {title} | {' | '.join(f'{rate:.1f}' for rate in found[title])} |", flush=True)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    repeats = options.repeats
    os.environ["ASSAY_THREADS"] = "1"
    checks = Checks(repeats)
    with multiprocessing.Pool() as pool, tempfile.TemporaryDirectory() as folder:
        def places(part, key):
            path = pathlib.Path(folder) / f"{part}-{key}"
            path.mkdir(exist_ok=True)
            return path
        family_table(pool, repeats, "False \"different\"", false_difference,
                     {"skewed": skewed, "tied": tied, "60 % zeros": zeros},
                     lambda what, rate: checks.at_most(what, rate, 5.5))
        family_table(pool, repeats, "False \"equivalent\" at the margin", false_equivalence,
                     {"symmetric differences": at_margin, "skewed differences": skewed_at_margin},
                     lambda what, rate: checks.at_most(what, rate, 5.5))
        family_table(pool, repeats, "False \"equivalent\" when 5 % of the cases fail",
                     false_equivalence, {"5 % failures": failing}, lambda what, rate: None)
        print("\nCoverage of 95 % intervals")
        jobs = {f"n = {n}": [(n, 0, places("coverage", n), seed) for seed in range(repeats)]
                for n in SIZES}
        jobs |= {f"n = {n}, 5 % zeros": [(n, 0.05, places("failures", n), seed)
                                         for seed in range(repeats)]
                 for n in SIZES}
        found = rate_rows(pool, coverage,
                          ("Hodges–Lehmann", "difference of means", "mean of one model"), jobs)
        for n in SIZES[1:]:
            for k, what in enumerate(("Hodges–Lehmann", "difference of means",
                                      "mean of one model")):
                checks.at_least(f"coverage of the {what}, n = {n}", found[f"n = {n}"][k], 93)
        print("\nFive equal models in three metrics")
        jobs = {f"n = {n}": [(n, places("metrics", n), seed) for seed in range(repeats)]
                for n in SIZES}
        found = rate_rows(pool, several_metrics,
                          ("any sign, by metric", "any sign, --correct metrics",
                           "simultaneous coverage"), jobs)
        for title, row in found.items():
            checks.at_most(f"any sign with --correct metrics, {title}", row[1], 5.5)
            checks.at_least(f"simultaneous coverage, {title}", row[2], 93)
        print("\nFive equal models on subjects of 20 cases each")
        jobs = {f"{n} subjects": [(n, places("clusters", n), seed) for seed in range(repeats)]
                for n in (6, 10, 20)}
        found = rate_rows(pool, clustered,
                          ("any sign, without --cluster", "any sign, with --cluster",
                           "coverage of the difference of means"), jobs)
        for title, row in found.items():
            checks.at_most(f"any sign with --cluster, {title}", row[1], 5.5)
            checks.at_least(f"coverage with --cluster, {title}", row[2], 93)
    for line in checks.missed:
        print(f"missed: {line}", file=sys.stderr)
    return int(options.check and bool(checks.missed))


if __name__ == "__main__":
    sys.exit(main())
