# SPDX-License-Identifier: Apache-2.0
"""Labels read from answers by the specification's rules, exactly.

They read too much. With four options, the article in "This is a lesion; answer 3" is option A. The
first number in the prose is taken before the JSON that was asked for. A number out of range becomes
the label if nothing else fits. Options match inside words, and PANDA accepts the grade 6.
`assay.extract_label` first reads what the prompt asked for, checks ranges, calls two different
candidates a contradiction, and says which rule fired.
"""
from __future__ import annotations

from dataclasses import dataclass

from .. import _answers


@dataclass(frozen=True)
class ExtractedAnswer:
    """A label, and the answer without surrounding white space. `assay.ExtractedAnswer` also has the
    rule and the span."""

    label: int | None
    raw: str


def extract_label(
    prediction: str, *, benchmark_name: str, options: list[str] | None
) -> ExtractedAnswer:
    """Return a canonical integer label for scoring.

    Conventions:

    - Multiple-choice tasks use 1-based labels (matches MultiPathQA CSV).
    - PANDA uses isup_grade 0..5; null is not a grade here, although models write it for "no
      cancer". Any number in the text is then taken as the grade.

    There are two differences from the specification. A number above 2**63 - 1 becomes 2**63 - 1,
    and a capital sigma at the end of a word is converted to lower case like any other. Use
    `assay.extract_label` for numbers that are to be published.
    """
    found = _answers.extract_label(
        prediction, benchmark_name=benchmark_name, options=options, rules="spec"
    )
    return ExtractedAnswer(found.label, prediction.strip())
