"""Metrics of two arrays against NumPy, scikit-learn and torch; bad input: the right answer or a
clear exception."""
import math
import threading

import numpy as np
import pytest

import assay
from support import unpacked, vectors

TYPES = [bool, "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", ">i2", ">f4",
         ">f8"]


def noise(seed, shape=(7, 9, 11), share=0.3):
    return np.random.default_rng(seed).random(shape) < share


def counts(p, r):
    return {"tp": int((p & r).sum()), "tn": int((~p & ~r).sum()), "fp": int((p & ~r).sum()),
            "fn": int((~p & r).sum())}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("other", TYPES)
def test_counts_equal_numpy_for_all_types(dtype, other):
    p, r = noise(1), noise(2)
    assert assay.confusion_matrix(p.astype(dtype), r.astype(other)) == counts(p, r)


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 16384, (1 << 20) + 17, 3 << 20])
def test_counts_of_any_size_and_number_of_threads(size):
    p, r = noise(3, size), noise(4, size)
    for threads in (1, 2, 0):
        assay.set_threads(threads)
        for dtype in (bool, np.float32):
            assert assay.confusion_matrix(p.astype(dtype), r.astype(dtype)) == counts(p, r)


LAYOUTS = {
    "fortran": np.asfortranarray,
    "negative strides": lambda x: np.ascontiguousarray(x[::-1, :, ::-1])[::-1, :, ::-1],
    "every second": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "transposed": lambda x: np.ascontiguousarray(x.transpose(2, 0, 1)).transpose(1, 2, 0),
    "broadcast view": lambda x: np.broadcast_to(x, (1, *x.shape))[0],
    "read-only": lambda x: (x.setflags(write=False), x)[1],
    "misaligned": lambda x: np.frombuffer(b"\0" + x.astype("f8").tobytes(), "f8",
                                          offset=1).reshape(x.shape),
    "subclass": lambda x: x.view(np.recarray) if x.dtype.names else np.ma.masked_array(x),
    "list": lambda x: x.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_layouts_do_not_matter(layout, other):
    p, r = noise(5), noise(6)
    expected = counts(p, r)
    assert assay.confusion_matrix(LAYOUTS[layout](p.copy()), LAYOUTS[other](r.copy())) == expected
    assert assay.confusion_matrix(LAYOUTS[layout](p.astype("f8")),
                                  LAYOUTS[other](r.astype("f8"))) == expected


def test_no_copy_is_made_of_what_can_be_viewed():
    from assay._arrays import pair

    p, r = noise(1), noise(2)
    for a, b in ((p, r), (np.asfortranarray(p), np.asfortranarray(r))):
        seen = pair(a, b)
        assert np.shares_memory(seen[0], a) and np.shares_memory(seen[1], b)


@pytest.mark.parametrize("value", [1, 255, 0.5, np.inf])
def test_foreground_is_anything_above_zero(value):
    p, r = noise(1), noise(2)
    assert assay.confusion_matrix(np.where(p, value, 0), np.where(r, 1, -3)) == counts(p, r)


def test_masks_of_0_and_255_are_masks():
    p, r = noise(1), noise(2)
    of_bytes = [np.where(x, 255, 0).astype(np.uint8) for x in (p, r)]
    for function in (assay.dice_coefficient, assay.average_volume_difference,
                     assay.matthews_correlation_coefficient):
        assert function(*of_bytes) == function(p, r)


BAD = {
    "shapes differ": (lambda x: x[:, :8], ValueError, "same shape"),
    "would broadcast": (lambda x: x[:1], ValueError, "same shape"),
    "a number": (lambda x: 1, ValueError, "same shape"),
    "flattened": (lambda x: x.ravel(), ValueError, "same shape"),
    "objects": (lambda x: x.astype(object), TypeError, "must hold numbers, not object"),
    "text": (lambda x: x.astype(str), TypeError, "must hold numbers"),
    "complex": (lambda x: x.astype(complex), TypeError, "must hold numbers, not complex128"),
    "times": (lambda x: x.astype("M8[s]"), TypeError, "must hold numbers"),
    "80 bits": (lambda x: x.astype(np.longdouble), TypeError, "at most 64 bits"),
    "none": (lambda x: None, TypeError, "must hold numbers"),
    "NaN": (lambda x: np.where(x, np.nan, 0), ValueError, "is NaN"),
    "half NaN": (lambda x: np.where(x, np.nan, 0).astype("f2"), ValueError, "is NaN"),
    "ragged": (lambda x: [[1, 2], [3]], ValueError, "different lengths"),
    "masked": (lambda x: np.ma.masked_array(x, mask=x), ValueError, "masked entries"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_in_a_sentence(name):
    make, error, words = BAD[name]
    good = noise(1)
    for function in (assay.confusion_matrix, assay.dice_coefficient,
                     assay.average_volume_difference, assay.matthews_correlation_coefficient,
                     assay.metrics):
        for arguments in ((make(good), good), (good, make(good))):
            with pytest.raises(error, match=words):
                function(*arguments)


def test_a_huge_array_costs_no_memory_and_no_overflow():
    one = np.ones(1, np.uint8)
    wide = np.lib.stride_tricks.as_strided(one, (1 << 20,), (0,))  # a megavoxel of one byte
    assert assay.confusion_matrix(wide, wide)["tp"] == 1 << 20
    many = np.ones(200_000_000, bool)
    assert assay.confusion_matrix(many, many) == {"tp": 200_000_000, "tn": 0, "fp": 0, "fn": 0}


def test_undefined_values():
    empty, full = np.zeros(8), np.ones(8)
    assert (assay.dice_coefficient(empty, empty) == 1.0
            and assay.dice_coefficient(full, empty) == 0.0)
    assert assay.dice_coefficient(empty, full, smooth=1.0) == 1 / 9
    assert assay.average_volume_difference(empty, empty) == 0.0
    assert assay.average_volume_difference(full, empty) == math.inf
    assert assay.matthews_correlation_coefficient(full, full) == 0.0
    found = assay.metrics(full, empty)
    assert found["avd"] is None and found["mcc"] is None and found["dice"] == 0.0
    assert assay.metrics(np.zeros((0, 3)), np.zeros((0, 3)), spacing=(1, 1))["dice"] == 1.0


def test_metrics_equal_scikit_learn():
    sklearn = pytest.importorskip("sklearn.metrics")
    p, r = noise(1).ravel(), noise(2).ravel()
    found = assay.metrics(p, r, spacing=(2,), beta=2)
    expected = {"dice": sklearn.f1_score(r, p), "iou": sklearn.jaccard_score(r, p),
                "precision": sklearn.precision_score(r, p), "recall": sklearn.recall_score(r, p),
                "accuracy": sklearn.accuracy_score(r, p),
                "balanced_accuracy": sklearn.balanced_accuracy_score(r, p),
                "mcc": sklearn.matthews_corrcoef(r, p), "kappa": sklearn.cohen_kappa_score(r, p),
                "fbeta": sklearn.fbeta_score(r, p, beta=2),
                "dice_macro": sklearn.f1_score(r, p, average="macro")}
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    assert found["volume_prediction_ml"] == pytest.approx(p.sum() * 2 / 1000)
    assert assay.matthews_correlation_coefficient(p, r) == found["mcc"]
    assert (assay.average_volume_difference(p, r) == found["avd"]
            == pytest.approx(abs(p.sum() - r.sum()) / r.sum()))


def test_settings_of_metrics():
    p, r = noise(1).astype(int) * 2, noise(2).astype(int) * 2
    assert list(assay.metrics(p, r, metrics="paper")) == ["dice", "avd", "mcc", "dice_macro"]
    assert list(assay.metrics(p, r, metrics=["iou", "dice"])) == ["iou", "dice"]
    assert assay.metrics(p, r, label=2) == assay.metrics(p, r)
    assert assay.metrics(p, r, label=1, metrics="recall") == {"recall": None}
    with pytest.raises(ValueError, match="did you mean 'dice'"):
        assay.metrics(p, r, metrics="dic")
    with pytest.raises(ValueError, match="convention"):
        assay.metrics(p, r, convention="mine")
    for spacing in ((1, 1), (1, 1, 0), (1, 1, math.nan), (1, 1, 1, 1), 0, -1, math.nan, (2,)):
        with pytest.raises(ValueError, match="positive size in mm for each of the 3 axes"):
            assay.metrics(p, r, spacing=spacing)
    for label in (math.nan, 2**53 + 1):
        with pytest.raises(ValueError, match="label"):
            assay.metrics(p, r, label=label)


@pytest.mark.parametrize("shape", [(40,), (12, 11), (7, 9, 11)])
def test_one_number_is_an_isotropic_spacing(shape):
    p, r = noise(1, shape), noise(2, shape)
    assert assay.metrics(p, r, spacing=2) == assay.metrics(p, r, spacing=(2,) * len(shape))
    assert (assay.metrics(p, r, spacing=np.float32(2), metrics="hd")["hd"]
            == 2 * assay.metrics(p, r, metrics="hd")["hd"])


def test_four_axes_work_with_the_default_spacing():
    p, r = noise(1, (3, 7, 9, 5)), noise(2, (3, 7, 9, 5))
    found = assay.metrics(p, r)
    flat = assay.metrics(p.ravel(), r.ravel(), metrics="overlap")
    assert ({key: found[key] for key in flat} == flat and found["hd"] is None
            and found["lesion_f1"] is None)
    assert assay.metrics(p, r, spacing=(1, 2, 3),
                         metrics="volume_reference_ml")["volume_reference_ml"] == pytest.approx(
                             r.sum() * 6 / 1000)
    assert (assay.metrics(p, r, spacing=2, metrics="volume_reference_ml")["volume_reference_ml"]
            == pytest.approx(r.sum() * 8 / 1000))


def test_scores_of_counts_are_those_of_the_masks():
    p, r = noise(1), noise(2)
    found = assay.scores(**assay.confusion_matrix(p, r))
    assert found == assay.metrics(p, r, metrics="overlap") and list(found)[0] == "dice"
    assert (assay.scores(tp=np.uint8(3), fp=1.0, fn=1, tn=0, metrics=["dice", "recall"])
            == {"dice": 0.75, "recall": 0.75})
    assert assay.scores(tp=0, fp=5, fn=0, tn=9, metrics="avd,mcc") == {"avd": None, "mcc": None}
    assert (assay.scores(tp=0, fp=5, fn=0, tn=9, metrics="avd", convention="spec")
            == {"avd": math.inf})
    assert (assay.scores(tp=100, fp=0, fn=0, tn=0, metrics="volume_reference_ml", voxel_ml=0.5)
            == {"volume_reference_ml": 50})
    assert (assay.scores(tp=6, fp=3, fn=1, tn=0, metrics="fbeta", beta=2)["fbeta"]
            == pytest.approx(5 * 6 / (5 * 6 + 4 * 1 + 3)))
    assert (assay.scores(tp=1, fp=0, fn=0, tn=1, metrics="all")
            == assay.scores(tp=1, fp=0, fn=0, tn=1))


def test_scores_of_many_counts_are_arrays():
    rows = ([assay.confusion_matrix(noise(i), noise(i + 9)) for i in range(4)]
            + [{"tp": 0, "fp": 0, "fn": 0, "tn": 7}])
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    found = assay.scores(**columns)
    for i, row in enumerate(rows):
        one = assay.scores(**row)
        for key, value in one.items():
            assert found[key][i] == value or value is None and math.isnan(found[key][i]), key
    square = assay.scores(tp=np.ones((2, 3), int), fp=0, fn=[1, 2, 3], tn=0, metrics="recall",
                          voxel_ml=[1, 2, 3])["recall"]
    np.testing.assert_allclose(square, [[1 / 2, 1 / 3, 1 / 4]] * 2)
    assert assay.scores(tp=[], fp=[], fn=[], tn=[], metrics="dice")["dice"].shape == (0,)


COUNTS = {
    "boundary": (dict(metrics="hd95"), ValueError,
                 "'hd95' does not follow from counts; assay.metrics"),
    "lesion": (dict(metrics="dice,lesion_f1"), ValueError,
               "'lesion_f1' does not follow from counts"),
    "unknown": (dict(metrics="dic"), ValueError, "did you mean 'dice'"),
    "negative": (dict(fp=-1), ValueError, "fp must be 0 or more"),
    "part": (dict(fn=1.5), TypeError, "fn must be a whole number"),
    "parts": (dict(fn=[1.5, 2]), ValueError, "fn must hold whole numbers"),
    "NaN": (dict(fn=[math.nan]), ValueError, "fn must hold whole numbers"),
    "huge": (dict(tn=2**80), ValueError, "tn must be below"),
    "shapes": (dict(tp=[1, 2], fp=[1, 2, 3]), ValueError, "same shape"),
    "volume": (dict(voxel_ml=0), ValueError, "voxel_ml must be a volume above 0 ml"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_that_are_none_are_refused(name):
    wrong, error, words = COUNTS[name]
    with pytest.raises(error, match=words):
        assay.scores(**{"tp": 1, "fp": 1, "fn": 1, "tn": 1, **wrong})


def test_the_reference_vectors():
    for case in vectors("specification-reference")["metrics_masks"]["cases"]:
        p, r = unpacked(case, "pred"), unpacked(case, "target")
        assert assay.confusion_matrix(p, r) == case["confusion"]
        assert (assay.dice_coefficient(p, r, smooth=1e-6)
                == pytest.approx(case["dice_smooth64"], rel=1e-9))
        assert (assay.average_volume_difference(p, r)
                == pytest.approx(float(case["spec"]["avd"]), rel=1e-6))
        assert (assay.matthews_correlation_coefficient(p, r)
                == pytest.approx(case["mcc64"], abs=1e-12))


def test_tensors_are_viewed():
    torch = pytest.importorskip("torch")
    p, r = noise(1), noise(2)
    for dtype in (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32):
        tensors = [torch.from_numpy(x.copy()).to(dtype) for x in (p, r)]
        assert assay.confusion_matrix(*tensors) == counts(p, r)
        assert (assay.confusion_matrix(tensors[0].transpose(0, 2), r.transpose(2, 1, 0))
                == counts(p, r))
    needs = torch.ones(3, requires_grad=True)
    assert assay.dice_coefficient(needs, needs) == 1.0
    with pytest.raises(RuntimeError, match="pred is on device meta; move it to the CPU first"):
        assay.dice_coefficient(torch.ones(3, device="meta"), torch.ones(3))
    with pytest.raises(TypeError, match="bfloat16"):
        assay.dice_coefficient(torch.ones(3, dtype=torch.bfloat16), torch.ones(3))


def test_work_runs_without_the_interpreter_lock():
    """Another thread's Python goes on while we count: it could not take a single step otherwise."""
    steps, stop = [0], threading.Event()

    def beat():
        while not stop.is_set():
            steps[0] += 1
            stop.wait(0.0005)

    large = np.ones((300, 300, 300), np.float64)
    assay.set_threads(1)
    heart = threading.Thread(target=beat)
    heart.start()
    from assay import _core
    before = steps[0]
    for _ in range(3):
        _core.count(large, large, None)  # one native call: no other Python runs in this thread
    after = steps[0]
    stop.set()
    heart.join()
    assert after - before >= 3


@pytest.fixture(autouse=True)
def all_cores():
    yield
    assay.set_threads(0)


def border_metrics(p, r, spacing):
    """Distances between borders by SciPy."""
    ndimage = pytest.importorskip("scipy.ndimage")
    p, r = (m & ~ndimage.binary_erosion(m) for m in (p, r))
    a = ndimage.distance_transform_edt(~r, sampling=spacing)[p]
    b = ndimage.distance_transform_edt(~p, sampling=spacing)[r]
    both = np.concatenate([a, b])
    return {"hd": both.max(), "hd95": max(np.percentile(a, 95), np.percentile(b, 95)),
            "assd": both.mean(), "nsd": (both <= 2).mean()}


@pytest.mark.parametrize("shape, spacing", [((9, 12, 7), (0.7, 1.5, 3)), ((14, 11), (2, 1))])
@pytest.mark.parametrize("order", ["C", "F"])
def test_boundary_metrics_know_which_axis_has_which_spacing(shape, spacing, order):
    rng = np.random.default_rng(1)
    p, r = (np.asarray(rng.random(shape) < 0.3, order=order) for _ in range(2))
    found = assay.metrics(p, r, spacing=spacing, metrics="boundary", nsd_tolerance=2)
    for key, value in border_metrics(p, r, spacing).items():
        assert found[key] == pytest.approx(value, rel=1e-12), key
    assert (list(assay.metrics(p, r, spacing, metrics="nsd", nsd_tolerance=[1, 2]))
            == ["nsd", "nsd@2mm"])


@pytest.mark.parametrize("seed", range(20))
def test_a_tolerance_of_zero_is_the_share_of_surface_voxels_in_common(seed):
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(seed)
    masks = [rng.random((7, 8, 9)) < rng.uniform(0.1, 0.9) for _ in range(2)]
    p, r = (mask & ~ndimage.binary_erosion(mask) for mask in masks)
    expected = 2 * (p & r).sum() / (p.sum() + r.sum())
    for zero in (0, 0.0, -0.0, [0], np.float32(0)):
        found = assay.metrics(*masks, spacing=rng.uniform(0.5, 3, 3), metrics="nsd",
                              nsd_tolerance=zero)
        assert found == {"nsd": pytest.approx(expected, rel=1e-14)}
    assert assay.metrics(masks[0], masks[0], metrics="nsd,nsd@0mm") == {"nsd": 1, "nsd@0mm": 1}
    assert list(assay.metrics(*masks, metrics="nsd", nsd_tolerance=[1, 0])) == ["nsd", "nsd@0mm"]


def test_every_metric_has_a_value_for_masks_that_overlap():
    p, r = np.zeros((12, 12, 12), np.uint8), np.zeros((12, 12, 12), np.uint8)
    p[2:7, 2:7, 2:7], r[2:7, 2:7, 2:6] = 3, 3
    found = assay.metrics(p, r, label=3)
    assert None not in found.values() and found["lesion_f1"] == 1 and found["hd"] == 1
    assert assay.metrics(p > 0, np.zeros_like(r))["hd"] is None
    assert assay.metrics(np.ones((2, 2, 2, 2)), np.ones((2, 2, 2, 2)),
                         spacing=(1, 1, 1, 1))["hd"] is None


def test_a_tolerance_that_is_none_is_refused():
    for tolerance in (-1, math.nan, math.inf, [], [1, -1]):
        with pytest.raises(ValueError, match="nsd_tolerance"):
            assay.metrics([1, 0], [0, 1], spacing=(1,), nsd_tolerance=tolerance)


# ---------------------------------------------------------------- probabilities and lesions

PROBABILITY = ("auroc", "average_precision", "brier", "ece")


def chances(seed, shape=(12, 11, 10), dtype=np.float32):
    rng = np.random.default_rng(seed)
    reference = rng.random(shape) < 0.2
    return np.clip(rng.normal(0.3 + 0.3 * reference, 0.3), 0, 1).astype(dtype), reference


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("order", "CF")
def test_probabilities_equal_scikit_learn(dtype, order):
    sklearn = pytest.importorskip("sklearn.metrics")
    p, r = chances(1, dtype=dtype)
    found = assay.metrics(np.array(p, order=order), r, metrics="probability")
    flat, truth = p.astype(np.float64).ravel(), r.ravel()
    assert found["auroc"] == pytest.approx(sklearn.roc_auc_score(truth, flat), rel=1e-12)
    assert found["average_precision"] == pytest.approx(
        sklearn.average_precision_score(truth, flat), rel=1e-12)
    assert found["brier"] == pytest.approx(sklearn.brier_score_loss(truth, flat), rel=1e-12)


def test_all_has_probability_metrics_only_of_probabilities():
    p, r = chances(2)
    assert set(PROBABILITY) <= set(assay.metrics(p, r))
    for mask in (p > 0.5, (p > 0.5).astype(np.float32), p * 5 - 2):
        assert not set(PROBABILITY) & set(assay.metrics(mask, r, metrics="all"))
    assert assay.metrics(p > 0.5, r, metrics="auroc") == {"auroc": None}
    with pytest.raises(ValueError, match="not a probability"):
        assay.metrics(p * 5 - 2, r, metrics="auroc")


def test_threshold_makes_the_mask():
    p, r = chances(3, dtype=np.float64)
    assert (assay.metrics(p, r, metrics="dice", threshold=0.45)
            == assay.metrics(p >= 0.45, r, metrics="dice"))
    with pytest.raises(ValueError, match="threshold needs probabilities"):
        assay.metrics(p > 0.5, r, threshold=0.5)
    with pytest.raises(ValueError, match="threshold must be from 0 to 1"):
        assay.metrics(p, r, threshold=1.5)


def test_a_leading_axis_counts_classes():
    rng = np.random.default_rng(4)
    classes = rng.random((4, 9, 8, 7)).astype(np.float32)
    classes /= classes.sum(0)
    r = rng.integers(0, 4, (9, 8, 7))
    for label in (1, 2, 3):
        found = assay.metrics(classes, r, label=label, metrics="dice,auroc")
        assert found["dice"] == assay.metrics(classes.argmax(0), r, label=label,
                                              metrics="dice")["dice"]
        assert found["auroc"] == assay.metrics(np.ascontiguousarray(classes[label]), r == label,
                                               metrics="auroc")["auroc"]
        at = assay.metrics(classes, r, label=label, metrics="recall", threshold=0.3)["recall"]
        assert at == assay.metrics(classes[label] >= np.float64(0.3), r == label,
                                   metrics="recall")["recall"]
    any_of = assay.metrics(classes, r, metrics="auroc")["auroc"]
    assert any_of == assay.metrics(np.minimum(classes[1:].sum(0), 1), r > 0,
                                   metrics="auroc")["auroc"]
    with pytest.raises(ValueError, match="one of the 4 classes"):
        assay.metrics(classes, r, label=4)


def test_lesion_options_are_those_of_the_program():
    p, r = np.zeros((2, 20, 20, 20), np.uint8)
    p[2:5, 2:5, 2:5] = r[2:6, 2:6, 2:6] = 1
    r[6, 6, 6] = 1  # touches by a corner
    p[15, 15, 15] = r[15, 15, 16] = 1
    of = lambda **options: assay.metrics(p, r, metrics="lesion_recall", **options)["lesion_recall"]
    assert of() == 0.5 and of(connectivity=6) == pytest.approx(1 / 3)
    assert (of(min_lesion_ml=0.002) == 1 and of(lesion_rule="brats") == 1
            and of(lesion_rule="iou") == 0)
    for wrong in ({"connectivity": 8}, {"lesion_rule": "some"}, {"min_lesion_ml": -1}):
        with pytest.raises(ValueError):
            of(**wrong)


def test_a_map_is_not_counted_without_a_word():
    p, r = np.array([0, 0.2, 0.9], np.float32), np.array([0, 0, 1], np.uint8)
    with pytest.warns(UserWarning, match="pred is a map, not a mask.*threshold="):
        assert assay.metrics(p, r, metrics="recall")["recall"] == 1
    with pytest.warns(UserWarning, match="ref is a map, not a mask"):
        assay.metrics(r, p.astype(np.float64), metrics="dice")
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assay.metrics(p, r, metrics="probability")
        assay.metrics(p, r, metrics="dice", threshold=0.5)
        assay.metrics(p != 0, r, metrics="dice")
        assay.metrics(p > 0.5, r * 0.7, metrics="dice")  # one value besides 0 is a mask
        assay.metrics(r * 3.0, r, label=3, metrics="dice")


def test_a_slice_has_a_third_axis_and_a_picture_has_none():
    p, r = np.zeros((8, 8), bool), np.zeros((8, 8), bool)
    p[1:6, 1:6] = r[2:7, 1:6] = True
    of = lambda **more: assay.metrics(p, r, metrics="assd", **more)["assd"]
    assert of(spacing=(1, 1)) == of(spacing=(1, 1), convention="monai") == 0.5
    for axis in range(3):
        slices = np.expand_dims(p, axis), np.expand_dims(r, axis)
        for order in ("C", "F"):
            of_slice = lambda **more: assay.metrics(*(np.asarray(x, order=order) for x in slices),
                                                    metrics="assd", **more)["assd"]
            assert of_slice() == 0.5 and of_slice(convention="monai") == of_slice(
                convention="medpy"
            ) == pytest.approx(0.2)


def test_the_convention_says_what_a_lesion_is_unless_the_caller_does():
    p, r = np.zeros((9, 9, 9), np.uint8), np.zeros((9, 9, 9), np.uint8)
    p[2:4, 2, 2] = r[2:6, 2, 2] = 1
    of = lambda **more: assay.metrics(p, r, metrics="lesion_recall,pq", **more)
    assert of() == {"lesion_recall": 1, "pq": 0}
    assert of(lesion_rule="iou") == {"lesion_recall": 0, "pq": 0}
    assert of(convention="panoptica") == {"lesion_recall": 1, "pq": 0.5}
