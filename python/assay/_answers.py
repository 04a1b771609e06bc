# SPDX-License-Identifier: Apache-2.0
"""Labels read from the answers of a model, and votes over several of them. The rules:
docs/qa.md."""
from __future__ import annotations

import operator

from . import _core
from ._results import ExtractedAnswer, VoteResult

TYPE_CHECKING = False  # type checkers take it for True; the typing module is not worth its import
if TYPE_CHECKING:
    from typing import Literal, Sequence

    ExtractionRules = Literal["assay", "spec", "giant"]


def _text(value, name):
    """Text that can be written to any file: lone surrogates, which occur in broken JSON, become
    U+FFFD."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be text, not {type(value).__name__}")
    return (value if value.isascii()
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def _texts(values, name):
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list of texts, not one text")
    return [_text(value, f"{name}[{number}]") for number, value in enumerate(values)]


def extract_label(prediction: str, *, benchmark_name: str, options: Sequence[str] | None,
                  rules: ExtractionRules = "assay") -> ExtractedAnswer:
    """The label that an answer means: 1 for the first option, and so on; for "panda" the ISUP grade
    0 to 5.

    The rules "assay" first look for what the prompt asked for (JSON, <response>), then for plain
    statements. Two different candidates of equal rank are a contradiction and give no label.
    "spec" and "giant" are the original programs' rules with all their traps. If no label can be
    read, `label` is None and `rule` says why.

    >>> extract_label('Two of 5 regions fit. {"answer": 3}', benchmark_name="gtex",
    ...               options=["Lung", "Heart", "Liver"]).label
    3
    """
    found = _core.extract_label(_text(prediction, "prediction"),
                                _text(benchmark_name, "benchmark_name"),
                                [] if options is None else _texts(options, "options"),
                                _text(rules, "rules"))
    return ExtractedAnswer(**found)


def _label(value, name):
    if value is None:
        return None
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number or None, not {value!r}") from None
    if abs(found) >= 1 << 63:
        raise ValueError(f"{name} must be below 2**63")
    return found


def majority_vote(labels: Sequence[int | None],
                  predictions: Sequence[str] | None = None) -> VoteResult:
    """Combines several labels of one question. None does not vote; if several labels have the most
    votes, the first seen wins.

    `prediction` is the first text with the winning label, or the most common text if nobody votes.

    >>> majority_vote([None, 2, 1, 1])
    VoteResult(label=1, prediction=None, counts={2: 1, 1: 2}, tied=False)
    """
    votes = [_label(label, f"labels[{number}]") for number, label in enumerate(labels)]
    found = _core.majority_vote(votes,
                                [""] * len(votes) if predictions is None
                                else _texts(predictions, "predictions"))
    if predictions is None:
        found["prediction"] = None
    return VoteResult(**found)
