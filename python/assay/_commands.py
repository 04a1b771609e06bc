# SPDX-License-Identifier: Apache-2.0
"""The commands of the program as functions that return dicts.

Every option of `assay COMMAND --help` is a keyword: `--missing worst` is `missing="worst"`, a flag
is `True`, a list is joined with commas. What the program says on standard error comes as Python
warnings.
"""
from __future__ import annotations

import os

from . import _core, _own
from ._results import ParityResult
from ._shown import Result

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping

    import pandas

    Path = str | os.PathLike[str]

_REPEATED = {"region", "own_metric"}  # options that are given once per value
_SAID = ("warning: ", "not scored: ", "not predicted: ", "left out: ", "stopped: ")
# endings of the names of settings that hold secrets, which must not be passed as arguments
_KEYS = ("key", "token", "secret", "password")


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
        elif name in _REPEATED and not isinstance(value, (str, os.PathLike)):
            each = ([{key: members} for key, members in value.items()] if isinstance(value, dict)
                    else value)
            words += [word for one in each for word in (option, _word(one))]
        else:
            words.append(f"{option}={_word(value)}")  # one word: a value may start with a dash
    return words


def _refuse_keys(settings):
    """Refuses keys as settings: command lines are written into results, so a key belongs in the
    environment. No message repeats the value, because it may be the key."""
    for name in settings:
        if name.rstrip("_").lower().endswith(_KEYS):
            raise TypeError(f"{name} is not a setting: keys come from the environment only; set "
                            f"OPENAI_API_KEY or "
                            "ANTHROPIC_API_KEY, or name another variable with api_key_env")
    variable = settings.get("api_key_env")
    if (variable is not None
        and not (isinstance(variable, str)
                 and (variable in os.environ or _is_variable(variable)))):
        raise ValueError("api_key_env must be the name of an environment variable that holds the "
                         "key, not the key itself")
    if "@" in str(settings.get("base_url", "")):
        raise ValueError("base_url must not hold a user or password: results keep the command; set "
                         "the key in the environment")


def _is_variable(name):
    return name.isascii() and name.isidentifier() and name.isupper()


def _failure(command, err):
    """The sentence that says why a command failed."""
    said = _sentences(err) or [f"assay {command} failed"]
    why = next((line for line in said if line.startswith("stopped: ")), said[0])
    return why.removeprefix("stopped: ").removeprefix("warning: ")


def _sentences(err):
    """Lines, each with the indented ones that belong to it."""
    found = []
    for line in err.splitlines():
        if line.startswith("  ") and found:
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


def run(command: str, /, *arguments: Path, **settings: Any) -> Any:
    """Runs any command of the program with --json and returns its result as a dict (`Result`), or
    as text if the command prints only text.

    A command with a subcommand is two words: `run("qa show", "run", "gtex/17", out="17.html")`.
    Raises ValueError or OSError if the command could not do its work (exit status 2). The exit
    statuses 1 ("the answer is no") and 3 ("some cases failed") are results: see their
    `parity_level` and `ledger`.
    """
    if _core.threads() and "jobs" not in settings:
        settings["jobs"] = _core.threads()
    _refuse_keys(settings)
    settings, own = _own.split(settings)
    status, out, err = _core.run(["assay", *command.split(), *map(_word, arguments),
                                  *_options(settings), "--json"],
                                 [(each.declaration(), each.measure) for each in own])
    if status == 2:
        raise ValueError(_failure(command, err))
    _warn([line for line in _sentences(err) if line.startswith(_SAID)])
    import json

    try:
        found = json.loads(out)
    except ValueError:
        return out
    return Result(found) if isinstance(found, dict) else found


_run = run  # for functions that have an argument of that name


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


def score(pred: Path | None = None, ref: Path | None = None, *, executor: Any = None,
          shards: int | None = None, **settings: Any) -> Result:
    """Scores predictions against references: folders or files, or a `manifest=`. See `assay score
    --help`.

    >>> assay.score("predictions", "labelsTr", labels=[1, 2],  # doctest: +SKIP
    ...             region={"whole": [1, 2]}, out="results.json")

    `metrics` may hold functions of your own next to names, declared by `assay.metric`.

    `executor` spreads the cohort over workers: anything with `submit` or `map` as in
    concurrent.futures, such as a ProcessPoolExecutor or Dask's distributed Client. The cases are
    divided into `shards` (default: one for each worker, or 16 where the executor does not say how
    many it has). Each call scores one shard with one thread (or `jobs=`) and returns its records,
    so that only the images have to be on a shared file system. The result is the same as without
    an executor, apart from `provenance`.

    >>> with concurrent.futures.ProcessPoolExecutor() as pool:  # doctest: +SKIP
    ...     assay.score("predictions", "labelsTr", executor=pool, shards=32)
    """
    arguments = [x for x in (pred, ref) if x is not None]
    if executor is not None:
        from . import _executors

        return _executors.score(arguments, executor, shards, settings)
    if shards is not None:
        raise TypeError("shards goes with executor")
    return run("score", *arguments, **settings)


def evaluate(model: Path, data: Path | None = None, /, **settings: Any) -> Result:
    """Runs a model over a cohort and scores its predictions; the same dict as `score`. See `assay
    evaluate --help`.

    `model` is a model file, `data` a folder or CSV file of images and references. If a program of
    yours is the model (`command=`), the only argument is the data. The keyword `model` names the
    model in the result.

    >>> assay.evaluate("model.onnx", "Dataset042", recipe="minmax",  # doctest: +SKIP
    ...                save_predictions="predictions")
    """
    return run("evaluate", *(x for x in (model, data) if x is not None), **settings)


def predict(model: Path, /, *images: Path | Iterable[Path], **settings: Any) -> Result:
    """Runs a model on images and writes its label maps as `out`/<image name>.nii.gz, each on the
    grid of its image. See `assay predict --help`.

    `images` are files or folders, one by one or in a list. The dict has a row per image under
    `images`, with the file that was written as `output`. If a program of yours is the model
    (`command=`), give only images.

    >>> made = assay.predict("model.onnx", "imagesTs", out="predictions")  # doctest: +SKIP
    >>> made["images"][0]["output"]  # doctest: +SKIP
    """
    return run("predict", model, *_flattened(images), **settings)


def _flattened(paths):
    """Paths, and lists of paths, in order."""
    return [path for given in paths
            for path in ([given] if isinstance(given, (str, os.PathLike)) else given)]


class _Files:
    """Results as files: paths as they are, dicts written to temporary files during a call."""

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


def compare(results: Iterable[Path | Mapping[str, Any]], baseline: str | None = None,
            **settings: Any) -> Result:
    """Compares models; `results` are paths of results files, or dicts as `score` returns them. See
    `assay compare --help`."""
    with _Files(results) as paths:
        return run("compare", *paths, baseline=baseline, **settings)


def power(results: Path | Mapping[str, Any] | Iterable[Path | Mapping[str, Any]],
          baseline: str | None = None, **settings: Any) -> Result:
    """How many cases a study needs, from a pilot: paths or dicts of one model, or of two or more.
    See `assay power --help`.

    >>> plan = assay.power(["a.json", "b.json"], difference=0.02)["plans"][0]  # doctest: +SKIP
    >>> [(size["power"], size["pairs"]) for size in plan["sizes"]]             # doctest: +SKIP
    [(0.8, 52), (0.9, 69)]
    """
    with _Files(results) as paths:
        return run("power", *paths, baseline=baseline, **settings)


def report(results: Path | Mapping[str, Any] | Iterable[Path | Mapping[str, Any]],
           out: Path = "report.html", *, since: Path | Mapping[str, Any] | None = None,
           **settings: Any) -> Result:
    """Writes results as one self-contained HTML page. See `assay report --help`.

    `results` are paths or dicts, as `score`, `compare` and `qa_score` return them. The returned
    dict has the path of the page as `report`, and under `notes` what the page leaves out and why.
    `since` is the result of an older version of the model; the dict then has the changes under
    that key.

    >>> assay.report(["a.json", "b.json"], "page.html", baseline="a",  # doctest: +SKIP
    ...              images="imagesTr")["report"]
    'page.html'
    """
    with _Files(results) as paths, _Files([] if since is None else since) as older:
        return run("report", *paths, out=out, since=older[0] if older else None, **settings)


def validate_parity(results: Path | Mapping[str, Any], variant: str = "meshnet_26",
                    **settings: Any) -> ParityResult:
    """Do the results match the paper? `results` is a path or a dict. See `assay parity --help`."""
    with _Files(results) as (path,):
        report = run("parity", path, variant=variant, **settings)
    names = ("model", "dice_mean", "dice_std", "avd_mean", "mcc_mean", "parity_level", "details")
    return ParityResult(**{name: report[name] for name in names}, report=report)


def folds(*run_dirs: Path, **settings: Any) -> Result:
    """Aggregates the runs of a cross-validation. See `assay folds --help`."""
    return run("folds", *run_dirs, **settings)


def split(manifest: Path, **settings: Any) -> Result:
    """Divides the cases of a manifest into nested stratified folds. See `assay split --help`."""
    return run("split", manifest, **settings)


def qa_check(table: Path, wsi_root: Path, **settings: Any) -> Result:
    """Checks which slides of a table of questions exist, before any money is spent. See `assay qa
    check --help`."""
    return run("qa check", table, wsi_root=wsi_root, **settings)


def qa_run(table: Path, out: Path | None = None, **settings: Any) -> Result:
    """Asks an agent the questions of a table; the same call continues after any interruption. See
    `assay qa run --help`.

    `out` is the folder that keeps the run; `qa_score(out)` gives its numbers. The key comes from
    the environment. Raises ValueError if no question was answered. A run that ended early says why
    in `stopped` and in a warning.

    >>> assay.qa_run("MultiPathQA.csv", "run", wsi_root="slides",  # doctest: +SKIP
    ...              model="gpt-5", max_items=5)
    """
    return run("qa run", table, out=out, **settings)


def qa_score(run: Path | Mapping[str, Any] | Iterable[Path | Mapping[str, Any]],
             **settings: Any) -> Result:
    """Scores saved answers, with any rules: folders of `qa_run`, results files, or results as
    dicts. See `assay qa score --help`.

    A single results file or dict gives its full result with all items. Anything else gives the
    numbers of every benchmark.
    """
    with _Files(run) as paths:
        return _run("qa score", *paths, **settings)


def qa_compare(a: Path | Mapping[str, Any], b: Path | Mapping[str, Any],
               **settings: Any) -> Result:
    """Compares two runs over the same questions, item by item. See `assay qa compare --help`."""
    with _Files([a, b]) as paths:
        return run("qa compare", *paths, **settings)


def to_dataframe(result: Path | Mapping[str, Any] | Iterable[Path | Mapping[str, Any]],
                 *more: Path | Mapping[str, Any]) -> pandas.DataFrame:
    """The rows of one result or several as a pandas DataFrame: cases of a score, pairs of a
    comparison, answered questions.

    Results are dicts or paths of results files, one by one or in a list, all of one kind. Needs
    pandas.
    """
    first = [result] if isinstance(result, (str, os.PathLike, dict)) else list(result)
    results = [_loaded(each) for each in [*first, *more]]
    kinds = sorted({str(each.get("schema", "")).split("/")[0] for each in results})
    if len(kinds) != 1:
        raise ValueError(f"a table has rows of one kind of results, not of "
                         f"{' and '.join(kinds) or 'none'}; make one table for each")
    rows_of = {"assay.comparison": _comparison_rows,
               "assay.qa": _answer_rows}.get(kinds[0], _case_rows)
    rows = [row for each in results for row in rows_of(each)]
    try:
        import pandas
    except ImportError:
        raise ImportError("to_dataframe needs pandas; install it, or take the rows from the "
                          "result's 'cases'") from None
    return pandas.DataFrame(rows)


def _loaded(result):
    """A result as a dict."""
    if isinstance(result, dict):
        return result
    import json

    with open(result, encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict):
        raise ValueError(f"{os.fspath(result)} is not a results file; it does not hold a JSON "
                         f"object")
    return found


def _comparison_rows(result):
    return [{"metric": metric, **pair} for metric, pairs in result["metrics"].items()
            for pair in pairs]


def _answer_rows(result):
    base = {"model": result.get("model_name"), "benchmark": result.get("benchmark_name")}
    return [{**base,
             **{key: value for key, value in item.items() if not isinstance(value, (dict, list))}}
            for item in result["results"]]


def _case_rows(result):
    if "cases" not in result:
        raise ValueError("only results of score and compare, and of qa_score for one file, have "
                         "rows")
    rows = []
    for case in result["cases"]:
        base = {"model": result.get("model_name"), "case": case["id"], "status": case.get("status"),
                **case.get("groups", {})}
        for label, scores in (case.get("label") or {None: {}}).items():
            numbers = {key: value for key, value in scores.items()
                       if not isinstance(value, (dict, list, str))}
            rows.append({**base, "label": label, **numbers})
    return rows
