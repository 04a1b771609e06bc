"""Distances between borders, components and overlap as assay gives them against what ITK gives, on
the same masks.

Needs itk_measures beside the program, which is built where ITK is installed (Debian's
libinsighttoolkit5-dev).
"""
import json
import math
import subprocess

import numpy
import pytest

from support import PROGRAM, save, score

ITK = PROGRAM.with_name("itk_measures")
pytestmark = pytest.mark.skipif(not ITK.exists(),
                                reason=f"{ITK.name} is not built: ITK was not found "
                                       f"(libinsighttoolkit5-dev)")

# Both compute in double. A spacing in single precision times an index is exact in double; three
# squares, their sum and its root are rounded once each, which makes less than 1e-15. The order in
# which thousands of distances are added makes a few 1e-15.
CLOSE = {"rel": 1e-14, "abs": 1e-14}
BOUNDARY = "hd,hd95,hd50,assd,masd,nsd,boundary_iou"
OVERLAP = "dice,iou,recall,precision,volume_similarity"


def waves(rng, shape, share, longest=30):
    """Smooth lumps that touch the image's edges: where a sum of random waves is high."""
    grid = numpy.indices(shape).reshape(3, -1)
    field = sum(numpy.cos(rng.normal(0, 4 / longest, 3) @ grid + rng.uniform(0, 7))
                for _ in range(12))
    return (field >= numpy.quantile(field, 1 - share)).reshape(shape)


def noise(rng, shape, share):
    out = rng.random(shape) < share
    out[tuple(rng.integers(0, shape))] = True  # never empty
    return out


def box(rng, shape, _):
    ends = [sorted(rng.choice(n + 1, 2, replace=False)) for n in shape]
    out = numpy.zeros(shape, bool)
    out[tuple(slice(*e) for e in ends)] = True
    return out


def ball(rng, shape, share):
    centre = rng.uniform(0.3, 0.7, 3) * shape
    square = sum((axis - c) ** 2 for axis, c in zip(numpy.indices(shape), centre))
    return square <= (share * min(shape)) ** 2 + 1


def far_apart(rng, shape, axis):
    """Specks and lumps at the two ends of an axis: distances that no search near a voxel finds."""
    quarter = shape[axis] // 4
    place = numpy.arange(shape[axis]).reshape([-1 if k == axis else 1 for k in range(3)])
    return (noise(rng, shape, 0.3) & (place < quarter),
            waves(rng, shape, 0.5, 12) & (place >= shape[axis] - quarter))


def spacing(rng, n):
    """Every third is whole; the others are what a NIfTI file stores, in single precision."""
    return (rng.integers(1, 5, 3).astype(float) if n % 3 == 0
            else rng.uniform(0.3, 4, 3).astype("f4").astype(float))


def pairs():
    """Names, predictions, references and spacings: flat and full images, specks, sponges, boxes,
    lumps, ends."""
    rng = numpy.random.default_rng(11)
    # 0 leaves a single voxel, 1 fills the image
    densities = [0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.98, 1]
    for n in range(256):
        shape = rng.integers(2, 18, 3)
        if n % 5 == 0:  # a plane; every ninth of them a line
            shape[[n % 3] if n % 9 else [n // 9 % 3, (n // 9 + 1) % 3]] = 1
        yield (f"noise{n:03}", *(noise(rng, shape, densities[k]) for k in (n % 8, n // 8 % 8)),
               spacing(rng, n))
    for n in range(60):
        yield (f"box{n:02}", *(box(rng, shape, 0) for shape in [rng.integers(2, 24, 3)] * 2),
               spacing(rng, n))
    for n in range(40):
        shape = rng.integers(9, 36, 3)
        yield (f"lumps{n:02}", waves(rng, shape, 0.3, 12), (waves, ball)[n % 2](rng, shape, 0.2),
               spacing(rng, n))
    for n in range(24):
        shape = rng.integers(5, 12, 3)
        shape[n % 3] = 60 + 3 * n
        yield f"far{n:02}", *far_apart(rng, shape, n % 3), spacing(rng, n)
    for n, shape in enumerate([(64, 64, 64), (65, 63, 70), (70, 41, 67)]):
        yield f"large{n}", ball(rng, shape, 0.4), waves(rng, shape, 0.1), spacing(rng, n)
        yield f"ends{n}", *far_apart(rng, shape, n), spacing(rng, n + 2)
        yield f"nested{n}", ball(rng, shape, 0.1), ball(rng, shape, 0.45), spacing(rng, n + 1)


def asked_of_itk(cases):
    """One line of JSON for each pair."""
    given = b"".join(part for p, r, mm in cases.values()
                     for part in (numpy.array(p.shape, "i8").tobytes(),
                                  numpy.array(mm, "f8").tobytes(), p.tobytes("F"),
                                  r.tobytes("F")))
    done = subprocess.run([ITK], input=given, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(said) == len(cases)
    return dict(zip(cases, said))


@pytest.fixture(scope="module")
def cohort(tmp_path_factory):
    folder = tmp_path_factory.mktemp("itk")
    cases = {name: (p, r, mm) for name, p, r, mm in pairs()}
    for name, (p, r, mm) in cases.items():
        save(folder / f"pred/{name}.nii", p, numpy.diag([*mm, 1.0]))
        save(folder / f"ref/{name}.nii", r, numpy.diag([*mm, 1.0]))
    return folder, cases, asked_of_itk(cases)


def compared(cohort, *options):
    """Name, what assay found and what ITK said, of every pair."""
    folder, _, said = cohort
    found = {c["id"]: c["label"]["foreground"]
             for c in score(folder / "pred", folder / "ref", *options)["cases"]}
    assert found.keys() == said.keys()
    for name in said:
        yield name, found[name], said[name]


def expect(found, expected, name):
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, **CLOSE), (name, key)


def test_distances_of_border_voxels_equal_those_of_maurers_filter(cohort):
    for name, found, itk in compared(cohort, "--metrics", BOUNDARY, "--nsd-tolerance", "2"):
        a, b = (numpy.array(itk[side]["distances"]) for side in ("prediction", "reference"))
        both = numpy.concatenate([a, b])
        common = (a == 0).sum()
        assert common == (b == 0).sum(), name
        expect(found,
               {"hd": both.max(), "hd95": max(numpy.percentile(a, 95), numpy.percentile(b, 95)),
                "hd50": max(numpy.median(a), numpy.median(b)), "assd": both.mean(),
                "masd": (a.mean() + b.mean()) / 2, "nsd": (both <= 2).mean(),
                "boundary_iou": common / (len(both) - common)}, name)


def test_squares_of_whole_millimetres_are_exact(cohort):
    """They are whole numbers, so that nothing is rounded but the root."""
    exact = 0
    for name, found, itk in compared(cohort, "--metrics", "hd"):
        if all(mm == round(mm) for mm in cohort[1][name][2]):
            exact += 1
            assert found["hd"] == math.sqrt(max(itk[side]["greatest_square"]
                                                for side in ("prediction", "reference"))), name
    assert exact > 100


def test_borders_as_sets_have_itks_hausdorff_distance(cohort):
    """Its average is the mean of both directed means: masd."""
    for name, found, itk in compared(cohort, "--metrics", "hd,masd"):
        expect(found, {"hd": itk["borders"]["greatest"], "masd": itk["borders"]["mean"]}, name)


def fills_a_box(mask):
    at = numpy.argwhere(mask)
    return mask.sum() == numpy.prod(numpy.ptp(at, axis=0) + 1)


def test_whole_masks_have_itks_hausdorff_distance_where_they_must(cohort):
    """ITK's filter takes masks as solids: a voxel within the other mask is at distance 0, one deep
    inside its own counts.

    So neither distance bounds the other in general. Of a ball in a shell that touches it, the
    solids' distance is the radius and the borders' is one voxel; a border deep within the other
    mask counts for the borders' only. They are the same where masks have no voxel but their border.
    And they are for boxes: the voxel of a box that is farthest from another box is a corner, and
    the way from a border voxel straight out to the border of the box around it is also how far its
    end is from the inner box.
    """
    thin = boxes = differ = 0
    for name, found, itk in compared(cohort, "--metrics", "hd"):
        masks = cohort[1][name][:2]
        all_border = all(len(itk[side]["distances"]) == mask.sum()
                         for side, mask in zip(("prediction", "reference"), masks))
        all_boxes = all(fills_a_box(mask) for mask in masks)
        if all_border or all_boxes:
            expect(found, {"hd": itk["masks"]["greatest"]}, name)
        thin, boxes = thin + all_border, boxes + all_boxes
        differ += found["hd"] != pytest.approx(itk["masks"]["greatest"])
    assert thin > 50 and boxes > 60 and differ > 10


@pytest.mark.parametrize("connectivity", ["6", "26"])
def test_lesions_are_itks_components(cohort, connectivity):
    """The same ones in the same order, with the same voxels, and found by the same overlaps; the
    first thousand are listed."""
    for name, found, itk in compared(cohort, "--metrics", "lesion_f1", "--connectivity",
                                     connectivity):
        voxel_ml = numpy.prod(cohort[1][name][2]) / 1000
        lesions = found["lesions"]
        for side, word in (("prediction", "true"), ("reference", "detected")):
            voxels, covered = numpy.transpose(itk[side]["components"][connectivity])
            assert lesions[f"{side}_count"] == len(voxels), name
            assert ([row["volume_ml"] for row in lesions[side]]
                    == pytest.approx(voxels[:1000] * voxel_ml, **CLOSE)), name
            assert [row[word] for row in lesions[side]] == (covered[:1000] > 0).tolist(), name
            assert (lesions["detected" if word == "detected" else "false"]
                    == ((covered > 0) == (word == "detected")).sum()), name


def test_overlap_equals_itks(cohort):
    """The prediction is ITK's source, the reference its target; its volume similarity is signed and
    twice as wide."""
    for name, found, itk in compared(cohort, "--metrics", OVERLAP):
        said = itk["overlap"]
        expect(found,
               {"dice": said["dice"], "iou": said["jaccard"], "recall": said["target_overlap"],
                "precision": 1 - said["false_positive_error"],
                "volume_similarity": 1 - abs(said["volume_similarity"]) / 2}, name)
        assert found["recall"] == pytest.approx(1 - said["false_negative_error"], **CLOSE), name
