"""The Dice family against torch: values, gradients, types, policies, bad input."""
import threading

import numpy as np
import pytest

import assay

torch = pytest.importorskip("torch")


def batch(seed=0, shape=(2, 3, 4, 5), dtype=torch.float64):
    generator = torch.Generator().manual_seed(seed)
    outputs = torch.rand(shape, generator=generator, dtype=torch.float64)
    labels = (torch.rand(shape, generator=generator) < 0.4).double()
    return outputs.to(dtype), labels.to(dtype)


def by_torch(outputs, labels, smooth=1, batch_dice=True, reduction="mean"):
    outputs, labels = (x.reshape(*x.shape[:2], -1) for x in (outputs, labels))
    axes = (0, 2) if batch_dice else 2
    scores = (2 * (outputs * labels).sum(axes) + smooth) / (
        outputs.sum(axes) + labels.sum(axes) + smooth)
    return {"mean": scores.mean, "sum": scores.sum,
            "median": lambda: scores.flatten().quantile(0.5), "none": lambda: scores}[reduction]()


SETTINGS = [dict(smooth=s, batch_dice=b, reduction=r) for s in (1, 0.1) for b in (True, False)
            for r in ("mean", "median", "sum", "none")]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (1, 1, 7), (3, 2), (2, 4, 3, 3, 3)])
def test_values_and_gradients_equal_torch(settings, shape):
    outputs, labels = batch(1, shape)
    outputs.requires_grad_()
    labels.requires_grad_()
    expected = by_torch(outputs, labels, **settings)
    np.testing.assert_allclose(assay.soft_dice(outputs, labels, **settings),
                               expected.detach().numpy(), rtol=1e-13)
    upstream = torch.rand_like(expected)
    wanted = torch.autograd.grad(expected, (outputs, labels), upstream)
    plain = [x.detach().numpy() for x in (outputs, labels)]
    np.testing.assert_allclose(assay.soft_dice_grad(*plain, grad_output=upstream, **settings),
                               wanted[0], rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(assay.soft_dice_grad(*plain[::-1], grad_output=upstream, **settings),
                               wanted[1], rtol=1e-10, atol=1e-15)
    found = assay.torch.soft_dice(outputs, labels, **settings)
    assert found.dtype == torch.float64 and found.shape == expected.shape
    for got, want in zip(torch.autograd.grad(found, (outputs, labels), upstream), wanted):
        torch.testing.assert_close(got, want, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("policy", ["assay", "mipcandy-doc"])
def test_gradcheck(settings, policy):
    inputs = [x.requires_grad_() for x in batch(2, (2, 2, 3))]
    assert torch.autograd.gradcheck(lambda p, g: assay.torch.soft_dice(
        p, g, policy=policy, **settings), inputs)


@pytest.mark.parametrize("dtype, tolerance",
                         [(torch.float16, 2e-3), (torch.float32, 1e-6), (torch.float64, 1e-13)])
def test_types(dtype, tolerance):
    outputs, labels = batch(3, (2, 2, 50, 40), dtype)
    exact = by_torch(outputs.double(), labels.double())
    assert assay.soft_dice(outputs, labels) == pytest.approx(exact.item(), abs=2e-7)
    leaf = outputs.clone().requires_grad_()
    score = assay.torch.soft_dice(leaf, labels)
    assert score.dtype == dtype and score.item() == pytest.approx(exact.item(), abs=tolerance)
    (1 - score).backward()
    wide = outputs.double().clone().requires_grad_()
    (1 - by_torch(wide, labels.double())).backward()
    assert leaf.grad.dtype == dtype
    torch.testing.assert_close(leaf.grad.double(), wide.grad,
                               rtol=1e-3 if dtype == torch.float16 else 1e-5, atol=1e-7)
    assert assay.soft_dice_grad(outputs.numpy(), labels.numpy()).dtype == outputs.numpy().dtype


def test_only_what_needs_a_gradient_gets_one():
    outputs, labels = batch(4)
    outputs.requires_grad_()
    assay.torch.soft_dice(outputs, labels).backward()
    assert outputs.grad is not None and labels.grad is None
    assert not assay.torch.soft_dice(outputs.detach(), labels).requires_grad


def test_it_trains():
    """Gradient ascent finds the labels."""
    _, labels = batch(5, (1, 2, 6, 6), torch.float32)
    logits = torch.zeros_like(labels, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.3)
    for _ in range(60):
        optimizer.zero_grad()
        (1 - assay.torch.soft_dice(logits.sigmoid(), labels)).backward()
        optimizer.step()
    assert assay.torch.soft_dice(logits.sigmoid(), labels).item() > 0.98


def test_layouts():
    outputs, labels = batch(6, (2, 3, 8, 6))
    moved = outputs.permute(0, 1, 3, 2).contiguous().permute(0, 1, 3, 2).requires_grad_()
    assert not moved.is_contiguous()
    score = assay.torch.soft_dice(moved, labels)
    score.backward()
    assert score.item() == pytest.approx(by_torch(outputs, labels).item(), rel=1e-13)
    np.testing.assert_allclose(moved.grad, assay.soft_dice_grad(outputs, labels), rtol=1e-13)
    flipped = np.ascontiguousarray(outputs.numpy()[:, :, ::-1])[:, :, ::-1]
    flipped.setflags(write=False)
    assert assay.soft_dice(flipped, labels) == assay.soft_dice(outputs, labels)


def test_threads_give_the_same_bits():
    outputs, labels = batch(7, (2, 3, 300, 301), torch.float32)
    found = []
    for threads in (1, 2, 5, 0):
        assay.set_threads(threads)
        found.append((assay.soft_dice(outputs, labels),
                      assay.soft_dice_grad(outputs, labels).tobytes()))
    assert all(each == found[0] for each in found)
    results = [None] * 4

    def work(i):
        results[i] = assay.soft_dice(outputs, labels)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert results == [found[0][0]] * 4


def test_hard_dice_equals_torch():
    outputs, labels = batch(8, (3, 2, 9, 9))
    p, g = (outputs > 0.5).double(), labels
    expected = 2 * (p * g).sum((2, 3)) / (p + g).sum((2, 3))
    np.testing.assert_allclose(assay.dice_similarity_coefficient(p, g, reduction="none"), expected,
                               rtol=1e-14)
    masks = (p > 0)[:, :1], (g > 0)[:, :1]
    np.testing.assert_allclose(assay.binary_dice(*masks, reduction="none"), expected[:, :1],
                               rtol=1e-14)
    assert (assay.binary_dice(*masks, reduction="median")
            == pytest.approx(np.median(expected[:, :1])))


def test_empty_entries_and_reductions():
    empty = np.zeros((2, 1, 4), bool)
    assert (assay.binary_dice(empty, empty) == 1.0
            and assay.binary_dice(empty, empty, if_empty=0) == 0.0)
    assert assay.soft_dice(np.zeros((1, 2, 0)), np.zeros((1, 2, 0))) == 1.0
    assert np.isnan(assay.soft_dice(np.zeros((1, 0, 3)), np.zeros((1, 0, 3))))
    assert assay.soft_dice_grad(np.zeros((0, 2, 3)), np.zeros((0, 2, 3))).shape == (0, 2, 3)
    scores = np.array([[0.8, 0.9], [0.7, 0.85]])
    for method, expected in (("mean", 0.8125), ("sum", 3.25), ("median", 0.825)):
        assert assay.do_reduction(scores, method) == pytest.approx(expected)
    assert np.array_equal(assay.do_reduction(torch.from_numpy(scores), "none"), scores)


BAD = [
    (assay.soft_dice, np.ones((1, 2, 3)), np.ones((1, 2, 4)), ValueError, "same shape"),
    (assay.soft_dice, np.ones((1, 2, 3)), np.ones((1, 2, 3), "f4"), TypeError, "same dtype"),
    (assay.soft_dice, np.ones((1, 2, 3), int), np.ones((1, 2, 3), int), TypeError,
     "float arrays, not int64"),
    (assay.soft_dice, np.ones(3), np.ones(3), ValueError, r"\(B, C, ...\)"),
    (assay.soft_dice, np.ones((1, 2, 3), object), np.ones((1, 2, 3), object), TypeError,
     "must hold numbers"),
    (assay.binary_dice, np.ones((1, 1, 3)), np.ones((1, 1, 3)), TypeError,
     "boolean arrays, not float64"),
    (assay.binary_dice, np.ones((1, 2, 3), bool), np.ones((1, 2, 3), bool), ValueError, "channels"),
    (assay.dice_similarity_coefficient, np.ones((1, 2, 3), bool), np.ones((1, 2, 3), bool),
     TypeError, "float arrays"),
]


@pytest.mark.parametrize("function, outputs, labels, error, words", BAD)
def test_bad_batches(function, outputs, labels, error, words):
    with pytest.raises(error, match=words):
        function(outputs, labels)


def test_bad_settings_and_tensors():
    ones = np.ones((1, 1, 3))
    with pytest.raises(ValueError, match="reduction.*mean"):
        assay.soft_dice(ones, ones, reduction="men")
    with pytest.raises(ValueError, match="policy"):
        assay.soft_dice(ones, ones, policy="mine")
    with pytest.raises(ValueError, match="grad_output"):
        assay.soft_dice_grad(ones, ones, grad_output=[1, 2, 3])
    with pytest.raises(RuntimeError, match="device meta"):
        assay.torch.soft_dice(torch.ones(1, 1, 3, device="meta"), torch.ones(1, 1, 3))
    with pytest.raises(TypeError, match="must be a tensor, not ndarray"):
        assay.torch.soft_dice(ones, ones)
    # as torch: a loss shows its NaN
    assert np.isnan(assay.soft_dice(np.full((1, 1, 3), np.nan), ones))


@pytest.fixture(autouse=True)
def all_cores():
    yield
    assay.set_threads(0)
