# SPDX-License-Identifier: Apache-2.0
"""Paired comparison of models: Wilcoxon's test as in SciPy 1.10, Holm's correction as in
statsmodels.

Neither package is needed. `assay.wilcoxon` is exact even with ties and zeros, and `assay.compare`
matches cases by name, gives intervals and says when there are too few cases to show anything.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core, _stats
from .._arrays import vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass
class ComparisonResult:
    """Result of statistical comparison between two models; the specification never fills
    `effect_size`."""

    model_name: str
    p_value: float
    corrected_p_value: float
    is_significant: bool
    effect_size: float | None = None


def _paired(reference_scores: ArrayLike, model_scores: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    reference, model = (vector(reference_scores, "reference_scores"),
                        vector(model_scores, "model_scores"))
    if reference.size != model.size:
        raise ValueError(f"reference_scores has {reference.size} values and model_scores "
                         f"{model.size}; pairs need as many")
    return reference, model


def _wilcoxon(reference: np.ndarray, model: np.ndarray) -> float:
    """SciPy 1.10's p-value; NaN among the scores gives NaN."""
    both = np.flatnonzero(np.isinf(reference) & (reference == model))
    if both.size:
        raise ValueError(f"pair {both[0] + 1} of {reference.size} is infinite on both sides and "
                         f"has no difference; leave it out")
    return float(_stats.wilcoxon(reference, model, policy="scipy-1.10").pvalue)


def wilcoxon_test(reference_scores: ArrayLike, model_scores: ArrayLike) -> float:
    """Perform Wilcoxon signed-rank test: non-parametric, paired.

    Scores that `np.allclose` calls equal give 1.0, however consistent their difference is: 75 cases
    that are all worse by 1e-6 have a true p of 5e-18. `assay.wilcoxon` has no such shortcut.

    Args:
        reference_scores: Scores from reference model (e.g., MeshNet-26).
        model_scores: Scores from comparison model.

    Returns:
        Two-sided p-value.
    """
    reference, model = _paired(reference_scores, model_scores)
    return 1.0 if np.allclose(reference, model) else _wilcoxon(reference, model)


def holm_bonferroni_correction(
    p_values: list[float], alpha: float = 0.05
) -> tuple[list[float], list[bool]]:
    """Apply Holm-Bonferroni correction for multiple comparisons.

    This is the monotone step-down correction; a test is significant if its corrected p-value is at
    most alpha. A p-value of NaN stays NaN, counts towards the number of tests and is never
    significant. `assay.holm` is the same but refuses NaN.

    Args:
        p_values: List of uncorrected p-values.
        alpha: Significance level (default 0.05).

    Returns:
        Tuple of (corrected_p_values, is_significant_list).
    """
    values = vector(p_values, "p_values")
    known = ~np.isnan(values)
    corrected, reject = _core.adjust(np.where(known, values, 1.0), "holm", float(alpha))
    found = [float(p) if here else float("nan") for p, here in zip(corrected, known)]
    return found, [bool(r and here) for r, here in zip(reject, known)]


def compare_models_to_reference(
    reference_scores: ArrayLike, model_scores_dict: dict[str, ArrayLike], alpha: float = 0.05
) -> list[ComparisonResult]:
    """Compare multiple models to a reference using Wilcoxon + Holm.

    Cases are matched by position; with five or fewer no p-value can reach 0.05. `assay.compare`
    matches them by name and warns.

    Args:
        reference_scores: Scores from reference model (MeshNet-26).
        model_scores_dict: Dictionary mapping model names to score arrays.
        alpha: Significance level (default 0.05).

    Returns:
        List of ComparisonResult objects.
    """
    p_values = [wilcoxon_test(reference_scores, scores) for scores in model_scores_dict.values()]
    corrected, significant = holm_bonferroni_correction(p_values, alpha)
    return [
        ComparisonResult(*row) for row in zip(model_scores_dict, p_values, corrected, significant)
    ]


def compare_to_reference(
    reference_scores: ArrayLike, model_scores_dict: dict[str, ArrayLike], alpha: float = 0.05
) -> dict[str, dict]:
    """Compare all models to the reference, as the guide to the paper's results does it.

    There is no `allclose` shortcut, so identical scores are an error, as in SciPy 1.10.

    Returns:
        {name: {"p_value": the corrected p-value, "significant": bool}}.
    """
    p_values = [_wilcoxon(*_paired(reference_scores, scores))
                for scores in model_scores_dict.values()]
    rows = zip(model_scores_dict, *holm_bonferroni_correction(p_values, alpha))
    return {name: {"p_value": p, "significant": significant} for name, p, significant in rows}


def format_results_table(
    results: dict[str, dict[str, float]], comparisons: list[ComparisonResult] | None = None
) -> str:
    """Format results as a markdown table.

    A missing metric is printed as 0.000, and a single star does not say which metric was compared.
    `assay compare --format markdown` leaves gaps and gives each metric its own star.

    Args:
        results: Dictionary mapping model names to metric dictionaries.
        comparisons: Optional list of statistical comparison results.

    Returns:
        Markdown-formatted table string.
    """
    significant = {each.model_name: each.is_significant for each in comparisons or []}
    lines = [
        "| Model | DICE (↑) | AVD (↓) | MCC (↑) | Sig? |",
        "|-------|----------|---------|---------|------|",
    ]
    for name, scores in results.items():
        numbers = " | ".join(f"{scores.get(key, 0.0):.3f}" for key in ("dice", "avd", "mcc"))
        lines.append(f"| {name} | {numbers} | {'*' if significant.get(name, False) else ''} |")
    return "\n".join(lines)
