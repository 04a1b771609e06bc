"""Boundary metrics against SciPy, published values, and themselves."""
import math

import nibabel
import numpy
import pytest

import shapes
from support import (assay, mask, random_mask, real_data, save, score, strict, vectors,
                     without_provenance)

KEYS = ("hd", "hd95", "hd50", "assd", "masd", "nsd", "boundary_iou")


def blobs(seed, shape, wide=2.0, share=0.2):
    noise = shapes.ndimage.gaussian_filter(numpy.random.default_rng(seed).random(shape), wide)
    return noise >= numpy.quantile(noise, 1 - share)


def pairs():
    """Random masks of many kinds: blobs, noise, single voxels, full images; even and uneven
    voxels."""
    rng = numpy.random.default_rng(5)
    spacings = [(1, 1, 1), (0.5, 0.5, 3), (0.85, 1.2, 0.9), (2, 1, 4)]
    for n in range(40):
        shape = tuple(rng.integers(3, 40, 3))
        p, r = (blobs(2 * n + k, shape, 1 + n % 3, 0.02 + 0.1 * (n % 4)) for k in (0, 1))
        if n % 5 == 1:
            p = random_mask(n, shape, 0.02) > 0
        if n % 7 == 2:
            r = numpy.zeros(shape, bool)
            r[tuple(rng.integers(0, shape))] = True
        if n % 9 == 3:
            p = numpy.ones(shape, bool)
        if p.any() and r.any():
            yield f"case{n:02}", p, r, as_stored(spacings[n % 4])
    for n, spacing in enumerate([(1, 1, 1), (0.6, 0.6, 3), (0.7, 1.1, 0.9)]):
        yield f"far{n}", *far_apart(n), as_stored(spacing)
        yield f"nested{n}", *nested(n), as_stored(spacing)


def as_stored(spacing):
    return [float(numpy.float32(x)) for x in spacing]  # as NIfTI stores them


def far_apart(n):
    """Two lumps at the ends of a volume: so far that every search is given up."""
    p = numpy.zeros((96, 80 + n, 64), bool)
    r = p.copy()
    p[:40, :40, :30] = blobs(100 + n, (40, 40, 30), 3, 0.4)
    r[60:, 45:, 36:] = blobs(200 + n, r[60:, 45:, 36:].shape, 2, 0.3)
    return p, r


def nested(n):
    """One ball in another, not around the same point."""
    grid = numpy.indices((90, 84, 78 + n))
    return [sum((axis - c) ** 2 for axis, c in zip(grid, centre)) <= radius**2
            for centre, radius in (((44, 41, 38), 37), ((40 + n, 43, 35), 12))]


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    folder = tmp_path_factory.mktemp("boundary")
    cases = {}
    for name, p, r, spacing in pairs():
        affine = numpy.diag([*spacing, 1.0])
        save(folder / f"pred/{name}.nii.gz", p, affine)
        save(folder / f"ref/{name}.nii.gz", r, affine)
        cases[name] = p, r, spacing
    return folder, cases


def scored(cohort, *options):
    folder, _ = cohort
    result = score(folder / "pred", folder / "ref", *options)
    return {case["id"]: case["label"]["foreground"] for case in result["cases"]}


def expect(found, expected, name):
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-12, abs=1e-12), (name, key)


def test_border_voxels_equal_scipy(cohort):
    found = scored(cohort, "--metrics", ",".join(KEYS))
    for name, (p, r, spacing) in cohort[1].items():
        expect(found[name], shapes.boundary_metrics(p, r, spacing), name)


def test_background_is_a_label_like_others(tmp_path):
    shape = 40, 33, 21
    halves = 1 + (numpy.indices(shape)[0] > 20)
    p, r = ((blobs(300 + k, shape, 2, 0.3) * halves).astype(numpy.uint8) for k in (0, 1))
    save(tmp_path / "pred/a.nii.gz", p)
    save(tmp_path / "ref/a.nii.gz", r)
    found = score(tmp_path / "pred", tmp_path / "ref", "--labels", "0,1", "--region", "most=0,2",
                  "--metrics", ",".join(KEYS))
    for key, members in (("0", [0]), ("1", [1]), ("most", [0, 2])):
        expected = shapes.boundary_metrics(numpy.isin(p, members), numpy.isin(r, members),
                                           (1, 1, 1))
        expect(found["cases"][0]["label"][key], expected, key)


@pytest.mark.parametrize("convention, keys",
                         [("medpy", ["hd95"]), ("panoptica", ["hd95", "assd", "nsd"])])
def test_pooled_conventions_equal_scipy(cohort, convention, keys):
    found = scored(cohort, "--metrics", "boundary", "--convention", convention)
    for name, (p, r, spacing) in cohort[1].items():
        expected = shapes.pooled_metrics(p, r, spacing)
        expect(found[name], {key: expected[key] for key in keys}, name)


@pytest.mark.parametrize("convention", ["deepmind", "brats2023"])
def test_surfels_equal_the_method_of_surface_distance(cohort, convention):
    found = scored(cohort, "--metrics", "boundary", "--convention", convention, "--nsd-tolerance",
                   "2")
    for name, (p, r, spacing) in cohort[1].items():
        expected = shapes.surfel_metrics(p, r, spacing, 2)
        for key, value in expected.items():
            assert found[name][key] == pytest.approx(value, rel=1e-9), (name, key)


def test_faces_equal_distances_on_a_grid_of_sixths(tmp_path):
    rng = numpy.random.default_rng(8)
    cases = {}
    for n, spacing in enumerate([(1, 1, 1), (0.5, 0.5, 3), (0.7, 1.1, 0.9), (2, 1, 4)]):
        shape = tuple(rng.integers(8, 22, 3))
        cases[f"blobs{n}"] = (blobs(300 + n, shape, 1.5), blobs(400 + n, shape, 1.2, 0.1),
                              as_stored(spacing))
        p, r = numpy.zeros((26, 9, 8), bool), numpy.zeros((26, 9, 8), bool)
        p[:3, :4, 2:], r[23:, 5:, :5] = True, blobs(500 + n, (3, 4, 5), 0.5, 0.5)
        cases[f"far{n}"] = (p.transpose(n % 3, (n + 1) % 3, (n + 2) % 3),
                            r.transpose(n % 3, (n + 1) % 3, (n + 2) % 3), as_stored(spacing))
    for name, (p, r, spacing) in cases.items():
        for side, voxels in (("pred", p), ("ref", r)):
            save(tmp_path / f"{side}/{name}.nii.gz", voxels, numpy.diag([*spacing, 1.0]))
    result = score(tmp_path / "pred", tmp_path / "ref", "--metrics", "hd,hd95,assd,nsd",
                   "--convention", "faces", "--nsd-tolerance", "2.05")
    found = {case["id"]: case["label"]["foreground"] for case in result["cases"]}
    for name, (p, r, spacing) in cases.items():
        for key, value in shapes.face_metrics(p, r, spacing, 2.05).items():
            assert found[name][key] == pytest.approx(value, rel=1e-9), (name, key)


def test_tolerances_and_percentiles_have_keys_of_their_own(cohort):
    folder, cases = cohort
    result = score(folder / "pred", folder / "ref", "--metrics", "nsd,hd99,hd97.5",
                   "--nsd-tolerance", "1,2,0.5")
    assert list(result["metrics"]) == ["nsd", "nsd@2mm", "nsd@0.5mm", "hd99", "hd97.5"]
    assert result["settings"]["nsd_tolerance_mm"] == 1
    name, (p, r, spacing) = next(iter(cases.items()))
    found = {c["id"]: c["label"]["foreground"] for c in result["cases"]}[name]
    a, b = shapes.border_distances(p, r, spacing)
    assert found["nsd@2mm"] == pytest.approx(shapes.boundary_metrics(p, r, spacing, 2)["nsd"])
    assert found["hd97.5"] == pytest.approx(max(
        numpy.percentile(a, 97.5), numpy.percentile(b, 97.5)))


def test_a_tolerance_of_zero_is_the_share_of_surface_voxels_in_common(cohort, tmp_path):
    folder, cases = cohort
    out = ("--metrics", "nsd,boundary_iou", "--nsd-tolerance", "0,1", "--out", tmp_path / "r.json")
    result = score(folder / "pred", folder / "ref", *out)
    assert (list(result["metrics"]) == ["nsd", "nsd@1mm", "boundary_iou"]
            and result["settings"]["nsd_tolerance_mm"] == 0)
    for case in result["cases"]:
        p, r, spacing = cases[case["id"]]
        a, b = shapes.border_distances(p, r, spacing)
        found = case["label"]["foreground"]
        assert found["nsd"] == pytest.approx(((a == 0).sum() + (b == 0).sum()) / (a.size + b.size),
                                             rel=1e-14)
        # as Dice follows from IoU
        assert found["nsd"] == pytest.approx(2 * found["boundary_iou"] / (
            1 + found["boundary_iou"]))
    for convention in ("metrics-reloaded", "deepmind", "faces", "panoptica"):
        same = score(folder / "ref", folder / "ref", *out[:4], "--convention", convention)
        assert same["metrics"]["nsd"]["min"] == 1, convention


def test_any_number_of_jobs_and_any_resumption_gives_the_same_bytes(cohort, tmp_path):
    folder, _ = cohort
    options = ["--metrics", "all", "--labels", "all"]
    for name, extra in (("one", ["--jobs", "1"]), ("two", ["--jobs", "2"])):
        assay("score", folder / "pred", folder / "ref", *options, *extra, "--keep-journal", "--out",
              tmp_path / f"{name}.json")
    assert without_provenance(tmp_path / "one.json") == without_provenance(tmp_path / "two.json")
    journal = tmp_path / "one.json.journal"
    lines = journal.read_text().splitlines(True)
    journal.write_text("".join(lines[: len(lines) // 2]))
    (tmp_path / "one.json").unlink()
    done = assay("score", folder / "pred", folder / "ref", *options, "--resume", "--out",
                 tmp_path / "one.json")
    assert "were taken from the journal" in done.stderr
    assert without_provenance(tmp_path / "one.json") == without_provenance(tmp_path / "two.json")


def test_labels_regions_and_the_ignored_label(tmp_path):
    rng = numpy.random.default_rng(3)
    p, r = (rng.integers(0, 4, (12, 11, 10)) for _ in range(2))
    save(tmp_path / "p.nii.gz", p, dtype=numpy.uint8)
    save(tmp_path / "r.nii.gz", r, dtype=numpy.uint8)
    result = score(tmp_path / "p.nii.gz", tmp_path / "r.nii.gz", "--labels", "1,2", "--region",
                   "both=1,2", "--ignore-label", "3", "--metrics", "boundary")
    known = r != 3
    for key, members in (("1", [1]), ("2", [2]), ("both", [1, 2])):
        expected = shapes.boundary_metrics(numpy.isin(p, members) & known,
                                           numpy.isin(r, members) & known, (1, 1, 1))
        expected.pop("hd50")
        expect(result["cases"][0]["label"][key], expected, key)


def test_a_flat_image_is_a_plane(tmp_path):
    p, r = mask(numpy.s_[6:8, 6:8], shape=(14, 14, 1)), mask(numpy.s_[5:9, 5:9], shape=(14, 14, 1))
    save(tmp_path / "p.nii.gz", p), save(tmp_path / "r.nii.gz", r)
    found = score(tmp_path / "p.nii.gz", tmp_path / "r.nii.gz", "--metrics",
                  "boundary")["cases"][0]["label"]["foreground"]
    expected = shapes.boundary_metrics(p[..., 0] > 0, r[..., 0] > 0, (1, 1))
    expected.pop("hd50")
    expect(found, expected, "flat")
    # as Metrics Reloaded's own test has it
    assert found["nsd"] == 0.75 and found["assd"] == pytest.approx(1.1, abs=0.01)


# ---------------------------------------------------------------- empty masks

@pytest.fixture
def with_empties(tmp_path):
    box, none = mask(numpy.s_[2:6, 2:6, 2:6]), mask()
    for name, p, r in (("both", none, none), ("found", box, box), ("missed", none, box),
                       ("ghost", box, none)):
        save(tmp_path / f"pred/{name}.nii.gz", p), save(tmp_path / f"ref/{name}.nii.gz", r)
    save(tmp_path / "ref/lost.nii.gz", box)
    return tmp_path / "pred", tmp_path / "ref"


def test_a_missed_lesion_is_counted_and_never_dropped_in_silence(with_empties):
    result = score(*with_empties, "--metrics", "hd95,nsd", status=3)
    found = {c["id"]: c["label"].get("foreground", {}) for c in result["cases"]}
    assert (found["missed"]["hd95"] is None
            and found["missed"]["undefined"] == {"hd95": "prediction_empty"})
    assert found["ghost"]["undefined"] == {"hd95": "reference_empty"}
    assert (found["both"]["hd95"], found["both"]["nsd"]) == (0, 1)
    assert (found["missed"]["nsd"], found["ghost"]["nsd"]) == (0, 0)
    block = result["metrics"]["hd95"]
    assert block["undefined"] == {"reference_empty": 1, "prediction_empty": 1} and block["n"] == 2
    diagonal = math.sqrt(10**2 + 9**2 + 8**2)
    assert block["mean_scored_only"] == 0
    assert block["mean_missing_as_worst"] == pytest.approx(3 * diagonal / 5)
    assert (result["labels"]["foreground"]["status"]
            == {"ok": 1, "reference_empty": 1, "prediction_empty": 1, "both_empty": 1})


def test_worst_is_the_diagonal_of_the_image(with_empties):
    result = score(*with_empties, "--metrics", "hd95,assd,nsd", "--missing", "worst", status=3)
    diagonal = math.sqrt(10**2 + 9**2 + 8**2)
    found = {c["id"]: c["label"]["foreground"] for c in result["cases"]}
    for name in ("missed", "ghost", "lost"):
        assert found[name]["hd95"] == pytest.approx(diagonal), name
        assert found[name]["nsd"] == 0
    assert result["metrics"]["assd"]["mean"] == pytest.approx(3 * diagonal / 5)
    assert result["settings"]["distance_to_an_empty_mask"] == "the image's diagonal"


def test_conventions_settle_empty_masks_as_their_tools_do(with_empties):
    def of(convention, key):
        cases = score(*with_empties, "--metrics", key, "--convention", convention,
                      status=3)["cases"]
        return {c["id"]: c["label"]["foreground"][key] for c in cases if c["label"]}
    assert of("brats2023", "hd95") == {"both": 0, "found": 0, "missed": 374, "ghost": 374}
    assert of("monai", "hd95") == {"both": None, "found": 0, "missed": None, "ghost": None}
    assert of("faces", "hd") == {"both": 0, "found": 0, "missed": None, "ghost": None}
    assert of("deepmind", "nsd") == {"both": None, "found": 1, "missed": 0, "ghost": 0}


# ---------------------------------------------------------------- published values

def array_of(what, spacing):
    """A mask as the vectors describe it."""
    if isinstance(what, list):
        return numpy.array(what, numpy.uint8)
    if "zeros" in what:
        return numpy.zeros(what["zeros"], numpy.uint8)
    if "sphere" in what:
        s = what["sphere"]
        axes = numpy.indices(s["shape"]) * numpy.reshape(s["spacing"], (3, 1, 1, 1))
        return (((axes - numpy.reshape(s["centre"], (3, 1, 1, 1))) ** 2).sum(0)
                <= s["radius"] ** 2).astype(numpy.uint8)
    out = numpy.zeros((what.get("boxes") or what)["shape"], numpy.uint8)
    for box in what.get("boxes", {}).get("set_half_open", []):
        out[tuple(slice(*limits) for limits in box)] = 1
    for point in what.get("points", []):
        out[tuple(point)] = 1
    return out


# What a vector calls a value, and where it stands here.
NAMES = {"monai": {"symmetric": "hd", "assd_pooled": "assd"},
         "gdm": {"hd100": "hd", "hd95": "hd95", "surface_dice_1mm": "nsd"},
         "mr": {"hd": "hd", "masd": "masd", "assd": "assd", "nsd_tau1": "nsd",
                "hd95_max_of_directed": "hd95", "hd95": "hd95", "nsd": "nsd",
                "biou": "boundary_iou"}, "pan": {"assd(masd)": "assd", "hd": "hd", "hd95": "hd95"},
         "medpy": {"assd": "assd"}}
CONVENTIONS = {"monai": "monai", "gdm": "deepmind", "mr": "metrics-reloaded", "pan": "panoptica",
               "medpy": "medpy"}


def test_values_that_other_projects_assert(tmp_path):
    compared = 0
    for case in vectors("segmentation-cases")["cases"]:
        source, given = case["id"].split("_")[0], case["input"]
        spacing = given.get("spacing") or [1] * 3
        affine = numpy.diag([*spacing, 1, 1][:3] + [1.0])
        for side in ("pred", "ref"):
            # of two axes where they had two: a third would change some conventions
            voxels = array_of(given[side], spacing)
            save(tmp_path / f"{side}.nii.gz",
                 voxels.reshape(voxels.shape + (1,) * (2 - voxels.ndim)), affine)
        expected = {**case["expected"], **case["expected"].pop("hausdorff", {})}
        if given.get("percentile") == 95:
            expected["hd95"] = expected.pop("symmetric")
        found = score(tmp_path / "pred.nii.gz", tmp_path / "ref.nii.gz", "--metrics", "boundary",
                      "--convention", CONVENTIONS[source])["cases"][0]["label"]["foreground"]
        for name, value in expected.items():
            key = "hd95" if name == "hd95" else NAMES[source].get(name)
            if key is None:
                continue
            compared += 1
            if isinstance(value, str):  # inf or nan: no number in JSON
                assert found[key] is None, (case["id"], name)
            else:
                assert found[key] == pytest.approx(value,
                                                   abs=max(case["tol"], 1e-6)), (case["id"], name)
    assert compared >= 25


def test_faces_give_the_published_distances_of_meshmetrics():
    folder = real_data("segmentation-pairs/meshmetrics")

    def of(dimensions):
        names = [folder / f"example_{dimensions}d_{side}_mask.nii.gz" for side in ("pred", "ref")]
        result = score(*names, "--metrics", "boundary", "--convention", "faces", "--nsd-tolerance",
                       "2")
        return result["cases"][0]["label"]["foreground"]
    space = of(3)
    assert space["hd"] == 15.107025591499546 and space["hd95"] == 15.0 and space["nsd"] == 0
    assert space["masd"] == pytest.approx(14.386058222743, abs=1e-12)
    assert space["assd"] == pytest.approx(14.40236798890874, abs=1e-12)
    plane = of(2)
    for key, value in {"hd": 15.016326357908575, "hd95": 15.0, "masd": 14.879690888036235,
                       "assd": 14.88043697479464}.items():
        assert plane[key] == pytest.approx(value, abs=1e-5)


def test_real_pairs_equal_scipy():
    folder = real_data("segmentation-pairs/panoptica_spine")
    sides = [folder / f"semantic_{side}.nii.gz" for side in ("pred", "ref")]
    result = score(*sides, "--labels", "all", "--metrics", "hd,hd95,assd,masd,nsd")
    images = [nibabel.load(side) for side in sides]
    p, r = (numpy.asarray(image.dataobj) for image in images)
    spacing = nibabel.affines.voxel_sizes(images[1].affine)
    compared = 0
    for label, found in result["cases"][0]["label"].items():
        mine, theirs = p == int(label), r == int(label)
        if found["status"] != "ok":
            continue
        compared += 1
        expected = shapes.boundary_metrics(mine, theirs, spacing)
        for key in ("hd", "hd95", "assd", "masd", "nsd"):
            assert found[key] == pytest.approx(expected[key], rel=1e-9), (label, key)
    assert compared >= 2


# ---------------------------------------------------------------- what people see

def test_the_convention_and_the_unit_stand_above_and_in_the_table(cohort):
    folder, _ = cohort
    out = assay("score", folder / "pred", folder / "ref", "--metrics", "dice,boundary",
                "--convention", "faces").stdout
    assert "convention faces" in out and "hd95 (mm)" in out


@pytest.mark.parametrize("options, words",
                         [
                             (["--nsd-tolerance", "-1"],
                              "--nsd-tolerance takes numbers of 0 or more"),
                             (["--nsd-tolerance", "1,x"], "'x' is not a number"),
                             (["--metrics", "hd101"], "there is no metric 'hd101'"),
                             (["--min-lesion-ml", "-1"], "--min-lesion-ml"),
                             (["--connectivity", "8"], "--connectivity"),
                             (["--lesion-rule", "most"], "--lesion-rule"),
                             (["--convention", "deepmnd"], "did you mean 'deepmind'")])
def test_what_cannot_be_is_refused(cohort, options, words):
    folder, _ = cohort
    assert words in assay("score", folder / "pred", folder / "ref", *options, status=2).stderr


def test_metrics_of_counts_alone_gather_no_surfaces(cohort, tmp_path):
    folder, _ = cohort
    assay("score", folder / "pred", folder / "ref", "--metrics", "paper", "--keep-journal", "--out",
          tmp_path / "r.json")
    journal = (tmp_path / "r.json.journal").read_text()
    assert '"boundary"' not in journal and '"lesions"' not in journal
    assert "nsd_tolerance_mm" not in strict((tmp_path / "r.json").read_text())["settings"]
