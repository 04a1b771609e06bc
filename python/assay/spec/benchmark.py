# SPDX-License-Identifier: Apache-2.0
"""Questions about whole slides: the items of MultiPathQA, their results, and a runner over them.

The data models are plain keyword-only dataclasses in place of pydantic models; values are not
coerced.
"""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .. import _commands, _core

MULTIPATHQA_REPO = "tbuckley/MultiPathQA"
MULTIPATHQA_FILENAME = "MultiPathQA.csv"

BENCHMARK_TASKS: dict[str, dict[str, Any]] = {
    name: {"questions": questions, **({"classes": classes} if classes else {}), "metric": metric}
    for name, questions, classes, metric in _core.tasks()
}


@dataclass(kw_only=True)
class BenchmarkItem:
    """One question.

    `prompt` is what the model sees: options are inserted (or appended, if the template has no place
    for them), and doubled braces become single. The specification replaces only `{options}`, so
    609 of the 934 published prompts show the model doubled braces and 325 show it no options.
    """

    benchmark_name: str
    benchmark_id: str
    image_path: str
    prompt: str
    options: list[str] | None = None
    metric_type: str
    truth_label: int
    wsi_path: str


@dataclass(kw_only=True)
class BenchmarkResult:
    """What became of one question.

    The cost and tokens of a run that reports none are None: unknown is not 0. Ids are unique within
    a benchmark only. `assay.qa_score` also has the class of each failure, the votes, and the rule
    that read the label.
    """

    item_id: str
    prediction: str
    predicted_label: int | None = None
    truth_label: int
    correct: bool
    cost_usd: float | None = 0.0
    total_tokens: int | None = 0
    trajectory_file: str
    error: str | None = None


def load_benchmark(
    csv_path: Path | str,
    wsi_root: Path | str | None = None,
    benchmark_name: str | None = None,
) -> list[BenchmarkItem]:
    """The valid questions of a table, in its order: MultiPathQA.csv, or CSV or JSON like it.

    Without `wsi_root` every `wsi_path` is empty. With it, every slide must exist and be the only
    one of its name. Slides are looked for in the specification's two places and in the layouts of
    common archives. To list what is missing without an exception, use `assay.qa_check`.

    Args:
        csv_path: The table.
        wsi_root: Folder that holds the slides.
        benchmark_name: Only this benchmark.

    Raises:
        ValueError: A row cannot be understood, an id repeats, a slide is ambiguous, or there is no
            such benchmark.
        FileNotFoundError: A slide is missing.
    """
    rows, names, said = _core.read_items(os.fsencode(csv_path))
    for line in said:
        warnings.warn(line, stacklevel=2)
    if benchmark_name is not None:
        if benchmark_name not in names and benchmark_name not in BENCHMARK_TASKS:
            raise ValueError(f"Unknown benchmark {benchmark_name!r}: {csv_path} has "
                             f"{', '.join(names) or 'none'}")
        rows = [row for row in rows if row["benchmark_name"] == benchmark_name]
    paths = _slides(rows, wsi_root) if wsi_root is not None else [""] * len(rows)
    return [_item(row, path) for row, path in zip(rows, paths)]


def _item(row: dict[str, Any], wsi_path: str) -> BenchmarkItem:
    known = {field.name: row[field.name] for field in fields(BenchmarkItem) if field.name in row}
    return BenchmarkItem(**{**known, "options": row["options"] or None}, wsi_path=wsi_path)


def _slides(rows: list[dict[str, Any]], wsi_root: Path | str) -> list[str]:
    keys = ("benchmark_name", "image_path", "file_id")
    found = _core.find_slides(os.fsencode(wsi_root),
                              [tuple(row[key] for key in keys) for row in rows])
    problems = {problem: ambiguous for _, problem, ambiguous in found if problem}
    for problem, ambiguous in problems.items():
        more = (f" (and {len(problems) - 1} more; assay.qa_check lists them)" if len(problems) > 1
                else "")
        raise (ValueError if ambiguous else FileNotFoundError)(problem + more)
    return [path for path, _, _ in found]


def read_results(paths: Iterable[Path | str]) -> list[BenchmarkResult]:
    """The items of results files, ours or the specification's, in their order."""
    names = [field.name for field in fields(BenchmarkResult)]
    results = []
    for path in paths:
        for row in json.loads(Path(path).read_text(encoding="utf-8"))["results"]:
            results.append(BenchmarkResult(**{name: row[name] for name in names if name in row}))
    return results


class BenchmarkRunner:
    """Runs an agent over a table with `assay.qa_run`, whose keywords are the settings here.

    The specification names the class but not its methods. Every answered call is on disk before it
    counts, so the same `run` continues after a crash. Labels are read by the rules "assay";
    `rules="spec"` uses the specification's. The key of a model server comes from the environment.
    """

    def __init__(self, wsi_root: Path | str, **settings: Any) -> None:
        self.wsi_root, self.settings = wsi_root, settings

    def run(self, table: Path | str, out: Path | str) -> list[BenchmarkResult]:
        """Asks the questions of a table and keeps everything in the folder `out`. The results are
        in the table's order."""
        done = _commands.qa_run(table, out, wsi_root=self.wsi_root, **self.settings)
        return read_results(done["files"])

    def score(self, out: Path | str, **settings: Any) -> dict[str, Any]:
        """{benchmark: numbers} of a run: point estimate, bootstrap mean and standard deviation,
        ledger, ..."""
        return {one["benchmark_name"]: one["metrics"]
                for one in _commands.qa_score([out], **settings)["benchmarks"]}
