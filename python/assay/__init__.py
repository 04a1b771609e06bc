# SPDX-License-Identifier: Apache-2.0
"""assay measures medical-imaging AI, honestly and fast.

Masks and arrays: `dice_coefficient`, `metrics`, `scores`, the Dice family, `read_image`.
Statistics: `wilcoxon`, `adjust`, `bootstrap`, ... Whole studies: `score`, `evaluate`, `predict`,
`compare`, `power`, `report`, `validate_parity`, `folds`, `split`, which return dicts that show
themselves in notebooks (`Result`). Questions about whole slides: `qa_check`, `qa_run`, `qa_score`,
`qa_compare`, `extract_label`, `majority_vote`. `assay.spec` has the specifications' own names,
`assay.torch` a differentiable soft Dice (when torch is installed).

>>> import numpy as np, assay
>>> assay.dice_coefficient(np.array([1, 1, 0, 0]), np.array([0, 1, 1, 0]))
0.5
"""
from ._core import __version__
from ._agreement import bland_altman, delong, icc
from ._answers import extract_label, majority_vote
from ._commands import (compare, evaluate, folds, power, predict, qa_check, qa_compare, qa_run,
                        qa_score, report, run, score, split, to_dataframe, validate_parity)
from ._dice import binary_dice, dice_similarity_coefficient, do_reduction, soft_dice, soft_dice_grad
from ._images import read_image, read_nifti
from ._own import OwnMetric, metric
from ._masks import (average_volume_difference, confusion_matrix, dice_coefficient,
                     matthews_correlation_coefficient, metric_table, metrics, scores)
from ._results import (BlandAltmanResult, BootstrapResult, ComparisonResult, ConfidenceInterval,
                       DeLongResult, ExtractedAnswer, FriedmanResult, IccResult, Interval,
                       McNemarResult, NemenyiResult, ParityResult, TostResult, VoteResult,
                       WilcoxonResult)
from ._shown import Result
from ._stats import (accuracy, adjust, balanced_accuracy, bootstrap, bootstrap_metric, cohens_dz,
                     compare_models_to_reference, default_rng_choice, friedman, hodges_lehmann,
                     holm, mcnemar, nemenyi, probability_of_superiority, rank_biserial, tost_paired,
                     wilcoxon)
from ._threads import set_threads, threads

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]

_PARTS = ("spec", "torch")  # imported on first use: they take longer to import than all the rest


def __getattr__(name: str):
    if name not in _PARTS:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    import importlib

    try:
        return importlib.import_module(f".{name}", __name__)
    except ModuleNotFoundError as error:
        raise AttributeError(f"assay.{name} is not available: {error}") from error


def __dir__() -> list[str]:
    return sorted([*globals(), *_PARTS])
