"""assay.spec.evaluator: results as files, models of torch, comparison of results."""
import json
import logging
import math
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import assay
from assay import spec
from spec_vectors import cases

PACKAGE = [str(pathlib.Path(assay.__file__).parents[1])]  # what another interpreter must find


def result(name, dice, avd=(0.1, 0.2), mcc=(0.7, 0.8)):
    made = [spec.MetricResult(key, float(np.mean(values)), float(np.std(values)), list(values))
            for key, values in (("DICE", dice), ("AVD", avd), ("MCC", mcc))]
    return spec.EvaluationResult(name, *made, num_samples=len(dice))


def test_a_result_comes_back_from_its_file(tmp_path):
    ours = result("meshnet_26", (0.8, 0.9))
    ours.save(tmp_path / "result.json")
    assert spec.EvaluationResult.load(str(tmp_path / "result.json")) == ours
    written = json.loads((tmp_path / "result.json").read_text())
    assert written == ours.to_dict()
    assert list(written) == ["model_name", "dice", "avd", "mcc", "num_samples"]
    assert list(written["dice"]) == ["name", "mean", "std", "values"]
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_infinity_is_written_as_python_writes_it(tmp_path):
    ours = result("m", (0.8, 0.9))
    ours.avd = spec.MetricResult("AVD", math.inf, math.nan, [math.inf, 0.1])
    ours.save(tmp_path / "result.json")
    text = (tmp_path / "result.json").read_text()
    assert "Infinity" in text and "NaN" in text and text == json.dumps(ours.to_dict(), indent=2)
    back = spec.EvaluationResult.load(tmp_path / "result.json").avd
    assert back.mean == math.inf and math.isnan(back.std) and back.values == [math.inf, 0.1]


def test_a_results_file_of_the_program_is_read(tmp_path):
    block = {"name": "AVD", "mean": None, "std": None, "values": [None, 0.5]}
    written = {"schema": "assay.segmentation/1", **result("m", (0.8, 0.9)).to_dict(), "avd": block,
               "cases": []}
    (tmp_path / "result.json").write_text(json.dumps(written))
    found = spec.EvaluationResult.load(tmp_path / "result.json")
    assert found.dice.values == [0.8, 0.9]
    assert (math.isnan(found.avd.mean) and math.isnan(found.avd.values[0])
            and found.avd.values[1] == 0.5)


@pytest.mark.parametrize("text, words",
                         [
                             ("{", "is not a JSON file"),
                             ("[]", "holds a JSON list"),
                             ('{"model_name": "m"}', "has no dice, avd, mcc, num_samples"),
                             ('{"model_name": "m", "dice": 1, "avd": {}, "mcc": {}, "num_samples": '
                              '1}', "has no object dice"),
                             ('{"model_name": "m", "dice": {"name": "DICE"}, "avd": {}, "mcc": {}, '
                              '"num_samples": 1}', "dice has no mean, std, values"),
                             ('{"model_name": "m", "dice": {"name": "D", "mean": "x", "std": 0, '
                              '"values": []}, "avd": {}, "mcc": {}, "num_samples": 1}',
                              "dice.mean must be a number"),
                         ])
def test_a_damaged_file_is_named(tmp_path, text, words):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=words) as raised:
        spec.EvaluationResult.load(path)
    assert str(path) in str(raised.value)


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(OSError):
        result("m", (0.8, 0.9)).save(tmp_path / "absent" / "result.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        result("m", (0.8, 0.9)).save(tmp_path / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_results_are_compared_by_any_metric():
    scores = np.linspace(0.7, 0.9, 12)
    ours, others = result("ours", scores), [result("worse", scores - 0.1), result("same", scores)]
    found = spec.Evaluator().compare_to_reference(ours, others)
    assert ([(each.model_name, each.is_significant) for each in found]
            == [("worse", True), ("same", False)])
    assert [each.p_value
            for each in spec.Evaluator("cpu").compare_to_reference(
                ours, others, "avd")] == [1.0, 1.0]
    with pytest.warns(UserWarning, match="two results are called 'same'"):
        assert len(spec.Evaluator().compare_to_reference(ours, [*others, others[1]])) == 2


@pytest.mark.parametrize("case", cases("evaluation_io"))
def test_vectors(case):
    ours = result("ours", (0.8, 0.9))
    with pytest.raises(ValueError, match=case["expected"]["message_contains"]):
        spec.Evaluator().compare_to_reference(ours, [ours], case["input"]["metric"])


def model_of(torch):
    """Two classes: the image itself is the evidence for the second."""

    class Threshold(torch.nn.Module):
        def forward(self, images):
            return torch.cat([torch.full_like(images, 0.5), images], dim=1)

    return Threshold()


def batches_of(torch, sizes):
    chance = np.random.default_rng(5)
    for size in sizes:
        images = torch.from_numpy(chance.random((size, 1, 6, 5, 4)).astype(np.float32))
        masks = torch.from_numpy((chance.random((size, 6, 5, 4)) > 0.5).astype(np.int64))
        yield images, masks


@pytest.mark.parametrize("device", [None, "cpu"])
def test_a_model_is_scored_by_batch(device, caplog):
    torch = pytest.importorskip("torch")
    batches = list(batches_of(torch, (2, 3, 1)))
    evaluator, model = (spec.Evaluator(device if device is None else torch.device(device)),
                        model_of(torch).train())
    with caplog.at_level(logging.INFO, "assay.spec.evaluator"):
        found = evaluator.evaluate(model, batches, "threshold")
    assert not model.training and found.model_name == "threshold" and found.num_samples == 6
    assert ("Evaluating threshold on 3 batches" in caplog.text
            and f"DICE={found.dice}" in caplog.text)
    preds = torch.cat([(images[:, 0] > 0.5).long() for images, _ in batches])
    expected = spec.SegmentationMetrics().compute_with_stats(
        preds, torch.cat([masks for _, masks in batches]))
    assert (found.dice, found.avd, found.mcc) == tuple(expected.values())
    assert spec.Evaluator("cpu").evaluate(model, iter(batches), use_fp16=False).dice == found.dice


def test_no_gradient_is_kept():
    torch = pytest.importorskip("torch")
    seen = []

    class Watching(torch.nn.Module):
        def forward(self, images):
            seen.append(torch.is_grad_enabled())
            return torch.cat([1 - images, images], dim=1)

    spec.Evaluator("cpu").evaluate(Watching(), batches_of(torch, (1,)))
    assert seen == [False] and torch.is_grad_enabled()


def test_an_empty_loader_gives_zeros():
    torch = pytest.importorskip("torch")
    found = spec.Evaluator("cpu").evaluate(model_of(torch), [])
    assert found.num_samples == 0
    for each in (found.dice, found.avd, found.mcc):
        assert (each.mean, each.std, each.values) == (0.0, 0.0, [])


def test_the_import_is_cheap():
    heavy = ("torch", "scipy", "pandas", "statsmodels", "tqdm", "nibabel")
    code = (f"import sys; sys.path[:0] = {PACKAGE!r}; import assay.spec; print([m for m in {heavy} "
            f"if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert done.stdout.strip() == "[]"


def test_torch_is_asked_for_only_when_needed():
    code = (f"import sys; sys.path[:0] = {PACKAGE!r}; sys.modules['torch'] = None; from assay "
            f"import spec\n"
            "evaluator = spec.Evaluator()\n"
            "try: evaluator.evaluate(None, [])\n"
            "except ImportError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert "install torch" in done.stdout
