# SPDX-License-Identifier: Apache-2.0
"""Complete evaluation pipeline for model assessment: runs a torch model over a data loader and
scores each batch.

`assay score` does the same from files, in parallel, and can be resumed.
"""
from __future__ import annotations

import json
import logging
import math
import warnings
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._files import read_json_object, write_text
from .metrics import MetricResult, SegmentationMetrics, metric_results
from .statistics import ComparisonResult, compare_models_to_reference

if TYPE_CHECKING:
    import torch

logger = logging.getLogger(__name__)

METRICS = ("dice", "avd", "mcc")


def _number(found: Any, where: str) -> float:
    """null, which valid JSON uses for a value that does not exist, becomes NaN."""
    if found is None:
        return math.nan
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        raise ValueError(f"{where} must be a number, not {found!r}")
    return found


def _metric_result(found: Any, where: str) -> MetricResult:
    missing = [key for key in ("name", "mean", "std", "values") if key not in found]
    if missing:
        raise ValueError(f"{where} has no {', '.join(missing)}; give a file that "
                         f"EvaluationResult.save wrote")
    if not isinstance(found["values"], list):
        raise ValueError(f"{where}.values must be a list")
    return MetricResult(
        name=found["name"],
        mean=_number(found["mean"], f"{where}.mean"),
        std=_number(found["std"], f"{where}.std"),
        values=[_number(value, f"{where}.values") for value in found["values"]],
    )


@dataclass
class EvaluationResult:
    """Complete evaluation results for a model."""

    model_name: str
    dice: MetricResult
    avd: MetricResult
    mcc: MetricResult
    num_samples: int

    def to_dict(self) -> dict:
        """Convert to dictionary for serialization."""
        return asdict(self)

    def save(self, path: Path | str) -> None:
        """Save results to JSON file.

        An infinite AVD is written as `Infinity`, which Python accepts but JSON does not have.
        `assay score` writes null and the reason. assay reads both.
        """
        write_text(path, json.dumps(self.to_dict(), indent=2))

    @classmethod
    def load(cls, path: Path | str) -> EvaluationResult:
        """Load results from JSON file: one that `save` wrote, or a results file of `assay
        score`."""
        data = read_json_object(path)
        missing = [key for key in ("model_name", *METRICS, "num_samples") if key not in data]
        wrong = [key for key in METRICS if not isinstance(data.get(key, {}), dict)]
        if missing or wrong:
            problem = (f"has no {', '.join(missing)}" if missing
                       else f"has no object {', '.join(wrong)}")
            raise ValueError(f"{path} {problem}; give a file that EvaluationResult.save wrote")
        metrics = {key: _metric_result(data[key], f"{path}: {key}") for key in METRICS}
        return cls(model_name=data["model_name"], **metrics, num_samples=data["num_samples"])


def _torch() -> Any:
    try:
        import torch
    except ImportError as error:
        raise ImportError("Evaluator runs torch models; install torch, or score files with "
                          "assay.score") from error
    return torch


def _best_device() -> torch.device:
    """CUDA, else MPS, else the CPU."""
    torch = _torch()
    if torch.cuda.is_available():
        return torch.device("cuda")
    mps = getattr(torch.backends, "mps", None)
    return torch.device("mps" if mps is not None and mps.is_available() else "cpu")


def _with_progress(batches: Iterable, title: str) -> Iterable:
    try:
        from tqdm import tqdm
    except ImportError:
        return batches
    return tqdm(batches, desc=title)


class Evaluator:
    """Evaluator for stroke lesion segmentation models.

    Implements the evaluation protocol from the paper:
    - DICE, AVD, MCC metrics
    - Per-sample and aggregate statistics
    - Statistical comparison between models
    """

    def __init__(self, device: torch.device | str | None = None) -> None:
        """Initialize evaluator.

        Args:
            device: Device for inference (default: auto-detect, when it is first needed).
        """
        self._device = device
        self.metrics_calculator = SegmentationMetrics()

    @property
    def device(self) -> torch.device:
        """Device for inference."""
        if self._device is None:
            self._device = _best_device()
        elif isinstance(self._device, str):
            self._device = _torch().device(self._device)
        return self._device

    @device.setter
    def device(self, device: torch.device | str | None) -> None:
        self._device = device

    def evaluate(
        self,
        model: torch.nn.Module,
        dataloader: Iterable,
        model_name: str = "model",
        use_fp16: bool = True,
    ) -> EvaluationResult:
        """Evaluate model on dataset.

        Every batch is scored as soon as it is predicted, and its volumes are not kept. An empty
        loader gives means and standard deviations of 0.0, which look like a very bad model. Check
        `num_samples`.

        Args:
            model: Model to evaluate; its output is (B, classes, D, H, W).
            dataloader: DataLoader of (images, masks) for evaluation data.
            model_name: Name for logging and results.
            use_fp16: Whether to use FP16 inference; only CUDA does.

        Returns:
            EvaluationResult with all metrics.
        """
        torch = _torch()
        model = model.to(self.device)
        model.eval()
        if hasattr(dataloader, "__len__"):
            logger.info("Evaluating %s on %d batches", model_name, len(dataloader))
        samples: list[dict[str, float]] = []
        half = use_fp16 and self.device.type == "cuda"
        with torch.no_grad():
            for images, masks in _with_progress(dataloader, f"Evaluating {model_name}"):
                images = images.to(self.device)
                if half:
                    with torch.amp.autocast(device_type="cuda", dtype=torch.float16):
                        outputs = model(images)
                else:
                    outputs = model(images)
                samples += self.metrics_calculator.compute_samples(
                    outputs.argmax(dim=1).cpu(), masks)

        metrics = metric_results(samples)
        if not samples:
            metrics = {key: MetricResult(key.upper(), 0.0, 0.0, []) for key in METRICS}
        result = EvaluationResult(model_name, **metrics, num_samples=len(samples))
        logger.info("%s: DICE=%s, AVD=%s, MCC=%s", model_name, result.dice, result.avd, result.mcc)
        return result

    def compare_to_reference(
        self,
        reference_result: EvaluationResult,
        other_results: list[EvaluationResult],
        metric: str = "dice",
    ) -> list[ComparisonResult]:
        """Compare models to reference using statistical tests.

        If two results have the same name, only the last counts, with a warning.

        Args:
            reference_result: Results from reference model (e.g., MeshNet-26).
            other_results: Results from other models to compare.
            metric: Metric to use for comparison ("dice", "avd", "mcc").

        Returns:
            List of ComparisonResult objects.
        """
        if metric not in METRICS:
            raise ValueError(f"Invalid metric {metric!r}; use dice, avd or mcc")
        scores: dict[str, list[float]] = {}
        for result in other_results:
            if result.model_name in scores:
                warnings.warn(f"two results are called {result.model_name!r}; only the last counts",
                              stacklevel=2)
            scores[result.model_name] = getattr(result, metric).values
        return compare_models_to_reference(getattr(reference_result, metric).values, scores)
