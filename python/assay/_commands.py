# SPDX-License-Identifier: Apache-2.0
"""The commands of the program as functions that return plain dicts.

Every option of `assay COMMAND --help` is a keyword: `--missing worst` is `missing="worst"`, a flag is `True`, a list is joined
with commas. What the program says on standard error comes as Python warnings.
"""
import json
import os
import pathlib
import tempfile
import warnings

from . import _core
from ._results import ParityResult

REPEATED = {"region"}  # options that are given once per value


def _options(settings):
    words = []
    for name, value in settings.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name in REPEATED and not isinstance(value, str):
            items = value.items() if isinstance(value, dict) else value
            for one in items:
                words += [option, one if isinstance(one, str) else f"{one[0]}={','.join(map(str, one[1]))}"]
        elif isinstance(value, (list, tuple)):
            words += [option, ",".join(map(str, value))]
        elif isinstance(value, dict):
            words += [option, ",".join(f"{key}={each}" for key, each in value.items())]
        else:
            words += [option, str(value)]
    return words


def run(command, *arguments, **settings):
    """Runs any command with --json and returns its result. Exit status 1 and 3 are results too: see `ledger` and `parity_level`."""
    words = ["assay", command, *(os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments)]
    status, out, err = _core.run([*words, *_options(settings), "--json"])
    if status == 2:
        raise ValueError(err.strip().splitlines()[0] if err.strip() else f"assay {command} failed")
    for line in err.splitlines():
        if line.startswith(("warning: ", "not scored: ", "left out: ")):
            warnings.warn(line, stacklevel=3)
    return json.loads(out)


def score(pred, ref, **settings):
    """Scores predictions against references: folders or files. `manifest=` works with pred and ref None."""
    return run("score", *(x for x in (pred, ref) if x is not None), **settings)


class _Files:
    """Results as files: paths as they are, dicts written for the time of a call."""

    def __init__(self, results):
        self.results = results

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="assay-")
        paths = []
        for number, result in enumerate(self.results):
            if not isinstance(result, dict):
                paths.append(result)
                continue
            folder = pathlib.Path(self.folder.name) / str(number)
            folder.mkdir()
            path = folder / f"{str(result.get('model_name', 'results')).replace('/', '_')}.json"
            path.write_text(json.dumps(result))
            paths.append(path)
        return paths

    def __exit__(self, *_):
        self.folder.cleanup()


def compare(results, baseline=None, **settings):
    """Compares models; `results` are paths of results files, or dicts as `score` returns them."""
    with _Files(results) as paths:
        return run("compare", *paths, baseline=baseline, **settings)


def validate_parity(results, variant="meshnet_26", **settings):
    """Is the paper reached? `results` is a path or a dict."""
    with _Files([results]) as (path,):
        report = run("parity", path, variant=variant, **settings)
    names = ("model", "dice_mean", "dice_std", "avd_mean", "mcc_mean", "parity_level", "details")
    return ParityResult(**{name: report[name] for name in names}, report=report)


def folds(*run_dirs, **settings):
    """Aggregates the runs of a cross-validation."""
    return run("folds", *run_dirs, **settings)


def split(manifest, **settings):
    """Nested stratified folds of the cases in a manifest."""
    return run("split", manifest, **settings)


def to_dataframe(result):
    """The rows of a result as a pandas DataFrame: cases of a score, pairs of a comparison."""
    import pandas

    if result.get("schema", "").startswith("assay.comparison"):
        return pandas.DataFrame([{"metric": metric, **pair} for metric, pairs in result["metrics"].items() for pair in pairs])
    if "cases" not in result:
        raise ValueError("only results of score and compare have rows")
    rows = []
    for case in result["cases"]:
        base = {"model": result.get("model_name"), "case": case["id"], "status": case.get("status"), **case.get("groups", {})}
        for label, scores in case.get("label", {"": {}}).items():
            numbers = {key: value for key, value in scores.items() if not isinstance(value, (dict, str))}
            rows.append({**base, "label": label, **numbers})
    return pandas.DataFrame(rows)
