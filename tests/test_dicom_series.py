"""DICOM series as images: a folder of slices, or one file of many frames, is one volume."""
import json
import shutil

import nibabel
import numpy
import pytest

from networks import OF_THRESHOLD, threshold_network
from support import assay, save, strict

pytest.importorskip("pydicom", reason="pydicom is missing (apt-get install python3-pydicom)")
from pydicom.encaps import encapsulate  # noqa: E402
from pydicom.sequence import Sequence  # noqa: E402
from dicom_files import (CT, Geometry, item, new_object, texts, write, write_contours,  # noqa: E402
                         write_segmentation, write_series)

SHAPE = (5, 7, 9)  # slices, rows, columns
OBLIQUE = Geometry(orientation=(0.8, 0.6, 0, -0.6, 0.8, 0))
RLE = "1.2.840.10008.1.2.5"


def volume(seed=1, low=-1000, high=1000):
    return numpy.random.default_rng(seed).integers(low, high, SHAPE, numpy.int16)


def read(path, folder, status=0):
    """What a model would be given: values indexed [slice, row, column], and the affine."""
    done = assay("recipe", "apply", "none", path, "--out", folder / "seen.nii", status=status)
    if status:
        return done.stderr
    seen = nibabel.load(folder / "seen.nii")
    return numpy.asarray(seen.dataobj).transpose(2, 1, 0), seen.affine


@pytest.mark.parametrize("geometry", [Geometry(), OBLIQUE,
                                      Geometry(orientation=(0, 1, 0, 0, 0, -1))])
def test_a_folder_of_slices_is_sorted_by_position(tmp_path, geometry):
    write_series(tmp_path / "ct", volume(), geometry, slope=2, intercept=-1024)
    values, affine = read(tmp_path / "ct", tmp_path)
    assert numpy.array_equal(values, volume() * 2.0 - 1024)
    assert numpy.allclose(affine, geometry.affine(), atol=1e-4)


def test_slices_need_no_ending_and_may_be_thinner_than_their_distance(tmp_path):
    def thin(_, data):
        data.SliceThickness = "1.25"  # half of the distance
    write_series(tmp_path / "ct", volume(), change=thin)
    for file in (tmp_path / "ct").iterdir():
        file.rename(file.with_suffix(""))
    values, affine = read(tmp_path / "ct", tmp_path)
    assert numpy.array_equal(values, volume()) and affine[2, 2] == 2.5


def test_slopes_that_differ_between_slices_are_applied(tmp_path):
    slopes = [0.5, 1, 1.5, 2, 2.5]
    write_series(tmp_path / "pet", volume(low=0), slope=slopes)
    values, _ = read(tmp_path / "pet", tmp_path)
    assert numpy.array_equal(values, volume(low=0) * numpy.array(slopes)[:, None, None])


@pytest.mark.parametrize("signed", [0, 1])
def test_unused_bits_do_not_count(tmp_path, signed):
    """12 of 16 bits are used; the others hold something else."""
    wanted = volume(low=-2048 if signed else 0, high=2048 if signed else 4096)
    stored = (wanted & 0x0FFF) | numpy.int16(0x5000)

    def twelve(_, data):
        data.BitsStored, data.HighBit, data.PixelRepresentation = 12, 11, signed
    write_series(tmp_path / "ct", stored, change=twelve)
    assert numpy.array_equal(read(tmp_path / "ct", tmp_path)[0], wanted)


def packed_runs(plane):
    """A slice of 16 bits in RLE: the high bytes, then the low bytes, in literal runs."""
    segments = []
    for shift in (8, 0):
        plain = ((plane.astype(numpy.uint16) >> shift) & 0xFF).astype(numpy.uint8).tobytes()
        parts = [plain[i:i + 128] for i in range(0, len(plain), 128)]
        segment = b"".join(bytes([len(part) - 1]) + part for part in parts)
        segments.append(segment + b"\0" * (len(segment) % 2))
    offsets = [2, 64, 64 + len(segments[0])] + [0] * 13
    return numpy.array(offsets, "<u4").tobytes() + b"".join(segments)


def test_compressed_slices_are_decoded(tmp_path):
    write_series(tmp_path / "plain", volume())

    def compress(z, data):
        data.PixelData = encapsulate([packed_runs(volume()[z])])
        data["PixelData"].VR, data["PixelData"].is_undefined_length = "OB", True
        write(tmp_path / f"rle/{z}.dcm", data, RLE)
        return False
    write_series(tmp_path / "none", volume(), change=compress)
    assert numpy.array_equal(read(tmp_path / "rle", tmp_path)[0], volume())


def multi_frame(path, order):
    geometry = Geometry()
    data = new_object("1.2.840.10008.5.1.4.1.1.2.1", Modality="CT")
    data.Rows, data.Columns, data.NumberOfFrames = SHAPE[1], SHAPE[2], len(order)
    data.SharedFunctionalGroupsSequence = Sequence([item(
        PlaneOrientationSequence=Sequence([item(
            ImageOrientationPatient=texts(geometry.orientation))]),
        PixelMeasuresSequence=Sequence([item(PixelSpacing=texts(geometry.spacing[1:]),
                                             SliceThickness="2.5")]))])
    data.PerFrameFunctionalGroupsSequence = Sequence([item(
        PlanePositionSequence=Sequence([item(
            ImagePositionPatient=texts(geometry.position(z)))]),
        PixelValueTransformationSequence=Sequence([item(
            RescaleSlope=f"{z + 1}", RescaleIntercept="-5", RescaleType="HU")]))
        for z in order])
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated, data.BitsStored, data.HighBit, data.PixelRepresentation = 16, 16, 15, 1
    data.PixelData = volume()[order].tobytes()
    data["PixelData"].VR = "OW"
    return write(path, data)


def test_frames_of_one_file_are_sorted_and_scaled_one_by_one(tmp_path):
    values, affine = read(multi_frame(tmp_path / "ct.dcm", [3, 0, 4, 1, 2]), tmp_path)
    slopes = numpy.arange(1, 6)[:, None, None]
    assert numpy.array_equal(values, volume() * slopes - 5.0)
    assert numpy.allclose(affine, Geometry().affine(), atol=1e-4)


def moved(by):
    """Moves slices: `by` is millimetres along x, y and z, times the number of the slice."""
    def change(z, data):
        data.ImagePositionPatient = texts(Geometry().position(z) + z * numpy.array(by))
    return change


def uneven(z, data):
    data.ImagePositionPatient = texts(Geometry().position(z + 0.4 * (z == 3)))


def same_place(z, data):
    data.ImagePositionPatient = texts(Geometry().position(z % 2))


def without_third(z, _):
    return z != 2


def wider(z, data):
    if z == 4:
        data.Columns, data.Rows = data.Rows, data.Columns


def colored(_, data):
    data.SamplesPerPixel, data.PhotometricInterpretation = 3, "RGB"


@pytest.mark.parametrize("change, words", [
    (without_third, "there are 4, and evenly spaced ones from the first to the last would be 5 "
                    "(the first gap is after slice 2)"),
    (uneven, "not evenly spaced"),
    (moved((0, 1, 0)), "as with a tilted gantry"),
    (same_place, "several slices at the same position"),
    (wider, "has another size than the slices before it"),
    (colored, "is a colour image"),
])
def test_what_is_not_one_volume_is_refused_with_its_series(tmp_path, change, words):
    write_series(tmp_path / "ct", volume(), change=change)
    said = read(tmp_path / "ct", tmp_path, status=2)
    series = next((tmp_path / "ct").iterdir())
    assert words in said and "series 1.2.826" in said and series.parent.name in said
    assert not (tmp_path / "seen.nii").exists()


def test_a_cut_slice_is_named(tmp_path):
    write_series(tmp_path / "ct", volume())
    file = tmp_path / "ct/007.dcm"
    file.write_bytes(file.read_bytes()[:-20])
    said = read(tmp_path / "ct", tmp_path, status=2)
    assert "007.dcm" in said and "cut short" in said


def test_several_series_are_listed_and_can_be_named(tmp_path):
    write_series(tmp_path / "mr", volume(1), series="a", SeriesNumber=3, SeriesDescription="T1")
    write_series(tmp_path / "mr", volume(2), series="b", SeriesNumber=4, SeriesDescription="FLAIR")
    said = read(tmp_path / "mr", tmp_path, status=2)
    assert "holds 2 series" in said and "number 3, 'T1', 5 files" in said and "'FLAIR'" in said
    assert "number or description, such as mr/1.2.826" in said
    for name, seed in (("T1", 1), ("FLAIR", 2), ("3", 1), ("4", 2)):
        assert numpy.array_equal(read(tmp_path / "mr" / name, tmp_path)[0], volume(seed))
    assert "No such file" in (said := read(tmp_path / "mr/T2", tmp_path, 2)) or "exist" in said


@pytest.fixture
def cohort(tmp_path):
    """Two cases: images in folders of slices, references in NIfTI; values above 0 are right."""
    geometry = Geometry()
    for seed, case in enumerate(("p1", "p2")):
        write_series(tmp_path / "images" / case, volume(seed), geometry, study=case)
        save(tmp_path / "labels" / f"{case}.nii.gz",
             (volume(seed) > 0).transpose(2, 1, 0).astype(numpy.uint8), geometry.affine())
    return tmp_path, threshold_network(tmp_path / "model/weights.safetensors")


def evaluate(model, *arguments, status=0):
    done = assay("evaluate", model, *arguments, "--recipe", "minmax", *OF_THRESHOLD, "--json",
                 status=status)
    return strict(done.stdout)


def test_a_cohort_of_series_is_evaluated(cohort):
    folder, model = cohort
    result = evaluate(model, folder, "--save-predictions", folder / "out")
    assert [case["id"] for case in result["cases"]] == ["p1", "p2"]
    assert result["cases"][0]["image"] == "p1" and len(result["cases"][0]["image_sha256"]) == 64
    nifti = folder / "as_nifti"
    for seed, case in enumerate(("p1", "p2")):
        save(nifti / "images" / f"{case}.nii.gz",
             volume(seed).transpose(2, 1, 0).astype(numpy.int16), Geometry().affine())
    shutil.copytree(folder / "labels", nifti / "labels")
    same = evaluate(model, nifti)
    assert [c["label"]["foreground"]["evidence"] for c in result["cases"]] == [
        c["label"]["foreground"]["evidence"] for c in same["cases"]]


def test_a_manifest_names_a_series_of_a_folder(cohort):
    folder, model = cohort
    write_series(folder / "images/p1", volume(9), study="p1", series="b", SeriesDescription="late")
    (folder / "cases.csv").write_text("id,image,reference\n"
                                      "p1,images/p1/late,labels/p1.nii.gz\n"
                                      "p2,images/p2,labels/p2.nii.gz\n")
    result = evaluate(model, folder / "cases.csv")
    assert [case["status"] for case in result["cases"]] == ["ok", "ok"]
    failed = evaluate(model, folder, status=3)
    assert "holds 2 series" in failed["cases"][0]["error"]


def test_segmentations_as_references_are_met_by_study(cohort):
    folder, model = cohort
    for seed, case in enumerate(("p1", "p2")):
        write_segmentation(folder / "seg" / f"{9 - seed}.dcm", {"Bone": volume(seed) > 0},
                           study=case, keep_empty=True)
    result = evaluate(model, "--images", folder / "images", "--ref", folder / "seg")
    assert result["ledger"]["scored"] == 2


def test_predictions_of_series_are_named_after_their_folders(cohort):
    folder, model = cohort
    for what, names in ((folder / "images", ["p1", "p2"]), (folder / "images/p1", ["p1"])):
        out = folder / f"out{len(names)}"
        assay("predict", model, what, "--out", out, "--recipe", "none", *OF_THRESHOLD)
        assert sorted(file.name for file in out.iterdir()) == [f"{n}.nii.gz" for n in names]


def test_the_report_shows_a_series_as_the_image_of_a_case(cohort):
    folder, model = cohort
    evaluate(model, folder, "--save-predictions", folder / "out", "--out", folder / "r.json")
    for images in ((), ("--images", folder / "images")):
        done = assay("report", folder / "r.json", "--out", folder / "report.html", *images)
        assert "without its image" not in done.stderr and "no image" not in done.stderr
        assert 'id="volume-0-image"' in (folder / "report.html").read_text()


def colors_of(result):
    return {key: label.get("color") for key, label in result["labels"].items()}


def test_structures_bring_their_colours(tmp_path):
    mask = volume() > 0
    red = [round(x) for x in (53.2408 * 655.35, (80.0925 + 128) * 257, (67.2032 + 128) * 257)]
    for side in ("p", "r"):
        write_segmentation(tmp_path / f"{side}.dcm", {"Liver": mask, "Spleen": ~mask},
                           colors={"Liver": red})
    for options in ((), ("--labels", "1,2")):
        done = assay("score", "p.dcm", "r.dcm", "--json", *options, cwd=tmp_path)
        assert list(colors_of(json.loads(done.stdout)).values()) == ["#FF0000", None]
    write_series(tmp_path / "ct", volume())
    place = Geometry().position(2)
    square = [place + numpy.array(p) for p in ((1, 1, 0), (4, 1, 0), (4, 4, 0), (1, 4, 0))]
    for side in ("p", "r"):
        write_contours(tmp_path / f"{side}.dcm", {"Heart": [square]},
                       colors={"Heart": (1, 128, 255)})
    done = assay("score", "p.dcm", "r.dcm", "--json", cwd=tmp_path)
    assert colors_of(json.loads(done.stdout)) == {"Heart": "#0180FF"}
