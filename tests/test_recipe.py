"""assay recipe: prepared images against SciPy, nibabel and NumPy, and files that are wrong."""
import json, re

import nibabel
import nibabel.processing
import numpy
import pytest
from scipy import ndimage

from support import ROOT, assay, real_data, save, strict

ROTATED = numpy.array([[0.8, -0.6, 0, 5], [0.6, 0.8, 0, -3], [0, 0, 1, 7], [0, 0, 0, 1]])


def recipe(path, **keys):
    path.write_text(json.dumps(keys))
    return path


def image(folder, shape, spacing, dtype="f4", seed=0, affine=None):
    voxels = numpy.random.default_rng(seed).integers(0, 1000, shape)
    voxels = (voxels / 7).astype(dtype) if dtype == "f4" else (voxels % 5).astype(dtype)
    affine = numpy.diag([*spacing, 1.0]) if affine is None else affine @ numpy.diag([*spacing, 1.0])
    return save(folder / "image.nii.gz", voxels, affine)


def apply(folder, name, path, *options):
    out = folder / "prepared.nii.gz"
    result = strict(assay("recipe", "apply", name, path, "--out", out, "--json", *options).stdout)
    found = nibabel.load(out)
    assert result["model"]["shape"] == list(found.shape)
    numpy.testing.assert_allclose(found.affine[:3], result["model"]["affine"], rtol=1e-6, atol=1e-4)
    return numpy.asarray(found.dataobj), found.affine


def crop_or_pad(voxels, shape):
    """Centred; what is left over when a difference is halved is cut, or added, at the end."""
    for axis, (have, want) in enumerate(zip(voxels.shape, shape)):
        if have > want:
            voxels = numpy.take(voxels, range((have - want) // 2, (have - want) // 2 + want), axis)
        else:
            before = (want - have) // 2
            pads = [(0, 0)] * 3
            pads[axis] = (before, want - have - before)
            voxels = numpy.pad(voxels, pads)
    return voxels


ZOOMS = [
    ((9, 8, 7), (1, 1, 1)),
    ((9, 8, 7), (1, 1, 3)),
    ((9, 8, 7), (0.5, 0.7, 5)),
    ((5, 5, 5), (0.5, 0.5, 0.5)),
    ((1, 8, 7), (4, 1.3, 0.9)),
    ((9, 1, 1), (2.2, 6, 0.6)),
    ((20, 3, 4), (0.05, 1, 1)),
    ((11, 13, 17), (0.9, 1.1, 2.3)),
    # (m - 1) ((n - 1) / (m - 1)) is more than n - 1: SciPy finds nothing there.
    ((4, 4, 4), (47, 1, 1)),
]


@pytest.mark.parametrize("shape,spacing", ZOOMS)
def test_zoom_has_the_bits_of_scipy(tmp_path, shape, spacing):
    path = image(tmp_path, shape, spacing)
    found, _ = apply(tmp_path, recipe(tmp_path / "r.json", grid="zoom"), path)
    stored = nibabel.load(path)
    factors = numpy.sqrt((stored.affine[:3, :3] ** 2).sum(0)).tolist()
    expected = ndimage.zoom(numpy.asarray(stored.dataobj), factors, order=1)
    assert found.dtype == numpy.float32
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("shape,spacing", ZOOMS)
def test_zoom_of_labels_is_scipys(tmp_path, shape, spacing):
    path = image(tmp_path, shape, spacing, "u1")
    found, _ = apply(tmp_path, recipe(tmp_path / "r.json", grid="zoom"), path, "--labels")
    stored = nibabel.load(path)
    factors = numpy.sqrt((stored.affine[:3, :3] ** 2).sum(0)).tolist()
    expected = ndimage.zoom(numpy.asarray(stored.dataobj).astype("f4"), factors, order=0)
    assert found.dtype == numpy.uint8
    assert numpy.array_equal(found, expected)


def test_scipy_really_loses_the_last_voxel():
    """What the last row of ZOOMS is for."""
    assert ndimage.zoom(numpy.ones(4, "f4"), 47, order=1)[-1] == 0


@pytest.mark.parametrize("shape", [(12, 12, 12), (9, 7, 20), (3, 4, 5), (8, 9, 8)])
def test_crop_and_padding_are_centred(tmp_path, shape):
    path = image(tmp_path, (9, 8, 7), (1, 1, 2))
    found, _ = apply(tmp_path, recipe(tmp_path / "r.json", grid="zoom", shape=shape), path)
    expected = crop_or_pad(ndimage.zoom(numpy.asarray(nibabel.load(path).dataobj), (1, 1, 2),
                                        order=1), shape)
    assert found.tobytes() == expected.tobytes()


def test_arc_meshchop_as_its_training_prepared_images(tmp_path):
    """PSL on disk: canonical, zoomed, padded, then scaled."""
    affine = numpy.array([[0, 0, -1.2, 60], [-0.9, 0, 0, 50], [0, 3, 0, -40], [0, 0, 0, 1]])
    path = image(tmp_path, (100, 30, 90), (1, 1, 1), affine=affine)
    stored = nibabel.as_closest_canonical(nibabel.load(path))
    spacing = numpy.sqrt((stored.affine[:3, :3] ** 2).sum(0)).tolist()
    expected = crop_or_pad(ndimage.zoom(numpy.asarray(stored.dataobj), spacing, order=1),
                           (256, 256, 256))
    expected = (expected - expected.min()) / (expected.max() - expected.min())
    found, grid = apply(tmp_path, "arc-meshchop", path)
    assert "".join(nibabel.aff2axcodes(grid)) == "RAS"
    assert found.tobytes() == expected.astype("f4").tobytes()


AFFINES = {"axial": numpy.eye(4), "rotated": ROTATED,
           "stored otherwise": numpy.array([[0, 0, -1, 9], [-1, 0, 0, 4], [0, 1, 0, -2],
                                            [0, 0, 0, 1.0]])}


def off_the_border(from_affine, to_affine, from_shape, to_shape):
    """Voxels whose place in the source rounding cannot carry across its edge, nor to another
    nearest voxel."""
    index = numpy.stack(numpy.meshgrid(*map(numpy.arange, to_shape), indexing="ij"), -1)
    place = nibabel.affines.apply_affine(numpy.linalg.inv(from_affine) @ to_affine, index)
    last = numpy.array(from_shape) - 1
    edge = numpy.minimum(numpy.abs(place), numpy.abs(place - last)) > 1e-3
    tie = numpy.abs(place - numpy.floor(place) - 0.5) > 1e-3
    return edge.all(-1), (edge & tie).all(-1)


@pytest.mark.parametrize("name", AFFINES)
@pytest.mark.parametrize("spacing", [(1, 1, 1), (0.8, 1.1, 2.7), (2, 2, 2)])
@pytest.mark.parametrize("letters", ["RAS", "LIA"])
def test_field_of_view_is_nibabels_conform(tmp_path, name, spacing, letters):
    keys = dict(grid="field_of_view", orientation=letters, shape=(20, 21, 22))
    path = image(tmp_path, (13, 12, 9), spacing, affine=AFFINES[name])
    stored = nibabel.load(path)
    expected = nibabel.processing.conform(stored, (20, 21, 22), (1, 1, 1), order=1,
                                          orientation=letters)
    found, grid = apply(tmp_path, recipe(tmp_path / "r.json", **keys), path)
    numpy.testing.assert_allclose(grid, expected.affine, atol=1e-4)
    clear, nearest = off_the_border(stored.affine, expected.affine, stored.shape, expected.shape)
    assert clear.sum() > 500
    numpy.testing.assert_allclose(found[clear], expected.get_fdata()[clear], rtol=0, atol=2e-4)

    labels = image(tmp_path, (13, 12, 9), spacing, "u1", affine=AFFINES[name])
    found, _ = apply(tmp_path, recipe(tmp_path / "r.json", **keys), labels, "--labels")
    expected = nibabel.processing.resample_from_to(nibabel.load(labels), expected, order=0)
    assert numpy.array_equal(found[nearest], numpy.asarray(expected.dataobj)[nearest])


def conformed_bytes(voxels, upper=0.98):
    """What mri_convert and FastSurfer do to values before they resample."""
    low, high = float(voxels.min()), float(voxels.max())
    counts = numpy.histogram(voxels.astype("f8"), 1000, (low, high))[0]
    left_out = int((1 - upper) * numpy.count_nonzero(numpy.abs(voxels) >= 1e-15))
    first = numpy.argmax(numpy.cumsum(counts) >= voxels.size - left_out)
    width = (high - low) / 1000
    return numpy.clip((voxels - low) * 255 / (max(first - 1, 0) * width), 0, 255)


@pytest.mark.parametrize("name", AFFINES)
def test_brainchop_is_a_conformed_image(tmp_path, name):
    path = image(tmp_path, (60, 50, 40), (1.1, 0.9, 1.3), affine=AFFINES[name])
    stored = nibabel.load(path)
    grid = numpy.array([[-1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1.0]])
    grid[:3, 3] = (stored.affine @ [30, 25, 20, 1])[:3] - grid[:3, :3] @ [128, 128, 128]
    scaled = nibabel.Nifti1Image(conformed_bytes(numpy.asarray(stored.dataobj)).astype("f4"),
                                 stored.affine)
    expected = nibabel.processing.resample_from_to(
        scaled, ((256, 256, 256), grid), order=1).get_fdata()
    clear, _ = off_the_border(stored.affine, grid, stored.shape, (256, 256, 256))
    found, affine = apply(tmp_path, "brainchop", path)
    numpy.testing.assert_allclose(affine, grid, atol=1e-4)
    halves = numpy.abs(expected - numpy.floor(expected) - 0.5) < 1e-3
    where = clear & ~halves
    assert numpy.array_equal(numpy.rint(found * 255)[where], numpy.rint(expected)[where])
    assert (found.min(), found.max()) == (0, 1)


@pytest.mark.parametrize("quantiles,clip,epsilon",
                         [((0.05, 0.95), False, 0), ((0.02, 0.98), True, 1e-3),
                          ((0, 1), False, 0)])
def test_quantiles_are_numpys(tmp_path, quantiles, clip, epsilon):
    path = image(tmp_path, (13, 12, 9), (1, 1, 1))
    keys = dict(intensity="quantile", quantiles=quantiles, clip=clip, epsilon=epsilon)
    found, _ = apply(tmp_path, recipe(tmp_path / "r.json", **keys), path)
    voxels = numpy.asarray(nibabel.load(path).dataobj).astype("f4")
    low, high = (numpy.quantile(voxels, q) for q in quantiles)
    expected = ((voxels - low) / (high - low + epsilon)).astype("f4")
    expected = numpy.clip(expected, 0, 1) if clip else expected
    assert found.tobytes() == expected.tobytes()


def test_threads_do_not_change_a_bit(tmp_path):
    path = image(tmp_path, (40, 30, 20), (0.7, 1.2, 3))
    for name in ("arc-meshchop", "mindgrab"):
        files = [tmp_path / f"{jobs}.nii" for jobs in (1, 3)]
        for jobs, file in zip((1, 3), files):
            assay("recipe", "apply", name, path, "--out", file, "--jobs", jobs)
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_conformed_head_stays_as_it_is(tmp_path):
    head = real_data("t1_crop.nii.gz")
    found, affine = apply(tmp_path, "brainchop", head)
    stored = nibabel.load(head)
    voxels = numpy.asarray(stored.dataobj).astype("f4")
    numpy.testing.assert_allclose(affine, stored.affine, atol=1e-4)
    assert numpy.array_equal(found, (voxels - voxels.min()) / (voxels.max() - voxels.min()))


def test_show_and_files(tmp_path):
    listed = strict(assay("recipe", "show", "--json").stdout)
    names = [row["name"] for row in listed]
    assert names == ["arc-meshchop", "brainchop", "brainchop-quantile", "mindgrab", "minmax",
                     "none"]
    assert len({row["sha256"] for row in listed}) == len(names)
    file = tmp_path / "again.json"
    assay("recipe", "show", "mindgrab", "--out", file)
    assert strict(assay("recipe", "show", file, "--json").stdout) == listed[3]
    own = tmp_path / "own.toml"
    own.write_text('extends = "arc-meshchop"\nmin_volume_ml = 0.1\n')
    found = strict(assay("recipe", "show", own, "--json").stdout)
    assert (found["name"], found["grid"], found["min_volume_ml"]) == ("own", "zoom", 0.1)
    assert found["sha256"] != listed[0]["sha256"]
    assert "of at least 0.1 ml" in assay("recipe", "show", own).stdout


@pytest.mark.parametrize("page", ["exporting-models.md", "recipes.md"])
def test_recipes_on_the_pages_can_be_read(tmp_path, page):
    found = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    assert found
    for number, text in enumerate(found):
        file = tmp_path / f"{number}.toml"
        file.write_text(text)
        assay("recipe", "show", file)


def refused(folder, name, path, *options):
    out = folder / "out.nii.gz"
    message = assay("recipe", "apply", name, path, "--out", out, *options, status=2).stderr
    assert not out.exists()
    return message


def test_bad_images_are_refused_and_nothing_is_written(tmp_path):
    constant = save(tmp_path / "constant.nii", numpy.full((3, 3, 3), 4, "i2"))
    assert ("constant.nii: all voxels of the prepared image are 4"
            in refused(tmp_path, "minmax", constant))
    voxels = numpy.zeros((3, 3, 3), "f4")
    voxels[1, 2, 0] = numpy.nan
    broken = save(tmp_path / "nan.nii", voxels)
    assert "nan.nii: voxel (1, 2, 0) is nan" in refused(tmp_path, "none", broken)
    half = save(tmp_path / "half.nii", numpy.full((3, 3, 3), 0.5, "f4"))
    assert ("half.nii: holds 0.5, which is not a label"
            in refused(tmp_path, "none", half, "--labels"))
    far = save(tmp_path / "far.nii", numpy.arange(27, dtype="i2").reshape(3, 3, 3),
               numpy.diag([1e4, 1e4, 1e4, 1]))
    own = recipe(tmp_path / "own.json", grid="zoom")
    assert "30000x30000x30000 voxels, which is too many" in refused(tmp_path, own, far)
    series = save(tmp_path / "series.nii", numpy.zeros((3, 3, 3, 2), "i2"))
    assert "series.nii" in refused(tmp_path, "none", series)
    assert "absent.nii" in refused(tmp_path, "none", tmp_path / "absent.nii")


def test_the_image_is_never_overwritten(tmp_path):
    path = image(tmp_path, (3, 3, 3), (1, 1, 1))
    before = path.read_bytes()
    assay("recipe", "apply", "minmax", path, "--out", path, status=2)
    assert path.read_bytes() == before
