# SPDX-License-Identifier: Apache-2.0
"""Labels read from answers by the specification's rules, exactly.

They read too much: the article in "This is a lesion; answer 3" is option A where there are four
options, the first number of the prose is taken before the JSON that was asked for, a number out of
range is a label where nothing else fits, options match inside words, and PANDA takes the grade 6.
`assay.extract_label` reads what the prompt asked for first, checks ranges, calls two different
candidates a contradiction, and says which rule fired.
"""
from __future__ import annotations

from dataclasses import dataclass

from .. import _answers


@dataclass(frozen=True)
class ExtractedAnswer:
    """A label, and the answer without white space around it; `assay.ExtractedAnswer` also has rule
    and span."""

    label: int | None
    raw: str


def extract_label(
    prediction: str, *, benchmark_name: str, options: list[str] | None
) -> ExtractedAnswer:
    """Return a canonical integer label for scoring.

    Conventions:

    - Multiple-choice tasks use 1-based labels (matches MultiPathQA CSV).
    - PANDA uses isup_grade 0..5; null is not a grade here, although it means "no cancer" to the
      models that write it, and then any number of the text is taken for one.

    A number above 2**63 - 1 becomes that, and a capital sigma at the end of a word is lowered like
    any other; all else is the specification's, to the letter. Use `assay.extract_label` for numbers
    that are to be published.
    """
    found = _answers.extract_label(
        prediction, benchmark_name=benchmark_name, options=options, rules="spec"
    )
    return ExtractedAnswer(found.label, prediction.strip())
