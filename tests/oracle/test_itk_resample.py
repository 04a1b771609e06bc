"""Labels on other grids as assay resamples them against what ITK makes of them.

Needs itk_resample beside the program, which is built where ITK is installed (Debian's
libinsighttoolkit5-dev). SimpleITK's sitkNearestNeighbor and sitkLabelLinear are the same filters.
"""
import subprocess

import nibabel
import numpy
import pytest
from scipy.spatial.transform import Rotation

from support import PROGRAM, assay, save, score

ITK = PROGRAM.with_name("itk_resample")
pytestmark = pytest.mark.skipif(not ITK.exists(), reason=f"{ITK.name} is not built: no ITK")


def lumps(rng, shape, labels=4):
    grid = numpy.indices(shape).reshape(3, -1)
    field = sum(numpy.cos(rng.normal(0, 0.3, 3) @ grid + rng.uniform(0, 7)) for _ in range(12))
    edges = numpy.quantile(field, numpy.linspace(0.3, 0.95, labels))
    return numpy.digitize(field, edges).reshape(shape).astype(numpy.uint8)


def grids():
    """Name, affine and shape of a source, and of a target."""
    rng = numpy.random.default_rng(5)
    fine, coarse = numpy.diag([1, 1, 1, 1.0]), numpy.diag([2, 2, 4, 1.0])
    coarse[:3, 3] = 0.5, 0.5, 1.5  # the centres of blocks of voxels: every place is a tie
    yield "halved", (fine, (16, 18, 20)), (coarse, (8, 9, 5))
    yield "doubled", (coarse, (8, 9, 5)), (fine, (16, 18, 20))
    yield "flipped", (fine, (9, 9, 9)), (numpy.diag([-0.5, 0.5, -2, 1.0]) + numpy.array(
        [[0, 0, 0, 9.0], [0, 0, 0, -1], [0, 0, 0, 7], [0, 0, 0, 0]]), (25, 20, 6))
    for n in range(8):
        pair = []
        for _ in range(2):
            affine = numpy.eye(4)
            turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_matrix()
            affine[:3, :3] = turn @ numpy.diag(rng.uniform(0.6, 2.5, 3))
            shape = rng.integers(7, 24, 3)
            affine[:3, 3] = rng.normal(0, 1, 3) - affine[:3, :3] @ (shape / 2)
            pair.append((affine, tuple(shape)))
        yield f"oblique{n}", *pair


def by_itk(linear, source, target, voxels):
    """`source` and `target` as in the files: affines in single precision."""
    given = numpy.array([linear], "i8").tobytes()
    for image in (source, target):
        given += numpy.array(image.shape, "i8").tobytes() + image.affine[:3].astype("f8").tobytes()
    done = subprocess.run([ITK], input=given + voxels.tobytes("F"), capture_output=True, timeout=60,
                          check=True)
    return numpy.frombuffer(done.stdout, "u1").reshape(target.shape, order="F")


@pytest.mark.parametrize("interpolation", ["nearest", "linear"])
@pytest.mark.parametrize("case", grids(), ids=lambda case: case[0])
def test_resampled_labels_equal_those_of_itk(tmp_path, case, interpolation):
    name, (from_affine, from_shape), (onto_affine, onto_shape) = case
    rng = numpy.random.default_rng(len(name))
    voxels = lumps(rng, from_shape)
    source = nibabel.load(save(tmp_path / "source.nii", voxels, from_affine))
    target = nibabel.load(save(tmp_path / "target.nii", lumps(rng, onto_shape), onto_affine))
    expected = by_itk(interpolation == "linear", source, target, voxels)
    assert len(set(expected.ravel())) > 2
    save(tmp_path / "expected.nii", expected, onto_affine)
    options = ("--labels", "all", "--metrics", "dice", "--interpolation", interpolation)
    for side, pair in (("prediction", ("source.nii", "expected.nii")),
                       ("reference", ("expected.nii", "source.nii"))):
        found = score(*(tmp_path / each for each in pair), "--resample", side, *options)
        for label, scores in found["cases"][0]["label"].items():
            assert (scores["evidence"]["fp"], scores["evidence"]["fn"]) == (0, 0), (side, label)
        resampled = found["cases"][0]["resampled"]
        assert resampled["labelled_voxels_before"] == int((voxels > 0).sum())
        assert resampled["labelled_voxels_after"] == int((expected > 0).sum())
        back = by_itk(False, target, source, expected)
        assert resampled["changed_voxels"] == int((back != voxels).sum())
        assert (found["settings"]["resample"], found["settings"]["interpolation"]) == (
            side, interpolation)


def test_a_mask_is_resampled_like_a_label(tmp_path):
    _, (from_affine, from_shape), (onto_affine, onto_shape) = next(
        case for case in grids() if case[0] == "oblique3")
    rng = numpy.random.default_rng(1)
    voxels = (lumps(rng, from_shape, 1) * 255).astype("u1")
    source = nibabel.load(save(tmp_path / "source.nii.gz", voxels, from_affine))
    target = nibabel.load(save(tmp_path / "target.nii.gz", lumps(rng, onto_shape, 1), onto_affine))
    save(tmp_path / "expected.nii.gz", by_itk(False, source, target, voxels) > 0, onto_affine)
    found = score(tmp_path / "source.nii.gz", tmp_path / "expected.nii.gz", "--resample",
                  "prediction")
    assert found["dice"]["mean"] == 1
    table = assay("score", tmp_path / "expected.nii.gz", tmp_path / "source.nii.gz", "--resample",
                  "reference").stdout
    assert "references of 1 case resampled (nearest)" in table and "changed" in table


def test_without_the_option_other_grids_are_an_error(tmp_path):
    save(tmp_path / "p.nii", numpy.ones((4, 4, 4), "u1"), numpy.diag([2, 2, 2, 1.0]))
    save(tmp_path / "r.nii", numpy.ones((8, 8, 8), "u1"))
    said = assay("score", tmp_path / "p.nii", tmp_path / "r.nii", status=2).stderr
    assert "--resample prediction" in said


def test_flips_are_not_resampled(tmp_path):
    voxels = lumps(numpy.random.default_rng(2), (8, 9, 7))
    save(tmp_path / "p.nii", voxels[::-1], numpy.array(
        [[-1, 0, 0, 7.0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    save(tmp_path / "r.nii", voxels)
    found = score(tmp_path / "p.nii", tmp_path / "r.nii", "--labels", "all", "--resample",
                  "prediction")
    assert "resampled" not in found["cases"][0] and found["dice"]["mean"] == 1
