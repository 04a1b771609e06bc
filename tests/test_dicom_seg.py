"""DICOM segmentations: read as pydicom wrote them, paired by study, matched by name."""
import struct, zlib

import numpy
import pytest

from support import assay, counts, dice, evidence, save, score
from test_memory import measured

pytest.importorskip("pydicom", reason="pydicom is missing (apt-get install python3-pydicom)")
from dicom_files import (Geometry, frame, segment, segmentation, texts,  # noqa: E402
                         write, write_segmentation)

DEFLATED = "1.2.840.10008.1.2.1.99"
SHAPE = (6, 9, 11)  # slices, rows, columns: no frame ends at a byte


def blob(seed, shape=SHAPE, slices=slice(1, 5)):
    """A random mask with empty slices."""
    out = numpy.zeros(shape, bool)
    out[slices] = numpy.random.default_rng(seed).random(out[slices].shape) < 0.4
    return out


@pytest.fixture
def pair(tmp_path):
    """Two segments, which overlap."""
    masks = {side: {"Liver": blob(seed), "Tumour": blob(seed + 10)}
             for seed, side in enumerate(("pred", "ref"))}
    for side, named in masks.items():
        write_segmentation(tmp_path / f"{side}.dcm", named)
    return tmp_path, masks


def expected(masks, name):
    """Counts on the slices that the files have."""
    sides = [masks[side][name] for side in ("pred", "ref")]
    return counts(*(mask[1:5] for mask in sides))


def test_segments_are_scored_by_name(pair):
    folder, masks = pair
    result = score("pred.dcm", "ref.dcm", "--metrics", "dice,hd95", cwd=folder)
    assert list(result["labels"]) == ["Liver", "Tumour"]
    for name in ("Liver", "Tumour"):
        assert evidence(result, label=name) == expected(masks, name)


@pytest.mark.parametrize("options", [{"seed": 3}, {"keep_empty": True},
                                     {"syntax": "1.2.840.10008.1.2"}, {"syntax": DEFLATED}])
def test_order_of_frames_empty_frames_and_syntax_change_nothing(pair, options):
    folder, masks = pair
    first = score("pred.dcm", "ref.dcm", cwd=folder)
    write_segmentation(folder / "pred.dcm", masks["pred"], **options)
    again = score("pred.dcm", "ref.dcm", cwd=folder)
    for name in ("Liver", "Tumour"):
        old, new = (r["cases"][0]["label"][name] for r in (first, again))
        assert old["dice"] == new["dice"] and old["hd95"] == new["hd95"]


def test_different_extents_are_compared_on_the_union(tmp_path):
    prediction, reference = blob(1, slices=slice(0, 3)), blob(2, slices=slice(2, 6))
    write_segmentation(tmp_path / "p.dcm", {"Liver": prediction})
    write_segmentation(tmp_path / "r.dcm", {"Liver": reference})
    result = score("p.dcm", "r.dcm", cwd=tmp_path)
    assert evidence(result, label="Liver") == counts(prediction, reference)
    assert "different extents" in result["cases"][0]["warnings"][0]


@pytest.mark.parametrize("orientation", [(1, 0, 0, 0, 1, 0), (0, 1, 0, 0, 0, -1),
                                         (0.8, 0.6, 0, -0.6, 0.8, 0)])
def test_a_nifti_reference_is_met_voxel_by_voxel(tmp_path, orientation):
    geometry = Geometry(orientation=orientation)
    prediction, reference = blob(1), blob(2)
    write_segmentation(tmp_path / "p.dcm", {"Liver": prediction}, geometry)
    # The same grid, stored with other axes first and one of them backwards.
    affine = geometry.affine() @ numpy.array([[0, 0, 1, 0], [-1, 0, 0, SHAPE[2] - 1], [0, 1, 0, 0],
                                              [0, 0, 0, 1]])[[1, 0, 2, 3]]
    index = numpy.linalg.inv(geometry.affine()) @ affine
    stored = numpy.zeros((SHAPE[2], SHAPE[0], SHAPE[1]), numpy.uint8)
    for place in numpy.ndindex(stored.shape):
        x, y, z = numpy.rint(index[:3, :3] @ place + index[:3, 3]).astype(int)
        stored[place] = reference[z, y, x]
    save(tmp_path / "r.nii.gz", stored, affine)
    for one, other in (("p.dcm", "r.nii.gz"), ("r.nii.gz", "p.dcm")):
        found = evidence(score(one, other, "--metrics", "dice", cwd=tmp_path))
        assert found["tp"] == counts(prediction, reference)["tp"]
        assert sum(found.values()) == reference.size


def test_labels_are_segment_numbers_and_have_their_names(pair):
    folder, masks = pair
    result = score("pred.dcm", "ref.dcm", "--labels", "2", cwd=folder)
    assert evidence(result, label="2") == expected(masks, "Tumour")
    assert result["labels"]["2"]["name"] == "Tumour"
    every = score("pred.dcm", "ref.dcm", "--labels", "all", cwd=folder)
    assert {key: label["name"] for key, label in every["labels"].items()} == {"1": "Liver",
                                                                              "2": "Tumour"}


def test_a_region_is_the_union_of_segments(pair):
    folder, masks = pair
    result = score("pred.dcm", "ref.dcm", "--region", "both=1,2", cwd=folder)
    union = [(masks[side]["Liver"] | masks[side]["Tumour"])[1:5] for side in ("pred", "ref")]
    assert evidence(result, label="both") == counts(*union)


def test_codes_match_where_names_do_not(tmp_path):
    liver = ("10200004", "Liver")
    write_segmentation(tmp_path / "p.dcm", {"liver_pred": blob(1)}, concepts={"liver_pred": liver})
    write_segmentation(tmp_path / "r.dcm", {"Liver": blob(2)}, concepts={"Liver": liver})
    result = score("p.dcm", "r.dcm", cwd=tmp_path)
    assert result["cases"][0]["label"]["Liver"]["dice"] == pytest.approx(dice(blob(1), blob(2)))
    write_segmentation(tmp_path / "p.dcm", {"organ": blob(1)})
    done = assay("score", "p.dcm", "r.dcm", cwd=tmp_path, status=2)
    assert "organ against Liver" in done.stderr and "--labels all" in done.stderr


def test_a_missing_segment_is_a_missing_prediction(pair):
    folder, masks = pair
    write_segmentation(folder / "pred.dcm", {"Liver": masks["pred"]["Liver"]})
    done = assay("score", "pred.dcm", "ref.dcm", cwd=folder, status=3)
    assert "there is no prediction of Tumour" in done.stderr


def test_a_fractional_segmentation_needs_a_threshold(tmp_path):
    shares = numpy.random.default_rng(1).integers(0, 256, SHAPE).astype(numpy.uint8)
    write_segmentation(tmp_path / "p.dcm", {"Liver": shares}, kind="FRACTIONAL")
    write_segmentation(tmp_path / "r.dcm", {"Liver": blob(2)}, keep_empty=True)
    done = assay("score", "p.dcm", "r.dcm", cwd=tmp_path, status=2)
    assert "--threshold" in done.stderr
    result = score("p.dcm", "r.dcm", "--threshold", "0.5", cwd=tmp_path)
    assert evidence(result, label="Liver") == counts(shares / 255 >= 0.5, blob(2))


def test_a_fractional_segmentation_is_a_map_of_probabilities(tmp_path):
    shares = numpy.random.default_rng(1).integers(0, 256, SHAPE).astype(numpy.uint8)
    write_segmentation(tmp_path / "p.dcm", {"Liver": shares}, kind="FRACTIONAL", keep_empty=True)
    write_segmentation(tmp_path / "r.dcm", {"Liver": blob(2)}, keep_empty=True)
    result = score("p.dcm", "r.dcm", "--metrics", "brier", cwd=tmp_path)
    expected = numpy.mean((shares / 255 - blob(2)) ** 2)
    assert result["metrics"]["brier"]["mean"] == pytest.approx(expected, rel=1e-6)


def test_a_label_map_is_read(tmp_path):
    liver = blob(1)
    tumour = blob(2) & ~liver
    write_segmentation(tmp_path / "p.dcm", {"Liver": liver, "Tumour": tumour}, kind="LABELMAP")
    write_segmentation(tmp_path / "r.dcm", {"Liver": blob(3), "Tumour": blob(4)})
    result = score("p.dcm", "r.dcm", cwd=tmp_path)
    assert evidence(result, label="Tumour") == counts(tumour[1:5], blob(4)[1:5])


def test_studies_are_paired_by_their_uid(tmp_path):
    for number, study in enumerate(("a", "b", "c")):
        write_segmentation(tmp_path / f"pred/x{number}/1.dcm", {"Liver": blob(number)}, study=study,
                           patient=f"P{number}")
        write_segmentation(tmp_path / f"ref/{9 - number}.dcm", {"Liver": blob(number + 20)},
                           study=study, patient=f"P{number}")
    result = score("pred", "ref", cwd=tmp_path)
    assert [case["label"]["Liver"]["dice"] for case in result["cases"]] == pytest.approx(
        [dice(blob(n), blob(n + 20)) for _, n in sorted(
            (case_id(study), n) for n, study in enumerate("abc"))])
    assert "Doe" not in str(result)
    patients = score("pred", "ref", "--dicom-id", "patient", cwd=tmp_path)
    assert [case["id"] for case in patients["cases"]] == ["P0", "P1", "P2"]


def test_files_in_folders_need_no_ending(tmp_path):
    for number, study in enumerate("ab"):
        for side, name in (("pred", "IM0001"), ("ref", f"1.2.3.{number}")):
            write_segmentation(tmp_path / side / study / name, {"Liver": blob(number)}, study=study)
    (tmp_path / "ref/README").write_text("not DICOM")
    (tmp_path / "ref/a/DICOMDIR").write_bytes(bytes(300))
    assert score("pred", "ref", cwd=tmp_path)["ledger"]["scored"] == 2


def case_id(study):
    from dicom_files import uid
    return uid(study)


def test_patients_pair_what_studies_do_not(tmp_path):
    write_segmentation(tmp_path / "pred/1.dcm", {"Liver": blob(1)}, study="x", patient="P7")
    write_segmentation(tmp_path / "ref/2.dcm", {"Liver": blob(2)}, study="y", patient="P7")
    done = assay("score", "pred", "ref", cwd=tmp_path)
    assert "paired by PatientID" in done.stderr


def test_a_tilted_gantry_is_refused(tmp_path):
    geometry = Geometry()
    upright = geometry.position
    geometry.position = lambda z: upright(z) + numpy.array([0, 0.4 * z, 0])
    write_segmentation(tmp_path / "p.dcm", {"Liver": blob(1)}, geometry)
    write_segmentation(tmp_path / "r.dcm", {"Liver": blob(1)})
    done = assay("score", "p.dcm", "r.dcm", cwd=tmp_path, status=2)
    assert "tilted gantry" in done.stderr


def refused(folder, data, sentence):
    write(folder / "p.dcm", data)
    write_segmentation(folder / "r.dcm", {"Liver": blob(1)})
    done = assay("score", "p.dcm", "r.dcm", "--metrics", "dice", cwd=folder, status=2)
    assert sentence in done.stderr and len(done.stderr.splitlines()) <= 3


def test_hostile_counts_get_one_sentence(tmp_path):
    def made(**fields):
        data = segmentation([segment(1, "Liver")], [(0, 1, blob(1)[1]), (1, 1, blob(1)[2])],
                            Geometry())
        for name, value in fields.items():
            setattr(data, name, value)
        return data
    refused(tmp_path, made(NumberOfFrames=2_000_000), "bytes of pixels where its header states")
    refused(tmp_path, made(Rows=65535, Columns=65535), "bytes of pixels where its header states")
    refused(tmp_path, made(NumberOfFrames=1), "states 1 frames and describes 2")
    refused(tmp_path, made(SegmentationType="SURFACE"), "segmentation of type 'SURFACE'")
    refused(tmp_path, made(SegmentSequence=[segment(7, "Liver")]), "shows segment 1")


def start_of_data(whole):
    """Where the group of the file itself ends."""
    return 132 + 12 + struct.unpack_from("<I", whole, 140)[0]


def test_deep_nesting_is_refused(tmp_path):
    for name in "pr":
        write_segmentation(tmp_path / f"{name}.dcm", {"Liver": blob(1)})
    whole = (tmp_path / "p.dcm").read_bytes()
    begin = start_of_data(whole)
    opened = (struct.pack("<HH2sHI", 0x0008, 0x1115, b"SQ", 0, 0xFFFFFFFF)
              + struct.pack("<HHI", 0xFFFE, 0xE000, 0xFFFFFFFF))
    closed = struct.pack("<HHIHHI", 0xFFFE, 0xE00D, 0, 0xFFFE, 0xE0DD, 0)
    (tmp_path / "p.dcm").write_bytes(whole[:begin] + opened * 200_000 + closed * 200_000
                                     + whole[begin:])
    done = assay("score", "p.dcm", "r.dcm", "--metrics", "dice", cwd=tmp_path, status=2)
    assert "more than 24 levels deep" in done.stderr and len(done.stderr.splitlines()) <= 3


def test_millions_of_empty_items_are_refused(tmp_path):
    for name in "pr":
        write_segmentation(tmp_path / f"{name}.dcm", {"Liver": blob(1)})
    whole = (tmp_path / "p.dcm").read_bytes()
    begin, items = start_of_data(whole), struct.pack("<HHI", 0xFFFE, 0xE000, 0) * 4_300_000
    (tmp_path / "p.dcm").write_bytes(
        whole[:begin] + struct.pack("<HH2sHI", 0x0008, 0x1115, b"SQ", 0, len(items)) + items
        + whole[begin:])
    _, said, peak = measured("score", tmp_path / "p.dcm", tmp_path / "r.dcm", status=2)
    assert "has more than 4 million elements" in said and peak < 300e6


def block(data):
    """Deflate blocks that may follow each other."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)


def unfold_to_gigabytes(path, tag):
    """Puts an element of 3 GB after the others of a deflated file, in place of its pixels."""
    whole = path.read_bytes()
    begin = start_of_data(whole)
    header = zlib.decompress(whole[begin:], -15)
    header = header[:header.rindex(struct.pack("<HH", 0x7FE0, 0x0010))]
    long = struct.pack("<HH2sHI", tag >> 16, tag & 0xFFFF, b"OW", 0, 3_000_000_000)
    path.write_bytes(whole[:begin] + block(header + long) + block(bytes(1 << 20)) * 3000)


@pytest.mark.parametrize("tag, words", [(0x7FE00010, "more than 512 MB"),
                                        (0x00700001, "more than 128 MB")])
def test_a_deflated_file_that_unfolds_to_gigabytes_is_refused(tmp_path, tag, words):
    for name in "pr":
        write_segmentation(tmp_path / f"{name}.dcm", {"Liver": blob(1)}, syntax=DEFLATED)
    unfold_to_gigabytes(tmp_path / "p.dcm", tag)
    _, said, peak = measured("score", tmp_path / "p.dcm", tmp_path / "r.dcm", status=2)
    assert words in said and "p.dcm" in said and len(said.splitlines()) <= 3
    assert peak < 600e6


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
def test_a_deflated_file_cut_short_is_refused(pair, share):
    folder, masks = pair
    write_segmentation(folder / "pred.dcm", masks["pred"], syntax=DEFLATED)
    whole = (folder / "pred.dcm").read_bytes()
    (folder / "pred.dcm").write_bytes(whole[:400 + int(share * (len(whole) - 400))])
    done = assay("score", "pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder, status=2)
    assert "pred.dcm" in done.stderr and len(done.stderr.splitlines()) <= 3


def test_a_file_cut_short_is_refused(pair):
    folder, _ = pair
    whole = (folder / "pred.dcm").read_bytes()
    for length in (200, 700, len(whole) // 2, len(whole) - 20):
        (folder / "pred.dcm").write_bytes(whole[:length])
        done = assay("score", "pred.dcm", "ref.dcm", "--metrics", "dice", cwd=folder, status=2)
        assert "pred.dcm" in done.stderr


def test_one_bad_file_does_not_stop_a_cohort(tmp_path):
    for number in range(3):
        for side in ("pred", "ref"):
            write_segmentation(tmp_path / f"{side}/{number}.dcm", {"Liver": blob(number)},
                               study=str(number))
    bad = tmp_path / "pred/1.dcm"
    bad.write_bytes(bad.read_bytes()[:-30])
    done = assay("score", "pred", "ref", "--dicom-id", "file", cwd=tmp_path, status=3)
    assert "not scored: 1: prediction 1.dcm: is cut short" in done.stderr


def test_uneven_planes_are_refused(tmp_path):
    geometry = Geometry()
    data = segmentation([segment(1, "Liver")], [(z, 1, blob(1)[2]) for z in range(4)], geometry)
    moved = frame(geometry, 2, 1)
    moved.PlanePositionSequence[0].ImagePositionPatient = texts(geometry.position(2.4))
    data.PerFrameFunctionalGroupsSequence[2] = moved
    refused(tmp_path, data, "not evenly spaced")
