# SPDX-License-Identifier: Apache-2.0
"""Question answering: the label that an answer means, votes, and the commands of `assay qa`."""
from __future__ import annotations

import os

from . import _core
from ._commands import _Files, run
from ._results import ExtractedAnswer, VoteResult

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Any, Iterable, Mapping, Sequence

    Path = str | os.PathLike[str]


def extract_label(prediction: str, *, benchmark_name: str, options: Sequence[str] | None,
                  rules: str = "assay") -> ExtractedAnswer:
    """The label that an answer means, the rule that found it, and where it stands in `raw` (characters).

    Labels count from 1 where there are options; PANDA's are ISUP grades 0 to 5. `rules` are "assay", "spec" (the
    specification's code) or "giant" (the final code of the original project).

    >>> assay.extract_label('Two findings. {"answer": 3}', benchmark_name="tcga", options=["a", "b", "c"]).label
    3
    """
    return ExtractedAnswer(*_core.extract_label(prediction, benchmark_name, list(options or ()), rules))


def majority_vote(labels: Sequence[int | None], predictions: Sequence[str] | None = None) -> VoteResult:
    """The label with most votes; None does not vote, and of several the one seen first wins.

    >>> assay.majority_vote([2, None, 1, 1]).label
    1
    """
    labels = list(labels)
    if predictions is None:
        predictions = ["" if label is None else str(label) for label in labels]
    return VoteResult(*_core.majority_vote(labels, list(predictions)))


def qa_score(runs: Path | Mapping[str, Any] | Iterable[Path | Mapping[str, Any]], **settings: Any) -> dict[str, Any]:
    """Scores saved answers: run folders, results files, or results as dicts. See `assay qa score --help`.

    One file or dict gives the whole result; a folder or several give the scores of each under `benchmarks`.
    """
    with _Files(runs) as paths:
        return run("qa score", *paths, **settings)


def qa_compare(first: Path | Mapping[str, Any], second: Path | Mapping[str, Any], **settings: Any) -> dict[str, Any]:
    """Compares two runs item by item. See `assay qa compare --help`."""
    with _Files([first, second]) as paths:
        return run("qa compare", *paths, **settings)
