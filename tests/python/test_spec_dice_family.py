"""assay.spec.dice_family: the documentation's examples as data, vectors of its edition, torch as
oracle."""
import numpy as np
import pytest

import assay
from assay import spec
from spec_vectors import cases, close, described, mask, reference


def batch(*masks, dtype=bool):
    """(B, 1, ...) of single masks."""
    return np.stack(masks)[:, None].astype(dtype)


EMPTY, SQUARE, TALL = mask((4, 4)), mask((4, 4), [(0, 2), (0, 2)]), mask((4, 4), [(0, 3), (0, 2)])

# Outputs, labels, options, score.
BINARY = [
    (batch(SQUARE, EMPTY), batch(TALL, EMPTY), {}, 0.9),
    (batch(SQUARE, EMPTY), batch(TALL, EMPTY), {"if_empty": 0}, 0.4),
    (batch(SQUARE, EMPTY), batch(TALL, EMPTY), {"reduction": "sum"}, 1.8),
    (batch(SQUARE, EMPTY), batch(TALL, EMPTY), {"reduction": "none"}, [[0.8], [1.0]]),
    (batch(EMPTY), batch(EMPTY), {"if_empty": 1.0}, 1.0),
    (batch(EMPTY), batch(EMPTY), {"if_empty": 0.0}, 0.0),
    (batch(EMPTY, EMPTY), batch(EMPTY, EMPTY), {"reduction": "sum"}, 1.0),  # all empty: one number
    (batch(EMPTY), batch(TALL), {}, 0.0),
]


def as_lists(scores):
    return scores.tolist() if hasattr(scores, "tolist") else scores


@pytest.mark.parametrize("outputs, labels, options, score", BINARY)
def test_binary_dice(outputs, labels, options, score):
    assert close(as_lists(spec.binary_dice(outputs, labels, **options)), score, 1e-6)
    torch = pytest.importorskip("torch")
    found = spec.binary_dice(torch.from_numpy(outputs), torch.from_numpy(labels), **options)
    assert found.dtype is torch.float32 and close(found.tolist(), score, 1e-6)


def one_hot(*boxes):
    return np.stack([mask((8, 8), *([box] if box else [])) for box in boxes])[None]


FULL, SHIFTED = [(0, 4), (0, 4)], ([(4, 8), (0, 4)], [(4, 8), (2, 6)])

ONE_HOT = [
    # one empty class decides
    (one_hot(FULL, SHIFTED[0], None), one_hot(FULL, SHIFTED[1], None), {}, 1.0),
    (one_hot(FULL, SHIFTED[0], None), one_hot(FULL, SHIFTED[1], None),
     {"if_empty": 0, "reduction": "none"}, 0.0),
    (one_hot(FULL, SHIFTED[0]), one_hot(FULL, SHIFTED[1]), {}, 0.75),
    (one_hot(FULL, SHIFTED[0]), one_hot(FULL, SHIFTED[1]), {"reduction": "none"}, [[1.0, 0.5]]),
    # the lower
    (one_hot(FULL, SHIFTED[0]), one_hot(FULL, SHIFTED[1]), {"reduction": "median"}, 0.5),
]


@pytest.mark.parametrize("outputs, labels, options, score", ONE_HOT)
def test_dice_similarity_coefficient(outputs, labels, options, score):
    assert close(as_lists(spec.dice_similarity_coefficient(outputs, labels, **options)), score,
                 1e-6)


SCORES = np.array([0.8, 0.9, 0.7, 0.85], np.float32)


@pytest.mark.parametrize("method, value", [("mean", 0.8125), ("median", 0.8), ("sum", 3.25)])
def test_reduction(method, value):
    assert spec.do_reduction(SCORES, method) == pytest.approx(value)
    torch = pytest.importorskip("torch")
    assert spec.do_reduction(torch.from_numpy(SCORES), method).item() == pytest.approx(value)


def test_no_reduction_and_unknown_ones():
    assert spec.do_reduction(SCORES, "none") is SCORES
    with pytest.raises(ValueError, match="unknown reduction 'maen'; did you mean 'mean'"):
        spec.do_reduction(SCORES, "maen")
    with pytest.raises(ValueError, match="use mean, median, sum, none"):
        spec.soft_dice(np.ones((1, 1, 2), np.float32), np.ones((1, 1, 2), np.float32),
                       reduction="zzz")


def zeros(shape=(2, 1, 8, 8), dtype=np.float32):
    return np.zeros(shape, dtype)


@pytest.mark.parametrize("call, error, words",
                         [
                             (lambda: spec.binary_dice(zeros(), zeros()), TypeError,
                              "must be bool, not float32"),
                             (lambda: spec.soft_dice(zeros(dtype=float), zeros(dtype=float)),
                              TypeError, "must be float32, not float64"),
                             (lambda: spec.dice_similarity_coefficient(
                                 zeros(dtype=bool), zeros(dtype=bool)), TypeError,
                              "must be float32, not bool"),
                             (lambda: spec.soft_dice(zeros(), zeros(dtype=bool)), TypeError,
                              "same dtype, not float32 and bool"),
                             (lambda: spec.soft_dice(zeros(), zeros((2, 1, 8, 9))), ValueError,
                              "must have the same shape"),
                             (lambda: spec.soft_dice(zeros((8,)), zeros((8,))), ValueError,
                              r"shape \(B, C, ...\), not \(8,\)"),
                             (lambda: spec._args_check(zeros(), zeros(), device="cuda"),
                              RuntimeError, "must be on cuda, not cpu"),
                         ])
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_arguments_of_arrays():
    assert spec._args_check(zeros(), zeros(), dtype=np.float32, device="cpu") == (np.float32, "cpu")


def test_arguments_of_tensors():
    torch = pytest.importorskip("torch")
    a = torch.zeros(2, 1, 8, 8, dtype=torch.bool)
    assert spec._args_check(a, a, dtype=torch.bool) == (torch.bool, torch.device("cpu"))
    with pytest.raises(TypeError):
        spec._args_check(a, a, dtype=torch.float)
    with pytest.raises(RuntimeError, match="same device, not cpu and meta"):
        spec._args_check(a, a.to("meta"))
    with pytest.raises(RuntimeError, match="on device meta"):
        spec.binary_dice(a.to("meta"), a.to("meta"))


def soft_by_torch(outputs, labels, smooth, batch_dice):
    """The documentation's formula."""
    axes = tuple(range(outputs.ndim)) if batch_dice else tuple(range(2, outputs.ndim))
    above = 2 * (outputs * labels).sum(axes) + smooth
    return above / (outputs.sum(axes) + labels.sum(axes) + smooth)


@pytest.mark.parametrize("reduction", ["mean", "median", "sum", "none"])
@pytest.mark.parametrize("batch_dice", [True, False])
def test_soft_dice_and_its_gradients(batch_dice, reduction):
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    raw = [torch.randn(4, 3, 6, 5), torch.rand(4, 3, 6, 5)]
    found, expected = [], []
    for score_of, results in ((spec.soft_dice, found), (None, expected)):
        outputs, labels = (x.clone().requires_grad_() for x in raw)
        args = (outputs.sigmoid().transpose(2, 3), labels.transpose(2, 3))  # not contiguous
        if score_of:
            score = score_of(*args, smooth=0.5, batch_dice=batch_dice, reduction=reduction)
        else:
            score = spec.do_reduction(soft_by_torch(*args, 0.5, batch_dice), reduction)
        (score * torch.arange(1.0, score.numel() + 1).reshape(score.shape)).sum().backward()
        results += [score, outputs.grad, labels.grad]
    for ours, theirs in zip(found, expected):
        assert ours.shape == theirs.shape and torch.allclose(ours, theirs, atol=1e-6)
    arrays = [x.detach().numpy() for x in (raw[0].sigmoid(), raw[1])]
    plain = spec.soft_dice(*arrays, smooth=0.5, batch_dice=batch_dice, reduction=reduction)
    assert np.allclose(plain, found[0].detach().numpy(), atol=1e-6)


def test_labels_without_gradient():
    torch = pytest.importorskip("torch")
    outputs = torch.rand(2, 2, 4).requires_grad_()
    labels = torch.ones(2, 2, 4)
    (1 - spec.soft_dice(outputs, labels)).backward()
    assert outputs.grad.shape == outputs.shape and labels.grad is None
    assert not spec.soft_dice(outputs.detach(), labels).requires_grad


POLICIES = {"37a3cf4": "mipcandy-doc", "e9251e8": "mipcandy-1.1.1", "f33bce9": "mipcandy-1.1.2"}


def by_version(function, version):
    """Ours, which follow the documented edition, or the policy of a later one."""
    if version in (None, "37a3cf4"):
        return getattr(spec, function)
    return lambda *a, **k: getattr(assay, function)(*a, **k, policy=POLICIES[version])


def _binary(given):
    outputs, labels = (batch(*(described(each) for each in given[side]))
                       for side in ("outputs", "labels"))
    options = {key: given[key] for key in ("if_empty", "reduction") if key in given}
    return spec.binary_dice(outputs, labels, **options)


def _hot(given):
    sides = [np.stack([mask(given["shape"], *boxes) for boxes in given[f"{side}_per_class"]])[None]
             for side in ("outputs", "labels")]
    score = by_version("dice_similarity_coefficient", given["version"])
    return score(*sides, if_empty=given["if_empty"], reduction=given["reduction"])


def _soft(given, version):
    sides = (np.array(given[side], np.float32) for side in ("outputs", "labels"))
    return by_version("soft_dice", version)(*sides,
                                            **{k: given[k]
                                               for k in ("smooth", "batch_dice", "reduction")})


def _run(name, given):
    if "dtype" in given:
        return spec.binary_dice(zeros(), zeros())
    if "shapes" in given:
        return spec.binary_dice(*(zeros(shape, bool) for shape in given["shapes"]))
    if "scores" in given:
        return spec.do_reduction(given["scores"], given["method"])
    if "outputs_per_class" in given:
        return _hot(given)
    return _soft(given, name.split("_")[2]) if "smooth" in given else _binary(given)


@pytest.mark.parametrize("case", cases("mipcandy"))
def test_vectors(case):
    name, expected = case["id"].split("/")[1], case["expected"]
    if isinstance(expected, dict):
        kinds = {"TypeError": TypeError, "ValueError": ValueError}
        with pytest.raises(kinds[expected["raises"]], match=expected.get("message_contains", "")):
            _run(name, case["input"])
    else:
        assert close(as_lists(_run(name, case["input"])), expected, case["tolerance"])


@pytest.mark.parametrize("entry", reference("mipcandy", "cases"))
def test_reference(entry):
    expected = entry["37a3cf4_doc"]
    pred, label = (np.moveaxis(np.eye(entry["C"], dtype=np.float32)[np.array(entry[f"{side}_ids"])],
                               -1, 1)
                   for side in ("pred", "label"))
    soft = np.array(entry["soft_outputs"], np.float32)
    for reduction in ("mean", "median", "sum", "none"):
        found = {
            "dsc": spec.dice_similarity_coefficient(pred, label, reduction=reduction),
            "soft_batch": spec.soft_dice(soft, label, reduction=reduction),
            "soft_sample": spec.soft_dice(soft, label, batch_dice=False, reduction=reduction),
        }
        for key, value in found.items():
            assert close(as_lists(value), expected[f"{key}_{reduction}"], 1e-5), (key, reduction)
    singles = [spec.binary_dice(pred[i:i + 1, -1:] > 0, label[i:i + 1, -1:] > 0)
               for i in range(entry["B"])]
    assert close(singles, expected["binary_dice_last_class_per_sample_B1"], 1e-6)
