# SPDX-License-Identifier: Apache-2.0
"""The commands of the program as functions that return plain dicts.

Every option of `assay COMMAND --help` is a keyword: `--missing worst` is `missing="worst"`, a flag is `True`, a list is joined
with commas. What the program says on standard error comes as Python warnings.
"""
from __future__ import annotations

import os

from . import _core
from ._results import ParityResult

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping

    import pandas

    Path = str | os.PathLike[str]

_REPEATED = {"region"}  # options that are given once per value
_SAID = ("warning: ", "not scored: ", "left out: ")


def _word(value):
    if isinstance(value, (list, tuple)):
        return ",".join(map(_word, value))
    if isinstance(value, dict):
        return ",".join(f"{key}={_word(each)}" for key, each in value.items())
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _options(settings):
    """Keywords as the words of a command line."""
    words = []
    for name, value in settings.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(option)
        elif name in _REPEATED and not isinstance(value, str):
            each = [{key: members} for key, members in value.items()] if isinstance(value, dict) else value
            words += [word for one in each for word in (option, _word(one))]
        else:
            words.append(f"{option}={_word(value)}")  # one word: a value may start with a dash
    return words


def run(command: str, *arguments: Path, **settings: Any) -> Any:
    """Runs any command of the program and returns its result: with --json, as a dict; text where a command has only that.

    Raises ValueError or OSError where the program could not (exit status 2). Its exit statuses 1 ("the answer is no") and 3
    ("some cases failed") are results: see `ledger` and `parity_level` in them.
    """
    if _core.threads() and "jobs" not in settings:
        settings["jobs"] = _core.threads()
    status, out, err = _core.run(["assay", *command.split(), *map(_word, arguments), *_options(settings), "--json"])
    if status == 2:
        raise ValueError(err.strip().splitlines()[0] if err.strip() else f"assay {command} failed")
    _warn([line for line in err.splitlines() if line.startswith(_SAID)])
    import json

    try:
        return json.loads(out)
    except ValueError:
        return out


def _warn(lines):
    if not lines:
        return
    import sys
    import warnings

    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "assay":
        frame, level = frame.f_back, level + 1  # up to the caller's line
    for line in lines:
        warnings.warn(line, stacklevel=level)


def score(pred: Path | None = None, ref: Path | None = None, **settings: Any) -> dict[str, Any]:
    """Scores predictions against references: folders or files, or a `manifest=`. See `assay score --help`.

    >>> assay.score("predictions", "labelsTr", labels=[1, 2], region={"whole": [1, 2]}, out="results.json")  # doctest: +SKIP
    """
    return run("score", *(x for x in (pred, ref) if x is not None), **settings)


class _Files:
    """Results as files: paths as they are, dicts written for the time of a call."""

    def __init__(self, results):
        self.results = [results] if isinstance(results, (str, os.PathLike, dict)) else list(results)

    def __enter__(self):
        import json
        import tempfile

        self.folder = tempfile.TemporaryDirectory(prefix="assay-")
        return [self._written(number, result, json) if isinstance(result, dict) else result
                for number, result in enumerate(self.results)]

    def _written(self, number, result, json):
        name = str(result.get("model_name", "results")).replace("/", "_").replace("\0", "_")[:100]
        folder = os.path.join(self.folder.name, str(number))
        os.mkdir(folder)
        path = os.path.join(folder, f"{name}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        return path

    def __exit__(self, *_):
        self.folder.cleanup()


def compare(results: Iterable[Path | Mapping[str, Any]], baseline: str | None = None, **settings: Any) -> dict[str, Any]:
    """Compares models; `results` are paths of results files, or dicts as `score` returns them. See `assay compare --help`."""
    with _Files(results) as paths:
        return run("compare", *paths, baseline=baseline, **settings)


def validate_parity(results: Path | Mapping[str, Any], variant: str = "meshnet_26", **settings: Any) -> ParityResult:
    """Is the paper reached? `results` is a path or a dict. See `assay parity --help`."""
    with _Files(results) as (path,):
        report = run("parity", path, variant=variant, **settings)
    names = ("model", "dice_mean", "dice_std", "avd_mean", "mcc_mean", "parity_level", "details")
    return ParityResult(**{name: report[name] for name in names}, report=report)


def folds(*run_dirs: Path, **settings: Any) -> dict[str, Any]:
    """Aggregates the runs of a cross-validation. See `assay folds --help`."""
    return run("folds", *run_dirs, **settings)


def split(manifest: Path, **settings: Any) -> dict[str, Any]:
    """Nested stratified folds of the cases in a manifest. See `assay split --help`."""
    return run("split", manifest, **settings)


def to_dataframe(result: Mapping[str, Any]) -> pandas.DataFrame:
    """The rows of a result as a pandas DataFrame: cases of a score, pairs of a comparison. Needs pandas."""
    rows = _comparison_rows(result) if str(result.get("schema", "")).startswith("assay.comparison") else _case_rows(result)
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe needs pandas; install it, or take the rows from the result's 'cases'") from None
    return pandas.DataFrame(rows)


def _comparison_rows(result):
    return [{"metric": metric, **pair} for metric, pairs in result["metrics"].items() for pair in pairs]


def _case_rows(result):
    if "cases" not in result:
        raise ValueError("only results of score and compare have rows")
    rows = []
    for case in result["cases"]:
        base = {"model": result.get("model_name"), "case": case["id"], "status": case.get("status"), **case.get("groups", {})}
        for label, scores in (case.get("label") or {None: {}}).items():
            numbers = {key: value for key, value in scores.items() if not isinstance(value, (dict, list, str))}
            rows.append({**base, "label": label, **numbers})
    return rows
