"""Tables of scores for tests of `assay compare`, and running it."""
import csv

import numpy

from support import assay, strict


def models(folder, n=40, names=("a", "b", "c"), seed=1, shift=(0, 0.02, -0.001)):
    """Wide CSV files of correlated scores, one per model; returns the values by model."""
    rng = numpy.random.default_rng(seed)
    base = rng.uniform(0.6, 0.95, n)
    values = {}
    for name, offset in zip(names, shift):
        dice = base + offset + rng.normal(0, 0.03, n)
        values[name] = {"dice": dice, "avd": rng.uniform(0.1, 0.5, n), "mcc": dice - 0.01}
        write(folder / f"{name}.csv", [f"sub-{i:03}" for i in range(n)], values[name])
    return values


def write(path, ids, columns, groups=None):
    groups = groups or {}
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *columns, *groups])
        for i, name in enumerate(ids):
            rows.writerow([name, *(repr(float(x[i])) for x in columns.values()),
                           *(x[i] for x in groups.values())])
    return path


def compare(*arguments, status=0, cwd=None):
    return strict(assay("compare", *arguments, "--json", status=status, cwd=cwd).stdout)


def entry(result, metric, model):
    return next(x for x in result["metrics"][metric] if x["model_name"] == model)
