"""Maps of probabilities, and the formats they come in, from files to results; scikit-learn is the
oracle."""
import gzip, re

import nibabel
import numpy
import pytest

from support import assay, mask, save, score, without_provenance

KEYS = ["auroc", "average_precision", "brier", "ece"]
SHAPE = (11, 9, 7)


def random_case(seed, shape=SHAPE, dtype=numpy.float32):
    """A reference, and a map that knows something of it; ties and zeros are common."""
    rng = numpy.random.default_rng(seed)
    reference = (rng.random(shape) < 0.2).astype(numpy.uint8)
    chance = numpy.clip(rng.normal(0.3 + 0.3 * reference, 0.3), 0, 1).astype(dtype)
    return (numpy.where(rng.random(shape) < 0.3, numpy.round(chance, 1), chance).astype(dtype),
            reference)


def softmax_case(seed, classes=4, shape=SHAPE):
    rng = numpy.random.default_rng(seed)
    reference = rng.integers(0, classes, shape).astype(numpy.uint8)
    logits = (rng.normal(0, 1, (classes, *shape))
              + 1.5 * (numpy.arange(classes)[:, None, None, None] == reference))
    chance = numpy.exp(logits) / numpy.exp(logits).sum(0)
    return chance.astype(numpy.float32), reference


def expected(chance, reference):
    sklearn = pytest.importorskip("sklearn.metrics")
    p, y = chance.ravel().astype(float), (reference > 0).ravel()
    # Bins closed above, as in Guo et al.; the first holds 0.
    edges = numpy.arange(16) / 15
    bins = numpy.clip(numpy.searchsorted(edges, p, side="left") - 1, 0, 14)
    ece = sum(abs(p[bins == b].sum() - y[bins == b].sum()) for b in range(15)) / p.size
    return {"auroc": sklearn.roc_auc_score(y, p),
            "average_precision": sklearn.average_precision_score(y, p),
            "brier": sklearn.brier_score_loss(y, p), "ece": ece}


def of(result, label="foreground", case=0):
    return result["cases"][case]["label"][label]


def pair(folder, chance, reference, name="a"):
    save(folder / f"pred/{name}.nii.gz", chance)
    save(folder / f"ref/{name}.nii.gz", reference)
    return folder / "pred", folder / "ref"


# ---------------------------------------------------------------- metrics

@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
@pytest.mark.parametrize("seed", range(3))
def test_metrics_equal_scikit_learn(tmp_path, seed, dtype):
    chance, reference = random_case(seed, dtype=dtype)
    found = of(score(*pair(tmp_path, chance, reference), "--metrics", "probability"))
    assert ({key: found[key] for key in KEYS}
            == pytest.approx(expected(chance, reference), rel=1e-11))


def test_a_flipped_map_is_walked_like_labels(tmp_path):
    chance, reference = random_case(4)
    flip = numpy.diag([-1.0, 1, 1, 1])
    flip[0, 3] = SHAPE[0] - 1
    save(tmp_path / "p/a.nii", numpy.ascontiguousarray(chance[::-1]), affine=flip)
    save(tmp_path / "r/a.nii", reference)
    found = of(score(tmp_path / "p", tmp_path / "r", "--metrics", "probability"))
    assert found["auroc"] == pytest.approx(expected(chance, reference)["auroc"], rel=1e-11)


def test_the_sweep_counts_values_from_the_threshold_on(tmp_path):
    chance, reference = random_case(5, dtype=numpy.float64)
    result = score(*pair(tmp_path, chance, reference), "--metrics", "paper,probability",
                   "--threshold", "0.4")
    found = of(result)["probability"]
    assert ([at["threshold"] for at in found["thresholds"]]
            == pytest.approx([n / 20 for n in range(1, 20)]))
    for at in found["thresholds"]:
        called = chance >= at["threshold"]
        hits = (called & (reference > 0)).sum()
        assert at["precision"] == pytest.approx(hits / called.sum())
        assert at["recall"] == pytest.approx(hits / (reference > 0).sum())
        assert at["dice"] == pytest.approx(2 * hits / (called.sum() + (reference > 0).sum()))
    best = max(found["thresholds"], key=lambda at: at["dice"])
    assert found["best_threshold"] == best["threshold"] and found["best_dice"] == best["dice"]
    assert of(result)["dice"] == pytest.approx(found["thresholds"][7]["dice"])
    assert sum(b["voxels"] for b in found["calibration"]) == chance.size
    assert result["labels"]["foreground"]["threshold_sweep"]["best_threshold"] == best["threshold"]
    assert result["settings"]["probability"]["ece_bins"] == 15


def test_masks_and_label_maps_have_no_probabilities(tmp_path):
    _, reference = random_case(6)
    for name, voxels in {"mask": reference, "labels": reference * 3.0,
                         "real": reference.astype(numpy.float32)}.items():
        pair(tmp_path, voxels, reference, name)
    result = score(tmp_path / "pred", tmp_path / "ref", "--metrics", "probability")
    for case in result["cases"]:
        assert (case["label"]["foreground"]["undefined"]
                == dict.fromkeys(KEYS, "not_probabilities")), case["id"]
    everything = score(tmp_path / "pred", tmp_path / "ref", "--metrics", "all")
    assert not set(KEYS) & set(everything["metrics"]), "noise"


def test_all_has_them_where_a_prediction_is_a_map(tmp_path):
    chance, reference = random_case(7)
    pair(tmp_path, chance, reference, "map")
    pair(tmp_path, reference, reference, "mask")
    result = score(tmp_path / "pred", tmp_path / "ref", "--metrics", "all", "--threshold", "0.5")
    assert set(KEYS) <= set(result["metrics"])
    assert (result["metrics"]["auroc"]["n"] == 1
            and result["metrics"]["auroc"]["undefined"] == {"not_probabilities": 1})


@pytest.mark.parametrize("value, said",
                         [(1.5, r"is 1.5, which is not a probability"),
                          (-0.25, r"is -0.25, which is not a probability"),
                          (numpy.nan, r"NaN or infinite")])
def test_other_numbers_fail_the_case(tmp_path, value, said):
    chance, reference = random_case(8)
    good, bad = chance, chance.copy()
    bad[3, 2, 1] = value
    pair(tmp_path, good, reference, "good")
    folders = pair(tmp_path, bad, reference, "bad")
    done = assay("score", *folders, "--metrics", "auroc", status=3)
    assert "not scored: bad: prediction bad.nii.gz" in done.stderr and "(3, 2, 1)" in done.stderr
    assert re.search(said, done.stderr)


def test_an_empty_reference_has_no_order_but_an_error(tmp_path):
    chance, reference = random_case(9)
    found = of(score(*pair(tmp_path, chance, reference * 0), "--metrics", "probability"))
    assert found["undefined"] == {"auroc": "reference_empty",
                                  "average_precision": "reference_empty"}
    assert found["brier"] == pytest.approx((chance.astype(float) ** 2).mean())


def test_a_killed_run_resumes_with_the_same_bytes(tmp_path):
    for number in range(3):
        chance, reference = random_case(number)
        folders = pair(tmp_path, chance, reference, f"case{number}")
    command = ["score", *folders, "--metrics", "all", "--threshold", "0.5", "--out"]
    assay(*command, tmp_path / "whole.json")
    assay(*command, tmp_path / "again.json", "--keep-journal")
    (tmp_path / "again.json").unlink()
    journal = tmp_path / "again.json.journal"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]))
    done = assay(*command, tmp_path / "again.json", "--resume")
    assert "2 cases were taken from the journal" in done.stderr
    assert (without_provenance(tmp_path / "whole.json")
            == without_provenance(tmp_path / "again.json"))


# ---------------------------------------------------------------- classes

def classes_nifti(folder, chance):
    return save(folder / "pred/a.nii.gz", numpy.moveaxis(chance, 0, -1))


def classes_nrrd(folder, chance):
    head = (
        "NRRD0004\ntype: float\nendian: little\nencoding: gzip\ndimension: 4\nsizes: "
        + " ".join(map(str, chance.shape))
        + "\nspace: RAS\nspace directions: none (1,0,0) (0,1,0) (0,0,1)\nspace origin: (0,0,0)\n\n"
    )
    path = folder / "pred/a.nrrd"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(head.encode() + gzip.compress(chance.tobytes("F")))
    return path


def classes_npy(folder, chance):
    path = folder / "pred/a.npy"
    path.parent.mkdir(exist_ok=True)
    numpy.save(path, chance)
    return path


def classes_npy_fortran(folder, chance):
    return classes_npy(folder, numpy.asfortranarray(chance))


def classes_nnunet(folder, chance):
    path = folder / "pred/a.npz"
    path.parent.mkdir(exist_ok=True)
    numpy.savez_compressed(path, probabilities=chance.transpose(0, 3, 2, 1))
    return path


def classes_nnunet_1(folder, chance):
    """Version 1 of nnU-Net: another name, half precision, properties beside it."""
    path = folder / "pred/a.npz"
    path.parent.mkdir(exist_ok=True)
    numpy.savez(path, softmax=chance.transpose(0, 3, 2, 1).astype(numpy.float16))
    return path


def classes_scaled(folder, chance):
    """Real numbers stored as integers with a slope."""
    image = nibabel.Nifti1Image(numpy.moveaxis(chance, 0, -1), numpy.eye(4))
    image.set_data_dtype(numpy.int16)
    image.header.set_slope_inter(1 / 1024, 0)
    (folder / "pred").mkdir(exist_ok=True)
    nibabel.save(image, folder / "pred/a.nii")
    return folder / "pred/a.nii"


@pytest.mark.parametrize("writer", [classes_nnunet_1, classes_scaled])
def test_coarse_numbers_are_what_they_are_stored_as(tmp_path, writer):
    chance, reference = softmax_case(6)
    prediction, truth = writer(tmp_path, chance), save(tmp_path / "ref/a.nii.gz", reference)
    stored = (chance.astype(numpy.float16) if writer is classes_nnunet_1
              else numpy.moveaxis(nibabel.load(prediction).get_fdata(), -1, 0))
    found = of(score(prediction, truth, "--labels", "2", "--metrics", "dice,probability"), "2")
    p, r = stored.argmax(0) == 2, reference == 2
    assert found["dice"] == pytest.approx(2 * (p & r).sum() / (p.sum() + r.sum()))
    assert {key: found[key] for key in KEYS} == pytest.approx(expected(stored[2], r), rel=1e-11)


@pytest.mark.parametrize("writer",
                         [classes_nifti, classes_nrrd, classes_npy, classes_npy_fortran,
                          classes_nnunet])
def test_the_likeliest_class_is_the_label(tmp_path, writer):
    chance, reference = softmax_case(1)
    prediction = writer(tmp_path, chance)
    truth = save(tmp_path / "ref/a.nii.gz", reference)
    result = score(prediction, truth, "--labels", "1,2,3", "--region", "any=1,3", "--metrics",
                   "dice,probability")
    likeliest = chance.argmax(0)
    for label in (1, 2, 3):
        found = of(result, str(label))
        p, r = likeliest == label, reference == label
        assert found["dice"] == pytest.approx(2 * (p & r).sum() / (p.sum() + r.sum()))
        assert ({key: found[key] for key in KEYS}
                == pytest.approx(expected(chance[label], r), rel=1e-11))
    both = expected(numpy.minimum(chance[1] + chance[3], 1), numpy.isin(reference, (1, 3)))
    assert {key: of(result, "any")[key] for key in KEYS} == pytest.approx(both, rel=1e-6)


def test_foreground_of_classes_is_any_but_the_first(tmp_path):
    chance, reference = softmax_case(2)
    prediction, truth = classes_nifti(tmp_path, chance), save(tmp_path / "ref/a.nii.gz", reference)
    found = of(score(prediction, truth, "--metrics", "dice,auroc"))
    p, r = chance.argmax(0) > 0, reference > 0
    assert found["dice"] == pytest.approx(2 * (p & r).sum() / (p.sum() + r.sum()))
    found = of(score(prediction, truth, "--metrics", "dice", "--threshold", "0.9"))
    p = chance[1:].sum(0) >= 0.9
    assert found["dice"] == pytest.approx(2 * (p & r).sum() / (p.sum() + r.sum()))


def test_ties_go_to_the_lower_class_and_ignored_voxels_leave(tmp_path):
    chance = numpy.full((3, *SHAPE), 0.25, numpy.float32)
    chance[1] = chance[2] = 0.375
    reference = mask(numpy.s_[0:4], numpy.s_[4:6], shape=SHAPE)
    prediction, truth = classes_nifti(tmp_path, chance), save(tmp_path / "ref/a.nii.gz", reference)
    result = score(prediction, truth, "--labels", "1", "--ignore-label", "2", "--metrics",
                   "recall,precision,brier")
    found = of(result, "1")
    assert (found["recall"] == 1
            and found["evidence"]["tp"] + found["evidence"]["fp"] == (reference != 2).sum())
    r = (reference == 1)[reference != 2]
    assert found["brier"] == pytest.approx(((0.375 - r) ** 2).mean())


def test_classes_must_exclude_each_other_and_be_probabilities(tmp_path):
    chance, reference = softmax_case(3)
    truth = save(tmp_path / "ref/a.nii.gz", reference)
    prediction = classes_nifti(tmp_path, numpy.minimum(chance * 3, 1))
    done = assay("score", prediction, truth, "--region", "any=1,2,3", "--metrics", "auroc",
                 status=2)
    assert "they do not exclude each other" in done.stderr
    prediction = classes_nifti(tmp_path, numpy.log(chance))
    done = assay("score", prediction, truth, "--labels", "1", "--metrics", "dice", status=2)
    assert "which is not a probability" in done.stderr


def test_volumes_of_whole_numbers_are_refused_as_ever(tmp_path):
    chance, reference = softmax_case(3)
    save(tmp_path / "p/a.nii", numpy.moveaxis(chance > 0.5, 0, -1).astype(numpy.uint8))
    done = assay("score", tmp_path / "p/a.nii", save(tmp_path / "r/a.nii", reference), status=2)
    assert "holds 4 volumes (11x9x7x4); assay takes one volume per file" in done.stderr
    save(tmp_path / "p/a.nii", reference)
    done = assay("score", tmp_path / "p/a.nii",
                 save(tmp_path / "r/a.nii", numpy.moveaxis(chance, 0, -1)), status=2)
    assert "reference a.nii: holds 4 volumes" in done.stderr


# ---------------------------------------------------------------- formats

AFFINE = numpy.array([[0, 0, 3.0, -10], [-1, 0, 0, 20], [0, 2, 0, 5], [0, 0, 0, 1]])


def nrrd(path, voxels, affine, encoding="raw"):
    """A NRRD file of a small unsigned volume, in LPS."""
    lps = numpy.diag([-1, -1, 1, 1]) @ affine
    vectors = " ".join("({:g},{:g},{:g})".format(*lps[:3, k]) for k in range(3))
    head = (
        "NRRD0005\ntype: unsigned char\ndimension: 3\nspace: left-posterior-superior\nsizes:"
        f" {' '.join(map(str, voxels.shape))}\nspace directions: {vectors}\nkinds: domain domain"
        f" domain\nencoding: {encoding}\nspace origin: ({{:g}},{{:g}},{{:g}})\n\n".format(
            *lps[:3, 3]
        )
    )
    data = voxels.astype(numpy.uint8).tobytes("F")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.encode() + (gzip.compress(data) if encoding == "gzip" else data))


@pytest.mark.parametrize("encoding", ["raw", "gzip"])
def test_nrrd_lies_where_nifti_does(tmp_path, encoding):
    _, reference = random_case(11)
    _, prediction = random_case(12)
    nrrd(tmp_path / "p/a.nrrd", prediction, AFFINE, encoding)
    save(tmp_path / "q/a.nii", prediction, affine=AFFINE)
    save(tmp_path / "r/a.nii.gz", reference, affine=AFFINE)
    metrics = ("--metrics", "dice,hd95,volume_prediction_ml")
    theirs, ours = (of(score(tmp_path / side, tmp_path / "r", *metrics)) for side in "pq")
    assert (theirs == ours
            and theirs["volume_prediction_ml"] == pytest.approx(prediction.sum() * 6 / 1000))


@pytest.mark.parametrize("order", "CF")
def test_an_array_takes_the_grid_of_the_image(tmp_path, order):
    _, reference = random_case(13)
    _, prediction = random_case(14)
    save(tmp_path / "q/a.nii", prediction, affine=AFFINE)
    save(tmp_path / "r/a.nii.gz", reference, affine=AFFINE)
    (tmp_path / "p").mkdir()
    numpy.save(tmp_path / "p/a.npy", numpy.array(prediction.astype(">i4"), order=order))
    numpy.save(tmp_path / "s.npy", numpy.array(reference, order=order))
    metrics = ("--metrics", "dice,hd95,lesion_f1,volume_prediction_ml")
    result = score(tmp_path / "p", tmp_path / "r", *metrics)
    ours = of(score(tmp_path / "q", tmp_path / "r", *metrics))
    assert of(result) == ours
    assert (result["cases"][0]["warnings"]
            == ["the prediction has no position in space; it was compared by shape alone"])
    reference_array = score(tmp_path / "q/a.nii", tmp_path / "s.npy", *metrics)
    assert (of(reference_array)["hd95"] == pytest.approx(ours["hd95"])
            and of(reference_array)["dice"] == ours["dice"])
    alone = score(tmp_path / "p/a.npy", tmp_path / "s.npy", *metrics)
    assert of(alone)["dice"] == ours["dice"] and of(alone)["evidence"]["voxel_ml"] == 0
    assert of(alone)["undefined"] == {"volume_prediction_ml": "no_voxel_size"}
    assert alone["settings"]["unit"] == "px"
    numpy.save(tmp_path / "p/a.npy", prediction[:-1])
    done = assay("score", tmp_path / "p", tmp_path / "r", status=2)
    assert ("different shapes" in done.stderr
            and "10x9x7 voxels without a position in space"
                in done.stderr.replace("7x9x10", "10x9x7"))


def test_arrays_beside_the_images_of_nnunet_are_passed_over(tmp_path):
    chance, reference = softmax_case(5)
    save(tmp_path / "pred/a.nii.gz", chance.argmax(0).astype(numpy.uint8))
    classes_nnunet(tmp_path, chance)
    save(tmp_path / "ref/a.nii.gz", reference)
    result = score(tmp_path / "pred", tmp_path / "ref", "--labels", "1", "--metrics", "dice")
    assert result["cases"][0]["prediction"] == "a.nii.gz" and result["ledger"]["expected"] == 1
    result = score(tmp_path / "pred", tmp_path / "ref", "--labels", "1", "--metrics", "dice,auroc",
                   "--pred-pattern", "{id}.npz")
    assert result["cases"][0]["prediction"] == "a.npz" and of(result, "1")["auroc"] > 0.5


def test_objects_are_never_unpickled(tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.array([[{}]], dtype=object), allow_pickle=True)
    save(tmp_path / "r/a.nii", mask(numpy.s_[:1]))
    done = assay("score", tmp_path / "a.npy", tmp_path / "r/a.nii", status=2)
    assert "holds Python objects, which assay never unpickles" in done.stderr
