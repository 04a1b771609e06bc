# SPDX-License-Identifier: Apache-2.0
"""The specifications' own names, signatures and numbers, over the same core.

Code that was written for a specification runs once its import is changed:

| written for | here |
|---|---|
| `evaluation.metrics`, `evaluation.statistics` | `assay.spec.metrics`, `assay.spec.statistics` |
| `evaluation.evaluator` | `assay.spec.evaluator` |
| `validation.parity` | `assay.spec.parity` |
| the Dice family of batches | `assay.spec.dice_family` |
| accuracy and its bootstrap | `assay.spec.bootstrap` |
| `eval.answer_extraction` | `assay.spec.answer_extraction` |
| `data.schemas`, `data.download`'s constants, `eval.runner` | `assay.spec.benchmark` |

`assay.spec` itself also has every name. The numbers are the specifications', and some of them
should not be published: Dice with a smoothing term in single precision, an MCC of 0 where it is
undefined, an AVD of infinity that makes the mean infinite, an `allclose` shortcut that treats a
small but consistent difference as none, "STATISTICALLY EQUIVALENT" for a p-value above 0.05, the
article "a" read as option A. Each docstring says what is wrong and which function of `assay` to use
instead.

Some things are corrected, because the specifications' own examples or tests fail otherwise, or
because a wrong answer would go unnoticed:

- decisions are plain `bool`, so `is True` holds and JSON can be written;
- Holm's correction is always the monotone one; the specification's fallback for a missing
  statsmodels, whose p-values fall again after rising, is not imitated. A p-value of NaN is never
  significant;
- masks of different sizes are refused instead of broadcast, NaN in a mask is refused, and values
  other than 0 and 1 give a warning where they change the result;
- MCC does not overflow in single precision on gigapixel masks;
- `binary_dice` scores batches of several samples, as its documentation shows;
- an unknown reduction is an error instead of None.

torch is imported only by `Evaluator.evaluate` and by Dice functions that were given tensors. SciPy,
statsmodels and pandas are never imported.
"""
from .answer_extraction import ExtractedAnswer, extract_label
from .benchmark import (
    BENCHMARK_TASKS,
    MULTIPATHQA_FILENAME,
    MULTIPATHQA_REPO,
    BenchmarkItem,
    BenchmarkResult,
    BenchmarkRunner,
    load_benchmark,
)
from .bootstrap import (
    BootstrapEvaluator,
    BootstrapResult,
    MetricsCalculator,
    accuracy,
    balanced_accuracy,
    bootstrap_metric,
)
from .dice_family import (
    Reduction,
    _args_check,
    binary_dice,
    dice_similarity_coefficient,
    do_reduction,
    soft_dice,
)
from .evaluator import EvaluationResult, Evaluator
from .metrics import (
    MetricResult,
    SegmentationMetrics,
    average_volume_difference,
    compute_confusion_matrix,
    dice_coefficient,
    matthews_correlation_coefficient,
)
from .parity import (
    PAPER_RESULTS,
    ParityResult,
    generate_benchmark_table,
    run_statistical_comparison,
    validate_parity,
)
from .statistics import (
    ComparisonResult,
    compare_models_to_reference,
    compare_to_reference,
    format_results_table,
    holm_bonferroni_correction,
    wilcoxon_test,
)

__all__ = [
    "BENCHMARK_TASKS",
    "BenchmarkItem",
    "BenchmarkResult",
    "BenchmarkRunner",
    "BootstrapEvaluator",
    "BootstrapResult",
    "ComparisonResult",
    "EvaluationResult",
    "Evaluator",
    "ExtractedAnswer",
    "MULTIPATHQA_FILENAME",
    "MULTIPATHQA_REPO",
    "MetricResult",
    "MetricsCalculator",
    "PAPER_RESULTS",
    "ParityResult",
    "Reduction",
    "SegmentationMetrics",
    "accuracy",
    "average_volume_difference",
    "balanced_accuracy",
    "binary_dice",
    "bootstrap_metric",
    "compare_models_to_reference",
    "compare_to_reference",
    "compute_confusion_matrix",
    "dice_coefficient",
    "dice_similarity_coefficient",
    "do_reduction",
    "extract_label",
    "format_results_table",
    "generate_benchmark_table",
    "holm_bonferroni_correction",
    "load_benchmark",
    "matthews_correlation_coefficient",
    "run_statistical_comparison",
    "soft_dice",
    "validate_parity",
    "wilcoxon_test",
]
