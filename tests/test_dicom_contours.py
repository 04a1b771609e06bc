"""RTSTRUCT: contours on their series, rasterised by a rule that has a name."""
import numpy
import pytest

from support import assay, counts, evidence, save, score
from test_memory import measured

pytest.importorskip("pydicom", reason="pydicom is missing (apt-get install python3-pydicom)")
from dicom_files import (Geometry, contour, write_contours, write_segmentation,  # noqa: E402
                         write_series)

SHAPE = (7, 40, 48)  # slices, rows, columns
GEOMETRY = Geometry(spacing=(3.0, 1.0, 1.25), origin=(-20.0, -15.0, 100.0))


def place(column, row, slice_number, geometry=GEOMETRY):
    steps = numpy.array([slice_number, row, column]) * geometry.spacing
    return numpy.array(geometry.origin) + steps @ geometry.axes


def circle(centre, radius, slice_number, corners=64):
    """Corners in LPS; the radius is in pixels."""
    angles = 2 * numpy.pi * (numpy.arange(corners) + 0.37) / corners
    return [place(centre[0] + radius * numpy.cos(a), centre[1] + radius * numpy.sin(a),
                  slice_number) for a in angles]


def square(low, high, slice_number):
    corners = [(low, low), (high, low), (high, high), (low, high)]
    return [place(x, y, slice_number) for x, y in corners]


def inside(polygons, slice_number):
    """Centres inside an odd number of polygons: winding through the angles, another way."""
    rows, columns = numpy.mgrid[:SHAPE[1], :SHAPE[2]]
    odd = numpy.zeros(SHAPE[1:], bool)
    for polygon in polygons:
        index = (numpy.array(polygon) - GEOMETRY.origin) @ GEOMETRY.axes.T / GEOMETRY.spacing
        x, y = index[:, 2], index[:, 1]
        angle = numpy.zeros(SHAPE[1:])
        for k in range(len(x)):
            a = numpy.arctan2(y[k] - rows, x[k] - columns)
            b = numpy.arctan2(y[(k + 1) % len(x)] - rows, x[(k + 1) % len(x)] - columns)
            angle += (b - a + numpy.pi) % (2 * numpy.pi) - numpy.pi
        odd ^= numpy.abs(angle) > numpy.pi
    return odd


@pytest.fixture
def study(tmp_path):
    """Two files of contours and the series that both were drawn on."""
    write_series(tmp_path / "ct", numpy.zeros(SHAPE))
    drawn = {"pred": [circle((20, 18), 9.3, z) for z in range(1, 6)],
             "ref": [circle((22, 19), 10.1, z) for z in range(1, 6)]}
    for side, polygons in drawn.items():
        write_contours(tmp_path / f"{side}.dcm", {"Heart": polygons})
    return tmp_path, drawn


def volume(polygons):
    out = numpy.zeros(SHAPE, bool)
    for polygon in polygons:
        z = round((polygon[0][2] - GEOMETRY.origin[2]) / GEOMETRY.spacing[0])
        out[z] ^= inside([polygon], z)
    return out


@pytest.fixture(autouse=True)
def same_grid(monkeypatch):
    import dicom_files
    monkeypatch.setattr(dicom_files, "Geometry", lambda: GEOMETRY)


def test_centres_inside_a_contour_are_its_voxels(study):
    folder, drawn = study
    result = score("pred.dcm", "ref.dcm", "--metrics", "dice,hd95,apl", cwd=folder)
    assert evidence(result, label="Heart") == counts(volume(drawn["pred"]), volume(drawn["ref"]))
    assert result["settings"]["contours"] == {"rule": "centre", "gaps": "error"}


def test_an_image_on_the_other_side_gives_the_grid(study):
    folder, drawn = study
    for file in (folder / "ct").iterdir():
        file.unlink()
    save(folder / "ref.nii.gz", volume(drawn["ref"]).transpose(2, 1, 0), GEOMETRY.affine())
    for pair in (("pred.dcm", "ref.nii.gz"), ("ref.nii.gz", "pred.dcm")):
        found = evidence(score(*pair, "--metrics", "dice", cwd=folder))
        assert found["tp"] == counts(volume(drawn["pred"]), volume(drawn["ref"]))["tp"]


def test_a_segmentation_meets_contours(study):
    folder, drawn = study
    write_segmentation(folder / "seg.dcm", {"heart": volume(drawn["pred"])}, GEOMETRY,
                       keep_empty=True)
    result = score("seg.dcm", "ref.dcm", "--metrics", "dice", cwd=folder)
    assert evidence(result, label="Heart") == counts(volume(drawn["pred"]), volume(drawn["ref"]))


def test_inner_contours_and_keyholes_are_holes(study):
    folder, _ = study
    outer, inner = square(5.5, 30.5, 3), square(12.5, 20.5, 3)
    keyhole = outer + [outer[0]] + inner[::-1] + [inner[-1], outer[0]]
    write_contours(folder / "pred.dcm", {"Heart": [outer, inner]})
    write_contours(folder / "ref.dcm", {"Heart": [keyhole]})
    found = evidence(score("pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder), label="Heart")
    assert found["tp"] == 25 * 25 - 8 * 8 and found["fp"] == found["fn"] == 0
    filled = score("pred.dcm", "ref.dcm", "--metrics", "dice", "--contour-rule", "plastimatch",
                   cwd=folder)
    assert evidence(filled, label="Heart")["fp"] == 8 * 8
    assert filled["settings"]["contours"]["rule"] == "plastimatch"


def test_rt_utils_includes_the_border(study):
    folder, _ = study
    write_contours(folder / "pred.dcm", {"Heart": [square(5, 10, 3)]})
    write_contours(folder / "ref.dcm", {"Heart": [square(5, 10, 3)]})
    rules = {"centre": 25, "rt-utils": 36}
    for rule, voxels in rules.items():
        result = score("pred.dcm", "ref.dcm", "--metrics", "dice", "--contour-rule", rule,
                       cwd=folder)
        assert evidence(result, label="Heart")["tp"] == voxels


def test_gaps_are_an_error_or_kept_or_filled(study):
    folder, _ = study
    low, high = square(5.5, 11.5, 1), square(5.5, 11.5, 5)
    write_contours(folder / "pred.dcm", {"Heart": [low, high]})
    write_contours(folder / "ref.dcm", {"Heart": [square(5.5, 11.5, z) for z in range(1, 6)]})
    done = assay("score", "pred.dcm", "ref.dcm", cwd=folder, status=2)
    assert "Heart has slices without a contour between slices 1 and 5" in done.stderr
    kept = score("pred.dcm", "ref.dcm", "--contour-gaps", "keep", "--metrics", "dice", cwd=folder)
    assert evidence(kept, label="Heart")["fn"] == 3 * 36
    filled = score("pred.dcm", "ref.dcm", "--contour-gaps", "interpolate", "--metrics", "dice",
                   cwd=folder)
    assert evidence(filled, label="Heart")["fn"] == 0 == evidence(filled, label="Heart")["fp"]


def test_a_series_elsewhere_is_named(study):
    folder, drawn = study
    deep = folder / "study/contours"
    deep.mkdir(parents=True)
    for name in ("pred.dcm", "ref.dcm"):
        (folder / name).rename(deep / name)
    done = assay("score", "pred.dcm", "ref.dcm", cwd=deep, status=2)
    assert "--dicom-images" in done.stderr
    result = score("pred.dcm", "ref.dcm", "--dicom-images", folder / "ct", cwd=deep)
    assert evidence(result, label="Heart")["tp"] == counts(volume(drawn["pred"]),
                                                           volume(drawn["ref"]))["tp"]


def test_added_path_length_is_what_the_prediction_lacks(study):
    folder, _ = study
    write_contours(folder / "pred.dcm", {"Heart": [square(5.5, 15.5, 3)]})
    write_contours(folder / "ref.dcm", {"Heart": [square(5.5, 16.5, 3)]})
    result = score("pred.dcm", "ref.dcm", "--metrics", "apl", cwd=folder)
    # 11 x 11 pixels have an outline of 40, of which the 10 x 10 have two sides of 10 and 9.
    pixel = (GEOMETRY.spacing[1] * GEOMETRY.spacing[2]) ** 0.5
    assert result["metrics"]["apl"]["mean"] == pytest.approx((40 - 19) * pixel)


def test_hostile_contours_get_one_sentence(study):
    folder, drawn = study
    def refused(polygons, sentence):
        write_contours(folder / "pred.dcm", {"Heart": polygons})
        done = assay("score", "pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder, status=2)
        assert sentence in done.stderr and len(done.stderr.splitlines()) <= 3
    slanted = circle((20, 18), 9, 2)
    slanted[3] = slanted[3] + [0, 0, 2]
    refused([slanted], "does not lie on one slice")
    half = contour(circle((20, 18), 9, 2))
    half.ContourData = list(half.ContourData)[:-1]
    refused([half], "an incomplete point")
    far = contour(circle((20, 18), 9, 2))
    far.ContourData = ["1e300", "-1e300", "106.0"] * 4
    write_contours(folder / "pred.dcm", {"Heart": [far]})
    assert evidence(score("pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder),
                    label="Heart")["tp"] == 0


@pytest.mark.filterwarnings("ignore:The value for the data element")
def test_a_contour_of_more_than_64_kilobytes_is_read(study):
    """Its type is then stated as unknown."""
    folder, drawn = study
    fine = [circle((20, 18), 9.3, z, 5000) for z in range(1, 6)]
    write_contours(folder / "pred.dcm", {"Heart": fine})
    assert b"UN\0\0" in (folder / "pred.dcm").read_bytes()
    result = score("pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder)
    assert evidence(result, label="Heart") == counts(volume(fine), volume(drawn["ref"]))


@pytest.mark.parametrize("rule", ["centre", "plastimatch", "rt-utils"])
def test_a_contour_that_crosses_a_slice_millions_of_times_is_refused(study, rule):
    """A few megabytes, of which every edge cuts all rows."""
    folder, _ = study
    ends = [place(20, -50, 3), place(21, 90, 3)]
    text = "\\".join(f"{value:.6g}" for end in ends for value in end)
    zigzag = contour(ends)
    del zigzag.ContourData  # as bytes: pydicom takes its time with numbers
    zigzag.add_new(0x30060050, "UN", "\\".join([text] * 250_000).encode())
    write_contours(folder / "pred.dcm", {"Heart": [zigzag]})
    _, said, peak = measured("score", folder / "pred.dcm", folder / "ref.dcm", "--contour-rule",
                             rule, status=2)
    assert "Heart: has contours that cross one slice millions of times" in said
    assert len(said.splitlines()) <= 3 and peak < 500e6
